"""A policy: all that is needed to fit the same release again, without the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from numbers import Integral
from typing import Any

import pandas as pd

import skanon
from skanon import KAnonymizer
from skanon._table.containers import as_frame
from skanon._table.domain import Domain
from skanon._table.roles import assign_roles, check_hierarchies
from skanon._table.schema import hierarchy_of
from skanon.cleaning import Repair, repair_from_dict
from skanon.clustering import ALGORITHMS
from skanon.constraints import Constraint
from skanon.constraints._base import CONSTRAINTS
from skanon.exceptions import (
    AnonymizationError,
    ColumnError,
    HierarchyError,
    ParameterError,
)
from skanon.hierarchies import Hierarchy
from skanon.hierarchies._json import to_plain
from skanon.losses._named import LOSSES, as_loss
from skanon_widgets._studio.policy_checks import (
    FORMAT,
    PLAIN,
    ROLES,
    VERSIONS,
    check_columns,
    check_keys,
    kind_of,
    name_of,
    read_policy,
)


def policy_of(
    anonymizer: KAnonymizer, table: Any, repairs: Iterable[Repair] = ()
) -> dict[str, Any]:
    """Write down how a table is anonymized.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Fitted or not; only its parameters count.
    table : DataFrame of shape (n, n_columns)
        What it is fitted to: already repaired.
    repairs : iterable of Repair
        How.

    Returns
    -------
    dict
        In types that JSON knows: ``"repairs"``, ``"columns"`` with the name, kind and
        role of each, ``"hierarchies"`` (as :func:`skanon.hierarchies.write_json` has
        them) of each quasi-identifier, ``"parameters"`` and ``"versions"``. It holds no
        record, and of the values only those that hierarchies of quasi-identifiers name.

    Raises
    ------
    AnonymizationError
        A parameter cannot be written down, or would let two fits differ.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [21, 22, 60, 61], "ill": ["a", "b", "a", "b"]})
    >>> anonymizer = KAnonymizer(2, sensitive="ill", random_state=0)
    >>> policy = policy_of(anonymizer, people)
    >>> policy["columns"][1]
    {'name': 'ill', 'kind': 'text', 'role': 'sensitive'}
    >>> policy["hierarchies"]
    [{'column': 'age', 'hierarchy': {'type': 'intervals'}}]
    >>> anonymizer_of(policy, people).fit_transform(people)["age"].tolist()
    ['[21, 22]', '[21, 22]', '[60, 61]', '[60, 61]']
    """
    frame = as_frame(table)
    roles = assign_roles(
        frame.columns,
        anonymizer.quasi_identifiers,
        anonymizer.sensitive,
        anonymizer.identifiers,
    )
    given = check_hierarchies(frame.columns, anonymizer.hierarchies)
    named = dict.fromkeys(roles.identifiers, "identifier")
    named |= dict.fromkeys(roles.quasi_identifiers, "quasi-identifier")
    named |= dict.fromkeys(roles.sensitive, "sensitive")
    policy = {
        "policy": "skanon",
        "format": FORMAT,
        "versions": _versions(),
        "repairs": [_repair(x) for x in repairs],
        "columns": [
            {
                "name": _name(column),
                "kind": kind_of(frame[column], column),
                "role": named.get(column, "other"),
            }
            for column in frame.columns
        ],
        "hierarchies": [
            {"column": _name(x), "hierarchy": _hierarchy(frame[x], x, given)}
            for x in roles.quasi_identifiers
        ],
        "parameters": parameters_of(anonymizer),
    }
    return _as_json(policy)


def anonymizer_of(policy: Any, table: Any) -> KAnonymizer:
    """Make the unfitted anonymizer that a policy describes.

    Parameters
    ----------
    policy : dict, str or path
        As :func:`read_policy` takes it.
    table : DataFrame of shape (n, n_columns)
        What it will be fitted to: repaired as :func:`repairs_of` says, with the same
        columns in the same order.

    Returns
    -------
    KAnonymizer

    Raises
    ------
    ColumnError
        The table has other columns, or a column holds values of another kind.
    ParameterError, HierarchyError
        The policy is broken.
    """
    policy = read_policy(policy)
    frame = as_frame(table)
    check_columns(policy["columns"], frame)
    by_role: dict[str, list] = {role: [] for role in ROLES}
    for column in policy["columns"]:
        by_role[column["role"]].append(name_of(column["name"]))
    return KAnonymizer(
        **_parameters_of(policy["parameters"], list(frame.columns)),
        quasi_identifiers=by_role["quasi-identifier"],
        sensitive=by_role["sensitive"],
        identifiers=by_role["identifier"],
        hierarchies=_hierarchies_of(policy["hierarchies"]),
    )


def repairs_of(policy: Mapping[str, Any]) -> list[Repair]:
    """List the repairs of a policy; raises ParameterError where one is broken."""
    repairs = []
    for plain in policy["repairs"]:
        given = dict(plain) if isinstance(plain, Mapping) else {}
        if "column" in given:
            given["column"] = name_of(given["column"])
        try:
            repairs.append(repair_from_dict(given))
        except ParameterError as error:
            raise ParameterError(f"The policy's repairs: {error}") from error
    return repairs


def other_versions(policy: Mapping[str, Any]) -> str:
    """Say in a sentence where versions differ from the policy's; "" where none do."""
    now, then = _versions(), policy["versions"]
    differing = [
        f"{name} {then.get(name)} (now {now[name]})"
        for name in VERSIONS
        if then.get(name) != now[name]
    ]
    if not differing:
        return ""
    return (
        f"The policy was written with {', '.join(differing)}; the release may differ "
        "a little from the one that was made then."
    )


# ------------------------------------------------------------------------- writing


def _versions() -> dict[str, str]:
    return {
        name: skanon.__version__ if name == "skanon" else version(name)
        for name in VERSIONS
    }


def _name(column: Any) -> Any:
    plain = to_plain(column)
    if not isinstance(plain, str | int | float | bool | dict):
        raise ColumnError(
            f"A policy cannot hold the column name {column!r}. Rename the column, best "
            "to a text."
        )
    return plain


def _repair(repair: Repair) -> dict[str, Any]:
    plain = repair.to_dict()
    return {x: _name(value) if x == "column" else value for x, value in plain.items()}


def _hierarchy(column: pd.Series, name: Any, given: dict) -> dict[str, Any]:
    hierarchy = hierarchy_of(Domain.learn(column, name)[0], given)
    plain = hierarchy.to_dict()
    try:
        json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise HierarchyError(
            f"The hierarchy of column {name!r} cannot be written as JSON: {error}. "
            "Build it from text, finite numbers, dates or truth values."
        ) from error
    return plain


def parameters_of(anonymizer: KAnonymizer) -> dict[str, Any]:
    """Write down an anonymizer's parameters; raises ParameterError where it cannot."""
    given: dict[str, Any] = {x: to_plain(getattr(anonymizer, x)) for x in PLAIN}
    if not isinstance(anonymizer.random_state, Integral):
        raise ParameterError(
            f"random_state is {anonymizer.random_state!r}, so that nobody could fit "
            "the same release again. Give an integer."
        )
    name, own = _algorithm(anonymizer.algorithm)
    given |= {"algorithm": name, "algorithm_parameters": own}
    given["loss"] = _loss(anonymizer.loss)
    constraints = anonymizer.constraints
    listed = [constraints] if isinstance(constraints, Constraint) else constraints
    given["constraints"] = [_constraint(x) for x in listed]
    return given


def _algorithm(algorithm: Any) -> tuple[str, dict[str, Any]]:
    """Write all of an algorithm's own parameters: defaults may change some day."""
    if isinstance(algorithm, str) and algorithm == "auto":
        return "auto", {}
    if isinstance(algorithm, str) and algorithm in ALGORITHMS:
        algorithm = ALGORITHMS[algorithm]()
    for name, kind in ALGORITHMS.items():
        if type(algorithm) is kind:
            own = {x: to_plain(getattr(algorithm, x)) for x in kind._own_names()}
            for parameter, value in own.items():
                if not isinstance(value, str | int | float | bool | None):
                    raise ParameterError(
                        f"A policy cannot hold {parameter}={value!r} of the algorithm "
                        f"{name!r}. Give text or a number."
                    )
            return name, own
    raise ParameterError(
        f"A policy cannot hold the algorithm {algorithm!r}. It names auto or one of "
        f"{', '.join(ALGORITHMS)}."
    )


def _loss(loss: Any) -> str:
    given = as_loss(loss)
    for name, kind in LOSSES.items():
        if type(given) is kind and repr(given) == repr(kind()):
            return name
    raise ParameterError(
        f"A policy cannot hold the loss {given!r}. It names one of "
        f"{', '.join(LOSSES)}, without weights."
    )


def _constraint(constraint: Any) -> dict[str, Any]:
    if not isinstance(constraint, Constraint):
        raise ParameterError(f"A policy cannot hold the constraint {constraint!r}.")
    name = type(constraint).__name__
    kept = (*constraint.in_policy, "column")
    for parameter, value in constraint._given().items():
        if parameter not in kept and value is not None:
            raise ParameterError(
                f"{constraint!r} names sensitive values in {parameter!r}, and a policy "
                "must hold none. Choose a constraint about all values, or name the "
                f"parameter in {name}.in_policy if it holds no value."
            )
    given = {x: getattr(constraint, x) for x in kept if hasattr(constraint, x)}
    column = given.pop("column")
    plain = {x: to_plain(value) for x, value in given.items() if value is not None}
    if column is not None:
        plain["column"] = _name(column)
    return {"type": name, **plain}


def _as_json(policy: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(policy, ensure_ascii=False, allow_nan=False))


# ------------------------------------------------------------------------- reading


def _parameters_of(given: Mapping[str, Any], columns: list[Any]) -> dict[str, Any]:
    parameters = {
        **{name: given[name] for name in PLAIN},
        "algorithm": _algorithm_of(given["algorithm"], given["algorithm_parameters"]),
        "loss": given["loss"],
        "constraints": [_constraint_of(x) for x in given["constraints"]],
    }
    for constraint in parameters["constraints"]:
        column = constraint.column
        if column is not None and column not in columns:
            raise ParameterError(
                f"The policy's constraint {constraint!r} is about the column "
                f"{column!r}, which is not in the policy. There are {columns}."
            )
    tried = KAnonymizer(**parameters)  # the check leaves its traces in it
    try:
        tried._check_parameters()
        parameters_of(tried)
    except AnonymizationError as error:
        raise ParameterError(f"The policy's parameters: {error}") from error
    return parameters


def _algorithm_of(name: Any, own: Any) -> Any:
    if not isinstance(name, str) or name not in ("auto", *ALGORITHMS):
        raise ParameterError(
            f"The policy names the algorithm {name!r}. There are auto, "
            f"{', '.join(ALGORITHMS)}."
        )
    if name == "auto":
        check_keys("The policy's parameters of 'auto'", own, set())
        return name
    made = ALGORITHMS[name]()
    known = made._own_names()
    check_keys(f"The policy's parameters of {name!r}", own, set(known))
    if all(getattr(made, x) == own[x] for x in known):
        return name
    return made.set_params(**own)


def _constraint_of(plain: Any) -> Constraint:
    given = dict(plain) if isinstance(plain, Mapping) else {}
    name = given.pop("type", None)
    known = isinstance(name, str) and name in CONSTRAINTS
    if not known or not set(given) <= {*CONSTRAINTS[name].in_policy, "column"}:
        raise ParameterError(
            f"The policy's constraint {plain!r} is unknown. There are "
            f"{', '.join(CONSTRAINTS)}."
        )
    if given.get("column") is not None:
        given["column"] = name_of(given["column"])
    try:
        return CONSTRAINTS[name](**given)
    except (TypeError, ValueError) as error:
        if isinstance(error, AnonymizationError):
            raise
        raise ParameterError(
            f"The policy's constraint {plain!r} is broken: {error}."
        ) from error


def _hierarchies_of(listed: list[dict[str, Any]]) -> dict[Any, Hierarchy]:
    hierarchies = {}
    for one in listed:
        name = name_of(one["column"])
        try:
            hierarchies[name] = Hierarchy.from_dict(one["hierarchy"])
        except HierarchyError as error:
            text = f"The hierarchy of column {name!r}: {error}"
            raise HierarchyError(text) from error
    return hierarchies

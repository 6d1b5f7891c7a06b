"""Checking policies: their form, and whether they are for a table."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import skanon
from skanon._table.domain import Domain
from skanon.exceptions import (
    AnonymizationError,
    ColumnError,
    HierarchyError,
    ParameterError,
)
from skanon.hierarchies._json import from_plain

FORMAT = 2

ROLES = ("identifier", "quasi-identifier", "sensitive", "other")

VERSIONS = ("skanon", "numpy", "pandas", "scikit-learn", "numba")

_KEYS = {
    "policy",
    "format",
    "versions",
    "repairs",
    "columns",
    "hierarchies",
    "parameters",
}

PLAIN = (
    "k",
    "effort",
    "refine",
    "block_size",
    "max_suppression",
    "suppressed",
    "encode",
    "random_state",
)

_PARAMETERS = {*PLAIN, "algorithm", "algorithm_parameters", "loss", "constraints"}


def read_policy(policy: Any) -> dict[str, Any]:
    """Read a policy, and check its form.

    Parameters
    ----------
    policy : dict, str or path
        A policy, its JSON text, or a file that holds it.

    Returns
    -------
    dict

    Raises
    ------
    ParameterError
        It is none; the message says what is wrong.
    """
    if isinstance(policy, str | os.PathLike):
        policy = _loaded(policy)
    if not isinstance(policy, Mapping) or policy.get("policy") != "skanon":
        raise ParameterError(
            "This is no policy of skanon: it has no key 'policy' with the value "
            "'skanon'. Give what AnonymizationStudio.policy wrote."
        )
    if policy.get("format") != FORMAT:
        raise ParameterError(
            f"The policy has the format {policy.get('format')!r}, and this version of "
            f"skanon ({skanon.__version__}) reads {FORMAT}. Use the version that wrote "
            f"it: {policy.get('versions')}."
        )
    check_keys("The policy", policy, _KEYS)
    check_keys("The policy's parameters", policy["parameters"], _PARAMETERS)
    if not isinstance(policy["versions"], Mapping):
        raise ParameterError("The policy's 'versions' are no dict.")
    if not isinstance(policy["parameters"]["constraints"], list):
        raise ParameterError("The policy's 'constraints' are no list.")
    if not isinstance(policy["repairs"], list):
        raise ParameterError("The policy's 'repairs' are no list.")
    _check_listed("columns", policy["columns"], {"name", "kind", "role"})
    _check_listed("hierarchies", policy["hierarchies"], {"column", "hierarchy"})
    for column in policy["columns"]:
        if column["role"] not in ROLES:
            raise ParameterError(
                f"The policy gives the column {column['name']!r} the role "
                f"{column['role']!r}. Roles are {', '.join(map(repr, ROLES))}."
            )
    _check_names(policy)
    return dict(policy)


def _check_names(policy: Mapping[str, Any]) -> None:
    """Check that just the quasi-identifiers have a hierarchy, each one."""
    names = [name_of(x["name"]) for x in policy["columns"]]
    if len(set(names)) < len(names):
        raise ParameterError(f"The policy names a column twice: {names}.")
    wanted = [
        name
        for name, x in zip(names, policy["columns"], strict=True)
        if x["role"] == "quasi-identifier"
    ]
    held = [name_of(x["column"]) for x in policy["hierarchies"]]
    if len(held) != len(wanted) or set(held) != set(wanted):
        raise ParameterError(
            f"The policy has hierarchies of {held}, but its quasi-identifiers are "
            f"{wanted}. Each needs one."
        )


def name_of(plain: Any) -> Any:
    """Read a column's name; raises ParameterError if it is none."""
    try:
        name = from_plain(plain)
    except HierarchyError as error:
        raise ParameterError(f"A column's name in the policy: {error}") from error
    if name is None:
        raise ParameterError("A column has no name in the policy. Give it one.")
    return name


def kind_of(column: pd.Series, name: Any) -> str | None:
    """Tell what kind of values a column holds; None where it cannot be read."""
    try:
        return Domain.learn(column, name)[0].kind
    except AnonymizationError:  # it may well pass through or be dropped
        return None


def _loaded(policy: str | os.PathLike[str]) -> Any:
    is_text = isinstance(policy, str) and policy.lstrip().startswith("{")
    what = "The text" if is_text else str(policy)
    try:
        text = policy if is_text else Path(policy).read_bytes().decode("utf-8-sig")
        return json.loads(str(text))
    except OSError as error:
        raise ParameterError(
            f"The policy {what} cannot be read: {error.strerror}. Give the path of a "
            "policy, its JSON text, or a dict."
        ) from error
    except ValueError as error:
        raise ParameterError(f"{what} is no JSON: {error}.") from error


def check_keys(what: str, given: Any, keys: set[str]) -> None:
    """Check the keys of a part of a policy; raises ParameterError in words."""
    if not isinstance(given, Mapping):
        raise ParameterError(f"{what}: it is no dict, but {given!r}.")
    if set(given) != keys:
        held = set(map(str, given))
        absent, odd = sorted(keys - held), sorted(held - keys)
        parts = [f"lacks {', '.join(map(repr, absent))}"] if absent else []
        parts += [f"has {', '.join(map(repr, odd))}, which is unknown"] if odd else []
        raise ParameterError(f"{what}: it {' and '.join(parts)}.")


def _check_listed(key: str, given: Any, keys: set[str]) -> None:
    if not isinstance(given, list):
        raise ParameterError(f"The policy's {key!r} is no list.")
    for at, one in enumerate(given, start=1):
        check_keys(f"Number {at} of the policy's {key!r}", one, keys)


def check_columns(columns: list[dict[str, Any]], frame: pd.DataFrame) -> None:
    """Check that a table has a policy's columns; raises ColumnError in words."""
    names = [name_of(column["name"]) for column in columns]
    absent = [name for name in names if name not in frame.columns]
    odd = [name for name in frame.columns if name not in names]
    if absent or odd:
        parts = [f"lacks {', '.join(map(repr, absent))}"] if absent else []
        parts += [f"has {', '.join(map(repr, odd))} beside them"] if odd else []
        raise ColumnError(
            f"The policy is for a table with the columns {names}, but this one "
            f"{' and '.join(parts)}. Give the table that the policy was made for, or "
            "begin anew."
        )
    if names != list(frame.columns):
        raise ColumnError(
            f"The policy's columns stand in the order {names}. Give them in this order:"
            f" table[{names}]."
        )
    for column, name in zip(columns, names, strict=True):
        kind = kind_of(frame[name], name)
        if kind != column["kind"]:
            raise ColumnError(
                f"Column {name!r} held {_words(column['kind'])} when the policy was "
                f"made, but holds {_words(kind)} now. Convert it."
            )


def _words(kind: str | None) -> str:
    return {
        "number": "numbers",
        "datetime": "dates",
        "timedelta": "time spans",
        "bool": "truth values",
        "text": "text",
    }.get(str(kind), "values that cannot be read")

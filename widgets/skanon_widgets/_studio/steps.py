"""The studio's steps, in plain Python: what is wished, and what is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from skanon import KAnonymizer
from skanon._release.classes import check_feasible
from skanon._table.roles import assign_roles
from skanon._table.sensitive import sensitive_numbers
from skanon.clustering import ALGORITHMS
from skanon.constraints import Constraint, SensitiveAttribute
from skanon.constraints._base import offered
from skanon.exceptions import AnonymizationError, ParameterError
from skanon.hierarchies import Hierarchy
from skanon.losses._named import as_loss
from skanon.privacy import feasible_range
from skanon_widgets._studio.columns import Column
from skanon_widgets._studio.policy import parameters_of
from skanon_widgets._studio.policy_checks import ROLES
from skanon_widgets._studio.words import AUTO_SUMMARY, expected

PLAIN = (
    "k",
    "algorithm",
    "effort",
    "refine",
    "block_size",
    "loss",
    "max_suppression",
    "suppressed",
    "encode",
    "random_state",
)

SETTABLE = (*PLAIN, "constraints")

_LISTS = {
    "quasi-identifier": "quasi_identifiers",
    "sensitive": "sensitive",
    "identifier": "identifiers",
}


@dataclass(frozen=True)
class Settings:
    """All that the user of the studio decides but the hierarchies.

    Attributes
    ----------
    roles : dict from column to role
    k, algorithm, effort, refine, block_size, loss, constraints, max_suppression, \
suppressed, encode, random_state
        As in :class:`skanon.KAnonymizer`.
    """

    roles: dict[Any, str]
    k: int = 5
    algorithm: Any = "auto"
    effort: str = "default"
    refine: int | str = "auto"
    block_size: int | str | None = "auto"
    loss: str = "lm"
    constraints: tuple[Constraint, ...] = ()
    max_suppression: float = 0.0
    suppressed: str = "keep"
    encode: str = "label"
    random_state: int = 0

    @classmethod
    def default(cls, described: list[Column]) -> Settings:
        """Begin: nothing is published as it is unless somebody says so."""
        roles = {
            x.name: "identifier" if x.suggestion == "identifier" else "quasi-identifier"
            for x in described
        }
        return cls(roles)

    @classmethod
    def of(cls, anonymizer: KAnonymizer, frame: pd.DataFrame) -> Settings:
        """Take over an anonymizer's parameters."""
        lists = {x: getattr(anonymizer, x) for x in _LISTS.values()}
        known = assign_roles(frame.columns, **lists)
        roles = dict.fromkeys(frame.columns, "other")
        for role, name in _LISTS.items():
            roles |= dict.fromkeys(getattr(known, name), role)
        plain = {name: getattr(anonymizer, name) for name in PLAIN}
        return cls(roles, **plain, constraints=tuple(anonymizer.constraints))

    def columns(self, role: str) -> list[Any]:
        """List the columns of a role."""
        return [name for name, own in self.roles.items() if own == role]

    def with_role(self, name: Any, role: str) -> Settings:
        """Change a column's role; constraints on a column that is sensitive no more go.

        Raises
        ------
        ParameterError
            There is no such column or role.
        """
        if name not in self.roles:
            raise ParameterError(f"There is no column {name!r}.")
        if role not in ROLES:
            raise ParameterError(
                f"{role!r} is no role. Choose one of {', '.join(map(repr, ROLES))}."
            )
        kept = tuple(
            x for x in self.constraints if role == "sensitive" or x.column != name
        )
        return replace(self, roles=self.roles | {name: role}, constraints=kept)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Settings:
        """Change parameters.

        Raises
        ------
        ParameterError
            One is unknown, has a value that it may not have, or one that no policy
            could hold.
        """
        given = dict(parameters)
        for name in given:
            if name not in SETTABLE:
                raise ParameterError(
                    f"{name!r} is no parameter of the studio. There are "
                    f"{', '.join(SETTABLE)}."
                )
        if "constraints" in given:
            given["constraints"] = self._listed(given["constraints"])
        settings = replace(self, **given)
        anonymizer = settings.anonymizer({})
        anonymizer._check_parameters()
        parameters_of(anonymizer)
        return settings

    def _listed(self, given: Any) -> tuple[Constraint, ...]:
        given = [given] if isinstance(given, Constraint) else given
        if not isinstance(given, list | tuple):
            raise ParameterError(
                f"constraints is {given!r}. Give a constraint or a list of them."
            )
        for one in given:
            column = getattr(one, "column", None)
            if column is not None and column not in [*self.roles]:
                raise ParameterError(f"There is no column {column!r}: {one!r}.")
        return tuple(given)

    def anonymizer(self, hierarchies: Mapping[Any, Hierarchy]) -> KAnonymizer:
        """Make the unfitted anonymizer."""
        return KAnonymizer(
            **{name: getattr(self, name) for name in PLAIN},
            quasi_identifiers=self.columns("quasi-identifier"),
            hierarchies=dict(hierarchies),
            constraints=list(self.constraints),
            sensitive=self.columns("sensitive") or None,
            identifiers=self.columns("identifier") or None,
        )


def constraint_from(kind: str, level: float, column: Any) -> Constraint:
    """Make the constraint that was chosen.

    Raises
    ------
    ParameterError
        There is no such constraint, or the level is out of its range.
    """
    offers = offered()
    if kind not in offers:
        raise ParameterError(
            f"There is no constraint {kind!r}. Choose one of {', '.join(offers)}."
        )
    maker, offer = offers[kind]
    if isinstance(level, float) and level.is_integer() and offer.whole:
        level = int(level)
    return maker(**{offer.level: level}, **offer.options, column=column)


def first_constraint(levels: Sequence[Mapping[str, Any]]) -> Constraint:
    """Make the constraint that is offered first, about all sensitive columns.

    Parameters
    ----------
    levels : list of dict
        Of these columns, as :func:`possible_levels` gives them.
    """
    kind = next(iter(offered()))
    return constraint_from(kind, first_level(kind, levels), None)


def changed(before: Settings, after: Settings) -> str:
    """Name what differs: "role of age", "roles of 3 columns, constraints"."""
    roles = [x for x, role in after.roles.items() if before.roles.get(x) != role]
    told = [f"role of {x}" for x in roles]
    if len(told) > 1:
        told = [f"roles of {len(told)} columns"]
    rest = [x for x in SETTABLE if getattr(before, x) != getattr(after, x)]
    return ", ".join([*told, *rest])


def first_level(kind: str, levels: Sequence[Mapping[str, Any]]) -> float:
    """Choose where a constraint's level begins, so that it is possible.

    Parameters
    ----------
    kind : str
    levels : list of dict
        Of the attributes that it is about, as :func:`possible_levels` gives them.
    """
    _, about = offered()[kind]
    known = [x[kind] for x in levels if kind in x]
    if not known:
        return about.start
    hardest = (min if about.high else max)(known, key=lambda x: x["strictest"])
    strict, loose = hardest["strictest"], hardest["loosest"]
    if about.start <= strict if about.high else about.start >= strict:
        return about.start
    middle = (strict + loose) / 2  # what is just possible leaves little of the table
    return max(1, int(middle)) if about.whole else round(middle, 2)


def kind_of(constraint: Constraint) -> str | None:
    """Find a constraint among those that are offered; None if it is another."""
    for kind, (maker, about) in offered().items():
        if type(constraint) is not maker:
            continue
        own = constraint._given()
        if any(own[name] != value for name, value in about.options.items()):
            continue
        level = own.pop(about.level)
        if constraint_from(kind, level, own.pop("column")) == constraint:
            return kind
    return None


def possible_levels(frame: pd.DataFrame, column: Any) -> dict[str, dict[str, Any]]:
    """Tell for each constraint which levels of a sensitive attribute make sense.

    Returns
    -------
    dict from str to dict
        With the ``"strictest"`` and the ``"loosest"`` level, and ``"words"``.
    """
    found = feasible_range(frame, column).loc[column]
    levels = {}
    for kind, (_, about) in offered().items():
        if about.feasible is None:
            continue
        row = found.loc[about.feasible]
        strict, loose = float(row["strictest"]), float(row["loosest"])
        levels[kind] = {
            "strictest": strict,
            "loosest": loose,
            "words": about.possible(strict, loose, row["value"], row["frequency"]),
        }
    return levels


@dataclass(frozen=True)
class Finding:
    """What is known before the fit about the wishes.

    Attributes
    ----------
    level : {"error", "warning", "good"}
    about : str
        Which part of the form: ``"roles"``, ``"k"``, ``"constraint 0"`` and so on.
    text : str
    """

    level: str
    about: str
    text: str


def find(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    """Say what is possible and what is not, before the fit.

    Parameters
    ----------
    settings : Settings
    frame : DataFrame of shape (n, n_columns)

    Returns
    -------
    list of Finding
        Errors forbid the fit.
    """
    return [
        *_about_roles(settings),
        *_about_k(settings, len(frame)),
        *_about_constraints(settings, frame),
        *_about_algorithm(settings, len(frame)),
        *_about_loss(settings, frame),
        *_about_suppression(settings, len(frame)),
    ]


def _about_roles(settings: Settings) -> list[Finding]:
    found = []
    if not settings.columns("quasi-identifier"):
        text = (
            "No column is a quasi-identifier, so there is nothing to anonymize. Mark "
            "those that others may know."
        )
        found.append(Finding("error", "roles", text))
    others = settings.columns("other")
    if others:
        named = ", ".join(f"“{name}”" for name in others)
        text = (
            f"Published as it is: {named}. Whoever knows these values of a person "
            "finds that person's record."
        )
        found.append(Finding("warning", "roles", text))
    return found


def _about_k(settings: Settings, n: int) -> list[Finding]:
    k = settings.k
    try:
        check_feasible(k, n)
    except AnonymizationError as error:
        return [Finding("error", "k", str(error))]
    if k == 1:
        text = "k = 1 hides nobody: the table is released as it is."
        return [Finding("warning", "k", text)]
    text = (
        f"Possible. Each person hides among at least {k:,}; the chance to find a "
        f"person's record is at most {1 / k:.3g}. There can be {n // k:,} classes at "
        "most."
    )
    return [Finding("good", "k", text)]


def _about_constraints(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    sensitive = settings.columns("sensitive")
    found = []
    for at, constraint in enumerate(settings.constraints):
        about = f"constraint {at}"
        if not sensitive:
            text = "It is about a sensitive attribute: mark a column as sensitive."
            found.append(Finding("error", about, text))
            continue
        columns = sensitive if constraint.column is None else [constraint.column]
        for column in columns:
            if column in sensitive:
                found.append(_kept(constraint, frame, column, about, settings.k))
                continue
            text = f"“{column}” is not marked as sensitive. Mark it, or choose another."
            found.append(Finding("error", about, text))
    return found


def _kept(
    constraint: Constraint, frame: pd.DataFrame, column: Any, about: str, k: int
) -> Finding:
    """Tell whether the table as one class keeps a constraint; else no release does."""
    try:
        attribute = SensitiveAttribute.learn(frame[column], column)[0]
        if not constraint.holds(attribute.counts[None], attribute)[0]:
            text = f"Impossible in “{column}”: {constraint.feasible(attribute)}"
            return Finding("error", about, text)
    except AnonymizationError as error:
        return Finding("error", about, str(error))
    least = getattr(constraint, "l", getattr(constraint, "p", 0))
    larger = (
        f" Each class needs at least {least:g} records for it, so k is {least:g} in "
        "fact."
        if least > k
        else ""
    )
    return Finding("good", about, f"Possible in “{column}”.{larger}")


def _about_algorithm(settings: Settings, n: int) -> list[Finding]:
    name = settings.algorithm
    r = len(settings.columns("quasi-identifier"))
    seconds = expected(settings.anonymizer({})._expected_seconds(n, r))
    if not isinstance(name, str):
        return [Finding("good", "algorithm", f"From the policy: {name!r}. {seconds}")]
    if name == "auto":
        return [Finding("good", "algorithm", f"{AUTO_SUMMARY} {seconds}")]
    about = ALGORITHMS[name]
    most = about.most_records
    if most is not None and n > most:
        text = (
            f"“{about.title}” takes up to {most:,} records, and the table has "
            f"{n:,}. Choose another algorithm."
        )
        return [Finding("error", "algorithm", text)]
    text = f"{about.summary} Its classes are then refined. {seconds}".strip()
    return [Finding("good", "algorithm", text)]


def _about_loss(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    try:
        sensitive_numbers(
            as_loss(settings.loss), None, frame[settings.columns("sensitive")]
        )
    except AnonymizationError as error:
        return [Finding("error", "loss", str(error))]
    return []


def _about_suppression(settings: Settings, n: int) -> list[Finding]:
    most = int(settings.max_suppression * n + 1e-9)
    if not most:
        text = "No record is suppressed."
    else:
        text = f"Up to {most:,} of {n:,} records may become * in all columns."
        if settings.suppressed == "keep" and most < settings.k:
            text = (
                f"No record is suppressed: {most:,} of {n:,} are fewer than k = "
                f"{settings.k}, and could not hide among themselves. Suppress more, or "
                "empty or drop their rows."
            )
            return [Finding("warning", "max_suppression", text)]
    return [Finding("good", "max_suppression", text)]

"""The studio's steps, in plain Python: what is wished, and what is possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from skanon import KAnonymizer
from skanon._table.roles import assign_roles
from skanon.cleaning import Repair
from skanon.constraints import Constraint
from skanon.constraints._base import offered
from skanon.exceptions import ParameterError
from skanon.hierarchies import Hierarchy
from skanon.privacy import feasible_range
from skanon_widgets._studio.columns import Column
from skanon_widgets._studio.policy import parameters_of
from skanon_widgets._studio.policy_checks import ROLES

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
    repairs : tuple of Repair
        What is done to the table first.
    chosen : frozenset of columns
        Whose role somebody has chosen; those of others follow the repairs.
    k, algorithm, effort, refine, block_size, loss, constraints, max_suppression, \
suppressed, encode, random_state
        As in :class:`skanon.KAnonymizer`.
    """

    roles: dict[Any, str]
    repairs: tuple[Repair, ...] = ()
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
    chosen: frozenset[Any] = field(default=frozenset(), compare=False)

    @classmethod
    def default(cls, described: list[Column]) -> Settings:
        """Begin: nothing is published as it is unless somebody says so."""
        roles = {
            x.name: "identifier" if x.suggestion == "identifier" else "quasi-identifier"
            for x in described
        }
        return cls(roles)

    @classmethod
    def of(
        cls,
        anonymizer: KAnonymizer,
        frame: pd.DataFrame,
        repairs: Iterable[Repair] = (),
    ) -> Settings:
        """Take over an anonymizer's parameters, and repairs of the table."""
        lists = {x: getattr(anonymizer, x) for x in _LISTS.values()}
        known = assign_roles(frame.columns, **lists)
        roles = dict.fromkeys(frame.columns, "other")
        for role, name in _LISTS.items():
            roles |= dict.fromkeys(getattr(known, name), role)
        plain = {name: getattr(anonymizer, name) for name in PLAIN}
        constraints = tuple(anonymizer.constraints)
        return cls(
            roles,
            tuple(repairs),
            **plain,
            constraints=constraints,
            chosen=frozenset(roles),
        )

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
        return replace(
            self,
            roles=self.roles | {name: role},
            constraints=kept,
            chosen=self.chosen | {name},
        )

    def with_repairs(
        self, repairs: Iterable[Repair], described: list[Column]
    ) -> Settings:
        """Change the repairs; columns keep roles that were chosen, whatever their name.

        Parameters
        ----------
        repairs : iterable of Repair
        described : list of Column
            Of the table that is repaired so.
        """
        named = {x: own.name for x, own in zip(self.roles, described, strict=True)}
        chosen = {named[x]: role for x, role in self.roles.items() if x in self.chosen}
        roles = Settings.default(described).roles | chosen
        constraints = tuple(_about(x, named) for x in self.constraints)
        return replace(
            self,
            repairs=tuple(repairs),
            roles=roles,
            constraints=constraints,
            chosen=frozenset(chosen),
        )

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


def _about(constraint: Constraint, named: Mapping[Any, Any]) -> Constraint:
    """Make the same constraint on a column that is called otherwise."""
    column = constraint.column
    if column is None or named[column] == column:
        return constraint
    return type(constraint)(**constraint._given() | {"column": named[column]})


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
    if before.repairs != after.repairs:
        return "repairs"
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

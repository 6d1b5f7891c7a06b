"""Constraints that have met their sensitive attributes, and clusters that keep them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.schema import Schema, numbered
from skanon.constraints import Constraint, SensitiveAttribute
from skanon.exceptions import ColumnError, InfeasibleError, ParameterError, in_short
from skanon.privacy._print import warn_of_lookalikes

CELLS = 5_000_000
"""So many counts are looked at at once."""

NEARBY = 64
"""So many of the nearest clusters are looked at at once for a partner."""

FAR = 2048
"""If none of so many of the nearest is a partner, the nearest is taken."""

DECIMALS = 9
"""Rises of the loss that are equal to so many decimals are ties."""


@dataclass(frozen=True)
class BoundConstraint:
    """A constraint and the sensitive attribute that it is about.

    Attributes
    ----------
    constraint : Constraint
    attribute : SensitiveAttribute
        Of the whole table.
    codes : ndarray of int64, shape (n,)
        The records' values.
    """

    constraint: Constraint
    attribute: SensitiveAttribute
    codes: np.ndarray

    @property
    def caps(self) -> np.ndarray | None:
        """The largest share of each value, where that is all that is promised."""
        return self.constraint.caps(self.attribute)

    def counts(self, clusters: list[np.ndarray]) -> np.ndarray:
        """Count the sensitive values of some clusters, each a list of records.

        Returns
        -------
        ndarray of int64, shape (n_clusters, m)
        """
        m = len(self.attribute.values)
        owner = np.repeat(np.arange(len(clusters)), [len(c) for c in clusters])
        pairs = owner * m + self.codes[np.concatenate([[], *clusters]).astype(int)]
        return np.bincount(pairs, minlength=len(clusters) * m).reshape(-1, m)

    def kept(self, clusters: list[np.ndarray]) -> np.ndarray:
        """Tell which clusters keep the promise: shape (n_clusters,)."""
        step = max(CELLS // len(self.attribute.values), 1)
        parts = [
            self.holds(self.counts(clusters[at : at + step]))
            for at in range(0, len(clusters), step)
        ]
        return np.concatenate([np.ones(0, dtype=bool), *parts])

    def holds(self, counts: np.ndarray) -> np.ndarray:
        """Ask the constraint, and check its answer.

        Raises
        ------
        ParameterError
            It is no truth value for each class.
        """
        answer = np.asarray(self.constraint.holds(counts, self.attribute))
        if answer.shape != (len(counts),) or answer.dtype != bool:
            raise ParameterError(
                f"{self.constraint!r}: holds() gives {answer.dtype} of shape "
                f"{answer.shape} for {len(counts)} classes. It must give a truth value "
                "for each class."
            )
        return answer


def bind_constraints(
    constraints: Any, sensitive: pd.DataFrame
) -> list[BoundConstraint]:
    """Bring constraints and sensitive attributes together.

    Parameters
    ----------
    constraints : iterable of Constraint
    sensitive : DataFrame of shape (n, n_sensitive)
        All sensitive attributes.

    Raises
    ------
    ParameterError
        There is something else than constraints.
    ColumnError
        There is no sensitive attribute, or not the one that a constraint names.
    InfeasibleError
        The table as one class would not keep one of them.
    """
    bound_constraints = []
    for constraint in _listed(constraints):
        for name in _columns_of(constraint, sensitive.columns):
            attribute, codes = SensitiveAttribute.learn(sensitive[name], name)
            warn_of_lookalikes(attribute.values, name)
            bound_constraint = BoundConstraint(constraint, attribute, codes)
            if not bound_constraint.holds(attribute.counts[None])[0]:
                raise InfeasibleError(
                    f"{constraint!r} cannot be kept in the sensitive attribute "
                    f"{name!r}: {constraint.feasible(attribute)}"
                )
            bound_constraints.append(bound_constraint)
    return bound_constraints


def _listed(constraints: Any) -> list[Constraint]:
    if isinstance(constraints, Constraint):
        constraints = [constraints]
    if not isinstance(constraints, Iterable) or isinstance(constraints, str | dict):
        raise ParameterError(
            f"constraints is {in_short(constraints)}. Give a list, such as "
            "[LDiversity(2)]."
        )
    listed = list(constraints)
    for constraint in listed:
        if not isinstance(constraint, Constraint):
            raise ParameterError(
                f"constraints holds {constraint!r}, which is no Constraint. Give one "
                "of skanon.constraints, such as LDiversity(2)."
            )
    return listed


def _columns_of(constraint: Constraint, columns: pd.Index) -> list:
    if not len(columns):
        raise ColumnError(
            f"{constraint!r} is about a sensitive attribute, but there is none. Give "
            "it as y, or name its column in sensitive."
        )
    if constraint.column is None:
        return list(columns)
    if constraint.column not in list(columns):
        raise ColumnError(
            f"{constraint!r}: {constraint.column!r} is no sensitive attribute. These "
            f"are {list(columns)!r}; name columns in sensitive, or give values as y."
        )
    return [constraint.column]


def of_records(
    bound_constraints: Sequence[BoundConstraint], rows: np.ndarray
) -> list[BoundConstraint]:
    """Give the promises for some of the records, by those of the whole table."""
    return [
        BoundConstraint(p.constraint, p.attribute, p.codes[rows])
        for p in bound_constraints
    ]


def broken(
    bound_constraints: Sequence[BoundConstraint], clusters: list[np.ndarray]
) -> np.ndarray:
    """Tell which clusters, each a list of records, break a promise."""
    found = np.zeros(len(clusters), dtype=bool)
    for bound_constraint in bound_constraints:
        found |= ~bound_constraint.kept(clusters)
    return found


def repair(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    bound_constraints: Sequence[BoundConstraint],
) -> np.ndarray | None:
    """Unite clusters that break a promise with others, until none does.

    The smallest of them goes first (the first of equals). It is united with the
    cluster with which the summed loss rises least, of those with which the union keeps
    all promises (the first of equals); if there is none among the ``FAR`` nearest, with
    the nearest. Promises are monotone, so that clusters that keep them never come to
    break them.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    labels : ndarray of int, shape (n,)
        -1 for suppressed records.
    bound_constraints : list of BoundConstraint

    Returns
    -------
    ndarray of int, shape (n,), or None
        None where even one cluster of all these records breaks a promise.
    """
    if not bound_constraints:
        return labels
    renamed, n_clusters = numbered(labels)
    members = members_of(renamed, n_clusters)
    bad = broken(bound_constraints, members)
    if not bad.any():
        return labels
    from skanon.kernels.clustering.clusters import gather
    from skanon.kernels.clustering.merging import unite_pair

    columns = schema.columns
    order = np.arange(codes.shape[1], dtype=np.int32)
    clusters = gather(columns, codes, sensitive, renamed, n_clusters, order)
    while bad.any():
        wanted = np.flatnonzero(bad)
        h = int(wanted[np.argmin(clusters.size[wanted])])
        other = _partner(columns, clusters, h, members, bound_constraints)
        if other < 0:
            return None
        kept, gone = min(h, other), max(h, other)
        unite_pair(columns, clusters, kept, gone)
        members[kept] = np.append(members[kept], members[gone])
        bad[gone] = False
        bad[kept] = broken(bound_constraints, [members[kept]])[0]
    return np.where(clusters.label < 0, -1, clusters.label)


def members_of(labels: np.ndarray, n_clusters: int) -> list[np.ndarray]:
    """List the records of clusters 0, 1, 2, …; those of -1 are in none."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(n_clusters + 1))
    return np.split(order, starts)[1:-1]


def _partner(
    columns: Any,
    clusters: Any,
    h: int,
    members: list[np.ndarray],
    bound_constraints: Sequence[BoundConstraint],
) -> int:
    """Find the cluster that h is best united with; -1 if there is none."""
    from skanon.kernels.clustering.merging import rises_with_all

    rises = rises_with_all(columns, clusters, h)
    n_others = int((clusters.size > 0).sum()) - 1
    rises = np.round(rises, DECIMALS)
    nearest = np.argsort(rises, kind="stable")[:n_others]
    for at in range(0, min(n_others, FAR), NEARBY):
        some = nearest[at : at + NEARBY]
        kept = np.ones(len(some), dtype=bool)
        for bound_constraint in bound_constraints:
            others = bound_constraint.counts([members[other] for other in some])
            kept &= bound_constraint.holds(
                others + bound_constraint.counts([members[h]])
            )
        if kept.any():
            return int(some[np.argmax(kept)])
    return int(nearest[0]) if n_others else -1

"""A frame's quasi-identifiers, as codes, permissible subsets and costs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    BoundHierarchy,
    Hierarchy,
    Intervals,
    Suppression,
)
from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._files import as_hierarchy
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses import Loss
from skanon.losses._costs import ColumnCosts, column_costs
from skanon.losses._terms import (
    ENTROPY,
    LEVEL,
    N_TERMS,
    NONUNIFORM,
    SENSITIVE,
    SIZE,
    Ground,
    information,
)


@dataclass(frozen=True)
class Schema:
    """What a fit learns about the quasi-identifiers, short of the records.

    Attributes
    ----------
    names : list of length r
        The quasi-identifiers.
    hierarchies : dict from column to Hierarchy
    bounds : list of BoundHierarchy, length r
    costs : list of ColumnCosts, length r
        Weighted, so that a record's columns add up to its loss.
    shares : ndarray of shape (r,)
        Each column's share of the loss.
    penalty : float
        What a record pays whose sensitive value is not the most frequent in its class.
    """

    names: list
    hierarchies: dict[Any, Hierarchy]
    bounds: list[BoundHierarchy]
    costs: list[ColumnCosts]
    shares: np.ndarray
    penalty: float

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        hierarchies: Mapping[Any, Any],
        loss: Loss,
        sensitive: np.ndarray | None = None,
    ) -> tuple[Schema, np.ndarray]:
        """Learn the quasi-identifiers of a frame.

        Parameters
        ----------
        frame : DataFrame of shape (n, r)
            The quasi-identifiers only.
        hierarchies : mapping from column to hierarchy, or to what describes one
        loss : Loss
        sensitive : ndarray of int32, shape (n,), or None
            The numbers of the sensitive values; None: the loss does not look at any.

        Returns
        -------
        schema : Schema
        codes : ndarray of int32, shape (n, r)
        """
        bounds, codes = [], np.empty(frame.shape, dtype=np.int32, order="C")
        chosen = {}
        for j, name in enumerate(frame.columns):
            domain, positions = Domain.learn(frame.iloc[:, j], name)
            chosen[name] = hierarchy_of(domain, hierarchies)
            bound = chosen[name].bind(domain)
            codes[:, j] = bound.codes(positions)
            bounds.append(bound)
        if sensitive is None:
            sensitive = np.zeros(len(frame), dtype=np.int32)
        names = list(frame.columns)
        grounds = [
            Ground.learn(bound, codes[:, j], sensitive)
            for j, bound in enumerate(bounds)
        ]
        loss = loss.settled(names, lambda: information(grounds))
        shares = loss.relative_weights(names)
        costs = column_costs(loss, grounds)
        schema = cls(names, chosen, bounds, costs, shares, loss.penalty)
        return schema, codes

    def without_sensitive(self) -> Schema:
        """Give the same quasi-identifiers, without what is known of sensitive values.

        What a loss takes from them goes, too; a column that costs nothing then costs
        what LM says.
        """
        costs = []
        for cost, share in zip(self.costs, self.shares, strict=True):
            ground = Ground(cost.ground.bound, cost.ground.counts[:, None])
            blend = np.where(np.arange(N_TERMS) == SENSITIVE, 0.0, cost.blend)
            if not blend.any():
                blend = share * (np.arange(N_TERMS) == SIZE)
            costs.append(ColumnCosts(ground, blend))
        return replace(self, costs=costs, penalty=0.0)

    def encode(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Code the quasi-identifiers of other records.

        Returns
        -------
        codes : ndarray of int32, shape (n, r)
            ``UNKNOWN`` where the fitted column does not hold the value.
        nearest : ndarray of int32, shape (n, r)
            The same, but an unknown number or date counts as the nearest fitted one.

        Raises
        ------
        HierarchyError
            A value has no leaf in the taxonomy that the user gave for its column.
        """
        codes = np.empty(frame.shape, dtype=np.int32, order="C")
        nearest = np.empty_like(codes)
        for j, bound in enumerate(self.bounds):
            codes[:, j], nearest[:, j] = bound.encode(frame.iloc[:, j])
        return codes, nearest

    @cached_property
    def suppressed(self) -> np.ndarray:
        """What a suppressed record pays: float64 of shape (r, n_sensitive)."""
        return np.stack([cost.suppressed for cost in self.costs])

    @cached_property
    def origins(self) -> np.ndarray:
        """What is taken off the columns' average losses: shape (r,)."""
        return np.array([cost.origin for cost in self.costs])

    def parts(self) -> list[slice]:
        """Locate each column's state in a row of states."""
        ends = np.cumsum([0, *(bound.width for bound in self.bounds)]).tolist()
        return [slice(a, b) for a, b in itertools.pairwise(ends)]

    @cached_property
    def columns(self) -> Any:
        """The bounds and costs as one ``kernels.columns.Columns``."""
        return pack(self.costs, self.penalty)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        state = self.__dict__.copy()
        state.pop("columns", None)  # its module imports numba
        return state


def hierarchy_of(domain: Domain, hierarchies: Mapping[Any, Any]) -> Hierarchy:
    """Choose a column's hierarchy: the given one, or the default for its kind."""
    if domain.name in hierarchies:
        try:
            return as_hierarchy(hierarchies[domain.name])
        except HierarchyError as error:
            raise HierarchyError(f"Column {domain.name!r}: {error}") from error
        except OSError as error:
            raise HierarchyError(
                f"Column {domain.name!r}: its hierarchy cannot be read: {error}. Check "
                "the path."
            ) from error
    return Intervals() if domain.ordered else Suppression()


def pack(costs: list[ColumnCosts], penalty: float) -> Any:
    """Lay all columns' permissible subsets and costs side by side for the kernels."""
    from skanon.kernels.core.columns import Columns

    layout, trees, prices = [], [], []
    start = offset = 0
    for cost in costs:
        bound = cost.ground.bound
        if isinstance(bound, BoundTaxonomy):
            flat = len(bound.parent) == bound.n_codes + 1
            trees.append(np.stack([bound.parent, bound.first, bound.last], axis=1))
            prices.append(np.repeat(cost.nodes()[:, :1], 2, axis=1))
        else:
            flat = False
            high, low, top = cost.listed()
            every = [[top, 0.0]]
            prices.append(np.append(np.stack([high, low], axis=1), every, 0))
            trees.append(np.zeros((len(prices[-1]), 3), dtype=np.int32))
        size, top_row = len(prices[-1]), len(prices[-1]) - 1
        layout.append(
            [
                bound.form,
                start,
                offset,
                bound.n_codes,
                bound.missing,
                bound.width,
                top_row,
                flat,
            ]
        )
        start += bound.width
        offset += size
    is_listed = penalty == 0 and all(cost.is_listed for cost in costs)
    return Columns(
        np.array(layout, dtype=np.int32),
        np.concatenate(trees).astype(np.int32),
        np.concatenate(prices),
        None if is_listed else _curve(costs, penalty),
    )


def _curve(costs: list[ColumnCosts], penalty: float) -> Any:
    """Lay what is no price list side by side for the kernels."""
    from skanon.kernels.core.curve import Curve

    tables, floors, masses, blends, wholes = [], [], [], [], []
    for cost in costs:
        ground = cost.ground
        counts, plogs = ground.counts[:, None], ground.plogs[:, None]
        mass = np.concatenate([counts, plogs, ground.by_sensitive], axis=1)
        wholes.append(np.append(counts.sum(), ground.by_sensitive.sum(axis=0)))
        if isinstance(ground.bound, BoundTaxonomy):
            nodes = cost.nodes()
            tables.append(nodes)
            floors.append(cost.floors(nodes))
            masses.append(np.zeros((len(nodes), mass.shape[1])))
        else:
            none = np.zeros((len(mass) + 1, mass.shape[1] - 1))
            tables.append(none)
            floors.append(none)
            zero = np.zeros((1, mass.shape[1]))
            if ground.bound.form == INTERVAL:
                mass = np.cumsum(np.append(zero, mass, axis=0), axis=0)
            else:
                mass = np.append(mass, zero, axis=0)
            masses.append(mass)
        blends.append(cost.blend[[NONUNIFORM, ENTROPY, SENSITIVE, LEVEL]])
    return Curve(
        table=np.concatenate(tables),
        floor=np.concatenate(floors),
        mass=np.concatenate(masses),
        blend=np.array(blends),
        whole=np.array(wholes),
        penalty=np.array([penalty]),
    )


def tuple_ids(codes: np.ndarray) -> np.ndarray:
    """Give a number to each distinct row of a code matrix.

    Parameters
    ----------
    codes : ndarray of int, shape (n, r)

    Returns
    -------
    ndarray of int64, shape (n,)
        Equal for equal rows, counting from 0 in the order of first appearance.
    """
    ids = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        # numbered first: the words of bit sets fill all 64 bits
        numbered, distinct = pd.factorize(column)
        ids = pd.factorize(ids * len(distinct) + numbered)[0]
    return ids


def numbered(labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Renumber clusters from 0 on, in the order of their labels.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Records in no cluster have a label below 0, and get -1.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    n_clusters : int
    """
    kept = labels >= 0
    clusters, compact = np.unique(labels[kept], return_inverse=True)
    renamed = np.full(len(labels), -1, dtype=np.int32)
    renamed[kept] = compact
    return renamed, len(clusters)


def occurrences(ids: np.ndarray) -> np.ndarray:
    """Count how often each entry has occurred before it."""
    return pd.Series(ids).groupby(ids).cumcount().to_numpy()


def same_tuples(fitted: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Find records among others: the q-th of a tuple is the q-th of the same one there.

    Parameters
    ----------
    fitted, new : ndarray of int, shape (m, r) and (n, r)

    Returns
    -------
    ndarray of int, shape (n,)
        Positions in ``fitted``; -1 where there are not so many of the tuple.

    Examples
    --------
    >>> same_tuples(np.array([[5], [7], [5]]), np.array([[7], [5], [7], [5]])).tolist()
    [1, 0, -1, 2]
    """
    m = len(fitted)
    ids = tuple_ids(np.concatenate([fitted, new]))
    most = len(ids)
    old = ids[:m] * most + occurrences(ids[:m])
    return pd.Index(old).get_indexer(pd.Index(ids[m:] * most + occurrences(ids[m:])))

"""Nested blocks of a column's values, for lower bounds of what generalizing costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skanon._table.schema import Schema
from skanon.hierarchies import BoundHierarchy
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses._costs import ColumnCosts
from skanon.losses._terms import SENSITIVE


@dataclass(frozen=True)
class ColumnLevels:
    """One column's generalization levels; see ``kernels.bounds.Levels``.

    Attributes
    ----------
    column : int
    item : ndarray of int64, shape (n,)
        The records' items.
    code, sensitive : ndarray of int, shape (n_items,)
    block : ndarray of int64, shape (n_items, n_levels)
    cost : ndarray of float64, shape (n_items, n_levels)
    own : ndarray of float64, shape (n,)
        What the records pay for their own values.
    opens : int
        From this level on the column stays open.
    """

    column: int
    item: np.ndarray
    code: np.ndarray
    sensitive: np.ndarray
    block: np.ndarray
    cost: np.ndarray
    own: np.ndarray
    opens: int

    @property
    def least(self) -> np.ndarray:
        """The least that each item pays: shape (n_items,)."""
        return self.cost.min(axis=1)

    @property
    def is_tree(self) -> bool:
        """Whether it is never open."""
        return self.opens == self.cost.shape[1]

    @property
    def matters(self) -> bool:
        """Whether it matters to a record which others are with it."""
        return len(self.code) > 1 and bool(self.cost[np.isfinite(self.cost)].any())

    def opened(self) -> ColumnLevels:
        """Leave one level, all values, so that the column is open."""
        block = np.zeros((len(self.code), 1), dtype=np.int64)
        return replace(self, block=block, cost=self.least[:, None], opens=0)


def build_levels(
    schema: Schema, codes: np.ndarray, sensitive: np.ndarray, j: int, k: int
) -> ColumnLevels:
    """Build the levels of a column.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    j : int
        The column.
    k : int
    """
    cost = schema.costs[j]
    if not cost.blend[SENSITIVE]:
        # this sensitive value stands for any
        sensitive = np.full(len(codes), cost.ground.by_sensitive.shape[1])
    bound = cost.ground.bound
    if isinstance(bound, BoundTaxonomy):
        return _of_tree(bound, cost, codes[:, j], sensitive, j, k)
    return _of_line(schema.columns, bound, codes[:, j], sensitive, j, k)


def _of_tree(
    bound: BoundTaxonomy,
    cost: ColumnCosts,
    codes: np.ndarray,
    sensitive: np.ndarray,
    j: int,
    k: int,
) -> ColumnLevels:
    """Build the levels of a tree: its own."""
    nodes = cost.nodes()
    paths = _paths(bound)
    before = np.append(0, np.cumsum(bound.counts))
    covered = before[bound.last + 1] - before[np.maximum(bound.first, 0)]
    for t in range(paths.shape[1] - 2, -1, -1):
        few = covered[paths[:, t]] < k
        paths[few, t] = paths[few, t + 1]  # no k records tell these values apart
    _, alike = np.unique(paths[:, ::-1], axis=0, return_inverse=True)
    item, first = _number(alike.reshape(-1)[codes], sensitive)
    block, c = paths[codes[first]], sensitive[first]
    reached = bound.level[block] <= np.arange(block.shape[1])
    reached[:, 1:] &= ~(reached[:, :-1] & (block[:, 1:] == block[:, :-1]))
    paid = np.where(reached, nodes[block, c[:, None]], np.inf)
    own = nodes[codes, sensitive]
    return ColumnLevels(
        j, item, codes[first], c, block, paid, own, opens=block.shape[1]
    )


def _paths(bound: BoundTaxonomy) -> np.ndarray:
    """Find the highest node above each value that is not above each level.

    Returns
    -------
    ndarray of int64, shape (n_codes, n_levels)
    """
    paths = [np.arange(bound.n_codes)]
    for level in range(1, int(bound.level.max()) + 1):
        parent = bound.parent[paths[-1]]
        climbs = (parent >= 0) & (bound.level[parent] <= level)
        paths.append(np.where(climbs, parent, paths[-1]))
    return np.stack(paths, axis=1)


def _of_line(
    columns: Any,
    bound: BoundHierarchy,
    codes: np.ndarray,
    sensitive: np.ndarray,
    j: int,
    k: int,
) -> ColumnLevels:
    """Build the levels of intervals or sets: single values, and all others."""
    from skanon.kernels.bounds.windows import price_levels

    item, first = _number(codes, sensitive)
    code, c = codes[first], sensitive[first].astype(np.int32)
    rare = np.lexsort([bound.counts, np.arange(bound.n_codes) == bound.missing])
    cost = price_levels(columns, j, code, c, np.resize(rare, 2).astype(np.int32))
    own = cost[item, 0]
    cost[bound.counts[code] < k, 0] = np.inf
    block = np.stack([code, np.zeros_like(code)], axis=1)
    return ColumnLevels(j, item, code, c, block, cost, own, opens=1)


def _number(values: np.ndarray, sensitive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the distinct pairs of a value and a sensitive value numbers, in their order.

    Returns
    -------
    item : ndarray of int64, shape (n,)
    first : ndarray of int64, shape (n_items,)
        The first record with each pair.
    """
    pairs = values.astype(np.int64) * (int(sensitive.max()) + 1) + sensitive
    _, first, item = np.unique(pairs, return_index=True, return_inverse=True)
    return item, first


def pack(levels: list[ColumnLevels]) -> tuple[Any, np.ndarray]:
    """Lay levels side by side for the kernels.

    Returns
    -------
    levels : kernels.bounds.Levels
    item : ndarray of int32, shape (n, n_columns)
    """
    from skanon.kernels.bounds.support import Levels

    most = max(x.cost.shape[1] for x in levels)
    offsets = np.cumsum([0, *(len(x.code) for x in levels)])
    item = [x.item + offset for x, offset in zip(levels, offsets[:-1], strict=True)]

    def numbers(values: list) -> np.ndarray:
        return np.array(values, dtype=np.int32)

    def padded(tables: list[np.ndarray], fill: float) -> np.ndarray:
        width = ((0, 0), (0, most))
        rows = [np.pad(x, width, constant_values=fill)[:, :most] for x in tables]
        return np.concatenate(rows)

    packed = Levels(
        column=numbers([x.column for x in levels]),
        n_levels=numbers([x.cost.shape[1] for x in levels]),
        opens=numbers([x.opens for x in levels]),
        code=np.concatenate([x.code for x in levels]).astype(np.int32),
        sensitive=np.concatenate([x.sensitive for x in levels]).astype(np.int32),
        block=padded([x.block for x in levels], 0).astype(np.int32),
        cost=padded([x.cost for x in levels], np.inf),
        least=np.concatenate([x.least for x in levels]),
    )
    return packed, np.stack(item, axis=1).astype(np.int32)

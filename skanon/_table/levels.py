"""Combinations of levels, one for each column: full-domain generalizations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def climb(columns: Any, rows: np.ndarray) -> list[list[np.ndarray]]:
    """List for each column and level the nodes of the records, from leaves to the root.

    Levels are counted from the root, so that in unbalanced trees, too, all records
    below a node are together at its level; leaves that are above it stay as they are.
    Of intervals and sets there are single values and the whole domain.

    Parameters
    ----------
    columns : Columns
    rows : ndarray of int32, shape (n, r)
        Codes, all of them known.

    Returns
    -------
    list of lists of ndarrays of int64, shape (n,)
    """
    from skanon.kernels.core.columns import FORM, OFFSET, PARENT, TOP, TREE

    ancestors = []
    for j, row in enumerate(columns.layout):
        begin, top = row[OFFSET], row[TOP]
        parent = np.full(top + 1, top)
        if row[FORM] == TREE:
            parent = columns.tree[begin : begin + top + 1, PARENT]
        nodes = [rows[:, j].astype(np.int64)]
        while (nodes[-1] != top).any():
            nodes.append(np.where(nodes[-1] == top, top, parent[nodes[-1]]))
        ancestors.append(_from_the_root(np.stack(nodes), top))
    return ancestors


def _from_the_root(paths: np.ndarray, top: int) -> list[np.ndarray]:
    """Line up paths to the root by their ends.

    Examples
    --------
    >>> _from_the_root(np.array([[0, 1], [3, 4], [4, 4]]), 4)
    [array([0, 1]), array([3, 1]), array([4, 4])]
    """
    depths = (paths != top).sum(axis=0)
    everyone = np.arange(paths.shape[1])
    levels = range(len(paths) - 1, -1, -1)
    return [paths[np.maximum(depths - depth, 0), everyone] for depth in levels]


def costs_of(
    columns: Any, ancestors: list[list[np.ndarray]], sensitive: np.ndarray | None = None
) -> list[list[np.ndarray]]:
    """List for each column and level what the records' nodes cost.

    Parameters
    ----------
    columns : Columns
    ancestors : list of lists of ndarrays of int64, shape (n,)
    sensitive : ndarray of int32, shape (n,), or None
        The records' sensitive values, for hierarchies that are all trees; None: by the
        price list.
    """
    from skanon.kernels.core.columns import FORM, HIGH, N_CODES, OFFSET, TOP, TREE

    costs = []
    for row, nodes in zip(columns.layout, ancestors, strict=True):
        own = slice(row[OFFSET], row[OFFSET] + row[TOP] + 1)
        if sensitive is not None and columns.curve is not None:
            table = columns.curve.table[own]
            costs.append([table[level, sensitive] for level in nodes])
            continue
        price = columns.price[own, HIGH].copy()
        if row[FORM] != TREE:  # there other figures stand for single values
            price[: row[N_CODES]] = 0
        costs.append([price[level] for level in nodes])
    return costs


def half_of(ancestors: list[list[np.ndarray]]) -> int:
    """Say how many columns have about as many combinations as the others."""
    logs = np.cumsum([0.0, *(math.log(len(own)) for own in ancestors)])
    return int(np.argmin(np.abs(logs - logs[-1] / 2)))


def keys_of(
    ancestors: list[list[np.ndarray]], n: int, draws: np.random.RandomState
) -> np.ndarray:
    """Sum a random number for each column's node, for all combinations of levels.

    With 64 bits, two different generalized records have one key in a table of a million
    once in 40 million tables.

    Returns
    -------
    ndarray of uint64, shape (n_combinations, n)
    """
    keys = np.zeros((1, n), dtype=np.uint64)
    for own in ancestors:
        n_nodes = 1 + max(int(nodes.max()) for nodes in own)
        drawn = draws.randint(2**63, size=n_nodes).astype(np.uint64) * 2 + 1
        keys = sums_of(keys, drawn[np.stack(own)])
    return keys


def sums_of(summed: np.ndarray, each: np.ndarray) -> np.ndarray:
    """Add every row of one array to every row of the other: (a * b, n)."""
    return (summed[:, None] + each[None]).reshape(-1, each.shape[1])

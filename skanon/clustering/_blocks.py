"""Cutting a table into blocks of records that are near to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

PAIRS = 256
"""So many records of a part, two by two, tell how well a cut does."""

SMALLER = 0.25
"""A cut whose smaller side would have less than this part is not made."""

VARIATION = 0.5
"""How much a cut's worth is perturbed, so that other cuts are made next time."""


@dataclass(frozen=True)
class Cut:
    """A cut of a part in two: records that lie before a value, and the others.

    Attributes
    ----------
    column : int
    is_right : ndarray of bool, shape (n_codes,)
        On which side each of the column's codes is.
    left, right : Cut or None
        How the sides are cut; None where they are blocks.
    """

    column: int
    is_right: np.ndarray
    left: Cut | None
    right: Cut | None


def learn_cuts(
    columns: Any,
    codes: np.ndarray,
    sensitive: np.ndarray,
    n_blocks: int,
    random_state: np.random.RandomState,
) -> Cut | None:
    """Learn from a sample how a table is cut into about so many blocks.

    Again and again a part is cut in two, near its middle, in the column where two
    records of a side then cost least together. Trees are cut in the order of their
    leaves, so that what lies below a node is torn apart once at most; siblings, and the
    values of sets, are put in a random order.

    Parameters
    ----------
    columns : Columns
    codes : ndarray of int32, shape (m, r)
        The sample, at least some 20 records a block.
    sensitive : ndarray of int32, shape (m,)
    n_blocks : int
    random_state : RandomState

    Returns
    -------
    Cut or None
        None where there is nothing to cut.
    """
    places = [_places(columns, j, random_state) for j in range(codes.shape[1])]
    largest = 1.5 * len(codes) / n_blocks

    def learn(part: np.ndarray) -> Cut | None:
        if len(part) <= largest:
            return None
        found = _best_cut(columns, codes, sensitive, places, part, random_state)
        if found is None:
            return None
        column, place = found
        is_right = places[column] >= place
        right = is_right[codes[part, column]]
        return Cut(column, is_right, learn(part[~right]), learn(part[right]))

    return learn(np.arange(len(codes)))


def blocks_of(
    cut: Cut | None,
    codes: np.ndarray,
    least: int,
    fits: Callable[[np.ndarray], bool] = lambda part: True,
) -> np.ndarray:
    """Cut a table, but into no block of fewer than so many records.

    Parameters
    ----------
    cut : Cut or None
    codes : ndarray of int32, shape (n, r)
    least : int
    fits : callable
        Whether records may be a block; where a side may not, a part stays whole.

    Returns
    -------
    ndarray of int32, shape (n,)
        Each record's block, 0, 1, 2, ….
    """
    block = np.zeros(len(codes), dtype=np.int32)
    waiting = [(cut, np.arange(len(codes)))]
    n_blocks = 0
    while waiting:
        here, part = waiting.pop()
        if here is not None:
            right = here.is_right[codes[part, here.column]]
            sides = part[right], part[~right]
            if min(map(len, sides)) >= least and all(map(fits, sides)):
                waiting += zip((here.right, here.left), sides, strict=True)
                continue
        block[part] = n_blocks
        n_blocks += 1
    return block


def _places(columns: Any, j: int, random_state: np.random.RandomState) -> np.ndarray:
    """Put the codes of a column in an order in which it may be cut."""
    from skanon.kernels.core.columns import (
        FORM,
        INTERVAL,
        N_CODES,
        OFFSET,
        PARENT,
        SUBSET,
        TOP,
    )

    n_codes = int(columns.layout[j, N_CODES])
    if columns.layout[j, FORM] == INTERVAL:
        return np.arange(n_codes)
    if columns.layout[j, FORM] == SUBSET:
        return random_state.permutation(n_codes)
    start, root = columns.layout[j, OFFSET], int(columns.layout[j, TOP])
    parent = columns.tree[start : start + root + 1, PARENT]
    children = np.lexsort([random_state.uniform(size=len(parent)), parent])
    begin = np.searchsorted(parent[children], np.arange(root + 2))
    place = np.empty(n_codes, dtype=np.int64)
    waiting, n_placed = [root], 0
    while waiting:
        node = waiting.pop()
        if node < n_codes:
            place[node] = n_placed
            n_placed += 1
        else:
            waiting.extend(children[begin[node] : begin[node + 1]].tolist())
    return place


def _best_cut(
    columns: Any,
    codes: np.ndarray,
    sensitive: np.ndarray,
    places: list[np.ndarray],
    part: np.ndarray,
    random_state: np.random.RandomState,
) -> tuple[int, int] | None:
    """Find the column and the place where two records of a side cost least together."""
    some = part[random_state.permutation(len(part))[:PAIRS]]
    whole = _pair_cost(columns, codes[some], sensitive[some])
    best, found = -np.inf, None
    for j, place in enumerate(places):
        at = _middle(place[codes[part, j]])
        if at is None:
            continue
        right = place[codes[some, j]] >= at
        cost = 0.0
        for side in (some[right], some[~right]):
            share = len(side) / len(some)
            cost += share * _pair_cost(columns, codes[side], sensitive[side])
        worth = (whole - cost) * (1 + VARIATION * random_state.uniform())
        if worth > best:
            best, found = worth, (j, at)
    return found


def _middle(place: np.ndarray) -> int | None:
    """Find the value nearest to the middle at which a part can be cut."""
    values, counts = np.unique(place, return_counts=True)
    if len(values) < 2:
        return None
    before = np.cumsum(counts)[:-1]
    nearest = int(np.argmin(np.abs(before - len(place) / 2)))
    smaller = min(before[nearest], len(place) - before[nearest])
    return int(values[nearest + 1]) if smaller >= SMALLER * len(place) else None


def _pair_cost(columns: Any, codes: np.ndarray, sensitive: np.ndarray) -> float:
    """Compute what a record costs on average when two of some are joined."""
    from skanon.kernels.core.closures import close

    n_pairs = len(codes) // 2
    if n_pairs == 0:
        return 0.0
    labels = np.repeat(np.arange(n_pairs, dtype=np.int32), 2)
    paired = slice(0, 2 * n_pairs)
    _, cost = close(columns, codes[paired], sensitive[paired], labels, n_pairs)
    return float(cost.sum() / n_pairs)

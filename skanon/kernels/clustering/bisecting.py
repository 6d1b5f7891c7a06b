"""The inner loops of the clustering-based algorithm (CB): two-means in one group.

He et al., "Clustering-based k-anonymity", PAKDD 2012, section 3, figure 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import (
    OFFSET,
    PARENT,
    START,
    TOLERANCE,
    join,
    price_of,
    single,
)
from skanon.kernels.core.curve import entry
from skanon.kernels.core.rows import row_total, sensitive_of
from skanon.kernels.jit import helper, inlined, kernel

ON_LINE, IN_TREE, IN_PAIRS = range(3)


class Centers(NamedTuple):
    """The two halves of one group, their centers, and what is known about them.

    Rows are those of ``Columns.price``: column j's begin at its OFFSET.

    Attributes
    ----------
    form : int8 (r,)
        ON_LINE: the center is the mean of the places. Otherwise it is the shares of
        the values: IN_TREE those of a tree, IN_PAIRS others.
    span : float64 (r,)
        What the ends of a line are apart.
    place : float64 (n_rows,)
        Each code's place on the line, 0 to 1; NaN where it has none.
    size : int64 (2,)
        The halves' numbers of records.
    mix : int32 (2, n_sensitive)
        The same, by sensitive value.
    tally : int32 (2, n_rows)
        How many of their records have each code.
    seen : int32 (2, n_rows)
        The codes that they have, from OFFSET on.
    n_seen : int32 (2, r)
    placed, mean : float64 (2, r)
        The share of their records that have a place, and the mean of the places.
    below : int32 (2, n_rows)
        How many of their records are below each node of a tree.
    tilt : float64 (n_rows * n_sensitive,)
        By how much a code is farther from the first center, for each sensitive value.
    known : int64 (n_rows * n_sensitive,)
        When that was computed.
    clock : int64 (1,)
        The present.
    state, cost : int64 (2, width), float64 (2, r)
        Scratch.
    """

    form: np.ndarray
    span: np.ndarray
    place: np.ndarray
    size: np.ndarray
    mix: np.ndarray
    tally: np.ndarray
    seen: np.ndarray
    n_seen: np.ndarray
    placed: np.ndarray
    mean: np.ndarray
    below: np.ndarray
    tilt: np.ndarray
    known: np.ndarray
    clock: np.ndarray
    state: np.ndarray
    cost: np.ndarray


# ------------------------------------------------------------------------- centers


@kernel
def _tally(cols, codes, sensitive, centers, pool, half):
    """Count the codes of the halves; there were none."""
    layout, tally, seen, n_seen = (
        cols.layout,
        centers.tally,
        centers.seen,
        centers.n_seen,
    )
    size, mix = centers.size, centers.mix
    size[:] = 0
    mix[:] = 0
    n_seen[:] = 0
    for m in range(len(pool)):
        i, g = pool[m], half[m]
        size[g] += 1
        mix[g, sensitive_of(cols.curve, sensitive, i)] += 1
        for j in range(len(layout)):
            o = layout[j, OFFSET]
            x = codes[i, j]
            if tally[g, o + x] == 0:
                seen[g, o + n_seen[g, j]] = x
                n_seen[g, j] += 1
            tally[g, o + x] += 1


@kernel
def _clear(cols, centers):
    """Take all codes off the halves again."""
    for g in range(2):
        for j in range(len(cols.layout)):
            o = cols.layout[j, OFFSET]
            for q in range(centers.n_seen[g, j]):
                centers.tally[g, o + centers.seen[g, o + q]] = 0


@helper
def _count_below(cols, centers, j, g, sign):
    """Add the records of half g to their nodes and those above, or take them off."""
    layout, tree = cols.layout, cols.tree
    o, state = layout[j, OFFSET], centers.state
    for q in range(centers.n_seen[g, j]):
        x = centers.seen[g, o + q]
        single(layout, tree, j, x, state, 0)
        node = state[0, layout[j, START]]
        while node >= 0:
            centers.below[g, o + node] += sign * centers.tally[g, o + x]
            node = tree[o + node, PARENT]


@helper
def _average(layout, centers, j, g):
    """Compute the mean of the places of half g."""
    o = layout[j, OFFSET]
    total = 0.0
    placed = 0
    for q in range(centers.n_seen[g, j]):
        x = centers.seen[g, o + q]
        if not np.isnan(centers.place[o + x]):
            total += centers.tally[g, o + x] * centers.place[o + x]
            placed += centers.tally[g, o + x]
    centers.placed[g, j] = placed / centers.size[g]
    centers.mean[g, j] = total / max(placed, 1)


@helper
def _learn(cols, centers):
    """Compute the centers of the halves."""
    for g in range(2):
        for j in range(centers.form.shape[0]):
            if centers.form[j] == ON_LINE:
                _average(cols.layout, centers, j, g)
            elif centers.form[j] == IN_TREE:
                _count_below(cols, centers, j, g, 1)


@helper
def _unlearn(cols, centers):
    """Make the counts of the centers 0 again."""
    for g in range(2):
        for j in range(centers.form.shape[0]):
            if centers.form[j] == IN_TREE:
                _count_below(cols, centers, j, g, -1)


@helper
def _cost_in(cols, curve, j, c, state):
    """Return what column j of the state's row costs a record of sensitive c."""
    layout, price = cols.layout, cols.price
    if curve is None:
        cost = price_of(layout, price, j, state, 0)
    else:
        cost, _ = entry(layout, price, curve, j, state, 0, c)
    return cost


@helper
def _gap_in_tree(cols, curve, centers, j, x, c, g):
    """Return what the joins of a code with all of half g's cost on average.

    On the way to the root, each node joins it with those below that were not below
    the node before.
    """
    layout, tree = cols.layout, cols.tree
    o, s, state = layout[j, OFFSET], layout[j, START], centers.state
    single(layout, tree, j, x, state, 0)
    total = 0.0
    joined = 0
    node = state[0, s]
    while node >= 0:
        below = centers.below[g, o + node]
        if below > joined:
            state[0, s] = node
            total += (below - joined) * _cost_in(cols, curve, j, c, state)
            joined = below
        node = tree[o + node, PARENT]
    return total / centers.size[g]


@helper
def _gap_in_pairs(cols, curve, centers, j, x, c, g):
    """Return the same without a tree."""
    layout, tree = cols.layout, cols.tree
    o, state = layout[j, OFFSET], centers.state
    total = 0.0
    for q in range(centers.n_seen[g, j]):
        y = centers.seen[g, o + q]
        single(layout, tree, j, x, state, 0)
        join(layout, tree, j, y, state, 0)
        total += centers.tally[g, o + y] * _cost_in(cols, curve, j, c, state)
    return total / centers.size[g]


@helper
def _gap_on_line(layout, centers, j, x, g):
    """Return how far a code is from the mean of half g, in what the column can cost.

    What has no place is as far as can be from what has one.
    """
    place, placed = centers.place[layout[j, OFFSET] + x], centers.placed[g, j]
    if np.isnan(place):
        return centers.span[j] * placed
    gap = abs(place - centers.mean[g, j])
    return centers.span[j] * (placed * gap + 1.0 - placed)


@helper
def _tilt(cols, curve, centers, j, x, c):
    """Return by how much a code is farther from the first center."""
    tilt = 0.0
    for g in range(2):
        if centers.form[j] == ON_LINE:
            gap = _gap_on_line(cols.layout, centers, j, x, g)
        elif centers.form[j] == IN_TREE:
            gap = _gap_in_tree(cols, curve, centers, j, x, c, g)
        else:
            gap = _gap_in_pairs(cols, curve, centers, j, x, c, g)
        tilt += gap if g == 0 else -gap
    return tilt


# -------------------------------------------------------------------------- halves


@inlined
def _distribute(cols, codes, sensitive, centers, pool, side):
    """Put records into the half whose center is closer; return their tilts.

    Of equally close ones into the smaller half, and into the second of equal ones.
    """
    tilts = np.empty(len(pool))
    size = np.zeros(2, dtype=np.int64)
    layout, known, by_cell = cols.layout, centers.known, centers.tilt
    n_sensitive = centers.mix.shape[1]
    now = centers.clock[0]
    for m in range(len(pool)):
        i = pool[m]
        c = sensitive_of(cols.curve, sensitive, i)
        tilt = 0.0
        for j in range(len(layout)):
            x = codes[i, j]
            cell = (layout[j, OFFSET] + x) * n_sensitive + c
            if known[cell] != now:
                known[cell] = now
                by_cell[cell] = _tilt(cols, cols.curve, centers, j, x, c)
            tilt += by_cell[cell]
        tilts[m] = tilt
        if abs(tilt) <= TOLERANCE:
            side[m] = 0 if size[0] < size[1] else 1
        else:
            side[m] = 0 if tilt < 0 else 1
        size[side[m]] += 1
    return tilts


@inlined
def _adjust(side, tilts, k):
    """Give a half of fewer than k records those that tilt most towards it.

    The first of equals.
    """
    upper = side.sum()
    small = 1 if upper < k else 0
    lacking = k - (upper if small else len(side) - upper)
    if lacking <= 0:
        return
    donors = np.flatnonzero(side != small)
    towards = -tilts[donors] if small else tilts[donors]
    order = np.argsort(towards)
    begin = 0
    while lacking > 0:
        end = begin + 1
        while end < len(order):
            if towards[order[end]] - towards[order[end - 1]] > TOLERANCE:
                break
            end += 1
        for at in np.sort(order[begin:end])[:lacking]:
            side[donors[at]] = small
            lacking -= 1
        begin = end


@inlined
def _loss_of(cols, centers):
    """Sum up what the records of both halves pay."""
    layout, tree = cols.layout, cols.tree
    state, cost, mix = centers.state, centers.cost, centers.mix
    loss = 0.0
    for g in range(2):
        for j in range(len(layout)):
            seen = centers.seen[g, layout[j, OFFSET] :]
            single(layout, tree, j, seen[0], state, g)
            for q in range(1, centers.n_seen[g, j]):
                join(layout, tree, j, seen[q], state, g)
        price_row(cols, cols.curve, state, cost, mix, g)
        loss += centers.size[g] * row_total(cols.curve, cost, mix, g)
    return loss


@kernel
def bisect(
    cols, codes, sensitive, centers, members, start, chosen, k, first, half, lost
):
    """Do one round of two-means in some groups.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    centers : Centers
        Its counts are 0 before and after.
    members : int32 (n,)
        The records, group by group, each group's in random order.
    start : int64 (n_groups + 1,)
        Where each group begins.
    chosen : int64 (n_chosen,)
        The groups, of at least 2 k records each.
    k : int
    first : bool
        Whether this is the first round: the centers are the groups' first two records.
        Later they are those of the halves of the round before.
    half : int8 (n,)
        Each record's half, 0 or 1: of the round before, then of this round.
    lost : float64 (n_groups,)
        What the halves of this round lose, summed over the records.
    """
    for g in chosen:
        pool = members[start[g] : start[g + 1]]
        centers.clock[0] += 1
        side = np.empty(len(pool), dtype=np.int8)
        if first:
            side[0], side[1] = 0, 1
        else:
            side[:] = half[pool]
        _tally(cols, codes, sensitive, centers, pool[:2] if first else pool, side)
        _learn(cols, centers)
        tilts = _distribute(cols, codes, sensitive, centers, pool, side)
        _unlearn(cols, centers)
        _clear(cols, centers)
        _adjust(side, tilts, k)
        half[pool] = side
        _tally(cols, codes, sensitive, centers, pool, side)
        lost[g] = _loss_of(cols, centers)
        _clear(cols, centers)

"""Generalized records that cover at least k records, walked depth first.

A column's *generalization levels* are nested blocks of its values, from single values
up to all of them. The walk chooses a level for column after column; records that are in
the same blocks so far form a *set*. It leaves sets of fewer than k records, and sets in
which no record can pay less than it has been found to pay elsewhere. In a set, records
that do not differ in the columns to come are one: that keeps sets small.

A block of a tree is a permissible subset, and has its cost. Of intervals and sets the
walk only knows whether they are single values; others leave the column *open*. When all
levels are chosen, the set's records tell what the open columns cost at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.bounds.neighbours import kth_nearest, plant
from skanon.kernels.bounds.sorting import compare_rows, sort_set
from skanon.kernels.bounds.windows import least_open_costs
from skanon.kernels.core.columns import FORM, INTERVAL, TOLERANCE
from skanon.kernels.jit import helper, inlined, kernel


class Levels(NamedTuple):
    """All columns' generalization levels; column 0 is walked first.

    A column's values are *items*: a code, with a sensitive value where costs depend on
    it. Values that no k records can tell apart are one item. Items are numbered so
    that those of a block follow each other; those of different columns differ.

    Attributes
    ----------
    column : int32 (r,)
        Which column of ``kernels.columns.Columns`` it is.
    n_levels : int32 (r,)
    opens : int32 (r,)
        From this level on the column stays open: 0 or 1, or ``n_levels`` for trees.
    code, sensitive : int32 (n_items,)
        ``sensitive`` as ``kernels.curve.entry`` takes it.
    block : int32 (n_items, most_levels)
        The number of the item's block on each level.
    cost : float64 (n_items, most_levels)
        What the item pays on a level, at least where the column is open. Infinite where
        fewer than k records are in the block, or the level below has the same block.
    least : float64 (n_items,)
        The least of ``cost``.
    """

    column: np.ndarray
    n_levels: np.ndarray
    opens: np.ndarray
    code: np.ndarray
    sensitive: np.ndarray
    block: np.ndarray
    cost: np.ndarray
    least: np.ndarray


class Walk(NamedTuple):
    """A walk that can be interrupted: for each depth the set that was entered.

    Attributes
    ----------
    rep, weight : int32 (r + 1, n)
        The set's different records: one of those that are alike, and their number.
    beat : float64 (r + 1, n)
        The columns to come are of interest only if they cost less.
    found : float64 (r + 1, n)
        The least that the columns to come have been found to cost.
    more : float64 (r + 1, n)
        What open columns cost at least in this set, more than has been counted.
    into : int32 (r + 1, n)
        Which record of the set one deeper each became.
    length, at, level, start, stop : int64 (r + 1,)
        The number of records; where the next run begins; the level; and the ends of the
        run that has been entered.
    depth : int64 (1,)
        Below 0 at the end.
    """

    rep: np.ndarray
    weight: np.ndarray
    beat: np.ndarray
    found: np.ndarray
    more: np.ndarray
    into: np.ndarray
    length: np.ndarray
    at: np.ndarray
    level: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    depth: np.ndarray


class Scratch(NamedTuple):
    """Room to work in.

    Attributes
    ----------
    order, spare : int32 (n,)
        Places in a set while it is sorted.
    ends : int32 (n + 1,)
        Where sorted runs end.
    keys : int32 (r + 1,)
        The columns that a set's records can differ in.
    base : float64 (n, n_open)
        What a set's records pay at least, by open column.
    """

    order: np.ndarray
    spare: np.ndarray
    ends: np.ndarray
    keys: np.ndarray
    base: np.ndarray


def start_walk(weight, r, n_open):
    """Make the walk of a table's different records, and room for it.

    Parameters
    ----------
    weight : int32 (n,)
        How often each record occurs; the records are sorted.
    r, n_open : int
        The number of columns, and of those that can be open.
    """
    n = len(weight)
    rep, weights, into = np.zeros((3, r + 1, n), dtype=np.int32)
    length, at, level, start, stop = np.zeros((5, r + 1), dtype=np.int64)
    walk = Walk(
        rep=rep,
        weight=weights,
        beat=np.full((r + 1, n), np.inf),
        found=np.full((r + 1, n), np.inf),
        more=np.zeros((r + 1, n)),
        into=into,
        length=length,
        at=at,
        level=level,
        start=start,
        stop=stop,
        depth=np.zeros(1, dtype=np.int64),
    )
    walk.rep[0] = np.arange(n)
    walk.weight[0] = weight
    walk.length[0] = n
    order, spare = np.zeros((2, n), dtype=np.int32)
    scratch = Scratch(
        order=order,
        spare=spare,
        ends=np.zeros(n + 1, dtype=np.int32),
        keys=np.zeros(r + 1, dtype=np.int32),
        base=np.zeros((n, n_open)),
    )
    return walk, scratch


@kernel
def resume(cols, levels, item, rest, walk, scratch, nearby, k, quota, search):
    """Walk on until all is seen, or more than ``quota`` has been done.

    Parameters
    ----------
    cols : Columns
    levels : Levels
    item : int32 (n, r)
        The table's different records, sorted.
    rest : float64 (n, r + 1)
        The least that each record pays for all columns from the given one on.
    walk : Walk
    scratch : Scratch
    nearby : tuple of kernels.neighbours.Trie and Nearest, kernels.windows.Counts
    k, quota : int
    search : bool
        Whether to search for neighbours in open columns; without, the bound is lower.

    Returns
    -------
    int
        What has been done: about the number of records looked at.
    """
    r = item.shape[1]
    done = 0
    while walk.depth[0] >= 0 and done <= quota:
        d = walk.depth[0]
        if d == r:
            done += _search(
                cols, cols.curve, levels, item, walk, scratch, nearby, k,
                quota - done, search,
            )  # fmt: skip
            if walk.at[r] == walk.length[r]:
                _leave(levels, item, walk)
            continue
        total = _next_run(levels, item, walk, d)
        if total < 0:
            _leave(levels, item, walk)
            continue
        done += walk.stop[d] - walk.start[d]
        if total >= k and _can_improve(levels, item, rest, walk, d):
            done += _enter(levels, item, walk, scratch, d)
            steps, alive = _bound_open(
                cols,
                cols.curve,
                levels,
                item,
                rest,
                walk,
                scratch,
                nearby[2],
                d + 1,
                k,
            )
            done += steps
            if not alive:
                _leave(levels, item, walk)
    return done


@inlined
def _next_run(levels, item, walk, d):
    """Find the next block's records; return their number, or -1 if there is none."""
    n_levels, block = levels.n_levels, levels.block
    rep, weight, length, at = walk.rep, walk.weight, walk.length, walk.at
    level, start, stop = walk.level, walk.start, walk.stop
    if at[d] >= length[d]:
        level[d] += 1
        at[d] = 0
        if level[d] >= n_levels[d]:
            return -1
    t = level[d]
    p = at[d]
    here = block[item[rep[d, p], d], t]
    start[d] = p
    total = 0
    while p < length[d] and block[item[rep[d, p], d], t] == here:
        total += weight[d, p]
        p += 1
    stop[d] = p
    at[d] = p
    return total


@helper
def _can_improve(levels, item, rest, walk, d):
    """Tell whether any record of the run can be found to pay less there."""
    opens, block, cost = levels.opens, levels.block, levels.cost
    rep, beat, found, more, level = (
        walk.rep,
        walk.beat,
        walk.found,
        walk.more,
        walk.level,
    )
    start, stop = walk.start, walk.stop
    t = level[d]
    a = start[d]
    b = stop[d]
    x = item[rep[d, a], d]
    y = item[rep[d, b - 1], d]
    # the same set has been looked at on the level below
    again = 0 < t < opens[d] and block[x, t - 1] == block[y, t - 1]
    for p in range(a, b):
        x = item[rep[d, p], d]
        if again and cost[x, t] >= cost[x, t - 1]:
            continue
        least = cost[x, t] + rest[rep[d, p], d + 1] + more[d, p]
        if least + TOLERANCE < min(beat[d, p], found[d, p]):
            return True
    return False


@helper
def _enter(levels, item, walk, scratch, d):
    """Make the run the set one deeper; records that are alike there become one."""
    cost = levels.cost
    rep, weight, beat, found = walk.rep, walk.weight, walk.beat, walk.found
    into, length, at, level = walk.into, walk.length, walk.at, walk.level
    start, stop, depth = walk.start, walk.stop, walk.depth
    order, keys = scratch.order, scratch.keys
    e = d + 1
    t = level[d]
    m = stop[d] - start[d]
    n_keys = _open_columns(levels, walk, scratch, e, item.shape[1])
    for s in range(m):
        order[s] = start[d] + s
    if item[rep[d, start[d]], d] != item[rep[d, stop[d] - 1], d]:
        # else the records are in order already
        sort_set(item, rep, d, scratch, n_keys, m)
    q = -1
    for s in range(m):
        p = order[s]
        i = rep[d, p]
        if q < 0 or compare_rows(item, keys, n_keys, rep[e, q], i) != 0:
            q += 1
            rep[e, q] = i
            weight[e, q] = 0
            beat[e, q] = -np.inf
            found[e, q] = np.inf
        weight[e, q] += weight[d, p]
        if cost[item[i, d], t] < np.inf:
            most = min(beat[d, p], found[d, p]) - cost[item[i, d], t]
            beat[e, q] = max(beat[e, q], most)
        into[d, p] = q
    length[e] = q + 1
    at[e] = 0
    level[e] = 0
    depth[0] = e
    return m


@helper
def _leave(levels, item, walk):
    """Go one up, with what has been found."""
    cost = levels.cost
    rep, found, into, level = walk.rep, walk.found, walk.into, walk.level
    start, stop, depth = walk.start, walk.stop, walk.depth
    depth[0] -= 1
    d = depth[0]
    if d < 0:
        return
    for p in range(start[d], stop[d]):
        paid = cost[item[rep[d, p], d], level[d]] + found[d + 1, into[d, p]]
        found[d, p] = min(found[d, p], paid)


@helper
def _open_columns(levels, walk, scratch, e, r):
    """List the columns in which records at depth e can differ; return their number."""
    opens = levels.opens
    level = walk.level
    keys = scratch.keys
    n_keys = 0
    for j in range(e, r):
        keys[n_keys] = j
        n_keys += 1
    for j in range(e - 1, -1, -1):
        if level[j] >= opens[j]:
            keys[n_keys] = j
            n_keys += 1
    return n_keys


# ---------------------------------------------------------------------- open columns


@inlined
def _bound_open(cols, curve, levels, item, rest, walk, scratch, counts, d, k):
    """Bound each open column of the set at depth d by itself.

    Returns
    -------
    int
        The number of steps.
    bool
        Whether any record can still be found to pay less.
    """
    opens, cost = levels.opens, levels.cost
    rep, weight, beat, more = walk.rep, walk.weight, walk.beat, walk.more
    length, level = walk.length, walk.level
    order, keys, base = scratch.order, scratch.keys, scratch.base
    r = item.shape[1]
    m = length[d]
    for q in range(m):
        more[d, q] = 0.0
    if d < r:
        return 0, True
    n_keys = _open_columns(levels, walk, scratch, d, r)
    steps = 0
    for c in range(r - d, n_keys):
        j = keys[c]
        for s in range(m):
            order[s] = s
        keys[0], keys[c] = keys[c], keys[0]
        sort_set(item, rep, d, scratch, 1, m)
        keys[0], keys[c] = keys[c], keys[0]
        steps += least_open_costs(
            cols, curve, levels, item, rep, weight, d, order, m, j, level[j],
            1 + opens[j], k, counts,
        )  # fmt: skip
        a = 0
        for s in range(m):
            q = order[s]
            x = item[rep[d, q], j]
            if counts.item[a] != x:
                a += 1
            base[q, c - r + d] = counts.least[a]
            more[d, q] += counts.least[a] - cost[x, level[j]]
    alive = False
    for q in range(m):
        if more[d, q] + rest[rep[d, q], d] + TOLERANCE < beat[d, q]:
            alive = True
            break
    return steps, alive


@inlined
def _search(cols, curve, levels, item, walk, scratch, nearby, k, quota, search):
    """Find what the last set's records pay at least in the open columns."""
    trie, nearest, _ = nearby
    rep, weight, beat, found = walk.rep, walk.weight, walk.beat, walk.found
    more, length, at = walk.more, walk.length, walk.at
    keys, base = scratch.keys, scratch.base
    layout = cols.layout
    r = item.shape[1]
    n_open = _open_columns(levels, walk, scratch, r, r)
    if n_open == 0 or (
        n_open == 1 and layout[levels.column[keys[0]], FORM] == INTERVAL
    ):
        search = False  # the windows of one interval tell all
    if search and at[r] == 0:
        plant(item, rep, weight, r, length[r], keys, n_open, trie, nearest)
    steps = 0
    while at[r] < length[r]:
        q = at[r]
        at[r] += 1
        steps += 1
        if more[r, q] + TOLERANCE < beat[r, q]:
            found[r, q] = more[r, q]
            if search:
                found[r, q], seen = kth_nearest(
                    cols, curve, levels, item, rep[r, q], base, q, k, more[r, q],
                    beat[r, q], trie, nearest,
                )  # fmt: skip
                steps += seen
        if steps > quota:
            break
    return steps

"""Permissible subsets and their costs, as kernels see them.

A permissible subset of one column is a *state*: a node of a tree, a pair of codes, or
a bit set. A generalized record is a row of states, side by side. Costs are those that
one record pays; they are weighted, so that a record's columns simply add up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper, kernel

TREE, INTERVAL, SUBSET = 0, 1, 2
FORM, START, OFFSET, N_CODES, MISSING, WIDTH, TOP, FLAT = range(8)
PARENT, FIRST, LAST = range(3)
HIGH, LOW = range(2)


class Columns(NamedTuple):
    """All columns' permissible subsets and costs, in three flat arrays.

    There are few arrays, each handed on by itself, because compiled code that reaches
    for arrays inside of tuples is many times slower.

    Attributes
    ----------
    layout : int32 (r, 8)
        Column j's FORM; its state is ``row[START:START + WIDTH]``; its rows in the
        arrays below begin at OFFSET, and the row OFFSET + TOP has the price of the
        subset that covers everything; it has N_CODES values, the missing one being
        MISSING (-1: it has none). FLAT is 1 for a tree that is just a root with leaves.
    tree : int32 (n_rows, 3)
        Trees have a row for each node: its PARENT, and the FIRST and LAST of the codes
        that it covers. The root's FIRST is -1, the code of an unknown value.
    price : float64 (n_rows, 2)
        A tree's node costs its HIGH. Intervals and sets have a row for each code: an
        interval costs the HIGH of its high end less the LOW of its low end, a set the
        sum of its members' HIGH less the LOW of any of them.
    """

    layout: np.ndarray
    tree: np.ndarray
    price: np.ndarray


@helper
def rise(layout, tree, price, j, state, h, cost, x):
    """Return by how much the cost of column j of row h rises if it covers x as well.

    Parameters
    ----------
    layout, tree, price : arrays
        See :class:`Columns`.
    j : int
        The column.
    state : int64 (n_rows, width)
    h : int
        The row.
    cost : float64 (n_rows, r)
        What the rows cost now.
    x : int
        A code.
    """
    s = layout[j, START]
    o = layout[j, OFFSET]
    low = state[h, s]
    if layout[j, FLAT]:
        if low == x or low == layout[j, TOP]:
            return 0.0
        return price[o + layout[j, TOP], HIGH] - cost[h, j]
    if layout[j, FORM] == TREE:
        if low == x or tree[o + low, FIRST] <= x <= tree[o + low, LAST]:
            return 0.0
        node = tree[o + low, PARENT]
        while not (tree[o + node, FIRST] <= x <= tree[o + node, LAST]):
            node = tree[o + node, PARENT]
        return price[o + node, HIGH] - cost[h, j]
    if layout[j, FORM] == INTERVAL:
        high = state[h, s + 1]
        if low < 0 or low <= x <= high:
            return 0.0
        if x < 0 or x == layout[j, MISSING] or low == layout[j, MISSING]:
            return price[o + layout[j, TOP], HIGH] - cost[h, j]
        return price[o + max(x, high), HIGH] - price[o + min(x, low), LOW] - cost[h, j]
    if x >= 0 and (state[h, s + x // 64] >> np.int64(x % 64)) & 1:
        return 0.0
    if _becomes_all(layout, j, state, h, x):
        return price[o + layout[j, TOP], HIGH] - cost[h, j]
    return price[o + x, HIGH]


@helper
def record_rise(cols, x, state, h, cost, bound):
    """Return by how much the record x raises what a record of row h pays.

    Columns are added one at a time; once the bound is reached, the rest is left out.
    """
    layout, tree, price = cols
    summed = 0.0
    for j in range(x.shape[0]):
        summed += rise(layout, tree, price, j, state, h, cost, x[j])
        if summed >= bound:
            break
    return summed


@helper
def state_width(cols):
    """Return how many integers a row of states has."""
    layout = cols.layout
    return layout[layout.shape[0] - 1, START] + layout[layout.shape[0] - 1, WIDTH]


@helper
def single(cols, j, x, state, h):
    """Write the state of column j that covers just the code x; return its cost."""
    layout, tree, price = cols
    s = layout[j, START]
    o = layout[j, OFFSET]
    if layout[j, FORM] == TREE:
        node = max(x, 0)
        while not (tree[o + node, FIRST] <= x <= tree[o + node, LAST]):
            node = tree[o + node, PARENT]
        state[h, s] = node
        return price[o + node, HIGH]
    if x < 0:
        return _open(cols, j, state, h)
    if layout[j, FORM] == INTERVAL:
        state[h, s] = x
        state[h, s + 1] = x
    else:
        for w in range(s, s + layout[j, WIDTH]):
            state[h, w] = 0
        state[h, s + x // 64] = np.int64(1) << np.int64(x % 64)
    return price[o + x, HIGH] - price[o + x, LOW]


@helper
def join(cols, j, x, state, h, cost):
    """Make column j of row h cover x as well; return what it costs then.

    ``cost`` (float64 (n_rows, r)) is what the rows cost now; it is only read.
    """
    layout, tree, price = cols
    s = layout[j, START]
    o = layout[j, OFFSET]
    low = state[h, s]
    if layout[j, FORM] == TREE:
        while not (tree[o + low, FIRST] <= x <= tree[o + low, LAST]):
            low = tree[o + low, PARENT]
        state[h, s] = low
        return price[o + low, HIGH]
    new = cost[h, j] + rise(layout, tree, price, j, state, h, cost, x)
    if layout[j, FORM] == INTERVAL:
        if low < 0 or low <= x <= state[h, s + 1]:
            return new
        if x < 0 or x == layout[j, MISSING] or low == layout[j, MISSING]:
            return _open(cols, j, state, h)
        state[h, s] = min(x, low)
        state[h, s + 1] = max(x, state[h, s + 1])
        return price[o + state[h, s + 1], HIGH] - price[o + state[h, s], LOW]
    if _becomes_all(layout, j, state, h, x):
        return _open(cols, j, state, h)
    state[h, s + x // 64] |= np.int64(1) << np.int64(x % 64)
    return new


@helper
def merge(cols, j, into, a, other, b):
    """Make column j of ``into[a]`` cover ``other[b]``, too; return what it costs."""
    layout, tree, price = cols
    s = layout[j, START]
    o = layout[j, OFFSET]
    low = into[a, s]
    more = other[b, s]
    if layout[j, FORM] == TREE:
        first = tree[o + more, FIRST]
        last = tree[o + more, LAST]
        while tree[o + low, FIRST] > first or tree[o + low, LAST] < last:
            low = tree[o + low, PARENT]
        into[a, s] = low
        return price[o + low, HIGH]
    missing = layout[j, MISSING]
    if layout[j, FORM] == INTERVAL:
        if low < 0 or more < 0 or (low == missing) != (more == missing):
            return _open(cols, j, into, a)
        into[a, s] = min(low, more)
        into[a, s + 1] = max(into[a, s + 1], other[b, s + 1])
        return price[o + into[a, s + 1], HIGH] - price[o + into[a, s], LOW]
    if missing >= 0:
        if _only(layout, j, into, a, missing) != _only(layout, j, other, b, missing):
            return _open(cols, j, into, a)
    for w in range(s, s + layout[j, WIDTH]):
        into[a, w] |= other[b, w]
    return _set_cost(cols, j, into, a)


@helper
def _open(cols, j, state, h):
    """Make an interval or a set cover everything; return what that costs."""
    layout, _, price = cols
    s = layout[j, START]
    n = layout[j, N_CODES]
    if layout[j, FORM] == INTERVAL:
        state[h, s] = -1
        state[h, s + 1] = n - 1
    else:
        for x in range(n):
            state[h, s + x // 64] |= np.int64(1) << np.int64(x % 64)
    return price[layout[j, OFFSET] + layout[j, TOP], HIGH]


@helper
def _only(layout, j, state, h, x):
    """Tell whether the set of column j is {x}."""
    s = layout[j, START]
    for w in range(layout[j, WIDTH]):
        bits = np.int64(1) << np.int64(x % 64) if w == x // 64 else np.int64(0)
        if state[h, s + w] != bits:
            return False
    return True


@helper
def _becomes_all(layout, j, state, h, x):
    """Tell whether a set that gains x must become everything.

    So it is with an unknown value, and where one of both is the missing value.
    """
    missing = layout[j, MISSING]
    if x < 0:
        return True
    return missing >= 0 and _only(layout, j, state, h, missing) != (x == missing)


@helper
def _set_cost(cols, j, state, h):
    layout, _, price = cols
    s = layout[j, START]
    o = layout[j, OFFSET]
    total = 0.0
    base = 0.0
    for w in range(layout[j, WIDTH]):
        bits = state[h, s + w]
        if bits == 0:
            continue
        for x in range(w * 64, min((w + 1) * 64, layout[j, N_CODES])):
            if (bits >> np.int64(x % 64)) & 1:
                total += price[o + x, HIGH]
                base = price[o + x, LOW]
    return total - base


@kernel
def close(cols, codes, labels, n_clusters):
    """Compute each cluster's closure and what a record pays for it, by column.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    labels : int32 (n,)
        Records labelled below 0 are in no cluster.
    n_clusters : int

    Returns
    -------
    state : int64 (n_clusters, width)
    cost : float64 (n_clusters, r)
    """
    n, r = codes.shape
    width = state_width(cols)
    state = np.zeros((n_clusters, width), dtype=np.int64)
    cost = np.zeros((n_clusters, r))
    seen = np.zeros(n_clusters, dtype=np.bool_)
    for i in range(n):
        h = labels[i]
        if h < 0:
            continue
        for j in range(r):
            if seen[h]:
                cost[h, j] = join(cols, j, codes[i, j], state, h, cost)
            else:
                cost[h, j] = single(cols, j, codes[i, j], state, h)
        seen[h] = True
    return state, cost

"""Permissible subsets and their costs, as kernels see them.

A permissible subset of one column is a *state*: a node of a tree, a pair of codes, or
a bit set. A generalized record is a row of states, side by side. Costs are those that
one record pays; they are weighted, so that a record's columns simply add up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper, inlined

TREE, INTERVAL, SUBSET = 0, 1, 2
FORM, START, OFFSET, N_CODES, MISSING, WIDTH, TOP, FLAT = range(8)
PARENT, FIRST, LAST = range(3)
HIGH, LOW = range(2)


TOLERANCE = 1e-12
"""Differences of loss below this are rounding, not improvement."""


class Columns(NamedTuple):
    """All columns' permissible subsets and costs, in a few flat arrays.

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
    curve : kernels.curve.Curve, or None
        None where that is all that there is to costs, and they only grow as subsets
        do.
    """

    layout: np.ndarray
    tree: np.ndarray
    price: np.ndarray
    curve: object


# ---------------------------------------------------------------------- subsets


@helper
def state_width(layout):
    """Return how many integers a row of states has."""
    return layout[layout.shape[0] - 1, START] + layout[layout.shape[0] - 1, WIDTH]


@helper
def single(layout, tree, j, x, state, h):
    """Write the state of column j that covers just the code x into row h."""
    s = layout[j, START]
    if layout[j, FORM] == TREE:
        o = layout[j, OFFSET]
        node = max(x, 0)
        while not (tree[o + node, FIRST] <= x <= tree[o + node, LAST]):
            node = tree[o + node, PARENT]
        state[h, s] = node
    elif x < 0:
        _open(layout, j, state, h)
    elif layout[j, FORM] == INTERVAL:
        state[h, s] = x
        state[h, s + 1] = x
    else:
        for w in range(s, s + layout[j, WIDTH]):
            state[h, w] = 0
        state[h, s + x // 64] = np.int64(1) << np.int64(x % 64)


@helper
def join(layout, tree, j, x, state, h):
    """Make column j of row h cover the code x as well."""
    s = layout[j, START]
    low = state[h, s]
    if layout[j, FORM] == TREE:
        o = layout[j, OFFSET]
        while not (tree[o + low, FIRST] <= x <= tree[o + low, LAST]):
            low = tree[o + low, PARENT]
        state[h, s] = low
    elif layout[j, FORM] == INTERVAL:
        if low < 0 or low <= x <= state[h, s + 1]:
            return
        if x < 0 or x == layout[j, MISSING] or low == layout[j, MISSING]:
            _open(layout, j, state, h)
            return
        state[h, s] = min(x, low)
        state[h, s + 1] = max(x, state[h, s + 1])
    elif x >= 0 and (state[h, s + x // 64] >> np.int64(x % 64)) & 1:
        return
    elif becomes_all(layout, j, state, h, x):
        _open(layout, j, state, h)
    else:
        state[h, s + x // 64] |= np.int64(1) << np.int64(x % 64)


@helper
def merge(layout, tree, j, into, a, other, b):
    """Make column j of ``into[a]`` cover ``other[b]``, too."""
    s = layout[j, START]
    low = into[a, s]
    more = other[b, s]
    missing = layout[j, MISSING]
    if layout[j, FORM] == TREE:
        o = layout[j, OFFSET]
        first = tree[o + more, FIRST]
        last = tree[o + more, LAST]
        while tree[o + low, FIRST] > first or tree[o + low, LAST] < last:
            low = tree[o + low, PARENT]
        into[a, s] = low
    elif layout[j, FORM] == INTERVAL:
        if low < 0 or more < 0 or (low == missing) != (more == missing):
            _open(layout, j, into, a)
            return
        into[a, s] = min(low, more)
        into[a, s + 1] = max(into[a, s + 1], other[b, s + 1])
    elif missing >= 0 and (
        _only(layout, j, into, a, missing) != _only(layout, j, other, b, missing)
    ):
        _open(layout, j, into, a)
    else:
        for w in range(s, s + layout[j, WIDTH]):
            into[a, w] |= other[b, w]


@helper
def copy_state(layout, j, state, h, into, a):
    """Copy column j of row h of ``state`` into row a of ``into``."""
    start = layout[j, START]
    for w in range(start, start + layout[j, WIDTH]):
        into[a, w] = state[h, w]


@helper
def same_state(layout, j, state, h, other, b):
    """Tell whether two rows have the same state in column j."""
    start = layout[j, START]
    for w in range(start, start + layout[j, WIDTH]):
        if state[h, w] != other[b, w]:
            return False
    return True


@inlined
def covers_all(layout, j, state, h):
    """Tell whether column j of row h covers everything."""
    s = layout[j, START]
    if layout[j, FORM] == TREE:
        return state[h, s] == layout[j, TOP]
    n = layout[j, N_CODES]
    if layout[j, FORM] == INTERVAL:
        return state[h, s] <= 0 and state[h, s + 1] == n - 1
    return state[h, s] & 1 == 1 and count_set(layout, j, state, h, n) == n


@helper
def becomes_all(layout, j, state, h, x):
    """Tell whether a set that gains x must become everything.

    So it is with an unknown value, and where one of both is the missing value.
    """
    missing = layout[j, MISSING]
    if x < 0:
        return True
    return missing >= 0 and _only(layout, j, state, h, missing) != (x == missing)


@helper
def _open(layout, j, state, h):
    """Make an interval or a set cover everything."""
    s = layout[j, START]
    n = layout[j, N_CODES]
    if layout[j, FORM] == INTERVAL:
        state[h, s] = -1
        state[h, s + 1] = n - 1
    else:
        for x in range(n):
            state[h, s + x // 64] |= np.int64(1) << np.int64(x % 64)


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
def count_set(layout, j, state, h, most):
    """Count the members of a set, at most so many."""
    s = layout[j, START]
    members = 0
    for w in range(layout[j, WIDTH]):
        bits = state[h, s + w]
        if bits == 0:
            continue
        for x in range(w * 64, min((w + 1) * 64, layout[j, N_CODES])):
            members += (bits >> np.int64(x % 64)) & 1
        if members >= most:
            return members
    return members


# ------------------------------------------------------------------------ prices


@helper
def price_of(layout, price, j, state, h):
    """Return what the price list says that column j of row h costs."""
    s = layout[j, START]
    o = layout[j, OFFSET]
    low = state[h, s]
    if layout[j, FORM] == TREE:
        return price[o + low, HIGH]
    if layout[j, FORM] == INTERVAL:
        if low < 0:
            return price[o + layout[j, TOP], HIGH]
        return price[o + state[h, s + 1], HIGH] - price[o + low, LOW]
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


@helper
def rise(layout, tree, price, j, state, h, cost, x):
    """Return by how much the price of column j of row h rises if it covers x as well.

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
    if becomes_all(layout, j, state, h, x):
        return price[o + layout[j, TOP], HIGH] - cost[h, j]
    return price[o + x, HIGH]

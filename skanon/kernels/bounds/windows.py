"""What a subset of one column costs at least if it covers k records of a set."""

from __future__ import annotations

from math import log2
from typing import NamedTuple

import numpy as np

from skanon.kernels.bounds.neighbours import pair_floor
from skanon.kernels.core.columns import (
    FORM,
    HIGH,
    INTERVAL,
    MISSING,
    N_CODES,
    OFFSET,
    START,
    TOP,
    TREE,
    price_of,
    single,
    state_width,
)
from skanon.kernels.core.curve import FLAT_COST, NONUNIFORM, SENSITIVE, entry, floor_of
from skanon.kernels.jit import helper, inlined, kernel


class Counts(NamedTuple):
    """How the records of a set are spread over the values of one column.

    Attributes
    ----------
    item : int32 (n,)
        The items that the set has, in their order.
    place : int32 (n,)
        Each item's value: its place among the present ones, or -1 if it is missing.
    least : float64 (n,)
        What each item pays at least.
    code, size : int32 (n,)
        The present values, and how many records have them.
    reach : int32 (n,)
        The first value that makes up k records with those from this one on; if there
        is none, the number of values.
    ranked : int32 (n,)
        The sizes in ascending order.
    n : int64 (2,)
        The number of items and of values.
    state : int64 (1, width)
    """

    item: np.ndarray
    place: np.ndarray
    least: np.ndarray
    code: np.ndarray
    size: np.ndarray
    reach: np.ndarray
    ranked: np.ndarray
    n: np.ndarray
    state: np.ndarray


def make_counts(n, width):
    """Make room for the values of n records."""
    item, place, code, size, reach, ranked = np.zeros((6, n), dtype=np.int32)
    pair = np.zeros(2, dtype=np.int64)
    state = np.zeros((1, width), dtype=np.int64)
    return Counts(
        item=item,
        place=place,
        least=np.zeros(n),
        code=code,
        size=size,
        reach=reach,
        ranked=ranked,
        n=pair,
        state=state,
    )


@inlined
def least_open_costs(
    cols, curve, levels, item, rep, weights, d, order, m, j, t, fewest, k, counts
):
    """Compute what each item of a set pays at least in an open column.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
    levels : kernels.bounds.Levels
    item : int32 (n, r)
    rep, weights : int32 (r + 1, n)
        Row d has the set's m records, and how many each stands for.
    d : int
    order : int32 (n,)
        The set's places, sorted by the items of column j.
    m, j, t : int
        t is the level of column j.
    fewest : {1, 2}
        So many values the subset must have.
    k : int
    counts : Counts
        ``item`` and ``least`` are the result.

    Returns
    -------
    int
        How many steps it took.
    """
    column, code, sensitive = levels.column, levels.code, levels.sensitive
    cost = levels.cost
    layout = cols.layout
    form = layout[column[j], FORM]
    missing = layout[column[j], MISSING]
    _count(code, missing, item, rep, weights, d, order, m, j, counts)
    if form == INTERVAL:
        _find_reach(k, counts)
    elif form != TREE:
        _rank(counts)
    steps = m
    for a in range(counts.n[0]):
        x = counts.item[a]
        u = counts.place[a]
        counts.least[a] = cost[x, t]
        if u < 0 or form == TREE:  # a missing value has nothing between it and all
            continue
        if form == INTERVAL:
            least, seen = _window(
                cols, curve, column[j], u, sensitive[x], fewest, counts
            )
            steps += seen
        else:
            least = _members(cols, curve, column[j], u, k, fewest, counts)
        counts.least[a] = max(least, cost[x, t])
    return steps


@helper
def _count(code, missing, item, rep, weights, d, order, m, j, counts):
    """List the items and the present values of a set."""
    items, place, codes, size = counts.item, counts.place, counts.code, counts.size
    n = counts.n
    n_items = 0
    n_values = 0
    for s in range(m):
        x = item[rep[d, order[s]], j]
        present = code[x] != missing
        if present and (n_values == 0 or codes[n_values - 1] != code[x]):
            codes[n_values] = code[x]
            size[n_values] = 0
            n_values += 1
        if n_items == 0 or items[n_items - 1] != x:
            items[n_items] = x
            place[n_items] = n_values - 1 if present else -1
            n_items += 1
        if present:
            size[n_values - 1] += weights[d, order[s]]
    n[0] = n_items
    n[1] = n_values


# ------------------------------------------------------------------------ intervals


@inlined
def _find_reach(k, counts):
    size, reach, n = counts.size, counts.reach, counts.n
    end = 0
    total = 0
    for u in range(n[1]):
        while end < n[1] and total < k:
            total += size[end]
            end += 1
        reach[u] = end - 1 if total >= k else n[1]
        total -= size[u]


@inlined
def _window(cols, curve, j, u, c, fewest, counts):
    """Return the floor of the cheapest interval around value u, and the steps."""
    layout = cols.layout
    code, reach, n, state = counts.code, counts.reach, counts.n, counts.state
    best = np.inf
    if layout[j, MISSING] >= 0:
        best = _interval_floor(cols, curve, j, -1, layout[j, N_CODES] - 1, c, state)
    low = u
    # further down, intervals only cost more
    while low >= 0:
        if _interval_floor(cols, curve, j, code[low], code[u], c, state) >= best:
            break
        if reach[low] < n[1]:
            high = code[max(reach[low], u)]
            if fewest == 2 and high == code[low]:
                floor = _step(cols, curve, j, high, c, state)
            else:
                floor = _interval_floor(cols, curve, j, code[low], high, c, state)
            best = min(best, floor)
        low -= 1
    return best, u - low


@helper
def _interval_floor(cols, curve, j, low, high, c, state):
    layout = cols.layout
    state[0, layout[j, START]] = low
    state[0, layout[j, START] + 1] = high
    return floor_of(cols, curve, j, state, 0, c)


# ----------------------------------------------------------------------------- sets


@inlined
def _rank(counts):
    """Sort the sizes with a heap."""
    size, ranked, n = counts.size, counts.ranked, counts.n
    for u in range(n[1]):
        ranked[u] = size[u]
    for u in range(n[1] // 2 - 1, -1, -1):
        _sift(ranked, u, n[1])
    for last in range(n[1] - 1, 0, -1):
        ranked[0], ranked[last] = ranked[last], ranked[0]
        _sift(ranked, 0, last)


@helper
def _sift(ranked, u, n):
    moved = ranked[u]
    while 2 * u + 1 < n:
        below = 2 * u + 1
        if below + 1 < n and ranked[below + 1] > ranked[below]:
            below += 1
        if ranked[below] <= moved:
            break
        ranked[u] = ranked[below]
        u = below
    ranked[u] = moved


@helper
def _members(cols, curve, j, u, k, fewest, counts):
    """Return what a set with value u costs at least, from how many members it needs."""
    layout, price = cols.layout, cols.price
    code, size, ranked, n = counts.code, counts.size, counts.ranked, counts.n
    total = size[u]
    members = 1
    own_is_to_come = True
    at = n[1] - 1
    while total < k and at >= 0:
        if own_is_to_come and ranked[at] == size[u]:
            own_is_to_come = False
        else:
            total += ranked[at]
            members += 1
        at -= 1
    members = max(members, fewest)
    o = layout[j, OFFSET]
    floor = (members - 1) * price[o + code[u], HIGH]
    if total < k:
        floor = price[o + layout[j, TOP], HIGH]
        members = layout[j, N_CODES]
    if curve is not None:
        floor += _curve_floor(layout, curve, j, code[u], k, members)
    return floor


@inlined
def _curve_floor(layout, curve, j, x, k, members):
    """Return the part of a set's floor that is no price."""
    mass, blend = curve.mass, curve.blend
    floor = 0.0
    if members > 1:
        floor += blend[j, FLAT_COST]
    if blend[j, NONUNIFORM] != 0.0:
        # the subset has at least k records of the whole table, too
        floor += blend[j, NONUNIFORM] * log2(max(mass[layout[j, OFFSET] + x, 0], k))
    return floor


# --------------------------------------------------------------------------- levels


@kernel
def price_levels(cols, j, code, sensitive, rare):
    """Compute what single values cost, and others at least: intervals or sets.

    Parameters
    ----------
    cols : Columns
    j : int
        The column.
    code, sensitive : int32 (n_items,)
    rare : int32 (2,)
        The two values that the fewest records have; a missing one is not rare.

    Returns
    -------
    float64 (n_items, 2)
        What the single value costs; a floor on all subsets with another value.
    """
    layout = cols.layout
    state = np.zeros((1, state_width(layout)), dtype=np.int64)
    result = np.zeros((code.shape[0], 2))
    for a in range(code.shape[0]):
        x = code[a]
        c = sensitive[a]
        result[a, 0] = _single(cols, cols.curve, j, x, c, state)[0]
        if layout[j, N_CODES] == 1:
            result[a, 1] = np.inf
        elif layout[j, FORM] == INTERVAL:
            result[a, 1] = _step(cols, cols.curve, j, x, c, state)
        else:
            other = rare[1] if x == rare[0] else rare[0]
            result[a, 1] = _second(cols, cols.curve, j, x, other, c, state)
    return result


@helper
def _single(cols, curve, j, x, c, state):
    """Return what a single value costs, and its floor."""
    layout, tree, price = cols.layout, cols.tree, cols.price
    single(layout, tree, j, x, state, 0)
    if curve is None:
        cost = price_of(layout, price, j, state, 0)
        return cost, cost
    return entry(layout, price, curve, j, state, 0, c)


@helper
def _step(cols, curve, j, x, c, state):
    """Return the floor of the least interval with x and another value."""
    layout = cols.layout
    found = np.inf
    if x > 0:
        found = pair_floor(cols, curve, j, x, x - 1, c, state)
    if x < layout[j, N_CODES] - 1:
        found = min(found, pair_floor(cols, curve, j, x, x + 1, c, state))
    return found


@helper
def _second(cols, curve, j, x, other, c, state):
    """Return the floor of a set with x and another value.

    All cost the same, or the one with the fewest records costs least. Only what
    depends on sensitive values can be lowest with another; that part stays x's own.
    """
    layout, price = cols.layout, cols.price
    if curve is not None and x != layout[j, MISSING]:
        if curve.blend[j, SENSITIVE] != 0.0:
            step = price[layout[j, OFFSET] + x, HIGH] + curve.blend[j, FLAT_COST]
            return _single(cols, curve, j, x, c, state)[1] + step
    return pair_floor(cols, curve, j, x, other, c, state)

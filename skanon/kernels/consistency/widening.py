"""Widening released records, so that originals are consistent with enough of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.consistency.expansion import insert
from skanon.kernels.core.columns import (
    FIRST,
    FORM,
    INTERVAL,
    LAST,
    OFFSET,
    START,
    TOLERANCE,
    TREE,
    copy_state,
    join,
    price_of,
    rise,
    same_state,
)
from skanon.kernels.core.curve import entry
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import helper, inlined, kernel


class Rows(NamedTuple):
    """What the released records cost.

    Attributes
    ----------
    cost : float64 (n, r)
        What each record pays, by column.
    slack : float64 (n, r + 1)
        ``slack[h, q]`` is by how much the columns from the q-th of the order on can
        get cheaper at most, when the row covers more.
    scratch : int64 (1, width)
    """

    cost: np.ndarray
    slack: np.ndarray
    scratch: np.ndarray


def price_rows(cols, sensitive, order, state):
    """Price the released records, one row for each."""
    n, width = state.shape
    r = len(order)
    scratch = np.zeros((1, width), dtype=np.int64)
    rows = Rows(np.zeros((n, r)), np.zeros((n, r + 1)), scratch)
    _price_all(cols, sensitive, order, state, rows)
    return rows


@kernel
def _price_all(cols, sensitive, order, state, rows):
    for h in range(state.shape[0]):
        reprice_row(cols, cols.curve, sensitive, order, state, rows, h)


@helper
def reprice_row(cols, curve, sensitive, order, state, rows, h):
    """Compute what row h costs anew, column by column."""
    layout, price = cols.layout, cols.price
    cost, slack = rows.cost, rows.slack
    c = sensitive_of(curve, sensitive, h)
    for q in range(order.shape[0] - 1, -1, -1):
        j = order[q]
        if curve is None:
            cost[h, j] = price_of(layout, price, j, state, h)
        else:
            paid, floor = entry(layout, price, curve, j, state, h, c)
            cost[h, j] = paid
            slack[h, q] = slack[h, q + 1] + max(paid - floor, 0.0)


@inlined
def covers(layout, tree, j, state, h, x):
    """Tell whether column j of row h covers the code x."""
    s = layout[j, START]
    low = state[h, s]
    if layout[j, FORM] == TREE:
        o = layout[j, OFFSET]
        return tree[o + low, FIRST] <= x <= tree[o + low, LAST]
    if layout[j, FORM] == INTERVAL:
        return low < 0 or low <= x <= state[h, s + 1]
    return (state[h, s + x // 64] >> np.int64(x % 64)) & 1 == 1


@helper
def is_consistent(layout, tree, order, x, state, h):
    """Tell whether row h generalizes the record x."""
    for q in range(order.shape[0]):
        j = order[q]
        if not covers(layout, tree, j, state, h, x[j]):
            return False
    return True


@helper
def widening_rise(cols, curve, order, x, c, state, h, rows, bound):
    """Return what row h costs more if it generalizes x; or what is no less than bound.

    ``c`` is the sensitive value of the row's own record.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    cost, slack, scratch = rows
    total = 0.0
    for q in range(order.shape[0]):
        j = order[q]
        if curve is None:
            total += rise(layout, tree, price, j, state, h, cost, x[j])
        else:
            copy_state(layout, j, state, h, scratch, 0)
            join(layout, tree, j, x[j], scratch, 0)
            if not same_state(layout, j, scratch, 0, state, h):
                paid = entry(layout, price, curve, j, scratch, 0, c)[0]
                total += paid - cost[h, j]
        if total - slack[h, q + 1] >= bound:
            return np.inf
    return total


@inlined
def _farthest(cols, sensitive, order, x, state, rows, wanted, near, weight):
    """Find what the dearest of so many cheapest rows costs more."""
    layout, tree = cols.layout, cols.tree
    held = 0
    total = 0
    for h in range(state.shape[0]):
        bound = near[held - 1] if total >= wanted else np.inf
        c = sensitive_of(cols.curve, sensitive, h)
        paid = widening_rise(cols, cols.curve, order, x, c, state, h, rows, bound)
        if paid < bound and not is_consistent(layout, tree, order, x, state, h):
            held, total = insert(near, weight, held, total, paid, 1, wanted)
    return near[held - 1]


@inlined
def _widen_rows(cols, sensitive, kinds, x, state, rows, wanted, reach):
    """Widen the rows that cost less than ``reach`` more, then those at it."""
    layout, tree = cols.layout, cols.tree
    order = kinds.order
    count = 0
    for at_reach in range(2):
        for h in range(state.shape[0]):
            if count == wanted:
                return
            bound = reach + 2 * TOLERANCE
            c = sensitive_of(cols.curve, sensitive, h)
            paid = widening_rise(cols, cols.curve, order, x, c, state, h, rows, bound)
            nearer = paid < reach - TOLERANCE
            if nearer != (at_reach == 0) or paid > reach + TOLERANCE:
                continue
            if is_consistent(layout, tree, order, x, state, h):
                continue
            for j in range(x.shape[0]):
                join(layout, tree, j, x[j], state, h)
            reprice_row(cols, cols.curve, sensitive, order, state, rows, h)
            count += 1


@kernel
def upgrade(cols, codes, sensitive, kinds, k, state, rows, start, stop):
    """Widen released records until each original is consistent with k of them.

    Section V-B, Algorithm 5. Of rows that cost equally more the first ones are
    widened. Equal originals need one visit: what is consistent with an original stays
    so.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
        The originals.
    sensitive : int32 (n,)
    kinds : Kinds
        Those from ``start`` on and before ``stop`` are visited.
    k : int
        At most n.
    state : int64 (n, width)
        A row for each record, that generalizes it; changed in place.
    rows : Rows
        From ``price_rows``; kept up to date.
    start, stop : int

    Returns
    -------
    n_widened : int
        How many times a row was widened.
    """
    layout, tree = cols.layout, cols.tree
    near = np.zeros(k + 1)
    weight = np.zeros(k + 1, dtype=np.int64)
    n_widened = 0
    for v in range(start, stop):
        x = codes[kinds.first[v]]
        wanted = k
        for h in range(state.shape[0]):
            if is_consistent(layout, tree, kinds.order, x, state, h):
                wanted -= 1
                if wanted == 0:
                    break
        if wanted > 0:
            reach = _farthest(
                cols, sensitive, kinds.order, x, state, rows, wanted, near, weight
            )
            _widen_rows(cols, sensitive, kinds, x, state, rows, wanted, reach)
            n_widened += wanted
    return n_widened

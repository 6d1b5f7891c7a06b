"""Which published class a record costs least in."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.columns import TOLERANCE, copy_state, join, rise
from skanon.kernels.core.curve import entry, floor_of
from skanon.kernels.jit import helper, kernel


@helper
def _least_costs(cols, curve, state, cost, h):
    """Write what row h, and any state that covers it, costs at least, by column."""
    c = _unknown(curve)
    total = 0.0
    for j in range(cost.shape[1]):
        cost[h, j] = floor_of(cols, curve, j, state, h, c)
        total += cost[h, j]
    return total


@helper
def _unknown(curve):
    """Return the sensitive value that stands for one that is not known."""
    if curve is None:
        return 0
    n_sensitive = curve.whole.shape[1] - 1
    return n_sensitive if n_sensitive > 1 else 0


@helper
def _paid(cols, curve, x, state, cost, total, h, limit, scratch):
    """Return what the class h costs with x, or something above the limit."""
    layout, tree, price = cols.layout, cols.tree, cols.price
    paid = total[h]
    for j in range(x.shape[0]):
        if paid > limit:
            break
        if curve is None:
            paid += rise(layout, tree, price, j, state, h, cost, x[j])
        else:
            copy_state(layout, j, state, h, scratch, 0)
            join(layout, tree, j, x[j], scratch, 0)
            c = _unknown(curve)
            paid += entry(layout, price, curve, j, scratch, 0, c)[0] - cost[h, j]
    return paid


@helper
def _cheapest(cols, curve, x, state, cost, total, order, guess, scratch):
    """Find the class that costs x least; the first of equals.

    The sum starts with what the class, and whatever covers it, costs at least, so that
    it is given up early, and all that cost more alone are not looked at.
    """
    found = guess
    least = _paid(cols, curve, x, state, cost, total, guess, np.inf, scratch)
    for h in order:
        limit = least + TOLERANCE
        if total[h] > limit:
            break
        paid = _paid(cols, curve, x, state, cost, total, h, limit, scratch)
        if paid < least - TOLERANCE or (paid <= limit and h < found):
            least = min(paid, least)
            found = h
    return found


@kernel
def assign(cols, curve, codes, state):
    """Find, for each record, the class whose closure with it costs it least.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    codes : int32 (n, r)
        The records; -1 for values that were not known when the classes were made. It is
        quick where like records follow each other: what the one before has found tells
        early what is too dear.
    state : int64 (n_classes, width)
        The classes' closures.

    Returns
    -------
    int64 (n,)
    """
    cost = np.zeros((state.shape[0], codes.shape[1]))
    total = np.zeros(state.shape[0])
    for h in range(state.shape[0]):
        total[h] = _least_costs(cols, curve, state, cost, h)
    order = np.argsort(total)
    scratch = np.zeros((1, state.shape[1]), dtype=np.int64)
    labels = np.empty(codes.shape[0], dtype=np.int64)
    found = 0
    for i in range(codes.shape[0]):
        found = _cheapest(
            cols, curve, codes[i], state, cost, total, order, found, scratch
        )
        labels[i] = found
    return labels

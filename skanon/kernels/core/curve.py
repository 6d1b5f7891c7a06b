"""Costs that depend on how frequent values are, and on the sensitive value.

Such costs may fall as a subset grows, so a search cannot rely on what a cluster costs
now. It relies on *floors*: what a subset, and whatever contains it, costs at least.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    FORM,
    INTERVAL,
    N_CODES,
    OFFSET,
    PARENT,
    START,
    TREE,
    WIDTH,
    count_set,
    price_of,
)
from skanon.kernels.jit import helper, inlined, kernel

NONUNIFORM, ENTROPY, SENSITIVE, FLAT_COST = range(4)
COUNT, PLOG, FIRST_SENSITIVE = range(3)


class Curve(NamedTuple):
    """What costs consist of, beside the price list.

    A record's *sensitive* is the number of its sensitive value; n_sensitive is 1 where
    costs do not depend on it. The sensitive n_sensitive stands for a value that is not
    known: its cost is what the records of the subset pay on average.

    Attributes
    ----------
    table : float64 (n_rows, n_sensitive + 1)
        What a tree's node costs a record, by its sensitive value.
    floor : float64 (n_rows, n_sensitive + 1)
        The least that the node or any node above it costs.
    mass : float64 (n_rows, 2 + n_sensitive)
        For each value of a set's column: the number of records that have it, n; n log2
        n; and their numbers by sensitive value. For intervals, the sums of those before
        the value.
    blend : float64 (r, 4)
        For intervals and sets: what is added to the price, with n, T and n_c the sums
        of the masses over the subset. NONUNIFORM times log2 n; ENTROPY times
        log2 n - T / n; SENSITIVE times log2 (n / n_c); FLAT_COST where there is more
        than one value.
    whole : float64 (r, 1 + n_sensitive)
        The sums of COUNT and of each sensitive value over the whole column.
    penalty : float64 (1,)
        What a record pays whose sensitive value is not the most frequent in its
        cluster.
    """

    table: np.ndarray
    floor: np.ndarray
    mass: np.ndarray
    blend: np.ndarray
    whole: np.ndarray
    penalty: np.ndarray


@helper
def entry(layout, price, curve, j, state, h, c):
    """Return what column j of row h costs a record of sensitive c, and the floor of it.

    The floor is a lower bound of what it, and any state that covers it, costs.
    """
    table, floor, blend, whole = curve.table, curve.floor, curve.blend, curve.whole
    s = layout[j, START]
    o = layout[j, OFFSET]
    if layout[j, FORM] == TREE:
        return table[o + state[h, s], c], floor[o + state[h, s], c]
    cost = price_of(layout, price, j, state, h)
    if blend[j, FLAT_COST] != 0.0 and not _is_single(layout, j, state, h):
        cost += blend[j, FLAT_COST]
    least = cost
    n = _mass(layout, curve, j, state, h, COUNT)
    if blend[j, NONUNIFORM] != 0.0:
        cost += blend[j, NONUNIFORM] * log2(n)
        least = cost  # it only grows
    if blend[j, ENTROPY] != 0.0:
        plog = _mass(layout, curve, j, state, h, PLOG)
        # n H(n) only grows
        cost += blend[j, ENTROPY] * max(log2(n) - plog / n, 0.0)
        least += blend[j, ENTROPY] * max(n * log2(n) - plog, 0.0) / whole[j, 0]
    if blend[j, SENSITIVE] != 0.0:
        n_sensitive = whole.shape[1] - 1
        if c == n_sensitive:
            cost += blend[j, SENSITIVE] * _sensitive_entropy(
                layout, curve, j, state, h, n
            )
        else:
            same = _mass(layout, curve, j, state, h, FIRST_SENSITIVE + c)
            if same > 0.0:
                cost += blend[j, SENSITIVE] * log2(n / same)
            # at best all others of the same sensitive value join
            least += blend[j, SENSITIVE] * log2(1.0 + (n - same) / whole[j, 1 + c])
    return cost, least


@helper
def floor_of(cols, curve, j, state, h, c):
    """Return what column j of row h, and whatever covers it, costs at least."""
    if curve is None:
        return price_of(cols.layout, cols.price, j, state, h)
    return entry(cols.layout, cols.price, curve, j, state, h, c)[1]


@helper
def summed(layout, price, curve, j, state, h, mix, g):
    """Sum costs, and floors, over ``mix[g, c]`` records of each sensitive value c."""
    cost = 0.0
    least = 0.0
    for c in range(mix.shape[1]):
        if mix[g, c] > 0:
            one, floor = entry(layout, price, curve, j, state, h, c)
            cost += mix[g, c] * one
            least += mix[g, c] * floor
    return cost, least


@inlined
def joint_floor(cols, curve, j, state, h, mix, least):
    """Return what the records of row h pay together at least, whatever joins them.

    ``least`` is the sum of their own floors. In a tree there are few nodes above, so
    that all are looked at.
    """
    layout, tree = cols.layout, cols.tree
    table = curve.table
    if layout[j, FORM] != TREE:
        return least
    o = layout[j, OFFSET]
    node = state[h, layout[j, START]]
    found = np.inf
    while node >= 0:
        paid = 0.0
        for c in range(mix.shape[1]):
            paid += mix[h, c] * table[o + node, c]
        found = min(found, paid)
        node = tree[o + node, PARENT]
    return found


@helper
def minority_records(mix, g):
    """Count the records of row g that have not its most frequent sensitive value."""
    most = 0
    total = 0
    for c in range(mix.shape[1]):
        total += mix[g, c]
        most = max(most, mix[g, c])
    return total - most


@inlined
def _is_single(layout, j, state, h):
    s = layout[j, START]
    if layout[j, FORM] == INTERVAL:
        return state[h, s] == state[h, s + 1] or layout[j, N_CODES] == 1
    return count_set(layout, j, state, h, 2) == 1


@helper
def _mass(layout, curve, j, state, h, q):
    """Sum the q-th mass over an interval or a set."""
    mass = curve.mass
    s = layout[j, START]
    o = layout[j, OFFSET]
    if layout[j, FORM] == INTERVAL:
        return mass[o + state[h, s + 1] + 1, q] - mass[o + max(state[h, s], 0), q]
    total = 0.0
    for w in range(layout[j, WIDTH]):
        bits = state[h, s + w]
        if bits == 0:
            continue
        for x in range(w * 64, min((w + 1) * 64, layout[j, N_CODES])):
            if (bits >> np.int64(x % 64)) & 1:
                total += mass[o + x, q]
    return total


@inlined
def _sensitive_entropy(layout, curve, j, state, h, n):
    """Return the entropy of the sensitive values of the records in a subset."""
    mass = curve.mass
    total = 0.0
    for q in range(FIRST_SENSITIVE, mass.shape[1]):
        same = _mass(layout, curve, j, state, h, q)
        if same > 0.0:
            total += same / n * log2(n / same)
    return total


@kernel
def sensitive_scratch(curve):
    """Make room for the sensitive values of one cluster."""
    if curve is None:
        return np.zeros((1, 1), dtype=np.int32)
    return np.zeros((1, curve.whole.shape[1] - 1), dtype=np.int32)

"""Cutting a table into regions until no part could be cut further (Mondrian)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    FORM,
    OFFSET,
    PARENT,
    START,
    TOLERANCE,
    TREE,
    same_state,
    state_width,
)
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import row_total, sensitive_of, take
from skanon.kernels.jit import inlined, kernel


@kernel
def _running_cost(cols, codes, sensitive, part, state, cost):
    """Return what the first 1, 2, …, m records of a part cost each if united.

    ``state`` (int64 (1, width)) and ``cost`` (float64 (1, r)) are overwritten with the
    whole part's.
    """
    running = np.empty(len(part))
    mix = sensitive_scratch(cols.curve)
    for at in range(len(part)):
        i = part[at]
        c = sensitive_of(cols.curve, sensitive, i)
        take(cols, codes[i], c, state, cost, mix, 0, at == 0)
        running[at] = row_total(cols.curve, cost, mix, 0)
    return running


@inlined
def _spreads(cols, codes, sensitive, part, weighty, state, cost):
    """Return by how much a part's columns cost more than if its records were single.

    Columns that cannot be cut, as they have one value or no weight, have -inf.
    ``state`` and ``cost`` are the part's; see _running_cost.
    """
    layout = cols.layout
    alone = np.zeros((1, state.shape[1]), dtype=np.int64)
    own = np.zeros((1, codes.shape[1]))
    paid = np.zeros(codes.shape[1])
    mix = sensitive_scratch(cols.curve)
    for i in part:
        c = sensitive_of(cols.curve, sensitive, i)
        take(cols, codes[i], c, alone, own, mix, 0, True)
        mix[0, c] = 0
        for j in range(codes.shape[1]):
            paid[j] += own[0, j]
    spread = np.empty(codes.shape[1])
    for j in range(codes.shape[1]):
        spread[j] = cost[0, j] - paid[j] / len(part)
        if not weighty[j] or same_state(layout, j, alone, 0, state, 0):
            spread[j] = -np.inf
    return spread


@inlined
def _nearest_cut(values, order, k, strict):
    """Find the allowed cut of values, put in order, that lies nearest to the middle.

    Both sides get at least k records; a strict cut leaves equal values together.
    Returns the size of the left side, or 0 where no cut is allowed.
    """
    m = len(values)
    middle = m // 2
    for distance in range(m):
        for at in (middle - distance, middle + distance):
            if k <= at <= m - k and (
                not strict or values[order[at - 1]] != values[order[at]]
            ):
                return at
    return 0


@kernel
def _children(cols, codes, part, j, node):
    """Name the child of a node of column j's tree that each record lies under."""
    tree = cols.tree
    o = cols.layout[j, OFFSET]
    child = np.empty(len(part), dtype=np.int32)
    for at in range(len(part)):
        below = max(codes[part[at], j], 0)
        while tree[o + below, PARENT] != node:
            below = tree[o + below, PARENT]
        child[at] = below
    return child


@inlined
def _along_tree(child, k, strict):
    """Cut a part along a tree: a side for each child that has k records.

    The children with fewer stay together at the node. Where they are fewer than k, the
    smallest of the others joins them (strict), or the largest lends them records.

    Parameters
    ----------
    child : int32 (m,)
        The child that each record lies under.
    k : int
    strict : bool

    Returns
    -------
    order : int64 (m,)
        The records, side by side.
    ends : int64 (n_sides,)
        Where each side ends; a single side means that no cut is allowed.
    """
    m = len(child)
    order = np.argsort(child, kind="mergesort")
    starts = [0]
    for at in range(1, m):
        if child[order[at]] != child[order[at - 1]]:
            starts.append(at)
    starts.append(m)
    begin = np.array(starts)
    sizes = begin[1:] - begin[:-1]
    pooled = sizes < k
    rest = 0
    lent = 0
    largest = -1
    smallest = -1
    for c in range(len(sizes)):
        if pooled[c]:
            rest += sizes[c]
            continue
        if largest < 0 or sizes[c] > sizes[largest]:
            largest = c
        if smallest < 0 or sizes[c] < sizes[smallest]:
            smallest = c
    if 0 < rest < k and largest >= 0:
        if not strict and sizes[largest] - (k - rest) >= k:
            lent = k - rest
        else:
            pooled[smallest] = True
    result = np.empty(m, dtype=np.int64)
    ends = []
    filled = 0
    for c in range(len(sizes)):
        if pooled[c]:
            continue
        stop = begin[c + 1] - (lent if c == largest else 0)
        for at in range(begin[c], stop):
            result[filled] = order[at]
            filled += 1
        ends.append(filled)
    if filled < m:
        for c in range(len(sizes)):
            first = begin[c]
            if not pooled[c]:
                if lent == 0 or c != largest:
                    continue
                first = begin[c + 1] - lent
            for at in range(first, begin[c + 1]):
                result[filled] = order[at]
                filled += 1
        ends.append(m)
    return result, np.array(ends)


@kernel
def _cut(cols, codes, part, j, node, k, strict, ordered):
    """Cut a part in column j, near the middle or, unless ordered, along the tree.

    Returns the order of its records and where each side ends, as _along_tree does.
    ``node`` is the column's state in the part's closure.
    """
    if cols.layout[j, FORM] == TREE and not ordered:
        return _along_tree(_children(cols, codes, part, j, node), k, strict)
    values = np.empty(len(part), dtype=np.int32)
    for at in range(len(part)):
        values[at] = codes[part[at], j]
    order = np.argsort(values, kind="mergesort")
    left = _nearest_cut(values, order, k, strict)
    if left == 0:
        return order, np.array([len(part)])
    return order, np.array([left, len(part)])


@inlined
def _sides_loss(cols, codes, sensitive, part, ends, state, cost):
    """Sum what all records of the sides of a cut part cost."""
    total = 0.0
    begin = 0
    for end in ends:
        running = _running_cost(cols, codes, sensitive, part[begin:end], state, cost)
        total += (end - begin) * running[-1]
        begin = end
    return total


@inlined
def _best_position(cols, codes, sensitive, part, j, k, strict):
    """Find the cut of a part, sorted by ordered column j, that loses least.

    Returns the loss of both sides, and the size of the left one (0: none allowed).
    """
    m = len(part)
    state = np.zeros((1, state_width(cols.layout)), np.int64)
    cost = np.zeros((1, codes.shape[1]))
    below = _running_cost(cols, codes, sensitive, part, state, cost)
    above = _running_cost(cols, codes, sensitive, part[::-1].copy(), state, cost)
    least = np.inf
    found = 0
    for at in range(k, m - k + 1):
        if strict and codes[part[at - 1], j] == codes[part[at], j]:
            continue
        loss = at * below[at - 1] + (m - at) * above[m - at - 1]
        if loss < least - TOLERANCE:
            least = loss
            found = at
    return least, found


@inlined
def _best_cut(cols, codes, sensitive, part, closure, spread, k, strict, ordered):
    """Cut a part where the loss falls most, over all columns and positions."""
    state = np.zeros((1, closure.shape[0]), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    m = len(part)
    least = m * _running_cost(cols, codes, sensitive, part, state, cost)[-1]
    best_order = np.arange(m)
    best_ends = np.array([m])
    for j in range(codes.shape[1]):
        if spread[j] == -np.inf:
            continue
        node = closure[cols.layout[j, START]]
        order, ends = _cut(cols, codes, part, j, node, k, strict, ordered)
        if len(ends) < 2:
            continue
        if cols.layout[j, FORM] == TREE and not ordered:
            loss = _sides_loss(cols, codes, sensitive, part[order], ends, state, cost)
        else:
            loss, left = _best_position(
                cols, codes, sensitive, part[order], j, k, strict
            )
            ends = np.array([left, m])
        if loss < least - TOLERANCE:
            least = loss
            best_order = order
            best_ends = ends
    return best_order, best_ends


@inlined
def _widest_cut(cols, codes, part, closure, spread, k, strict, ordered):
    """Cut a part in the column that costs most, of those that can be cut.

    ``spread`` is overwritten: columns that were tried have -inf.
    """
    while True:
        most = -np.inf
        for cost in spread:
            most = max(most, cost)
        if most == -np.inf:
            break
        # the first of equals, which the order of summation may tell apart by a hair
        j = 0
        while spread[j] <= most - TOLERANCE:
            j += 1
        node = closure[cols.layout[j, START]]
        order, ends = _cut(cols, codes, part, j, node, k, strict, ordered)
        if len(ends) > 1:
            return order, ends
        spread[j] = -np.inf
    return np.arange(len(part)), np.array([len(part)])


class Cuts(NamedTuple):
    """A table that is being cut.

    Attributes
    ----------
    record : int64 (n,)
        The records, in an order in which regions lie side by side.
    label : int32 (n,)
        The regions that are finished.
    waiting : int64 (n, 2)
        A stack of the places in ``record`` where other regions begin and end.
    number : int64 (2,)
        The regions that wait, and those that are finished.
    """

    record: np.ndarray
    label: np.ndarray
    waiting: np.ndarray
    number: np.ndarray


@kernel
def cut_some(cols, codes, sensitive, weighty, k, strict, ordered, best, cuts, once):
    """Cut regions until none waits, or just once.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    weighty : bool (r,)
        Only these columns are cut.
    k : int
    strict : bool
        Whether records with equal values in the cut column stay together.
    ordered : bool
        Whether columns with a tree are cut in the order of their values, too.
    best : True or None
        Whether to try all cuts, instead of the widest column's middle; None: that is
        not even compiled.
    cuts : Cuts
    once : bool
    """
    state = np.zeros((1, state_width(cols.layout)), np.int64)
    cost = np.zeros((1, codes.shape[1]))
    records, waiting, number = cuts.record, cuts.waiting, cuts.number
    while number[0] > 0:
        number[0] -= 1
        begin = waiting[number[0], 0]
        end = waiting[number[0], 1]
        part = records[begin:end].copy()
        ends = np.array([end - begin])
        if end - begin >= 2 * k:
            _running_cost(cols, codes, sensitive, part, state, cost)
            spread = _spreads(cols, codes, sensitive, part, weighty, state, cost)
            closure = state[0].copy()
            if best is None:
                order, ends = _widest_cut(
                    cols, codes, part, closure, spread, k, strict, ordered
                )
            else:
                order, ends = _best_cut(
                    cols, codes, sensitive, part, closure, spread, k, strict, ordered
                )
            for at in range(len(part)):
                records[begin + at] = part[order[at]]
        if len(ends) == 1:
            for i in part:
                cuts.label[i] = number[1]
            number[1] += 1
        else:
            side = 0
            for at in ends:
                waiting[number[0], 0] = begin + side
                waiting[number[0], 1] = begin + at
                number[0] += 1
                side = at
        if once:
            break

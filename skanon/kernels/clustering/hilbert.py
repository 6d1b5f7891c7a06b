"""Records along a Hilbert curve, and the best cuts of such a line into clusters."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import (
    TOLERANCE,
    copy_state,
    join,
    merge,
    same_state,
    single,
    state_width,
)
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import row_total, sensitive_of
from skanon.kernels.jit import helper, inlined, kernel


@kernel
def hilbert_planes(points, n_bits):
    """Compute the places of points on a Hilbert curve, as digits.

    Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004):
    the axes are transformed in place into the transposed index, whose bits, taken
    from the highest plane of all axes to the lowest, are the place on the curve.

    Parameters
    ----------
    points : int64 (n, r)
        Coordinates from 0 to 2 ** n_bits - 1. They are overwritten: bit b of axis j is
        then the digit of plane b and axis j.
    n_bits : int
        At least 1.
    """
    n, r = points.shape
    for i in range(n):
        q = np.int64(1) << np.int64(n_bits - 1)
        while q > 1:
            below = q - 1
            for j in range(r):
                if points[i, j] & q:
                    points[i, 0] ^= below
                else:
                    swapped = (points[i, 0] ^ points[i, j]) & below
                    points[i, 0] ^= swapped
                    points[i, j] ^= swapped
            q >>= 1
        for j in range(1, r):
            points[i, j] ^= points[i, j - 1]
        flips = np.int64(0)
        q = np.int64(1) << np.int64(n_bits - 1)
        while q > 1:
            if points[i, r - 1] & q:
                flips ^= q - 1
            q >>= 1
        for j in range(r):
            points[i, j] ^= flips


RUN = 32
"""So many records that follow each other on a line have a closure of their own."""


@kernel
def cut_line(cols, codes, sensitive, line, runs, k, least, size, begin, end):
    """Find the best cuts of a line's first begin + 1, …, end records into clusters.

    Dynamic programming: the best way to cut the first m records ends with a cluster
    of k to 2 k - 1 records, before which comes the best way to cut the others.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    line : int64 (n,)
        The records in their order.
    runs : int64 (n_runs, width)
        The closures of records 0 to RUN - 1, RUN to 2 RUN - 1, … of the line.
    k : int
    least : float64 (n + 1,)
        The least summed loss of the first m records; known up to ``begin``, written
        up to ``end``.
    size : int64 (n + 1,)
        The size of their last cluster, likewise.
    begin, end : int
    """
    state = np.zeros((2, state_width(cols.layout)), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    mix = sensitive_scratch(cols.curve)
    for m in range(begin + 1, end + 1):
        least[m] = np.inf
        if cols.curve is None:
            _last_by_runs(cols, codes, line, runs, k, least, size, m, state, cost, mix)
        else:
            _last(cols, codes, sensitive, line, k, least, size, m, state, cost, mix)


@inlined
def _last(cols, codes, sensitive, line, k, least, size, m, state, cost, mix):
    """Find the best last cluster of the first m records, one record after another."""
    layout, tree = cols.layout, cols.tree
    mix[:] = 0
    for taken in range(1, min(2 * k - 1, m) + 1):
        i = line[m - taken]
        c = sensitive_of(cols.curve, sensitive, i)
        mix[0, c] += 1
        for j in range(codes.shape[1]):
            if taken == 1:
                single(layout, tree, j, codes[i, j], state, 0)
            else:
                join(layout, tree, j, codes[i, j], state, 0)
        if taken < k:
            continue
        price_row(cols, cols.curve, state, cost, mix, 0)
        total = least[m - taken] + taken * row_total(cols.curve, cost, mix, 0)
        if total < least[m] - TOLERANCE:
            least[m] = total
            size[m] = taken


@inlined
def _last_by_runs(cols, codes, line, runs, k, least, size, m, state, cost, mix):
    """Do the same where a closure tells the cost: a run that it covers adds nothing."""
    layout, tree = cols.layout, cols.tree
    most = min(2 * k - 1, m)
    for j in range(codes.shape[1]):
        single(layout, tree, j, codes[line[m - 1], j], state, 0)
    taken = 1
    evaluated = 0  # sizes up to this one
    paid = -1.0  # not known
    while True:
        if taken >= k:
            if paid < 0.0:
                paid = price_row(cols, cols.curve, state, cost, mix, 0)
            for own in range(max(evaluated + 1, k), taken + 1):
                total = least[m - own] + own * paid
                if total < least[m] - TOLERANCE:
                    least[m] = total
                    size[m] = own
        evaluated = taken
        if taken == most:
            break
        at = m - taken
        whole = at % RUN == 0 and taken + RUN <= most
        if whole:
            grows = _grows(layout, tree, runs, at // RUN - 1, state)
            whole = taken + RUN < k or not grows
        if whole:
            taken += RUN
        else:
            x = codes[line[at - 1]]
            grows = False
            for j in range(codes.shape[1]):
                copy_state(layout, j, state, 0, state, 1)
                join(layout, tree, j, x[j], state, 1)
                grows = grows or not same_state(layout, j, state, 1, state, 0)
            taken += 1
        if grows:
            for w in range(state.shape[1]):
                state[0, w] = state[1, w]
            paid = -1.0


@helper
def _grows(layout, tree, runs, run, state):
    """Tell whether a closure grows with a run; row 1 becomes what covers both."""
    grows = False
    for j in range(layout.shape[0]):
        copy_state(layout, j, state, 0, state, 1)
        merge(layout, tree, j, state, 1, runs, run)
        grows = grows or not same_state(layout, j, state, 1, state, 0)
    return grows

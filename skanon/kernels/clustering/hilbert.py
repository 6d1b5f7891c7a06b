"""Records along a Hilbert curve, and the best cuts of such a line into clusters."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import TOLERANCE, join, single, state_width
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import row_total, sensitive_of
from skanon.kernels.jit import kernel


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


@kernel
def cut_line(cols, codes, sensitive, line, k, least, size, begin, end):
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
    k : int
    least : float64 (n + 1,)
        The least summed loss of the first m records; known up to ``begin``, written
        up to ``end``.
    size : int64 (n + 1,)
        The size of their last cluster, likewise.
    begin, end : int
    """
    layout, tree = cols.layout, cols.tree
    state = np.zeros((1, state_width(layout)), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    mix = sensitive_scratch(cols.curve)
    for m in range(begin + 1, end + 1):
        least[m] = np.inf
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

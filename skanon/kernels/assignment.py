"""Which published class a record costs least in."""

from __future__ import annotations

import numpy as np

from skanon.kernels.columns import record_rise
from skanon.kernels.jit import helper, kernel
from skanon.kernels.sequential import TOLERANCE


@helper
def _cheapest(cols, x, state, cost, total):
    least = np.inf
    found = -1
    for h in range(total.shape[0]):
        bound = least - TOLERANCE
        if total[h] >= bound:
            continue
        summed = total[h] + record_rise(cols, x, state, h, cost, bound - total[h])
        if summed < bound:
            least = summed
            found = h
    return found


@kernel
def assign(cols, codes, state, cost):
    """Find, for each record, the class whose closure with it costs it least.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
        The records; -1 for values that were not known when the classes were made.
    state : int64 (n_classes, width)
    cost : float64 (n_classes, r)
        The classes' closures and what they cost.

    Returns
    -------
    int64 (n,)
        The first of equals. For a monotone loss the cost only grows column by
        column, so that a class is given up once it has reached the least so far.
    """
    total = np.zeros(cost.shape[0])
    for h in range(cost.shape[0]):
        total[h] = cost[h].sum()
    labels = np.empty(codes.shape[0], dtype=np.int64)
    for i in range(codes.shape[0]):
        labels[i] = _cheapest(cols, codes[i], state, cost, total)
    return labels

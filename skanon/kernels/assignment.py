"""Which published class a record costs least in."""

from __future__ import annotations

import numpy as np

from skanon.kernels.columns import rise
from skanon.kernels.jit import helper, kernel
from skanon.kernels.sequential import TOLERANCE


@helper
def _cheapest(cols, x, state, cost, total):
    layout, tree, price = cols
    least = np.inf
    found = -1
    for h in range(total.shape[0]):
        summed = total[h]
        for j in range(x.shape[0]):
            if summed >= least - TOLERANCE:
                break
            summed += rise(layout, tree, price, j, state, h, cost, x[j])
        if summed < least - TOLERANCE:
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

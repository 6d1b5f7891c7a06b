"""The closures of whole clusters, and what their records pay."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.columns import join, price_of, single, state_width
from skanon.kernels.core.curve import summed
from skanon.kernels.jit import helper, kernel


def close(cols, codes, sensitive, labels, n_clusters):
    """Compute each cluster's closure and what a record pays for it, by column.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    labels : int32 (n,)
        Records labelled below 0 are in no cluster.
    n_clusters : int

    Returns
    -------
    state : int64 (n_clusters, width)
    cost : float64 (n_clusters, r)
        On average over the cluster's records.
    """
    state = states_of(cols.layout, cols.tree, codes, labels, n_clusters)
    n_sensitive = 1 if cols.curve is None else cols.curve.whole.shape[1] - 1
    mix = np.zeros((n_clusters, n_sensitive), dtype=np.int32)
    kept = labels >= 0
    np.add.at(mix, (labels[kept], sensitive[kept] if n_sensitive > 1 else 0), 1)
    return state, _prices(cols, cols.curve, state, mix)


@kernel
def states_of(layout, tree, codes, labels, n_clusters):
    """Compute each cluster's closure; see :func:`close`."""
    n, r = codes.shape
    state = np.zeros((n_clusters, state_width(layout)), dtype=np.int64)
    seen = np.zeros(n_clusters, dtype=np.bool_)
    for i in range(n):
        h = labels[i]
        if h < 0:
            continue
        for j in range(r):
            if seen[h]:
                join(layout, tree, j, codes[i, j], state, h)
            else:
                single(layout, tree, j, codes[i, j], state, h)
        seen[h] = True
    return state


@kernel
def _prices(cols, curve, state, mix):
    cost = np.zeros((state.shape[0], cols.layout.shape[0]))
    for h in range(cost.shape[0]):
        price_row(cols, curve, state, cost, mix, h)
    return cost


@helper
def price_row(cols, curve, state, cost, mix, h):
    """Compute what row h of ``state`` costs on average, by column; return the sum.

    Without the penalty. ``mix`` (int32 (n_rows, n_sensitive)) counts the row's records
    by sensitive value.
    """
    layout, price = cols.layout, cols.price
    total = 0.0
    if curve is None:
        for j in range(cost.shape[1]):
            cost[h, j] = price_of(layout, price, j, state, h)
            total += cost[h, j]
    else:
        size = 0
        for c in range(mix.shape[1]):
            size += mix[h, c]
        for j in range(cost.shape[1]):
            paid, _ = summed(layout, price, curve, j, state, h, mix, h)
            cost[h, j] = paid / max(size, 1)
            total += cost[h, j]
    return total

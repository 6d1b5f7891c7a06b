"""Which records cost their clusters more than their suppression would."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clusters import gather, leave, without
from skanon.kernels.jit import kernel
from skanon.kernels.sequential import TOLERANCE


@kernel
def _best_outlier(cols, codes, clusters, h, state, cost):
    """Find the member of h whose leaving lowers the summed loss most."""
    found = -1
    most = -np.inf
    size = clusters.size[h]
    i = clusters.head[h]
    while i >= 0:
        rest = without(cols, codes, clusters, i, state, cost)
        gain = size * clusters.total[h] - (size - 1) * rest
        if gain > most + TOLERANCE:
            most = gain
            found = i
        i = clusters.after[i]
    return found, most


@kernel
def suppress_outliers(cols, codes, labels, n_clusters, k, budget, whole):
    """Suppress records of clusters larger than k while that lowers the summed loss.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    labels : int32 (n,)
    n_clusters, k, budget : int
        At most ``budget`` records are suppressed.
    whole : float
        What a suppressed record costs.

    Returns
    -------
    int32 (n,)
        The labels; -1 for suppressed records.
    """
    order = np.arange(codes.shape[1]).astype(np.int32)
    clusters = gather(cols, codes, labels, n_clusters, order)
    state = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    outlier = np.full(n_clusters, -1)
    gain = np.full(n_clusters, -np.inf)
    for h in range(n_clusters):
        if clusters.size[h] > k:
            outlier[h], gain[h] = _best_outlier(cols, codes, clusters, h, state, cost)
    for _ in range(budget):
        h = 0
        for c in range(1, n_clusters):
            if gain[c] > gain[h] + TOLERANCE:
                h = c
        if gain[h] <= whole + TOLERANCE:
            break
        i = outlier[h]
        rest = without(cols, codes, clusters, i, state, cost)
        leave(cols, clusters, i, state, cost, rest)
        gain[h] = -np.inf
        if clusters.size[h] > k:
            outlier[h], gain[h] = _best_outlier(cols, codes, clusters, h, state, cost)
    return clusters.label

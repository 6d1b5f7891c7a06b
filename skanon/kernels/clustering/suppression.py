"""Which records cost their clusters more than their suppression would."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.clusters import leave, without
from skanon.kernels.core.columns import TOLERANCE
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import kernel


@kernel
def _best_outlier(cols, codes, sensitive, clusters, h, whole, state, mix):
    """Find the member of h whose suppression lowers the summed loss most."""
    found = -1
    most = -np.inf
    size = clusters.size[h]
    i = clusters.head[h]
    while i >= 0:
        rest = without(cols, codes, clusters, i, state, mix)
        gain = size * clusters.total[h] - (size - 1) * rest
        gain -= whole[sensitive_of(cols.curve, sensitive, i)]
        if gain > most + TOLERANCE:
            most = gain
            found = i
        i = clusters.after[i]
    return found, most


@kernel
def suppress_outliers(cols, codes, sensitive, clusters, k, budget, wanted, whole):
    """Suppress records of clusters larger than k while that lowers the summed loss.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        Changed in place: suppressed records are in none.
    k, budget : int
        At most ``budget`` records are suppressed.
    wanted : int
        If any are, then at least so many where there are as many, though the last of
        them raise the loss.
    whole : float64 (n_sensitive,)
        What a suppressed record costs.
    """
    n_clusters = clusters.size.shape[0]
    state = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    outlier = np.full(n_clusters, -1)
    gain = np.full(n_clusters, -np.inf)
    for h in range(n_clusters):
        if clusters.size[h] > k:
            outlier[h], gain[h] = _best_outlier(
                cols, codes, sensitive, clusters, h, whole, state, mix
            )
    for n_suppressed in range(budget):
        h = 0
        for c in range(1, n_clusters):
            if gain[c] > gain[h] + TOLERANCE:
                h = c
        enough = n_suppressed == 0 or n_suppressed >= wanted
        if gain[h] == -np.inf or (enough and gain[h] <= TOLERANCE):
            break
        i = outlier[h]
        without(cols, codes, clusters, i, state, mix)
        leave(cols, clusters, i, state)
        gain[h] = -np.inf
        if clusters.size[h] > k:
            outlier[h], gain[h] = _best_outlier(
                cols, codes, sensitive, clusters, h, whole, state, mix
            )

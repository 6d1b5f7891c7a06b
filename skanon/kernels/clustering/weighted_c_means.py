"""The inner loops of weighted C-means: assigning all records, centroids, merging."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.centers import ON_LINE, closest
from skanon.kernels.clustering.merging import merging_rise, unite
from skanon.kernels.core.columns import N_CODES, TOLERANCE, price_of, single
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.jit import helper, inlined, kernel


@kernel
def assign(cols, codes, sensitive, size, order, centers, visits):
    """Find the clusters whose centroids records are closest to.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    size : int32 (capacity,)
        Clusters of size 0 are no candidates.
    order : int32 (r,)
        The columns, those first that tell records apart best.
    centers : Centers
    visits : int32 (n_visits,)
        Records.

    Returns
    -------
    int32 (n_visits,)
    """
    scratch = np.zeros((1, centers.state.shape[1]), dtype=np.int64)
    n = codes.shape[0]
    found = np.empty(len(visits), dtype=np.int32)
    for at in range(len(visits)):
        found[at] = closest(
            cols,
            cols.curve,
            codes,
            sensitive,
            size,
            order,
            centers,
            visits[at],
            n,
            False,
            scratch,
        )
    return found


@kernel
def recenter(cols, codes, ranked, start, centers):
    """Compute the centroids of all clusters that have records.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    ranked : int (n,)
        The records, cluster by cluster.
    start : int (capacity + 1,)
        Those of cluster h are ``ranked[start[h]:start[h + 1]]``.
    centers : Centers
        Changed in place.
    """
    layout = cols.layout
    counts = np.zeros(layout[:, N_CODES].max(), dtype=np.int32)
    for j in range(codes.shape[1]):
        for h in range(len(start) - 1):
            members = ranked[start[h] : start[h + 1]]
            if len(members) == 0:
                continue
            if centers.form[j] == ON_LINE:
                _average(centers, members, h, j)
            else:
                x = _mode(codes, members, j, counts)
                single(layout, cols.tree, j, x, centers.state, h)
                if cols.curve is None:
                    centers.cost[h, j] = price_of(
                        layout, cols.price, j, centers.state, h
                    )


@helper
def _average(centers, members, h, j):
    """Compute the mean place; there is none where most of the members have none."""
    place, mean, placed = centers.place, centers.mean, centers.placed
    total = 0.0
    n_placed = 0
    for i in members:
        if not np.isnan(place[i, j]):
            total += place[i, j]
            n_placed += 1
    if 2 * n_placed >= len(members):
        mean[h, j] = total / n_placed
        placed[h, j] = n_placed
    else:
        mean[h, j] = np.nan
        placed[h, j] = 0


@inlined
def _mode(codes, members, j, counts):
    """Find the most frequent code, the lowest of equals; counts are 0 again then."""
    for i in members:
        counts[codes[i, j]] += 1
    found = codes[members[0], j]
    for i in members:
        x = codes[i, j]
        if counts[x] > counts[found] or (counts[x] == counts[found] and x < found):
            found = x
    for i in members:
        counts[codes[i, j]] = 0
    return found


@kernel
def merge_into_large(cols, clusters, small, k):
    """Unite small clusters with the large ones whose summed loss rises least.

    Parameters
    ----------
    cols : Columns
    clusters : Clusters
        Changed in place; a cluster that is united with another has size 0 then.
    small : int (n_small,)
        Clusters of fewer than k records, in the order in which they are united.
    k : int
        At least one cluster has so many records.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    for a in small:
        best = np.inf
        found = -1
        for b in range(clusters.size.shape[0]):
            if clusters.size[b] < k:
                continue
            rises = merging_rise(
                cols,
                cols.curve,
                clusters,
                clusters.mixture,
                a,
                b,
                best - TOLERANCE,
                scratch,
                mix,
            )
            if rises < best - TOLERANCE:
                best = rises
                found = b
        unite(cols, clusters, found, a)

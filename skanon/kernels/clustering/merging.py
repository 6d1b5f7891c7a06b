"""Uniting clusters.

Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions on
Data Privacy 3 (2010), section 6.2.1 and Algorithm 1, steps 11 to 14.
"""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.clusters import link, reprice, unlink
from skanon.kernels.core.columns import TOLERANCE, copy_state, merge, price_of
from skanon.kernels.core.curve import minority_records, sensitive_scratch, summed
from skanon.kernels.jit import helper, kernel


@helper
def merging_rise(cols, curve, clusters, mixture, a, b, bound, scratch, mix):
    """Return by how much uniting a and b raises the summed loss.

    Columns are added one at a time; once the bound is reached, the rest is left out.
    ``scratch`` is int64 (1, width), ``mix`` int32 (1, n_sensitive).
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    state, cost, total, size = (
        clusters.state,
        clusters.cost,
        clusters.total,
        clusters.size,
    )
    order, follow = clusters.order, clusters.follow
    if total[a] < total[b]:
        a, b = b, a  # the costlier one bounds the union better
    rises = size[b] * (total[a] - total[b])
    if curve is not None:
        mixes, floor, floored = mixture.mix, mixture.floor, mixture.floored
        slack = mixture.slack
        rises = -slack[a] - size[b] * total[b]
        for c in range(mix.shape[1]):
            mix[0, c] = mixes[a, c] + mixes[b, c]
            rises += mixes[b, c] * floor[a, c]
        rises += curve.penalty[0] * (
            minority_records(mix, 0) - minority_records(mixes, a)
        )
    q = follow[a, 0]
    while q < order.shape[0] and rises < bound:
        j = order[q]
        copy_state(layout, j, state, a, scratch, 0)
        merge(layout, tree, j, scratch, 0, state, b)
        if curve is None:
            united = size[a] + size[b]
            rises += united * (price_of(layout, price, j, scratch, 0) - cost[a, j])
        else:
            paid, _ = summed(layout, price, curve, j, scratch, 0, mix, 0)
            _, least = summed(layout, price, curve, j, state, a, mixes, b)
            rises += paid - floored[a, j] - least
        q = follow[a, q + 1]
    return rises


@helper
def _nearest(cols, clusters, candidates, a, scratch, mix):
    """Find the candidate (of size > 0, not a) which a unites with at least rise."""
    best = np.inf
    found = -1
    for b in candidates:
        if b == a or clusters.size[b] == 0:
            continue
        united = merging_rise(
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
        if united < best - TOLERANCE:
            best = united
            found = b
    return found, best


@helper
def unite(cols, clusters, a, b):
    """Move cluster b's members into cluster a; b keeps its place with size 0."""
    layout, tree = cols.layout, cols.tree
    for j in range(clusters.cost.shape[1]):
        merge(layout, tree, j, clusters.state, a, clusters.state, b)
    i = clusters.head[b]
    while i >= 0:
        after = clusters.after[i]
        unlink(clusters, clusters.mixture, i)
        link(clusters, clusters.mixture, i, a)
        i = after
    reprice(cols, cols.curve, clusters, clusters.mixture, a)


@kernel
def merge_small(cols, clusters, k):
    """Unite clusters of fewer than k records until none is left.

    Steps 11 to 14 of Algorithm 1: the two closest small clusters (the first pair of
    equals), by the rise of the summed loss, again and again; at last a single small
    one with whatever it is closest to. Each small cluster remembers its nearest; when
    that one is gone or has grown, the others are still no closer than it was, so that
    it looks anew only when its turn comes.
    """
    capacity = clusters.size.shape[0]
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    small = np.flatnonzero((clusters.size > 0) & (clusters.size < k))
    nearest = np.full(capacity, -1)
    rises = np.full(capacity, np.inf)
    for a in small:
        nearest[a], rises[a] = _nearest(cols, clusters, small, a, scratch, mix)
    while len(small) > 1:
        a = small[0]
        for c in small:
            if rises[c] < rises[a] - TOLERANCE:
                a = c
        b = nearest[a]
        if b < 0:
            nearest[a], rises[a] = _nearest(cols, clusters, small, a, scratch, mix)
            continue
        unite(cols, clusters, a, b)
        grown = clusters.size[a] >= k
        small = small[small != b]
        if grown:
            small = small[small != a]
        for c in small:
            if c == a:
                continue
            if nearest[c] == a or nearest[c] == b:
                nearest[c] = -1
            if grown:
                continue
            least = rises[c] - TOLERANCE
            if a < nearest[c]:
                least = rises[c] + TOLERANCE  # the first of equals
            united = merging_rise(
                cols,
                cols.curve,
                clusters,
                clusters.mixture,
                c,
                a,
                least,
                scratch,
                mix,
            )
            if united < least:
                nearest[c], rises[c] = a, united
        if not grown:
            nearest[a], rises[a] = _nearest(cols, clusters, small, a, scratch, mix)
    for a in small:
        others = np.flatnonzero(clusters.size > 0)
        b, _ = _nearest(cols, clusters, others, a, scratch, mix)
        if b >= 0:
            unite(cols, clusters, b, a)


@kernel
def rises_with_all(cols, clusters, a):
    """Compute by how much uniting cluster a with each other raises the summed loss.

    Parameters
    ----------
    cols : Columns
    clusters : Clusters
    a : int

    Returns
    -------
    float64 (capacity,)
        Infinite for a itself and for clusters without members.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    rises = np.full(clusters.size.shape[0], np.inf)
    for b in range(clusters.size.shape[0]):
        if b != a and clusters.size[b] > 0:
            rises[b] = merging_rise(
                cols,
                cols.curve,
                clusters,
                clusters.mixture,
                a,
                b,
                np.inf,
                scratch,
                mix,
            )
    return rises


@kernel
def unite_pair(cols, clusters, a, b):
    """Move cluster b's members into cluster a; b keeps its place with size 0."""
    unite(cols, clusters, a, b)

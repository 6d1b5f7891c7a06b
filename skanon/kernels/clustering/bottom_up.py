"""The inner loops of the bottom-up algorithm.

Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
"""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.clusters import link, members_of, reclose, unlink
from skanon.kernels.clustering.merging import merging_rise, unite
from skanon.kernels.clustering.regroup import regroup
from skanon.kernels.core.columns import (
    FIRST,
    FLAT,
    FORM,
    HIGH,
    INTERVAL,
    LAST,
    LOW,
    MISSING,
    OFFSET,
    PARENT,
    START,
    TOLERANCE,
    TOP,
    TREE,
    copy_state,
    merge,
    price_of,
)
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.jit import helper, inlined, kernel


@inlined
def _union_price(layout, tree, price, j, state, cost, a, b, scratch):
    """Return what column j costs a record of the union of two clusters."""
    s, o = layout[j, START], layout[j, OFFSET]
    x, y = state[a, s], state[b, s]
    if layout[j, FORM] == TREE:
        if x == y:
            return cost[a, j]
        if layout[j, FLAT]:
            return price[o + layout[j, TOP], HIGH]
        first, last = tree[o + y, FIRST], tree[o + y, LAST]
        while tree[o + x, FIRST] > first or tree[o + x, LAST] < last:
            x = tree[o + x, PARENT]
        return price[o + x, HIGH]
    if layout[j, FORM] == INTERVAL:
        missing = layout[j, MISSING]
        if x < 0 or y < 0 or (x == missing) != (y == missing):
            return price[o + layout[j, TOP], HIGH]
        high = max(state[a, s + 1], state[b, s + 1])
        return price[o + high, HIGH] - price[o + min(x, y), LOW]
    copy_state(layout, j, state, a, scratch, 0)
    merge(layout, tree, j, scratch, 0, state, b)
    return price_of(layout, price, j, scratch, 0)


@helper
def _distance(cols, clusters, a, b, by_rise, bound, scratch, mix):
    """Return how far two clusters are apart, or at least the bound.

    That is what the records of their union pay, summed up, and by how much more than
    before if ``by_rise``. Columns are added one at a time, until the bound is reached.
    """
    layout, tree, price, curve = cols
    state, cost, total, size = (
        clusters.state,
        clusters.cost,
        clusters.total,
        clusters.size,
    )
    own = size[a] * total[a] + size[b] * total[b]
    if curve is not None:
        less = 0.0 if by_rise else own
        rises = merging_rise(
            cols, curve, clusters, clusters.mixture, a, b, bound - less, scratch, mix
        )
        return rises + less
    united = size[a] + size[b]
    if total[a] < total[b]:
        a, b = b, a  # the costlier one bounds the union better
    paid = united * total[a]
    if by_rise:
        paid -= own
    order, follow = clusters.order, clusters.follow
    q = follow[a, 0]
    while q < order.shape[0] and paid < bound:
        j = order[q]
        joined = _union_price(layout, tree, price, j, state, cost, a, b, scratch)
        paid += united * (joined - cost[a, j])
        q = follow[a, q + 1]
    return paid


@helper
def _closest(cols, clusters, candidates, a, by_rise, scratch, mix):
    """Find the first of some clusters that is closest to cluster a.

    No union costs less than 0, so that the search for it ends where that is found.
    """
    least = np.inf
    found = -1
    for b in candidates:
        if clusters.size[b] == 0 or b == a:
            continue
        bound = least - TOLERANCE
        distance = _distance(cols, clusters, a, b, by_rise, bound, scratch, mix)
        if distance < bound:
            least = distance
            found = b
            if not by_rise and least <= TOLERANCE:
                break
    return found


@inlined
def _split(cols, codes, sensitive, clusters, a, b, k):
    """Cluster the records of cluster a anew: one half stays, b takes in the other."""
    pool = members_of(clusters, a)
    home, _ = regroup(cols, codes, sensitive, pool, k, 0, clusters.state.shape[1])
    for m in range(len(pool)):
        if home[m] == 1:
            unlink(clusters, clusters.mixture, pool[m])
            link(clusters, clusters.mixture, pool[m], b)
    reclose(cols, codes, clusters, a)
    reclose(cols, codes, clusters, b)


@kernel
def unite_small(cols, codes, sensitive, clusters, begin, end, k, by_rise):
    """Unite each cluster of fewer than k records with the one that it is closest to.

    Where that has 2 k records or more, it is split: as it then has at most 3 k - 2,
    into two.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        All of at most 2 k - 1 records; changed in place. Those that are united with
        others keep their places with size 0, unless they get a half.
    begin, end : int
        The clusters from ``begin`` on, before ``end``, are visited.
    k : int
    by_rise : bool
        Whether those are close whose union raises the summed loss least, not those
        whose union costs least.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    candidates = np.flatnonzero(clusters.size > 0)
    for a in range(begin, end):
        if 0 < clusters.size[a] < k:
            b = _closest(cols, clusters, candidates, a, by_rise, scratch, mix)
            unite(cols, clusters, a, b)
            if clusters.size[a] >= 2 * k:
                _split(cols, codes, sensitive, clusters, a, b, k)

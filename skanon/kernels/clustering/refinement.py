"""Clustering a few neighbouring clusters anew, where that loses less."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.caps import keeps_caps
from skanon.kernels.clustering.clusters import link, reclose, unlink
from skanon.kernels.clustering.merging import merging_rise
from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import TOLERANCE, copy_state, join, rise, single
from skanon.kernels.core.curve import minority_records, sensitive_scratch, summed
from skanon.kernels.jit import helper, inlined, kernel

LARGE = 1000
"""Pools of more records are left alone, unless k is large."""


@helper
def joining_rise(cols, curve, x, c, state, cost, mix, h, bound, scratch, after):
    """Return by how much a record raises what a record of row h pays on average.

    Of a price list columns are added one at a time; once the bound is reached, the
    rest is left out.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    x : int32 (r,)
        The record.
    c : int
        Its sensitive value.
    state : int64 (n_rows, width)
    cost : float64 (n_rows, r)
        What a record of each row pays on average, by column.
    mix : int32 (n_rows, n_sensitive)
        How many records of each sensitive value a row has.
    h : int
        The row.
    bound : float
    scratch : int64 (1, width)
    after : int32 (1, n_sensitive)
        Scratch, too.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    rises = 0.0
    if curve is None:
        for j in range(x.shape[0]):
            rises += rise(layout, tree, price, j, state, h, cost, x[j])
            if rises >= bound:
                break
    else:
        size = 1
        for d in range(mix.shape[1]):
            after[0, d] = mix[h, d]
            size += mix[h, d]
        after[0, c] += 1
        penalty = curve.penalty[0]
        rises = penalty * minority_records(after, 0) / size
        rises -= penalty * minority_records(mix, h) / (size - 1)
        for j in range(x.shape[0]):
            copy_state(layout, j, state, h, scratch, 0)
            join(layout, tree, j, x[j], scratch, 0)
            paid, _ = summed(layout, price, curve, j, scratch, 0, after, 0)
            rises += paid / size - cost[h, j]
    return rises


@helper
def row_total(curve, cost, mix, h):
    """Return what a record of row h pays on average, the penalty included."""
    total = 0.0
    for j in range(cost.shape[1]):
        total += cost[h, j]
    if curve is not None:
        size = 0
        for c in range(mix.shape[1]):
            size += mix[h, c]
        total += curve.penalty[0] * minority_records(mix, h) / size
    return total


@helper
def take(cols, x, c, state, cost, mix, h, fresh):
    """Make row h cover the record x of sensitive c, alone if ``fresh``."""
    layout, tree = cols.layout, cols.tree
    for j in range(x.shape[0]):
        if fresh:
            single(layout, tree, j, x[j], state, h)
        else:
            join(layout, tree, j, x[j], state, h)
    mix[h, c] += 1
    price_row(cols, cols.curve, state, cost, mix, h)


@helper
def sensitive_of(curve, sensitive, i):
    """Return record i's sensitive value, 0 where costs take no notice of it."""
    c = 0
    if curve is not None:
        if curve.whole.shape[1] > 2:
            c = sensitive[i]
    return c


@helper
def _closest(cols, codes, sensitive, pool, home, state, cost, mix, h, scratch, after):
    """Find the first free record that raises what a record of row h pays least."""
    least = np.inf
    found = -1
    for m in range(pool.shape[0]):
        if home[m] < 0:
            i = pool[m]
            bound = least - TOLERANCE
            c = sensitive_of(cols.curve, sensitive, i)
            distance = joining_rise(
                cols,
                cols.curve,
                codes[i],
                c,
                state,
                cost,
                mix,
                h,
                bound,
                scratch,
                after,
            )
            if distance < bound:
                least = distance
                found = m
    return found


@helper
def _furthest(cols, codes, sensitive, pool, home, state, cost, mix, h, scratch, after):
    """Find the first free record that raises what a record of row h pays most."""
    most = -np.inf
    found = -1
    for m in range(pool.shape[0]):
        if home[m] < 0:
            i = pool[m]
            c = sensitive_of(cols.curve, sensitive, i)
            distance = joining_rise(
                cols,
                cols.curve,
                codes[i],
                c,
                state,
                cost,
                mix,
                h,
                np.inf,
                scratch,
                after,
            )
            if distance > most + TOLERANCE:
                most = distance
                found = m
    return found


@inlined
def _cheapest_home(cols, x, c, state, cost, mix, size, scratch, after):
    """Find the first row whose summed loss rises least if the record x joins it."""
    least = np.inf
    found = -1
    for h in range(size.shape[0]):
        each = joining_rise(
            cols, cols.curve, x, c, state, cost, mix, h, np.inf, scratch, after
        )
        summed_rise = row_total(cols.curve, cost, mix, h) + (size[h] + 1) * each
        if summed_rise < least - TOLERANCE:
            least = summed_rise
            found = h
    return found


@kernel
def regroup(cols, codes, sensitive, pool, k, seed, width):
    """Cluster some records greedily.

    Clusters of k are made one after the other: the first from a seed, the next from
    the record that is furthest from the cluster before; each takes in the records
    that raise its loss least. The fewer than k that are left join the clusters whose
    summed loss they raise least.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    pool : int32 (m,)
        The records, at least k of them.
    k : int
    seed : int
        The position in ``pool`` of the first cluster's first record.
    width : int
        The width of a row of states.

    Returns
    -------
    home : int32 (m,)
        Labels 0 … m // k - 1.
    loss : float
        Summed over the records.
    """
    n_clusters = len(pool) // k
    home = np.full(len(pool), -1, dtype=np.int32)
    state = np.zeros((n_clusters, width), dtype=np.int64)
    cost = np.zeros((n_clusters, codes.shape[1]))
    size = np.zeros(n_clusters, dtype=np.int64)
    scratch = np.zeros((1, width), dtype=np.int64)
    after = sensitive_scratch(cols.curve)
    mix = np.zeros((n_clusters, after.shape[1]), dtype=np.int32)
    for h in range(n_clusters):
        m = seed
        if h > 0:
            m = _furthest(
                cols,
                codes,
                sensitive,
                pool,
                home,
                state,
                cost,
                mix,
                h - 1,
                scratch,
                after,
            )
        while True:
            i = pool[m]
            c = sensitive_of(cols.curve, sensitive, i)
            take(cols, codes[i], c, state, cost, mix, h, size[h] == 0)
            home[m] = h
            size[h] += 1
            if size[h] == k:
                break
            m = _closest(
                cols, codes, sensitive, pool, home, state, cost, mix, h, scratch, after
            )
    for m in range(len(pool)):
        if home[m] < 0:
            x = codes[pool[m]]
            c = sensitive_of(cols.curve, sensitive, pool[m])
            h = _cheapest_home(cols, x, c, state, cost, mix, size, scratch, after)
            take(cols, x, c, state, cost, mix, h, False)
            home[m] = h
            size[h] += 1
    loss = 0.0
    for h in range(n_clusters):
        loss += size[h] * row_total(cols.curve, cost, mix, h)
    return home, loss


@kernel
def _neighbours(cols, clusters, h, n_near, scratch, mix):
    """Name cluster h and those that it unites with at the least rises."""
    near = np.full(n_near + 1, h)
    rises = np.full(n_near + 1, np.inf)
    rises[0] = -np.inf
    found = 1
    for other in range(clusters.size.shape[0]):
        if other == h or clusters.size[other] == 0:
            continue
        bound = rises[n_near] - TOLERANCE
        united = merging_rise(
            cols,
            cols.curve,
            clusters,
            clusters.mixture,
            h,
            other,
            bound,
            scratch,
            mix,
        )
        if united >= bound:
            continue
        at = min(found, n_near)
        while at > 1 and united < rises[at - 1] - TOLERANCE:
            near[at] = near[at - 1]
            rises[at] = rises[at - 1]
            at -= 1
        near[at] = other
        rises[at] = united
        found = min(found + 1, n_near + 1)
    return near[:found]


@kernel
def _members(clusters, near):
    """List the records of some clusters."""
    total = 0
    for h in near:
        total += clusters.size[h]
    pool = np.empty(total, dtype=np.int32)
    m = 0
    for h in near:
        i = clusters.head[h]
        while i >= 0:
            pool[m] = i
            m += 1
            i = clusters.after[i]
    return np.sort(pool)


@inlined
def _reassign(cols, codes, clusters, pool, home, near):
    """Give the records of some clusters their new homes."""
    n_homes = home.max() + 1
    slots = np.empty(n_homes, dtype=np.int64)
    slots[: len(near)] = near
    empty = 0
    for extra in range(len(near), n_homes):
        while clusters.size[empty] > 0:
            empty += 1
        slots[extra] = empty
        empty += 1
    for i in pool:
        unlink(clusters, clusters.mixture, i)
    for m in range(len(pool)):
        link(clusters, clusters.mixture, pool[m], slots[home[m]])
    for h in slots:
        reclose(cols, codes, clusters, h)


@kernel
def refine(cols, codes, sensitive, clusters, k, visits, chances, n_near, caps=None):
    """Pool clusters with their nearest, and cluster the pools anew where it pays.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        All of at least k records; changed in place. There is room for n // k.
    k : int
    visits : int32 (n_visits,)
        Clusters, in the order of their visits; empty ones are passed over.
    chances : float64 (n_visits, n_trials)
        Numbers from 0 to 1: where in the pool, in the records' order, the seeds are.
    n_near : int
        How many of its nearest clusters a cluster is pooled with.
    caps : Caps or None
        New clusters that hold too much of a sensitive value are not taken.

    Returns
    -------
    n_better : int
        How many pools lose less now.
    """
    width = clusters.state.shape[1]
    scratch = np.zeros((1, width), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    n_better = 0
    for v in range(len(visits)):
        h = visits[v]
        if clusters.size[h] == 0:
            continue
        near = _neighbours(cols, clusters, h, n_near, scratch, mix)
        pool = _members(clusters, near)
        if len(pool) > max(LARGE, 4 * k * (n_near + 1)):
            continue  # the time for a pool grows with its square
        least = 0.0
        for other in near:
            least += clusters.size[other] * clusters.total[other]
        best = np.zeros(0, dtype=np.int32)
        for chance in chances[v]:
            seed = min(int(chance * len(pool)), len(pool) - 1)
            home, loss = regroup(cols, codes, sensitive, pool, k, seed, width)
            if loss >= least - TOLERANCE:
                continue
            if caps is None or keeps_caps(caps, pool, home, len(pool) // k):
                least = loss
                best = home
        if len(best) > 0:
            _reassign(cols, codes, clusters, pool, best, near)
            n_better += 1
    return n_better

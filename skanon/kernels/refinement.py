"""Clustering a few neighbouring clusters anew, where that loses less."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clusters import link, reclose, unlink
from skanon.kernels.columns import join, record_rise, single
from skanon.kernels.jit import helper, kernel
from skanon.kernels.sequential import TOLERANCE, merging_rise


@helper
def _closest(cols, codes, pool, home, state, cost, h):
    """Find the first free record that raises what a record of row h pays least."""
    least = np.inf
    found = -1
    for m in range(pool.shape[0]):
        if home[m] < 0:
            bound = least - TOLERANCE
            distance = record_rise(cols, codes[pool[m]], state, h, cost, bound)
            if distance < bound:
                least = distance
                found = m
    return found


@helper
def _furthest(cols, codes, pool, home, state, cost, h):
    """Find the first free record that raises what a record of row h pays most."""
    most = -1.0
    found = -1
    for m in range(pool.shape[0]):
        if home[m] < 0:
            distance = record_rise(cols, codes[pool[m]], state, h, cost, np.inf)
            if distance > most + TOLERANCE:
                most = distance
                found = m
    return found


@helper
def _cheapest_home(cols, x, state, cost, size):
    """Find the first row whose summed loss rises least if the record x joins it."""
    least = np.inf
    found = -1
    for h in range(size.shape[0]):
        each = record_rise(cols, x, state, h, cost, np.inf)
        total = 0.0
        for j in range(x.shape[0]):
            total += cost[h, j]
        summed = total + (size[h] + 1) * each
        if summed < least - TOLERANCE:
            least = summed
            found = h
    return found


@helper
def _take(cols, x, state, cost, h, fresh):
    """Make row h cover the record x, alone if ``fresh``."""
    for j in range(x.shape[0]):
        if fresh:
            cost[h, j] = single(cols, j, x[j], state, h)
        else:
            cost[h, j] = join(cols, j, x[j], state, h, cost)


@kernel
def regroup(cols, codes, pool, k, seed, width):
    """Cluster some records greedily.

    Clusters of k are made one after the other: the first from a seed, the next from
    the record that is furthest from the cluster before; each takes in the records
    that raise its loss least. The fewer than k that are left join the clusters whose
    summed loss they raise least.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
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
    for h in range(n_clusters):
        m = seed
        if h > 0:
            m = _furthest(cols, codes, pool, home, state, cost, h - 1)
        while True:
            _take(cols, codes[pool[m]], state, cost, h, size[h] == 0)
            home[m] = h
            size[h] += 1
            if size[h] == k:
                break
            m = _closest(cols, codes, pool, home, state, cost, h)
    for m in range(len(pool)):
        if home[m] < 0:
            h = _cheapest_home(cols, codes[pool[m]], state, cost, size)
            _take(cols, codes[pool[m]], state, cost, h, False)
            home[m] = h
            size[h] += 1
    loss = 0.0
    for h in range(n_clusters):
        loss += size[h] * cost[h].sum()
    return home, loss


@kernel
def _neighbours(cols, clusters, h, n_near, scratch):
    """Name cluster h and those that it unites with at the least rises."""
    near = np.full(n_near + 1, h)
    rises = np.full(n_near + 1, np.inf)
    rises[0] = -np.inf
    found = 1
    for other in range(clusters.size.shape[0]):
        if other == h or clusters.size[other] == 0:
            continue
        bound = rises[n_near] - TOLERANCE
        united = merging_rise(cols, clusters, h, other, bound, scratch)
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


@kernel
def _rehouse(cols, codes, clusters, pool, home, near):
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
        unlink(clusters, i)
    for m in range(len(pool)):
        link(clusters, pool[m], slots[home[m]])
    for h in slots:
        reclose(cols, codes, clusters, h)


@kernel
def refine(cols, codes, clusters, k, visits, chances, n_near):
    """Pool clusters with their nearest, and cluster the pools anew where it pays.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
        All of at least k records; changed in place. There is room for n // k.
    k : int
    visits : int32 (n_visits,)
        Clusters, in the order of their visits; empty ones are passed over.
    chances : float64 (n_visits, n_trials)
        Numbers from 0 to 1: where in the pool, in the records' order, the seeds are.
    n_near : int
        How many of its nearest clusters a cluster is pooled with.

    Returns
    -------
    n_better : int
        How many pools lose less now.
    """
    width = clusters.state.shape[1]
    scratch = np.zeros((1, width), dtype=np.int64)
    n_better = 0
    for v in range(len(visits)):
        h = visits[v]
        if clusters.size[h] == 0:
            continue
        near = _neighbours(cols, clusters, h, n_near, scratch)
        pool = _members(clusters, near)
        least = 0.0
        for other in near:
            least += clusters.size[other] * clusters.total[other]
        best = np.zeros(0, dtype=np.int32)
        for chance in chances[v]:
            seed = min(int(chance * len(pool)), len(pool) - 1)
            home, loss = regroup(cols, codes, pool, k, seed, width)
            if loss < least - TOLERANCE:
                least = loss
                best = home
        if len(best) > 0:
            _rehouse(cols, codes, clusters, pool, best, near)
            n_better += 1
    return n_better

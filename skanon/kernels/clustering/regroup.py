"""Clustering a few records greedily."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.columns import TOLERANCE
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import joining_rise, row_total, sensitive_of, take
from skanon.kernels.jit import helper, inlined, kernel


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

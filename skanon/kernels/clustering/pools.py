"""Clustering a few near clusters anew, again and again, and keeping what is better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.clusters import link, reclose, unlink
from skanon.kernels.clustering.merging import merging_rise
from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import (
    TOLERANCE,
    copy_state,
    join,
    merge,
    price_of,
    rise,
    same_state,
    single,
)
from skanon.kernels.core.rows import (
    joining_rise,
    row_total,
    sensitive_of,
    take,
)
from skanon.kernels.jit import helper, inlined, kernel

HAIR = 1e-9
"""A move or an exchange inside of a pool gains at least this much."""

AGAIN = 8
"""So often the near clusters of a cluster that stayed as it was are not looked up."""

NOISE = 0.3
"""How much nearness is perturbed: the rise of a union counts up to 30 % more."""

HOPELESS = 0.1
"""A greedy clustering that loses more by so much of the pool's loss is given up."""


class Pool(NamedTuple):
    """Some records and a clustering of them, and what its search remembers.

    There is room for ``most`` records in ``q`` clusters. Rows 0 to q - 1 of ``state``,
    ``cost``, ``total`` and ``mix`` are the clusters; row q + m is what the cluster of
    record m is without it; after these there is scratch.

    Attributes
    ----------
    record : int32 (most,)
        The records' numbers in the table.
    code : int32 (most, r)
        Their codes.
    value : int64 (most,)
        Their sensitive values.
    home : int64 (most,)
        Each record's cluster, or -1.
    member : int64 (q, most)
        Each cluster's records, by their places in ``record``.
    size : int64 (q,)
    state : int64 (q + 2 most, width)
    cost : float64 (q + 2 most, r)
        What a record of each row pays on average, by column.
    total : float64 (q + 2 most,)
        The same, summed.
    mix : int32 (q + 2 most, n_sensitive)
    least : float64 (most,)
        What a cluster costs at least once a record has joined it.
    best_record : int32 (most,)
    best_home : int64 (most,)
        The best clustering of the records so far.
    joined : int64 (1, width)
    mixed : int32 (1, n_sensitive)
        Scratch.
    near : int64 (capacity, n_near)
        For each cluster of the table those that it is nearest to, or -1.
    rises : float64 (capacity, n_near)
        By how much the summed loss rises if both are united.
    fresh : int64 (capacity,)
        How often ``near`` may still be used.
    chosen : int64 (q + n_near + 1,)
        The clusters of the table that the records are from, or go to.
    luck : uint64 (1,)
        The state of the random numbers.
    """

    record: np.ndarray
    code: np.ndarray
    value: np.ndarray
    home: np.ndarray
    member: np.ndarray
    size: np.ndarray
    state: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    mix: np.ndarray
    least: np.ndarray
    best_record: np.ndarray
    best_home: np.ndarray
    joined: np.ndarray
    mixed: np.ndarray
    near: np.ndarray
    rises: np.ndarray
    fresh: np.ndarray
    chosen: np.ndarray
    luck: np.ndarray


class Effort(NamedTuple):
    """How pools are searched.

    Attributes
    ----------
    k : int
    n_others : int
        With how many near clusters a cluster is pooled.
    n_trials : int
        How often a pool is clustered anew.
    temperature : float
        By how much the loss of a pool may rise, on average of an exponential
        distribution: the way out of what no pool makes better.
    larger : bool
        Whether clusters shall be as large as before, instead of as small as may be,
        in half of the pools: with constraints, small ones seldom keep them.
    """

    k: int
    n_others: int
    n_trials: int
    temperature: float
    larger: bool


def pool_of(clusters, most, q, n_near, seed):
    """Make room for pools of some clusters.

    Parameters
    ----------
    clusters : Clusters
    most : int
        The most records of a pool.
    q : int
        The most clusters that these may be put in.
    n_near : int
        How many near clusters each cluster remembers.
    seed : int
    """
    capacity, width = clusters.state.shape
    r = clusters.cost.shape[1]
    n_sensitive = 1 if clusters.mixture is None else clusters.mixture.mix.shape[1]
    n_rows = q + 2 * most
    return Pool(
        record=np.zeros(most, dtype=np.int32),
        code=np.zeros((most, r), dtype=np.int32),
        value=np.zeros(most, dtype=np.int64),
        home=np.zeros(most, dtype=np.int64),
        member=np.zeros((q, most), dtype=np.int64),
        size=np.zeros(q, dtype=np.int64),
        state=np.zeros((n_rows, width), dtype=np.int64),
        cost=np.zeros((n_rows, r)),
        total=np.zeros(n_rows),
        mix=np.zeros((n_rows, n_sensitive), dtype=np.int32),
        least=np.zeros(max(most, n_near)),
        best_record=np.zeros(most, dtype=np.int32),
        best_home=np.zeros(most, dtype=np.int64),
        joined=np.zeros((1, width), dtype=np.int64),
        mixed=np.zeros((1, n_sensitive), dtype=np.int32),
        near=np.zeros((capacity, n_near), dtype=np.int64),
        rises=np.zeros((capacity, n_near)),
        fresh=np.zeros(capacity, dtype=np.int64),
        chosen=np.zeros(q + n_near + 1, dtype=np.int64),
        luck=np.array([2 * seed + 1], dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15),
    )


# ---------------------------------------------------------------- random numbers


@helper
def draw(luck):
    """Return the next number from 0 to 1 (Marsaglia's xorshift of 64 bits, 2003)."""
    bits = luck[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    luck[0] = bits
    return np.float64(bits >> np.uint64(11)) / 2.0**53


@helper
def _shuffle(pool, n):
    record = pool.record
    for m in range(n - 1, 0, -1):
        other = int(draw(pool.luck) * (m + 1))
        record[m], record[other] = record[other], record[m]


# ------------------------------------------------------------ clusters of a pool


@helper
def _cost_with(cols, pool, m, h, bound):
    """Return what row h costs once record m has joined it, or more than the bound."""
    return pool.total[h] + joining_rise(
        cols,
        cols.curve,
        pool.code[m],
        pool.value[m],
        pool.state,
        pool.cost,
        pool.mix,
        h,
        bound - pool.total[h],
        pool.joined,
        pool.mixed,
    )


@helper
def _put(pool, m, h):
    pool.home[m] = h
    pool.member[h, pool.size[h]] = m
    pool.size[h] += 1


@helper
def _drop(pool, m):
    h = pool.home[m]
    at = 0
    while pool.member[h, at] != m:
        at += 1
    pool.size[h] -= 1
    pool.member[h, at] = pool.member[h, pool.size[h]]


@helper
def _widen(cols, curve, pool, m, h):
    """Make row h cover record m, alone if the row is empty."""
    layout, tree, price = cols.layout, cols.tree, cols.price
    code, state, cost = pool.code, pool.state, pool.cost
    if pool.size[h] == 0:
        for c in range(pool.mix.shape[1]):
            pool.mix[h, c] = 0
    if curve is None and pool.size[h] > 0:
        pool.total[h] = 0.0
        for j in range(code.shape[1]):
            cost[h, j] += rise(layout, tree, price, j, state, h, cost, code[m, j])
            join(layout, tree, j, code[m, j], state, h)
            pool.total[h] += cost[h, j]
    else:
        alone = pool.size[h] == 0
        take(cols, code[m], pool.value[m], state, cost, pool.mix, h, alone)
        pool.total[h] = row_total(curve, cost, pool.mix, h)


@helper
def _add(cols, pool, m, h):
    _widen(cols, cols.curve, pool, m, h)
    _put(pool, m, h)


@inlined
def _first(cols, pool, n, h, furthest):
    """Find the free record that cluster h begins with."""
    found = -1
    most = -np.inf
    for m in range(n):
        if pool.home[m] >= 0:
            continue
        if h == 0 or not furthest:
            return m
        away = _cost_with(cols, pool, m, h - 1, np.inf)
        if away > most:
            most = away
            found = m
    return found


@inlined
def _fill(cols, pool, n, h, k):
    """Let the free records join cluster h that raise its loss least, up to k.

    What a cluster costs together with a record only grows as the cluster does, so that
    an old figure is a lower bound, and few need be computed anew. (Of a curve that is
    not quite so; then it is a rule of thumb.)
    """
    least = pool.least
    for m in range(n):
        free = pool.home[m] < 0
        least[m] = _cost_with(cols, pool, m, h, np.inf) if free else np.inf
    while pool.size[h] < k:
        found = 0
        low, second = least[0], np.inf
        for m in range(1, n):
            cost = least[m]
            if cost < low:
                low, second = cost, low
                found = m
            elif cost < second:
                second = cost
        now = _cost_with(cols, pool, found, h, np.inf)
        if now <= second + TOLERANCE:
            _add(cols, pool, found, h)
            least[found] = np.inf
        else:
            least[found] = now


@helper
def cluster_greedily(cols, pool, n, q, k, furthest):
    """Cluster n records into q clusters of k; the rest joins where it costs least.

    Parameters
    ----------
    cols : Columns
    pool : Pool
        ``code`` and ``value`` are given; the clustering is written.
    n, q, k : int
        ``q * k`` is at most n.
    furthest : bool
        Whether a cluster begins with the record that costs most with the one before,
        instead of the first that is free.

    Returns
    -------
    float
        The loss, summed over the records.
    """
    for m in range(n):
        pool.home[m] = -1
    for h in range(q):
        pool.size[h] = 0
    for h in range(q):
        _add(cols, pool, _first(cols, pool, n, h, furthest), h)
        _fill(cols, pool, n, h, k)
    for m in range(n):
        if pool.home[m] < 0:
            least = np.inf
            home = 0
            for h in range(q):
                more = (pool.size[h] + 1) * _cost_with(cols, pool, m, h, np.inf)
                more -= pool.size[h] * pool.total[h]
                if more < least:
                    least = more
                    home = h
            _add(cols, pool, m, home)
    loss = 0.0
    for h in range(q):
        loss += pool.size[h] * pool.total[h]
    return loss


# --------------------------------------------------------- moves and exchanges


@helper
def _close(cols, pool, h):
    """Close cluster h, and what it is without each of its records.

    A record's rest is covered by what comes before it and what comes after it.
    """
    layout, tree = cols.layout, cols.tree
    code, state, member = pool.code, pool.state, pool.member
    base = pool.size.shape[0]
    spare = base + pool.home.shape[0]
    size = pool.size[h]
    for j in range(code.shape[1]):
        single(layout, tree, j, code[member[h, size - 1], j], state, spare + size - 1)
        for at in range(size - 2, -1, -1):
            copy_state(layout, j, state, spare + at + 1, state, spare + at)
            join(layout, tree, j, code[member[h, at], j], state, spare + at)
        copy_state(layout, j, state, spare, state, h)
        if size == 1:
            continue
        first = member[h, 0]
        copy_state(layout, j, state, spare + 1, state, base + first)
        single(layout, tree, j, code[first, j], state, spare)
        for at in range(1, size):
            m = member[h, at]
            copy_state(layout, j, state, spare, state, base + m)
            if at < size - 1:
                merge(layout, tree, j, state, base + m, state, spare + at + 1)
                join(layout, tree, j, code[m, j], state, spare)
    for c in range(pool.mix.shape[1]):
        pool.mix[h, c] = 0
    for at in range(size):
        pool.mix[h, pool.value[member[h, at]]] += 1
    price_row(cols, cols.curve, state, pool.cost, pool.mix, h)
    pool.total[h] = row_total(cols.curve, pool.cost, pool.mix, h)
    for at in range(size):
        _price_rest(cols, cols.curve, pool, h, member[h, at])


@helper
def _price_rest(cols, curve, pool, h, m):
    """Compute what cluster h costs without its record m."""
    layout, price = cols.layout, cols.price
    state, cost = pool.state, pool.cost
    row = pool.size.shape[0] + m
    if curve is None:
        pool.total[row] = 0.0
        for j in range(cost.shape[1]):
            if same_state(layout, j, state, row, state, h):
                cost[row, j] = cost[h, j]
            else:
                cost[row, j] = price_of(layout, price, j, state, row)
            pool.total[row] += cost[row, j]
    else:
        for c in range(pool.mix.shape[1]):
            pool.mix[row, c] = pool.mix[h, c]
        pool.mix[row, pool.value[m]] -= 1
        price_row(cols, curve, state, cost, pool.mix, row)
        pool.total[row] = row_total(curve, cost, pool.mix, row)


@inlined
def _best_move(cols, pool, q, m):
    """Find the cluster that record m had better be in, or -1, and the gain."""
    size, total = pool.size, pool.total
    a = pool.home[m]
    leaving = size[a] * total[a] - (size[a] - 1) * total[size.shape[0] + m]
    gain = HAIR
    found = -1
    for b in range(q):
        if b == a:
            continue
        paid = size[b] * total[b]
        bound = (leaving - gain + paid) / (size[b] + 1)
        if bound <= total[b]:
            continue
        now = leaving - (size[b] + 1) * _cost_with(cols, pool, m, b, bound) + paid
        if now > gain + TOLERANCE:  # what has met the bound may be more by a hair
            gain = now
            found = b
    return found, gain


@inlined
def _best_exchange(cols, pool, n, m):
    """Find the record that m had better change places with, or -1, and the gain."""
    size, total, home = pool.size, pool.total, pool.home
    base = size.shape[0]
    a = home[m]
    leaving = size[a] * (total[a] - total[base + m])
    gain = HAIR
    found = -1
    if leaving <= HAIR:
        return found, gain
    for o in range(n):
        b = home[o]
        if b == a:
            continue
        rest = total[base + o]
        room = leaving + size[b] * (total[b] - rest)
        if room <= gain + TOLERANCE:
            continue
        bound = rest + (room - gain) / size[b]
        room -= size[b] * (_cost_with(cols, pool, m, base + o, bound) - rest)
        if room <= gain + TOLERANCE:
            continue
        rest = total[base + m]
        bound = rest + (room - gain) / size[a]
        room -= size[a] * (_cost_with(cols, pool, o, base + m, bound) - rest)
        if room > gain + TOLERANCE:
            gain = room
            found = o
    return found, gain


@helper
def settle(cols, pool, n, q, k):
    """Move records out of clusters larger than k, and exchange two, while that helps.

    Parameters
    ----------
    cols : Columns
    pool : Pool
        With a clustering, which is changed.
    n, q, k : int
        The numbers of records and of clusters, and the least size of these.

    Returns
    -------
    float
        By how much the summed loss has fallen.
    """
    for h in range(q):
        _close(cols, pool, h)
    fallen = 0.0
    quiet = 0
    m = -1
    while quiet < n:
        m = (m + 1) % n
        quiet += 1
        a = pool.home[m]
        b = -1
        gain = 0.0
        other = -1
        if pool.size[a] > k:
            b, gain = _best_move(cols, pool, q, m)
        if b < 0:
            other, gain = _best_exchange(cols, pool, n, m)
            if other < 0:
                continue
            b = pool.home[other]
            _drop(pool, other)
        _drop(pool, m)
        _put(pool, m, b)
        if other >= 0:
            _put(pool, other, a)
        _close(cols, pool, a)
        _close(cols, pool, b)
        fallen += gain
        quiet = 0
    return fallen


# -------------------------------------------------------- the table's clusters


@helper
def _look_around(cols, clusters, pool, h):
    """List those clusters of the table which h unites with at the least rises."""
    near, rises = pool.near, pool.rises
    last = near.shape[1] - 1
    for at in range(last + 1):
        near[h, at] = -1
        rises[h, at] = np.inf
    for other in range(clusters.size.shape[0]):
        if other == h or clusters.size[other] == 0:
            continue
        bound = rises[h, last]
        united = merging_rise(
            cols,
            cols.curve,
            clusters,
            clusters.mixture,
            h,
            other,
            bound,
            pool.joined,
            pool.mixed,
        )
        if united >= bound:
            continue
        at = last
        while at > 0 and united < rises[h, at - 1]:
            near[h, at] = near[h, at - 1]
            rises[h, at] = rises[h, at - 1]
            at -= 1
        near[h, at] = other
        rises[h, at] = united


@inlined
def _choose(clusters, pool, h, n_others):
    """Choose h and some near clusters at random, rather the nearest; count them."""
    near, least, chosen = pool.near, pool.least, pool.chosen
    for at in range(near.shape[1]):
        other = near[h, at]
        least[at] = np.inf
        if other >= 0 and clusters.size[other] > 0:
            least[at] = pool.rises[h, at] * (1.0 + NOISE * draw(pool.luck))
    chosen[0] = h
    size = clusters.size[h]
    found = 1
    while found <= n_others:
        nearest = 0
        for at in range(1, near.shape[1]):
            if least[at] < least[nearest]:
                nearest = at
        if least[nearest] == np.inf:
            break
        other = near[h, nearest]
        least[nearest] = np.inf
        if size + clusters.size[other] <= pool.home.shape[0]:
            size += clusters.size[other]
            chosen[found] = other
            found += 1
    return found


@inlined
def _list_records(clusters, pool, found):
    """List the records of the chosen clusters; return their number and their loss."""
    n = 0
    loss = 0.0
    for at in range(found):
        h = pool.chosen[at]
        loss += clusters.size[h] * clusters.total[h]
        i = clusters.head[h]
        while i >= 0:
            pool.record[n] = i
            n += 1
            i = clusters.after[i]
    return n, loss


@inlined
def _read_records(cols, codes, sensitive, pool, n):
    for m in range(n):
        i = pool.record[m]
        pool.value[m] = sensitive_of(cols.curve, sensitive, i)
        for j in range(codes.shape[1]):
            pool.code[m, j] = codes[i, j]


@kernel
def search_pool(cols, codes, sensitive, clusters, pool, effort, h):
    """Pool cluster h with near ones, and cluster them anew.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        All of at least k records.
    pool : Pool
        The best clustering is written.
    effort : Effort
    h : int

    Returns
    -------
    n : int
        The number of records that had better be clustered anew; 0 if none.
    found : int
        From so many clusters they are: the first of ``chosen``.
    """
    size = clusters.size[h]
    if size == 0 or size > pool.home.shape[0]:
        return 0, 0
    if pool.fresh[h] == 0:
        _look_around(cols, clusters, pool, h)
        pool.fresh[h] = AGAIN
    pool.fresh[h] -= 1
    found = _choose(clusters, pool, h, effort.n_others)
    n, before = _list_records(clusters, pool, found)
    k, q = effort.k, min(n // effort.k, pool.size.shape[0])
    if effort.larger and draw(pool.luck) < 0.5:
        q = min(found, q)
    each = n // q if effort.larger else k
    least = before - effort.temperature * np.log(1.0 - draw(pool.luck))
    better = 0
    for trial in range(effort.n_trials):
        _shuffle(pool, n)
        _read_records(cols, codes, sensitive, pool, n)
        loss = cluster_greedily(cols, pool, n, q, each, trial % 2 == 0)
        if loss - before <= HOPELESS * abs(before) + HAIR:
            loss -= settle(cols, pool, n, q, k)
        if loss < least - TOLERANCE and abs(loss - before) > HAIR:
            least = loss
            better = n
            for m in range(n):
                pool.best_record[m] = pool.record[m]
                pool.best_home[m] = pool.home[m]
    return better, found


@kernel
def accept(cols, codes, clusters, pool, n, found):
    """Cluster the pool's records as the best clustering does."""
    chosen = pool.chosen
    q = 0
    for m in range(n):
        q = max(q, pool.best_home[m] + 1)
        unlink(clusters, clusters.mixture, pool.best_record[m])
    empty = -1
    for at in range(found, q):
        taken = True
        while taken:
            empty += 1
            taken = clusters.size[empty] > 0
            for other in range(found):
                taken = taken or chosen[other] == empty
        chosen[at] = empty
    for m in range(n):
        link(clusters, clusters.mixture, pool.best_record[m], chosen[pool.best_home[m]])
    for at in range(max(found, q)):
        pool.fresh[chosen[at]] = 0
        if clusters.size[chosen[at]] > 0:
            reclose(cols, codes, clusters, chosen[at])


@kernel
def improve(cols, codes, sensitive, clusters, pool, effort, visits):
    """Pool clusters with near ones, and take what is better.

    Parameters
    ----------
    cols, codes, sensitive, clusters, pool, effort
        As for :func:`search_pool`; ``clusters`` are changed in place.
    visits : int32 (n_visits,)
        Clusters, in the order of their visits; empty ones are passed over.

    Returns
    -------
    n_taken : int
        How many pools were clustered anew.
    """
    n_taken = 0
    for h in visits:
        n, found = search_pool(cols, codes, sensitive, clusters, pool, effort, h)
        if n > 0:
            accept(cols, codes, clusters, pool, n, found)
            n_taken += 1
    return n_taken

"""The inner loops of sequential clustering.

Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions on
Data Privacy 3 (2010), section 6.3, Algorithm 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clusters import (
    cover,
    leave,
    link,
    reclose,
    refollow,
    unlink,
    without,
)
from skanon.kernels.columns import START, WIDTH, merge, rise
from skanon.kernels.jit import helper, kernel

TOLERANCE = 1e-12
"""Differences of loss below this are rounding, not improvement."""


BLOCK = 64
"""So many clusters share an entry of ``Memory.recent``."""


class Memory(NamedTuple):
    """What earlier visits found out, so that it need not be computed again.

    If at time ``visited[i]`` record i could join no other cluster at a rise below
    ``gain[i]``, then later only clusters that have changed since may be better.

    Attributes
    ----------
    gain : float64 (n,)
    visited : int64 (n,)
    changed : int64 (capacity,)
        When each cluster last changed.
    recent : int64 (capacity // BLOCK + 1,)
        When any of a block of clusters last changed.
    clock : int64 (2,)
        The present, and how many clusters are in use.
    alike : int32 (n, 2)
        For each record two others that are likely to be like it. Their clusters give
        a first bound to the search.
    """

    gain: np.ndarray
    visited: np.ndarray
    changed: np.ndarray
    recent: np.ndarray
    clock: np.ndarray
    alike: np.ndarray


@helper
def note_change(memory, h):
    """Note that cluster h has just changed."""
    memory.changed[h] = memory.clock[0]
    memory.recent[h // BLOCK] = memory.clock[0]


@helper
def best_cluster(cols, codes, clusters, memory, i, bound):
    """Find the cluster that record i joins at the least rise of the summed loss.

    Joining cluster h raises it by ``gc(h) + (|h| + 1) * (rise of gc)``, which is never
    below gc(h) for a monotone loss. So columns are added one at a time, and a cluster
    is given up as soon as the sum reaches the best so far; and clusters that have not
    changed since the record's last visit are left out where that visit rules them
    out. The result is the same as without either.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
    memory : Memory
    i : int
        A record; its own cluster is no candidate.
    bound : float
        Only rises below this count.

    Returns
    -------
    h : int
        The cluster (the first of equals), or -1 where all reach the bound.
    least : float
        Its rise, or the bound.
    """
    layout, tree, price = cols
    state, cost = clusters.state, clusters.cost
    order, follow = clusters.order, clusters.follow
    total, members, changed = clusters.total, clusters.size, memory.changed
    own = clusters.label[i]
    since = memory.visited[i] if bound <= memory.gain[i] else -1
    least = bound
    best = bound - TOLERANCE
    found = -1
    p = -memory.alike.shape[1]
    while p < memory.clock[1]:
        if p >= 0 and p % BLOCK == 0 and memory.recent[p // BLOCK] <= since:
            p += BLOCK
            continue
        h = p if p >= 0 else clusters.label[memory.alike[i, p]]
        p += 1
        summed = total[h]
        if summed >= best or changed[h] <= since or h == own or members[h] == 0:
            continue
        size = members[h] + 1
        q = follow[h, 0]
        while q < order.shape[0] and summed < best:
            j = order[q]
            summed += size * rise(layout, tree, price, j, state, h, cost, codes[i, j])
            q = follow[h, q + 1]
        if p <= 0:
            best = min(best, summed + TOLERANCE)  # the search proper can't end worse
        elif summed < best:
            least = summed
            best = summed - TOLERANCE
            found = h
    return found, least


@kernel
def split(cols, codes, clusters, memory, ranks, h):
    """Split cluster h into halves at random: the higher ranks become a new cluster.

    ``ranks`` (int32 (n,)) is a random permutation; the new cluster is the first that
    is not in use yet.
    """
    members = np.empty(clusters.size[h], dtype=np.int32)
    i = clusters.head[h]
    for m in range(len(members)):
        members[m] = i
        i = clusters.after[i]
    members = members[np.argsort(ranks[members])]
    new = memory.clock[1]
    memory.clock[1] += 1
    for i in members[(len(members) + 1) // 2 :]:
        unlink(clusters, i)
        link(clusters, i, new)
    memory.clock[0] += 1
    for half in (h, new):
        reclose(cols, codes, clusters, half)
        note_change(memory, half)


@kernel
def move_records(cols, codes, clusters, memory, visits, ranks, largest):
    """Visit records and move each to where the summed loss falls most.

    Steps 2 to 8 of Algorithm 1 for some of the records.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
        Changed in place. A cluster that loses its last member keeps its place with
        size 0.
    memory : Memory
        Changed in place.
    visits : int32 (n_visits,)
        The records, in the order of their visits.
    ranks : int32 (n,)
        A random permutation, by which clusters are split.
    largest : int
        A cluster that grows beyond this is split into halves at once.

    Returns
    -------
    n_visited : int
        Less than ``n_visits`` where there was no cluster left for a split.
    n_moved : int
    """
    state = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    moved = 0
    for at in range(len(visits)):
        if memory.clock[1] == clusters.size.shape[0]:
            return at, moved
        i = visits[at]
        own = clusters.label[i]
        size = clusters.size[own]
        same = memory.changed[own] <= memory.visited[i]
        gain = memory.gain[i] if same else np.inf
        rest = 0.0
        if size > 1 and not same:
            rest = without(cols, codes, clusters, i, state, cost)
            gain = size * clusters.total[own] - (size - 1) * rest
        h, least = best_cluster(cols, codes, clusters, memory, i, gain)
        memory.gain[i] = least
        memory.visited[i] = memory.clock[0]
        if h < 0:
            continue
        if size > 1 and same:
            rest = without(cols, codes, clusters, i, state, cost)
        leave(cols, clusters, i, state, cost, rest)
        cover(cols, codes, clusters, i, h)
        link(clusters, i, h)
        memory.clock[0] += 1
        note_change(memory, own)
        note_change(memory, h)
        moved += 1
        if clusters.size[h] > largest:
            split(cols, codes, clusters, memory, ranks, h)
    return len(visits), moved


@helper
def merging_rise(cols, clusters, a, b, bound, scratch):
    """Return by how much uniting a and b raises the summed loss.

    Columns are added one at a time; once the bound is reached, the rest is left out.
    ``scratch`` is int64 (1, width).
    """
    cost, order, follow = clusters.cost, clusters.order, clusters.follow
    if clusters.total[a] < clusters.total[b]:
        a, b = b, a  # the costlier one bounds the union better
    size = clusters.size[a] + clusters.size[b]
    summed = clusters.size[b] * (clusters.total[a] - clusters.total[b])
    q = follow[a, 0]
    while q < order.shape[0] and summed < bound:
        j = order[q]
        start = cols.layout[j, START]
        for w in range(start, start + cols.layout[j, WIDTH]):
            scratch[0, w] = clusters.state[a, w]
        summed += size * (merge(cols, j, scratch, 0, clusters.state, b) - cost[a, j])
        q = follow[a, q + 1]
    return summed


@helper
def _nearest(cols, clusters, candidates, a, scratch):
    """Find the candidate (of size > 0, not a) which a unites with at least rise."""
    best = np.inf
    found = -1
    for b in candidates:
        if b == a or clusters.size[b] == 0:
            continue
        united = merging_rise(cols, clusters, a, b, best - TOLERANCE, scratch)
        if united < best - TOLERANCE:
            best = united
            found = b
    return found, best


@helper
def _unite(cols, clusters, a, b):
    """Move cluster b's members into cluster a; b keeps its place with size 0."""
    total = 0.0
    for j in range(clusters.cost.shape[1]):
        clusters.cost[a, j] = merge(cols, j, clusters.state, a, clusters.state, b)
        total += clusters.cost[a, j]
    clusters.total[a] = total
    refollow(cols, clusters, a)
    i = clusters.head[b]
    while i >= 0:
        after = clusters.after[i]
        link(clusters, i, a)
        i = after
    clusters.head[b] = -1
    clusters.size[b] = 0


@kernel
def merge_small(cols, clusters, k):
    """Unite clusters of fewer than k records until none is left.

    Steps 11 to 14 of Algorithm 1: the two closest small clusters (the first pair of
    equals), by the rise of the summed loss, again and again; at last a single small
    one with whatever it is closest to. Each small cluster remembers its nearest, and
    looks anew only when that one is gone or has grown.
    """
    capacity = clusters.size.shape[0]
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    small = np.flatnonzero((clusters.size > 0) & (clusters.size < k))
    nearest = np.full(capacity, -1)
    rises = np.full(capacity, np.inf)
    for a in small:
        nearest[a], rises[a] = _nearest(cols, clusters, small, a, scratch)
    while len(small) > 1:
        a = small[0]
        for c in small:
            if rises[c] < rises[a] - TOLERANCE:
                a = c
        b = nearest[a]
        _unite(cols, clusters, a, b)
        grown = clusters.size[a] >= k
        small = small[small != b]
        if grown:
            small = small[small != a]
        for c in small:
            if c != a and (nearest[c] == a or nearest[c] == b):
                nearest[c], rises[c] = _nearest(cols, clusters, small, c, scratch)
            elif c != a and not grown:
                least = rises[c] - TOLERANCE
                if a < nearest[c]:
                    least = rises[c] + TOLERANCE  # the first of equals
                united = merging_rise(cols, clusters, c, a, least, scratch)
                if united < least:
                    nearest[c], rises[c] = a, united
        if not grown:
            nearest[a], rises[a] = _nearest(cols, clusters, small, a, scratch)
    for a in small:
        others = np.flatnonzero(clusters.size > 0)
        b, _ = _nearest(cols, clusters, others, a, scratch)
        if b >= 0:
            _unite(cols, clusters, b, a)

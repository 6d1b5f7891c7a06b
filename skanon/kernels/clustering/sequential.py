"""The inner loops of sequential clustering.

Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions on
Data Privacy 3 (2010), section 6.3, Algorithm 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.caps import carry, halve, may_join, may_leave
from skanon.kernels.clustering.clusters import (
    cover,
    leave,
    link,
    members_of,
    reclose,
    unlink,
    without,
)
from skanon.kernels.core.columns import (
    FIRST,
    FORM,
    LAST,
    OFFSET,
    PARENT,
    START,
    TOLERANCE,
    TREE,
    copy_state,
    join,
    rise,
)
from skanon.kernels.core.curve import entry, minority_records, sensitive_scratch, summed
from skanon.kernels.jit import helper, inlined, kernel

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
def best_cluster(
    cols, curve, codes, clusters, mixture, memory, i, bound, scratch, mix, caps=None
):
    """Find the cluster that record i joins at the least rise of the summed loss.

    Joining cluster h raises it by ``gc(h) + (|h| + 1) * (rise of gc)``, which is never
    below gc(h) for a loss that only grows. So columns are added one at a time, and a
    cluster is given up as soon as the sum reaches the best so far; and clusters that
    have not changed since the record's last visit are left out where that visit rules
    them out. Where a loss can fall, the sum starts with the floors of the record and
    of the cluster, less what the cluster pays now, and each column adds what is above
    them. The result is the same as without either.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    codes : int32 (n, r)
    clusters : Clusters
    mixture : Mixture or None
        That of ``clusters``.
    memory : Memory
    i : int
        A record; its own cluster is no candidate.
    bound : float
        Only rises below this count.
    scratch : int64 (1, width)
    mix : int32 (1, n_sensitive)
        Scratch, too.
    caps : Caps or None
        Clusters that would hold too much of a sensitive value are no candidates.

    Returns
    -------
    h : int
        The cluster (the first of equals), or -1 where all reach the bound.
    least : float
        Its rise, or the bound.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
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
        if curve is None and total[h] >= best:
            continue
        if changed[h] <= since or h == own or members[h] == 0:
            continue
        if caps is not None and not may_join(caps, i, h, members[h]):
            continue
        if curve is None:
            rises = total[h]
            size = members[h] + 1
            q = follow[h, 0]
            while q < order.shape[0] and rises < best:
                j = order[q]
                x = codes[i, j]
                rises += size * rise(layout, tree, price, j, state, h, cost, x)
                q = follow[h, q + 1]
        else:
            rises = _curved_rise(
                cols, curve, codes, clusters, mixture, i, h, best, scratch, mix
            )
        if p <= 0:
            best = min(best, rises + TOLERANCE)  # the search proper can't end worse
        elif rises < best:
            least = rises
            best = rises - TOLERANCE
            found = h
    return found, least


@inlined
def _curved_rise(cols, curve, codes, clusters, mixture, i, h, bound, scratch, mix):
    """Return by how much record i raises the summed loss of cluster h, or a bound."""
    layout, tree, price = cols.layout, cols.tree, cols.price
    table, least, penalty = curve.table, curve.floor, curve.penalty
    sensitive, mixes, floor, floored, above, slack = mixture
    state, order, follow = clusters.state, clusters.order, clusters.follow
    c = sensitive[i]
    rises = floor[h, c] - slack[h]
    if rises >= bound:
        return rises
    for d in range(mix.shape[1]):
        mix[0, d] = mixes[h, d]
    mix[0, c] += 1
    if penalty[0] > 0.0:
        rises += penalty[0] * (minority_records(mix, 0) - minority_records(mixes, h))
    q = follow[h, 0]
    while q < order.shape[0] and rises < bound:
        j = order[q]
        x = codes[i, j]
        if layout[j, FORM] == TREE:
            o = layout[j, OFFSET]
            node = o + state[h, layout[j, START]]
            if tree[node, FIRST] <= x <= tree[node, LAST]:
                rises += above[h, j] + table[node, c] - least[node, c]
            else:
                up = o + tree[node, PARENT]
                while not (tree[up, FIRST] <= x <= tree[up, LAST]):
                    up = o + tree[up, PARENT]
                for d in range(mix.shape[1]):
                    rises += mix[0, d] * table[up, d]
                rises -= floored[h, j] + least[node, c]
        else:
            copy_state(layout, j, state, h, scratch, 0)
            join(layout, tree, j, x, scratch, 0)
            rises -= floored[h, j] + entry(layout, price, curve, j, state, h, c)[1]
            rises += summed(layout, price, curve, j, scratch, 0, mix, 0)[0]
        q = follow[h, q + 1]
    return rises


@kernel
def split(cols, codes, clusters, memory, ranks, h, caps):
    """Split cluster h into halves at random: the higher ranks become a new cluster.

    ``ranks`` (int32 (n,)) is a random permutation; the new cluster is the first that is
    not in use yet. With caps, each sensitive value is halved by itself, and a cluster
    whose halves do not keep to the caps stays whole.
    """
    if caps is None:
        _halve_at_random(cols, codes, clusters, memory, ranks, h)
    elif not halve(cols, codes, clusters, ranks, h, memory.clock[1], caps):
        return
    new = memory.clock[1]
    memory.clock[1] += 1
    memory.clock[0] += 1
    note_change(memory, h)
    note_change(memory, new)


@inlined
def _halve_at_random(cols, codes, clusters, memory, ranks, h):
    members = members_of(clusters, h)
    members = members[np.argsort(ranks[members])]
    new = memory.clock[1]
    for i in members[(len(members) + 1) // 2 :]:
        unlink(clusters, clusters.mixture, i)
        link(clusters, clusters.mixture, i, new)
    reclose(cols, codes, clusters, h)
    reclose(cols, codes, clusters, new)


@kernel
def move_records(cols, codes, clusters, memory, visits, ranks, largest, caps=None):
    """Visit records and move each to where the summed loss falls most.

    Steps 2 to 8 of Algorithm 1, or 4 to 13 of Algorithm 2, for some of the records.

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
    caps : Caps or None
        How much of each sensitive value a cluster may hold; changed in place.

    Returns
    -------
    n_visited : int
        Less than ``n_visits`` where there was no cluster left for a split.
    n_moved : int
    """
    state = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    moved = 0
    for at in range(len(visits)):
        if memory.clock[1] == clusters.size.shape[0]:
            return at, moved
        i = visits[at]
        own = clusters.label[i]
        size = clusters.size[own]
        if caps is not None and size > 1 and not may_leave(caps, i, own, size):
            continue
        same = memory.changed[own] <= memory.visited[i]
        gain = memory.gain[i] if same else np.inf
        if size > 1 and not same:
            rest = without(cols, codes, clusters, i, state, mix)
            gain = size * clusters.total[own] - (size - 1) * rest
        h, least = best_cluster(
            cols,
            cols.curve,
            codes,
            clusters,
            clusters.mixture,
            memory,
            i,
            gain,
            scratch,
            mix,
            caps,
        )
        memory.gain[i] = least
        memory.visited[i] = memory.clock[0]
        if h < 0:
            continue
        if size > 1 and same:
            without(cols, codes, clusters, i, state, mix)
        leave(cols, clusters, i, state)
        link(clusters, clusters.mixture, i, h)
        cover(cols, codes, clusters, i, h)
        if caps is not None:
            carry(caps, i, own, h)
        memory.clock[0] += 1
        note_change(memory, own)
        note_change(memory, h)
        moved += 1
        if clusters.size[h] > largest:
            split(cols, codes, clusters, memory, ranks, h, caps)
    return len(visits), moved

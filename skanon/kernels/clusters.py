"""Clusters that records can leave and join in constant time, with their closures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.columns import (
    FORM,
    HIGH,
    INTERVAL,
    OFFSET,
    START,
    TOP,
    WIDTH,
    join,
    single,
    state_width,
)
from skanon.kernels.jit import helper, kernel


class Clusters(NamedTuple):
    """Clusters as doubly linked lists of records.

    Attributes
    ----------
    label : int32 (n,)
        Each record's cluster, or -1.
    after, before : int32 (n,)
        The next and the previous member of the same cluster, or -1.
    head : int32 (capacity,)
        A cluster's first member, or -1.
    size : int32 (capacity,)
    state : int64 (capacity, width)
        Each cluster's closure.
    cost : float64 (capacity, r)
        What a record of the cluster pays, by column.
    total : float64 (capacity,)
        The same, summed over the columns: the generalization cost gc.
    order : int32 (r,)
        The columns, those first that tell clusters apart best.
    follow : int16 (capacity, r + 1)
        ``follow[h, q]`` is the first position from q on in ``order`` whose column can
        still cost cluster h more, or r; columns that already cost all that they can
        need no look.
    """

    label: np.ndarray
    after: np.ndarray
    before: np.ndarray
    head: np.ndarray
    size: np.ndarray
    state: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    order: np.ndarray
    follow: np.ndarray


@helper
def link(clusters, i, h):
    """Put record i in front of cluster h's list."""
    head = clusters.head[h]
    clusters.label[i] = h
    clusters.after[i] = head
    clusters.before[i] = -1
    if head >= 0:
        clusters.before[head] = i
    clusters.head[h] = i
    clusters.size[h] += 1


@helper
def unlink(clusters, i):
    """Take record i out of its cluster's list."""
    h = clusters.label[i]
    after = clusters.after[i]
    before = clusters.before[i]
    if before >= 0:
        clusters.after[before] = after
    else:
        clusters.head[h] = after
    if after >= 0:
        clusters.before[after] = before
    clusters.size[h] -= 1
    clusters.label[i] = -1


@helper
def cover(cols, codes, clusters, i, h):
    """Widen the closure of cluster h so that it covers record i."""
    total = 0.0
    for j in range(codes.shape[1]):
        x = codes[i, j]
        clusters.cost[h, j] = join(cols, j, x, clusters.state, h, clusters.cost)
        total += clusters.cost[h, j]
    clusters.total[h] = total
    refollow(cols, clusters, h)


@helper
def refollow(cols, clusters, h):
    """Note which columns of cluster h can still cost more."""
    layout, _, price = cols
    r = clusters.order.shape[0]
    at = r
    clusters.follow[h, r] = r
    for q in range(r - 1, -1, -1):
        j = clusters.order[q]
        top = layout[j, OFFSET] + layout[j, TOP]
        if clusters.cost[h, j] < price[top, HIGH]:
            at = q
        clusters.follow[h, q] = at


@helper
def reclose(cols, codes, clusters, h):
    """Compute the closure of cluster h from its members."""
    first = clusters.head[h]
    total = 0.0
    for j in range(codes.shape[1]):
        cost = single(cols, j, codes[first, j], clusters.state, h)
        clusters.cost[h, j] = cost
        i = clusters.after[first]
        while i >= 0:
            cost = join(cols, j, codes[i, j], clusters.state, h, clusters.cost)
            clusters.cost[h, j] = cost
            i = clusters.after[i]
        total += cost
    clusters.total[h] = total
    refollow(cols, clusters, h)


@helper
def without(cols, codes, clusters, i, state, cost):
    """Compute the closure of record i's cluster without it.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
    i : int
        A record whose cluster has other members.
    state : int64 (1, width)
        The rest's closure is written here.
    cost : float64 (1, r)
        And what a record of the rest pays for it, by column, here.

    Returns
    -------
    float
        The rest's generalization cost.
    """
    total = 0.0
    for j in range(codes.shape[1]):
        cost[0, j] = _column_without(cols, codes, clusters, i, j, state, cost)
        total += cost[0, j]
    return total


@kernel
def leave(cols, clusters, i, state, cost, total):
    """Take record i out of its cluster, whose rest has been closed by ``without``.

    ``state``, ``cost`` and ``total`` are what ``without`` has written and returned; of
    a record that is alone they do not matter.
    """
    h = clusters.label[i]
    unlink(clusters, i)
    clusters.state[h] = state[0]
    clusters.cost[h] = cost[0]
    clusters.total[h] = total
    refollow(cols, clusters, h)


@helper
def _column_without(cols, codes, clusters, i, j, state, cost):
    h = clusters.label[i]
    s = cols.layout[j, START]
    whole = clusters.state
    after = clusters.after
    if cols.layout[j, FORM] == INTERVAL and whole[h, s] >= 0:
        if whole[h, s] < codes[i, j] < whole[h, s + 1]:  # the ends stay
            state[0, s] = whole[h, s]
            state[0, s + 1] = whole[h, s + 1]
            return clusters.cost[h, j]
    m = clusters.head[h]
    if m == i:
        m = after[m]
    cost[0, j] = single(cols, j, codes[m, j], state, 0)
    m = after[m]
    while m >= 0 and not _same(state, whole, h, s, s + cols.layout[j, WIDTH]):
        if m != i:
            cost[0, j] = join(cols, j, codes[m, j], state, 0, cost)
        m = after[m]
    return cost[0, j]


@helper
def _same(state, whole, h, start, stop):
    for w in range(start, stop):
        if state[0, w] != whole[h, w]:
            return False
    return True


@kernel
def gather(cols, codes, labels, capacity, order):
    """Build clusters from labels 0, 1, 2, … (-1: in none).

    Some of the ``capacity`` clusters may be empty. ``order`` is as in Clusters.
    """
    n, r = codes.shape
    width = state_width(cols)
    clusters = Clusters(
        np.full(n, -1, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
        np.full(capacity, -1, dtype=np.int32),
        np.zeros(capacity, dtype=np.int32),
        np.zeros((capacity, width), dtype=np.int64),
        np.zeros((capacity, r)),
        np.zeros(capacity),
        order,
        np.zeros((capacity, r + 1), dtype=np.int16),
    )
    for i in range(n - 1, -1, -1):
        if labels[i] >= 0:
            link(clusters, i, labels[i])
    for h in range(capacity):
        if clusters.size[h] > 0:
            reclose(cols, codes, clusters, h)
    return clusters

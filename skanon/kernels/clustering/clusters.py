"""Clusters that records can leave and join in constant time, with their closures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    FORM,
    HIGH,
    INTERVAL,
    OFFSET,
    START,
    TOP,
    copy_state,
    covers_all,
    join,
    price_of,
    same_state,
    single,
    state_width,
)
from skanon.kernels.core.curve import entry, joint_floor, minority_records, summed
from skanon.kernels.jit import helper, inlined, kernel


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
        What a record of the cluster pays on average, by column.
    total : float64 (capacity,)
        The same, summed over the columns: the generalization cost gc.
    order : int32 (r,)
        The columns, those first that tell clusters apart best.
    follow : int16 (capacity, r + 1)
        ``follow[h, q]`` is the first position from q on in ``order`` whose column can
        still cost cluster h more, or r; columns that already cost all that they can
        need no look.
    mixture : Mixture, or None
        None where costs are a price list's.
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
    mixture: object


class Mixture(NamedTuple):
    """What clusters hold for costs that are no price list's; see Curve.

    Attributes
    ----------
    sensitive : int32 (n,)
        Each record's sensitive value.
    mix : int32 (capacity, n_sensitive)
        How many records of each sensitive value a cluster has.
    floor : float64 (capacity, n_sensitive)
        What a record of each sensitive value must pay at least in the cluster, whatever
        joins it.
    floored : float64 (capacity, r)
        A lower bound of what the members pay together, whatever joins them, by column.
    above : float64 (capacity, r)
        By how much they pay more now.
    slack : float64 (capacity,)
        The sum of ``above`` over the columns.
    """

    sensitive: np.ndarray
    mix: np.ndarray
    floor: np.ndarray
    floored: np.ndarray
    above: np.ndarray
    slack: np.ndarray


def gather(cols, codes, sensitive, labels, capacity, order):
    """Build clusters from labels 0, 1, 2, … (-1: in none).

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
        The records' sensitive values.
    labels : int32 (n,)
    capacity : int
        The number of clusters; some of them may be empty.
    order : int32 (r,)
        As in Clusters.
    """
    n, r = codes.shape
    mixture = None
    if cols.curve is not None:
        n_sensitive = cols.curve.whole.shape[1] - 1
        mixture = Mixture(
            sensitive=sensitive,
            mix=np.zeros((capacity, n_sensitive), dtype=np.int32),
            floor=np.zeros((capacity, n_sensitive)),
            floored=np.zeros((capacity, r)),
            above=np.zeros((capacity, r)),
            slack=np.zeros(capacity),
        )
    clusters = Clusters(
        label=np.full(n, -1, dtype=np.int32),
        after=np.full(n, -1, dtype=np.int32),
        before=np.full(n, -1, dtype=np.int32),
        head=np.full(capacity, -1, dtype=np.int32),
        size=np.zeros(capacity, dtype=np.int32),
        state=np.zeros((capacity, state_width(cols.layout)), dtype=np.int64),
        cost=np.zeros((capacity, r)),
        total=np.zeros(capacity),
        order=order,
        follow=np.zeros((capacity, r + 1), dtype=np.int16),
        mixture=mixture,
    )
    _fill(cols, codes, clusters, labels)
    return clusters


@kernel
def _fill(cols, codes, clusters, labels):
    for i in range(codes.shape[0] - 1, -1, -1):
        if labels[i] >= 0:
            link(clusters, clusters.mixture, i, labels[i])
    for h in range(clusters.size.shape[0]):
        if clusters.size[h] > 0:
            reclose(cols, codes, clusters, h)


@helper
def link(clusters, mixture, i, h):
    """Put record i in front of cluster h's list."""
    head = clusters.head[h]
    clusters.label[i] = h
    clusters.after[i] = head
    clusters.before[i] = -1
    if head >= 0:
        clusters.before[head] = i
    clusters.head[h] = i
    clusters.size[h] += 1
    if mixture is not None:
        mixture.mix[h, mixture.sensitive[i]] += 1


@helper
def unlink(clusters, mixture, i):
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
    if mixture is not None:
        mixture.mix[h, mixture.sensitive[i]] -= 1


@kernel
def members_of(clusters, h):
    """List the records of a cluster in the table's order."""
    pool = np.empty(clusters.size[h], dtype=np.int32)
    i = clusters.head[h]
    for m in range(len(pool)):
        pool[m] = i
        i = clusters.after[i]
    return np.sort(pool)


@helper
def cover(cols, codes, clusters, i, h):
    """Widen the closure of cluster h so that it covers its new member i."""
    layout, tree = cols.layout, cols.tree
    for j in range(codes.shape[1]):
        join(layout, tree, j, codes[i, j], clusters.state, h)
    reprice(cols, cols.curve, clusters, clusters.mixture, h)


@helper
def reclose(cols, codes, clusters, h):
    """Compute the closure of cluster h from its members, and what it costs."""
    layout, tree = cols.layout, cols.tree
    first = clusters.head[h]
    for j in range(codes.shape[1]):
        single(layout, tree, j, codes[first, j], clusters.state, h)
        i = clusters.after[first]
        while i >= 0:
            join(layout, tree, j, codes[i, j], clusters.state, h)
            i = clusters.after[i]
    reprice(cols, cols.curve, clusters, clusters.mixture, h)


@helper
def reprice(cols, curve, clusters, mixture, h):
    """Compute what cluster h costs, from its closure and the members' sensitives."""
    layout, price = cols.layout, cols.price
    state, cost = clusters.state, clusters.cost
    total = 0.0
    if curve is None:
        for j in range(cost.shape[1]):
            cost[h, j] = price_of(layout, price, j, state, h)
            total += cost[h, j]
    else:
        mix, floor, floored = mixture.mix, mixture.floor, mixture.floored
        above, slack = mixture.above, mixture.slack
        size = clusters.size[h]
        slack[h] = 0.0
        for c in range(floor.shape[1]):
            floor[h, c] = 0.0
        for j in range(cost.shape[1]):
            paid, least = summed(layout, price, curve, j, state, h, mix, h)
            floored[h, j] = joint_floor(cols, curve, j, state, h, mix, least)
            cost[h, j] = paid / size
            total += cost[h, j]
            above[h, j] = paid - floored[h, j]
            slack[h] += above[h, j]
            for c in range(floor.shape[1]):
                floor[h, c] += entry(layout, price, curve, j, state, h, c)[1]
        total += curve.penalty[0] * minority_records(mix, h) / size
    clusters.total[h] = total
    _refollow(cols, curve, clusters, h)


@inlined
def _refollow(cols, curve, clusters, h):
    """Note which columns of cluster h can still cost more."""
    layout, price = cols.layout, cols.price
    r = clusters.order.shape[0]
    at = r
    clusters.follow[h, r] = r
    for q in range(r - 1, -1, -1):
        j = clusters.order[q]
        if _can_rise(layout, price, curve, j, clusters.state, clusters.cost, h):
            at = q
        clusters.follow[h, q] = at


@helper
def _can_rise(layout, price, curve, j, state, cost, h):
    if curve is None:
        return cost[h, j] < price[layout[j, OFFSET] + layout[j, TOP], HIGH]
    return not covers_all(layout, j, state, h)


@helper
def without(cols, codes, clusters, i, state, mix):
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
    mix : int32 (1, n_sensitive)
        Scratch.

    Returns
    -------
    float
        The rest's generalization cost.
    """
    for j in range(codes.shape[1]):
        _column_without(cols, codes, clusters, i, j, state)
    return _price_without(cols, cols.curve, clusters, clusters.mixture, i, state, mix)


@helper
def _price_without(cols, curve, clusters, mixture, i, state, mix):
    layout, price = cols.layout, cols.price
    h = clusters.label[i]
    total = 0.0
    if curve is None:
        for j in range(clusters.cost.shape[1]):
            if same_state(layout, j, state, 0, clusters.state, h):
                total += clusters.cost[h, j]
            else:
                total += price_of(layout, price, j, state, 0)
    else:
        for c in range(mix.shape[1]):
            mix[0, c] = mixture.mix[h, c]
        mix[0, mixture.sensitive[i]] -= 1
        total = curve.penalty[0] * minority_records(mix, 0)
        for j in range(clusters.cost.shape[1]):
            total += summed(layout, price, curve, j, state, 0, mix, 0)[0]
        total /= clusters.size[h] - 1
    return total


@kernel
def leave(cols, clusters, i, state):
    """Take record i out of its cluster, whose rest has been closed by ``without``.

    ``state`` is what ``without`` has written; of a record that is alone it does not
    matter.
    """
    h = clusters.label[i]
    unlink(clusters, clusters.mixture, i)
    clusters.state[h] = state[0]
    if clusters.size[h] > 0:
        reprice(cols, cols.curve, clusters, clusters.mixture, h)


@inlined
def _column_without(cols, codes, clusters, i, j, state):
    layout, tree = cols.layout, cols.tree
    h = clusters.label[i]
    s = layout[j, START]
    whole = clusters.state
    after = clusters.after
    if layout[j, FORM] == INTERVAL and whole[h, s] >= 0:
        if whole[h, s] < codes[i, j] < whole[h, s + 1]:  # the ends stay
            copy_state(layout, j, whole, h, state, 0)
            return
    m = clusters.head[h]
    if m == i:
        m = after[m]
    single(layout, tree, j, codes[m, j], state, 0)
    m = after[m]
    while m >= 0 and not same_state(layout, j, state, 0, whole, h):
        if m != i:
            join(layout, tree, j, codes[m, j], state, 0)
        m = after[m]

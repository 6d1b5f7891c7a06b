"""The k nearest records of a set, found through a trie.

A trie holds a set's records, column by column: those that begin with the same values
share what it costs to be published with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import join, single
from skanon.kernels.core.curve import floor_of
from skanon.kernels.jit import helper, inlined


class Trie(NamedTuple):
    """A set's records as a trie, whose nodes follow each other depth first.

    Values are *slots*: the items of the set, numbered column by column.

    Attributes
    ----------
    depth, slot : int32 (capacity,)
        A node's column among those of the trie, and its value.
    skip : int32 (capacity,)
        The next node that is not below this one.
    weight, record : int32 (capacity,)
        Of a node of the last column: how many records it stands for, and one of them.
    size : int64 (3,)
        The number of nodes, of columns, and of plantings.
    key : int64 (n_open,)
        The trie's columns.
    path : int64 (n_open,)
        The last node of each column, while the trie grows.
    slot_of, planted : int32 (n_items,)
        An item's slot, valid if it was given at this planting.
    item_of : int32 (n_items,)
        A slot's item.
    first : int64 (n_open + 1,)
        The first slot of each column.
    """

    depth: np.ndarray
    slot: np.ndarray
    skip: np.ndarray
    weight: np.ndarray
    record: np.ndarray
    size: np.ndarray
    key: np.ndarray
    path: np.ndarray
    slot_of: np.ndarray
    planted: np.ndarray
    item_of: np.ndarray
    first: np.ndarray


class Nearest(NamedTuple):
    """The nearest records that a search has met, and what it need not compute twice.

    Attributes
    ----------
    cost : float64 (k + 1,)
        What it costs to be published with them: a heap, the largest on top.
    record, weight : int32 (k + 1,)
        One of the records, and how many they stand for.
    seed : int32 (k + 1,)
        What the search before found; it is near this time, too.
    size : int64 (2,)
        The number of records in the heap, and of seeds.
    rise : float64 (n_items,)
        By slot: by how much being published with it costs more than the least; NaN
        where it has not been computed.
    own : int64 (n_open,)
        The items that ``rise`` is for, by column.
    least : float64 (n_open,)
        The least that they cost.
    partial : float64 (n_open + 1,)
        The costs of the columns up to a node's.
    state : int64 (1, width)
    """

    cost: np.ndarray
    record: np.ndarray
    weight: np.ndarray
    seed: np.ndarray
    size: np.ndarray
    rise: np.ndarray
    own: np.ndarray
    least: np.ndarray
    partial: np.ndarray
    state: np.ndarray


def make_trie(n, n_open, n_items):
    """Make room for a trie of n records."""
    depth, slot, skip, weight, record = np.zeros((5, n * n_open), dtype=np.int32)
    key, path = np.zeros((2, n_open), dtype=np.int64)
    slot_of, planted, item_of = np.zeros((3, n_items), dtype=np.int32)
    return Trie(
        depth=depth,
        slot=slot,
        skip=skip,
        weight=weight,
        record=record,
        size=np.zeros(3, dtype=np.int64),
        key=key,
        path=path,
        slot_of=slot_of,
        planted=planted,
        item_of=item_of,
        first=np.zeros(n_open + 1, dtype=np.int64),
    )


def make_nearest(k, n_open, n_items, width):
    """Make room for the k nearest records."""
    record, weight, seed = np.zeros((3, k + 1), dtype=np.int32)
    return Nearest(
        cost=np.zeros(k + 1),
        record=record,
        weight=weight,
        seed=seed,
        size=np.zeros(2, dtype=np.int64),
        rise=np.zeros(n_items),
        own=np.zeros(n_open, dtype=np.int64),
        least=np.zeros(n_open),
        partial=np.zeros(n_open + 1),
        state=np.zeros((1, width), dtype=np.int64),
    )


@inlined
def plant(item, rep, weights, d, m, keys, n_keys, trie, nearest):
    """Grow the trie of a set.

    Parameters
    ----------
    item : int32 (n, r)
    rep, weights : int32 (r + 1, n)
        Row d has the set's m different records, in the order of the columns ``keys``.
    d, m : int
    keys : int32 (r + 1,)
    n_keys : int
    trie : Trie
    nearest : Nearest
        It forgets the set before.
    """
    depth, slot, skip, weight = trie.depth, trie.slot, trie.skip, trie.weight
    record, size, key, path = trie.record, trie.size, trie.key, trie.path
    slot_of = trie.slot_of
    for c in range(n_keys):
        key[c] = keys[c]
        nearest.own[c] = -1
    nearest.size[1] = 0
    size[1] = n_keys
    _give_slots(item, rep, d, m, trie)
    n_nodes = 0
    for q in range(m):
        i = rep[d, q]
        shared = 0
        if q > 0:
            before = rep[d, q - 1]
            while item[i, key[shared]] == item[before, key[shared]]:
                shared += 1
        for c in range(shared, n_keys):
            if q > 0:
                skip[path[c]] = n_nodes
        for c in range(shared, n_keys):
            depth[n_nodes] = c
            slot[n_nodes] = slot_of[item[i, key[c]]]
            path[c] = n_nodes
            n_nodes += 1
        weight[n_nodes - 1] = weights[d, q]
        record[n_nodes - 1] = i
    for c in range(n_keys):
        skip[path[c]] = n_nodes
    size[0] = n_nodes


@inlined
def _give_slots(item, rep, d, m, trie):
    size, key, slot_of, planted = trie.size, trie.key, trie.slot_of, trie.planted
    item_of, first = trie.item_of, trie.first
    size[2] += 1
    n_slots = 0
    for c in range(size[1]):
        first[c] = n_slots
        for q in range(m):
            x = item[rep[d, q], key[c]]
            if planted[x] != size[2]:
                planted[x] = size[2]
                slot_of[x] = n_slots
                item_of[n_slots] = x
                n_slots += 1
    first[size[1]] = n_slots


@inlined
def kth_nearest(cols, curve, levels, item, i, least, q, k, start, limit, trie, nearest):
    """Find what a record pays at least where the k nearest, itself one, are with it.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
    levels : kernels.bounds.Levels
    item : int32 (n, r)
    i : int
        The record, one of the trie's.
    least : float64 (n, n_open)
        Row q is what it pays at least in each of the trie's columns, whoever is
        with it.
    q, k : int
    start : float
        The sum of these, less what is not to be counted.
    limit : float
        What is not below it is of no interest.
    trie : Trie
    nearest : Nearest

    Returns
    -------
    float
        What it pays with the k-th nearest, or ``limit`` if that is lower.
    int
        The number of nodes that were visited.
    """
    depth, slot, skip, weight = trie.depth, trie.slot, trie.skip, trie.weight
    record, size = trie.record, trie.size
    cost, held_weight, held = nearest.cost, nearest.weight, nearest.size
    partial = nearest.partial
    partial[0] = start
    _begin(item, i, least, q, trie, nearest)
    limit = min(limit, _with_seeds(cols, curve, levels, item, trie, nearest))
    visited = 0
    total = 0
    held[0] = 0
    at = 0
    while at < size[0]:
        visited += 1
        c = depth[at]
        paid = partial[c]
        paid += _rise(cols, curve, levels, c, slot[at], trie, nearest)
        if paid >= limit:
            at = skip[at]
            continue
        at += 1
        if c < size[1] - 1:
            partial[c + 1] = paid
            continue
        total += weight[at - 1]
        _push(nearest, paid, record[at - 1], weight[at - 1])
        while total - held_weight[0] >= k:
            total -= held_weight[0]
            _drop_furthest(nearest)
        if total >= k:
            limit = cost[0]
    if total >= k:
        _keep_seeds(nearest)
    return limit, visited


@helper
def _begin(item, i, least, q, trie, nearest):
    """Take over a record; what is known of the values that it shares stays."""
    size, key, slot_of, first = trie.size, trie.key, trie.slot_of, trie.first
    rise, own, own_least = nearest.rise, nearest.own, nearest.least
    for c in range(size[1]):
        x = item[i, key[c]]
        if own[c] != x:
            own[c] = x
            own_least[c] = least[q, c]
            for s in range(first[c], first[c + 1]):
                rise[s] = np.nan
            rise[slot_of[x]] = 0.0


@helper
def _rise(cols, curve, levels, c, s, trie, nearest):
    """Return by how much being published with slot s costs more than the least."""
    key, item_of = trie.key, trie.item_of
    rise, own, least, state = nearest.rise, nearest.own, nearest.least, nearest.state
    if np.isnan(rise[s]):
        column, code, sensitive = levels.column, levels.code, levels.sensitive
        x = own[c]
        floor = pair_floor(
            cols, curve, column[key[c]], code[x], code[item_of[s]], sensitive[x], state
        )
        rise[s] = max(floor - least[c], 0.0)
    return rise[s]


@helper
def pair_floor(cols, curve, j, x, y, c, state):
    """Return what a record of code x and sensitive c pays at least together with y."""
    layout, tree = cols.layout, cols.tree
    single(layout, tree, j, x, state, 0)
    join(layout, tree, j, y, state, 0)
    return floor_of(cols, curve, j, state, 0, c)


@inlined
def _with_seeds(cols, curve, levels, item, trie, nearest):
    """Return what the seeds, which are at least k records, cost together at most."""
    size, key, slot_of = trie.size, trie.key, trie.slot_of
    seed, held, partial = nearest.seed, nearest.size, nearest.partial
    if held[1] == 0:
        return np.inf
    most = 0.0
    for at in range(held[1]):
        paid = partial[0]
        for c in range(size[1]):
            s = slot_of[item[seed[at], key[c]]]
            paid += _rise(cols, curve, levels, c, s, trie, nearest)
        most = max(most, paid)
    return most


@inlined
def _keep_seeds(nearest):
    record, seed, held = nearest.record, nearest.seed, nearest.size
    held[1] = held[0]
    for at in range(held[0]):
        seed[at] = record[at]


@inlined
def _push(nearest, paid, i, n):
    """Put a record in the heap."""
    cost, record, weight = nearest.cost, nearest.record, nearest.weight
    held = nearest.size
    at = held[0]
    held[0] += 1
    while at > 0 and cost[(at - 1) // 2] < paid:
        up = (at - 1) // 2
        cost[at] = cost[up]
        record[at] = record[up]
        weight[at] = weight[up]
        at = up
    cost[at] = paid
    record[at] = i
    weight[at] = n


@inlined
def _drop_furthest(nearest):
    """Take the furthest record out of the heap."""
    cost, record, weight = nearest.cost, nearest.record, nearest.weight
    held = nearest.size
    held[0] -= 1
    last = held[0]
    at = 0
    while 2 * at + 1 < last:
        down = 2 * at + 1
        if down + 1 < last and cost[down + 1] > cost[down]:
            down += 1
        if cost[down] <= cost[last]:
            break
        cost[at] = cost[down]
        record[at] = record[down]
        weight[at] = weight[down]
        at = down
    cost[at] = cost[last]
    record[at] = record[last]
    weight[at] = weight[last]

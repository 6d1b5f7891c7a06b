"""Clusters as they began, by what they share, so that most need no look."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper, kernel


class Trie(NamedTuple):
    """Growing clusters that are still what they were at first, in a tree of prefixes.

    At the top they part by their sizes, then by their states in one column after the
    other, those with few states first. So what a cluster costs together with a state
    counts for all that have it, and a prefix that costs too much ends the look at all
    that is below. A cluster is a leaf where no other has its prefix. Nodes are in the
    order in which a walk from the top meets them.

    Attributes
    ----------
    name : int32 (m,)
        Each node's size, or the name of its state (see InternedStates).
    level : int32 (m,)
        0: a size; from 1 on: a column.
    skip : int32 (m,)
        The next node that is not below it.
    parent : int32 (m,)
        Or -1.
    first : int32 (m,)
        The least number of a cluster below.
    living : int32 (m,)
        How many clusters below are still what they were, and growing.
    position : int64 (r,)
        The column of each level from 1 on, as its position in the clusters' order.
    leaf : int32 (n,)
        Each cluster's node; -1 where it has none.
    born : int32 (n,)
        The size of each cluster at first.
    heaviest : float64 (n + 1,)
        The most that a cluster of each size pays for its own values, all its records.
    states : int64 (n, width)
        The state of each at first.
    paid : float64 (r + 1,)
        Scratch.
    """

    name: np.ndarray
    level: np.ndarray
    skip: np.ndarray
    parent: np.ndarray
    first: np.ndarray
    living: np.ndarray
    position: np.ndarray
    leaf: np.ndarray
    born: np.ndarray
    heaviest: np.ndarray
    states: np.ndarray
    paid: np.ndarray


def trie_of(clusters, given, own, listed):
    """Build the tree of some clusters; none of them is living yet.

    Parameters
    ----------
    clusters : Clusters
    given : int32 (n, r)
        The names of their states.
    own : float64 (n,)
        What all records of each pay for their own values.
    listed : int64 (m,)
        Which of them, in order.
    """
    r = given.shape[1]
    names = given[listed]
    kinds = [len(np.unique(names[:, q])) for q in range(r)]
    position = np.argsort(kinds, kind="stable")
    keys = np.column_stack([clusters.size[listed], names[:, position]])
    order = np.lexsort(keys.T[::-1])
    keys = keys[order]
    shared = np.cumprod(keys[1:] == keys[:-1], axis=1).sum(axis=1)
    before, after = np.append(0, shared)[: len(keys)], np.append(shared, 0)[: len(keys)]
    deepest = np.minimum(np.maximum(before, after), r)
    least = np.minimum(before, r)
    rows = np.repeat(np.arange(len(keys)), deepest + 1 - least)
    ends = np.cumsum(deepest + 1 - least)
    level = np.arange(len(rows)) - ends[rows] + deepest[rows] + 1
    leaf = np.full(len(given), -1, dtype=np.int32)
    leaf[listed[order]] = ends - 1
    heaviest = np.full(len(given) + 1, -np.inf)
    np.maximum.at(heaviest, clusters.size[listed], own[listed])
    m = len(rows)
    trie = Trie(
        name=keys[rows, level].astype(np.int32),
        level=level.astype(np.int32),
        skip=np.full(m, m, dtype=np.int32),
        parent=np.full(m, -1, dtype=np.int32),
        first=np.full(m, len(given), dtype=np.int32),
        living=np.zeros(m, dtype=np.int32),
        position=position,
        leaf=leaf,
        born=clusters.size.copy(),
        heaviest=heaviest,
        states=clusters.state.copy(),
        paid=np.zeros(r + 1),
    )
    _tie(trie, r)
    return trie


@kernel
def _tie(trie, r):
    """Find each node's parent, its next one that is not below, and its first."""
    level, skip, parent, first = trie.level, trie.skip, trie.parent, trie.first
    path = np.full(r + 1, -1, dtype=np.int32)
    for t in range(level.shape[0]):
        for deeper in range(level[t], r + 1):
            if path[deeper] >= 0:
                skip[path[deeper]] = t
                path[deeper] = -1
        path[level[t]] = t
        if level[t] > 0:
            parent[t] = path[level[t] - 1]
    for h in range(trie.leaf.shape[0] - 1, -1, -1):
        t = trie.leaf[h]
        while t >= 0:
            first[t] = h
            t = parent[t]


@helper
def count(trie, h, more):
    """Count cluster h in (1) or out (-1)."""
    t = trie.leaf[h]
    while t >= 0:
        trie.living[t] += more
        t = trie.parent[t]

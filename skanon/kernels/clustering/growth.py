"""Clusters that have not reached k records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.tournament import (
    Tournament,
    make_tournament,
    pop,
    push,
)
from skanon.kernels.clustering.trie import Trie, count, trie_of
from skanon.kernels.jit import helper, kernel


class Growth(NamedTuple):
    """Clusters that have not reached k records, and what is nearest to each.

    A cluster has the number of its first record, as it has in ``Clusters``. A pair of
    clusters belongs to the one that was made later; only this one has the other among
    its candidates. So clusters that are made later change nothing in its list.

    Attributes
    ----------
    alone : float64 (n,)
        What each record pays for its own values.
    own : float64 (n,)
        The sum of ``alone`` over each cluster's members.
    excess : float64 (n,)
        What a record of each cluster pays on average, less what it pays for its own
        values: the generalization cost d.
    growing : bool (n,)
    trie : Trie
        Those of them that are still what they were at first.
    others : int32 (n,)
        The rest of them come first, in any order.
    place : int32 (n,)
        Where each stands among these, or -1.
    made : int64 (n,)
        When each was made.
    scales : float64 (n + 1, 2)
        1 / m and log m for each number of records m.
    tournament : Tournament
    clock : int64 (4,)
        The present; the numbers of growing clusters, of comparisons so far, and of the
        others.
    """

    alone: np.ndarray
    own: np.ndarray
    excess: np.ndarray
    growing: np.ndarray
    trie: Trie
    others: np.ndarray
    place: np.ndarray
    made: np.ndarray
    scales: np.ndarray
    tournament: Tournament
    clock: np.ndarray


def growth_of(clusters, alone, k, given, is_plain):
    """Note which clusters are still to grow; none of them has been compared yet.

    Parameters
    ----------
    clusters : Clusters
        Each with the number of its first record.
    alone : float64 (n,)
        What each record pays for its own values.
    k : int
    given : int32 (n, r)
        The names of the clusters' states.
    is_plain : bool
        Whether a closure costs all records the same, whoever they are.
    """
    n = len(alone)
    own = np.bincount(clusters.label, alone, n)
    young = np.flatnonzero((clusters.size > 0) & (clusters.size < k))
    sizes = np.arange(n + 1.0)
    sizes[0] = 1  # there are no empty clusters
    growth = Growth(
        alone=alone,
        own=own,
        excess=np.zeros(n),
        growing=np.zeros(n, dtype=np.bool_),
        trie=trie_of(clusters, given, own, young if is_plain else young[:0]),
        others=np.zeros(n, dtype=np.int32),
        place=np.full(n, -1, dtype=np.int32),
        made=np.zeros(n, dtype=np.int64),
        scales=np.stack([1 / sizes, np.log(sizes)], axis=1),
        tournament=make_tournament(n),
        clock=np.zeros(4, dtype=np.int64),
    )
    _enter_all(clusters, growth, young)
    return growth


@kernel
def _enter_all(clusters, growth, young):
    for h in young:
        enter(clusters, growth, h)


@helper
def enter(clusters, growth, h):
    """Let cluster h be one of the growing ones."""
    growth.growing[h] = True
    growth.clock[1] += 1
    if growth.trie.leaf[h] >= 0 and growth.trie.born[h] == clusters.size[h]:
        count(growth.trie, h, 1)
    else:
        _list(growth, h)
    renew(clusters, growth, h)


@helper
def _list(growth, h):
    """Put cluster h among the others."""
    growth.place[h] = growth.clock[3]
    growth.others[growth.clock[3]] = h
    growth.clock[3] += 1


@helper
def change(growth, h):
    """Note that cluster h is not what it was at first."""
    if growth.place[h] < 0:
        count(growth.trie, h, -1)
        _list(growth, h)


@helper
def renew(clusters, growth, h):
    """Note that cluster h has just been made."""
    growth.clock[0] += 1
    growth.made[h] = growth.clock[0]
    weigh(clusters, growth, h)
    push(growth.tournament, h)


@helper
def weigh(clusters, growth, h):
    """Compute the generalization cost of cluster h."""
    growth.excess[h] = clusters.total[h] - growth.own[h] / clusters.size[h]


@helper
def leave_growing(growth, h):
    """Take cluster h out of the growing ones."""
    growth.growing[h] = False
    growth.clock[1] -= 1
    at = growth.place[h]
    if at < 0:
        count(growth.trie, h, -1)
    else:
        growth.clock[3] -= 1
        last = growth.others[growth.clock[3]]
        growth.others[at] = last
        growth.place[last] = at
        growth.place[h] = -1
    pop(growth.tournament, h)

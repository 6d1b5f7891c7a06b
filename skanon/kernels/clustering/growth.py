"""Clusters that have not reached k records, in the order of their first records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.tournament import (
    Tournament,
    make_tournament,
    pop,
    push,
)
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
    after, before : int32 (n + 1,)
        The growing clusters as a ring, in their order; n stands between the last and
        the first.
    growing : bool (n,)
    made : int64 (n,)
        When each was made.
    scales : float64 (n + 1, 2)
        1 / m and log m for each number of records m.
    tournament : Tournament
    clock : int64 (3,)
        The present; the number of growing clusters; and that of comparisons so far.
    """

    alone: np.ndarray
    own: np.ndarray
    excess: np.ndarray
    after: np.ndarray
    before: np.ndarray
    growing: np.ndarray
    made: np.ndarray
    scales: np.ndarray
    tournament: Tournament
    clock: np.ndarray


def growth_of(clusters, alone, k):
    """Note which clusters are still to grow; none of them has been compared yet.

    Parameters
    ----------
    clusters : Clusters
        Each with the number of its first record.
    alone : float64 (n,)
        What each record pays for its own values.
    k : int
    """
    n = len(alone)
    sizes = np.arange(n + 1.0)
    sizes[0] = 1  # there are no empty clusters
    growth = Growth(
        alone=alone,
        own=np.bincount(clusters.label, alone, n),
        excess=np.zeros(n),
        after=np.full(n + 1, n, dtype=np.int32),
        before=np.full(n + 1, n, dtype=np.int32),
        growing=np.zeros(n, dtype=np.bool_),
        made=np.zeros(n, dtype=np.int64),
        scales=np.stack([1 / sizes, np.log(sizes)], axis=1),
        tournament=make_tournament(n),
        clock=np.zeros(3, dtype=np.int64),
    )
    _enter_all(clusters, growth, k)
    return growth


@kernel
def _enter_all(clusters, growth, k):
    last = growth.made.shape[0]
    for h in range(growth.made.shape[0]):
        if 0 < clusters.size[h] < k:
            enter(clusters, growth, h, last)
            last = h


@helper
def enter(clusters, growth, h, before):
    """Make cluster h the next after another of the growing ones."""
    after, previous = growth.after, growth.before
    after[h] = after[before]
    previous[h] = before
    previous[after[h]] = h
    after[before] = h
    growth.growing[h] = True
    growth.clock[1] += 1
    renew(clusters, growth, h)


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
    growth.after[growth.before[h]] = growth.after[h]
    growth.before[growth.after[h]] = growth.before[h]
    growth.growing[h] = False
    growth.clock[1] -= 1
    pop(growth.tournament, h)


@helper
def last_before(growth, h):
    """Find the last growing cluster before h; n where there is none."""
    h -= 1
    while h >= 0 and not growth.growing[h]:
        h -= 1
    return h if h >= 0 else growth.made.shape[0]

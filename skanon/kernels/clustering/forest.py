"""A forest of light edges between records, whose trees have at least k of them.

Aggarwal et al., "Approximation algorithms for k-anonymity", Journal of Privacy
Technology (2005); a first version is "Anonymizing tables", ICDT 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.joint import aim, joint_cost, known_cost, known_costs
from skanon.kernels.clustering.tournament import (
    FAR,
    N_NEAR,
    STEP,
    Tournament,
    in_steps,
    insert,
    look_up,
    make_tournament,
    pop,
    pop_candidate,
    push,
)
from skanon.kernels.core.union_find import find
from skanon.kernels.jit import helper, inlined, kernel


class Forest(NamedTuple):
    """Trees of points; a point stands for one record or for several equal ones.

    Attributes
    ----------
    root : int32 (n,)
        The way to the number of each point's tree: a point that is its own root.
    size : int64 (n,)
        The number of records of the tree with this number.
    half : float64 (n,)
        Half of what each point pays for its own values.
    tournament : Tournament
    after : int32 (n,)
        The next point of the same tree, round and round.
    edge : int32 (n, 2)
        The edges between points, as they were added.
    clock : int64 (4,)
        The numbers of edges, of trees of fewer than k records, and of comparisons; and
        the first point whose tree may have fewer.
    """

    root: np.ndarray
    size: np.ndarray
    half: np.ndarray
    tournament: Tournament
    after: np.ndarray
    edge: np.ndarray
    clock: np.ndarray


def forest_of(size, alone, k):
    """Make a forest without edges between points.

    Parameters
    ----------
    size : int64 (n,)
        The number of equal records that each point stands for.
    alone : float64 (n,)
        What each pays for its own values.
    k : int
    """
    n = len(size)
    forest = Forest(
        root=np.arange(n, dtype=np.int32),
        size=size.copy(),
        half=alone / 2,
        tournament=make_tournament(n),
        after=np.arange(n, dtype=np.int32),
        edge=np.zeros((n, 2), dtype=np.int32),
        clock=np.array([0, np.count_nonzero(size < k), 0, 0]),
    )
    _call_all(forest, k)
    return forest


@kernel
def _call_all(forest, k):
    for a in range(forest.size.shape[0]):
        if forest.size[a] < k:
            push(forest.tournament, a)


# ------------------------------------------------------------------------- growing


@kernel
def grow_forest(cols, clusters, forest, k, probe, work):
    """Add the lightest edge that leaves a tree of fewer than k records; repeat.

    Parameters
    ----------
    cols : Columns
    clusters : Clusters
        One for each point.
    forest : Forest
        Changed in place.
    k : int
    probe : Probe
        Scratch.
    work : int
        After so many comparisons there is a break.

    Returns
    -------
    bool
        Whether there still are such trees.
    """
    stop = forest.clock[2] + work
    tournament = forest.tournament
    while forest.clock[1] > 0 and forest.clock[2] < stop:
        a = np.int64(tournament.winner[1])
        tree = find(forest.root, a)
        if forest.size[tree] >= k:
            pop(tournament, a)
            continue
        reached, since = -FAR, np.int64(-1)
        if tournament.listed[a] >= 0:
            at = tournament.at[a]
            b = np.int64(tournament.near[a, at])
            other = find(forest.root, b)
            if other != tree:
                _add_edge(forest, k, a, b, tree, other)
            if pop_candidate(tournament, a) or tournament.listed[a] < N_NEAR:
                continue
            reached, since = tournament.steps[a, at], b
        _look_around(cols, clusters, forest, probe, a, reached, since)
    return forest.clock[1] > 0


@kernel
def grow_trees(cols, clusters, forest, k, probe, work):
    """Add the lightest edge that leaves the first tree of fewer than k records; repeat.

    Parameters and result are those of :func:`grow_forest`.
    """
    stop = forest.clock[2] + work
    key, after = forest.tournament.key, forest.after
    while forest.clock[1] > 0 and forest.clock[2] < stop:
        first = forest.clock[3]
        tree = find(forest.root, first)
        if forest.size[tree] >= k:
            forest.clock[3] += 1
            continue
        best = first
        a = first
        while True:
            _look_outside(cols, clusters, forest, probe, a, tree)
            if key[a, 0] < key[best, 0] or (
                key[a, 0] == key[best, 0] and key[a, 1] < key[best, 1]
            ):
                best = a
            a = np.int64(after[a])
            if a == first:
                break
        b = np.int64(forest.tournament.near[best, forest.tournament.at[best]])
        _add_edge(forest, k, best, b, tree, find(forest.root, b))
    return forest.clock[1] > 0


@inlined
def _look_outside(cols, clusters, forest, probe, a, tree):
    """Let the first of a's candidates be outside of its tree."""
    tournament = forest.tournament
    while True:
        reached, since = -FAR, np.int64(-1)
        if tournament.listed[a] >= 0:
            at = tournament.at[a]
            if at == tournament.listed[a]:
                break  # nothing is outside
            b = np.int64(tournament.near[a, at])
            if find(forest.root, b) != tree:
                break
            if pop_candidate(tournament, a) or tournament.listed[a] < N_NEAR:
                continue
            reached, since = tournament.steps[a, at], b
        _look_around(cols, clusters, forest, probe, a, reached, since)


@inlined
def _add_edge(forest, k, a, b, tree, other):
    root, size, edge, clock = forest.root, forest.size, forest.edge, forest.clock
    after = forest.after
    after[a], after[b] = after[b], after[a]
    edge[clock[0], 0] = a
    edge[clock[0], 1] = b
    clock[0] += 1
    clock[1] -= 1
    if size[other] < k and size[tree] + size[other] >= k:
        clock[1] -= 1
    if size[tree] > size[other]:
        tree, other = other, tree
    root[tree] = other
    size[other] += size[tree]


@helper
def _look_around(cols, clusters, forest, probe, a, reached, since):
    """List the points nearest to a, among those outside of its tree.

    Known is that none is nearer than ``reached``, and that those at just this distance
    come after point ``since``; so the list may be full before all have been compared.
    """
    root, half, clock = forest.root, forest.half, forest.clock
    near, steps = forest.tournament.near, forest.tournament.steps
    given, asked, rest, each = probe.names.given, probe.asked, probe.rest, probe.each
    start, mixes = probe.start, probe.mixes
    aim(cols, cols.curve, clusters, clusters.mixture, probe, a)
    now = probe.clock[0]
    n = root.shape[0]
    tree = find(root, a)
    found = 0
    limit = np.inf
    last = n
    for turn in range(n):
        b = since + 1 + turn
        b -= n if b >= n else 0
        clock[2] += 1
        shift = half[a] + half[b]
        side = 0.5 if b < last else -0.5  # of equals the first count
        bound = (limit + side) * STEP + shift
        if each.shape[1] == 0:
            paid = known_cost(given, asked, rest, now, b, start[0], bound)
        else:
            paid = known_costs(
                given, asked, rest, each, start, mixes, now, b, 2 * bound
            )
            paid /= 2
        if paid >= bound or find(root, b) == tree:
            continue
        cost = joint_cost(
            cols, cols.curve, clusters, clusters.mixture, probe, a, b, bound
        )
        if cost < bound:
            found = insert(near, steps, a, found, b, in_steps(cost - shift))
        if found == N_NEAR:
            limit = float(steps[a, N_NEAR - 1])
            last = near[a, N_NEAR - 1]
            if limit == reached:
                break
    forest.tournament.listed[a] = found
    forest.tournament.at[a] = 0
    look_up(forest.tournament, a)

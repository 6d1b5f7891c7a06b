"""Uniting the two nearest clusters again and again.

Gionis, Mazza & Tassa, "k-Anonymization revisited", ICDE 2008, section V-A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.clusters import link, reclose, unlink, without
from skanon.kernels.clustering.growth import (
    enter,
    last_before,
    leave_growing,
    renew,
    weigh,
)
from skanon.kernels.clustering.interning import intern
from skanon.kernels.clustering.joint import aim, joint_cost, known_cost, known_costs
from skanon.kernels.clustering.merging import unite
from skanon.kernels.clustering.tournament import (
    FAR,
    N_NEAR,
    STEP,
    in_steps,
    insert,
    look_up,
    pop_candidate,
)
from skanon.kernels.core.columns import TOLERANCE
from skanon.kernels.jit import helper, inlined, kernel

RISE, DIFFERENCE, SCALED, RATIO, ASYMMETRIC = range(5)


class Rule(NamedTuple):
    """What is asked for.

    Attributes
    ----------
    k : int
    distance : int
        RISE, ….
    epsilon : float
        What RATIO adds below the line.
    modified : bool
        Whether clusters are shrunk to k records (Algorithm 2).
    """

    k: int
    distance: int
    epsilon: float
    modified: bool


# --------------------------------------------------------------------- distances


@helper
def _line(distance, epsilon, scales, size, excess, own, growing, a, b):
    """Return shift and scale: distance = (cost of the union - shift) / scale.

    The cost of the union is what its records pay on average. ASYMMETRIC is the
    distance from a to b, or the lesser of both while both are growing.
    """
    size_a = size[a]
    size_b = size[b]
    cost_a = excess[a]
    cost_b = excess[b]
    together = size_a + size_b
    each = scales[together, 0]
    alone = (own[a] + own[b]) * each
    if distance == RISE:
        return alone + (size_a * cost_a + size_b * cost_b) * each, each
    if distance == DIFFERENCE:
        return alone + cost_a + cost_b, 1.0
    if distance == SCALED:
        return alone + cost_a + cost_b, scales[together, 1]
    if distance == RATIO:
        return alone, max(cost_a, 0.0) + max(cost_b, 0.0) + epsilon
    if growing[b]:
        cost_b = max(cost_a, cost_b)
    return alone + cost_b, 1.0


@helper
def _distance(cols, clusters, growth, rule, probe, a, b):
    """Return the distance from a to b, at which the probe must be aimed, in steps."""
    shift, scale = _line(
        rule.distance,
        rule.epsilon,
        growth.scales,
        clusters.size,
        growth.excess,
        growth.own,
        growth.growing,
        a,
        b,
    )
    cost = joint_cost(cols, cols.curve, clusters, clusters.mixture, probe, a, b, np.inf)
    return in_steps((cost - shift) / scale)


@helper
def _look_around(cols, clusters, growth, rule, probe, a, reached, since):
    """List the clusters nearest to a, among those made earlier.

    Known is that none is nearer than ``reached``, and that those at just this distance
    come after cluster ``since``; so the list may be full before all have been compared.
    """
    after, made, growing = growth.after, growth.made, growth.growing
    near, steps = growth.tournament.near, growth.tournament.steps
    size, excess, own, scales = clusters.size, growth.excess, growth.own, growth.scales
    given, asked, rest, each = probe.names.given, probe.asked, probe.rest, probe.each
    start, mixes = probe.start, probe.mixes
    kind, epsilon = rule.distance, rule.epsilon
    aim(cols, cols.curve, clusters, clusters.mixture, probe, a)
    now = probe.clock[0]
    n = made.shape[0]
    found = 0
    limit = np.inf
    last = n
    first = after[last_before(growth, since + 1)]
    b = first
    round_again = False
    while True:
        if b == n and not round_again:
            b = after[n]
            round_again = True
        if round_again and (b == n or b == first):
            break
        if made[b] < made[a]:
            growth.clock[2] += 1
            shift, scale = _line(
                kind, epsilon, scales, size, excess, own, growing, a, b
            )
            half = 0.5 if b < last else -0.5  # of equals the first count
            bound = (limit + half) * STEP * scale + shift
            if each.shape[1] == 0:
                paid = known_cost(given, asked, rest, now, b, start[0], bound)
            else:
                together = size[a] + size[b]
                summed = bound * together
                paid = known_costs(
                    given, asked, rest, each, start, mixes, now, b, summed
                )
                paid /= together
            if paid < bound:
                cost = joint_cost(
                    cols, cols.curve, clusters, clusters.mixture, probe, a, b, bound
                )
                if cost < bound:
                    distance = in_steps((cost - shift) / scale)
                    found = insert(near, steps, a, found, b, distance)
            if found == N_NEAR:
                limit = float(steps[a, N_NEAR - 1])
                last = near[a, N_NEAR - 1]
                if limit == reached:
                    break
        b = after[b]
    growth.tournament.listed[a] = found
    growth.tournament.at[a] = 0
    look_up(growth.tournament, a)


# --------------------------------------------------------------------- algorithms


@kernel
def grow(cols, codes, clusters, growth, rule, probe, state, work):
    """Unite the two nearest growing clusters, again and again: Algorithms 1 and 2.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
        Changed in place; each has the number of its first record.
    growth : Growth
        Changed in place.
    rule : Rule
    probe : Probe
        Scratch.
    state : int64 (1, width)
        Scratch, too.
    work : int
        After so many comparisons there is a break.

    Returns
    -------
    bool
        Whether more than one cluster is still to grow.
    """
    stop = growth.clock[2] + work
    tournament = growth.tournament
    while growth.clock[1] > 1 and growth.clock[2] < stop:
        a = np.int64(tournament.winner[1])
        reached, since = -FAR, np.int64(-1)
        if tournament.listed[a] >= 0:
            at = tournament.at[a]
            b = np.int64(tournament.near[a, at])
            if growth.growing[b] and growth.made[b] < growth.made[a]:
                low, high = min(a, b), max(a, b)
                _join(cols, codes, clusters, growth, rule, probe, low, high, state)
                continue
            if pop_candidate(tournament, a) or tournament.listed[a] < N_NEAR:
                continue
            reached, since = tournament.steps[a, at], b
        _look_around(cols, clusters, growth, rule, probe, a, reached, since)
    return growth.clock[1] > 1


@inlined
def _join(cols, codes, clusters, growth, rule, probe, a, b, state):
    """Unite a and b, where a < b; shrink the union if it has more than k records."""
    leave_growing(growth, b)
    unite(cols, clusters, a, b)
    intern(cols.layout, clusters, probe.names, a)
    growth.own[a] += growth.own[b]
    renew(clusters, growth, a)
    if clusters.size[a] >= rule.k:
        leave_growing(growth, a)
        if rule.modified:
            _shrink(cols, codes, clusters, growth, rule.k, probe, a, state)


@inlined
def _shrink(cols, codes, clusters, growth, k, probe, h, state):
    """Take records out of cluster h until it has k: Algorithm 2."""
    while clusters.size[h] > k:
        members = _members(clusters, h)
        i = _worst(cols, codes, clusters, growth, probe, members, state)
        own = growth.own[h] - growth.alone[i]
        unlink(clusters, clusters.mixture, i)
        if i == h:
            h = members[1]
            for m in members[1:]:
                unlink(clusters, clusters.mixture, m)
                link(clusters, clusters.mixture, m, h)
        _remake(cols, codes, clusters, growth, probe, h, own)
        link(clusters, clusters.mixture, i, i)
        _remake(cols, codes, clusters, growth, probe, i, growth.alone[i])
        enter(clusters, growth, i, last_before(growth, i))


@kernel
def _members(clusters, h):
    """List the records of cluster h in their order."""
    members = np.empty(clusters.size[h], dtype=np.int64)
    i = np.int64(clusters.head[h])
    for found in range(len(members)):
        m = found
        while m > 0 and members[m - 1] > i:
            members[m] = members[m - 1]
            m -= 1
        members[m] = i
        i = np.int64(clusters.after[i])
    return members


@inlined
def _worst(cols, codes, clusters, growth, probe, members, state):
    """Find the first member without which the rest costs least."""
    h = np.int64(clusters.label[members[0]])
    least = np.inf
    found = -1
    for i in members:
        cost = without(cols, codes, clusters, i, state, probe.mix)
        cost -= (growth.own[h] - growth.alone[i]) / (len(members) - 1)
        if cost < least - TOLERANCE:
            least = cost
            found = i
    return found


@kernel
def _remake(cols, codes, clusters, growth, probe, h, own):
    reclose(cols, codes, clusters, h)
    intern(cols.layout, clusters, probe.names, h)
    growth.own[h] = own
    weigh(clusters, growth, h)


@kernel
def place_rest(cols, codes, clusters, growth, rule, probe):
    """Let the records of the last growing cluster join the ripe ones they are near to.

    Line 10 of Algorithm 1. There must be at most one growing cluster.
    """
    h = np.int64(growth.after[growth.made.shape[0]])
    if h == growth.made.shape[0]:
        return
    members = _members(clusters, h)
    leave_growing(growth, h)
    for i in members:
        unlink(clusters, clusters.mixture, i)
    for i in members:
        link(clusters, clusters.mixture, i, i)
        _remake(cols, codes, clusters, growth, probe, i, growth.alone[i])
        found = _nearest_ripe(cols, clusters, growth, rule, probe, i)
        unite(cols, clusters, found, i)
        intern(cols.layout, clusters, probe.names, found)
        growth.own[found] += growth.own[i]
        weigh(clusters, growth, found)


@inlined
def _nearest_ripe(cols, clusters, growth, rule, probe, i):
    """Find the first of the clusters of at least k records that are nearest to i."""
    aim(cols, cols.curve, clusters, clusters.mixture, probe, i)
    least = FAR
    found = -1
    for b in range(len(clusters.size)):
        if clusters.size[b] >= rule.k:
            distance = _distance(cols, clusters, growth, rule, probe, i, b)
            if distance < least:
                least = distance
                found = b
    return found

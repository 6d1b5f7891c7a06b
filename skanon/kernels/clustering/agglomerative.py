"""Uniting the two nearest clusters again and again.

Gionis, Mazza & Tassa, "k-Anonymization revisited", ICDE 2008, section V-A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.clusters import link, reclose, unlink, without
from skanon.kernels.clustering.growth import (
    change,
    enter,
    leave_growing,
    renew,
    weigh,
)
from skanon.kernels.clustering.interning import intern
from skanon.kernels.clustering.joint import (
    aim,
    ask,
    joint_cost,
    known_cost,
    known_costs,
)
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

AROUND = 8
"""So many nodes before and behind a cluster's own are looked at first."""

MISSES = 32
"""After so many clusters that are farther away, it is not as if most were equal."""

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
def _line(rule, growth, size_a, size_b, own, cost_a, cost_b, is_growing):
    """Return shift and scale: distance = (cost of the union - shift) / scale.

    The cost of the union is what its records pay on average. ASYMMETRIC is the
    distance from a to b, or the lesser of both while both are growing.

    Parameters
    ----------
    rule : Rule
    growth : Growth
    size_a, size_b : int
        How many records the clusters have.
    own : float
        What these pay for their own values.
    cost_a, cost_b : float
        The clusters' excess.
    is_growing : bool
        Whether b is.
    """
    together = size_a + size_b
    each = growth.scales[together, 0]
    alone = own * each
    if rule.distance == RISE:
        return alone + (size_a * cost_a + size_b * cost_b) * each, each
    if rule.distance == DIFFERENCE:
        return alone + cost_a + cost_b, 1.0
    if rule.distance == SCALED:
        return alone + cost_a + cost_b, growth.scales[together, 1]
    if rule.distance == RATIO:
        return alone, max(cost_a, 0.0) + max(cost_b, 0.0) + rule.epsilon
    if is_growing:
        cost_b = max(cost_a, cost_b)
    return alone + cost_b, 1.0


@helper
def _line_to(clusters, growth, rule, a, b):
    """Return shift and scale of the distance from a to b."""
    size, excess = clusters.size, growth.excess
    own = growth.own[a] + growth.own[b]
    is_growing = growth.growing[b]
    return _line(rule, growth, size[a], size[b], own, excess[a], excess[b], is_growing)


@helper
def _line_at_birth(clusters, growth, rule, a, size):
    """Return shift and scale of the distances to growing clusters as they began.

    Those have no excess. What they pay for their own values is taken as the most of
    all, so that none is nearer than it seems.
    """
    own = growth.own[a] + growth.trie.heaviest[size]
    return _line(rule, growth, clusters.size[a], size, own, growth.excess[a], 0.0, True)


@helper
def _distance(cols, clusters, growth, rule, probe, a, b):
    """Return the distance from a to b, at which the probe must be aimed, in steps."""
    shift, scale = _line_to(clusters, growth, rule, a, b)
    cost = joint_cost(cols, cols.curve, clusters, clusters.mixture, probe, a, b, np.inf)
    return in_steps((cost - shift) / scale)


@helper
def _compare(cols, clusters, growth, rule, probe, a, b, found):
    """Put b into the list of what is nearest to a, if it is; return its length."""
    near, steps = growth.tournament.near, growth.tournament.steps
    given, asked, rest, each = probe.names.given, probe.asked, probe.rest, probe.each
    size, now = clusters.size, probe.clock[0]
    growth.clock[2] += 1
    shift, scale = _line_to(clusters, growth, rule, a, b)
    bound = _edge(near, steps, a, found, b) * scale + shift
    if each.shape[1] == 0:
        paid = known_cost(given, asked, rest, now, b, probe.start[0], bound)
    else:
        together = size[a] + size[b]
        summed = bound * together
        start, mixes = probe.start, probe.mixes
        paid = known_costs(given, asked, rest, each, start, mixes, now, b, summed)
        paid /= together
    if paid < bound:
        cost = joint_cost(
            cols, cols.curve, clusters, clusters.mixture, probe, a, b, bound
        )
        if cost < bound:
            distance = in_steps((cost - shift) / scale)
            return insert(near, steps, a, found, b, distance)
    return found


@helper
def _edge(near, steps, a, found, b):
    """Return the distance below which b, or what comes after it, is in a's list."""
    if found < N_NEAR:
        return np.inf
    half = 0.5 if b < near[a, N_NEAR - 1] else -0.5  # of equals the first count
    return (steps[a, N_NEAR - 1] + half) * STEP


@helper
def _listed(near, a, found, b):
    for p in range(found):
        if near[a, p] == b:
            return True
    return False


@helper
def _look_around(cols, clusters, growth, rule, probe, a):
    """List the clusters nearest to a, among those made earlier."""
    made, trie = growth.made, growth.trie
    aim(cols, cols.curve, clusters, clusters.mixture, probe, a)
    if growth.tournament.listed[a] == N_NEAR and _list_equals(
        cols, clusters, growth, rule, probe, a
    ):
        growth.tournament.at[a] = 0
        look_up(growth.tournament, a)
        return
    found = 0
    start = max(trie.leaf[a] - AROUND, 0)  # so that there is a bound to begin with
    for t in range(start, min(start + 2 * AROUND, trie.name.shape[0])):
        b = np.int64(trie.first[t])
        if trie.leaf[b] == t and trie.living[t] > 0 and made[b] < made[a]:
            found = _compare(cols, clusters, growth, rule, probe, a, b, found)
    found = _look_below(cols, clusters, growth, rule, probe, a, found)
    for p in range(growth.clock[3]):
        b = np.int64(growth.others[p])
        if made[b] < made[a]:
            found = _compare(cols, clusters, growth, rule, probe, a, b, found)
    growth.tournament.listed[a] = found
    growth.tournament.at[a] = 0
    look_up(growth.tournament, a)


@helper
def _list_equals(cols, clusters, growth, rule, probe, a):
    """List the next of those that are as near to a as the last of a full list was.

    Clusters that were made before a can only become fewer, so that none is nearer now.
    Where most distances are equal, this saves looking at all clusters again and again.

    Returns
    -------
    bool
        Whether the list is full. If not, it is spoilt.
    """
    near, steps = growth.tournament.near, growth.tournament.steps
    least, last = steps[a, N_NEAR - 1], np.int64(near[a, N_NEAR - 1])
    found = missed = 0
    for b in range(last + 1, growth.made.shape[0]):
        if growth.growing[b] and growth.made[b] < growth.made[a]:
            growth.clock[2] += 1
            if _distance(cols, clusters, growth, rule, probe, a, b) == least:
                near[a, found] = b
                steps[a, found] = least
                found += 1
            else:
                missed += 1
            if found == N_NEAR or missed == MISSES:
                break
    return found == N_NEAR


@helper
def _look_below(cols, clusters, growth, rule, probe, a, found):
    """Compare a with the clusters that are still what they were at first.

    A node is a bound of what a costs together with any of those below.
    """
    trie, made = growth.trie, growth.made
    near, steps = growth.tournament.near, growth.tournament.steps
    name, level, skip, first = trie.name, trie.level, trie.skip, trie.first
    living, leaf, position, paid = trie.living, trie.leaf, trie.position, trie.paid
    asked, rest, now = probe.asked, probe.rest, probe.clock[0]
    shift = 0.0
    scale = 1.0
    t = 0
    while t < name.shape[0]:
        here = level[t]
        b = np.int64(first[t])
        if living[t] == 0:
            t = skip[t]
            continue
        if here == 0:
            shift, scale = _line_at_birth(clusters, growth, rule, a, np.int64(name[t]))
            shift += TOLERANCE  # other sums of the same are rounded otherwise
            paid[0] = probe.start[0]
        else:
            word = name[t]
            if asked[word] != now:
                q = position[here - 1]
                ask(cols, cols.curve, clusters, probe, a, trie.states, b, q, word)
            paid[here] = paid[here - 1] + rest[word]
            growth.clock[2] += 1
            if paid[here] >= _edge(near, steps, a, found, b) * scale + shift:
                t = skip[t]
                continue
        if leaf[b] == t and made[b] < made[a] and not _listed(near, a, found, b):
            found = _compare(cols, clusters, growth, rule, probe, a, b, found)
        t += 1
    return found


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
        if tournament.listed[a] >= 0:
            at = tournament.at[a]
            b = np.int64(tournament.near[a, at])
            if growth.growing[b] and growth.made[b] < growth.made[a]:
                low, high = min(a, b), max(a, b)
                _join(cols, codes, clusters, growth, rule, probe, low, high, state)
                continue
            if pop_candidate(tournament, a) or tournament.listed[a] < N_NEAR:
                continue
        _look_around(cols, clusters, growth, rule, probe, a)
    return growth.clock[1] > 1


@inlined
def _join(cols, codes, clusters, growth, rule, probe, a, b, state):
    """Unite a and b, where a < b; shrink the union if it has more than k records."""
    leave_growing(growth, b)
    change(growth, a)
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
        enter(clusters, growth, i)


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
    if growth.clock[1] == 0:
        return
    h = np.argmax(growth.growing)
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

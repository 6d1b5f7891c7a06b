"""What clusters would cost together, asked for one of them again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.interning import InternedStates, intern_states
from skanon.kernels.clustering.merging import merging_rise
from skanon.kernels.core.columns import copy_state, merge, price_of
from skanon.kernels.core.curve import entry, minority_records, sensitive_scratch
from skanon.kernels.jit import helper, inlined

MANY = 16
"""With more sensitive values than this, nothing is remembered."""


class Probe(NamedTuple):
    """One cluster, about to be compared with many; see :func:`aim`.

    What it costs together with others is computed once for each state that the others
    have in a column, and then remembered until the probe is aimed anew.

    Attributes
    ----------
    names : InternedStates
        The names of the clusters' states.
    asked : int64 (n_names,)
        When each name was asked for; only what was since the last ``aim`` counts.
    rest : float64 (n_names,)
        What a record of the cluster costs together with a state, above the least.
        Where costs depend on sensitive values, this is summed over its records.
    each : float64 (n_names, n_sensitive)
        What a record of each sensitive value costs in both, above the least. It has no
        columns where costs don't depend on sensitive values, or where there are MANY.
    least : float64 (r, n_sensitive)
        What the cluster's state, and whatever contains it, costs a record of each
        sensitive value at least.
    start : float64 (1 + n_sensitive,)
        What the cluster costs at least, a record or all of them as in ``rest``; and
        the sums of ``least`` over the columns.
    floored : float64 (r,)
        What all records of the cluster pay at least; not used where costs don't depend
        on sensitive values.
    mixes : int32 (n, n_sensitive)
        How many records of each sensitive value the clusters have; without rows where
        costs are a price list's.
    clock : int64 (1,)
        How often the probe was aimed.
    state : int64 (1, width)
        Scratch.
    mix : int32 (1, n_sensitive)
        Scratch, too.
    """

    names: InternedStates
    asked: np.ndarray
    rest: np.ndarray
    each: np.ndarray
    least: np.ndarray
    start: np.ndarray
    floored: np.ndarray
    mixes: np.ndarray
    clock: np.ndarray
    state: np.ndarray
    mix: np.ndarray


def probe_of(cols, clusters):
    """Make a probe for some clusters, that is not yet aimed at any of them."""
    names = intern_states(cols.layout, clusters)
    mix = sensitive_scratch(cols.curve)
    n_names, n_sensitive = names.first[-1], mix.shape[1]
    remembered = 0 if n_sensitive > MANY or is_plain(cols.curve) else n_sensitive
    return Probe(
        names=names,
        asked=np.zeros(n_names, dtype=np.int64),
        rest=np.zeros(n_names),
        each=np.zeros((n_names, remembered)),
        least=np.zeros((len(cols.layout), n_sensitive)),
        start=np.zeros(1 + n_sensitive),
        floored=np.zeros(len(cols.layout)),
        mixes=mix[:0] if clusters.mixture is None else clusters.mixture.mix,
        clock=np.zeros(1, dtype=np.int64),
        state=np.zeros((1, clusters.state.shape[1]), dtype=np.int64),
        mix=mix,
    )


@helper
def is_plain(curve):
    """Tell whether a closure costs all records the same, whoever they are."""
    if curve is None:
        return True
    return curve.whole.shape[1] == 2 and curve.penalty[0] == 0.0


@helper
def aim(cols, curve, clusters, mixture, probe, a):
    """Make ready for comparing cluster a with others."""
    layout, price = cols.layout, cols.price
    least, start = probe.least, probe.start
    probe.clock[0] += 1
    for c in range(start.shape[0]):
        start[c] = 0.0
    for j in range(layout.shape[0]):
        if curve is None:
            least[j, 0] = clusters.cost[a, j]
            start[0] += least[j, 0]
            continue
        for c in range(least.shape[1]):
            least[j, c] = entry(layout, price, curve, j, clusters.state, a, c)[1]
            start[1 + c] += least[j, c]
        probe.floored[j] = mixture.floored[a, j]
        start[0] += least[j, 0] if is_plain(curve) else probe.floored[j]
    if curve is not None:
        start[0] += curve.penalty[0] * minority_records(mixture.mix, a)
        if not is_plain(curve) and probe.each.shape[1] == 0:
            start[0] = -np.inf


@helper
def known_cost(given, asked, rest, now, b, paid, bound):
    """Add up what is remembered of what a record of a and b would cost together.

    This soon tells of most clusters that they are too far away. It is a loop of its
    own, with few arguments, which makes it many times faster. :func:`known_costs` does
    the same where costs depend on sensitive values.

    Parameters
    ----------
    given : int32 (n, r)
        The names of the clusters' states.
    asked, rest : arrays
        Those of the probe, which must be aimed at a.
    now : int
        The probe's time.
    b : int
    paid : float
        The probe's ``start[0]``.
    bound : float
        Where this is reached, the rest is left out.

    Returns
    -------
    float
        The cost, or a lower bound where the bound was reached or a state was not yet
        asked for.
    """
    for q in range(given.shape[1]):
        name = given[b, q]
        if paid >= bound:
            break
        if asked[name] == now:
            paid += rest[name]
    return paid


@helper
def known_costs(given, asked, rest, each, start, mixes, now, b, bound):
    """Add up what is remembered of what all records of a and b would pay together.

    Without what the penalty rises by.
    """
    paid = start[0]
    for c in range(each.shape[1]):
        paid += mixes[b, c] * start[1 + c]
    for q in range(given.shape[1]):
        name = given[b, q]
        if paid >= bound:
            break
        if asked[name] == now:
            paid += rest[name]
            for c in range(each.shape[1]):
                paid += mixes[b, c] * each[name, c]
    return paid


@helper
def joint_cost(cols, curve, clusters, mixture, probe, a, b, bound):
    """Return what a record of the union of a and b would cost on average.

    The probe must be aimed at a. Once the bound is reached, the rest is left out.
    """
    given, asked, rest, now = probe.names.given, probe.asked, probe.rest, probe.clock[0]
    each, start, mixes = probe.each, probe.start, probe.mixes
    if is_plain(curve):
        paid = start[0]
        for q in range(given.shape[1]):
            name = given[b, q]
            if asked[name] != now:
                ask(cols, curve, clusters, probe, a, clusters.state, b, q, name)
            paid += rest[name]
            if paid >= bound:
                break
        return paid
    if each.shape[1] == 0:
        return _unremembered(cols, curve, clusters, mixture, probe, a, b)
    for q in range(given.shape[1]):
        name = given[b, q]
        if asked[name] != now:
            ask(cols, curve, clusters, probe, a, clusters.state, b, q, name)
    paid = known_costs(given, asked, rest, each, start, mixes, now, b, np.inf)
    for c in range(mixes.shape[1]):
        probe.mix[0, c] = mixes[a, c] + mixes[b, c]
    if curve is not None:
        paid += curve.penalty[0] * (
            minority_records(probe.mix, 0) - minority_records(mixes, a)
        )
    return paid / (clusters.size[a] + clusters.size[b])


@helper
def ask(cols, curve, clusters, probe, a, states, b, q, name):
    """Compute what a costs together with the q-th state of a row, and remember it."""
    layout, tree, price = cols.layout, cols.tree, cols.price
    state, least, rest = probe.state, probe.least, probe.rest
    j = clusters.order[q]
    probe.asked[name] = probe.clock[0]
    copy_state(layout, j, clusters.state, a, state, 0)
    merge(layout, tree, j, state, 0, states, b)
    if curve is None:
        rest[name] = price_of(layout, price, j, state, 0) - least[j, 0]
    elif is_plain(curve):
        rest[name] = entry(layout, price, curve, j, state, 0, 0)[0] - least[j, 0]
    else:
        rest[name] = -probe.floored[j]
        for c in range(probe.each.shape[1]):
            cost = entry(layout, price, curve, j, state, 0, c)[0]
            rest[name] += probe.mixes[a, c] * cost
            probe.each[name, c] = cost - least[j, c]


@inlined
def _unremembered(cols, curve, clusters, mixture, probe, a, b):
    apart = clusters.size[a] * clusters.total[a] + clusters.size[b] * clusters.total[b]
    rises = merging_rise(
        cols, curve, clusters, mixture, a, b, np.inf, probe.state, probe.mix
    )
    return (apart + rises) / (clusters.size[a] + clusters.size[b])

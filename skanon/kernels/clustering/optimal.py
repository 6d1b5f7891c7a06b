"""The best of all ways to cluster a few records."""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.columns import TOLERANCE, state_width
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import row_total, sensitive_of, take
from skanon.kernels.jit import kernel


@kernel
def subset_costs(cols, codes, sensitive):
    """Compute what every set of records costs as a cluster, summed over its records.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)

    Returns
    -------
    float64 (2 ** n,)
        Record i is in the sets whose bit i is 1.
    """
    n, r = codes.shape
    n_sets = 1 << n
    n_sensitive = sensitive_scratch(cols.curve).shape[1]
    state = np.zeros((n_sets, state_width(cols.layout)), dtype=np.int64)
    mix = np.zeros((n_sets, n_sensitive), dtype=np.int32)
    cost = np.zeros((n_sets, r))
    summed = np.zeros(n_sets)
    size = np.zeros(n_sets, dtype=np.int64)
    for subset in range(1, n_sets):
        i = 0
        while not (subset >> i) & 1:
            i += 1
        rest = subset & ~(1 << i)
        for w in range(state.shape[1]):
            state[subset, w] = state[rest, w]
        for c in range(n_sensitive):
            mix[subset, c] = mix[rest, c]
        size[subset] = size[rest] + 1
        c = sensitive_of(cols.curve, sensitive, i)
        take(cols, codes[i], c, state, cost, mix, subset, rest == 0)
        summed[subset] = size[subset] * row_total(cols.curve, cost, mix, subset)
    return summed


@kernel
def best_partition(cost, alone, n, k, largest, budget):
    """Find the clustering of n records that costs least.

    Dynamic programming over the sets of records that are still to be clustered: the
    first of them is suppressed, or it forms a cluster with some of the others.

    Parameters
    ----------
    cost : float64 (2 ** n,)
        What each set of records costs as a cluster.
    alone : float64 (n,)
        What each record costs if it is suppressed.
    n, k, largest : int
        Clusters have k to ``largest`` records.
    budget : int
        The most records that may be suppressed.

    Returns
    -------
    int64 (n,)
        Labels; -1 for suppressed records. The first of equals.
    """
    n_sets = 1 << n
    size = np.zeros(n_sets, dtype=np.int64)
    for subset in range(1, n_sets):
        size[subset] = size[subset >> 1] + (subset & 1)
    least = np.full((n_sets, budget + 1), np.inf)
    chosen = np.zeros((n_sets, budget + 1), dtype=np.int64)
    least[0] = 0.0
    for todo in range(1, n_sets):
        first = 0
        while not (todo >> first) & 1:
            first += 1
        others = todo & ~(1 << first)
        for spare in range(budget + 1):
            best = np.inf
            if spare > 0:
                best = alone[first] + least[others, spare - 1]
            found = 0
            part = others
            while True:  # all subsets of the others, the largest first
                cluster = part | (1 << first)
                if k <= size[cluster] <= largest:
                    total = cost[cluster] + least[todo & ~cluster, spare]
                    if total < best - TOLERANCE:
                        best = total
                        found = cluster
                if part == 0:
                    break
                part = (part - 1) & others
            least[todo, spare] = best
            chosen[todo, spare] = found
    labels = np.full(n, -1, dtype=np.int64)
    todo = n_sets - 1
    spare = budget
    label = 0
    while todo > 0:
        cluster = chosen[todo, spare]
        if cluster == 0:
            spare -= 1
            todo &= todo - 1
            continue
        for i in range(n):
            if (cluster >> i) & 1:
                labels[i] = label
        label += 1
        todo &= ~cluster
    return labels

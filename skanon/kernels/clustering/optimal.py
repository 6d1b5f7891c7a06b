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
def best_partition(cost, hidden, n, k, largest):
    """Find the clustering of n records that costs least.

    Dynamic programming over the sets of records that are to be clustered: the first of
    them forms a cluster with some of the others. Then the best set to suppress is
    sought among all.

    Parameters
    ----------
    cost : float64 (2 ** n,)
        What each set of records costs as a cluster.
    hidden : float64 (2 ** n,)
        What each set of records costs if it is suppressed; infinite where it must not
        be.
    n, k, largest : int
        Clusters have k to ``largest`` records.

    Returns
    -------
    int64 (n,)
        Labels; -1 for suppressed records. The first of equals.
    """
    n_sets = 1 << n
    size = np.zeros(n_sets, dtype=np.int64)
    for subset in range(1, n_sets):
        size[subset] = size[subset >> 1] + (subset & 1)
    least = np.full(n_sets, np.inf)
    chosen = np.zeros(n_sets, dtype=np.int64)
    least[0] = 0.0
    for todo in range(1, n_sets):
        first = 0
        while not (todo >> first) & 1:
            first += 1
        others = todo & ~(1 << first)
        part = others
        while True:  # all subsets of the others, the largest first
            cluster = part | (1 << first)
            if k <= size[cluster] <= largest:
                total = cost[cluster] + least[todo & ~cluster]
                if total < least[todo] - TOLERANCE:
                    least[todo] = total
                    chosen[todo] = cluster
            if part == 0:
                break
            part = (part - 1) & others
    gone = 0
    for subset in range(1, n_sets):
        rest = n_sets - 1 - subset
        if hidden[subset] + least[rest] < hidden[gone] + least[n_sets - 1 - gone] - (
            TOLERANCE
        ):
            gone = subset
    labels = np.full(n, -1, dtype=np.int64)
    todo = n_sets - 1 - gone
    label = 0
    while todo > 0:
        cluster = chosen[todo]
        for i in range(n):
            if (cluster >> i) & 1:
                labels[i] = label
        label += 1
        todo &= ~cluster
    return labels

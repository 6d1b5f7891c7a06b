"""The oracle of lower bounds: all generalized records that cover a record and k."""

import itertools
import math

import numpy as np
from scipy.optimize import linprog


def permissible(column):
    """List all subsets that a column's values in the table can become."""
    present = list(dict.fromkeys(value for value, _ in column.rows))
    if column.is_intervals:  # two values tell an interval, whatever is between
        chosen = [(a, b) for a in present for b in present]
    elif column.nodes is not None:  # so do two leaves tell a node, or three, ...
        chosen = [node & set(present) for node in column.levels]
    else:
        sizes = range(1, len(present) + 1)
        chosen = [s for size in sizes for s in itertools.combinations(present, size)]
    return list(dict.fromkeys(column.closure(frozenset(c)) for c in chosen if c))


def by_support(table, k):
    """What each record pays at least in what covers it and at least k records."""
    n = len(table.records)
    least = [math.inf] * n
    for generalized in itertools.product(*map(permissible, table.columns)):
        covered = [
            i
            for i, record in enumerate(table.records)
            if all(v in subset for v, subset in zip(record, generalized, strict=True))
        ]
        if len(covered) >= k:
            for i in covered:
                least[i] = min(least[i], math.fsum(table.costs(generalized, i)))
    return least


def by_neighbours(table, k):
    """What each record pays at least with its k-1 nearest, if costs only grow."""
    n = len(table.records)
    return [
        sorted(math.fsum(table.costs(table.closure([i, m]), i)) for m in range(n))[
            k - 1
        ]
        for i in range(n)
    ]


def by_groups(table, k):
    """The most that shares can sum to if no k records exceed what their class costs.

    No share may exceed what a suppressed record pays. For costs that only grow, and are
    the same for all records of a class. Every group of k records is a row, and so are
    larger ones, which must change nothing.
    """
    n = len(table.records)
    rows, costs = [], []
    for size in range(k, min(2 * k, n + 1)):
        for group in itertools.combinations(range(n), size):
            closure = table.closure(group)
            rows.append(np.isin(range(n), group).astype(float))
            costs.append(math.fsum(math.fsum(table.costs(closure, i)) for i in group))
    suppressed = min(math.fsum(table.costs(None, i)) for i in range(n))
    solved = linprog(
        -np.ones(n), A_ub=np.array(rows), b_ub=costs, bounds=(None, suppressed)
    )
    return -solved.fun


def by_excess(cost, weight, share, k, root, among):
    """The greatest excess of k records, the root and others, by ``cost(members)``."""
    copies = [root] * (weight[root] - 1)
    copies += [i for i in among if i != root for _ in range(weight[i])]
    return max(
        (
            share[root] + sum(share[i] for i in others) - k * cost([root, *others])
            for others in set(itertools.combinations(copies, k - 1))
        ),
        default=-math.inf,
    )

"""The oracle of lower bounds: all generalized records that cover a record and k."""

import itertools
import math


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

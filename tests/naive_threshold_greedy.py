"""The oracle of greedy clustering up to a threshold: Lin & Wei 2008, section 2.2."""

import math

from naive import TOLERANCE
from naive_k_member import best_cluster, best_record


def diversity(table, members):
    """What the members pay on average, above what they would pay alone."""
    alone = table.summed([[i] for i in members])
    return (table.summed([members]) - alone) / len(members)


def whole(table):
    """What it costs on average to suppress a record of the original table.

    Above what its values cost if they stay whole; a column never counts below 0.
    """
    return table.penalty + math.fsum(
        column_whole(table, j) for j in range(len(table.columns))
    )


def column_whole(table, j):
    rows = table.columns[j].rows
    rises = [
        table.entry_cost(j, None, value, sensitive, searched=True)
        - table.entry_cost(j, frozenset([value]), value, sensitive, searched=True)
        for value, sensitive in rows
    ]
    return max(math.fsum(rises) / len(rows), 0.0)


def grow(table, visits, most, overshoot=False):
    """``visits``: the order in which records may begin a cluster.

    ``overshoot``: "until the diversity of the cluster exceeds" the threshold.
    """
    free, clusters = list(range(len(table.records))), []
    for first in visits:
        if first not in free:
            continue
        free.remove(first)
        cluster = [first]
        while free:
            best, _ = best_record(table, free, cluster)
            exceeds = diversity(table, [*cluster, best]) > most + TOLERANCE
            if exceeds and not overshoot:
                break
            free.remove(best)
            cluster.append(best)
            if exceeds:
                break
        clusters.append(cluster)
    return clusters


def threshold_greedy(table, k, visits, threshold, budget, overshoot=False):
    """``budget``: how many records may be suppressed; 0: all are reassigned.

    Returns the clusters and the records of small clusters.
    """
    grown = grow(table, visits, threshold * whole(table), overshoot)
    clusters = [members for members in grown if len(members) >= k]
    small = sorted(i for members in grown if len(members) < k for i in members)
    rest = list(small)
    if len(rest) <= budget:
        return clusters, small
    if not clusters:
        return [rest], small
    excess = {
        i: best_cluster(table, clusters, i)[1]
        + table.summed([[i]])
        - table.suppressed(i)
        for i in rest
    }
    for _ in range(budget):
        worst = rest[0]
        for i in rest:
            if excess[i] > excess[worst] + TOLERANCE:
                worst = i
        rest.remove(worst)
    for i in rest:
        best_cluster(table, clusters, i)[0].append(i)
    return clusters, small

"""The oracle of the one-pass k-means algorithm: figures 1 and 2 of Lin & Wei 2008."""

import math
from statistics import fmean

from naive import MISSING, TOLERANCE
from naive_k_member import least_of
from naive_threshold_greedy import column_whole


def gap(table, j, i, members):
    """How far record i is from the centroid of some records, in one column."""
    column, value = table.columns[j], table.records[i][j]
    values = [table.records[m][j] for m in members]
    if column.is_intervals and column.places:
        whole = column_whole(table, j)
        if (value is MISSING) != all(v is MISSING for v in values):
            return whole
        if value is MISSING:
            return 0.0
        if MISSING in values:
            return whole
        ends = max(column.places.values()) - min(column.places.values())
        mean = fmean(column.places[v] for v in values)
        return whole * abs(column.places[value] - mean) / ends if ends else 0.0
    joined = column.closure(column.closure(frozenset(values)) | {value})
    sensitive = table.sensitive[i]
    paid = table.entry_cost(j, joined, value, sensitive, searched=True)
    alone = table.entry_cost(j, frozenset([value]), value, sensitive, searched=True)
    return max(paid - alone, 0.0)


def centroid_gap(table, i, members):
    """Section 2.1: the distance of a record and a centroid."""
    return math.fsum(gap(table, j, i, members) for j in range(len(table.columns)))


def distance(table, i, members):
    """Section 2.1: the distance of a record and a cluster."""
    return len(members) * centroid_gap(table, i, members)


def closest(table, clusters, i):
    return least_of(clusters, lambda members: distance(table, i, members))[0]


def rank(column, value):
    """The place of a value among those of its column; missing values come last."""
    if column.line is None:
        return column.nodes.index(frozenset([value]))
    return [*column.line, MISSING].index(value)


def ordered(table):
    """All records, sorted by the first column, then the second, and so on.

    By the columns' own order, in trees branch by branch; missing values come last.
    """
    return sorted(
        range(len(table.records)),
        key=lambda i: [
            rank(column, value)
            for column, value in zip(table.columns, table.records[i], strict=True)
        ],
    )


def cluster_stage(table, seeds, n_passes):
    """Figure 1, and more passes; returns the clusters and the number of passes."""
    clusters = [[seed] for seed in seeds]
    visits = ordered(table)
    for i in visits:
        if i not in seeds:
            closest(table, clusters, i).append(i)
    for n in range(2, n_passes + 1):
        moved = False
        for i in visits:
            own = next(members for members in clusters if i in members)
            if len(own) == 1:
                continue
            own.remove(i)
            new = closest(table, clusters, i)
            new.append(i)
            moved = moved or new is not own
        if not moved:
            return clusters, n
    return clusters, n_passes


def trim(table, clusters, k):
    """Figure 2, lines 1 to 8, in place: returns what was removed."""
    removed = []
    for members in clusters:
        gaps = {i: centroid_gap(table, i, members) for i in sorted(members)}
        while len(members) > k:
            furthest = None
            for i in sorted(members):
                if furthest is None or gaps[i] > gaps[furthest] + TOLERANCE:
                    furthest = i
            members.remove(furthest)
            removed.append(furthest)
    return removed


def fill(table, clusters, k, removed):
    """Figure 2, lines 9 to 17, in place; ``removed`` in the order of the visits."""
    for i in removed:
        small = [members for members in clusters if len(members) < k]
        closest(table, small or clusters, i).append(i)


def without_cluster(table, clusters, h, first):
    """Suppress the first members of a cluster, and move the others elsewhere.

    Returns all clusters as they are then, an empty one in its place.
    """
    others = [list(m) if at != h else [] for at, m in enumerate(clusters)]
    for i in sorted(set(clusters[h]) - set(first)):
        closest(table, [members for members in others if members], i).append(i)
    return others


def fall(table, clusters, h, first):
    after = table.summed(without_cluster(table, clusters, h, first))
    after += math.fsum(table.suppressed(i) for i in first)
    return table.summed(clusters) - after


def suppress_small(table, clusters, first, budget):
    """In place. ``first``: from the places of small clusters to their members then."""
    falls = {h: fall(table, clusters, h, first[h]) for h in first}
    tried = []
    while len(tried) < len(falls):
        best = None
        for h in falls:
            if h not in tried and (best is None or falls[h] > falls[best] + TOLERANCE):
                best = h
        tried.append(best)
    for h in tried:
        if len(first[h]) <= budget and falls[h] > TOLERANCE:
            if fall(table, clusters, h, first[h]) > TOLERANCE:
                clusters[:] = without_cluster(table, clusters, h, first[h])
                budget -= len(first[h])


def oka(table, k, seeds, permute, *, n_passes=1, budget=0):
    """Returns the clusters and the number of passes.

    ``permute`` puts what was removed into the order in which it is picked.
    """
    clusters, n = cluster_stage(table, seeds, n_passes)
    first = {h: sorted(m) for h, m in enumerate(clusters) if len(m) < k}
    fill(table, clusters, k, permute(trim(table, clusters, k)))
    suppress_small(table, clusters, first, budget)
    return [members for members in clusters if members], n

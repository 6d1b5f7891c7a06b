"""The oracle of weighted C-means: Lin & Wei 2008, section 2.2, on Chiu & Tsai."""

import math
from collections import Counter
from statistics import fmean

from naive import MISSING, TOLERANCE
from naive_k_member import least_of
from naive_one_pass_k_means import rank
from naive_threshold_greedy import column_whole


def centroid(table, members):
    """By column: the mean of the places, or the most frequent value."""
    values = []
    for j, column in enumerate(table.columns):
        own = [table.records[i][j] for i in members]
        if column.is_intervals and column.places:
            known = [column.places[v] for v in own if v is not MISSING]
            most_known = len(known) >= len(own) - len(known)
            values.append(fmean(known) if most_known else MISSING)
        else:
            tally = Counter(own)
            values.append(min(tally, key=lambda v: (-tally[v], rank(column, v))))
    return values


def gap(table, j, i, center):
    """How far record i is from a centroid in one column."""
    column, value = table.columns[j], table.records[i][j]
    if column.is_intervals and column.places:
        if value is MISSING or center is MISSING:
            return 0.0 if value is center else column_whole(table, j)
        ends = max(column.places.values()) - min(column.places.values())
        away = abs(column.places[value] - center) / ends if ends else 0.0
        return column_whole(table, j) * away
    sensitive = table.sensitive[i]
    joined = column.closure(frozenset([value, center]))
    paid = table.entry_cost(j, joined, value, sensitive, searched=True)
    alone = table.entry_cost(j, frozenset([value]), value, sensitive, searched=True)
    return max(paid - alone, 0.0)


def gaps(table, i, center):
    return [gap(table, j, i, value) for j, value in enumerate(center)]


def distance(table, i, center, weights):
    away = gaps(table, i, center)
    return math.fsum(w * gap for w, gap in zip(weights, away, strict=True))


def assign(table, centers, weights):
    """Each record's cluster: the first of those whose centroids are closest."""
    return [
        least_of(centers, lambda h, i=i: distance(table, i, centers[h], weights))[0]
        for i in range(len(table.records))
    ]


def merge(table, clusters, k):
    """Each small cluster joins the large one whose summed loss rises least."""
    large = [list(members) for members in clusters if len(members) >= k]
    for small in clusters:
        if len(small) < k:
            found, _ = least_of(large, lambda other, m=small: table.distance(other, m))
            found.extend(small)
    return large


def kept(labels, k, table):
    """The clusters that labels make, once the small ones are merged."""
    clusters = {}
    for i, h in enumerate(labels):
        clusters.setdefault(h, []).append(i)
    return merge(table, [clusters[h] for h in sorted(clusters)], k)


def lost(table, labels, k):
    """What all records pay: Lin & Wei's information loss, in the table's own loss."""
    return table.summed(kept(labels, k, table))


def learned(table, labels, centers, weights, j, k):
    """One turn of column j: the labels and the weights that lose least."""
    best = lost(table, labels, k), labels, weights
    for factor in (1, 2, 0.5):
        tried = [w * factor if at == j else w for at, w in enumerate(weights)]
        tried = [w / math.fsum(tried) for w in tried]
        new = assign(table, centers, tried)
        loss = lost(table, new, k)
        if loss < best[0] - TOLERANCE:
            best = loss, new, tried
    return best[1:]


def weighted_c_means(table, k, seeds, weights=None, max_iter=100, tol=0.0):
    """Returns the clusters, the weights and the number of passes.

    Without weights they are learned.
    """
    n, r = len(table.records), len(table.columns)
    learns = weights is None
    weights = [1 / r] * r if learns else weights
    centers = {h: centroid(table, [seed]) for h, seed in enumerate(seeds)}
    labels = [seeds.index(i) if i in seeds else None for i in range(n)]
    n_iter, quiet = 0, 0
    while n_iter < max_iter and quiet < (r if learns else 1):
        if learns and n_iter:
            turn = (n_iter - 1) % r
            new, weights = learned(table, labels, centers, weights, turn, k)
        else:
            new = assign(table, centers, weights)
        n_iter += 1
        moved = sum(a != b for a, b in zip(labels, new, strict=True))
        labels = new
        quiet = quiet + 1 if moved <= tol * n else 0
        members = {h: [i for i in range(n) if labels[i] == h] for h in centers}
        centers = {h: centroid(table, own) for h, own in members.items() if own}
    return kept(labels, k, table), weights, n_iter

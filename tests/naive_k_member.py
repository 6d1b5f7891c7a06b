"""The oracle of k-member clustering: figure 5 of Byun et al. 2007, line by line."""

import math

from naive import TOLERANCE


def least_of(candidates, price):
    """The first of those with the lowest price, and the price."""
    least, found = math.inf, None
    for candidate in candidates:
        asked = price(candidate)
        if asked < least - TOLERANCE:
            least, found = asked, candidate
    return found, least


def best_record(table, free, cluster):
    return least_of(free, lambda i: table.distance(cluster, [i]))


def best_cluster(table, clusters, i):
    return least_of(clusters, lambda members: table.distance(members, [i]))


def furthest_record(table, free, i):
    return least_of(free, lambda other: -table.distance([i], [other]))[0]


def k_member(table, k, first, permute, literal=False, to_center=False):
    """``permute`` puts what is left into the order in which it is picked.

    ``literal``: figure 5 as printed, where r is always the record seen last.
    ``to_center``: as Goldberger & Tassa 2010 tell it in section 6.2.1: the k - 1
    records that are closest to the first one join it.
    """
    free, clusters, seed = list(range(len(table.records))), [], first
    while len(free) >= k:
        if clusters or literal:
            seed = furthest_record(table, free, seed)
        free.remove(seed)
        cluster = [seed]
        while len(cluster) < k:
            best, _ = best_record(table, free, cluster[:1] if to_center else cluster)
            free.remove(best)
            cluster.append(best)
            if literal:
                seed = best
        clusters.append(cluster)
    for i in permute(free):
        best_cluster(table, clusters, i)[0].append(i)
    return clusters

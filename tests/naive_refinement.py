"""The oracle of what goes beyond the paper: neighbouring clusters clustered anew."""

import math

from naive import TOLERANCE


def first_of_least(candidates, price):
    least, found = math.inf, None
    for candidate in candidates:
        asked = price(candidate)
        if asked < least - TOLERANCE:
            least, found = asked, candidate
    return found


def regroup(table, pool, k, seed):
    """Greedy clusters of k records; what is left over goes where it costs least."""

    def rise(i, members):
        return table.gc([*members, i]) - table.gc(members)

    def summed_rise(i, members):
        return table.summed([[*members, i]]) - table.summed([members])

    free, clusters = list(pool), []
    while len(free) >= k:
        first = pool[seed]
        if clusters:
            first = first_of_least(free, lambda i: -rise(i, clusters[-1]))
        clusters.append([first])
        free.remove(first)
        while len(clusters[-1]) < k:
            clusters[-1].append(first_of_least(free, lambda i: rise(i, clusters[-1])))
            free.remove(clusters[-1][-1])
    for i in free:
        first_of_least(clusters, lambda c, i=i: summed_rise(i, c)).append(i)
    return clusters


def neighbours(table, clusters, h, n_near):
    """The slot h and those of the clusters closest to its own, the closest first."""
    others = [g for g, members in enumerate(clusters) if members and g != h]
    near = [h]
    while others and len(near) <= n_near:
        closest = first_of_least(
            others, lambda g: table.distance(clusters[h], clusters[g])
        )
        near.append(closest)
        others.remove(closest)
    return near


def refine(table, clusters, k, visits, chances, n_near, keeps=lambda members: True):
    """One round, in place; an empty list is a free slot. Counts what got better.

    Only pools whose new clusters all pass ``keeps`` are taken.
    """
    n_better = 0
    for h, row in zip(visits, chances, strict=True):
        if not clusters[h]:
            continue
        near = neighbours(table, clusters, h, n_near)
        pool = sorted(i for g in near for i in clusters[g])
        least, best = table.summed([clusters[g] for g in near]), None
        for chance in row:
            seed = min(int(chance * len(pool)), len(pool) - 1)
            found = regroup(table, pool, k, seed)
            if table.summed(found) < least - TOLERANCE and all(map(keeps, found)):
                least, best = table.summed(found), found
        if best is None:
            continue
        empty = [g for g, members in enumerate(clusters) if not members]
        slots = [*near, *empty][: len(best)]
        for slot, members in zip(slots, best, strict=True):
            clusters[slot] = members
        n_better += 1
    return n_better

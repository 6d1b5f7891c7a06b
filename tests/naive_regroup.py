"""The oracle of clustering a few records greedily."""

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

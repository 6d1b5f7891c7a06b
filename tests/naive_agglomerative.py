"""The oracle of agglomerative clustering: section V-A of Gionis et al. 2008."""

import math

from naive import TOLERANCE

STEP = 1.0307e-9  # distances that round to the same multiple are equal


def lost(table, members):
    """The generalization cost d: what a record pays beyond its own values."""
    own = math.fsum(table.gc([i]) for i in members) / len(members)
    return table.gc(members) - own


def distance(table, name, epsilon, a, b):
    """Equations (8) to (11), and Nergiz & Clifton's from a to b."""
    united, of_a, of_b = (lost(table, members) for members in ([*a, *b], a, b))
    size = len(a) + len(b)
    if name == "rise":
        return size * united - len(a) * of_a - len(b) * of_b
    if name == "difference":
        return united - of_a - of_b
    if name == "scaled_difference":
        return (united - of_a - of_b) / math.log(size)
    if name == "ratio":  # PMI may be below that of the original table
        return united / (max(of_a, 0) + max(of_b, 0) + epsilon)
    return united - of_b


def rounded(value):
    return math.floor(value / STEP + 0.5)


def closest_pair(table, name, epsilon, growing, known):
    """The first of equals, as the clusters' first records lie in the table.

    ``known`` has what was computed before.
    """
    ordered = sorted(growing, key=min)
    least, pair = math.inf, None
    for p, a in enumerate(ordered):
        for b in ordered[p + 1 :]:
            if (a, b) not in known:
                known[a, b] = rounded(distance(table, name, epsilon, a, b))
                if name == "asymmetric":
                    back = rounded(distance(table, name, epsilon, b, a))
                    known[a, b] = min(known[a, b], back)
            if known[a, b] < least:
                least, pair = known[a, b], (a, b)
    return pair


def shrink(table, members, k):
    """Algorithm 2, for all distances alike; returns what is released, in order."""
    released = []
    while len(members) > k:
        least, found = math.inf, None
        for i in sorted(members):
            rest = lost(table, [m for m in members if m != i])
            if rest < least - TOLERANCE:
                least, found = rest, i
        members.remove(found)
        released.append(found)
    return released


def agglomerate(table, k, name, epsilon, modified):
    """Algorithm 1, with Algorithm 2 if ``modified``."""
    growing, ripe, known = [(i,) for i in range(len(table.records))], [], {}
    while len(growing) > 1:
        a, b = closest_pair(table, name, epsilon, growing, known)
        growing = [members for members in growing if members not in (a, b)]
        united = [*a, *b]
        if len(united) < k:
            growing.append(tuple(sorted(united)))
            continue
        if modified:
            growing += [(i,) for i in shrink(table, united, k)]
        ripe.append(united)
    for i in sorted(i for members in growing for i in members):
        ripe.sort(key=min)
        least, found = math.inf, None
        for members in ripe:
            apart = rounded(distance(table, name, epsilon, [i], members))
            if apart < least:
                least, found = apart, members
        found.append(i)
    return ripe

"""The oracle: rings of records, their windows, and who may get which window."""

import itertools
import math

from naive import TOLERANCE


def average(table, members):
    """What records pay on average for their closure."""
    closure = table.closure(members)
    paid = [math.fsum(table.costs(closure, i, searched=True)) for i in members]
    return math.fsum(paid) / len(members)


def ring_of(table, line, k, reach):
    """Order records: the next raises what the last ones pay least; the first of
    equals."""
    if len(line) <= k:
        return list(line)
    ring, left = [line[0]], list(line[1:])
    while left:
        last = ring[-reach:]
        rises = [average(table, [*last, i]) - average(table, last) for i in left]
        best = next(q for q, rise in enumerate(rises) if rise <= min(rises) + TOLERANCE)
        ring.append(left.pop(best))
    return ring


def windows_of(table, ring, k):
    """Close each record and the k - 1 that follow."""
    m = len(ring)
    return [
        table.closure([ring[(place + step) % m] for step in range(k)])
        for place in range(m)
    ]


def fitting(m, k):
    """List the windows that hold the record at each place."""
    return [
        [w for w in range(m) if place in [(w + step) % m for step in range(k)]]
        for place in range(m)
    ]


def is_perfect(given, m, k):
    """Tell whether each record has a window that fits it, and nobody else has it."""
    fits = all(w in fitting(m, k)[place] for place, w in enumerate(given))
    return fits and sorted(given) == list(range(m))


def all_matchings(m, k):
    """List all ways to give windows to records."""
    every = itertools.product(*fitting(m, k))
    return {given for given in every if len(set(given)) == m}

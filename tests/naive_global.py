"""The oracle: k-Anonymization Revisited, algorithm 6, one matching after the other."""

import math

from naive import TOLERANCE
from naive_consistency_fit import covers, paid, united


def neighbours(table, release):
    """Section IV: the released records that each original is consistent with."""
    return [
        [j for j, generalized in enumerate(release) if covers(generalized, record)]
        for record in table.records
    ]


def is_perfect(near, originals, released):
    """Tell whether some originals can all have one of some released records."""
    owner = {}

    def place(i, tried):
        for j in near[i]:
            if j in released and j not in tried:
                tried.add(j)
                if j not in owner or place(owner[j], tried):
                    owner[j] = i
                    return True
        return False

    return all(place(i, set()) for i in originals)


def matches(near, i):
    """Definition 4.6: of original i, by removing both ends of each of its edges."""
    everybody = set(range(len(near)))
    return [j for j in near[i] if is_perfect(near, everybody - {i}, everybody - {j})]


def matches_on_circles(near, i):
    """The same, if each released record generalizes the original in its row.

    If i takes the released record of j, then j needs another one, and so on, until
    somebody takes that of i: a walk from j to i.
    """
    leading, before = {i}, set()
    while leading != before:
        before = set(leading)
        leading |= {j for j, js in enumerate(near) if not leading.isdisjoint(js)}
    return [j for j in near[i] if j in leading]


def made_global(table, release, k, matches=matches):
    """Algorithm 6; and how many times a released record was widened."""
    release, n_widened = list(release), 0
    near = neighbours(table, release)
    for i in range(len(table.records)):
        while True:
            matched = matches(near, i)
            if len(matched) >= k:
                break
            now = paid(table, i, release[i])
            least, found = math.inf, None
            for j in near[i]:
                if j in matched:
                    continue
                wider = united(table, release[i], table.records[j])
                rises = paid(table, i, wider) - now
                if rises < least - TOLERANCE:
                    least, found = rises, j
            release[i] = united(table, release[i], table.records[found])
            n_widened += 1
            for js, record in zip(near, table.records, strict=True):
                if i not in js and covers(release[i], record):
                    js.append(i)
                    js.sort()
    return release, n_widened

"""The oracle of the clustering-based algorithm: figures 4 and 5 of He et al. 2012."""

import math

from naive import TOLERANCE


def full_range(table, j):
    """What a column costs more on average if it is suppressed."""
    rows = table.columns[j].rows
    rises = [
        table.entry_cost(j, None, value, sensitive, searched=True)
        - table.entry_cost(j, frozenset([value]), value, sensitive, searched=True)
        for value, sensitive in rows
    ]
    return max(math.fsum(rises) / len(rows), 0.0)


def gap(table, j, i, members):
    """NCP of a record and a center, which is the mean of some records."""
    column, value = table.columns[j], table.records[i][j]
    values = [table.records[m][j] for m in members]
    if not (column.is_intervals and column.places):
        sensitive = table.sensitive[i]
        joins = [
            table.entry_cost(
                j,
                column.closure(frozenset([value, v])),
                value,
                sensitive,
                searched=True,
            )
            for v in values
        ]
        return math.fsum(joins) / len(joins)
    placed = [column.places[v] for v in values if v in column.places]
    share = len(placed) / len(values)
    if value not in column.places:
        return full_range(table, j) * share
    ends = max(column.places.values()) - min(column.places.values())
    if not placed:
        return full_range(table, j)
    away = abs(column.places[value] - math.fsum(placed) / len(placed))
    relative = away / ends if ends else 0.0
    return full_range(table, j) * (share * relative + 1 - share)


def distance(table, i, members):
    return math.fsum(gap(table, j, i, members) for j in range(len(table.columns)))


def distribute(table, pool, centers):
    """Lines 6 and 7; returns the halves and how much farther the first center is."""
    halves, tilts = ([], []), {}
    for i in pool:
        tilts[i] = distance(table, i, centers[0]) - distance(table, i, centers[1])
        if abs(tilts[i]) <= TOLERANCE:
            chosen = 0 if len(halves[0]) < len(halves[1]) else 1
        else:
            chosen = 0 if tilts[i] < 0 else 1
        halves[chosen].append(i)
    return halves, tilts


def adjust(pool, halves, tilts, k):
    """Line 8: the smaller half borrows those that are relatively closest to it."""
    for small, sign in ((0, 1), (1, -1)):
        while len(halves[small]) < k:
            found = None
            for i in pool:
                if i in halves[1 - small] and (
                    found is None or sign * tilts[i] < sign * tilts[found] - TOLERANCE
                ):
                    found = i
            halves[1 - small].remove(found)
            halves[small].append(found)


def bisect(table, group, k, orders, keeps):
    """Lines 3 to 9 for one group; ``orders`` has an order of all records per round.

    None where no round has halves that are diverse (section 4).
    """
    halves, least, best = None, math.inf, None
    for order in orders:
        pool = [i for i in order if i in group]
        centers = halves or ([pool[0]], [pool[1]])
        halves, tilts = distribute(table, pool, centers)
        adjust(pool, halves, tilts, k)
        loss = table.summed(halves)
        if loss < least - TOLERANCE and all(map(keeps, halves)):
            least, best = loss, [list(half) for half in halves]
    return best


def deal(group, k, level, values, keeps):
    """Figure 5, with at least k records to a part.

    Fewer parts where one would not keep the promises. ``values`` gives the values by
    which records are ordered.
    """
    ordered = sorted(group, key=lambda i: (*values(i), i))
    for g in range(len(group), 0, -1):
        if len(group) // g < max(k, math.ceil(level)):
            continue
        parts = [[] for _ in range(g)]
        for at, i in enumerate(ordered):
            parts[at % g].append(i)
        if g == 1 or all(map(keeps, parts)):
            return parts
    return [group]


def bisecting(
    table, k, n_rounds, permute, keeps=lambda members: True, level=0, values=None
):
    """All of figure 4; ``permute`` yields a random order of all records.

    With ``level`` above 0 figure 5 comes afterwards.
    """
    groups, closed = [list(range(len(table.records)))], []

    def is_open(group):
        return len(group) >= 2 * k and group not in closed

    while any(map(is_open, groups)):
        orders = [permute() for _ in range(n_rounds)]
        parts = []
        for group in groups:
            halves = bisect(table, group, k, orders, keeps) if is_open(group) else None
            if halves is None and is_open(group):
                closed.append(group)
            parts += halves or [group]
        groups = parts
    if level:
        groups = [
            part
            for group in groups
            for part in (
                deal(group, k, level, values, keeps) if group in closed else [group]
            )
        ]
    return groups

"""The oracle of Mondrian: regions are lists of record numbers, cut again and again."""

import math

from naive import MISSING, TOLERANCE
from naive_one_pass_k_means import rank


def mondrian(table, k, *, strict, best, ordered=False):
    """LeFevre et al. 2006, as Goldberger & Tassa 2010, section 6.2.2, tell it.

    That is ``ordered``: unless it is set, taxonomies are cut along their trees.
    Sorting keeps the order that earlier cuts have left: a relaxed cut shows it.
    """
    waiting, uncut = [list(range(len(table.records)))], []
    while waiting:
        region = waiting.pop()
        sides = cut(table, region, k, strict, best, ordered)
        if len(sides) > 1:
            waiting.extend(sides)
        else:
            uncut.append(region)
    return uncut


def cut(table, region, k, strict, best, ordered):
    costs = spreads(table, region)
    wide = list(costs)
    if best:
        every = [cuts(table, region, j, k, strict, ordered) for j in wide]
        return _least(table, [[region], *(sides for some in every for sides in some)])
    while wide:  # the widest first, the first of equals
        most = max(costs[j] for j in wide)
        widest = next(j for j in wide if costs[j] > most - TOLERANCE)
        allowed = cuts(table, region, widest, k, strict, ordered)
        if allowed:
            middle = len(region) // 2
            return min(allowed, key=lambda sides: abs(len(sides[0]) - middle))
        wide.remove(widest)
    return [region]


def spreads(table, region):
    """By how much the columns that can be cut cost more than if they stayed whole."""
    united = table.gcs_by_column(region)
    alone = [table.gcs_by_column([i]) for i in region]
    return {
        j: united[j] - math.fsum(costs[j] for costs in alone) / len(region)
        for j in range(len(table.columns))
        if table.counts(j) and len({table.records[i][j] for i in region}) > 1
    }


def _least(table, tried):
    least, found = math.inf, None
    for sides in tried:
        if table.summed(sides) < least - TOLERANCE:
            least, found = table.summed(sides), sides
    return found


def cuts(table, region, j, k, strict, ordered):
    """All ways in which column j may be cut: at places in its order, or once."""
    column = table.columns[j]
    if column.line is None and not ordered:
        sides = along_tree(table, region, j, k, strict)
        return [sides] if len(sides) > 1 else []

    def place(i):
        value = table.records[i][j]
        if column.line is None:
            return rank(column, value)
        return [*column.line, MISSING].index(value)

    line = sorted(region, key=place)
    return [
        [line[:at], line[at:]]
        for at in range(k, len(line) - k + 1)
        if not strict or table.records[line[at - 1]][j] != table.records[line[at]][j]
    ]


def along_tree(table, region, j, k, strict):
    """Below the lowest node, each child of k records; the rest stays together."""
    children = below(table, region, j)
    large = [child for child in children if len(child) >= k]
    n_rest = len(region) - sum(map(len, large))
    lent = []
    if large and 0 < n_rest < k:
        largest = max(large, key=len)
        lacking = k - n_rest
        if not strict and len(largest) - lacking >= k:
            lent = largest[-lacking:]
        else:
            large.remove(min(large, key=len))
    sides = [[i for i in child if i not in lent] for child in large]
    rest = [i for c in children for i in c if c not in large or i in lent]
    return [*sides, rest] if rest else sides


def below(table, region, j):
    """The region's records below each child of their lowest node."""
    column = table.columns[j]
    values = {i: table.records[i][j] for i in region}
    node = column.closure(frozenset(values.values()))

    def child(value):
        return max((p for p in column.nodes if value in p and p < node), key=len)

    parts = [[i for i in region if child(values[i]) == p] for p in column.nodes]
    return [part for part in parts if part]

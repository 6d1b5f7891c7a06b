"""The oracle: what the papers define, in the slowest and most obvious way.

Values are plain Python objects, permissible subsets are frozensets of them, clusters
are lists of record numbers. Nothing is shared with the package.
"""

import math
from dataclasses import dataclass
from functools import cache

TOLERANCE = 1e-12


class Sign:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


MISSING = Sign("MISSING")
UNKNOWN = Sign("UNKNOWN")  # a value that turned up only after fitting


# ------------------------------------------------------------------ one column


@dataclass(eq=False)
class Column:
    """Any rule that finds the smallest permissible subset, and places on a line."""

    everything: frozenset
    smallest: object  # frozenset of present values -> smallest permissible subset
    places: dict | None  # value -> number, for what is measured by its length
    line: list | None = None  # the values in their order, where that cuts
    nodes: list | None = None  # a tree's subsets, those first that are cut off first

    @cache  # noqa: B019
    def closure(self, values):
        if UNKNOWN in values:
            return self.everything
        if MISSING in values:  # generalizes to everything only
            return values if len(values) == 1 else self.everything
        return self.smallest(values)


def _all_of(values, missing):
    return frozenset(values) | ({MISSING} if missing else frozenset())


def taxonomy(values, levels, missing=False, places=None):
    everything = _all_of(values, missing)
    permissible = [everything, *(frozenset([value]) for value in values)]
    for labels in levels[:-1]:
        for name in dict.fromkeys(labels):
            below = [
                v for v, label in zip(values, labels, strict=True) if label == name
            ]
            permissible.append(frozenset(below))

    def smallest(wanted):
        return min((p for p in permissible if wanted <= p), key=len)

    depth_first = sorted(values, key=lambda v: _branch(values, levels, v))
    nodes = [frozenset([value]) for value in [*depth_first, MISSING]]
    for labels in levels[:-1]:
        named = dict(zip(values, labels, strict=True))
        for name in dict.fromkeys(named[value] for value in depth_first):
            nodes.append(frozenset(v for v in values if named[v] == name))
    nodes = list(dict.fromkeys(nodes))
    return Column(everything, smallest, places, nodes=nodes)


def _branch(values, levels, value):
    """Sort key: where a value's labels are first met, from the root downwards."""
    row = values.index(value)
    return [*(labels.index(labels[row]) for labels in reversed(levels)), row]


def suppression(values, missing=False, places=None):
    return taxonomy(values, [["*"] * len(values)], missing, places)


def intervals(line, missing=False, places=None):
    """``line``: the distinct values in their order."""
    line = list(line)

    def smallest(wanted):
        at = [line.index(value) for value in wanted]
        return frozenset(line[min(at) : max(at) + 1])

    return Column(_all_of(line, missing), smallest, places, line)


def subsets(values, missing=False):
    return Column(_all_of(values, missing), lambda wanted: wanted, None, list(values))


# ----------------------------------------------------------------------- costs


def lm(column, subset):
    """Goldberger & Tassa 2010, equation (3): one entry's summand."""
    if len(column.everything) == 1:
        return 0.0
    return (len(subset) - 1) / (len(column.everything) - 1)


def ncp(column, subset):
    """He et al. 2012, definition 1: one entry's share of the domain's length.

    Without an order, values lie one apart. A missing value may be anywhere, so that
    it makes the range the widest that there is; a category that the column lacks is
    nowhere, and adds no length.
    """
    if not column.places:
        return lm(column, subset)
    if len(subset) == 1:
        return 0.0
    if MISSING in subset:
        return 1.0
    placed = [column.places[v] for v in subset if v in column.places]
    known = [column.places[v] for v in column.everything if v in column.places]
    if max(known) == min(known) or not placed:
        return 0.0
    return (max(placed) - min(placed)) / (max(known) - min(known))


# ---------------------------------------------------------------------- tables


@dataclass
class Table:
    records: list  # of tuples of values
    columns: list  # of Column
    weights: list  # any scale
    measure: object  # lm or ncp

    @property
    def shares(self):
        return [weight / sum(self.weights) for weight in self.weights]

    def closure(self, members):
        """Section 6.1: the minimal generalized record that covers all members."""
        return tuple(
            column.closure(frozenset(self.records[i][j] for i in members))
            for j, column in enumerate(self.columns)
        )

    def entry_costs(self, generalized):
        return [
            self.measure(column, subset)
            for column, subset in zip(self.columns, generalized, strict=True)
        ]

    def cost(self, generalized):
        """What one record pays for being published so: weighted equation (20)."""
        costs = self.entry_costs(generalized)
        return math.fsum(s * c for s, c in zip(self.shares, costs, strict=True))

    def gc(self, members):
        return self.cost(self.closure(members)) if members else 0.0

    def summed(self, clusters):
        """n times equation (19)."""
        return math.fsum(self.gc(members) * len(members) for members in clusters)

    def release(self, clusters):
        published = [None] * len(self.records)
        for members in clusters:
            for i in members:
                published[i] = self.closure(members)
        return published

    def loss(self, release):
        """Equation (3), from the release alone."""
        return math.fsum(map(self.cost, release)) / len(release)

    def change(self, i, own, other):
        """n times equation (22): record i moves from one cluster to another."""
        rest = [m for m in own if m != i]
        after = self.gc(rest) * len(rest) + self.gc([*other, i]) * (len(other) + 1)
        return after - self.gc(own) * len(own) - self.gc(other) * len(other)

    def distance(self, a, b):
        """Section 6.2.1: the rise of the summed loss if a and b are united."""
        united = [*a, *b]
        return self.gc(united) * len(united) - self.summed([a, b])


# ------------------------------------------------- Algorithm 1, sequential clustering


def clusters_of(labels):
    clusters = [[] for _ in range(max(labels) + 1)]
    for i, h in enumerate(labels):
        clusters[h].append(i)
    return clusters


def labels_of(clusters, n):
    labels = [-1] * n
    for h, members in enumerate(clusters):
        for i in members:
            labels[i] = h
    return labels


def split(clusters, members, ranks):
    """The half with the higher ranks becomes a new cluster, after all others."""
    ordered = sorted(members, key=lambda i: ranks[i])
    kept = (len(ordered) + 1) // 2
    members[:] = ordered[:kept]
    clusters.append(ordered[kept:])


def one_pass(table, clusters, ranks, largest, at_once):
    """Steps 2 to 9, in place; returns the number of moves."""
    moved = 0
    for i in range(len(table.records)):
        own = next(members for members in clusters if i in members)
        best, found = (math.inf if len(own) == 1 else 0.0), None
        for other in clusters:
            if other is not own:
                change = table.change(i, own, other)
                if change < best - TOLERANCE:
                    best, found = change, other
        if found is None:
            continue
        own.remove(i)
        if not own:
            clusters[:] = [members for members in clusters if members]
        found.append(i)
        moved += 1
        if at_once and len(found) > largest:
            split(clusters, found, ranks)
    for members in list(clusters):
        if len(members) > largest:
            split(clusters, members, ranks)
    return moved


def merge_small(table, clusters, k):
    """Steps 11 to 14, in place; the first of equally close pairs."""
    while True:
        small = [members for members in clusters if len(members) < k]
        if len(small) < 2:
            break
        least, pair = math.inf, None
        for p, a in enumerate(small):
            for b in small[p + 1 :]:
                if table.distance(a, b) < least - TOLERANCE:
                    least, pair = table.distance(a, b), (a, b)
        _unite(clusters, *pair)
    for a in small:
        least, closest = math.inf, None
        for b in clusters:
            if b is not a and table.distance(a, b) < least - TOLERANCE:
                least, closest = table.distance(a, b), b
        if closest is not None:
            _unite(clusters, closest, a)


def _unite(clusters, a, b):
    a.extend(b)
    clusters[:] = [members for members in clusters if members is not b]


def sequential(table, k, labels, permutations, *, omega, at_once, max_iter, tol):
    """All of Algorithm 1; ``permutations`` yields the random ranks of each pass.

    Returns the clusters and the number of passes.
    """
    clusters = clusters_of(labels)
    n_iter, moved_before = 0, math.inf
    while n_iter < max_iter:
        n_iter += 1
        before = table.summed(clusters)
        moved = one_pass(table, clusters, next(permutations), int(omega * k), at_once)
        fall = before - table.summed(clusters)
        if moved == 0 or abs(fall) <= TOLERANCE or 0 < fall <= tol * before:
            break
        if fall < 0 and moved >= moved_before:  # lonely records go round in circles
            break
        moved_before = moved
    merge_small(table, clusters, k)
    return clusters, n_iter


# --------------------------------------------------------- what comes afterwards


def suppress_outliers(table, clusters, k, budget, whole):
    """Take records out of clusters larger than k, in place, the worst ones first."""
    suppressed = []
    while len(suppressed) < budget:
        most, found = whole, None
        for members in clusters:
            if len(members) > k:
                for i in sorted(members):
                    rest = [m for m in members if m != i]
                    fall = table.summed([members]) - table.summed([rest])
                    if fall > most + TOLERANCE:
                        most, found = fall, (members, i)
        if found is None:
            break
        found[0].remove(found[1])
        suppressed.append(found[1])
    return suppressed


def assign(table, classes, record):
    """The first class whose closure with the record costs it least."""
    least, found = math.inf, None
    for h, generalized in enumerate(classes):
        wider = tuple(
            column.closure(subset | {value})
            for column, subset, value in zip(
                table.columns, generalized, record, strict=True
            )
        )
        if table.cost(wider) < least - TOLERANCE:
            least, found = table.cost(wider), h
    return found


def classes_by_appearance(table, clusters):
    """Labels of equivalence classes: clusters of equal closures are one."""
    numbers, labels = {}, []
    for generalized in table.release(clusters):
        if generalized is None:
            labels.append(-1)
        else:
            labels.append(numbers.setdefault(generalized, len(numbers)))
    return labels

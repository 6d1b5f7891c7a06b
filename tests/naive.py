"""The oracle: what the papers define, in the slowest and most obvious way.

Clusters are lists of record numbers. Nothing is shared with the package.
"""

import math
from collections import Counter
from dataclasses import dataclass, field

from naive_columns import (
    MISSING,
    UNKNOWN,
    Column,
    intervals,
    subsets,
    suppression,
    taxonomy,
)
from naive_losses import EM, IL, LM, MI, NCP, PMI, TREE, Part, lm, ncp

TOLERANCE = 1e-12

__all__ = [
    "EM",
    "IL",
    "LM",
    "MI",
    "MISSING",
    "NCP",
    "PMI",
    "TOLERANCE",
    "TREE",
    "UNKNOWN",
    "Column",
    "Part",
    "Table",
    "intervals",
    "lm",
    "ncp",
    "subsets",
    "suppression",
    "table_of",
    "taxonomy",
]


# ---------------------------------------------------------------------- tables


def table_of(records, columns, measure, sensitive=None, weights=None):
    """Make a table whose loss is one measure."""
    sensitive = sensitive or [0] * len(records)
    for j, column in enumerate(columns):
        column.rows = [(r[j], y) for r, y in zip(records, sensitive, strict=True)]
    parts = [Part(1.0, measure, tuple(weights or [1.0] * len(columns)))]
    return Table(records, columns, parts, sensitive)


@dataclass
class Table:
    """Records, and what it costs to publish them as something else.

    The columns know all records of the original table, of which these may be a part.
    """

    records: list  # of tuples of values
    columns: list  # of Column
    parts: list  # of Part
    sensitive: list
    penalty: float = 0.0
    known: dict = field(default_factory=dict, init=False, repr=False)  # from before

    def closure(self, members):
        """Section 6.1: the minimal generalized record that covers all members."""
        return tuple(
            column.closure(frozenset(self.records[i][j] for i in members))
            for j, column in enumerate(self.columns)
        )

    def entry_cost(self, j, subset, value, sensitive, *, searched):
        """Add up the measures' costs of one entry; None: its record is suppressed."""
        key = j, subset, value, sensitive, searched
        if key not in self.known:
            entry = self.columns[j], subset, value, sensitive
            self.known[key] = math.fsum(
                part.share(j) * part.measure.cost(*entry, searched=searched)
                for part in self.parts
                if part.weights[j]
            )
        return self.known[key]

    def costs(self, generalized, i, *, searched=False):
        """What record i pays, by column; None: it is suppressed."""
        return [
            self.entry_cost(j, subset, value, self.sensitive[i], searched=searched)
            for j, (subset, value) in enumerate(
                zip(
                    generalized or [None] * len(self.columns),
                    self.records[i],
                    strict=True,
                )
            )
        ]

    def counts(self, j):
        """Whether a column has any weight; a penalty alone weighs none and all."""
        return not self.parts or any(part.weights[j] for part in self.parts)

    def minority_records(self, members):
        """001_ section 3.4: records that are not of their class's majority."""
        tally = Counter(self.sensitive[i] for i in members)
        return len(members) - max(tally.values(), default=0)

    def gcs_by_column(self, members):
        """Section 6.1: what the members pay on average, by column."""
        generalized = self.closure(members)
        paid = [self.costs(generalized, i, searched=True) for i in members]
        return [math.fsum(column) / len(members) for column in zip(*paid, strict=True)]

    def gc(self, members):
        if not members:
            return 0.0
        key = frozenset(members)
        if key not in self.known:
            mixed = self.penalty * self.minority_records(members) / len(members)
            self.known[key] = math.fsum([*self.gcs_by_column(members), mixed])
        return self.known[key]

    def summed(self, clusters):
        """n times equation (19)."""
        return math.fsum(self.gc(members) * len(members) for members in clusters)

    def suppressed(self, i):
        """What record i pays when it is suppressed."""
        return math.fsum(self.costs(None, i, searched=True)) + self.penalty

    def release(self, clusters):
        published = [None] * len(self.records)
        for members in clusters:
            for i in members:
                published[i] = self.closure(members)
        return published

    def column_losses(self, release):
        """Average what all records pay, by column, from the release alone."""
        paid = [self.costs(generalized, i) for i, generalized in enumerate(release)]
        return [math.fsum(column) / len(paid) for column in zip(*paid, strict=True)]

    def loss(self, release):
        """Equations (3), (10), (14) or others, from the release alone."""
        return math.fsum(
            [*self.column_losses(release), self.penalty * self.cm(release)]
        )

    def cm(self, release):
        """001_ section 3.4: the share of records that are suppressed or strays."""
        classes = {}
        for i, generalized in enumerate(release):
            classes.setdefault(generalized, []).append(i)
        bad = len(classes.pop(None, []))
        bad += sum(self.minority_records(members) for members in classes.values())
        return bad / len(release)

    def change(self, i, own, other):
        """n times equation (22): record i moves from one cluster to another."""
        rest = [m for m in own if m != i]
        after = self.gc(rest) * len(rest) + self.gc([*other, i]) * (len(other) + 1)
        return after - self.gc(own) * len(own) - self.gc(other) * len(other)

    def distance(self, a, b):
        """Section 6.2.1: the rise of the summed loss if a and b are united."""
        united = [*a, *b]
        return self.gc(united) * len(united) - self.summed([a, b])

    def expected_entry(self, j, subset):
        """What an entry costs whose own and sensitive values nobody knows.

        As much as the original table's records pay on average in the subset.
        """
        paid = [
            self.entry_cost(j, subset, value, sensitive, searched=True)
            for value, sensitive in self.columns[j].rows
            if value in subset
        ]
        return math.fsum(paid) / len(paid)


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


def sequential(
    table,
    k,
    labels,
    permutations,
    *,
    omega,
    at_once,
    max_iter,
    tol,
    visit=one_pass,
):
    """All of Algorithm 1; ``permutations`` yields the random ranks of each pass.

    ``visit`` does one pass. Returns the clusters and the number of passes.
    """
    clusters = clusters_of(labels)
    n_iter, moved_before = 0, math.inf
    while n_iter < max_iter:
        n_iter += 1
        before = table.summed(clusters)
        moved = visit(table, clusters, next(permutations), int(omega * k), at_once)
        fall = before - table.summed(clusters)
        if moved == 0 or abs(fall) <= TOLERANCE or 0 < fall <= tol * before:
            break
        if fall < 0 and moved >= moved_before:  # lonely records go round in circles
            break
        moved_before = moved
    merge_small(table, clusters, k)
    return clusters, n_iter


# --------------------------------------------------------- what comes afterwards


def suppress_outliers(table, clusters, k, budget, wanted=1):
    """Take records out of clusters larger than k, in place, the worst ones first.

    If there is one whose going lowers the loss, then at least as many as are wanted.
    """
    suppressed = []
    while len(suppressed) < budget:
        enough = not suppressed or len(suppressed) >= wanted
        most, found = (0.0 if enough else -math.inf), None
        for members in clusters:
            if len(members) > k:
                for i in sorted(members):
                    rest = [m for m in members if m != i]
                    fall = table.summed([members]) - table.summed([rest])
                    fall -= table.suppressed(i)
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
        cost = math.fsum(table.expected_entry(j, s) for j, s in enumerate(wider))
        if cost < least - TOLERANCE:
            least, found = cost, h
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

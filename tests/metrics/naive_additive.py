"""The oracle of the additive losses: the papers' sums, entry by entry.

A release is a list of rows of frozensets of values, of which the values ``None`` is the
missing one, beside a list that tells which rows are suppressed.
"""

import math
from dataclasses import dataclass


@dataclass
class Attribute:
    """A_j of the papers, and what its losses need."""

    everything: frozenset
    form: str  # "interval", "set" or "tree"
    places: dict | None = None  # value -> number, where the values have an order
    levels: list | None = None  # of a tree: dicts leaf -> label, from below the root's


def share_of_values(attribute, entry):
    """000, equation (3)."""
    if len(attribute.everything) == 1:
        return 0.0
    return (len(entry) - 1) / (len(attribute.everything) - 1)


def share_of_length(attribute, entry):
    """004, definition 1; without an order, values lie one apart."""
    if attribute.places is None or attribute.form == "set":
        return share_of_values(attribute, entry)
    if len(entry) == 1:
        return 0.0
    if None in entry:
        return 1.0
    known = [attribute.places[v] for v in attribute.everything if v in attribute.places]
    inside = [attribute.places[v] for v in entry if v in attribute.places]
    if not inside or max(known) == min(known):
        return 0.0
    return (max(inside) - min(inside)) / (max(known) - min(known))


def share_of_levels(attribute, entry):
    """003, section IV: l / h of the lowest node that covers the entry."""
    if len(entry) == 1:
        return 0.0
    if attribute.form != "tree":
        return 1.0
    height = len(attribute.levels)
    for level, labels in enumerate(attribute.levels, start=1):
        above = {labels[value] for value in entry if value is not None}
        if None in entry or len(above) > 1:
            continue
        if all(labels.get(value) in above for value in attribute.everything):
            return 1.0  # it covers all that there is, and is published as the root
        return level / height
    return 1.0


def range_or_levels(attribute, entry):
    """001, definitions 2, 3 and 5."""
    if attribute.form == "interval":
        return share_of_length(attribute, entry)
    if len(entry) == 1:
        return 0.0
    if attribute.form != "tree":
        return 1.0
    known = attribute.everything - {None}
    nodes = {frozenset([value]) for value in known} | {known}
    for labels in attribute.levels:
        groups = {labels.get(value) for value in known}
        nodes |= {frozenset(v for v in known if labels.get(v) == g) for g in groups}

    def height(top):
        below = [node for node in nodes if node < top]
        return 1 + max(map(height, below)) if below else 0

    above = [node for node in nodes if entry <= node]
    if not above or min(above, key=len) == known:
        return 1.0
    return height(min(above, key=len)) / height(known)


SHARES = {
    "lm": share_of_values,
    "tree": share_of_levels,
    "byun": range_or_levels,
    "ncp": share_of_length,
}


def weight_of(column, weights, entry, sensitive=None, y=None):
    """How many records have a value of an entry, and the sensitive value y."""
    return sum(
        weight
        for i, (value, weight) in enumerate(zip(column, weights, strict=True))
        if value in entry and (y is None or sensitive[i] == y)
    )


def entropy(column, weights, entry):
    """003, definition 4.3."""
    total = weight_of(column, weights, entry)
    found = 0.0
    for value in entry:
        share = weight_of(column, weights, {value}) / total
        found -= share * math.log2(share) if share else 0.0
    return found


def surprise(column, weights, entry, value):
    """000, a summand of equation (10)."""
    own = weight_of(column, weights, {value})
    return -math.log2(own / weight_of(column, weights, entry))


def sensitive_surprise(column, weights, entry, sensitive, y):
    """000, a summand of equation (14)."""
    same = weight_of(column, weights, entry, sensitive, y)
    return -math.log2(same / weight_of(column, weights, entry))


@dataclass
class Measured:
    """A table and its release."""

    attributes: list
    rows: list  # of tuples of values
    sets: list  # of tuples of frozensets
    suppressed: list
    sensitive: list
    weights: list

    def column(self, j):
        return [row[j] for row in self.rows]

    def summed(self, j, cost):
        """Add up cost(entry, i), by what records weigh."""
        return math.fsum(
            weight * cost(row[j], i)
            for i, (row, weight) in enumerate(zip(self.sets, self.weights, strict=True))
            if weight
        )

    def average(self, j, cost):
        return self.summed(j, cost) / sum(self.weights)

    def column_loss(self, name, j):
        """The average over a column's entries."""
        attribute, column = self.attributes[j], self.column(j)
        given = column, self.weights
        if name in SHARES:
            return self.average(
                j,
                lambda entry, i: (
                    1.0 if self.suppressed[i] else SHARES[name](attribute, entry)
                ),
            )
        if name == "entropy":
            return self.average(j, lambda entry, i: entropy(*given, entry))
        if name == "mi":
            return self.average(j, lambda entry, i: surprise(*given, entry, column[i]))
        return self.sensitive_loss(j) - self.sensitive_loss(j, original=True)

    def sensitive_loss(self, j, original=False):
        """000, equation (14), of one column of the release or of the original."""
        column = self.column(j)
        return self.average(
            j,
            lambda entry, i: sensitive_surprise(
                column,
                self.weights,
                {column[i]} if original else entry,
                self.sensitive,
                self.sensitive[i],
            ),
        )

    def information(self, j):
        """000, equation (11)."""
        column, everything = self.column(j), self.attributes[j].everything

        def told(entry, i):
            given = self.sensitive, self.sensitive[i]
            before = sensitive_surprise(column, self.weights, everything, *given)
            return before - sensitive_surprise(column, self.weights, entry, *given)

        return self.average(j, told)

"""The oracle of columns: what values may become, as plain sets.

Values are plain Python objects, permissible subsets are frozensets of them. Nothing is
shared with the package.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache


class Sign:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


MISSING = Sign("MISSING")
UNKNOWN = Sign("UNKNOWN")  # a value that turned up only after fitting


@dataclass(eq=False)
class Column:
    """Any rule that finds the smallest permissible subset, and places on a line."""

    everything: frozenset
    smallest: object  # frozenset of present values -> smallest permissible subset
    places: dict | None  # value -> number, for what is measured by its length
    line: list | None = None  # the values in their order, where that cuts
    is_intervals: bool = False
    nodes: list | None = None  # a tree's subsets, those first that are cut off first
    levels: dict | None = None  # a tree's subsets -> their levels
    height: int | None = None
    rows: list = field(default_factory=list)  # (value, sensitive value) of all records

    @cache  # noqa: B019
    def closure(self, values):
        """Find the smallest; UNKNOWN stays in it, as no other subset covers that."""
        if UNKNOWN in values:
            return self.everything | {UNKNOWN}
        if MISSING in values:  # generalizes to everything only
            return values if len(values) == 1 else self.everything
        return self.smallest(values)

    @cache  # noqa: B019
    def tally(self, subset):
        """Count the records that have one of some values, by value."""
        return Counter(value for value, _ in self.rows if value in subset)

    @cache  # noqa: B019
    def sensitive_tally(self, subset):
        """Count the records that have one of some values, by sensitive value."""
        return Counter(sensitive for value, sensitive in self.rows if value in subset)


def _all_of(values, missing):
    return frozenset(values) | ({MISSING} if missing else frozenset())


def taxonomy(values, levels, missing=False, places=None):
    everything = _all_of(values, missing)
    lowest = {frozenset([value]): 0 for value in everything}
    for at, labels in enumerate(levels[:-1], start=1):
        for name in dict.fromkeys(labels):
            below = [
                v for v, label in zip(values, labels, strict=True) if label == name
            ]
            lowest.setdefault(frozenset(below), at)
    if len(everything) > 1:  # it is published as the root is
        lowest[everything] = len(levels)

    def smallest(wanted):
        return min((p for p in lowest if wanted <= p), key=len)

    depth_first = sorted(values, key=lambda v: _branch(values, levels, v))
    nodes = [frozenset([value]) for value in [*depth_first, MISSING]]
    for labels in levels[:-1]:
        named = dict(zip(values, labels, strict=True))
        for name in dict.fromkeys(named[value] for value in depth_first):
            nodes.append(frozenset(v for v in values if named[v] == name))
    return Column(
        everything,
        smallest,
        places,
        nodes=list(dict.fromkeys(nodes)),
        levels=lowest,
        height=len(levels),
    )


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

    everything = _all_of(line, missing)
    return Column(everything, smallest, places, line, is_intervals=True)


def subsets(values, missing=False):
    return Column(_all_of(values, missing), lambda wanted: wanted, None, list(values))

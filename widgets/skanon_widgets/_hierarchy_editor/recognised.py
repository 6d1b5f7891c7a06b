"""The cut points that a taxonomy amounts to, if its groups are ranges."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Taxonomy
from skanon.hierarchies._leaves import _PARSERS, like
from skanon.hierarchies._ranges import _on_line
from skanon_widgets._hierarchy_editor.ranges_model import Points

MOST_POINTS = 100
"""More cut points are no help to look at."""

NONE_YET = "There is no cut point yet: each value stands for itself."

_LOW = re.compile(r"\[([^,]+), .+[)\]]|>= (.+)")


def points_of(
    domain: Domain, hierarchy: Hierarchy | str
) -> tuple[Points, str, list[Any], list[list[str]]]:
    """Find the cut points that give a taxonomy's groups.

    Parameters
    ----------
    domain : Domain
        Of numbers, dates or time spans.
    hierarchy : Hierarchy or str
        The hierarchy, or what is wrong with it.

    Returns
    -------
    points : tuple
        As in :class:`Ranges`; empty where the groups are no ranges.
    why : str
        Why it is empty.
    extra : list
        Values that the taxonomy covers and the column does not hold.
    names : list of lists of str
        What the ranges of each level are called.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.hierarchies import from_widths
    >>> ages = pd.Series([17, 25, 32])
    >>> domain, _ = Domain.learn(ages, "age")
    >>> points_of(domain, from_widths(ages, 10))
    (((20, 1), (30, 1)), '', [], [['[10, 20)', '[20, 30)', '[30, 40)']])
    """
    if isinstance(hierarchy, str):
        return (), hierarchy, [], []
    if not isinstance(hierarchy, Taxonomy):
        return (), NONE_YET, [], []
    extra = _extra(domain, hierarchy)
    leaves, order = _sorted(domain, hierarchy)
    labels = [np.array(level, dtype=object)[order] for level in hierarchy.levels]
    found: dict[int, int] = {}
    names: list[list[str]] = []
    for height, level in enumerate(labels[:-1], start=1):
        starts = np.flatnonzero(level[1:] != level[:-1]) + 1
        first = [level[0], *level[starts]]
        if len(set(first)) < len(first):
            twice = next(x for x in first if first.count(x) > 1)
            why = f"{twice!r} is no range: values outside it lie between its own."
            return (), why, extra, []
        if len(starts) > MOST_POINTS:
            why = f"Level {height} has more than {MOST_POINTS} ranges."
            return (), why, extra, []
        if len(starts):
            names.append(first)
        found |= dict.fromkeys(starts.tolist(), height)
    if not found:
        return (), NONE_YET, extra, []
    points = [
        (_low_end(domain.kind, [x[at] for x in labels[:height]], leaves, at), height)
        for at, height in sorted(found.items())
    ]
    return tuple(points), "", extra, names


def _sorted(domain: Domain, taxonomy: Taxonomy) -> tuple[list[Any], np.ndarray]:
    """Give the leaves as points on the line, in order, and their rows."""
    read = like(domain, taxonomy.values)
    learned = Domain(
        domain.name, domain.kind, read, np.zeros(len(read)), 0, True, domain.dtype
    )
    line = _on_line(learned)
    order = np.array(sorted(range(len(line)), key=line.__getitem__))
    return [line[i] for i in order], order


def _extra(domain: Domain, taxonomy: Taxonomy) -> list[Any]:
    read = like(domain, taxonomy.values)
    return [x for x, at in zip(read, domain.match(read), strict=True) if at < 0]


def _low_end(kind: str, labels: list[str], leaves: list[Any], at: int) -> Any:
    """Take the point from a label that begins with it, else from the data."""
    for label in labels:
        match = _LOW.fullmatch(label)
        try:
            point = _PARSERS[kind](match[1] or match[2]) if match else None
            if point is not None and leaves[at - 1] < point <= leaves[at]:
                return point
        except (ValueError, TypeError, HierarchyError):
            continue
    return leaves[at]

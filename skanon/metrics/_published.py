"""How long published subsets are, and how high up in the taxonomy."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses._terms import lengths, line
from skanon.metrics._columns import ReadColumn


def hulls(column: ReadColumn) -> np.ndarray:
    """Measure subsets from their lowest to their highest value.

    As :func:`skanon.losses._terms.lengths` does it, but other tools publish sets that
    are no permissible subsets. Of a set only its own values count.

    Returns
    -------
    ndarray of float64, shape (n_subsets,)
        Relative to the column's range.
    """
    bound = column.bound
    places = line(bound)
    if places is None:
        return (column.sizes - 1) / max(bound.n_codes - 1, 1)
    result = lengths(bound, column.first, column.last)
    if isinstance(bound, BoundTaxonomy):  # whose leaves need not be in order
        for at, members in column.gapped.items():
            placed = places[members]
            placed = placed[~np.isnan(placed)]
            if members[-1] != bound.missing:
                result[at] = np.ptp(placed) if len(placed) else 0.0
    return result


def levels(column: ReadColumn) -> np.ndarray:
    """Find the levels of subsets, relative to the taxonomy's height.

    Returns
    -------
    ndarray of float64, shape (n_subsets,)
        That of the lowest node which covers the subset. Without a taxonomy, 0 for
        single values and 1 for others.
    """
    bound = column.bound
    if not isinstance(bound, BoundTaxonomy):
        return (column.sizes > 1).astype(np.float64)
    node = column.first.copy()  # a leaf's number is its code
    while (low := bound.last[node] < column.last).any():
        node[low] = bound.parent[node[low]]
    result = bound.level[node] / max(bound.height, 1)
    covered = bound.last[node] - np.maximum(bound.first[node], 0) + 1
    return np.where((covered == bound.n_codes) & (covered > 1), 1.0, result)

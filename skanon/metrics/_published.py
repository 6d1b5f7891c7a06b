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


def climbs(column: ReadColumn) -> tuple[np.ndarray, np.ndarray]:
    """Find the levels and heights of subsets, relative to those of the taxonomy's root.

    Returns
    -------
    levels, heights : ndarray of float64, shape (n_subsets,)
        Those of the lowest node which covers the subset. Without a taxonomy, 0 for
        single values and 1 for others.
    """
    bound = column.bound
    if not isinstance(bound, BoundTaxonomy):
        flat = (column.sizes > 1).astype(np.float64)
        return flat, flat
    node = lowest_covering(bound, column.first, column.last)
    return bound.shares_of(bound.level)[node], bound.shares_of(bound.depth)[node]


def lowest_covering(
    bound: BoundTaxonomy, first: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """Find the lowest nodes that cover spans of codes.

    Parameters
    ----------
    bound : BoundTaxonomy
    first, last : ndarray of int, of one shape

    Returns
    -------
    ndarray of int, of the same shape
    """
    node = first.copy()  # a leaf's number is its code
    while (low := bound.last[node] < last).any():
        node[low] = bound.parent[node[low]]
    return node

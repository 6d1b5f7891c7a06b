"""One column of a release: the few subsets that it publishes, and each row's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.privacy._labels import Span, Subset


@dataclass(frozen=True)
class ReadColumn:
    """One quasi-identifier of a release, beside its original.

    The published entries are few distinct subsets of the column's values. They are
    kept as spans of codes, and listed in full only where they have gaps.

    Attributes
    ----------
    bound : BoundHierarchy
        Bound to the original column.
    codes : ndarray of int32, shape (n,)
        The original values.
    subset : ndarray of int64, shape (n,)
        Which of the subsets each row publishes.
    first, last : ndarray of int64, shape (n_subsets,)
        Their smallest and largest codes.
    sizes : ndarray of int64, shape (n_subsets,)
    gapped : dict from subset to ndarray of int64
        The codes of those that are no spans.
    """

    bound: BoundHierarchy
    codes: np.ndarray
    subset: np.ndarray
    first: np.ndarray
    last: np.ndarray
    sizes: np.ndarray
    gapped: dict[int, np.ndarray]

    @property
    def name(self) -> Any:
        """The column's name."""
        return self.bound.domain.name

    @property
    def n_subsets(self) -> int:
        """How many different subsets are published."""
        return len(self.sizes)

    def members(self, subset: int) -> np.ndarray:
        """List the codes of a subset, in ascending order."""
        if subset in self.gapped:
            return self.gapped[subset]
        return np.arange(self.first[subset], self.last[subset] + 1)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Add up a value per code over each subset.

        Parameters
        ----------
        values : ndarray of float64, shape (n_codes,)
            None below 0.

        Returns
        -------
        ndarray of float64, shape (n_subsets,)
        """
        before = np.append(0.0, np.cumsum(values))
        sums = before[self.last + 1] - before[self.first]
        for at, codes in self.gapped.items():
            sums[at] = values[codes].sum()
        # a difference of long sums is rounded: what is a single value, is that value
        single = self.sizes == 1
        sums[single] = values[self.first[single]]
        return sums

    def spread(self, masses: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Spread a mass per subset over its codes, in proportion to their weights.

        Parameters
        ----------
        masses : ndarray of float64, shape (n_subsets,)
        weights : ndarray of float64, shape (n_codes,)

        Returns
        -------
        ndarray of float64, shape (n_codes,)
        """
        sums = self.sums(weights)
        density = np.divide(masses, sums, out=np.zeros(len(sums)), where=masses > 0)
        single = self.sizes == 1
        spans = ~single
        spans[list(self.gapped)] = False
        steps = np.zeros(len(weights) + 1)
        np.add.at(steps, self.first[spans], density[spans])
        np.subtract.at(steps, self.last[spans] + 1, density[spans])
        height = np.maximum(np.cumsum(steps)[:-1], 0)  # below 0 by rounding only
        np.add.at(height, self.first[single], density[single])
        for at, codes in self.gapped.items():
            height[codes] += density[at]
        return height * weights

    def covers(self, subset: int, codes: np.ndarray) -> np.ndarray:
        """Tell which codes lie in a subset.

        Returns
        -------
        ndarray of bool, shape of ``codes``
        """
        if subset in self.gapped:
            return self._table(subset)[codes]
        return (self.first[subset] <= codes) & (codes <= self.last[subset])

    def covers_own(self) -> np.ndarray:
        """Tell for each row whether its subset covers its original value.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        at = self.subset
        inside = (self.first[at] <= self.codes) & (self.codes <= self.last[at])
        if self.gapped:
            m = self.bound.n_codes
            pairs = [np.asarray(x) + at * m for at, x in self.gapped.items()]
            rows = np.flatnonzero(np.isin(at, list(self.gapped)))
            wanted = at[rows] * m + self.codes[rows]
            inside[rows] = np.isin(wanted, np.concatenate(pairs))
        return inside

    @cached_property
    def _tables(self) -> dict[int, np.ndarray]:
        return {}

    def _table(self, subset: int) -> np.ndarray:
        if subset not in self._tables:
            table = np.zeros(self.bound.n_codes, dtype=bool)
            table[self.gapped[subset]] = True
            self._tables[subset] = table
        return self._tables[subset]


def collect(
    bound: BoundHierarchy, codes: np.ndarray, subsets: list[Subset], of_row: np.ndarray
) -> ReadColumn:
    """Put a column together, and keep each subset once, in whatever ways it is written.

    Parameters
    ----------
    bound : BoundHierarchy
    codes : ndarray of int32, shape (n,)
        The original values.
    subsets : list of Span or ndarray, length n_distinct
        What the different published entries stand for.
    of_row : ndarray of int, shape (n,)
        Which of them stands in each row.
    """
    numbers: dict[Any, int] = {}
    renumbered: Any = np.empty(len(subsets), dtype=np.int64)
    kept: list[Subset] = []
    for at, subset in enumerate(subsets):
        key = subset if isinstance(subset, Span) else subset.tobytes()
        renumbered[at] = numbers.setdefault(key, len(kept))
        if renumbered[at] == len(kept):
            kept.append(subset)
    gapped = {at: x for at, x in enumerate(kept) if not isinstance(x, Span)}
    first: Any = np.array([int(subset[0]) for subset in kept], dtype=np.int64)
    last: Any = np.array([int(subset[-1]) for subset in kept], dtype=np.int64)
    sizes = last - first + 1
    for at, members in gapped.items():
        sizes[at] = len(members)
    subset_of_row = renumbered[of_row.reshape(-1)]
    return ReadColumn(bound, codes, subset_of_row, first, last, sizes, gapped)

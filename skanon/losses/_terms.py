"""What all losses are made of: seven terms, each a number per permissible subset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._taxonomy import BoundTaxonomy

SIZE, LENGTH, LEVEL, HEIGHT, NONUNIFORM, ENTROPY, SENSITIVE = range(7)
"""The terms, which all cost an entry that stayed whole nothing, but NONUNIFORM and
SENSITIVE: these are counted from an origin of their own; see :meth:`Ground.origins`."""

N_TERMS = 7


@dataclass(frozen=True)
class Subsets:
    """Some permissible subsets of one column, summed up.

    Attributes
    ----------
    sizes : ndarray of int, shape (n_subsets,)
        How many values each covers.
    lengths : ndarray of float64, shape (n_subsets,)
        How long each is, relative to the column's range; see :func:`lengths`.
    levels : ndarray of float64, shape (n_subsets,)
        Their levels in the taxonomy, by the number of its levels; without one, 0 for
        single values and 1 for others.
    heights : ndarray of float64, shape (n_subsets,)
        The heights of the trees below them, by that of the taxonomy; without one, as
        ``levels``.
    counts : ndarray of float64, shape (n_subsets,)
        How many records have one of their values.
    plogs : ndarray of float64, shape (n_subsets,)
        The sum of n log2 n over their values, with n the records that have it.
    by_sensitive : ndarray of float64, shape (n_subsets, n_sensitive)
        ``counts``, by sensitive value.
    """

    sizes: np.ndarray
    lengths: np.ndarray
    levels: np.ndarray
    heights: np.ndarray
    counts: np.ndarray
    plogs: np.ndarray
    by_sensitive: np.ndarray


@dataclass(frozen=True)
class Ground:
    """What the terms of one column are computed from.

    Attributes
    ----------
    bound : BoundHierarchy
    by_sensitive : ndarray of float64, shape (n_codes, n_sensitive)
        How many records have each value and each sensitive value.
    """

    bound: BoundHierarchy
    by_sensitive: np.ndarray

    @classmethod
    def learn(
        cls, bound: BoundHierarchy, codes: np.ndarray, sensitive: np.ndarray
    ) -> Ground:
        """Count values and sensitive values, both given as numbers from 0 on."""
        n_sensitive = int(sensitive.max(initial=0)) + 1
        by_sensitive = np.zeros((bound.n_codes, n_sensitive))
        np.add.at(by_sensitive, (codes, sensitive), 1)
        return cls(bound, by_sensitive)

    @property
    def counts(self) -> np.ndarray:
        """How many records have each value: ndarray of float64, shape (n_codes,)."""
        return self.by_sensitive.sum(axis=1)

    @property
    def plogs(self) -> np.ndarray:
        """The n log2 n of these counts."""
        return n_log_n(self.counts)

    def tree(self) -> Subsets:
        """Sum up the nodes of a taxonomy, in their order."""
        bound = self.bound
        assert isinstance(bound, BoundTaxonomy)
        first, last = np.maximum(bound.first, 0), bound.last
        sizes = last - first + 1
        return Subsets(
            sizes,
            lengths(bound, first, last),
            bound.shares_of(bound.level),
            bound.shares_of(bound.depth),
            _between(self.counts, first, last),
            _between(self.plogs, first, last),
            _between(self.by_sensitive, first, last),
        )

    def terms(self, subsets: Subsets) -> np.ndarray:
        """Compute what a record pays for each subset, term by term.

        Returns
        -------
        ndarray of float64, shape (n_subsets, n_sensitive + 1, N_TERMS)
            By sensitive value; the last is the average over the subset's records.
            NONUNIFORM and SENSITIVE are counted from 0, not from the record's own
            value.
        """
        n, same = subsets.counts, subsets.by_sensitive
        result = np.zeros((len(n), same.shape[1] + 1, N_TERMS))
        result[..., SIZE] = ((subsets.sizes - 1) / max(self.bound.n_codes - 1, 1))[
            :, None
        ]
        result[..., LENGTH] = subsets.lengths[:, None]
        result[..., LEVEL] = subsets.levels[:, None]
        result[..., HEIGHT] = subsets.heights[:, None]
        log_n = np.log2(np.maximum(n, 1))
        result[..., NONUNIFORM] = log_n[:, None]
        entropy = log_n - subsets.plogs / np.maximum(n, 1)
        entropy[subsets.sizes == 1] = 0.0
        result[..., ENTROPY] = np.maximum(entropy, 0)[:, None]
        log_same = np.log2(np.where(same > 0, same, np.maximum(n, 1)[:, None]))
        result[:, :-1, SENSITIVE] = log_n[:, None] - log_same
        sensitive_entropy = (same * result[:, :-1, SENSITIVE]).sum(axis=1)
        result[:, -1, SENSITIVE] = sensitive_entropy / np.maximum(n, 1)
        return result

    def suppressed(self) -> np.ndarray:
        """Compute what a suppressed record pays, term by term.

        Returns
        -------
        ndarray of float64, shape (n_sensitive + 1, N_TERMS)
            The last is the average.
        """
        n, same = self.counts.sum(), self.by_sensitive.sum(axis=0)
        result = np.ones((len(same) + 1, N_TERMS))
        result[:, NONUNIFORM] = np.log2(max(n, 1))
        result[:, ENTROPY] = np.log2(max(n, 1)) - self.plogs.sum() / max(n, 1)
        log_same = np.log2(np.maximum(same, 1))
        result[:-1, SENSITIVE] = np.log2(max(n, 1)) - log_same
        result[-1, SENSITIVE] = same @ result[:-1, SENSITIVE] / max(n, 1)
        return result

    def origins(self) -> np.ndarray:
        """Compute what the table's records pay on average for their own values.

        Returns
        -------
        ndarray of float64, shape (N_TERMS,)
            To be taken off an average over all records, so that the original table
            costs nothing.
        """
        n = max(self.counts.sum(), 1)
        result = np.zeros(N_TERMS)
        result[NONUNIFORM] = self.plogs.sum() / n
        result[SENSITIVE] = (self.plogs.sum() - n_log_n(self.by_sensitive).sum()) / n
        return result


def information(grounds: list[Ground]) -> np.ndarray:
    """Compute I(Y; X), what each column tells of the sensitive attribute, in bits.

    It is less what a column of so many values would tell by chance (Miller & Madow).

    Returns
    -------
    ndarray of float64, shape (n_columns,)
    """
    result = np.zeros(len(grounds))
    for j, ground in enumerate(grounds):
        same = ground.by_sensitive.sum(axis=0)
        n = max(same.sum(), 1)
        surprise = np.log2(n) - n_log_n(same).sum() / n
        told = surprise - ground.origins()[SENSITIVE]
        result[j] = told - by_chance((ground.counts > 0).sum(), (same > 0).sum(), n)
    return result


def by_chance(n_values: int, n_sensitive: int, n: float) -> float:
    """Guess the mutual information of independent attributes in n records, in bits."""
    return float((n_values - 1) * (n_sensitive - 1) / (2 * n * np.log(2)))


def term(which: int) -> np.ndarray:
    """Make a blend of one term alone: shape (N_TERMS,)."""
    blend = np.zeros(N_TERMS)
    blend[which] = 1.0
    return blend


def n_log_n(counts: np.ndarray) -> np.ndarray:
    """Compute n log2 n, and 0 for 0."""
    return counts * np.log2(np.maximum(counts, 1))


def lengths(bound: BoundHierarchy, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Measure subsets by their length on the line: (highest - lowest) / whole length.

    Sets of values without regard to what lies between them, and columns without an
    order, are counted instead, (size - 1) / (n_codes - 1), as spans. Whatever covers
    missing values beside others costs 1.

    Parameters
    ----------
    bound : BoundHierarchy
    first, last : ndarray of int, shape (n_subsets,)
        The lowest and the highest code of each; all between count as covered.
    """
    places = line(bound)
    if places is None:
        return (last - first) / max(bound.n_codes - 1, 1)
    known = ~np.isnan(places)
    if isinstance(bound, BoundTaxonomy):
        result = _spans(places, first, last)
    else:
        at = np.where(known, places, 0.0)
        result = at[last] - at[first]
    with_missing = (first <= bound.missing) & (bound.missing <= last)
    return np.where(first == last, 0.0, np.where(with_missing, 1.0, result))


def line(bound: BoundHierarchy) -> np.ndarray | None:
    """Place a column's values on a line from 0 to 1.

    Returns
    -------
    ndarray of float64, shape (n_codes,), or None
        NaN for values without a place; None where values are counted.
    """
    on_a_line = isinstance(bound, BoundTaxonomy) or bound.form == INTERVAL
    if not on_a_line or not bound.domain.ordered or not bound.placed.any():
        return None
    offsets = bound.offsets()
    return offsets / (float(np.nanmax(offsets)) or 1.0)


def _spans(places: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Measure what is between the lowest and the highest place of each subset."""
    result = np.zeros(len(first))
    for at, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        placed = places[low : high + 1]
        placed = placed[~np.isnan(placed)]
        result[at] = np.ptp(placed) if len(placed) else 0.0
    return result


def _between(values: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Sum values from ``first`` to ``last``, both included."""
    before = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
    sums = before[last + 1] - before[first]
    single = first == last  # a difference of long sums is rounded
    sums[single] = values[first[single]]
    return sums

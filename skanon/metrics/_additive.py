"""What a release costs: sums by column and term, of which all additive losses are made.

Reading a release and summing up its terms is the work; a loss is then a dot product.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ParameterError, in_short
from skanon.losses import Loss
from skanon.losses._base import check_column_weights
from skanon.losses._terms import (
    NONUNIFORM,
    SENSITIVE,
    Ground,
    Subsets,
    by_chance,
)
from skanon.metrics._classes import misclassification
from skanon.metrics._columns import ReadColumn
from skanon.metrics._inputs import check_weights, combined_sensitive_codes
from skanon.metrics._published import climbs, hulls
from skanon.metrics._reading import Reading, read_release

AVERAGES = ("uniform", None)
"""What can be asked for: one figure, or one for each column."""


class AdditiveLosses:
    """The additive losses of a release that is already read.

    Parameters
    ----------
    reading : Reading
    weights : ndarray of float64, shape (n,)
        A record of weight w counts as w records, in the columns' distributions, too.
    sensitive : ndarray of int64, shape (n,), or None
        The sensitive values as numbers from 0 on; None: no loss will look at them.

    Attributes
    ----------
    names : list of length r
        The quasi-identifiers.
    """

    def __init__(
        self, reading: Reading, weights: np.ndarray, sensitive: np.ndarray | None = None
    ) -> None:
        self._reading = reading
        self._weights = weights
        self._sensitive = sensitive
        self.names = [column.name for column in reading.columns]

    @cached_property
    def _summed(self) -> list[_Sums]:
        sensitive = self._sensitive
        if sensitive is None:
            sensitive = np.zeros(len(self._reading), dtype=np.int64)
        scaled = _scaled(self._weights)
        shown = ~self._reading.suppressed
        return [
            _sum_up(column, self._weights, scaled, sensitive, shown)
            for column in self._reading.columns
        ]

    @cached_property
    def _terms(self) -> np.ndarray:
        return np.stack([sums.terms for sums in self._summed]) / self._weights.sum()

    @property
    def n_records(self) -> float:
        """What the records weigh in all."""
        return float(self._weights.sum())

    def averages(self, loss: Loss) -> np.ndarray:
        """Compute what a record pays on average in each column.

        Parameters
        ----------
        loss : Loss
            Its column weights are not looked at.

        Returns
        -------
        ndarray of float64, shape (r,)
            The original table pays 0.
        """
        blends = [loss.blend(column.bound) for column in self._reading.columns]
        if any(blend[SENSITIVE] for blend in blends):
            self._known_sensitive()
        return (np.stack(blends) * self._terms).sum(axis=1)

    def loss(self, loss: Loss) -> float:
        """Compute a loss with its column weights, its sums and its penalty."""
        loss = self.settled(loss)
        loss.relative_weights(self.names)  # which refuses a loss of nothing
        penalty = 0.0
        if loss.penalty:
            sensitive = self._known_sensitive()
            penalty = misclassification(self._reading, sensitive, self._weights)
        return float(self._shared(loss).sum() + loss.penalty * penalty)

    def column_losses(self, loss: Loss) -> np.ndarray:
        """Compute each column's part of a loss, by its share.

        Returns
        -------
        ndarray of float64, shape (r,)
            0 for columns without a share.
        """
        loss = self.settled(loss)
        shares = loss.relative_weights(self.names)
        return np.divide(
            self._shared(loss), shares, out=np.zeros(len(shares)), where=shares > 0
        )

    def settled(self, loss: Loss) -> Loss:
        """Give the same loss with what it learns from the original table."""
        return loss.settled(self.names, self._beyond_chance)

    def _beyond_chance(self) -> np.ndarray:
        """Compute what the original columns tell beyond chance: shape (r,)."""
        held = self._weights > 0
        n_sensitive = len(np.unique(self._known_sensitive()[held]))
        chance = [
            by_chance(len(np.unique(column.codes[held])), n_sensitive, self.n_records)
            for column in self._reading.columns
        ]
        return self._surprise() - self.sensitive_origins() - np.array(chance)

    def _shared(self, loss: Loss) -> np.ndarray:
        parts = [
            factor * part.relative_weights(self.names) * self.averages(part)
            for factor, part in loss.parts
            if factor
        ]
        return np.sum(parts, axis=0)

    def sensitive_origins(self) -> np.ndarray:
        """Compute what the original table costs under PMI: shape (r,)."""
        self._known_sensitive()
        return np.array([sums.sensitive for sums in self._summed]) / self.n_records

    def sensitive_information(self) -> np.ndarray:
        """Compute I(Y; R(j)), what each published column tells of the sensitive value.

        Returns
        -------
        ndarray of float64, shape (r,)
            In bits.
        """
        known = self._surprise() - self.sensitive_origins()
        return known - self._terms[:, SENSITIVE]

    def _surprise(self) -> float:
        """Compute H(Y), in bits."""
        sensitive, scaled = self._known_sensitive(), _scaled(self._weights)
        counts = np.maximum(np.bincount(sensitive, scaled), 1)
        surprise = (np.log2(scaled.sum()) - np.log2(counts))[sensitive]
        return float((self._weights * surprise).sum() / self.n_records)

    def figure(
        self,
        values: np.ndarray,
        name: str,
        weights: Mapping[Hashable, float] | None = None,
        average: str | None = "uniform",
        total: bool = False,
    ) -> Any:
        """Bring the columns' values into one figure, or name them.

        Parameters
        ----------
        values : ndarray of float64, shape (r,)
        name : str
            The metric's.
        weights : mapping from column to float, or None
            The columns'; 1 where not named.
        average : {"uniform", None}
        total : bool, default=False
            Whether to add the columns up, with their weights as they are given.

        Returns
        -------
        float, or Series of shape (r,) where ``average`` is None

        Raises
        ------
        ParameterError
            The weights are unfit.
        """
        given = self.column_weights(weights)
        if average is None:
            index = pd.Index(self.names, tupleize_cols=False)
            return pd.Series(values, index=index, name=name, dtype=float)
        # as a sum of products: the average of equal values is then that value
        return float((given * values).sum() / (1.0 if total else given.sum()))

    def column_weights(self, weights: Mapping[Hashable, float] | None) -> np.ndarray:
        """Check the columns' weights: shape (r,)."""
        if weights is not None and not isinstance(weights, Mapping):
            raise ParameterError(
                f"weights is {in_short(weights)}, but must map columns to numbers, as "
                f"in {{{self.names[0]!r}: 2.0}}. The records' weights are "
                "sample_weight."
            )
        return check_column_weights(weights, self.names)

    def _known_sensitive(self) -> np.ndarray:
        if self._sensitive is None:
            raise ParameterError(
                "The loss looks at the sensitive attribute, which was not given. Give "
                "it as sensitive, one value per row."
            )
        return self._sensitive


def read_losses(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    hierarchies: Any,
    sensitive: Any,
    sample_weight: Any,
    *,
    uses_sensitive: bool = False,
) -> AdditiveLosses:
    """Read a release for losses, with the sensitive values if they look at them."""
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    codes = combined_sensitive_codes(sensitive, reading) if uses_sensitive else None
    return AdditiveLosses(reading, check_weights(sample_weight, reading), codes)


class _Sums(NamedTuple):
    """What a column's records pay in all.

    Attributes
    ----------
    terms : ndarray of float64, shape (N_TERMS,)
        NONUNIFORM and SENSITIVE less what the records' own values cost.
    sensitive : float
        What their own values cost in SENSITIVE.
    """

    terms: np.ndarray
    sensitive: float


def _scaled(weights: np.ndarray) -> np.ndarray:
    """Scale weights to at least 1, as counts are, and keep what is 0.

    Only ratios of frequencies matter. What is beside the largest weight as good as
    nothing stays below 1.
    """
    least = weights[weights > 0].min()
    return weights / max(least, weights.max() * 1e-100)


def _sum_up(
    column: ReadColumn,
    weights: np.ndarray,
    scaled: np.ndarray,
    sensitive: np.ndarray,
    shown: np.ndarray,
) -> _Sums:
    """Sum up one column.

    Parameters
    ----------
    column : ReadColumn
    weights, scaled : ndarray of float64, shape (n,)
        The records', and the same in the distributions.
    sensitive : ndarray of int64, shape (n,)
    shown : ndarray of bool, shape (n,)
        Which rows are not wholly suppressed.
    """
    codes, bound = column.codes, column.bound
    counts = np.bincount(codes, scaled, minlength=bound.n_codes)
    pairs = _Pairs.of(column, sensitive)
    own, same = _sensitive_weights(column, pairs, sensitive, scaled)
    ground = Ground(bound, counts[:, None])
    terms = pair_terms(column, ground, pairs, same)
    masses = np.bincount(pairs.of_row, weights * shown, minlength=len(terms))
    hidden = np.maximum(ground.suppressed()[0], 0)  # below 0 by rounding only
    result = masses @ terms + weights[~shown].sum() * hidden
    # by record, so that what stayed whole costs exactly nothing; the subset that covers
    # everything costs what a suppressed record pays
    logs = np.log2(np.maximum(counts, 1))[codes]
    rises = np.maximum(terms[pairs.of_row, NONUNIFORM] - logs, 0)
    result[NONUNIFORM] = (weights * rises).sum()
    origins = logs - np.log2(np.maximum(own, 1))
    result[SENSITIVE] = (weights * (terms[pairs.of_row, SENSITIVE] - origins)).sum()
    return _Sums(result, float((weights * origins).sum()))


def pair_terms(
    column: ReadColumn, ground: Ground, pairs: _Pairs, same: np.ndarray
) -> np.ndarray:
    """Compute what a record pays in one column, for each pair, term by term.

    Parameters
    ----------
    column : ReadColumn
    ground : Ground
        Of its values, without regard to sensitive ones.
    pairs : _Pairs
    same : ndarray of float64, shape (n_pairs,)
        The weight of the records of the subset that have the sensitive value.

    Returns
    -------
    ndarray of float64, shape (n_pairs, N_TERMS)
    """
    at, (levels, heights) = pairs.subset, climbs(column)
    subsets = Subsets(
        column.sizes[at],
        hulls(column)[at],
        levels[at],
        heights[at],
        column.sums(ground.counts)[at],
        column.sums(ground.plogs)[at],
        same[:, None],  # a row for each pair, which has one sensitive value then
    )
    return ground.terms(subsets)[:, 0]


class _Pairs(NamedTuple):
    """The pairs of a published subset and a sensitive value that there are.

    Attributes
    ----------
    subset, sensitive : ndarray of int64, shape (n_pairs,)
    of_row : ndarray of int64, shape (n,)
    """

    subset: np.ndarray
    sensitive: np.ndarray
    of_row: np.ndarray

    @classmethod
    def of(cls, column: ReadColumn, sensitive: np.ndarray) -> _Pairs:
        width = int(sensitive.max()) + 1
        of_row, distinct = pd.factorize(column.subset * width + sensitive)
        return cls(distinct // width, distinct % width, of_row)


def _sensitive_weights(
    column: ReadColumn, pairs: _Pairs, sensitive: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weigh the records that share a sensitive value.

    Returns
    -------
    own : ndarray of float64, shape (n,)
        Those with a row's sensitive value and its original value.
    same : ndarray of float64, shape (n_pairs,)
        Those with a pair's sensitive value and any of its subset's values.
    """
    m = column.bound.n_codes
    of_row, keys = pd.factorize(sensitive * m + column.codes, sort=True)
    held = np.bincount(of_row, weights)
    start = pairs.sensitive * m
    low = np.searchsorted(keys, start + column.first[pairs.subset])
    high = np.searchsorted(keys, start + column.last[pairs.subset], side="right")
    before = np.append(0.0, np.cumsum(held))
    same = before[high] - before[low]
    single = high - low == 1  # a difference of long sums is rounded
    same[single] = held[low[single]]
    if column.gapped:
        _weigh_gapped(column, pairs, keys, held, same)
    return held[of_row], same


def _weigh_gapped(
    column: ReadColumn,
    pairs: _Pairs,
    keys: np.ndarray,
    held: np.ndarray,
    same: np.ndarray,
) -> None:
    """Correct ``same`` where a subset leaves out values."""
    found = np.flatnonzero(np.isin(pairs.subset, list(column.gapped)))
    members = [column.gapped[at] for at in pairs.subset[found].tolist()]
    if not members:
        return
    owners = np.repeat(np.arange(len(found)), [len(codes) for codes in members])
    start = pairs.sensitive[found] * column.bound.n_codes
    wanted = np.concatenate(members) + start[owners]
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    hits = np.where(keys[at] == wanted, held[at], 0.0)
    same[found] = np.bincount(owners, hits, minlength=len(found))

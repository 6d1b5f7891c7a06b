"""The wildcard convention: a missing or suppressed cell may be any value.

Then rows do not fall into classes, as what a row may be equal to overlaps: each has
neighbours, the rows that it may be equal to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from skanon.privacy._codes import combine, equals


class Neighbours(NamedTuple):
    """Distinct records, and which of them may be equal.

    Two may be equal if they are in each column that both know. The columns that a
    record knows are its pattern, and pairs of patterns are compared, not of records:
    there are few.

    Attributes
    ----------
    codes : ndarray of int64, shape (m, n_columns)
        The value of each cell; what a wild one holds does not matter.
    known : ndarray of bool, shape (m, n_columns)
        False where a cell is wild.
    """

    codes: np.ndarray
    known: np.ndarray

    def sums(self, weights: csr_array) -> csr_array:
        """Add up the weights of each record's neighbours, itself among them.

        Parameters
        ----------
        weights : csr_array of shape (m, n_weights)

        Returns
        -------
        csr_array of shape (m, n_weights)
        """
        patterns, of_record = np.unique(self.known, axis=0, return_inverse=True)
        members = [np.flatnonzero(of_record == p) for p in range(len(patterns))]
        parts = [
            sum(self._shares(weights, own, pattern, patterns, members))
            for own, pattern in zip(members, patterns, strict=True)
        ]
        order = np.argsort(np.concatenate(members))
        return vstack(parts, format="csr")[order]

    def _shares(
        self,
        weights: csr_array,
        own: np.ndarray,
        pattern: np.ndarray,
        patterns: np.ndarray,
        members: list[np.ndarray],
    ) -> Iterator[csr_array]:
        """Yield what a pattern's records have of those that share some columns."""
        shared, of_pattern = np.unique(patterns & pattern, axis=0, return_inverse=True)
        for s, both in enumerate(shared):
            others = [members[p] for p in np.flatnonzero(of_pattern == s)]
            other = np.concatenate(others)
            rows = np.concatenate([own, other])
            joint = np.zeros(len(rows), dtype=np.int64), 1
            for j in np.flatnonzero(both):
                codes = self.codes[rows, j]
                joint = combine(joint, (codes, int(codes.max()) + 1))
            keys, of_row = np.unique(joint[0], return_inverse=True)
            ours = _incidence(of_row[: len(own)], len(keys))
            theirs = _incidence(of_row[len(own) :], len(keys))
            yield ours @ (theirs.T @ weights[other])


def _incidence(groups: np.ndarray, n_groups: int) -> csr_array:
    n = len(groups)
    shape = n, n_groups
    return csr_array((np.ones(n, dtype=np.int64), groups, np.arange(n + 1)), shape)


def open_wildcards(
    sets: list[np.ndarray],
    labels: pd.Series,
    values: pd.Series,
    suppressed: Any,
    generalized: bool = False,
) -> list[np.ndarray]:
    """Let missing and suppressed cells stand for any value.

    Parameters
    ----------
    sets : list of ndarray of int64
        The values that each label stands for.
    labels, values : Series
        The distinct labels of a release and values of people.
    suppressed : scalar or None
    generalized : bool, default=False
        Whether people's values may be suppressed, too.

    Returns
    -------
    list of ndarray of int64
    """
    wild = labels.isna().to_numpy()
    unknown = values.isna().to_numpy()
    if suppressed is not None:
        wild = wild | equals(labels, suppressed)
        if generalized:
            unknown = unknown | equals(values, suppressed)
    everything, anybody = np.arange(len(values)), np.flatnonzero(unknown)
    return [
        everything if any_value else np.union1d(some, anybody)
        for any_value, some in zip(wild, sets, strict=True)
    ]

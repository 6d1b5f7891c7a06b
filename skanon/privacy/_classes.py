"""The equivalence classes of a published table."""

from __future__ import annotations

from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from skanon.exceptions import ParameterError, in_short
from skanon.privacy._codes import code_column, combine, equals
from skanon.privacy._published import read_published
from skanon.privacy._wildcards import Neighbours


class Classes(NamedTuple):
    """The equivalence classes of a published table.

    ``of_row`` holds each row's class and -1 for wholly suppressed rows; ``sizes`` the
    rows of each class. ``neighbours`` tells which classes may be equal where missing
    and suppressed cells are wildcards, else it is None.
    """

    published: pd.DataFrame
    of_row: np.ndarray
    sizes: np.ndarray
    neighbours: Neighbours | None = None

    @property
    def numbers(self) -> np.ndarray:
        """The classes' numbers; -1 alone where all rows are wholly suppressed.

        Such rows hide among themselves, so that they are one class then.
        """
        return np.arange(len(self.sizes)) if len(self.sizes) else np.array([-1])

    @property
    def counts(self) -> np.ndarray:
        """The rows of each of ``numbers``."""
        return self.sizes if len(self.sizes) else np.array([len(self.of_row)])

    @property
    def groups(self) -> np.ndarray:
        """Where each row's class stands in ``numbers``; -1 for rows of no class."""
        return self.of_row if len(self.sizes) else np.zeros_like(self.of_row)

    @property
    def reach(self) -> np.ndarray:
        """The rows that a row of each of ``numbers`` may be equal to."""
        if self.neighbours is None:
            return self.counts
        return self.neighbours.sums(csr_array(self.sizes[:, None])).toarray()[:, 0]

    def without(self, j: int) -> Classes:
        """Let the neighbours be those that a column does not tell apart."""
        assert self.neighbours is not None
        known = self.neighbours.known.copy()
        known[:, j] = False
        return self._replace(neighbours=self.neighbours._replace(known=known))

    def too_small(self, k: int) -> np.ndarray:
        """Give the classes whose rows hide among fewer than k, the smallest first."""
        reach = self.reach
        small = np.flatnonzero(reach < k)
        return self.numbers[small[np.argsort(reach[small], kind="stable")]]

    def rows_of(self, classes: np.ndarray) -> list[np.ndarray]:
        """Give the positions of the rows of each of some classes."""
        wanted = np.flatnonzero(np.isin(self.of_row, classes))
        owners = self.of_row[wanted]
        wanted = wanted[np.argsort(owners, kind="stable")]
        numbers, counts = np.unique(owners, return_counts=True)
        parts = np.split(wanted, np.cumsum(counts)[:-1])
        return [parts[at] for at in np.searchsorted(numbers, classes)]

    def first_rows(self) -> np.ndarray:
        """Give the position of the first row of each of ``numbers``."""
        return first_positions(self.groups, len(self.numbers))


def classify(
    frame: Any, quasi_identifiers: Any, suppressed: Any, wildcard: bool = False
) -> Classes:
    """Sort the rows of a published table into equivalence classes.

    Parameters
    ----------
    frame, quasi_identifiers, suppressed
        As in :func:`skanon.privacy.equivalence_classes`, which documents the errors,
        too.
    wildcard : bool, default=False
        As in :func:`skanon.privacy.k_anonymity`. Then wholly suppressed rows are a
        class like others.

    Returns
    -------
    Classes
    """
    check_suppressed(suppressed)
    check_wildcard(wildcard)
    published = read_published(frame, quasi_identifiers)
    n, n_columns = published.shape
    columns = [
        code_column(published.iloc[:, j], name)
        for j, name in enumerate(published.columns)
    ]
    joint = np.zeros(n, dtype=np.int64), 1
    for column in columns:
        joint = combine(joint, column)
    of_row, distinct = pd.factorize(joint[0])
    first = first_positions(of_row, len(distinct))
    if wildcard:
        codes = np.column_stack([codes[first] for codes, _ in columns])
        known = codes > 0
        for j in range(n_columns if suppressed is not None else 0):
            known[:, j] &= ~equals(published.iloc[:, j].iloc[first], suppressed)
        neighbours = Neighbours(codes, known)
        return Classes(published, of_row, np.bincount(of_row), neighbours)
    hidden = np.arange(len(distinct) if suppressed is not None else 0)
    for j in range(n_columns):
        if len(hidden):
            cells = published.iloc[:, j].iloc[first[hidden]]
            hidden = hidden[equals(cells, suppressed)]
    shown = np.ones(len(distinct), dtype=bool)
    shown[hidden] = False
    renumbered = np.where(shown, np.cumsum(shown) - 1, -1)
    return Classes(published, renumbered[of_row], np.bincount(of_row)[shown])


def first_positions(codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Find where each code from 0 on stands first; others, such as -1, are skipped."""
    rows = np.flatnonzero(codes >= 0)[::-1]
    first = np.empty(n_codes, dtype=np.int64)
    first[codes[rows]] = rows
    return first


def check_suppressed(suppressed: Any) -> None:
    """Refuse what cannot be the value of a single cell."""
    scalar = suppressed is None or suppressed is pd.NA or suppressed is pd.NaT
    if not scalar and not isinstance(suppressed, (str, Number, np.bool_)):
        raise ParameterError(
            f"suppressed is {in_short(suppressed)}, but must be the text, number or "
            "missing value that stands for a suppressed value, or None if no value "
            "does."
        )


def check_wildcard(wildcard: Any) -> None:
    """Refuse what is no yes or no."""
    if not isinstance(wildcard, (bool, np.bool_)):
        raise ParameterError(
            f"wildcard is {in_short(wildcard)}, but must be True if a missing or "
            "suppressed cell may be any value, or False if it is a value of its own."
        )

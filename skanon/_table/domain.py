"""One column's distinct values: their order, their counts and their codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.elements import Element
from skanon._table.line import Place, nearest_on_line, place_on_line
from skanon._table.values import SUPPRESSED, Values, read_values, text_of
from skanon.exceptions import ColumnTypeError

__all__ = [
    "ON_A_LINE",
    "SUPPRESSED",
    "UNKNOWN",
    "Domain",
    "Values",
    "read_values",
    "text_of",
]

UNKNOWN = -1
"""The code of a value that the fitted column does not hold."""

ON_A_LINE = ("number", "datetime", "timedelta")
"""The kinds whose values have an order and distances of their own."""


@dataclass(frozen=True)
class Domain:
    """The distinct values of one fitted column, sorted, and how often each occurs.

    Attributes
    ----------
    name : hashable
        The column.
    kind : {"number", "datetime", "timedelta", "bool", "text"}
    values : ndarray or pandas.Index of shape (m,)
        Distinct present values in their order: by size, by time, by the categories'
        order where the column is an ordered categorical, else by text.
    counts : ndarray of int64, shape (m,)
    n_missing : int
    ordered : bool
        Whether the order means something, so that a range of values makes sense.
    dtype : dtype
        The column's dtype, which ``encode="representative"`` gives back.
    element : Element or None
        What the values were read from, which it gives back, too.
    """

    name: Any
    kind: str
    values: Any
    counts: np.ndarray
    n_missing: int
    ordered: bool
    dtype: Any
    element: Element | None = None

    @classmethod
    def learn(cls, column: pd.Series, name: object) -> tuple[Domain, np.ndarray]:
        """Learn the domain of a column.

        Returns
        -------
        domain : Domain
        codes : ndarray of int32, shape (n,)
            The position of each row's value in ``domain.values``, and ``m`` for the
            missing ones.
        """
        read = read_values(column, name)
        codes, values = pd.factorize(read.present, sort=read.categories is None)
        if read.categories is not None:
            order = np.argsort(read.categories.get_indexer(pd.Index(values)))
            values = values[order]
            codes = np.argsort(order)[codes]
        if read.kind in ("datetime", "timedelta"):
            values = pd.Index(values)
        counts = np.bincount(codes, minlength=len(values)).astype(np.int64)
        full = np.full(len(column), len(values), dtype=np.int32)
        full[~read.missing] = codes
        ordered = read.categories is not None or read.kind in ON_A_LINE
        domain = cls(
            name,
            read.kind,
            values,
            counts,
            int(read.missing.sum()),
            ordered,
            read.dtype,
            read.element,
        )
        return domain, full

    @property
    def categories(self) -> list[Any] | None:
        """What has an order, but no distances of its own; None where that is not so."""
        if isinstance(self.dtype, pd.CategoricalDtype) and self.dtype.ordered:
            return self.dtype.categories.tolist()
        in_order = self.ordered and self.kind not in ON_A_LINE
        return list(self.values) if in_order else None

    def __len__(self) -> int:
        """Count the distinct values."""
        return len(self.values)

    def encode(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        """Code a column by the fitted values.

        Returns
        -------
        codes : ndarray of int32, shape (n,)
            Positions in ``values``; ``len(self)`` for missing ones; ``UNKNOWN`` for
            values that the fitted column does not hold.
        nearest : ndarray of int32, shape (n,)
            The same, but an unknown value of an ordered kind takes the position of
            the fitted value nearest to it.
        """
        read = read_values(column, self.name)
        present = read.present
        if read.kind != self.kind and len(present) and len(self):
            raise ColumnTypeError(
                f"Column {self.name!r} held {self.kind}s when it was fitted, but holds "
                f"{read.kind}s now. Convert it to the fitted type."
            )
        self._refuse_other_zone(present)
        codes = np.full(len(column), len(self), dtype=np.int32)
        codes[~read.missing] = UNKNOWN
        if not len(present) or not len(self):
            return codes, codes.copy()
        found = self.match(present)
        nearest = codes.copy()
        codes[~read.missing] = found
        lost = found == UNKNOWN
        if lost.any() and self.kind not in ("text", "bool"):
            found[lost] = nearest_on_line(self._line(), *self._place(present[lost])[2:])
        nearest[~read.missing] = found
        return codes, nearest

    def match(self, present: Any) -> np.ndarray:
        """Find values of this kind among the fitted ones, exactly.

        Parameters
        ----------
        present : ndarray or pandas.Index of shape (n,)
            As in :class:`Values`.

        Returns
        -------
        ndarray of int, shape (n,)
            Positions in ``values``, and ``UNKNOWN`` for values that are not there.
        """
        if self.kind in ("text", "bool"):
            return pd.Index(self.values).get_indexer(pd.Index(present))
        # pandas would compare integers with floats, and times of two units, by rounding
        place = self._place(present)
        found = pd.Index(self._line()).get_indexer(pd.Index(place.position))
        return np.where(place.exact, found, UNKNOWN)

    def _place(self, present: Any) -> Place:
        return place_on_line(present, self._line(), getattr(self.values, "unit", None))

    def _refuse_other_zone(self, present: Any) -> None:
        fitted, now = getattr(self.values, "tz", None), getattr(present, "tz", None)
        if self.kind == "datetime" and (fitted is None) != (now is None) and len(self):
            with_, without = "times with a time zone", "times without one"
            raise ColumnTypeError(
                f"Column {self.name!r} held {with_ if fitted else without} when it "
                f"was fitted, but holds {with_ if now else without} now. Convert it "
                "to the fitted type."
            )

    def _line(self) -> np.ndarray:
        """Give numbers and times as the plain numbers that they are stored as."""
        is_time = self.kind in ("datetime", "timedelta")
        return self.values.asi8 if is_time else np.asarray(self.values)

    def numbers(self) -> np.ndarray:
        """Positions on a line, exactly: what lengths and midpoints are made of.

        Ordered categories whose order is not that of their size or time count as
        equally far apart, like text.

        Returns
        -------
        ndarray of int64, uint64 or float64, shape (m,)
        """
        if self.kind in ON_A_LINE:
            line = self._line()
            if (line[1:] > line[:-1]).all():
                return line.astype(np.float64) if line.dtype.kind == "f" else line
        return np.arange(len(self))

    def text(self) -> np.ndarray:
        """Give each value's own text.

        Returns
        -------
        ndarray of str objects, shape (m,)
        """
        return text_of(self.values, self.kind)

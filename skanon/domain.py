"""One column's values: which type they have, which of them are distinct.

Every dtype and every kind of missing value that a column can bring is settled here,
so that the rest of the package sees five kinds of values only: ``"number"``,
``"datetime"``, ``"timedelta"``, ``"bool"`` and ``"text"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from skanon.exceptions import ColumnError, ColumnTypeError

SUPPRESSED = "*"
"""The sign that stands for any value at all."""

UNKNOWN = -1
"""The code of a value that the fitted column does not hold."""

_INFERRED = {
    "string": "text",
    "integer": "number",
    "floating": "number",
    "mixed-integer-float": "number",
    "boolean": "bool",
    "date": "datetime",
    "datetime": "datetime",
    "datetime64": "datetime",
    "timedelta": "timedelta",
    "timedelta64": "timedelta",
    "empty": "text",
}


@dataclass(frozen=True)
class Values:
    """A column read into one of the five kinds.

    Attributes
    ----------
    kind : {"number", "datetime", "timedelta", "bool", "text"}
    present : ndarray or pandas.Index of shape (n_present,)
        The values that are not missing, in the order of the rows.
    missing : ndarray of bool, shape (n,)
        Which rows are missing (NaN, NA, NaT and None alike).
    dtype : dtype
        The dtype that the column had.
    categories : Index or None
        The categories in their order, where the column is an ordered categorical.
    """

    kind: str
    present: Any
    missing: np.ndarray
    dtype: Any
    categories: pd.Index | None = None


def read_values(column: pd.Series, name: object) -> Values:
    """Read a column of any dtype.

    Parameters
    ----------
    column : Series of shape (n,)
    name : hashable
        What error messages call the column.

    Raises
    ------
    ColumnTypeError
        The column mixes types, or has a type without a meaning here.
    ColumnError
        The column holds an infinite number, or the text ``"*"``.

    Examples
    --------
    >>> read_values(pd.Series([1.5, None]), "height").kind
    'number'
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _read_categorical(column.cat.remove_unused_categories(), dtype, name)
    missing = column.isna().to_numpy(dtype=bool, na_value=True)
    kind = _kind(column, name)
    present = _convert(column[~missing], kind, name)
    if kind == "number" and present.dtype.kind == "f":
        nan = np.isnan(present)  # arrow's NaN is not its null
        if nan.any():
            missing = missing.copy()
            missing[np.flatnonzero(~missing)[nan]] = True
            present = present[~nan]
        _refuse_infinite(present, missing, name)
    if kind == "text" and (present == SUPPRESSED).any():
        raise ColumnError(
            f"Column {name!r} holds the text '*', which stands for a suppressed value "
            "in a release. Rename that value."
        )
    return Values(kind, present, missing, dtype)


def _read_categorical(
    column: pd.Series, dtype: pd.CategoricalDtype, name: object
) -> Values:
    codes = column.cat.codes.to_numpy()
    inner = read_values(pd.Series(column.cat.categories), name)
    order = dtype.categories if dtype.ordered else None
    return Values(
        inner.kind, inner.present[codes[codes >= 0]], codes < 0, dtype, order
    )


def _kind(column: pd.Series, name: object) -> str:
    dtype = column.dtype
    if types.is_bool_dtype(dtype):
        return "bool"
    if types.is_complex_dtype(dtype):
        raise ColumnTypeError(
            f"Complex data not supported: column {name!r} holds complex numbers. "
            "Give their real and imaginary parts as two columns."
        )
    if types.is_numeric_dtype(dtype) and "decimal" not in str(dtype):
        return "number"
    if types.is_datetime64_any_dtype(dtype):
        return "datetime"
    if types.is_timedelta64_dtype(dtype):
        return "timedelta"
    inferred = types.infer_dtype(column, skipna=True)
    if inferred in _INFERRED:
        return _INFERRED[inferred]
    raise ColumnTypeError(_why_not(column, inferred, name))


def _why_not(column: pd.Series, inferred: str, name: object) -> str:
    if inferred.startswith("mixed"):
        examples: dict[str, object] = {}
        for value in column.dropna():
            examples.setdefault(type(value).__name__, value)
            if len(examples) == 3:
                break
        listed = ", ".join(f"{v!r} ({t})" for t, v in examples.items())
        return (
            f"Column {name!r} mixes types: {listed}. Convert it to one type, for "
            "example with .astype(str); a quasi-identifier's argument must be a "
            "string or a number, a date or a truth value."
        )
    return (
        f"Column {name!r} holds values of type {inferred!r} ({column.dtype}), which "
        "cannot be generalized. Convert it to numbers, dates, truth values or text, "
        "or leave it out of quasi_identifiers."
    )


def _convert(present: pd.Series, kind: str, name: object) -> Any:
    if kind == "text":
        return present.to_numpy(dtype=object)
    if kind == "bool":
        return present.to_numpy(dtype=bool)
    if kind == "datetime":
        return pd.DatetimeIndex(_parse_dates(present))
    if kind == "timedelta":
        return pd.TimedeltaIndex(present)
    dtype: Any = getattr(present.dtype, "numpy_dtype", present.dtype)
    if dtype == object:
        return _object_numbers(present, name)
    if dtype.kind not in "iuf":
        dtype = np.float64
    if dtype == np.float16:
        dtype = np.float32
    if dtype.kind in "iu" and dtype != np.uint64:
        dtype = np.int64
    return present.to_numpy(dtype=dtype)


def _parse_dates(present: pd.Series) -> Any:
    if present.dtype == object and len(present):
        # numpy reads dates of any year; pandas picks a unit that may not reach them
        return np.array(list(present), dtype="datetime64[us]") if all(
            getattr(value, "tzinfo", None) is None for value in present
        ) else pd.to_datetime(present, utc=True)
    if not types.is_datetime64_any_dtype(present.dtype) and len(present):
        return np.array(list(present), dtype="datetime64[us]")
    return present


def _object_numbers(present: pd.Series, name: object) -> np.ndarray:
    numbers = np.array(list(present))
    if numbers.dtype.kind == "f":
        large = [v for v in present if isinstance(v, int) and abs(v) > 2**53]
        if large:
            raise ColumnTypeError(
                f"Column {name!r} mixes floats with the integer {large[0]}, which no "
                "float holds exactly. Convert it to one type."
            )
    if numbers.dtype.kind not in "iuf":
        raise ColumnTypeError(
            f"Column {name!r} holds integers beyond 64 bits, such as "
            f"{max(present, key=abs)}. Convert it to text or to floats."
        )
    return numbers


def _refuse_infinite(present: np.ndarray, missing: np.ndarray, name: object) -> None:
    infinite = np.isinf(present)
    if infinite.any():
        at = int(np.flatnonzero(infinite)[0])
        row = int(np.flatnonzero(~missing)[at])
        raise ColumnError(
            f"Column {name!r} holds an infinite value ({present[at]}) at row {row}. "
            "Input contains infinity: replace it by a number, or by a missing value."
        )


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
    """

    name: Any
    kind: str
    values: Any
    counts: np.ndarray
    n_missing: int
    ordered: bool
    dtype: Any

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
        ordered = read.categories is not None or read.kind in (
            "number",
            "datetime",
            "timedelta",
        )
        domain = cls(
            name,
            read.kind,
            values,
            counts,
            int(read.missing.sum()),
            ordered,
            read.dtype,
        )
        return domain, full

    def __len__(self) -> int:
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
        codes = np.full(len(column), len(self), dtype=np.int32)
        if not len(present):
            return codes, codes.copy()
        found = (
            pd.Index(self.values).get_indexer(pd.Index(present))
            if len(self)
            else np.full(len(present), UNKNOWN)
        )
        codes[~read.missing] = found
        nearest = codes.copy()
        if (found == UNKNOWN).any() and len(self) and self.kind != "bool":
            if self.kind != "text":
                near = self._nearest(present)
                nearest[~read.missing] = np.where(found == UNKNOWN, near, found)
        return codes, nearest

    def _nearest(self, present: Any) -> np.ndarray:
        right = np.clip(self.values.searchsorted(present), 1, max(len(self) - 1, 1))
        if len(self) == 1:
            return np.zeros(len(present), dtype=np.int64)
        low, high = self.values[right - 1], self.values[right]
        return np.where(present - low <= high - present, right - 1, right)

    def numbers(self) -> np.ndarray:
        """Positions on a line, as floats: what lengths and midpoints are made of."""
        if self.kind in ("datetime", "timedelta"):
            return self.values.asi8.astype(np.float64)
        if self.kind == "number":
            return np.asarray(self.values, dtype=np.float64)
        return np.arange(len(self), dtype=np.float64)

    def text(self) -> np.ndarray:
        """Give each value's own text.

        Returns
        -------
        ndarray of str objects, shape (m,)
        """
        return text_of(self.values, self.kind)


def text_of(values: Any, kind: str) -> np.ndarray:
    """Write values as text, each as short as it can be and still be told apart."""
    if kind == "datetime":
        naive = values.tz_localize(None) if values.tz is not None else values
        days = len(values) == 0 or bool((naive == naive.normalize()).all())
        if days and values.tz is None:
            return np.array(values.strftime("%Y-%m-%d"), dtype=object)
        return np.array([str(value) for value in values], dtype=object)
    if kind == "text":
        return np.asarray(values, dtype=object)
    return np.array([str(value) for value in values], dtype=object)

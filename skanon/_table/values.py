"""One column read: which kind of values it holds, and which are missing.

Every dtype and every kind of missing value that a column can bring is settled here,
so that the rest of the package sees five kinds of values only: ``"number"``,
``"datetime"``, ``"timedelta"``, ``"bool"`` and ``"text"``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from skanon._table.elements import ORDERED, Element, exact_numbers, in_order
from skanon.exceptions import ColumnError, ColumnTypeError

SUPPRESSED = "*"
"""The sign that stands for any value at all."""

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
    "decimal": "number",
    "time": "text",
    "period": "text",
    "interval": "text",
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
        The categories in their order, where the column is an ordered categorical, or
        holds times of day, periods or intervals.
    element : Element or None
        What the values were read from, where they are others than the column holds.
    """

    kind: str
    present: Any
    missing: np.ndarray
    dtype: Any
    categories: pd.Index | None = None
    element: Element | None = None


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
    if str(dtype).startswith("dictionary<"):  # arrow's categories: read what they mean
        return replace(read_values(column.astype(object), name), dtype=dtype)
    missing = column.isna().to_numpy(dtype=bool, na_value=True)
    kind, word = _kind(column, name)
    element = None
    if word in ("date", "decimal"):
        element = Element(word, {})
    if word in ORDERED:
        element = in_order(column[~missing], word, name)
        categories = pd.Index(list(element.objects), dtype=object)
        texts = np.array([str(x) for x in column[~missing]], dtype=object)
        return Values(kind, texts, missing, dtype, categories, element)
    present = _convert(column[~missing], kind, name)
    if kind == "number" and present.dtype.kind == "f":
        nan = np.isnan(present)  # arrow's NaN is not its null
        if nan.any():
            missing = missing.copy()
            missing[np.flatnonzero(~missing)[nan]] = True
            present = present[~nan]
        _refuse_infinite(present, missing, name)
        present = present + 0.0  # which makes 0.0 of -0.0
    if kind == "text" and (present == SUPPRESSED).any():
        raise ColumnError(
            f"Column {name!r} holds the text '*', which stands for a suppressed value "
            "in a release. Rename that value."
        )
    return Values(kind, present, missing, dtype, element=element)


def _read_categorical(
    column: pd.Series, dtype: pd.CategoricalDtype, name: object
) -> Values:
    codes = column.cat.codes.to_numpy()
    inner = read_values(pd.Series(column.cat.categories), name)
    order = inner.categories
    if dtype.ordered:
        order = dtype.categories if inner.element is None else pd.Index(inner.present)
    present = inner.present[codes[codes >= 0]]
    return Values(inner.kind, present, codes < 0, dtype, order, inner.element)


def _kind(column: pd.Series, name: object) -> tuple[str, str]:
    """Tell the kind of a column's values, and what they are called."""
    dtype = column.dtype
    if types.is_bool_dtype(dtype):
        return "bool", "bool"
    if types.is_numeric_dtype(dtype) and not (
        types.is_complex_dtype(dtype) or "decimal" in str(dtype)
    ):
        return "number", "number"
    if types.is_datetime64_any_dtype(dtype):
        return "datetime", "datetime"
    if types.is_timedelta64_dtype(dtype):
        return "timedelta", "timedelta"
    inferred = types.infer_dtype(column.dropna())  # which skips NaT beside text, too
    if inferred == "complex":
        raise ColumnTypeError(
            f"Complex data not supported: column {name!r} holds complex numbers. "
            "Give their real and imaginary parts as two columns."
        )
    if inferred in _INFERRED:
        return _INFERRED[inferred], inferred
    for word, kind in (("period", pd.Period), ("interval", pd.Interval)):
        if all(isinstance(value, kind) for value in column.dropna()):
            return "text", word  # of several lengths or sides
    raise ColumnTypeError(_why_not(column, inferred, name))


def _why_not(column: pd.Series, inferred: str, name: object) -> str:
    if inferred.startswith("mixed"):
        examples: dict[str, object] = {}
        for value in column.dropna():
            examples.setdefault(type(value).__name__, value)
            if len(examples) == 3:
                break
        listed = ", ".join(f"{v!r} ({t})" for t, v in examples.items())
        if len(examples) == 1:
            (kind,) = examples
            return (
                f"Column {name!r} holds values of type {kind}, such as {listed}, which "
                "cannot be generalized. Convert them to text, for example with "
                ".astype(str), or leave the column out of quasi_identifiers; a "
                "quasi-identifier's argument must be a string or a number, a date or a "
                "truth value."
            )
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
        values = present.to_numpy(dtype=object)
        _refuse_surrogates(values, name)
        return values
    if kind == "bool":
        return present.to_numpy(dtype=bool)
    if kind == "datetime":
        return pd.DatetimeIndex(_parse_dates(present, name))
    if kind == "timedelta":
        return pd.TimedeltaIndex(present)
    if len(present) and isinstance(present.iloc[0], Decimal):
        return exact_numbers(present, name)
    dtype = np.dtype(_numpy_dtype(present.dtype))
    if dtype.kind == "O":
        return _object_numbers(present, name)
    if dtype.itemsize > 8:
        raise ColumnTypeError(
            f"Column {name!r} holds numbers of {8 * dtype.itemsize} bits ({dtype}), "
            "more than 64. Convert it with .astype('float64')."
        )
    if dtype == np.float16:
        dtype = np.dtype(np.float32)
    if dtype.kind in "iu" and dtype != np.uint64:
        dtype = np.dtype(np.int64)
    return present.to_numpy(dtype=dtype)


def _refuse_surrogates(values: np.ndarray, name: object) -> None:
    """Refuse text that no file can hold; raises ColumnError."""
    for value in pd.unique(values):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ColumnError(
                f"Column {name!r} holds the text {value!r}, of which a part is no "
                f"character: {error.reason}. It may have been read with the wrong "
                "encoding; correct it."
            ) from error


def _numpy_dtype(dtype: Any) -> Any:
    if isinstance(dtype, pd.SparseDtype):
        return dtype.subtype
    return getattr(dtype, "numpy_dtype", dtype)


def _parse_dates(present: pd.Series, name: object) -> Any:
    if types.is_datetime64_any_dtype(present.dtype) or not len(present):
        return present
    listed = list(present)
    zoned = [getattr(value, "tzinfo", None) is not None for value in listed]
    if not any(zoned):
        if any(getattr(value, "nanosecond", 0) for value in listed):
            return _nanoseconds(listed, name)
        # numpy reads dates of any year; pandas picks a unit that may not reach them
        return np.array(listed, dtype="datetime64[us]")
    if not all(zoned):
        raise ColumnTypeError(
            f"Column {name!r} mixes times with a time zone, such as "
            f"{listed[zoned.index(True)]}, and without one, such as "
            f"{listed[zoned.index(False)]}. Convert it to one type."
        )
    return pd.to_datetime(present, utc=len({str(x.tzinfo) for x in listed}) > 1)


def _nanoseconds(listed: list[Any], name: object) -> pd.DatetimeIndex:
    try:
        return pd.DatetimeIndex([pd.Timestamp(value).as_unit("ns") for value in listed])
    except pd.errors.OutOfBoundsDatetime as error:
        raise ColumnTypeError(
            f"Column {name!r} mixes nanoseconds with dates that are too far away for "
            f"them: {error}. Round the times to microseconds."
        ) from error


def _object_numbers(present: pd.Series, name: object) -> np.ndarray:
    if not all(isinstance(value, int | np.integer) for value in present):
        _refuse_inexact(present, name)
        return np.array(list(present), dtype=np.float64)
    # numpy would make floats of integers of which only some need the last bit
    for dtype in (np.int64, np.uint64):
        ends = np.iinfo(dtype)
        if ends.min <= min(present) and max(present) <= ends.max:
            return np.array(list(present), dtype=dtype)
    raise ColumnTypeError(
        f"Column {name!r} holds integers beyond 64 bits, such as "
        f"{max(present, key=abs)}. Convert it to text or to floats."
    )


def _refuse_inexact(present: pd.Series, name: object) -> None:
    for value in present:
        if isinstance(value, int | np.integer) and abs(int(value)) > 2**53:
            raise ColumnTypeError(
                f"Column {name!r} mixes floats with the integer {value}, which no "
                "float holds exactly. Convert it to one type."
            )


def _refuse_infinite(present: np.ndarray, missing: np.ndarray, name: object) -> None:
    infinite = np.isinf(present)
    if infinite.any():
        at = int(np.flatnonzero(infinite)[0])
        row = int(np.flatnonzero(~missing)[at])
        raise ColumnError(
            f"Column {name!r} holds an infinite value ({present[at]}) at row {row}. "
            "Input contains infinity: replace it by a number, or by a missing value."
        )


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

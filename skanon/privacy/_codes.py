"""Number the distinct values of a column as a reader of the release tells them apart.

Merging two values that read differently would overstate k, so whatever is in doubt is
kept apart. Missing values of every kind read the same and are one value: code 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from skanon.exceptions import ColumnTypeError

_LARGEST = 2**62

_PLAIN = frozenset({str, bytes, bool, int, float})


def code_column(column: pd.Series, name: object) -> tuple[np.ndarray, int]:
    """Give equal values of a column equal numbers.

    Parameters
    ----------
    column : Series of shape (n,)
    name : hashable
        What an error message calls the column.

    Returns
    -------
    codes : ndarray of int64, shape (n,)
        0 where the value is missing; else a positive number, equal for equal values.
    width : int
        One more than the largest code there can be.

    Raises
    ------
    ColumnTypeError
        The values cannot be compared, such as lists.

    Examples
    --------
    >>> code_column(pd.Series([3, None, 3, 4]), "age")[0].tolist()
    [1, 0, 1, 2]
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        inner, width = code_column(pd.Series(dtype.categories), name)
        # the position -1 of a missing value reads the 0 put last
        return np.append(inner, 0)[column.cat.codes.to_numpy()], width
    if isinstance(dtype, pd.SparseDtype):
        return code_column(column.astype(dtype.subtype), name)
    if isinstance(dtype, pd.ArrowDtype) and str(dtype).startswith("dictionary"):
        plain = pd.ArrowDtype(dtype.pyarrow_dtype.value_type)
        return code_column(column.astype(plain), name)
    if isinstance(dtype, pd.IntervalDtype):
        return _code_pair(column.array.left, column.array.right, name)
    if types.is_complex_dtype(dtype):
        values = column.to_numpy()
        return _code_pair(values.real, values.imag, name)
    if types.is_object_dtype(dtype) or dtype == np.longdouble:
        # extended floats would be rounded to 64 bits
        return _code_objects(column.astype(object), name)
    if types.is_float_dtype(dtype) and not isinstance(dtype, np.dtype):
        # a nullable column may hold NaN beside NA
        column = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    try:
        codes, distinct = pd.factorize(column.array)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise _incomparable(name, str(dtype)) from error
    return codes.astype(np.int64) + 1, len(distinct) + 1


def combine(
    first: tuple[np.ndarray, int], second: tuple[np.ndarray, int]
) -> tuple[np.ndarray, int]:
    """Give equal pairs of codes equal numbers, within 64 bits.

    Parameters
    ----------
    first, second : tuple of codes and width
        As ``code_column`` returns them.

    Returns
    -------
    codes : ndarray of int64, shape (n,)
        The pair of two zeros has the code 0, unless renumbered for want of room.
    width : int
    """
    (codes, width), (others, other_width) = first, second
    if width * other_width > _LARGEST:
        codes, width = _renumber(codes)
    if width * other_width > _LARGEST:
        others, other_width = _renumber(others)
    return codes * other_width + others, width * other_width


def equals(column: pd.Series, value: Any) -> np.ndarray:
    """Tell which cells read as one given scalar.

    Parameters
    ----------
    column : Series of shape (n,)
        Of values that ``code_column`` accepts.
    value : str, bool, number or missing value

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    if pd.isna(value):
        return code_column(column, column.name)[0] == 0
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        inner = equals(pd.Series(dtype.categories), value)
        return np.append(inner, False)[column.cat.codes.to_numpy()]
    if isinstance(dtype, pd.SparseDtype):
        return equals(column.astype(dtype.subtype), value)
    if isinstance(dtype, pd.ArrowDtype) and str(dtype).startswith("dictionary"):
        return equals(
            column.astype(pd.ArrowDtype(dtype.pyarrow_dtype.value_type)), value
        )
    if types.is_object_dtype(dtype):
        key = _key(value)
        cells = column.to_numpy()
        return np.fromiter((_key(cell) == key for cell in cells), bool, len(cells))
    if _kind_of_scalar(value) != _kind_of_dtype(dtype):
        return np.zeros(len(column), dtype=bool)
    found = (column == value).to_numpy(dtype=bool, na_value=False)
    if _kind_of_scalar(value) == "number" and abs(value) >= 2**53:
        # numpy rounds large integers beside floats, Python does not
        value = value.item() if isinstance(value, np.generic) else value
        found = found.copy()
        found[found] = [cell == value for cell in column[found].tolist()]
    return found


def _code_pair(left: Any, right: Any, name: object) -> tuple[np.ndarray, int]:
    return combine(
        code_column(pd.Series(left), name), code_column(pd.Series(right), name)
    )


def _renumber(codes: np.ndarray) -> tuple[np.ndarray, int]:
    renumbered, distinct = pd.factorize(codes)
    return renumbered.astype(np.int64), len(distinct)


def _code_objects(column: pd.Series, name: object) -> tuple[np.ndarray, int]:
    missing = column.isna().to_numpy()
    present = column.to_numpy()[~missing].tolist()
    kinds = set(map(type, present))
    keys = present if len(kinds) == 1 and kinds <= _PLAIN else map(_key, present)
    numbers: dict[Any, int] = {}
    codes = np.zeros(len(column), dtype=np.int64)
    try:
        codes[~missing] = np.fromiter(
            (numbers.setdefault(key, len(numbers) + 1) for key in keys),
            dtype=np.int64,
            count=len(present),
        )
    except TypeError as error:
        raise _incomparable(name, _culprits(present)) from error
    return codes, len(numbers) + 1


def _key(value: Any) -> Any:
    """Give what two objects share only if they read alike.

    Python holds 1, 1.0 and True for equal, and the decimals 1.0 and 1.00, also inside
    of tuples, though a reader tells them apart.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind in (np.str_, np.bytes_, np.bool_, np.float64):
        return _key(value.item())
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int, int(value)
    if kind is tuple:
        return kind, tuple(map(_key, value))
    if kind is frozenset:
        return kind, frozenset(map(_key, value))
    if kind is pd.Interval:
        return kind, value.closed, _key(value.left), _key(value.right)
    return kind, value, repr(value)


def _kind_of_scalar(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "bool" if isinstance(value, (bool, np.bool_)) else "number"


def _kind_of_dtype(dtype: Any) -> str:
    if types.is_bool_dtype(dtype):
        return "bool"
    if types.is_numeric_dtype(dtype):
        return "number"
    return "text" if types.is_string_dtype(dtype) else "other"


def _culprits(values: list[Any]) -> str:
    found: dict[str, None] = {}
    for value in values:
        try:
            hash(value)
        except TypeError:
            found.setdefault(type(value).__name__)
    return ", ".join(found)


def _incomparable(name: object, what: str) -> ColumnTypeError:
    return ColumnTypeError(
        f"Column {name!r} holds values of type {what}, which cannot be compared. "
        "Convert them to text, for example with .astype(str), or leave the column out "
        "of quasi_identifiers."
    )

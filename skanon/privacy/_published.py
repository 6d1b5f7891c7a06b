"""Read a published table, whoever made it: its columns, in order, by position."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError, ColumnTypeError, ParameterError, in_short

_LISTED = 10

_HINTS = {
    "sensitive": " If the sensitive attribute is not in the release, give its values "
    "as a Series of one value per row."
}


def read_published(frame: Any, quasi_identifiers: Any) -> pd.DataFrame:
    """Read the quasi-identifiers of a published table.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
    quasi_identifiers : iterable of labels, or None
        None means every column.

    Returns
    -------
    DataFrame of shape (n, n_quasi_identifiers)
        With the index and the dtypes of the table.

    Raises
    ------
    ColumnTypeError
        The table is of a type that cannot be read without loss.
    ColumnError
        The table is empty, or a column is unknown, repeated or ambiguous.
    ParameterError
        ``quasi_identifiers`` is not a list of labels.
    """
    table = to_pandas(frame)
    refuse_repeated(table.columns)
    positions = list(range(table.shape[1]))
    if quasi_identifiers is not None:
        positions = find_columns(table.columns, quasi_identifiers, "quasi_identifiers")
    if not positions:
        raise ColumnError(
            "There is no quasi-identifier: a table without one cannot be checked. "
            "Name at least one column in quasi_identifiers."
        )
    if not len(table):
        raise ColumnError(
            "The table has no rows, so it has no equivalence class. Give at least "
            "one row."
        )
    return table.iloc[:, positions]


def to_pandas(frame: Any) -> pd.DataFrame:
    """Read a table without loss.

    Raises
    ------
    ColumnTypeError
        It is of another type than those that can be read.
    """
    if isinstance(frame, pd.DataFrame):
        return frame
    if isinstance(frame, np.ndarray) and not isinstance(frame, np.ma.MaskedArray):
        if frame.ndim == 2:
            return pd.DataFrame(frame)
        raise ColumnTypeError(
            f"The table is an array of shape {frame.shape}; a table has two "
            "dimensions. Use reshape(-1, 1) for a single column."
        )
    if type(frame).__module__.startswith("polars") and hasattr(frame, "to_pandas"):
        if hasattr(frame, "columns"):
            # the plain conversion turns integers beside a null into floats, and
            # floats merge integers beyond 2**53
            return frame.to_pandas(use_pyarrow_extension_array=True)
    raise ColumnTypeError(
        f"The table is of type {type(frame).__name__!r}. Give a DataFrame of pandas or "
        "polars, or a two-dimensional numpy array without a mask."
    )


def refuse_repeated(columns: pd.Index) -> None:
    """Refuse a table in which a name stands for several columns."""
    repeated = columns[columns.duplicated()].unique()
    if len(repeated):
        raise ColumnError(
            f"The table has more than one column named {_listed(repeated)}. Give "
            "every column a name of its own."
        )


def list_labels(labels: Any, parameter: str) -> list[Any]:
    """Read a list of columns.

    Raises
    ------
    ParameterError
        It is a single name, or no list at all.
    """
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise ParameterError(
            f"{parameter} is {in_short(labels)}, which is not a list of columns. Put "
            f"the name into a list: [{labels!r}]."
        )
    if isinstance(labels, Mapping) or hasattr(labels, "columns"):
        raise ParameterError(
            f"{parameter} is a {type(labels).__name__}, but must be a list. "
            "Name the columns, as in ['age', 'town']."
        )
    return list(labels)


def find_columns(columns: pd.Index, labels: Any, parameter: str) -> list[int]:
    """Find the positions of some columns of a table.

    Raises
    ------
    ColumnError
        One is unknown or named twice.
    ParameterError
        ``labels`` is no flat list of labels.
    """
    known = {label: position for position, label in enumerate(columns)}
    asked = list_labels(labels, parameter)
    positions = [_position(known, label, parameter) for label in asked]
    repeated = {asked[i]: None for i, at in enumerate(positions) if at in positions[:i]}
    if repeated:
        raise ColumnError(
            f"{parameter} names {_listed(repeated)} more than once. Name each column "
            "once."
        )
    return positions


def _position(known: dict[Hashable, int], label: Any, parameter: str) -> int:
    if not isinstance(label, Hashable):
        raise ParameterError(
            f"{parameter} holds {label!r}, which cannot be a column's name. Give a "
            "flat list of names."
        )
    # True and 1 are equal to Python, yet a mask of columns is no list of names
    mask = isinstance(label, (bool, np.bool_)) and not all(
        isinstance(name, (bool, np.bool_)) for name in known
    )
    if mask or label not in known:
        raise ColumnError(
            f"The table has no column {label!r}, which {parameter} names. Its columns "
            f"are {_listed(known)}.{_HINTS.get(parameter, '')}"
        )
    return known[label]


def _listed(labels: Iterable[Any]) -> str:
    names = [repr(label) for label in labels]
    more = [f"and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return ", ".join(names[:_LISTED] + more)

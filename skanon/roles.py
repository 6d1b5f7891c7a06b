"""Reading a table, and which of its columns plays which role."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from skanon.exceptions import ColumnError, ColumnTypeError


def as_frame(X: Any) -> pd.DataFrame:
    """Take a table as a pandas DataFrame, without touching its values.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array-like of shape (n, n_columns)
        An array's columns are called 0, 1, 2, ….

    Raises
    ------
    ColumnTypeError
        ``X`` is sparse, or complex.
    ColumnError
        ``X`` is not two-dimensional, or has no rows, no columns or two columns of the
        same name.
    """
    if sparse.issparse(X):
        raise ColumnTypeError(
            "Sparse data was passed, but dense data is required: a release has a value "
            "in every cell. Use X.toarray()."
        )
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        frame = _of_array(X)
    if not frame.columns.is_unique:
        twice = list(frame.columns[frame.columns.duplicated()].unique())
        raise ColumnError(f"Columns {twice} stand twice in the table. Rename them.")
    for count, things in zip(frame.shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ColumnError(
                f"Found array with 0 {things}(s) (shape={frame.shape}) while a minimum "
                "of 1 is required. Give a table with at least one row and one column."
            )
    return frame


def _of_array(X: Any) -> pd.DataFrame:
    array = np.asarray(X)
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # numbers beside text stay numbers
    if array.ndim != 2:
        raise ColumnError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a "
            "table has rows and columns, so use X.reshape(-1, 1) for a single column."
        )
    if array.dtype.kind == "c":
        raise ColumnTypeError(
            "Complex data not supported: give real and imaginary parts as columns."
        )
    return pd.DataFrame(array)


@dataclass(frozen=True)
class Roles:
    """Which columns are what; together they are all columns of the table.

    Attributes
    ----------
    quasi_identifiers, sensitive, identifiers, others : list
        Column names, in the table's order.
    """

    quasi_identifiers: list
    sensitive: list
    identifiers: list
    others: list


def assign_roles(
    columns: pd.Index, quasi_identifiers: Any, sensitive: Any, identifiers: Any
) -> Roles:
    """Give each column its role.

    Parameters
    ----------
    columns : Index
        The table's columns.
    quasi_identifiers : list of columns, or None
        None: all that are neither sensitive nor identifiers.
    sensitive, identifiers : column, list of columns, or None

    Raises
    ------
    ColumnError
        A column is unknown, named twice or has two roles, or there is no
        quasi-identifier.
    """
    hidden = _listed(columns, sensitive, "sensitive")
    dropped = _listed(columns, identifiers, "identifiers")
    chosen = _listed(columns, quasi_identifiers, "quasi_identifiers")
    if quasi_identifiers is None:
        chosen = [c for c in columns if c not in hidden and c not in dropped]
    named = {
        "quasi_identifiers": chosen,
        "sensitive": hidden,
        "identifiers": dropped,
    }
    seen: dict[Hashable, str] = {}
    for role, listed in named.items():
        for column in listed:
            if column in seen:
                raise ColumnError(
                    f"Column {column!r} is named in both {seen[column]} and {role}. "
                    "Give each column one role."
                )
            seen[column] = role
    if not chosen:
        raise ColumnError(
            "The table has no quasi-identifier: name the columns that others may know "
            f"in quasi_identifiers. The columns are {list(columns)}."
        )
    in_order = {role: [c for c in columns if c in set(x)] for role, x in named.items()}
    return Roles(**in_order, others=[c for c in columns if c not in seen])


def _listed(columns: pd.Index, given: Any, role: str) -> list:
    if given is None:
        return []
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    listed = [given] if is_one or given in _hashable(columns, given) else list(given)
    for column in listed:
        if column not in columns:
            raise ColumnError(
                f"{role} names {column!r}, which is not a column of the table. The "
                f"columns are {list(columns)}."
            )
    if len(set(listed)) < len(listed):
        twice = [c for c in dict.fromkeys(listed) if listed.count(c) > 1]
        raise ColumnError(f"{role} names {twice} more than once. Name each once.")
    return listed


def _hashable(columns: pd.Index, given: Any) -> list:
    """Allow a tuple that is itself a column's name."""
    return list(columns) if isinstance(given, tuple) else []


def check_hierarchies(columns: pd.Index, hierarchies: Any) -> dict:
    """Check that hierarchies are given for columns of the table.

    Raises
    ------
    ColumnError
        A hierarchy is given for a column that the table lacks.
    """
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        raise ColumnTypeError(
            "hierarchies must map columns to their hierarchies, such as "
            f"{{'age': 'intervals'}}; it is {hierarchies!r}."
        )
    for column in hierarchies:
        if column not in columns:
            raise ColumnError(
                f"hierarchies names {column!r}, which is not a column of the table. "
                f"The columns are {list(columns)}."
            )
    return dict(hierarchies)

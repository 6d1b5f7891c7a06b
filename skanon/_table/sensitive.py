"""Sensitive attributes: as a table, and as the numbers that a loss looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon._table.schema import tuple_ids
from skanon.exceptions import ColumnError, ColumnTypeError
from skanon.losses import Loss
from skanon.privacy._print import as_printed

MOST_VALUES = 1000
"""So many different sensitive values a loss can tell apart."""


def sensitive_numbers(loss: Loss, y: Any, sensitive: pd.DataFrame) -> np.ndarray:
    """Give the sensitive values that a loss looks at numbers.

    Of several sensitive attributes the combinations count as values (Goldberger &
    Tassa 2010, footnote 1).

    Parameters
    ----------
    loss : Loss
    y : array-like of shape (n,) or (n, n_outputs), or None
        The sensitive attributes.
    sensitive : DataFrame of shape (n, n_sensitive)
        Sensitive columns, which stand in for ``y``.

    Returns
    -------
    ndarray of int32, shape (n,)
        All 0 where the loss uses no sensitive attribute.

    Raises
    ------
    ColumnError
        There is no sensitive attribute, one has a missing value, or there are too many
        different values.
    ColumnTypeError
        Its values cannot be compared, such as lists.
    """
    if not loss.uses_sensitive:
        return np.zeros(len(sensitive), dtype=np.int32)
    columns = sensitive.reset_index(drop=True)
    if y is not None:
        columns = sensitive_table(columns[[]], y, None)
    names = [f"Column {name!r}" for name in columns]
    if y is not None and np.ndim(y) == 1:
        names = ["The sensitive attribute"]
    if not names:
        raise ColumnError(
            f"The loss {loss!r} looks at a sensitive attribute. Give it to fit as y, "
            "or name it in sensitive."
        )
    found = []
    for at, name in enumerate(names):
        values = columns.iloc[:, at]
        missing = values.isna().to_numpy(dtype=bool, na_value=True)
        if missing.any():
            raise ColumnError(
                f"{name} is missing at row {int(np.argmax(missing))}, and in "
                f"{int(missing.sum())} of {len(values)} rows in all, but the loss "
                f"{loss!r} looks at it. Leave such records out, or give the missing "
                "value a name of its own."
            )
        found.append(_factorize(values, name)[0])
    numbers = tuple_ids(np.column_stack(found))
    n_distinct = int(numbers.max(initial=-1)) + 1
    if n_distinct > MOST_VALUES:
        together = " and ".join([names[0], *(f"c{name[1:]}" for name in names[1:])])
        have = "has" if len(names) == 1 else "together have"
        raise ColumnError(
            f"{together} {have} {n_distinct} different values, but the loss {loss!r} "
            f"can tell {MOST_VALUES} apart. Put them into ranges, as with pandas.qcut."
        )
    return numbers.astype(np.int32)


def sensitive_table(columns: pd.DataFrame, y: Any, sensitive: Any) -> pd.DataFrame:
    """Put all sensitive attributes that a fit was given side by side.

    Parameters
    ----------
    columns : DataFrame of shape (n, n_columns)
        Those that are columns of the table.
    y : array-like of shape (n,) or (n, n_outputs), or None
        Called ``"y"``, or ``"y_0"``, ``"y_1"``, … where it has several columns.
    sensitive : array-like of shape (n,) or (n, n_sensitive), or None
        Called by its own names, or ``"sensitive"`` as above.

    Returns
    -------
    DataFrame of shape (n, n_sensitive)
        Counted from row 0.

    Raises
    ------
    ColumnError
        Two of them have one name and different values: one would be lost.
    """
    table = columns.reset_index(drop=True)
    names = list(table.columns)
    values = [table.iloc[:, at] for at in range(len(names))]
    for name, given in (("y", y), ("sensitive", sensitive)):
        if given is None:
            continue
        frame = _as_columns(given, name)
        for at, column in enumerate(frame.columns):
            own = frame.iloc[:, at]
            if column not in names:
                names.append(column)
                values.append(own)
            elif not _are_alike(values[names.index(column)], own):
                raise ColumnError(
                    f"Two sensitive attributes are called {column!r} (one of them was "
                    f"given as {name}), and have different values. Rename one, or "
                    "leave out what is not the attribute."
                )
    if len(names) == table.shape[1]:
        return table
    table = pd.concat(values, axis=1)
    table.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    return table


def _as_columns(given: Any, name: str) -> pd.DataFrame:
    """Take attributes as columns, counted from row 0; what has no names gets some."""
    if hasattr(given, "to_pandas"):  # polars
        given = given.to_pandas()
    if isinstance(given, pd.DataFrame):
        return given.reset_index(drop=True)
    if not hasattr(given, "shape"):  # a list of text may have gaps
        given = np.asarray(given, dtype=object)
    frame = pd.DataFrame(given).reset_index(drop=True)
    names = [f"{name}_{at}" for at in range(frame.shape[1])]
    frame.columns = pd.Index(names if frame.shape[1] > 1 else [name])
    return frame


def _are_alike(one: pd.Series, other: pd.Series) -> bool:
    """Tell whether two columns have the same values."""
    missing = one.isna() & other.isna()
    same = one.astype(object) == other.astype(object)
    return bool((same | missing).all())


def _factorize(values: pd.Series, name: str) -> tuple[np.ndarray, Any]:
    """Give values numbers in the order of their first appearance; -1 is missing."""
    try:
        return pd.factorize(values, sort=False)
    except TypeError as error:
        raise ColumnTypeError(
            f"{name} has values that cannot be compared: {error}. Give text, numbers, "
            "dates or truth values."
        ) from error


def ordered_codes(column: pd.Series, name: Any) -> tuple[np.ndarray, list]:
    """Give each value its position among the distinct ones.

    Parameters
    ----------
    column : Series of length n
    name : column label

    Returns
    -------
    codes : ndarray of int64, shape (n,)
    values : list of length m
        In ascending order, or that of an ordered category; a missing value, which all
        kinds of missing ones are, comes last. Values without an order come in that of
        their first appearance.

    Raises
    ------
    ColumnTypeError
        The values cannot be compared, such as lists.
    """
    codes, distinct = _factorize(column, f"Column {name!r}")
    codes = codes.astype(np.int64)
    order = _order(distinct)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    values = [distinct[at] for at in order]
    missing = codes < 0
    codes = np.append(rank, len(values))[codes]
    if missing.any():
        values = [*values, None]
    if not pd.api.types.is_numeric_dtype(column.dtype):
        same = as_printed(values)
        first = np.unique(same, return_index=True)[1]
        codes, values = same[codes], [values[at] for at in np.sort(first)]
    return codes, [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    """Give a value as an error's message shows it best."""
    return value.item() if isinstance(value, np.generic) else value


def _order(distinct: Any) -> np.ndarray:
    if isinstance(distinct, pd.CategoricalIndex):
        return np.argsort(distinct.codes, kind="stable")
    try:
        return np.asarray(pd.Index(distinct).argsort())
    except TypeError:  # text beside numbers
        return np.arange(len(distinct))


def has_order(column: pd.Series) -> bool:
    """Tell whether a column has numbers, dates, times or ordered categories."""
    kind = column.infer_objects().dtype
    if isinstance(kind, pd.CategoricalDtype):
        return bool(kind.ordered)
    if pd.api.types.is_bool_dtype(kind):
        return False
    return bool(
        pd.api.types.is_numeric_dtype(kind)
        or pd.api.types.is_datetime64_any_dtype(kind)
        or pd.api.types.is_timedelta64_dtype(kind)
    )

"""Sensitive attributes: as a table, and as the numbers that a loss looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError, ColumnTypeError
from skanon.losses import Loss

MOST_VALUES = 1000
"""So many different sensitive values a loss can tell apart."""


def sensitive_numbers(loss: Loss, y: Any, sensitive: pd.DataFrame) -> np.ndarray:
    """Give the sensitive values that a loss looks at numbers.

    Parameters
    ----------
    loss : Loss
    y : array-like of shape (n,), or None
        The sensitive attribute.
    sensitive : DataFrame of shape (n, n_sensitive)
        Sensitive columns, one of which can stand in for ``y``.

    Returns
    -------
    ndarray of int32, shape (n,)
        All 0 where the loss uses no sensitive attribute.

    Raises
    ------
    ColumnError
        There is not one sensitive attribute, it has a missing value, or too many
        different ones.
    ColumnTypeError
        Its values cannot be compared, such as lists.
    """
    if not loss.uses_sensitive:
        return np.zeros(len(sensitive), dtype=np.int32)
    if y is not None:
        if hasattr(y, "to_pandas"):  # polars
            y = y.to_pandas()
        if np.ndim(y) != 1:
            raise ColumnError(
                f"The loss {loss!r} looks at one sensitive attribute, but got the "
                f"shape {np.shape(y)}. Give a single column."
            )
        name, values = "The sensitive attribute", pd.Series(y).reset_index(drop=True)
    elif sensitive.shape[1] == 1:
        name = f"Column {sensitive.columns[0]!r}"
        values = sensitive.iloc[:, 0].reset_index(drop=True)
    else:
        raise ColumnError(
            f"The loss {loss!r} looks at a sensitive attribute. Give it to fit as "
            f"y, or name exactly one column in sensitive; now there are "
            f"{sensitive.shape[1]}."
        )
    missing = values.isna().to_numpy(dtype=bool, na_value=True)
    if missing.any():
        raise ColumnError(
            f"{name} is missing at row {int(np.argmax(missing))}, and in "
            f"{int(missing.sum())} of {len(values)} rows in all, but the loss {loss!r} "
            "looks at it. Leave such records out, or give the missing value a name of "
            "its own."
        )
    try:
        numbers, distinct = pd.factorize(values, sort=False)
    except TypeError as error:
        raise ColumnTypeError(
            f"{name} has values that cannot be compared: {error}. Give text, numbers, "
            "dates or truth values."
        ) from error
    if len(distinct) > MOST_VALUES:
        raise ColumnError(
            f"{name} has {len(distinct)} different values, but the loss {loss!r} can "
            f"tell {MOST_VALUES} apart. Put them into ranges, as with pandas.qcut."
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
    """
    table = columns.reset_index(drop=True)
    for name, given in (("y", y), ("sensitive", sensitive)):
        if given is None:
            continue
        if hasattr(given, "to_pandas"):  # polars
            given = given.to_pandas()
        if isinstance(given, pd.DataFrame):
            frame = given.reset_index(drop=True)
        else:
            if not hasattr(given, "shape"):  # a list of text may have gaps
                given = np.asarray(given, dtype=object)
            frame = pd.DataFrame(given)
            names = [f"{name}_{at}" for at in range(frame.shape[1])]
            frame.columns = pd.Index(names if frame.shape[1] > 1 else [name])
        kept = ~frame.columns.isin(table.columns) & ~frame.columns.duplicated()
        table = pd.concat([table, frame.loc[:, kept].reset_index(drop=True)], axis=1)
    return table

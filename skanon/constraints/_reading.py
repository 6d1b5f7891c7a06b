"""Sensitive values in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnTypeError


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
    try:
        codes, distinct = pd.factorize(column, sort=False)
    except TypeError as error:
        raise ColumnTypeError(
            f"Column {name!r} has values that cannot be compared: {error}. Give text, "
            "numbers, dates or truth values."
        ) from error
    codes = codes.astype(np.int64)
    order = _order(distinct)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    values = [_plain(distinct[at]) for at in order]
    missing = codes < 0
    codes = np.append(rank, len(values))[codes]
    return codes, [*values, None] if missing.any() else values


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

"""What comes beside the two tables: sensitive values, weights and options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon._table.roles import check_lengths
from skanon._table.schema import tuple_ids
from skanon.exceptions import ColumnError
from skanon.metrics._reading import Reading
from skanon.privacy._labels import shown
from skanon.privacy._sensitive import is_label, read_attribute


def check_weights(sample_weight: Any, reading: Reading) -> np.ndarray:
    """Check the records' weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), or None
        None means 1 for each.
    reading : Reading

    Returns
    -------
    ndarray of float64, shape (n,)

    Raises
    ------
    ColumnError
        They are of another length or in another order, no finite numbers, below 0 or
        all 0.
    """
    n = len(reading)
    if sample_weight is None:
        return np.ones(n)
    check_lengths(n, sample_weight=sample_weight)
    _check_index("sample_weight", sample_weight, reading)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ColumnError(
            f"sample_weight holds what is no number: {error}. Give one number per row."
        ) from error
    if weights.ndim != 1:
        raise ColumnError(
            f"sample_weight has the shape {weights.shape}. Give one number per row."
        )
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise ColumnError(
            f"sample_weight is {weights[row]} at row {row}. Give finite numbers of at "
            "least 0."
        )
    if not weights.any():
        raise ColumnError(
            f"sample_weight is 0 in all {n} rows, so nothing would be measured. Give "
            "at least one record a weight above 0."
        )
    return weights


def check_sensitive(sensitive: Any, reading: Reading) -> pd.Series:
    """Check the sensitive attribute.

    Parameters
    ----------
    sensitive : column label, or array-like of shape (n,)
    reading : Reading

    Returns
    -------
    Series of shape (n,)

    Raises
    ------
    ColumnError
        It is not given, of another length or in another order, or a value is missing.
    """
    if sensitive is None:
        raise ColumnError(
            "This metric compares the sensitive attribute within the classes. Name its "
            "column in sensitive, or give one value per row."
        )
    if is_label(sensitive, reading.table):
        sensitive = reading.table[sensitive]
    check_lengths(len(reading), sensitive=sensitive)
    if hasattr(sensitive, "to_pandas"):  # polars
        sensitive = sensitive.to_pandas()
    if isinstance(sensitive, pd.DataFrame) or np.ndim(sensitive) != 1:
        raise ColumnError(
            f"sensitive has the shape {np.shape(sensitive)}. Give one sensitive "
            "attribute, as a single column."
        )
    values = sensitive if isinstance(sensitive, pd.Series) else pd.Series(sensitive)
    _check_index("sensitive", sensitive, reading)
    missing = values.isna().to_numpy(dtype=bool, na_value=True)
    if missing.any():
        row = int(np.argmax(missing))
        raise ColumnError(
            f"sensitive is missing at row {row}, and in {int(missing.sum())} of "
            f"{len(values)} rows in all. Leave out those without a sensitive value, or "
            "give the missing value a name of its own."
        )
    return values.reset_index(drop=True)


def _check_index(name: str, values: Any, reading: Reading) -> None:
    ours = reading.table.index
    if not isinstance(values, pd.Series) or values.index.equals(ours):
        return
    row = int(np.argmax([a != b for a, b in zip(values.index, ours, strict=True)]))
    raise ColumnError(
        f"{name} has another index than the original: at row {row} it is "
        f"{shown(values.index[row])} instead of {shown(ours[row])}. Use "
        f"{name}.loc[original.index], or {name}.to_numpy() if the rows correspond as "
        "they are."
    )


def sensitive_codes(sensitive: Any, reading: Reading) -> np.ndarray:
    """Give each sensitive value a number.

    Returns
    -------
    ndarray of int64, shape (n,)
        From 0 on.
    """
    return read_attribute(check_sensitive(sensitive, reading), "sensitive").codes


def combined_sensitive_codes(sensitive: Any, reading: Reading) -> np.ndarray:
    """Give each combination of the values of one or several attributes a number.

    Parameters
    ----------
    sensitive : column label, or array-like of shape (n,) or (n, n_sensitive)
    reading : Reading

    Returns
    -------
    ndarray of int64, shape (n,)
        From 0 on.

    Raises
    ------
    ColumnError
        As in :func:`check_sensitive`.
    """
    if hasattr(sensitive, "to_pandas"):  # polars
        sensitive = sensitive.to_pandas()
    if np.ndim(sensitive) == 2 and np.shape(sensitive)[1]:
        frame = sensitive
        if not isinstance(frame, pd.DataFrame):
            frame = pd.DataFrame(np.asarray(frame))
        columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
    else:
        columns = [sensitive]
    codes = [sensitive_codes(column, reading) for column in columns]
    return tuple_ids(np.column_stack(codes))

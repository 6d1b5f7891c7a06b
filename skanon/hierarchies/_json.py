"""Scalars to and from the few types that JSON has."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import HierarchyError


def to_plain(value: Any) -> Any:
    """Turn a scalar into something that JSON holds without loss.

    Examples
    --------
    >>> import datetime
    >>> to_plain(datetime.date(1899, 12, 31))
    {'date': '1899-12-31'}
    """
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        value = pd.Timedelta(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, pd.Timestamp):
        return {"timestamp": value.isoformat()}
    if isinstance(value, datetime.datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {"timedelta": pd.Timedelta(value).isoformat()}
    if isinstance(value, _TEXTS):
        return str(value)
    return value


_TEXTS = (Decimal, datetime.time, pd.Period, pd.Interval)
"""What a column finds by its text."""


def from_plain(value: Any) -> Any:
    """Undo :func:`to_plain`; raises HierarchyError for what it never gives."""
    if not isinstance(value, dict | list):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, text),) = value.items()
        if kind in _READERS:
            try:
                return _READERS[kind](text)
            except (ValueError, TypeError) as error:
                raise HierarchyError(
                    f"the value {value!r} is no {kind}: {error}. Write it in ISO form."
                ) from error
    raise HierarchyError(
        f"the value {value!r} is not understood. A value is text, a number, a truth "
        f"value or a dict with one of the keys {', '.join(map(repr, _READERS))}."
    )


def _timestamp(text: str) -> pd.Timestamp:
    if not text[:4].isdigit():
        raise ValueError(f"{text!r} is no ISO time")  # such as "now"
    return pd.Timestamp(text)


_READERS: dict[str, Callable[[Any], Any]] = {
    "timestamp": _timestamp,
    "date": datetime.date.fromisoformat,
    "timedelta": pd.Timedelta,
}

"""Scalars to and from the few types that JSON has."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd


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
    return value


def from_plain(value: Any) -> Any:
    """Undo :func:`to_plain`."""
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        return _READERS[kind](text)
    return value


_READERS = {
    "timestamp": pd.Timestamp,
    "date": datetime.date.fromisoformat,
    "timedelta": pd.Timedelta,
}

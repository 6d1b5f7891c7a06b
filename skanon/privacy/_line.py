"""A column's line: numbers, times or ordered categories, and what a text says there.

A range of a label is what lies between two cuts of the line.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

Cut = tuple[Any, int]
"""A place between points of a line: just below one (0), or just above it (1)."""


class Place(NamedTuple):
    """What a number, a time or a category takes up on its line.

    A year, a month or a day goes up to where the next one begins.
    """

    first: Cut
    after: Cut


def kind_of(values: pd.Series) -> tuple[str, list[Any] | None]:
    """Tell a column's kind, and the order of its categories if they have one."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        kind, order = kind_of(pd.Series(dtype.categories))
        return kind, dtype.categories.tolist() if dtype.ordered else order
    if dtype.kind in _KINDS:
        return _KINDS[dtype.kind], None
    inferred = types.infer_dtype(values, skipna=True)
    if inferred in _SORTED:
        try:
            return "text", sorted(set(values.dropna()), key=_SORTED[inferred])
        except (TypeError, ValueError):  # which cannot be compared
            return "text", None
    return _INFERRED.get(inferred, "text"), None


def put_on_line(
    values: dict[int, Any], kind: str, order: list[Any] | None
) -> tuple[Any, dict[int, Any]]:
    """Put a column's values on a line.

    Parameters
    ----------
    values : dict from code to value
        Those that are not missing.
    kind : {"number", "datetime", "timedelta", "bool", "text"}
    order : list or None
        The categories in their order, where the column is an ordered categorical; those
        that are numbers or times in ascending order are put where these are.

    Returns
    -------
    read : callable or None
        Takes a text, and gives its Place on the line, or None (or a ValueError) where
        it is none; itself None where the column has no line.
    points : dict from code to point
        A category that ``order`` lacks has none.
    """
    if kind in _ENDS and order is not None:
        ranks = [_point(kind, category) for category in order]
        order = order if any(low >= high for low, high in pairwise(ranks)) else None
    if order is not None:
        rank = {str(category): at for at, category in enumerate(order)}
        texts = {code: str(value) for code, value in values.items()}
        return partial(_category, rank), {
            code: rank[text] for code, text in texts.items() if text in rank
        }
    zoned = {getattr(value, "tzinfo", None) is not None for value in values.values()}
    if kind not in _ENDS or len(zoned) > 1:
        return None, {}
    points = {code: _point(kind, value) for code, value in values.items()}
    return partial(_ENDS[kind], zoned == {True}), points


def _point(kind: str, value: Any) -> Any:
    """Give a number as it is, and a time in nanoseconds: exactly, however far away."""
    if kind == "number":
        return value.item() if isinstance(value, np.generic) else value
    time = pd.Timestamp(value) if kind == "datetime" else pd.Timedelta(value)
    return int(time.asm8.astype(np.int64)) * _NANOSECONDS[time.unit]


def joined(order: list[Any] | None, text: str) -> tuple[Cut, Cut] | None:
    """Give the cuts of some intervals that make a longer one, such as ``(0, 30]``.

    Parameters
    ----------
    order : list or None
        The categories in their order.
    text : str
        From where one of them begins to where one of them ends.
    """
    parts = [str(category).partition(", ") for category in order or []]
    start, _, end = text.partition(", ")
    lows = [at for at, part in enumerate(parts) if part[0] == start and part[2]]
    highs = [at for at, part in enumerate(parts) if part[2] == end]
    if len(lows) != 1 or len(highs) != 1 or lows[0] >= highs[0]:
        return None
    return (lows[0], 0), (highs[0], 1)


def _exactly(point: Any) -> Place:
    return Place((point, 0), (point, 1))


def _category(rank: dict[str, int], text: str) -> Place | None:
    return _exactly(rank[text]) if text in rank else None


def _number(zoned: bool, text: str) -> Place | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return _exactly(int(text))
    except ValueError:
        return _exactly(float(text))


def _time(zoned: bool, text: str) -> Place | None:
    found = _ISO_TIME.fullmatch(text)
    if found is None:
        return None
    if found[1]:
        stamp = pd.Timestamp(text)
        same = (stamp.tzinfo is not None) == zoned
        return _exactly(_point("datetime", stamp)) if same else None
    if zoned:  # in which zone does the day begin?
        return None
    period = np.datetime64(text)  # a whole year, month or day
    unit: Any = np.datetime_data(period.dtype)[0]
    next_one = period + np.timedelta64(1, unit)
    first, next_one = (x.astype("datetime64[D]") for x in (period, next_one))
    ends = [int(x.astype(np.int64)) * 86_400 * 10**9 for x in (first, next_one)]
    return Place((ends[0], 0), (ends[1], 0))


def _time_span(zoned: bool, text: str) -> Place | None:
    if not _SPAN.fullmatch(text):
        return None
    text = _SMALL_DAY.sub("D", text)  # which pandas reads under protest
    return _exactly(_point("timedelta", pd.Timedelta(text)))


def interval_cuts(end: Any, interval: pd.Interval) -> tuple[Cut, Cut] | None:
    """Give the cuts of an interval of pandas; None if it does not fit the column."""
    left: Any = interval.left
    kind = "number"
    if isinstance(left, pd.Timestamp | pd.Timedelta):
        kind = "datetime" if isinstance(left, pd.Timestamp) else "timedelta"
    zoned = getattr(left, "tzinfo", None) is not None
    if getattr(end, "func", None) != _ENDS[kind] or end.args != (zoned,):
        return None
    low, high = _point(kind, left), _point(kind, interval.right)
    return (low, int(interval.open_left)), (high, int(interval.closed_right))


_ENDS: dict[str, Any] = {
    "number": _number,
    "datetime": _time,
    "timedelta": _time_span,
}
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_KINDS = dict.fromkeys("iuf", "number") | {
    "M": "datetime",
    "m": "timedelta",
    "b": "bool",
}
_INFERRED = {
    "integer": "number",
    "floating": "number",
    "mixed-integer-float": "number",
    "decimal": "number",
    "date": "datetime",
    "datetime": "datetime",
    "datetime64": "datetime",
    "timedelta": "timedelta",
    "timedelta64": "timedelta",
    "boolean": "bool",
}
_SORTED: dict[str, Any] = {
    "time": None,
    "period": None,
    "interval": lambda interval: (interval.left, interval.right),
}
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)", re.ASCII
)
_ISO_TIME = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d"
    r"([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?",
    re.ASCII,
)
_SMALL_DAY = re.compile(r"(?<=[\d\s])d(?![A-Za-z])")
_SPAN = re.compile(
    r"[+-]?(?=\S)(?:\d+(?:\.\d+)?\s*[A-Za-z\u00b5\u03bc]+,?\s*)*"
    r"(?:\+?\d+:\d\d:\d\d(?:\.\d+)?)?|-?P[\dA-Z.]+",
    re.ASCII,
)

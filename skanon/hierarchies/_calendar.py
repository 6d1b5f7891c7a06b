"""Taxonomies of dates by the units of the calendar."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import SUPPRESSED, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies._builders import distinct
from skanon.hierarchies._taxonomy import Taxonomy

_UNITS = ("day", "month", "quarter", "year", "decade", "century")

_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}(?::?\d{2})?)?)?"
)


def from_calendar(
    values: Any, units: Sequence[str] = ("month", "quarter", "year", "decade")
) -> Taxonomy:
    """Build a taxonomy of dates by calendar units.

    Parameters
    ----------
    values : array-like of dates, shape (n,)
        The column, or its values: dates and times of any kind, or ISO text such as
        ``"1899-12-31"``. Any year from 1 to 9999.
    units : sequence of str, default=("month", "quarter", "year", "decade")
        The unit of each level, finest first, among ``"day"``, ``"month"``,
        ``"quarter"``, ``"year"``, ``"decade"`` and ``"century"``.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        A unit is unknown or not coarser than the one before, or a value is no date.

    Notes
    -----
    A value belongs to the day that is written in it: a time with a zone to that zone's
    own day, and nothing is converted.

    Examples
    --------
    >>> from_calendar(["1899-12-31", "2020-02-29"], ["month", "year", "decade"]).levels
    [['1899-12', '2020-02'], ['1899', '2020'], ['1890s', '2020s'], ['*', '*']]
    >>> from_calendar(["2020-02-29"], ["day", "quarter", "century"]).levels
    [['2020-02-29'], ['2020-Q1'], ['2000-2099'], ['*']]
    """
    _check_units(units)
    domain = distinct(values)
    days = _days(domain)
    month = days.astype("datetime64[M]").astype(np.int64)
    year = month // 12 + 1970
    labels = {
        "day": lambda: days.astype(str).tolist(),
        "month": lambda: days.astype("datetime64[M]").astype(str).tolist(),
        "quarter": lambda: [
            f"{y:04d}-Q{m // 3 + 1}" for y, m in zip(year, month % 12, strict=True)
        ],
        "year": lambda: [f"{y:04d}" for y in year],
        "decade": lambda: [f"{y // 10 * 10:04d}s" for y in year],
        "century": lambda: [
            f"{y // 100 * 100:04d}-{y // 100 * 100 + 99:04d}" for y in year
        ],
    }
    table = [labels[unit]() for unit in units]
    return Taxonomy(domain.values.tolist(), [*table, [SUPPRESSED] * len(days)])


def _check_units(units: Sequence[str]) -> None:
    listed = [units] if isinstance(units, str) else list(units)
    if isinstance(units, str) or not listed:
        raise HierarchyError(f"units must be a sequence such as {_UNITS}, got {units}.")
    before = -1
    for level, unit in enumerate(listed, start=1):
        if unit not in _UNITS:
            raise HierarchyError(
                f"the unit {unit!r} of level {level} is unknown. Choose among {_UNITS}."
            )
        at = _UNITS.index(unit)
        if at <= before:
            raise HierarchyError(
                f"the unit {unit!r} of level {level} is not coarser than "
                f"{listed[level - 2]!r}, that of level {level - 1}. Order them from "
                f"fine to coarse: {', '.join(_UNITS)}."
            )
        before = at


def _days(domain: Domain) -> np.ndarray:
    """Give each value's own day, as datetime64[D]."""
    if domain.kind == "datetime":
        index = pd.DatetimeIndex(domain.values)
        if index.tz is not None:
            index = index.tz_localize(None)  # the local wall time, not another one
        return index.to_numpy().astype("datetime64[D]")
    if domain.kind != "text":
        raise HierarchyError(
            f"{domain.name!r} holds {domain.kind}s, not dates. Convert them with "
            "pandas.to_datetime, or use from_widths."
        )
    return np.array([_iso_day(text) for text in domain.values], dtype="datetime64[D]")


def _iso_day(text: str) -> datetime.date:
    match = _ISO.fullmatch(text.strip())
    try:
        if match:
            return datetime.date.fromisoformat(match[1])
    except ValueError:
        pass  # the shape of a date, but no day of the calendar
    raise HierarchyError(
        f"the value {text!r} is no ISO date such as '2020-02-29'. Correct it, or read "
        "the column with pandas.to_datetime."
    )

"""A column's line: where values stand on it, what a point on it is called."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon._table.domain import Domain
from skanon._table.line import WHOLE
from skanon.exceptions import HierarchyError
from skanon.hierarchies._leaves import _PARSERS
from skanon.hierarchies._ranges import _exact, _on_line, _point_texts
from skanon_widgets._shared.round_step import round_step

MOST_BARS, STEPS = 80, 200
"""So many bars a histogram has at most; about so many steps it is from end to end."""

_EPOCH = pd.Timestamp("1970-01-01")
_HOUR, _DAY, _YEAR = 3600, 86400, 31556952


class Grid(NamedTuple):
    """The round points of a line, numbered.

    Attributes
    ----------
    below : callable
        From a point to the number of the last round point that is not above it.
    at : callable
        From a number to the round point.
    whole : int
        So many points make a larger unit: twelve months.
    """

    below: Callable[[Any], int]
    at: Callable[[int], Any]
    whole: int = 1


class Axis:
    """A column's values on a line from 0 to 1.

    Parameters
    ----------
    domain : Domain
        Of numbers, dates or time spans.
    """

    def __init__(self, domain: Domain) -> None:
        self.kind = domain.kind
        self.line = _on_line(domain)
        self.counts = domain.counts
        self.origin = 0
        if isinstance(self.line[0], int):  # floats may not tell large ones apart
            far = max(abs(self.line[0]), abs(self.line[-1])) > WHOLE
            self.origin = self.line[0] if far else 0
        self.positions = np.array([self._number(value) for value in self.line])
        low, high = float(self.positions[0]), float(self.positions[-1])
        self.grid = _grid(self.kind, self.line, high - low)
        first = self.grid.at(self.grid.below(self.line[0]))
        self.low = min(low, self._number(first))
        self.high = self._number(self.grid.at(self.grid.below(self.line[-1]) + 1))

    def _number(self, point: Any) -> float:
        if self.kind == "datetime":
            return (pd.Timestamp(point) - _EPOCH) / pd.Timedelta(seconds=1)
        if self.kind == "timedelta":
            return pd.Timedelta(point) / pd.Timedelta(seconds=1)
        return float(_exact(point) - self.origin if self.origin else point)

    def place(self, point: Any) -> float:
        """Give a point's place, from 0 to 1 where it is between the line's ends."""
        return (self._number(point) - self.low) / (self.high - self.low)

    def point(self, place: float) -> Any:
        """Give the round point that is nearest to a place."""
        number = self.low + min(max(float(place), 0.0), 1.0) * (self.high - self.low)
        k = self.grid.below(self._scalar(number))
        around = [self.grid.at(k), self.grid.at(k + 1)]
        return min(around, key=lambda point: abs(self._number(point) - number))

    def _scalar(self, number: float) -> Any:
        if self.kind == "datetime":
            return _EPOCH + pd.Timedelta(seconds=round(number))
        if self.kind == "timedelta":
            return pd.Timedelta(seconds=number)
        return self.origin + round(number) if self.origin else number

    def nudge(self, point: Any, by: int) -> Any:
        """Give the round point so many steps away from a point."""
        k = self.grid.below(point)
        between = self.grid.at(k) != point
        return self.grid.at(k + by + (by < 0 and between))

    def read(self, text: Any) -> Any:
        """Read a point that somebody typed.

        Raises
        ------
        HierarchyError
            It is no number, date or time span.
        """
        text = str(text).strip()
        try:
            point = _PARSERS[self.kind](text)
            if self.kind == "number" and not math.isfinite(point):
                raise ValueError(text)
            if getattr(point, "tz", None) is not None:
                raise ValueError(f"{text} has a time zone")
        except (ValueError, KeyError, OverflowError) as error:
            form = {"number": "a number such as 30", "datetime": "a date, 2020-02-29"}
            raise HierarchyError(
                f"{text!r} cannot be a cut point of this column. Type "
                f"{form.get(self.kind, 'a time span such as 3 days')}."
            ) from error
        return point

    def ticks(self) -> list[tuple[float, str]]:
        """Give about six round points between the ends, and what they are called."""
        first, last = (self.grid.below(self.line[0]), self.grid.below(self.line[-1]))
        whole = self.grid.whole
        step = whole * max(1, int(round_step((last + 1 - first) / 6 / whole)))
        numbers = range(-(-first // step) * step, last + 2, step)
        points = [self.grid.at(k) for k in numbers]
        texts = _point_texts(points) if points else []
        places = [(self.place(x), text) for x, text in zip(points, texts, strict=True)]
        return [(place, text) for place, text in places if 0 <= place <= 0.98]

    def bars(self) -> list[int]:
        """Count the records in bars of one width."""
        first, last = (self.grid.below(self.line[0]), self.grid.below(self.line[-1]))
        steps = last + 1 - first
        n = min(MOST_BARS, max(1, steps))
        if steps > MOST_BARS:  # so that no bar has one step more than its neighbours
            n = max(x for x in range(1, MOST_BARS + 1) if steps % x == 0 or x == 60)
        share = (self.positions - self.low) / (self.high - self.low)
        at = np.clip((share * n + 1e-9).astype(int), 0, n - 1)
        return np.bincount(at, self.counts, minlength=n).astype(int).tolist()


def _grid(kind: str, line: list[Any], span: float) -> Grid:
    if kind != "datetime":
        whole = kind == "number" and all(float(x).is_integer() for x in line)
        # beyond that, a float may not hold the next round point
        least = Fraction(str(round_step(span / STEPS))) if span < 1e302 else Fraction(1)
        return _even(kind, max(least, Fraction(1)) if whole else least)
    if span > 80 * _YEAR:
        return Grid(lambda x: x.year, lambda k: _date(k, 1))
    if span > 8 * _YEAR:
        return Grid(
            lambda x: x.year * 12 + x.month - 1,
            lambda k: _date(k // 12, k % 12 + 1),
            12,
        )
    tick = pd.Timedelta(seconds=_DAY if span > 8 * _DAY else _HOUR)
    return Grid(lambda x: (x - _EPOCH) // tick, lambda k: _EPOCH + k * tick)


def _even(kind: str, step: Fraction) -> Grid:
    def scalar(number: Fraction) -> Any:
        return int(number) if number.denominator == 1 else float(number)

    if kind == "number":
        return Grid(lambda x: math.floor(_exact(x) / step), lambda k: scalar(k * step))
    wide = pd.Timedelta(seconds=max(1, int(step)))
    return Grid(lambda x: x // wide, lambda k: k * wide)


def _date(year: int, month: int) -> pd.Timestamp:
    if not 1 <= year <= 9999:
        raise HierarchyError("A cut point must lie between the years 1 and 9999.")
    return pd.Timestamp(f"{year:04d}-{month:02d}-01")

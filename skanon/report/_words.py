"""What a report is made of, before it is Markdown or HTML: text, cells and tables.

All text is plain here: whoever writes it out escapes it, since names are data.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Cell = Any
"""Text, a number, a Share, a Bar, or None for what could not be measured."""

_DIGITS = 4
_MANY = 20
"""So many bars a histogram has at most, and so many names a sentence about half."""


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What has no form of its own, or turns the text around it."""


class Share(float):
    """A number that is shown in percent."""


class Bar(NamedTuple):
    """A number that is drawn as well, over a full length."""

    value: float
    full: float

    @property
    def percent(self) -> float:
        """How much of the length is filled."""
        return 100 * min(max(self.value / self.full, 0.0), 1.0) if self.full else 0.0


class Bin(NamedTuple):
    """The classes of some sizes."""

    low: int
    high: int
    classes: int

    @property
    def label(self) -> str:
        """The sizes, in words."""
        return f"{self.low:,}" + (f" to {self.high:,}" if self.high > self.low else "")


@dataclass
class Table:
    """A table whose first column says what its rows are about."""

    caption: str
    heads: list[str]
    rows: list[list[Cell]]

    def is_text(self, column: int) -> bool:
        """Tell whether a column holds words, not numbers."""
        return all(isinstance(row[column], str) for row in self.rows)


@dataclass
class Section:
    """A title and what is below it: paragraphs, a histogram, tables."""

    title: str
    paragraphs: list[str] = field(default_factory=list)
    bins: list[Bin] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def shown(cell: Cell) -> str:
    """Write a cell for people: numbers with about four digits."""
    if cell is None:
        return "n/a"
    if isinstance(cell, Share):
        return f"{_number(100 * cell)} %"
    if isinstance(cell, Bar):
        return _number(cell.value)
    if isinstance(cell, bool | str):
        return str(cell)
    return _number(cell)


def _number(value: float) -> str:
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e9):
        return f"{int(value):,}"
    size = abs(value)
    if not 1e-4 <= size < 1e9:
        return f"{value:.{_DIGITS - 1}e}"
    decimals = max(_DIGITS - 1 - math.floor(math.log10(size)), 0)
    rounded = (
        f"{round(value, _DIGITS - 1 - math.floor(math.log10(size))):,.{decimals}f}"
    )
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def printable(text: str) -> str:
    """Put text on one line, without characters that are not seen."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write a number and what is counted."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def listed(names: list) -> str:
    """List names in a sentence, but not too many."""
    few = [f"“{name}”" for name in names[: _MANY // 2]]
    more = len(names) - len(few)
    return ", ".join(few) + (f" and {more:,} more" if more else "")


def bins(sizes: list[dict[str, int]]) -> list[Bin]:
    """Put classes into a few bins by size.

    One size each where that is possible; else of equal widths, or, where the largest
    class is far larger than the smallest, each twice as wide as the one before.
    """
    if not sizes:
        return []
    low, high = sizes[0]["size"], sizes[-1]["size"]
    if high - low < _MANY:
        edges = list(range(low, high + 2))
    elif high < 8 * low:
        width = math.ceil((high - low + 1) / (_MANY // 2))
        edges = list(range(low, high + width + 1, width))
    else:
        doublings = math.ceil(math.log2((high + 1) / low))
        edges = [low * 2**at for at in range(doublings + 1)]
    return [
        Bin(a, b - 1, sum(x["classes"] for x in sizes if a <= x["size"] < b))
        for a, b in itertools.pairwise(edges)
    ]

"""From a released label back to the values that it stands for."""

from __future__ import annotations

import json
import math
import re
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon._table.domain import SUPPRESSED
from skanon.hierarchies import BoundHierarchy, Hierarchy, Taxonomy
from skanon.hierarchies._base import TREE
from skanon.hierarchies._taxonomy import BoundTaxonomy


class Span(NamedTuple):
    """The codes from ``first`` to ``last``; none where ``last`` is the smaller."""

    first: int
    last: int


Subset = Span | np.ndarray
"""Codes: as a span where they follow each other, else listed in order."""


class LabelReader:
    """Reads the labels of one column; the inverse of ``encode="label"``, and more.

    A value's own text comes first, then a node's name: whatever looks like a range but
    is called so in the data or in the hierarchy is no range. What remains may be a
    set ``{a, b}``, a range (``[20, 29]``, ``[20, 30)``, ``20-29``, ``>= 60``), or a
    number or time that is written in another way.

    Parameters
    ----------
    bound : BoundHierarchy
        The hierarchy, bound to the column as it was before.
    hierarchy : Hierarchy
        The same, which still has all names of nodes.
    """

    def __init__(self, bound: BoundHierarchy, hierarchy: Hierarchy) -> None:
        self._bound = bound
        self._kind = bound.domain.kind
        self._n_values = bound.n_codes - (bound.missing >= 0)
        texts = bound._texts.tolist() if self._n_values else []
        self._codes: dict[Any, int] = dict(zip(texts, range(len(texts)), strict=True))
        self._nodes = _node_spans(bound, hierarchy)

    @property
    def everything(self) -> Span:
        """What ``*`` stands for."""
        return Span(0, self._bound.n_codes - 1)

    def read(self, label: str) -> Subset | None:
        """Find what a label stands for.

        Returns
        -------
        Span, ndarray of int64 or None
            The codes in ascending order; None where the label cannot be read.
        """
        if label == SUPPRESSED:
            return self.everything
        if label in self._codes:
            return Span(self._codes[label], self._codes[label])
        if label in self._nodes:
            return self._nodes[label]
        for form in (self._set, self._bracketed, self._dashed, self._one_sided):
            subset = form(label.strip())
            if subset is not None:
                return subset
        value = self._scalar(label.strip())
        return None if value is None else self._between(value, value)

    def read_interval(self, interval: pd.Interval) -> Subset | None:
        """Find what an interval of pandas stands for; None if it does not fit."""
        if (self._kind == "datetime") != isinstance(interval.left, pd.Timestamp):
            return None
        if (self._kind == "timedelta") != isinstance(interval.left, pd.Timedelta):
            return None
        if self._line is None:
            return None
        return self._between(
            interval.left, interval.right, interval.closed_left, interval.closed_right
        )

    # ---------------------------------------------------------------- the forms

    def _set(self, label: str) -> Subset | None:
        items = _items(label, "{", "}")
        if not items:
            return None
        codes: set[int] = set()
        for item in items:
            if item not in self._codes:
                value = self._scalar(item)
                same = None if value is None else self._between(value, value)
                if not isinstance(same, Span) or same.last != same.first:
                    return None
                codes.add(same.first)
            else:
                codes.add(self._codes[item])
        return compact(np.array(sorted(codes), dtype=np.int64))

    def _bracketed(self, label: str) -> Subset | None:
        items = _items(label, "[(", "])")
        if items is None or len(items) != 2:
            return None
        closed = label[0] == "[", label[-1] == "]"
        if closed == (True, True):
            by_code = self._between_codes(*items)
            if by_code is not None:
                return by_code
        low, high = (self._scalar(item) for item in items)
        if low is None or high is None:
            return None
        return self._between(low, high, *closed)

    def _dashed(self, label: str) -> Subset | None:
        # without spaces, the dashes of a date and the one between two are alike
        pattern = _DASHED if self._kind == "number" else _SPACED
        found = pattern.fullmatch(label)
        if not found:
            return None
        low, high = (self._scalar(text) for text in found.groups())
        return None if low is None or high is None else self._between(low, high)

    def _one_sided(self, label: str) -> Subset | None:
        found = _ONE_SIDED.fullmatch(label)
        end = self._scalar(found[2]) if found else None
        if found is None or end is None:
            return None
        closed = found[1].endswith("=")
        if found[1].startswith("<"):
            return self._between(None, end, True, closed)
        return self._between(end, None, closed, True)

    # ------------------------------------------------------------------- places

    def _between_codes(self, low: str, high: str) -> Span | None:
        """Read a range as it is written: from one value's text to another's."""
        if self._bound.form == TREE or not self._bound.domain.ordered:
            return None
        ends = self._codes.get(low), self._codes.get(high)
        if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            return None
        return Span(ends[0], ends[1])

    def _scalar(self, text: str) -> Any:
        """Read a number or a time; None where it is none."""
        if self._line is None:
            return None
        try:
            return _PARSERS[self._kind](text)
        except (ValueError, OverflowError):
            return None

    def _between(
        self, low: Any, high: Any, with_low: bool = True, with_high: bool = True
    ) -> Subset | None:
        """Collect the values between two; None where the higher one comes first."""
        line, order = self._line
        try:
            if low is not None and high is not None and low > high:
                return None
            start = 0 if low is None else _search(line, low, not with_low)
            stop = len(order) if high is None else _search(line, high, with_high)
        except TypeError:  # a time zone on one side only
            return None
        if isinstance(order, range) or stop <= start:
            return Span(start, stop - 1)
        return compact(np.sort(order[start:stop]))

    @cached_property
    def _line(self) -> Any:
        """The values in ascending order, and their codes; None without an order."""
        values = self._bound.values
        if self._kind not in _PARSERS or not self._n_values:
            return None
        if self._kind == "number":
            line: Any = np.asarray(values)
            line = np.array(line.tolist()) if line.dtype == object else line
        elif self._kind == "datetime":
            line = pd.DatetimeIndex(values)
        else:
            line = pd.TimedeltaIndex(values)
        order = np.argsort(line)
        if (order == np.arange(len(order))).all():
            return line, range(len(order))
        return line[order], order


def compact(codes: np.ndarray) -> Subset:
    """Turn ascending codes that follow each other into a span."""
    if len(codes) and codes[-1] - codes[0] + 1 == len(codes):
        return Span(int(codes[0]), int(codes[-1]))
    return codes if len(codes) else Span(0, -1)


def shown(value: Any) -> str:
    """Write a value for an error message, numpy's scalars as plain ones."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _node_spans(bound: BoundHierarchy, hierarchy: Hierarchy) -> dict[str, Span]:
    """Find what each node's name stands for.

    The bound tree drops a node that covers no more than the one below it, but other
    tools may well have published its name.
    """
    if not isinstance(bound, BoundTaxonomy) or not isinstance(hierarchy, Taxonomy):
        return {}
    spans: dict[str, Span] = {}
    for labels in hierarchy.levels:
        nodes, names = pd.factorize(np.array(labels, dtype=object))
        first = np.full(len(names), bound.n_codes)
        last = np.zeros(len(names), dtype=np.int64)
        np.minimum.at(first, nodes, bound._rank)
        np.maximum.at(last, nodes, bound._rank)
        ends = map(Span, first.tolist(), last.tolist())
        spans |= dict(zip(names, ends, strict=True))
    spans[hierarchy.root] = Span(0, bound.n_codes - 1)
    return spans


def _items(label: str, opening: str, closing: str) -> list[str] | None:
    """Split what stands between brackets at its commas, those in quotes apart."""
    if len(label) < 2 or label[0] not in opening or label[-1] not in closing:
        return None
    if '"' not in label:  # as nearly all are
        plain = [item.strip() for item in label[1:-1].split(",")]
        return plain if all(plain) else None
    items, at, end = [], 1, len(label) - 1
    while True:
        at = _SPACE.match(label, at, end).end()  # type: ignore[union-attr]
        if label[at] == '"':
            try:
                item, at = _JSON.raw_decode(label, at)
            except ValueError:
                return None
        else:
            stop = label.find(",", at, end)
            stop = end if stop < 0 else stop
            item, at = label[at:stop].rstrip(), stop
            if not item:
                return None
        items.append(item)
        at = _SPACE.match(label, at, end).end()  # type: ignore[union-attr]
        if at == end:
            return items
        if label[at] != ",":
            return None
        at += 1


def _search(line: Any, value: Any, after: bool) -> int:
    """Count the values of a line below one, or up to it where ``after`` is set."""
    if isinstance(line, np.ndarray) and line.dtype.kind in "iu":
        whole = value if math.isinf(value) else math.floor(value)
        after = after or whole != value  # between two integers
        ends = np.iinfo(line.dtype)
        if not ends.min <= whole <= ends.max:
            return len(line) if whole > 0 else 0
        value = line.dtype.type(whole)
    elif isinstance(line, np.ndarray):
        with np.errstate(over="ignore"):
            value = line.dtype.type(value)  # 0.1 means the float32 near it
    elif value.unit != line.unit:
        whole = value.floor(line.unit)
        after = after or whole != value  # between two of the line's units
        try:
            value = whole.as_unit(line.unit)
        except ValueError:  # beyond what the line's unit reaches
            return len(line) if value > line[0] else 0
    return int(line.searchsorted(value, side="right" if after else "left"))


def _number(text: str) -> int | float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text} is no number")  # such as "nan" or "1_000"
    try:
        return int(text)
    except ValueError:
        return float(text)


def _time(text: str) -> pd.Timestamp:
    stamp = pd.Timestamp(text)
    if not text[:4].isdigit() or stamp is pd.NaT:
        raise ValueError(f"{text} is no ISO date")  # such as "now"
    return stamp


def _time_span(text: str) -> pd.Timedelta:
    span = pd.Timedelta(text)
    if span is pd.NaT:
        raise ValueError(f"{text} is no time span")
    return span


_PARSERS: dict[str, Any] = {
    "number": _number,
    "datetime": _time,
    "timedelta": _time_span,
}
_JSON = json.JSONDecoder()
_SPACE = re.compile(r"\s*")
_DIGITS = r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)"
_NUMBER = re.compile(_DIGITS)
_DASHED = re.compile(rf"({_DIGITS})\s*[-\u2013]\s*({_DIGITS})")
_SPACED = re.compile(r"(\S.*?)\s+[-\u2013]\s+(.*\S)")
_ONE_SIDED = re.compile(r"([<>]=?)\s*(.*)")

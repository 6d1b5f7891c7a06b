"""Bars for a column's distribution: few, with round ends, and none of few records.

Round ends, bars of at least so many records, and the outer ones open where only few
have the outermost values, so that a chart doesn't tell of a single person what the
release hides: neither the largest value nor a rare one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.hierarchies import BoundHierarchy
from skanon_widgets._shared.round_step import round_step

MOST_BINS, MOST_VALUES = 20, 12
"""So many bars a column of numbers or dates has at most, and one of categories."""

OTHERS, MISSING, ALL = "other values", "missing", "all values"


class Bars(NamedTuple):
    """Bars of one column.

    Attributes
    ----------
    labels : list of str
    of_code : ndarray of int64, shape (n_codes,)
        The bar of each of the column's values.
    """

    labels: list[str]
    of_code: np.ndarray


def bars(bound: BoundHierarchy, least: int) -> Bars:
    """Put a column's values into bars.

    Parameters
    ----------
    bound : BoundHierarchy
        Bound to the original column.
    least : int
        A bar has no original record at all, or so many; if the column has fewer, one
        bar has them all.

    Returns
    -------
    Bars
    """
    present = bound.n_codes - (bound.missing >= 0)
    if bound.domain.kind in _MAKERS and present and bound.placed[:present].all():
        exact = bound.step == 1
        line = bound.line[:present] if exact else bound.numbers[:present]
        return _binned(bound, line, least)
    return _listed(bound, least)


# ------------------------------------------------------------------ numbers and dates


class _Edges(NamedTuple):
    """Ends of bins on a column's line: the i-th bin is from the i-th to the next."""

    at: Any
    labels: list[str]
    """What each bin starts with, and then where the last one ends."""
    whole: bool
    """Whether a bin ends just before the next one starts."""


def _binned(bound: BoundHierarchy, line: np.ndarray, least: int) -> Bars:
    edges = _MAKERS[bound.domain.kind](bound, line)
    of_code = np.zeros(bound.n_codes, dtype=np.int64)
    inner = np.array(edges.at[1:-1], dtype=line.dtype)  # the outer ones may not fit
    found = np.searchsorted(inner, line, side="right")
    n_bins = len(edges.at) - 1
    of_code[: len(line)] = found
    counts = np.bincount(found, bound.counts[: len(line)], minlength=n_bins)
    if counts.sum() < least:
        return Bars([ALL], np.zeros(bound.n_codes, dtype=np.int64))
    starts = _pooled(counts, least)
    labels = _ranges(edges, starts, counts, least)
    of_code = np.searchsorted(starts, of_code, side="right") - 1
    if bound.missing >= 0:
        rare = bound.counts[bound.missing] < least
        labels += [] if rare else [MISSING]
        # few missing ones are shown with the fullest bar, rather than by themselves
        of_code[bound.missing] = int(counts.argmax()) if rare else len(labels) - 1
        if rare:
            fullest = np.searchsorted(starts, counts.argmax(), side="right") - 1
            of_code[bound.missing] = fullest
            labels[fullest] += f" or {MISSING}"
    return Bars(labels, of_code)


def _pooled(counts: np.ndarray, least: int) -> list[int]:
    """Join bins of too few records with a neighbour; give the first of each group."""
    groups = [[at, at] for at in range(len(counts))]
    total = [float(count) for count in counts]
    while len(groups) > 1:
        few = [at for at, count in enumerate(total) if 0 < count < least]
        if not few:
            break
        at = few[0]
        left = at - 1 if at and (at + 1 == len(total)) else at
        if 0 < at < len(total) - 1 and total[at - 1] < total[at + 1]:
            left = at - 1
        groups[left : left + 2] = [[groups[left][0], groups[left + 1][1]]]
        total[left : left + 2] = [total[left] + total[left + 1]]
    return [first for first, _ in groups]


def _ranges(
    edges: _Edges, starts: list[int], counts: np.ndarray, least: int
) -> list[str]:
    """Write groups of bins; one that ends with a rare bin is open to that side."""
    ends = [*starts[1:], len(counts)]
    labels = [_range(edges, x, y) for x, y in zip(starts, ends, strict=True)]
    below, above = counts[0] < least, counts[-1] < least
    if len(labels) == 1 and below and above:
        return [ALL]
    if below:
        labels[0] = f"up to {_end(_range(edges, 0, ends[0]))}"
    if above:
        labels[-1] = f"from {_range(edges, starts[-1], ends[-1]).split(' to ')[0]} on"
    return labels


def _range(edges: _Edges, low: int, high: int) -> str:
    first = edges.labels[low]
    if not edges.whole:
        return f"{first} to {edges.labels[high]}"
    last = edges.labels[high - 1] if high - low > 1 else first
    return first if first == last else f"{first.split(' to ')[0]} to {_end(last)}"


def _end(label: str) -> str:
    return label.split(" to ")[-1]


def _number_edges(bound: BoundHierarchy, line: np.ndarray) -> _Edges:
    low, high = line.min().item(), line.max().item()
    if line.dtype.kind in "iu" or ((line == np.round(line)).all() and abs(high) < 1e15):
        return _whole_edges(int(low), int(high))
    step = round_step((high - low) / MOST_BINS)
    while (math.floor(high / step) - math.floor(low / step) + 1) > MOST_BINS:
        step = round_step(step * 1.01)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    if not np.isfinite(step * last):
        return _Edges(np.array([low, np.inf]), ["all"], True)
    at = np.arange(first, last + 1) * step
    return _Edges(at, [_short(x) for x in at], False)


def _whole_edges(low: int, high: int) -> _Edges:
    step = max(int(round_step((high - low + 1) / MOST_BINS)), 1)
    while high // step - low // step + 1 > MOST_BINS:
        step = int(round_step(step * 1.01))
    at = [k * step for k in range(low // step, high // step + 2)]
    return _Edges(
        at, [f"{x}" if step == 1 else f"{x} to {x + step - 1}" for x in at], True
    )


def _short(number: float) -> str:
    return f"{number:.10g}"


def _date_edges(bound: BoundHierarchy, line: np.ndarray) -> _Edges:
    values = pd.DatetimeIndex(bound.domain.values)
    unit, zone = values.unit, values.tz
    naive = values.tz_convert("UTC").tz_localize(None) if zone is not None else values
    low, high = naive.min(), naive.max()
    for freq in ("h", "D", "M", "Q", "Y"):
        periods = pd.period_range(low.to_period(freq), high.to_period(freq), freq=freq)
        if len(periods) <= MOST_BINS:
            starts = pd.PeriodIndex([*periods, periods[-1] + 1])
            at = starts.to_timestamp().as_unit(unit).asi8
            return _Edges(at, [str(x) for x in starts], True)
    span = int(round_step((high.year - low.year + 1) / MOST_BINS))
    years = list(range(low.year // span * span, high.year + span + 1, span))
    stamps = np.array([f"{year:04d}-01-01" for year in years], dtype=f"M8[{unit}]")
    labels = [f"{year} to {year + span - 1}" for year in years]
    return _Edges(stamps.astype(np.int64), labels, True)


_MAKERS = {"number": _number_edges, "datetime": _date_edges}


# -------------------------------------------------------------------------- categories


def _listed(bound: BoundHierarchy, least: int) -> Bars:
    counts = bound.counts
    ranked = np.argsort(-counts, kind="stable")
    shown = ranked[counts[ranked] >= max(least, 1)]
    rest = int(counts.sum() - counts[shown].sum())
    if len(shown) > MOST_VALUES or rest or len(shown) < (counts > 0).sum():
        shown = shown[: MOST_VALUES - 1]
        rest = int(counts.sum() - counts[shown].sum())
        while len(shown) and 0 < rest < least:  # the rare ones need company
            rest += int(counts[shown[-1]])
            shown = shown[:-1]
    if bound.domain.ordered:
        shown = np.sort(shown)
    of_code = np.full(bound.n_codes, len(shown))
    of_code[shown] = np.arange(len(shown))
    labels = [_text(bound, int(code)) for code in shown]
    if len(shown) < bound.n_codes:
        labels.append(OTHERS if len(shown) else ALL)
    return Bars(labels, of_code)


def _text(bound: BoundHierarchy, code: int) -> str:
    text = bound.text_of_code(code)
    return text if isinstance(text, str) else MISSING

"""Taxonomies of ranges: between given cut points, or of a fixed width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import ON_A_LINE, SUPPRESSED, Domain, read_values
from skanon.exceptions import AnonymizationError, HierarchyError, in_short
from skanon.hierarchies._builders import distinct
from skanon.hierarchies._taxonomy import Taxonomy
from skanon.hierarchies._text import leaf_texts


def from_cut_points(values: Any, *cuts: Sequence[Any]) -> Taxonomy:
    """Build a taxonomy of ranges between cut points.

    Parameters
    ----------
    values : array-like of numbers, dates or time spans, shape (n,)
        The column, or its values.
    *cuts : sequence of scalars
        The cut points of each level, finest level first, in ascending order. A range
        holds its lower end and not its upper one. A coarser level may only drop cut
        points of the finer one. Dates may be ISO text; for values with a time zone
        they are local times.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        A level's cut points do not ascend, are of another kind than the values, or
        are no subset of the finer level's.

    Examples
    --------
    >>> from_cut_points([5, 20, 29, 70], [20, 30, 60], [30]).to_frame()
        0         1      2  3
    0   5      < 20   < 30  *
    1  20  [20, 30)   < 30  *
    2  29  [20, 30)   < 30  *
    3  70     >= 60  >= 30  *
    """
    if not cuts:
        raise HierarchyError("give at least one sequence of cut points.")
    domain = distinct(values)
    if domain.kind not in ON_A_LINE:
        raise HierarchyError(
            f"{domain.name!r} holds {domain.kind}s; cut points need numbers, dates or "
            "time spans. Convert them, or use from_nested."
        )
    points = [_read_cuts(domain, cut, i) for i, cut in enumerate(cuts, start=1)]
    for i in range(1, len(points)):
        _check_coarser(points[i - 1], points[i], i + 1)
    # one call for all levels, so that a cut point is written the same in each
    texts = dict(zip(points[0], _point_texts(points[0]), strict=True))
    line = _on_line(domain)
    table = []
    for cut in points:
        labels = _range_labels([texts[point] for point in cut])
        table.append([labels[bisect_right(cut, value)] for value in line])
    leaves = domain.values.tolist()
    return Taxonomy(leaves, [*table, [SUPPRESSED] * len(leaves)])


def _read_cuts(domain: Domain, cut: Sequence[Any], level: int) -> list[Any]:
    where = f"the cut points of level {level}"
    if pd.api.types.is_scalar(cut):
        raise HierarchyError(
            f"{where} are {in_short(cut)}. Give each level a sequence, such as "
            "[20, 30]."
        )
    series = pd.Series(list(cut), dtype=object)
    if not len(series) or series.isna().any():
        raise HierarchyError(
            f"{where} are {list(cut)!r}. Give at least one, and none that is missing."
        )
    try:
        read = read_values(series.infer_objects(), where)
        present = read.present
        if domain.kind == "datetime" and read.kind == "text":
            present = pd.DatetimeIndex(present.astype("datetime64[us]"))
        elif read.kind != domain.kind:
            raise HierarchyError(f"{where} are {read.kind}s such as {series[0]!r}")
    except (AnonymizationError, ValueError) as error:
        raise HierarchyError(
            f"{domain.name!r} holds {domain.kind}s, but {where} cannot be compared "
            f"with them: {error}. Give them as {domain.kind}s."
        ) from error
    if getattr(present, "tz", None) is not None:
        raise HierarchyError(
            f"{where} have a time zone, such as {present[0]}. Give them as local times "
            "without one."
        )
    # integers stay as they were given: an array would make floats of them all
    points = present.tolist()
    if domain.kind == "number":  # numpy would compare its integers with floats roughly
        points = [int(x) if _is_whole(x) else x for x in series]
        points = [float(x) if isinstance(x, float) else x for x in points]
    for low, high in pairwise(points):
        if not low < high:
            raise HierarchyError(
                f"{where} do not ascend: {high} comes after {low}. Sort them and drop "
                "repeated ones."
            )
    return points


def _check_coarser(finer: list[Any], coarser: list[Any], level: int) -> None:
    known = set(finer)
    for point in coarser:
        if point not in known:
            raise HierarchyError(
                f"the cut point {point} of level {level} is none of level {level - 1}. "
                "A coarser level may only drop cut points of the finer one."
            )


def _on_line(domain: Domain) -> list[Any]:
    """Give the values as scalars that compare with cut points as they are written."""
    values = domain.values
    if domain.kind == "datetime" and values.tz is not None:
        values = values.tz_localize(None)
    if domain.kind == "number" and values.dtype == np.float32:
        # 0.7 as a float32 lies below the float 0.7, but whoever wrote 0.7 means both
        return [float(str(value)) for value in values]
    return values.tolist()


def _point_texts(points: list[Any]) -> list[str]:
    if isinstance(points[0], int | float | np.number):
        return [_number_text(_exact(point)) for point in points]
    return leaf_texts(points)


def _range_labels(texts: list[str]) -> list[str]:
    inner = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return [f"< {texts[0]}", *inner, f">= {texts[-1]}"]


def from_widths(values: Any, *widths: float, origin: float = 0) -> Taxonomy:
    """Build a taxonomy of ranges of fixed widths.

    Parameters
    ----------
    values : array-like of numbers, shape (n,)
        The column, or its values.
    *widths : int or float
        The width of each level's ranges, finest first; each a whole multiple of the
        one before.
    origin : int or float, default=0
        Where one of the ranges begins. A range holds its lower end and not its upper
        one: with width 5, the value 5 lies in ``[5, 10)`` and -3 in ``[-5, 0)``.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        The values are no numbers, or a width is not above 0 or no whole multiple.

    Notes
    -----
    Floats are taken as the decimal numbers that they are written as, so that 0.3 lies
    in ``[0.3, 0.4)``, where floating point division would put it into ``[0.2, 0.3)``.

    Examples
    --------
    >>> from_widths([-3, 5, 17], 5, 20).to_frame()
        0         1         2  3
    0  -3   [-5, 0)  [-20, 0)  *
    1   5   [5, 10)   [0, 20)  *
    2  17  [15, 20)   [0, 20)  *
    """
    if not widths:
        raise HierarchyError("give at least one width.")
    domain = distinct(values)
    if domain.kind != "number":
        raise HierarchyError(
            f"{domain.name!r} holds {domain.kind}s; widths need numbers. Convert them, "
            "or use from_calendar or from_cut_points."
        )
    steps = [_finite("width", width) for width in widths]
    zero = _finite("origin", origin)
    _check_widths(steps)
    line = [_exact(value) for value in domain.values]
    finest = [(value - zero) // steps[0] for value in line]
    table = []
    for step in steps:
        times = int(step / steps[0])
        found = [at // times for at in finest]
        labels = {
            at: f"[{_number_text(zero + at * step)}, "
            f"{_number_text(zero + (at + 1) * step)})"
            for at in set(found)
        }
        table.append([labels[at] for at in found])
    leaves = domain.values.tolist()
    return Taxonomy(leaves, [*table, [SUPPRESSED] * len(leaves)])


def _check_widths(steps: list[Fraction]) -> None:
    for level, step in enumerate(steps, start=1):
        text = _number_text(step)
        if step <= 0:
            raise HierarchyError(
                f"the width {text} of level {level} is not above 0. Give a positive "
                "number."
            )
        if level > 1 and (step / steps[level - 2]).denominator != 1:
            raise HierarchyError(
                f"the width {text} of level {level} is no whole multiple of "
                f"{_number_text(steps[level - 2])}, the width of level {level - 1}, so "
                "the levels would not nest."
            )


def _finite(what: str, number: Any) -> Fraction:
    try:
        return _exact(number)
    except (ValueError, OverflowError) as error:
        raise HierarchyError(
            f"{what} must be a finite number, got {in_short(number)}."
        ) from error


def _exact(number: Any) -> Fraction:
    """Read a number as the decimal that it is written as."""
    return Fraction(int(number)) if _is_whole(number) else Fraction(str(number))


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | np.integer)


def _number_text(number: Fraction) -> str:
    if number.denominator == 1 and abs(number) < 10**20:
        return str(number.numerator)
    exact = Context(prec=800)  # a float written as a decimal has fewer digits
    decimal = exact.divide(Decimal(number.numerator), Decimal(number.denominator))
    decimal = decimal.normalize(exact)
    plain = -7 < decimal.adjusted() < 20
    return format(decimal, "f") if plain else str(decimal)

"""Where new numbers and times stand among the fitted ones, exactly."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""How long each unit of times is."""

WHOLE = 2**53
"""Up to this, floats hold all whole numbers exactly."""


class Place(NamedTuple):
    """New values beside a line of fitted ones.

    Attributes
    ----------
    exact : ndarray of bool, shape (n,)
        Which of them the line's type holds without loss; no others can be known.
    position : ndarray of the line's type, shape (n,)
        The values in that type; meaningless where they are not exact.
    near : ndarray, shape (n,)
        The values themselves; beside a line of integers the integers below them,
        the least or largest that there is for those beyond.
    rest : ndarray of float64, shape (n,), or float
        What they are above these, less than 1.
    """

    exact: np.ndarray
    position: np.ndarray
    near: np.ndarray
    rest: Any = 0.0


def place_on_line(present: Any, line: np.ndarray, unit: str | None) -> Place:
    """Bring new values to the type in which the fitted ones are stored.

    Parameters
    ----------
    present : ndarray, DatetimeIndex or TimedeltaIndex of shape (n,)
    line : ndarray of shape (m,)
        The fitted numbers; for times their integers.
    unit : str or None
        What the fitted times count, such as ``"us"``.
    """
    if unit is not None:
        return _place_times(present.asi8, NANOSECONDS[present.unit], unit)
    if present.dtype == line.dtype:
        return Place(np.ones(len(present), dtype=bool), present, present)
    with np.errstate(invalid="ignore", over="ignore"):
        position = present.astype(line.dtype)
        back = position.astype(present.dtype)
    # a wrapped sign, or a float just past the integers, could come back unchanged
    exact = (back == present) & ((position < 0) == (present < 0))
    if present.dtype.kind == "f" and line.dtype.kind in "iu":
        exact &= present < _past(line.dtype)
    if line.dtype.kind == "f" and present.dtype.kind in "iu":
        exact &= position < _past(present.dtype)
    if line.dtype.kind == "f":
        whole = present.dtype.kind in "iu"
        return Place(exact, position, present if whole else present.astype(np.float64))
    ends = np.iinfo(line.dtype)
    low, high = line.dtype.type(ends.min), line.dtype.type(ends.max)
    if present.dtype.kind in "iu":
        outside = np.where(present < 0, low, high)
        return Place(exact, position, np.where(exact, position, outside))
    below = np.floor(present)
    inside = (below >= ends.min) & (below < _past(line.dtype))
    near = np.where(inside, below, 0).astype(line.dtype)
    near[~inside] = np.where(present < 0, low, high)[~inside]
    return Place(exact, position, near, np.where(inside, present - below, 0.0))


def _past(dtype: np.dtype) -> float:
    return float(np.iinfo(dtype).max) + 1


def _place_times(present: np.ndarray, nanoseconds: int, unit: str) -> Place:
    fitted = NANOSECONDS[unit]
    if nanoseconds >= fitted:
        times = nanoseconds // fitted
        largest = np.iinfo(np.int64).max
        most = largest // times
        near = np.clip(present, -most, most) * times
        # as far away as can be, and not only as a multiple
        near[present > most], near[present < -most] = largest, -largest
        return Place(np.abs(present) <= most, near, near)
    whole, rest = np.divmod(present, fitted // nanoseconds)
    return Place(rest == 0, whole, whole, rest / (fitted // nanoseconds))


def offsets(line: np.ndarray) -> np.ndarray:
    """Measure how far numbers are from the least of them.

    Integers are subtracted before they become floats, which would round those beyond
    2**53. Floats beyond 1e300 are halved, lest their differences overflow.

    Parameters
    ----------
    line : ndarray of int64, uint64 or float64, shape (m,)

    Returns
    -------
    ndarray of float64, shape (m,)

    Examples
    --------
    >>> offsets(np.array([2**60 + 1, 2**60 + 3, 2**60])).tolist()
    [1.0, 3.0, 0.0]
    """
    if line.dtype.kind in "iu":
        return steps(line).astype(np.float64)
    if np.abs(line).max(initial=0.0) > 1e300:
        line = line / 2
    return line - line.min(initial=np.inf)


def steps(line: np.ndarray) -> np.ndarray:
    """Measure integers from the least of them, exactly.

    Returns
    -------
    ndarray of uint64, shape (m,)
        A difference of two 64-bit integers needs all the bits of an unsigned one.
    """
    unsigned = line.astype(np.uint64)
    return unsigned - unsigned[line.argmin()] if len(line) else unsigned


def nearest_on_line(line: np.ndarray, near: np.ndarray, rest: Any = 0.0) -> np.ndarray:
    """Find the nearest of the fitted values, the lower of two equally near.

    Parameters
    ----------
    line : ndarray of shape (m,)
        The fitted numbers in any order.
    near, rest : ndarray, shape (n,)
        As :func:`place_on_line` gives them.

    Returns
    -------
    ndarray of int, shape (n,)
        Positions in ``line``.

    Examples
    --------
    >>> nearest_on_line(np.array([10, 20, 40]), np.array([-5, 15, 31, 99])).tolist()
    [0, 0, 2, 2]
    """
    if len(line) == 1:
        return np.zeros(len(near), dtype=np.int64)
    order = np.argsort(line, kind="stable")
    if line.dtype.kind == "f":
        return order[_nearest_float(line[order].astype(np.float64), near)]
    ends = line[order].astype(np.uint64)
    gaps = np.diff(ends)
    middle = (ends[:-1] + gaps // 2).astype(line.dtype)  # or half below it
    found = middle.searchsorted(near)
    at = np.minimum(found, len(middle) - 1)
    return order[found + ((middle[at] == near) & (rest > gaps[at] % 2 / 2))]


def _nearest_float(ends: np.ndarray, near: np.ndarray) -> np.ndarray:
    rough = np.clip(near.astype(np.float64), ends[0], ends[-1])
    right = np.clip(ends.searchsorted(rough), 1, len(ends) - 1)
    low, high = ends[right - 1], ends[right]
    left_nearer = rough / 2 - low / 2 <= high / 2 - rough / 2  # or they overflow
    found = np.where(left_nearer, right - 1, right)
    if near.dtype.kind in "iu":
        large = (near > WHOLE) | (near < -WHOLE)
        if large.any():
            twice = [Fraction(x) + Fraction(y) for x, y in pairwise(ends.tolist())]
            found[large] = [bisect_left(twice, 2 * x) for x in near[large].tolist()]
    return found

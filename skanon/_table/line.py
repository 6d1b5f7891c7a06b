"""Where new numbers and times stand among the fitted ones, exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class Place(NamedTuple):
    """New values beside a line of fitted ones.

    Attributes
    ----------
    exact : ndarray of bool, shape (n,)
        Which of them the line's type holds without loss; no others can be known.
    position : ndarray of the line's type, shape (n,)
        The values in that type; meaningless where they are not exact.
    rough : ndarray, shape (n,)
        The values for measuring distances: as integers where that is exact, else as
        floats.
    """

    exact: np.ndarray
    position: np.ndarray
    rough: np.ndarray


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
        return _place_times(present.asi8, _NANOSECONDS[present.unit], unit)
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
    if present.dtype.kind in "iu" and line.dtype.kind in "iu":
        ends = np.iinfo(line.dtype)
        low, high = line.dtype.type(ends.min), line.dtype.type(ends.max)
        outside = np.where(present < 0, low, high)
        return Place(exact, position, np.where(exact, position, outside))
    return Place(exact, position, present.astype(np.float64))


def _past(dtype: np.dtype) -> float:
    return float(np.iinfo(dtype).max) + 1


def _place_times(present: np.ndarray, nanoseconds: int, unit: str) -> Place:
    fitted = _NANOSECONDS[unit]
    if nanoseconds == fitted:
        return Place(np.ones(len(present), dtype=bool), present, present)
    rough = present * (nanoseconds / fitted)
    if nanoseconds > fitted:
        near = np.abs(rough) < 2.0**63
        return Place(near, np.where(near, present, 0) * (nanoseconds // fitted), rough)
    whole, rest = np.divmod(present, fitted // nanoseconds)
    return Place(rest == 0, whole, rough)


def nearest_on_line(line: np.ndarray, rough: np.ndarray) -> np.ndarray:
    """Find the nearest of the fitted values, the lower of two equally near.

    Parameters
    ----------
    line : ndarray of shape (m,)
        The fitted numbers in any order.
    rough : ndarray of shape (n,)
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
        return np.zeros(len(rough), dtype=np.int64)
    order = np.argsort(line, kind="stable")
    ends = line[order]
    if rough.dtype != ends.dtype:
        ends, rough = ends.astype(np.float64), rough.astype(np.float64)
    rough = np.clip(rough, ends[0], ends[-1])
    right = np.clip(ends.searchsorted(rough), 1, len(ends) - 1)
    low, high = ends[right - 1], ends[right]
    if ends.dtype.kind in "iu":
        # a difference of two 64-bit integers needs all the bits of an unsigned one
        low, high, rough = (x.astype(np.uint64) for x in (low, high, rough))
        left_nearer = rough - low <= high - rough
    else:
        left_nearer = rough / 2 - low / 2 <= high / 2 - rough / 2  # or they overflow
    return order[np.where(left_nearer, right - 1, right)]

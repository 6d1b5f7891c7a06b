"""How much work is done where the user leaves it to skanon, and how long it takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon._warn import warn
from skanon.exceptions import DurationWarning


class Work(NamedTuple):
    """What an effort does.

    Attributes
    ----------
    block_size : int
        About so many records are clustered at a time.
    share : float
        The part of the refinement's visits.
    combinations : float
        Up to so many combinations of levels, times different records, recursive
        full-domain recoding is taken; a billion take some six seconds.
    """

    block_size: int
    share: float
    combinations: float


EFFORTS = {
    "fast": Work(10_000, 0.08, 1e9),
    "sweep": Work(20_000, 0.3, 2e9),
    "default": Work(20_000, 1.0, 2e9),
    "high": Work(50_000, 40.0, 2e10),
}

VISITS = ((10, 40), (np.inf, 56))
"""Up to such a k, the default visits each cluster of a table like Adult so often.

Where k is large, clusters are pooled in pairs, which takes less time a visit.
"""

SMALL = 8_000
"""Tables of fewer records are visited more often."""

HEAVY = 50
"""Above such a k, a visit takes time in proportion to k."""

LONG = 120
"""From so many seconds on a fit is announced."""

RECORDS, COLUMNS = 45_222, 8
"""The table that ``seconds`` of algorithms are about."""

AUTO = 3, 1.4
"""The ``seconds`` and ``growth`` of what is mostly chosen: agglomerative clustering."""

SECONDS_PER_VISIT = 6e-6
"""So long a visit of the refinement takes for each record of such a table."""


def block_size_of(k: int, effort: str) -> int:
    """Choose about how many records are clustered at a time."""
    return max(EFFORTS[effort].block_size, 20 * k)


def visits_of(n: int, k: int, r: int, effort: str) -> int:
    """Choose how often clusters are visited, for n records, by r quasi-identifiers.

    Examples
    --------
    >>> visits_of(45_222, 10, 8, "default"), visits_of(1_000_000, 10, 8, "default")
    (40, 9)
    """
    wide = 8 / max(r, 8)
    long = min(1, (50_000 / n) ** 0.5)
    short = min(max(1, (SMALL / n) ** 0.5), 4)
    share = EFFORTS[effort].share
    if effort in ("sweep", "high"):  # small tables have the time
        share = min(share * max(1, SMALL / n), 4 * share if share > 1 else 1)
    visits = next(visits for most, visits in VISITS if k <= most) / _weight(k)
    return max(round(visits * share * wide * long * short), 2)


def _weight(k: int) -> float:
    """Say how much more a visit takes for large k: pools are searched in k steps."""
    return max(1, k / HEAVY)


def expected_seconds(
    seconds: float,
    growth: float,
    n: int,
    r: int,
    *,
    block_size: int | None = None,
    visits: int = 0,
    k: int = 2,
    slowness: float = 1,
) -> float:
    """Guess how long a fit takes on two cores; NaN where nothing was measured.

    Parameters
    ----------
    seconds, growth : float
        Of the algorithm.
    n, r : int
        The numbers of records and of quasi-identifiers.
    block_size : int or None
    visits, k : int
        Of each cluster, by the refinement; and its least size.
    slowness : float
        Of the loss.

    Examples
    --------
    >>> round(expected_seconds(0.4, 1, 1_000_000, 8), 1)
    8.8
    """
    size = n if block_size is None else min(n, block_size)
    once = seconds * (size / RECORDS) ** growth
    side_by_side = min(2, n / size)
    clustering = once * n / size / side_by_side
    refinement = SECONDS_PER_VISIT * n * visits * _weight(k)
    return (clustering + refinement) * r / COLUMNS * slowness


def in_words(seconds: float) -> str:
    """Say how long that is.

    Examples
    --------
    >>> in_words(0.3), in_words(14), in_words(100), in_words(20_000)
    ('a second or two', 'some 15 seconds', 'some 2 minutes', 'some 6 hours')
    """
    if seconds < 2:
        return "a second or two"
    if seconds < 90:
        return f"some {_rounded(seconds)} seconds"
    if seconds < 5400:
        return f"some {_rounded(seconds / 60)} minutes"
    return f"some {_rounded(seconds / 3600)} hours"


def _rounded(x: float) -> int:
    return round(x) if x < 10 else 5 * round(x / 5)


def announce(seconds: float, n: int, r: int, k: int, slowness: float = 1) -> None:
    """Warn of a fit that takes long, and tell what would be faster.

    Parameters
    ----------
    seconds : float
        How long it takes.
    n, r, k : int
        The numbers of records and of quasi-identifiers, and the least class size.
    slowness : float
        Of the loss.
    """
    if not seconds >= LONG:
        return
    quicker = []
    for effort in ("default", "fast"):
        size, visits = block_size_of(k, effort), visits_of(n, k, r, effort)
        other = slowness * expected_seconds(
            *AUTO, n, r, block_size=size, visits=visits, k=k
        )
        if other < seconds / 2:
            quicker.append(f"KAnonymizer(effort={effort!r}) takes {in_words(other)}")
    if slowness > 10:
        other = seconds / slowness
        quicker.append(f"loss='lm' takes {in_words(other)}")
    remedy = f" {'; '.join(quicker)}." if quicker else ""
    warn(
        f"This fit will take {in_words(seconds)}: {n:,} records, {r} "
        f"quasi-identifiers, k={k}.{remedy}",
        DurationWarning,
    )

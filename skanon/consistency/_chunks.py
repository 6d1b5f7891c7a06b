"""Work in compiled calls that are over soon."""

from __future__ import annotations

from collections.abc import Iterator

WORK = 20_000_000
"""So many pairs are looked at in one compiled call; Ctrl+C is heard in between."""


def chunks(n: int, work: int) -> Iterator[tuple[int, int]]:
    """Cut what is to be visited into parts, given what one visit takes."""
    step = max(WORK // max(work, 1), 1)
    return ((start, min(start + step, n)) for start in range(0, n, step))

"""Work in compiled calls that are over soon."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from joblib import Parallel, delayed

WORK = 20_000_000
"""So many pairs are looked at in one compiled call; Ctrl+C is heard in between."""


def chunks(n: int, work: int) -> Iterator[tuple[int, int]]:
    """Cut what is to be visited into parts, given what one visit takes."""
    step = max(WORK // max(work, 1), 1)
    return ((start, min(start + step, n)) for start in range(0, n, step))


def run_chunks(
    run: Callable[[int, int], None], n: int, work: int, n_jobs: int | None
) -> None:
    """Call a function for each part of what is to be visited, in threads.

    Parameters
    ----------
    run : callable
        Takes where a part begins and ends, and releases the lock while it works.
    n, work : int
        As for :func:`chunks`.
    n_jobs : int or None
        The number of threads; None: one.
    """
    Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(run)(*part) for part in chunks(n, work)
    )

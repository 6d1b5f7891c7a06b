"""How much runs side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from joblib import Parallel, cpu_count, effective_n_jobs
from joblib.parallel import SequentialBackend, get_active_backend


def n_threads(n_jobs: int | None) -> int:
    """Say how many threads work on one table whose result they do not change.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn; but None means all processors, unless ``parallel_config``
        says otherwise or this already runs side by side with something else, such as
        the folds of a grid search.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    backend, wanted = get_active_backend()
    asked = wanted not in (None, 1) or isinstance(backend, SequentialBackend)
    if n_jobs is None and not asked and not backend.nesting_level:
        return int(cpu_count())
    return int(effective_n_jobs(n_jobs))


def in_threads(calls: Iterable[Any], n_jobs: int | None) -> list[Any]:
    """Make calls side by side, which release the lock while they work.

    Parameters
    ----------
    calls : iterable of what joblib's ``delayed`` gives
    n_jobs : int or None
        As for :func:`n_threads`.

    Returns
    -------
    list
        Their results, in order.

    Examples
    --------
    >>> from joblib import delayed
    >>> in_threads([delayed(abs)(-1), delayed(abs)(2)], n_jobs=2)
    [1, 2]
    """
    waiting = list(calls)
    side_by_side = max(min(n_threads(n_jobs), len(waiting)), 1)
    return list(Parallel(n_jobs=side_by_side, prefer="threads")(waiting))

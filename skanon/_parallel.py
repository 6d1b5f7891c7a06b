"""How much runs side by side."""

from __future__ import annotations

from joblib import cpu_count, effective_n_jobs
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

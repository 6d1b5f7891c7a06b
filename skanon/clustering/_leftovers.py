"""Finding a place for records that are in no cluster."""

from __future__ import annotations

import numpy as np

from skanon._problem import Problem
from skanon._release.suppression import max_suppressed
from skanon._table.schema import numbered
from skanon.clustering._greedy_run import WORK
from skanon.clustering._sequential_run import selectivity_order
from skanon.exceptions import ParameterError


class LeftoverAssignment:
    """Clusters that take in the records which are in none.

    Parameters
    ----------
    problem : Problem
    labels : ndarray of int32, shape (n,)
        The clusters, numbered from 0 on; -1 for records that are in none.
    order : ndarray of int32, shape (r,)
        The columns, those first that tell records apart best.
    """

    def __init__(self, problem: Problem, labels: np.ndarray, order: np.ndarray) -> None:
        from skanon.kernels.clustering.clusters import gather
        from skanon.kernels.clustering.sequential import BLOCK, Memory

        self._columns = problem.schema.columns
        self._codes = problem.codes
        n, n_clusters = len(labels), int(labels.max()) + 1
        self._clusters = gather(
            self._columns, problem.codes, problem.sensitive, labels, n_clusters, order
        )
        self._memory = Memory(
            gain=np.full(n, -1.0),
            visited=np.full(n, -1),
            changed=np.zeros(n_clusters, dtype=np.int64),
            recent=np.zeros(n_clusters // BLOCK + 1, dtype=np.int64),
            clock=np.array([0, n_clusters]),
            alike=np.empty((n, 0), dtype=np.int32),
        )

    @property
    def labels(self) -> np.ndarray:
        """Each record's cluster, or -1."""
        return self._clusters.label

    def take(self, records: np.ndarray) -> None:
        """Put records, one after the other, where they raise the summed loss least."""
        self._ask(records, True)

    def rises(self, records: np.ndarray) -> np.ndarray:
        """Compute how little each record by itself could raise the summed loss."""
        return self._ask(records, False)

    def _ask(self, records: np.ndarray, stay: bool) -> np.ndarray:
        from skanon.kernels.clustering.leftovers import assign_leftovers

        visits = records.astype(np.int32)
        chunk = max(1, WORK // (50 * len(self._clusters.size)))
        rises = [
            assign_leftovers(
                self._columns,
                self._codes,
                self._clusters,
                self._memory,
                visits[at : at + chunk],
                stay,
            )
            for at in range(0, len(visits), chunk)
        ]
        return np.concatenate([np.zeros(0), *rises])


def readmitted(
    problem: Problem, labels: np.ndarray, homeless: np.ndarray
) -> np.ndarray:
    """Put records where they cost least; one cluster of all, if there is none.

    Parameters
    ----------
    problem : Problem
    labels : ndarray of int, shape (n,)
        -1 for suppressed records, which stay suppressed unless they are homeless.
    homeless : ndarray of bool, shape (n,)
        Which records have to go elsewhere.
    """
    if (homeless | (labels < 0)).all():
        return np.where(homeless, 0, -1)
    kept, _ = numbered(np.where(homeless, -1, labels))
    order = selectivity_order(problem.schema.columns, problem.codes, problem.sensitive)
    rest = LeftoverAssignment(problem, kept, order)
    rest.take(np.flatnonzero(homeless))
    return rest.labels


def may_suppress(problem: Problem, fraction: float) -> int:
    """Count how many records of a problem may be suppressed.

    Of the table that was learned some may be suppressed already: they are not among
    the problem's records.

    Parameters
    ----------
    problem : Problem
    fraction : float
        The largest part of the table's records that may be suppressed.
    """
    n_learned = int(problem.schema.costs[0].ground.counts.sum())
    gone = n_learned - len(problem.codes)
    return max(max_suppressed(fraction, n_learned) - gone, 0)


def check_may_suppress(given: str, max_suppression: float) -> None:
    """Refuse a parameter that suppresses records where none may be."""
    if not max_suppression:
        raise ParameterError(
            f"{given} suppresses nothing while max_suppression is 0. Say how large a "
            "part of the records may be suppressed."
        )


def worst_first(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Sort positions by group, and within each group the largest values first.

    Parameters
    ----------
    values : ndarray of float64, shape (m,)
        Those that differ by rounding only count as equal; of these the first position
        comes first.
    groups : ndarray of int, shape (m,)

    Returns
    -------
    ndarray of int, shape (m,)

    Examples
    --------
    >>> worst_first(np.array([0.3, 0.1 + 0.2, 9.0, 0.4]), np.array([0, 0, 1, 0]))
    array([3, 0, 1, 2])
    """
    from skanon.kernels.core.columns import TOLERANCE

    order = np.lexsort((-values, groups))
    fall = values[order[:-1]] - values[order[1:]]
    apart = (fall > TOLERANCE) | (groups[order[:-1]] != groups[order[1:]])
    run = np.append(0, np.cumsum(apart))[: len(order)]
    return order[np.lexsort((order, run))]

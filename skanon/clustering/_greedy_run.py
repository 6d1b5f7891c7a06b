"""The state of a run that grows one cluster after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.schema import tuple_ids
from skanon.clustering._sequential_run import selectivity_order

WORK = 50_000_000
"""So many steps a compiled call may take, so that Ctrl+C is heard."""


class Greedy:
    """Clusters that grow one after the other, and the records that are still free.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Each record's cluster, or -1.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._columns = problem.schema.columns
        self.order = selectivity_order(self._columns, problem.codes, problem.sensitive)
        self._pool = _pool(problem, self.order)
        self._growing = _growing(problem, self._pool)

    @property
    def labels(self) -> np.ndarray:
        """Each record's cluster, or -1."""
        return self._growing.label

    def fill(self, k: int, seed: int, from_last: bool, to_first: bool) -> None:
        """Make clusters of k records while there are k, the first from a seed.

        Parameters
        ----------
        k, seed : int
        from_last, to_first : bool
            See kernels.clustering.greedy.fill_clusters.
        """
        from skanon.kernels.clustering.greedy import SEED, fill_clusters

        self._growing.progress[SEED] = seed
        self._repeat(fill_clusters, k, from_last, to_first)

    def grow(self, visits: np.ndarray, most: float, overshoot: bool) -> None:
        """Make clusters whose diversity is at most ``most``, until no record is left.

        Parameters
        ----------
        visits : ndarray of int32, shape (n,)
            The order in which records become a cluster's first.
        most : float
        overshoot : bool
            Whether a cluster's last record makes its diversity exceed that.
        """
        from skanon.kernels.clustering.greedy import grow_clusters

        self._repeat(grow_clusters, visits, most, overshoot)

    def _repeat(self, kernel: Any, *given: Any) -> None:
        from skanon.kernels.clustering.greedy import FREE

        n = len(self._problem.codes)
        told, done = 0, False
        while not done:
            rows, width = int(self._pool.used[0]), self._pool.cells.shape[1]
            n_steps = rows * width + 10 * len(self._pool.code)
            done = kernel(
                self._columns,
                self._problem.codes,
                self._problem.sensitive,
                self._pool,
                self._growing,
                *given,
                max(1, WORK // n_steps),
            )
            tenths = 10 * (n - int(self._growing.progress[FREE])) // n
            if tenths > told:
                told = tenths
                progress(
                    self._problem.verbose, f"{10 * told} % of the records in clusters"
                )


def _pool(problem: Problem, order: np.ndarray) -> Any:
    """Put all records into a pool."""
    from skanon.kernels.clustering.pool import Pool, alone_costs

    curve = problem.schema.columns.curve
    codes, sensitive = problem.codes, problem.sensitive
    if curve is None:
        sensitive = np.zeros_like(sensitive)
    kind = tuple_ids(np.column_stack([codes, sensitive])).astype(np.int32)
    firsts, after, before = _chains(kind)
    cells, parts = [], []
    start = [0]
    n_sensitive = int(sensitive.max()) + 1
    for j in order.tolist():
        pairs = codes[firsts, j].astype(np.int64) * n_sensitive + sensitive[firsts]
        pair, cell = np.unique(pairs, return_inverse=True)
        cells.append(cell + start[-1])
        parts.append([np.full(len(pair), j), pair // n_sensitive, pair % n_sensitive])
        start.append(start[-1] + len(pair))
    column, code, shared = np.concatenate(parts, axis=1).astype(np.int32)
    alone = alone_costs(problem.schema.columns, curve, column, code, shared)
    if curve is not None and curve.penalty[0] > 0:
        classes, cell = np.unique(sensitive[firsts], return_inverse=True)
        cells.append(cell + start[-1])
        start.append(start[-1] + len(classes))
        code = np.append(code, np.zeros_like(classes, dtype=np.int32))
        shared = np.append(shared, classes.astype(np.int32))
        alone = np.append(alone, np.zeros(len(classes)))
    table = np.stack(cells, axis=1).astype(np.int32)
    rows = np.arange(len(firsts), dtype=np.int32)
    return Pool(
        order=order,
        start=np.array(start, dtype=np.int32),
        code=code,
        sensitive=shared,
        alone=alone,
        left=np.bincount(table.ravel()).astype(np.int32),
        cells=table,
        head=firsts,
        after=after,
        before=before,
        kind=kind,
        held=rows.copy(),
        place=rows.copy(),
        used=np.array([len(rows)]),
    )


def _chains(kind: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Link the records of each tuple in their order.

    Returns
    -------
    firsts : ndarray of int32, shape (n_tuples,)
    after, before : ndarray of int32, shape (n,)
        The next and the previous record of the same tuple, or -1.
    """
    sorted_ = np.argsort(kind, kind="stable").astype(np.int32)
    same = kind[sorted_[1:]] == kind[sorted_[:-1]]
    after = np.full(len(kind), -1, dtype=np.int32)
    before = after.copy()
    after[sorted_[:-1][same]] = sorted_[1:][same]
    before[sorted_[1:][same]] = sorted_[:-1][same]
    return sorted_[np.append(True, ~same)], after, before


def _growing(problem: Problem, pool: Any) -> Any:
    from skanon.kernels.clustering.greedy import FREE, Growing
    from skanon.kernels.core.columns import state_width
    from skanon.kernels.core.curve import sensitive_scratch

    n, r = problem.codes.shape
    width = state_width(problem.schema.columns.layout)
    progress = np.zeros(5, dtype=np.int64)
    progress[FREE] = n
    return Growing(
        state=np.zeros((1, width), dtype=np.int64),
        cost=np.zeros((1, r)),
        mix=sensitive_scratch(problem.schema.columns.curve),
        offer=np.zeros(len(pool.code)),
        least=np.zeros(len(pool.start)),
        scratch=np.zeros((1, width), dtype=np.int64),
        label=np.full(n, -1, dtype=np.int32),
        progress=progress,
        paid=np.zeros(1),
    )

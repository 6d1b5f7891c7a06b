"""The state of one run of weighted C-means."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

from skanon._problem import Problem
from skanon._release.suppression import paid
from skanon._table.schema import tuple_ids
from skanon.clustering._greedy_run import WORK
from skanon.clustering._one_pass_run import centers_of, with_own_scratch
from skanon.clustering._sequential_run import selectivity_order

FACTORS = (1.0, 2.0, 0.5)
"""A column's weight is tried as it is, and multiplied by these."""


class CMeans:
    """Clusters whose records are all assigned anew to the closest centroids.

    Parameters
    ----------
    problem : Problem
    seeds : ndarray of int, shape (n_clusters,)
        The records that are the first centroids.
    weights : ndarray of float64, shape (r,)
        How much each column counts in a distance.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Each record's cluster; -1 for all but the seeds before they are assigned.
    """

    def __init__(
        self, problem: Problem, seeds: np.ndarray, weights: np.ndarray
    ) -> None:
        columns, codes, sensitive = (
            problem.schema.columns,
            problem.codes,
            problem.sensitive,
        )
        self._records = columns, codes, sensitive
        self._schema, self._k, self._n_jobs = problem.schema, problem.k, problem.n_jobs
        self._order = selectivity_order(*self._records)
        shared = np.zeros_like(sensitive) if columns.curve is None else sensitive
        _, self._firsts, self._kinds = np.unique(
            tuple_ids(np.column_stack([codes, shared])),
            return_index=True,
            return_inverse=True,
        )
        self._centers = centers_of(problem, len(seeds))
        self._centers.weight[:] = weights
        self.labels = np.full(len(codes), -1, dtype=np.int32)
        self.labels[seeds] = np.arange(len(seeds))
        self.recenter()

    @property
    def weights(self) -> np.ndarray:
        """How much each column counts in a distance: shape (r,)."""
        return self._centers.weight

    def assign(self) -> int:
        """Assign all records to the closest centroids; count those that move."""
        return self._take(self._closest(self.weights))

    def learn(self, j: int) -> int:
        """Assign all records with the weight of column j that loses least.

        Nothing changes where no weight loses less than the assignment that there is.

        Returns
        -------
        int
            How many records move.
        """
        from skanon.kernels.core.columns import TOLERANCE

        least, best = self._loss(self.labels), None
        for factor in FACTORS:
            weights = self.weights.copy()
            weights[j] *= factor
            weights /= weights.sum()
            labels = self._closest(weights)
            loss = self._loss(labels)
            if loss < least - TOLERANCE:
                least, best = loss, (labels, weights)
        if best is None:
            return 0
        self._centers.weight[:] = best[1]
        return self._take(best[0])

    def merge(self) -> int:
        """Merge clusters of fewer than k records with larger ones; count them."""
        self.labels, n_small = self._merged(self.labels)
        return n_small

    def recenter(self) -> None:
        """Compute the centroids of the clusters."""
        from skanon.kernels.clustering.weighted_c_means import recenter

        columns, codes, _ = self._records
        labels = self.labels
        placed = np.flatnonzero(labels >= 0)
        ranked = placed[np.argsort(labels[placed], kind="stable")]
        sizes = np.bincount(labels[placed], minlength=len(self._centers.mean))
        recenter(columns, codes, ranked, np.append(0, np.cumsum(sizes)), self._centers)
        self._sizes = sizes.astype(np.int32)

    def _closest(self, weights: np.ndarray) -> np.ndarray:
        """Find all records' closest centroids: shape (n,)."""
        from skanon.kernels.clustering.weighted_c_means import assign

        visits = self._firsts.astype(np.int32)
        chunk = max(1, WORK // (50 * len(self._sizes)))
        centers = self._centers._replace(weight=weights)
        found = Parallel(n_jobs=self._n_jobs, prefer="threads")(
            delayed(assign)(
                *self._records,
                self._sizes,
                self._order,
                with_own_scratch(centers),
                visits[at : at + chunk],
            )
            for at in range(0, len(visits), chunk)
        )
        return np.concatenate(found)[self._kinds]

    def _take(self, labels: np.ndarray) -> int:
        n_moved = int((labels != self.labels).sum())
        self.labels = labels
        return n_moved

    def _loss(self, labels: np.ndarray) -> float:
        """Sum what records pay once small clusters are merged with larger ones."""
        _, codes, sensitive = self._records
        merged, _ = self._merged(labels)
        return float(paid(self._schema, codes, sensitive, merged).sum())

    def _merged(self, labels: np.ndarray) -> tuple[np.ndarray, int]:
        """Merge clusters of fewer than k records with larger ones; count them."""
        from skanon.kernels.clustering.clusters import gather
        from skanon.kernels.clustering.weighted_c_means import merge_into_large

        sizes = np.bincount(labels, minlength=len(self._sizes))
        small = np.flatnonzero((sizes > 0) & (sizes < self._k))
        clusters = gather(*self._records, labels.copy(), len(sizes), self._order)
        chunk = max(1, WORK // (50 * len(sizes)))
        for at in range(0, len(small), chunk):
            merge_into_large(
                self._records[0], clusters, small[at : at + chunk], self._k
            )
        return clusters.label, len(small)

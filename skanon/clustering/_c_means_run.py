"""The state of one run of weighted C-means."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

from skanon._problem import Problem
from skanon._table.schema import tuple_ids
from skanon.clustering._greedy_run import WORK
from skanon.clustering._one_pass_run import centers_of, with_own_scratch
from skanon.clustering._sequential_run import selectivity_order


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
        self._k, self._n_jobs = problem.k, problem.n_jobs
        self._order = selectivity_order(*self._records)
        shared = np.zeros_like(sensitive) if columns.curve is None else sensitive
        _, self._firsts, self._kinds = np.unique(
            tuple_ids(np.column_stack([codes, shared])),
            return_index=True,
            return_inverse=True,
        )
        self._spread = self._spread_of_all(problem)
        self._centers = centers_of(problem, len(seeds))
        self._centers.weight[:] = weights
        self.labels = np.full(len(codes), -1, dtype=np.int32)
        self.labels[seeds] = np.arange(len(seeds))
        self._recenter(self.labels)

    @property
    def weights(self) -> np.ndarray:
        """How much each column counts in a distance: shape (r,)."""
        return self._centers.weight

    def assign(self) -> int:
        """Assign all records to the closest centroids; count those that move."""
        from skanon.kernels.clustering.weighted_c_means import assign

        visits = self._firsts.astype(np.int32)
        chunk = max(1, WORK // (50 * len(self._sizes)))
        found = Parallel(n_jobs=self._n_jobs, prefer="threads")(
            delayed(assign)(
                *self._records,
                self._sizes,
                self._order,
                with_own_scratch(self._centers),
                visits[at : at + chunk],
            )
            for at in range(0, len(visits), chunk)
        )
        labels = np.concatenate(found)[self._kinds]
        n_moved = int((labels != self.labels).sum())
        self.labels = labels
        return n_moved

    def update(self, learn: bool) -> None:
        """Compute the centroids of the clusters, and if asked for adjust the weights.

        Tsai & Chiu 2008: half of a column's weight is the one before, half its part
        of the columns' ratios of what is between clusters to what is within them.
        """
        self._recenter(self.labels)
        if not learn:
            return
        within = self._distances(self.labels, self._centers)
        between = np.maximum(self._spread - within, 0.0)
        lone = self._spread / len(self.labels)
        ratio = np.divide(
            between, within + lone, out=np.zeros_like(between), where=lone > 0
        )
        if ratio.sum() > 0:
            self._centers.weight[:] = (self.weights + ratio / ratio.sum()) / 2

    def merge(self) -> int:
        """Merge clusters of fewer than k records with larger ones; count them."""
        from skanon.kernels.clustering.clusters import gather
        from skanon.kernels.clustering.weighted_c_means import merge_into_large

        sizes = np.bincount(self.labels, minlength=len(self._sizes))
        small = np.flatnonzero((sizes > 0) & (sizes < self._k))
        clusters = gather(*self._records, self.labels, len(sizes), self._order)
        chunk = max(1, WORK // (50 * len(sizes)))
        for at in range(0, len(small), chunk):
            merge_into_large(
                self._records[0], clusters, small[at : at + chunk], self._k
            )
        self.labels = clusters.label
        return len(small)

    def _recenter(self, labels: np.ndarray) -> None:
        from skanon.kernels.clustering.weighted_c_means import recenter

        columns, codes, _ = self._records
        placed = np.flatnonzero(labels >= 0)
        ranked = placed[np.argsort(labels[placed], kind="stable")]
        sizes = np.bincount(labels[placed], minlength=len(self._centers.mean))
        recenter(columns, codes, ranked, np.append(0, np.cumsum(sizes)), self._centers)
        self._sizes = sizes.astype(np.int32)

    def _distances(self, labels: np.ndarray, centers: object) -> np.ndarray:
        """Sum up how far records are from their centroids, by column."""
        from skanon.kernels.clustering.centers import own_gaps

        return own_gaps(*self._records, labels, centers).sum(axis=0)

    def _spread_of_all(self, problem: Problem) -> np.ndarray:
        """Sum up how far records are from the centroid of all, by column."""
        labels = np.zeros(len(problem.codes), dtype=np.int32)
        self._centers = centers_of(problem, 1)
        self._recenter(labels)
        return self._distances(labels, self._centers)

"""The state of one run of the one-pass k-means algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering._greedy_run import WORK
from skanon.clustering._leftovers import worst_first
from skanon.clustering._sequential_run import selectivity_order
from skanon.hierarchies._base import INTERVAL, TREE
from skanon.losses._terms import line

FEW_NODES = 100
"""A tree of fewer nodes than this, or than there are clusters, is put into a table."""


class Means:
    """Clusters with centroids, which records join and leave.

    Parameters
    ----------
    problem : Problem
    seeds : ndarray of int, shape (n_clusters,)
        The first record of each cluster.
    """

    def __init__(self, problem: Problem, seeds: np.ndarray) -> None:
        columns = problem.schema.columns
        self._records = columns, problem.codes, problem.sensitive
        self._schema, self._k = problem.schema, problem.k
        labels = np.full(len(problem.codes), -1, dtype=np.int32)
        labels[seeds] = np.arange(len(seeds))
        self._order = selectivity_order(*self._records)
        self._centers = centers_of(problem, len(seeds))
        self._gather(labels)

    @property
    def labels(self) -> np.ndarray:
        """Each record's cluster, or -1."""
        return self._clusters.label

    def visit(self, records: np.ndarray, fill: bool = False) -> int:
        """Put records into the clusters that they are closest to; count the moves.

        Parameters
        ----------
        records : ndarray of int, shape (m,)
            In the order of their visits.
        fill : bool
            Whether clusters of fewer than k records come first.
        """
        from skanon.kernels.clustering.one_pass_k_means import visit

        visits = records.astype(np.int32)
        chunk = max(1, WORK // (50 * len(self._clusters.size)))
        n_moved = 0
        for at in range(0, len(visits), chunk):
            n_moved += visit(
                *self._records,
                self._clusters,
                self._centers,
                visits[at : at + chunk],
                self._k if fill else 1,
            )
        return n_moved

    def trim(self) -> np.ndarray:
        """Take the records furthest from the centroids out of clusters larger than k.

        Returns
        -------
        ndarray of int, shape (m,)
            These records.
        """
        from skanon.kernels.clustering.centers import own_gaps

        gaps = own_gaps(*self._records, self.labels, self._centers).sum(axis=1)
        labels, sizes = self.labels.copy(), self._clusters.size
        ordered = worst_first(gaps, labels)
        begins = np.cumsum(sizes) - sizes
        rank = np.arange(len(labels)) - begins[labels[ordered]]
        removed = ordered[rank < (sizes - self._k)[labels[ordered]]]
        labels[removed] = -1
        self._gather(labels)
        return removed

    def small(self) -> np.ndarray:
        """Name the clusters of fewer than k records."""
        return np.flatnonzero(self._clusters.size < self._k)

    def suppress(self, small: np.ndarray, added: np.ndarray, budget: int) -> int:
        """Suppress clusters that were small where that loses less; count the records.

        Those where the summed loss falls most are tried first.

        Parameters
        ----------
        small : ndarray of int, shape (m,)
            The clusters that were small.
        added : ndarray of int
            The records that were moved into clusters since.
        budget : int
            At most so many records are suppressed.
        """
        from skanon.kernels.core.columns import TOLERANCE

        moved = np.zeros(len(self.labels), dtype=bool)
        moved[added] = True
        gains, _ = self._suppress(small, moved, -1)
        first = worst_first(gains, np.zeros(len(gains), dtype=int))
        first = first[gains[first] > TOLERANCE]
        return self._suppress(small[first], moved, budget)[1]

    def _gather(self, labels: np.ndarray) -> None:
        from skanon.kernels.clustering.clusters import gather
        from skanon.kernels.clustering.one_pass_k_means import recompute

        n_clusters = len(self._centers.mean)
        clusters = gather(*self._records, labels, n_clusters, self._order)
        # a search goes through all clusters column by column
        self._clusters = clusters._replace(
            state=np.asfortranarray(clusters.state),
            cost=np.asfortranarray(clusters.cost),
        )
        self._centers = self._centers._replace(
            state=self._clusters.state, cost=self._clusters.cost
        )
        columns, codes, _ = self._records
        recompute(columns, codes, self._clusters, self._centers)

    def _suppress(
        self, small: np.ndarray, moved: np.ndarray, budget: int
    ) -> tuple[np.ndarray, int]:
        from skanon.kernels.clustering.one_pass_k_means import suppress_small

        whole = self._schema.suppressed.sum(axis=0) + self._schema.penalty
        chosen = small.astype(np.int32)
        chunk = max(1, WORK // (50 * self._k * len(self._clusters.size)))
        gains, n_suppressed = [np.zeros(0)], 0
        for at in range(0, len(chosen), chunk):
            gain, n = suppress_small(
                *self._records,
                self._clusters,
                self._centers,
                moved,
                whole,
                chosen[at : at + chunk],
                budget if budget < 0 else budget - n_suppressed,
            )
            gains.append(gain)
            n_suppressed += n
        return np.concatenate(gains), n_suppressed


def spans(schema: Schema) -> np.ndarray:
    """Compute what it costs on average to suppress a column.

    Returns
    -------
    ndarray of float64, shape (r,)
        Above what its values cost if they stay whole.
    """
    counts = schema.costs[0].ground.by_sensitive.sum(axis=0)
    return np.maximum(schema.suppressed @ counts / counts.sum() - schema.origins, 0.0)


def centers_of(problem: Problem, n_clusters: int) -> Any:
    """Place all records for kernels.centers.Centers, without any centroid yet."""
    from skanon.kernels.clustering.centers import ON_LINE, SOUGHT, TABLED, Centers
    from skanon.kernels.clustering.pool import alone_costs
    from skanon.kernels.core.columns import TOP, state_width

    schema, codes, columns = problem.schema, problem.codes, problem.schema.columns
    n, r = codes.shape
    form = np.full(r, SOUGHT, dtype=np.int8)
    place, own = np.full((n, r), np.nan), np.zeros((n, r))
    for j, bound in enumerate(schema.bounds):
        places = line(bound) if bound.form == INTERVAL else None
        if places is not None:
            form[j] = ON_LINE
            place[:, j] = places[codes[:, j]]
            continue
        if bound.form == TREE and columns.layout[j, TOP] < max(n_clusters, FEW_NODES):
            form[j] = TABLED
        own[:, j] = alone_costs(
            columns,
            columns.curve,
            np.full(n, j, dtype=np.int32),
            np.ascontiguousarray(codes[:, j]),
            problem.sensitive,
        )
    shape, width = (n_clusters, r), state_width(columns.layout)
    return Centers(
        form=form,
        weight=np.ones(r),
        span=spans(schema),
        place=place,
        own=own,
        state=np.zeros((n_clusters, width), dtype=np.int64, order="F"),
        cost=np.zeros(shape, order="F"),
        total=np.zeros(shape, order="F"),
        mean=np.zeros(shape, order="F"),
        placed=np.zeros(shape, dtype=np.int32, order="F"),
        table=np.zeros(len(columns.price)),
        tabled=np.full((r, 2), -1, dtype=np.int32),
        gap=np.zeros(n_clusters),
    )


def with_own_scratch(centers: Any) -> Any:
    """Make the same kernels.centers.Centers with a scratch of its own, for a thread."""
    return centers._replace(
        table=np.zeros_like(centers.table),
        tabled=np.full_like(centers.tabled, -1),
        gap=np.zeros_like(centers.gap),
    )

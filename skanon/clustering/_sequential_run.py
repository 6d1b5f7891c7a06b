"""The state of one run of sequential clustering."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from skanon._problem import Problem
from skanon._table.schema import numbered
from skanon.constraints._bound import BoundConstraint, repair

SECONDS = 0.1
"""About so long a compiled call takes, so that Ctrl+C is heard."""

CHUNK = 32
"""So many records are visited in the first compiled call."""


class Search:
    """The clusters of one run, and what earlier visits found out about them.

    Parameters
    ----------
    problem : Problem
    random_state : RandomState
    alpha, omega : float
        As in :class:`~skanon.SequentialAnonymizer`.
    start : ndarray of int32, shape (n,), or None
        Clusters 0, 1, 2, … to begin with, which keep all promises about the shares of
        single values; None: random ones.

    Attributes
    ----------
    clusters : kernels.clusters.Clusters
    memory : kernels.sequential.Memory
    """

    clusters: Any
    memory: Any

    def __init__(
        self,
        problem: Problem,
        random_state: np.random.RandomState,
        alpha: float,
        omega: float,
        start: np.ndarray | None = None,
    ) -> None:
        self.columns = problem.schema.columns
        self.codes = problem.codes
        self.sensitive = problem.sensitive
        self.random_state = random_state
        self._origin = problem.schema.origins.sum()
        self.largest = int(omega * problem.k)
        self.order = selectivity_order(self.columns, self.codes, self.sensitive)
        n = len(self.codes)
        n_clusters = max(n // max(int(alpha * problem.k), 1), 1)
        self._limits = limits_of(problem.bound_constraints)
        labels = self._start(problem, n_clusters) if start is None else start
        n_clusters = int(labels.max()) + 1
        self._chunk = CHUNK
        self._gain = np.full(n, -1.0)
        self._visited = np.full(n, -1)
        self._alike = _neighbours(self.codes[:, self.order])
        self._arrange(labels, np.zeros(n_clusters, dtype=np.int64), now=0)

    def _start(self, problem: Problem, n_clusters: int) -> np.ndarray:
        """Spread the records evenly over clusters, and so each sensitive value."""
        n = len(self.codes)
        labels = np.empty(n, dtype=np.int32)
        if self._limits is None:
            labels[self.random_state.permutation(n)] = np.arange(n) % n_clusters
            return labels
        values, _ = self._limits
        labels[:] = spread(values[:, 0], n_clusters, self.random_state)
        mended = within_limits(problem, labels)
        return numbered(labels)[0] if mended is None else mended

    @property
    def loss(self) -> float:
        """The loss, summed over the records."""
        return float(self.clusters.size @ self.clusters.total)

    @property
    def mean_loss(self) -> float:
        """The loss, averaged over the records, as it is reported."""
        return self.loss / len(self.codes) - self._origin

    def sweep(self, at_once: bool) -> int:
        """Visit all records once, and split what is too large; count the moves."""
        from skanon.kernels.clustering.sequential import move_records

        n = len(self.codes)
        ranks = random_ranks(n, self.random_state, coins=self._caps is not None)
        largest = self.largest if at_once else n
        at = n_moved = 0
        while at < n:
            self._make_room()
            start = time.perf_counter()
            visits = np.arange(at, min(at + self._chunk, n), dtype=np.int32)
            visited, moved = move_records(
                self.columns,
                self.codes,
                self.clusters,
                self.memory,
                visits,
                ranks,
                largest,
                self._caps,
            )
            at, n_moved = at + visited, n_moved + moved
            slow = time.perf_counter() - start > SECONDS
            self._chunk = max(self._chunk // 2, 1) if slow else 2 * self._chunk
        self._compact()
        for h in np.flatnonzero(self.clusters.size > self.largest).tolist():
            self._split(ranks, h)
        return n_moved

    def merge_small(self, k: int) -> None:
        """Unite clusters of fewer than k records."""
        from skanon.kernels.clustering.merging import merge_small

        merge_small(self.columns, self.clusters, k)
        labels, _ = numbered(self.clusters.label)
        capacity = len(labels) // k
        self._gather(labels, capacity)

    def _split(self, ranks: np.ndarray, h: int) -> None:
        from skanon.kernels.clustering.sequential import split

        self._make_room()
        split(
            self.columns, self.codes, self.clusters, self.memory, ranks, h, self._caps
        )

    def _make_room(self) -> None:
        if self.memory.clock[1] == len(self.clusters.size):
            self._compact()

    def _compact(self) -> None:
        """Leave out empty clusters, in the order that the others have."""
        alive = self.clusters.size > 0
        rename = np.cumsum(alive, dtype=np.int32) - 1
        labels = rename[self.clusters.label].astype(np.int32)
        self._arrange(labels, self.memory.changed[alive], self.memory.clock[0])

    def _arrange(self, labels: np.ndarray, changed: np.ndarray, now: int) -> None:
        from skanon.kernels.clustering.sequential import BLOCK, Memory

        n_clusters = len(changed)
        capacity = n_clusters + n_clusters // 4 + 16
        self._gather(labels, capacity)
        changed = np.append(changed, np.zeros(capacity - n_clusters, dtype=np.int64))
        recent = np.maximum.reduceat(changed, np.arange(0, capacity, BLOCK))
        self.memory = Memory(
            gain=self._gain,
            visited=self._visited,
            changed=changed,
            recent=recent,
            clock=np.array([now, n_clusters]),
            alike=self._alike,
        )

    def _gather(self, labels: np.ndarray, capacity: int) -> None:
        """Build the clusters, and count the sensitive values that they hold."""
        from skanon.kernels.clustering.clusters import gather

        self.clusters = gather(
            self.columns, self.codes, self.sensitive, labels, capacity, self.order
        )
        self._caps = None
        if self._limits is not None:
            from skanon.kernels.clustering.caps import Caps

            values, caps = self._limits
            held = np.zeros((capacity, *caps.shape), dtype=np.int32)
            np.add.at(held, (labels[:, None], np.arange(len(caps)), values), 1)
            self._caps = Caps(values, held, caps)


def within_limits(problem: Problem, labels: np.ndarray) -> np.ndarray | None:
    """Unite clusters until the shares of single values are as promised.

    Returns
    -------
    ndarray of int32, shape (n,), or None
        Clusters 0, 1, 2, …; None where even a single one breaks a promise.
    """
    capped = [
        bound_constraint
        for bound_constraint in problem.bound_constraints
        if bound_constraint.caps is not None
    ]
    parts = problem.schema, problem.codes, problem.sensitive, labels
    mended = repair(*parts, capped)
    return None if mended is None else numbered(mended)[0]


def limits_of(
    bound_constraints: list[BoundConstraint],
) -> tuple[np.ndarray, np.ndarray] | None:
    """Put together what promises say of single sensitive values' shares.

    Returns
    -------
    values : ndarray of int32, shape (n, p)
        The records' values, for each of p promises.
    caps : ndarray of float64, shape (p, m)
        The largest share that each value may have in a cluster.
        None is returned in place of both where no promise says any.
    """
    told = [
        (bound_constraint, bound_constraint.caps)
        for bound_constraint in bound_constraints
    ]
    capped = [
        (bound_constraint, caps) for bound_constraint, caps in told if caps is not None
    ]
    if not capped:
        return None
    values = np.stack(
        [bound_constraint.codes for bound_constraint, _ in capped], axis=1
    )
    table = np.ones((len(capped), max(len(caps) for _, caps in capped)))
    for row, (_, caps) in zip(table, capped, strict=True):
        row[: len(caps)] = caps
    return values.astype(np.int32), table


def spread(
    values: np.ndarray, n_clusters: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Spread the records of each sensitive value evenly over clusters, at random.

    Algorithm 3 of Goldberger & Tassa (2010), by their equations (24) and (25).

    Parameters
    ----------
    values : ndarray of int, shape (n,)
    n_clusters : int
    random_state : RandomState

    Returns
    -------
    ndarray of int, shape (n,)
        The clusters.
    """
    labels = np.empty(len(values), dtype=np.int64)
    for value in np.unique(values):
        records = random_state.permutation(np.flatnonzero(values == value))
        each, more = divmod(len(records), n_clusters)
        sizes = np.full(n_clusters, each)
        sizes[random_state.permutation(n_clusters)[:more]] += 1
        labels[records] = np.repeat(np.arange(n_clusters), sizes)
    return labels


def random_ranks(
    n: int, random_state: np.random.RandomState, *, coins: bool
) -> np.ndarray:
    """Draw an order of the records, and for each a coin of its own, its rank's parity.

    Returns
    -------
    ndarray of int32, shape (n,)
        Without coins 0, 1, 2, … in a random order.
    """
    ranks = random_state.permutation(n)
    if coins:
        ranks = 2 * ranks + random_state.randint(2, size=n)
    return ranks.astype(np.int32)


def selectivity_order(
    columns: Any, codes: np.ndarray, sensitive: np.ndarray
) -> np.ndarray:
    """Order the columns by how much it costs on average to join two records in them.

    Returns
    -------
    ndarray of int32, shape (r,)
        The costliest first: it tells soonest that two records do not go together.
    """
    from skanon.kernels.core.closures import close

    n = len(codes)
    pairs = np.linspace(0, n - 1, min(n, 2000)).astype(int)
    drawn = np.random.RandomState(0).permutation(pairs)
    mixed = codes[drawn]
    half = len(mixed) // 2
    labels = np.append(np.arange(half), np.arange(len(mixed) - half) % max(half, 1))
    labels = labels.astype(np.int32)
    alone = np.arange(len(mixed), dtype=np.int32)
    _, joined = close(columns, mixed, sensitive[drawn], labels, max(half, 1))
    _, single = close(columns, mixed, sensitive[drawn], alone, len(mixed))
    before = np.zeros_like(joined)
    np.add.at(before, labels, single)
    before /= np.bincount(labels, minlength=len(before))[:, None]
    rises = np.maximum(joined - before, 0).mean(axis=0)
    return np.argsort(-rises, kind="stable").astype(np.int32)


def _neighbours(codes: np.ndarray) -> np.ndarray:
    """Name two others for each record that share its values in many columns."""
    order = np.lexsort(codes.T)  # by the last column first, which varies least
    alike = np.empty((len(codes), 2), dtype=np.int32)
    alike[order, 0], alike[order, 1] = np.roll(order, 1), np.roll(order, -1)
    return alike

"""Making a clustering better, whatever made it."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import delayed

from skanon._parallel import in_threads
from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.schema import numbered
from skanon.clustering._blocks import blocks_of, learn_cuts
from skanon.clustering._sequential_run import selectivity_order
from skanon.constraints._bound import BoundConstraint, broken, members_of, of_records

VISITS = 4
"""So often each cluster is visited before the regions are cut anew."""

ROUNDS = 25
"""So many rounds are enough for a table that is a single region."""

REGION = 2500, 64
"""A region has about so many records, or so many clusters if these are more."""

NEAR = 12
"""So many of its nearest clusters each cluster remembers."""

POOLED = ((10, 2), (np.inf, 1))
"""Up to such a k, it is pooled with so many of them.

Per second, pools of two clusters lower the loss most where k is large (Adult, 45,222
records, k = 50: .0857 after 8 s, .0865 with pools of three), and pools of three or four
where it is small.
"""

TRIALS = 2
"""So often each pool is clustered anew."""

HEAT = 0.15
"""The first temperature, as a part of what sqrt(k) records lose on average."""


def refined(
    problem: Problem, labels: np.ndarray, visits: int, on_interrupt: str = "raise"
) -> np.ndarray:
    """Cluster pools of near clusters anew, again and again, where that loses less.

    Each round cuts the clusters into regions, in which pools are searched side by side;
    as the cuts differ from round to round, clusters meet across them. Pools that lose
    a little more are taken, too (by the rule of simulated annealing; ever less, in the
    last round none), since most clusterings that no pool makes better are far from the
    best. The best clustering after any round is returned.

    Parameters
    ----------
    problem : Problem
    labels : ndarray of int32, shape (n,)
        Clusters of at least k records that keep the constraints; -1 for records that
        are in none, and stay so.
    visits : int
        How often each cluster is visited.
    on_interrupt : {"raise", "release"}, default="raise"
        Whether Ctrl+C ends in ``KeyboardInterrupt`` or in the best clustering so far.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    if visits == 0 or (labels == labels[0]).all():
        return labels
    labels, _ = numbered(labels)
    if np.bincount(labels[labels >= 0]).min() < problem.k:
        return labels  # the check of the release will say so
    run = _Run(problem, labels)
    best, least = run.labels, run.loss
    each = VISITS
    if run.n_regions == 1:
        each = max(VISITS, -(-visits // ROUNDS))
    rounds = -(-visits // each)
    for at in range(rounds):
        left = 1 - (at + 1) / rounds
        try:
            n_taken = run.round(min(each, visits - at * each), left)
        except KeyboardInterrupt:
            if on_interrupt == "raise":
                raise
            progress(problem.verbose, "interrupted: the best so far is taken")
            break
        if run.loss < least:
            best, least = run.labels, run.loss
        progress(
            problem.verbose,
            f"refinement {at + 1} of {rounds}: {n_taken} pools clustered anew, "
            f"loss {run.loss - run.origin:.4f}",
        )
    return best


class _Run:
    """A clustering that is being refined."""

    def __init__(self, problem: Problem, labels: np.ndarray) -> None:
        self.problem = problem
        self.origin = problem.schema.origins.sum()
        self.labels = labels
        columns, codes = problem.schema.columns, problem.codes
        self.order = selectivity_order(columns, codes, problem.sensitive)
        clusters = self._gather(np.flatnonzero(labels >= 0))
        self.loss = _loss(clusters)
        records, least = REGION
        wanted = max(least, records * len(clusters.size) // len(labels))
        self.n_regions = max(round((clusters.size > 0).sum() / wanted), 1)
        self.heat = HEAT * max(self.loss - self.origin, 0.0) * np.sqrt(problem.k)

    def _gather(self, part: np.ndarray) -> Any:
        """Build the clusters of some records."""
        from skanon.kernels.clustering.clusters import gather

        problem = self.problem
        return gather(
            problem.schema.columns,
            problem.codes[part],
            problem.sensitive[part],
            numbered(self.labels[part])[0],
            len(part) // problem.k,
            self.order,
        )

    def round(self, visits: int, left: float) -> int:
        """Search pools in all regions; count those that were clustered anew."""
        problem = self.problem
        region = self._regions()
        parts = members_of(region, region.max() + 1)
        seeds = problem.random_state.randint(2**31 - 1, size=len(parts))
        calls = (
            delayed(self._refine)(part, visits, left * self.heat, seed)
            for part, seed in zip(parts, seeds, strict=True)
        )
        found = in_threads(calls, problem.n_jobs)
        n_taken = begin = 0
        summed = 0.0
        labels = np.full_like(self.labels, -1)
        for part, (own, loss, taken) in zip(parts, found, strict=True):
            labels[part] = own + begin
            begin += own.max() + 1
            summed += loss * len(part)
            n_taken += taken
        self.labels, self.loss = labels, summed / (labels >= 0).sum()
        return n_taken

    def _regions(self) -> np.ndarray:
        """Cut the clusters into regions, each by one of its records at random."""
        problem = self.problem
        shuffled = problem.random_state.permutation(len(self.labels))
        shuffled = shuffled[self.labels[shuffled] >= 0]
        clusters, first = np.unique(self.labels[shuffled], return_index=True)
        typical = shuffled[first]
        codes, sensitive = problem.codes[typical], problem.sensitive[typical]
        cut = None
        if self.n_regions > 1:
            cut = learn_cuts(
                problem.schema.columns,
                codes,
                sensitive,
                self.n_regions,
                problem.random_state,
            )
        block = blocks_of(cut, codes, len(clusters) // self.n_regions // 2)
        return np.where(self.labels < 0, -1, block[self.labels])

    def _refine(
        self, part: np.ndarray, visits: int, temperature: float, seed: int
    ) -> tuple[np.ndarray, float, int]:
        """Search pools of the clusters of some records.

        Returns
        -------
        labels : ndarray of int32
        loss : float
            Averaged over these records.
        taken : int
            How many pools were clustered anew.
        """
        from skanon.kernels.clustering.pools import Effort, improve, pool_of

        problem, k = self.problem, self.problem.k
        clusters = self._gather(part)
        random_state = np.random.RandomState(seed)
        n_others = next(pooled for most, pooled in POOLED if k <= most)
        most = min(2 * k * (n_others + 1), len(part))
        pool = pool_of(clusters, most, max(most // k, 1), NEAR, seed)
        kept = of_records(problem.bound_constraints, part)
        effort = Effort(k, n_others, TRIALS, float(temperature), bool(kept))
        order = [random_state.permutation(len(part) // k) for _ in range(visits)]
        turns = np.concatenate(order).astype(np.int32)
        codes, sensitive = problem.codes[part], problem.sensitive[part]
        table = problem.schema.columns, codes, sensitive, clusters, pool, effort
        taken = _improve(table, kept, turns) if kept else improve(*table, turns)
        return numbered(clusters.label)[0], _loss(clusters), taken


def _loss(clusters: Any) -> float:
    """Compute the loss of clusters, averaged over their records."""
    return float(clusters.size @ clusters.total / clusters.size.sum())


def _improve(table: Any, constraints: list[BoundConstraint], turns: np.ndarray) -> int:
    """Take what is better and keeps the constraints; count it."""
    from skanon.kernels.clustering.pools import accept, search_pool

    columns, codes, _, clusters, pool, _ = table
    taken = 0
    for h in turns:
        n, found = search_pool(*table, h)
        if n == 0:
            continue
        home = pool.best_home[:n]
        places = members_of(home, home.max() + 1)
        records = [pool.best_record[at] for at in places]
        if not broken(constraints, records).any():
            accept(columns, codes, clusters, pool, n, found)
            taken += 1
    return taken

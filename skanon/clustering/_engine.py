"""What is chosen for a table where the user leaves the choice to skanon."""

from __future__ import annotations

import numpy as np
from joblib import delayed
from sklearn.base import clone

from skanon._parallel import in_threads
from skanon._problem import Problem
from skanon._progress import progress
from skanon._release.classes import one_label_each
from skanon.clustering._agglomerative import AgglomerativeAnonymizer, is_plain
from skanon.clustering._base import ClusteringAnonymizer, keeping_constraints
from skanon.clustering._blocks import blocks_of, learn_cuts
from skanon.clustering._effort import EFFORTS, block_size_of
from skanon.clustering._optimal import OptimalAnonymizer
from skanon.clustering._recursive_full_domain import (
    RecursiveFullDomainAnonymizer,
    combinations,
)
from skanon.clustering._sequential import SequentialAnonymizer
from skanon.clustering._sequential_run import limits_of
from skanon.constraints._bound import broken, members_of

SAMPLED = 64
"""From so many records a block is learned where to cut."""


def planned(problem: Problem, effort: str) -> tuple[ClusteringAnonymizer, int | None]:
    """Choose by what was measured; never by a clock, so that a seed gives one result.

    Parameters
    ----------
    problem : Problem
    effort : {"fast", "sweep", "default", "high"}

    Returns
    -------
    algorithm : ClusteringAnonymizer
        Unfitted.
    block_size : int or None
        About so many records are clustered at a time; None: all.
    """
    block_size = block_size_of(problem.k, effort)
    if len(problem.codes) <= (OptimalAnonymizer.most_records or 0):
        return OptimalAnonymizer(), None
    if limits_of(problem.bound_constraints) is not None or not is_plain(problem):
        return SequentialAnonymizer(start="free"), block_size
    if _levels_do(problem, EFFORTS[effort].combinations):
        return RecursiveFullDomainAnonymizer(), None
    return AgglomerativeAnonymizer(), block_size


def _levels_do(problem: Problem, most: float) -> bool:
    """Tell whether all hierarchies are trees, with few enough combinations of levels.

    Costs must be a list of prices, since they tell which combination comes first.
    """
    from skanon.kernels.core.columns import FORM, TREE

    columns = problem.schema.columns
    if columns.curve is not None or (columns.layout[:, FORM] != TREE).any():
        return False
    return bool(combinations(problem) <= most)


def cluster_in_blocks(
    problem: Problem, algorithm: ClusteringAnonymizer, block_size: int
) -> np.ndarray:
    """Cut a table into blocks, and cluster these side by side.

    A cut is left out where a side of it would have fewer than a quarter of the wanted
    size or than 2k records, or could not keep the constraints.

    Parameters
    ----------
    problem : Problem
    algorithm : ClusteringAnonymizer
        Its parameters have been checked.
    block_size : int
        About so many records a block shall have; at least 2k.

    Returns
    -------
    ndarray of int64, shape (n,)
        Labels; -1 where the algorithm suppresses.
    """
    n_blocks = round(len(problem.codes) / block_size)
    if n_blocks < 2:
        return algorithm._cluster(problem)
    parts = _parts(problem, n_blocks, block_size)
    sizes = [len(part) for part in parts]
    progress(
        problem.verbose,
        f"cut into {len(parts)} blocks of {min(sizes)} to {max(sizes)} records",
    )
    seeds = problem.random_state.randint(2**31 - 1, size=len(parts))
    calls = (
        delayed(_cluster_block)(problem, algorithm, part, seed)
        for part, seed in zip(parts, seeds, strict=True)
    )
    found = in_threads(calls, problem.n_jobs)
    labels = np.empty(len(problem.codes), dtype=np.int64)
    begin = 0
    for part, own in zip(parts, found, strict=True):
        labels[part] = np.where(own < 0, -1, own + begin)
        begin += own.max() + 1
    return labels


def _parts(problem: Problem, n_blocks: int, block_size: int) -> list[np.ndarray]:
    """Cut a table; list the records of each block."""
    codes, sensitive = problem.codes, problem.sensitive
    random_state = problem.random_state
    some = random_state.permutation(len(codes))[: SAMPLED * n_blocks]
    columns = problem.schema.columns
    cut = learn_cuts(columns, codes[some], sensitive[some], n_blocks, random_state)

    def fits(part: np.ndarray) -> bool:
        return not broken(problem.bound_constraints, [part]).any()

    block = blocks_of(cut, codes, max(2 * problem.k, block_size // 4), fits)
    return members_of(block, int(block.max()) + 1)


def _cluster_block(
    problem: Problem, algorithm: ClusteringAnonymizer, part: np.ndarray, seed: int
) -> np.ndarray:
    """Cluster the records of a block, so that all constraints are kept."""
    own = problem.part(part, seed)
    labels = one_label_each(clone(algorithm)._cluster(own), len(part))
    kept = keeping_constraints(
        own.schema, own.codes, own.sensitive, labels, own.bound_constraints
    )
    assert kept is not None  # the block as a whole keeps them
    return kept

"""The optimal (k, 1)-anonymization, of taxonomies or of few records."""

from __future__ import annotations

import math

import numpy as np

from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.levels import climb, costs_of, half_of, keys_of, sums_of
from skanon._table.schema import tuple_ids
from skanon.consistency._chunks import chunks, run_chunks
from skanon.consistency._kinds import kinds_of
from skanon.exceptions import ParameterError

MOST_COMBINATIONS = 20_000_000_000
"""So many combinations of levels, times different records, ``"optimal"`` looks at."""

MOST_SETS = 1_000_000_000
"""So many sets of records it looks at where a hierarchy is no tree."""


def find_cheapest(problem: Problem) -> np.ndarray:
    """Give each record what costs it least of all that cover it and k - 1 others.

    Returns
    -------
    ndarray of int64, shape (n, width)
        The states of each record.

    Raises
    ------
    ParameterError
        There are too many generalized records or, where a hierarchy is no tree, too
        many sets of records.
    """
    others = _no_trees(problem)
    return _of_sets(problem, others) if others else _of_levels(problem)


def _of_sets(problem: Problem, others: list) -> np.ndarray:
    """Look at all sets of k records: Gionis et al. 2008, section V-B.1, first lines."""
    from skanon.kernels.consistency.cheapest import take_cheapest_sets
    from skanon.kernels.core.columns import state_width

    columns, codes, sensitive = problem.schema.columns, problem.codes, problem.sensitive
    kinds = kinds_of(problem)
    n_seeds, k = len(kinds.seed), problem.k
    each = sum(math.comb(len(kinds.first) - 1, size) for size in range(k))
    if each * n_seeds > MOST_SETS:
        raise ParameterError(
            f"The hierarchies of {others} are intervals or sets, so that "
            f"method='optimal' would look at {float(each * n_seeds):.1e} sets of "
            f"records, and does so up to {MOST_SETS:.1e}. Give these columns "
            "taxonomies, or use method='expansion'."
        )
    progress(problem.verbose, f"{float(each * n_seeds):.1e} sets of records")
    state = np.zeros((n_seeds, state_width(columns.layout)), dtype=np.int64)

    def run(start: int, stop: int) -> None:
        take_cheapest_sets(columns, codes, sensitive, kinds, k, state, start, stop)

    run_chunks(run, n_seeds, each, problem.n_jobs)
    return state[kinds.of_record]


def _of_levels(problem: Problem) -> np.ndarray:
    """Look at all combinations of depths of the hierarchies, which are trees.

    Of equals, the first combination is taken, where these are in the order of what all
    records pay there.
    """
    from skanon.kernels.clustering.full_domain import groups_of
    from skanon.kernels.consistency.cheapest import take_cheapest

    columns = problem.schema.columns
    rows = np.column_stack([problem.codes, problem.sensitive])
    ids = tuple_ids(rows)
    _, first = np.unique(ids, return_index=True)
    rows, counts = rows[first], np.bincount(ids)
    ancestors = climb(columns, rows[:, :-1])
    work = math.prod(len(nodes) for nodes in ancestors) * len(rows)
    if work > MOST_COMBINATIONS:
        raise ParameterError(
            f"method='optimal' would look at {work:.1e} generalized records, and does "
            f"so up to {MOST_COMBINATIONS:.1e}. Use method='expansion', fewer "
            "quasi-identifiers or hierarchies with fewer levels."
        )
    progress(problem.verbose, f"{work:.1e} generalized records, each looked at")
    draws, half = np.random.RandomState(0), half_of(ancestors)
    costs = costs_of(columns, ancestors, rows[:, -1])
    parts = [ancestors[:half], ancestors[half:]]
    keys = [keys_of(own, len(rows), draws) for own in parts]
    paid = [_sums(own, len(rows)) for own in (costs[:half], costs[half:])]
    average = [each @ counts for each in paid]
    order = np.argsort(np.add.outer(*average).ravel().round(9), kind="stable")
    pairs = np.stack(np.divmod(order, len(keys[1])), axis=1)
    least, found = np.full(len(rows), np.inf), np.zeros((len(rows), 2), dtype=np.int64)
    groups = groups_of(len(rows))
    for start, stop in chunks(len(pairs), len(rows)):
        take_cheapest(
            *keys,
            pairs[start:stop],
            counts,
            problem.k,
            tuple(paid),
            groups,
            least,
            found,
        )
    return _nodes_at(parts, found)[ids]


def _no_trees(problem: Problem) -> list:
    """Name the columns whose hierarchies are no trees."""
    from skanon.kernels.core.columns import FORM, TREE

    form = problem.schema.columns.layout[:, FORM]
    return [
        name
        for name, one in zip(problem.schema.names, form, strict=True)
        if one != TREE
    ]


def _sums(costs: list[list[np.ndarray]], n: int) -> np.ndarray:
    """Add up columns for all combinations: shape (n_combinations, n)."""
    summed = np.zeros((1, n))
    for own in costs:
        summed = sums_of(summed, np.stack(own))
    return summed


def _nodes_at(parts: list[list[list[np.ndarray]]], found: np.ndarray) -> np.ndarray:
    """Write the nodes of the combinations that were found: shape (n, r)."""
    everyone = np.arange(len(found))
    columns = []
    for own, at in zip(parts, found.T, strict=True):
        if own:
            levels = np.unravel_index(at, tuple(len(nodes) for nodes in own))
            columns += [
                np.stack(nodes)[level, everyone]
                for nodes, level in zip(own, levels, strict=True)
            ]
    return np.column_stack(columns)

"""The optimal (k, 1)-anonymization of taxonomies."""

from __future__ import annotations

import math

import numpy as np

from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.levels import climb, costs_of, half_of, keys_of, sums_of
from skanon._table.schema import tuple_ids
from skanon.consistency._chunks import chunks
from skanon.exceptions import ParameterError

MOST_COMBINATIONS = 20_000_000_000
"""So many combinations of levels, times different records, ``"optimal"`` looks at."""


def find_cheapest(problem: Problem) -> np.ndarray:
    """Give each record what costs it least of all that cover it and k - 1 others.

    All combinations of depths are looked at, so that all hierarchies must be trees.

    Returns
    -------
    ndarray of int64, shape (n, width)
        The states of each record. Of equals, the first combination, where these are in
        the order of what all records pay there.

    Raises
    ------
    ParameterError
        A hierarchy is no tree, or there are too many combinations.
    """
    from skanon.kernels.clustering.full_domain import groups_of
    from skanon.kernels.consistency.cheapest import take_cheapest

    columns = problem.schema.columns
    _refuse_others(problem)
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


def _refuse_others(problem: Problem) -> None:
    """Refuse hierarchies that are no trees."""
    from skanon.kernels.core.columns import FORM, TREE

    form = problem.schema.columns.layout[:, FORM]
    others = [
        name
        for name, one in zip(problem.schema.names, form, strict=True)
        if one != TREE
    ]
    if others:
        raise ParameterError(
            "method='optimal' looks at all nodes of taxonomies, but the hierarchies "
            f"of {others} are intervals or sets. Give these columns taxonomies, or use "
            "method='expansion'."
        )


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

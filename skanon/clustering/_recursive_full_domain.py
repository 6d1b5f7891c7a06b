"""Publishing class after class at the lowest levels that still have k records."""

from __future__ import annotations

import itertools
import math

import numpy as np

from skanon._problem import Problem
from skanon._table.levels import climb, costs_of, half_of, keys_of
from skanon._table.schema import tuple_ids
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._leftovers import LeftoverAssignment
from skanon.clustering._sequential_run import selectivity_order

SORTED_ANEW = 100, 0.005
"""After so many combinations of levels, or such a part of them if these are more, those
to come are put in order anew."""


class RecursiveFullDomainAnonymizer(ClusteringAnonymizer):
    """k-anonymity by full-domain generalization, of ever fewer records.

    Each combination of levels, one for each quasi-identifier, generalizes all records
    that are left; those that at least k of them then share are published, and leave.
    Combinations are taken by what a record that is left pays there on average, the
    cheapest first; as records leave, the order is found anew now and then. Fewer than
    k records that are left in the end join the classes where they cost least.

    It does well on taxonomies, where k is large above all, and asks for levels: of
    intervals and sets it knows single values and the whole domain only. Levels are
    counted from the root of a tree: where leaves lie higher up, they are their own
    groups until the others have come to them. The time grows with the number of
    combinations times that of different records.
    ``KAnonymizer(algorithm="auto")`` begins with it where all hierarchies are trees and
    that product is not too large.

    Parameters
    ----------
    k, quasi_identifiers, hierarchies, loss, constraints, sensitive, identifiers, \
encode, max_suppression, suppressed, refine, on_interrupt, random_state, n_jobs, verbose
        As in :class:`~skanon.KAnonymizer`. It is not random.

    Notes
    -----
    Local recoding by repeated full-domain recoding of the records that were left over
    is how ARX transforms locally. Ours visits the combinations bottom up instead of
    looking for the best one each time.
    """

    title = "Recursive full-domain"
    seconds, growth = 3, 1

    def _cluster(self, problem: Problem) -> np.ndarray:
        ids = tuple_ids(problem.codes)
        _, first = np.unique(ids, return_index=True)
        columns = problem.schema.columns
        ancestors = climb(columns, problem.codes[first])
        costs = costs_of(columns, ancestors)
        label = _publish(ancestors, costs, np.bincount(ids), problem.k)[ids]
        if label.max() < 0:
            return np.zeros(len(ids), dtype=np.int32)
        order = selectivity_order(columns, problem.codes, problem.sensitive)
        rest = LeftoverAssignment(problem, label.astype(np.int32), order)
        rest.take(np.flatnonzero(label < 0))
        return rest.labels


def combinations(problem: Problem) -> int:
    """Count the combinations of levels, times the different records: the work."""
    ids = tuple_ids(problem.codes)
    _, first = np.unique(ids, return_index=True)
    ancestors = climb(problem.schema.columns, problem.codes[first])
    return math.prod(len(nodes) for nodes in ancestors) * len(first)


def _publish(
    ancestors: list[list[np.ndarray]],
    costs: list[list[np.ndarray]],
    counts: np.ndarray,
    k: int,
) -> np.ndarray:
    """Give each of the different records its class, or -1 for fewer than k records."""
    from skanon.kernels.clustering.full_domain import groups_of, publish

    n = len(counts)
    half = half_of(ancestors)
    draws = np.random.RandomState(0)
    first, second = (
        keys_of(own, n, draws) for own in (ancestors[:half], ancestors[half:])
    )
    levels = np.array(list(itertools.product(*(range(len(own)) for own in ancestors))))
    waiting = np.arange(len(levels))  # in the order of their levels
    least, part = SORTED_ANEW
    each = max(least, int(part * len(levels)))
    label, left = np.full(n, -1), np.arange(n)
    groups, n_left, n_classes = groups_of(n), n, 0
    while len(waiting) and counts[left[:n_left]].sum() >= k:
        waiting = _cheapest_first(waiting, levels, costs, left[:n_left], counts)
        now, waiting = waiting[:each], np.sort(waiting[each:])
        pairs = np.stack(np.divmod(now, len(second)), axis=1)
        n_left, n_classes = publish(
            first, second, pairs, counts, k, left, n_left, label, n_classes, groups
        )
    return label


def _cheapest_first(
    waiting: np.ndarray,
    levels: np.ndarray,
    costs: list[list[np.ndarray]],
    left: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    """Order combinations of levels by what the records that are left pay there."""
    weight = counts[left] / counts[left].sum()
    paid = np.zeros(len(waiting))
    for column, own in zip(levels[waiting].T, costs, strict=True):
        paid += np.array([weight @ cost[left] for cost in own])[column]
    return waiting[np.argsort(paid.round(12), kind="stable")]

"""Lower bounds of the loss, beside all generalized records one after the other."""

import naive_bounds
import numpy as np
import pytest
from random_tables import GROWING, KINDS, MEASURES, random_pair, seeded

from skanon.metrics import _bounds
from skanon.metrics._bounds import record_bounds

TREES = ["tree", "number_tree", "ordered_tree", "flat", "flat_number"]
SMALL = [kind for kind in KINDS if kind != "wide"]
SLACK = 1e-9


def bounds_of(pair, k, method="support"):
    return record_bounds(pair.schema, pair.codes, pair.sensitive, k, method)


def small_pair(seed, measure, kinds, n_columns, n=9):
    rng = seeded(seed, measure)
    chosen = list(rng.permutation(kinds)[:n_columns])
    return random_pair(rng, chosen, n, measure=measure)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", MEASURES)
def test_trees_get_the_cheapest_of_all_generalized_records(measure, seed):
    pair = small_pair(seed, measure, TREES, 1 + seed % 3, n=12)
    for k in (1, 2, 4, 12):
        expected = naive_bounds.by_support(pair.table, k)
        assert bounds_of(pair, k) == pytest.approx(expected, abs=SLACK)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measure", MEASURES)
def test_no_method_is_above_the_cheapest(measure, seed):
    pair = small_pair(seed, measure, SMALL, 2)
    for k in (1, 2, 4, 9):
        least = np.array(naive_bounds.by_support(pair.table, k)) + SLACK
        by_support = bounds_of(pair, k)
        assert (by_support <= least).all()
        assert (bounds_of(pair, k, "neighbour") <= by_support + SLACK).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measure", GROWING)
def test_neighbours_are_not_farther_than_the_bound_says(measure, seed):
    pair = small_pair(seed, measure, SMALL, 2)
    for k in (2, 4, 9):
        nearest = np.array(naive_bounds.by_neighbours(pair.table, k)) - SLACK
        assert (bounds_of(pair, k, "neighbour") >= nearest).all()
        assert (bounds_of(pair, k, "support") >= nearest).all()


@pytest.mark.parametrize("kind", ["interval", "date", "ordered"])
@pytest.mark.parametrize("seed", range(3))
def test_one_column_of_intervals_gets_the_cheapest(kind, seed):
    rng = seeded(seed, "ncp")
    pair = random_pair(rng, [kind, "flat"], 12, measure="ncp", missing=0)
    for k in (2, 3, 6):
        expected = naive_bounds.by_support(pair.table, k)
        assert bounds_of(pair, k) == pytest.approx(expected, abs=SLACK)


@pytest.mark.parametrize("measure", ["lm", "pmi", "all"])
def test_a_walk_goes_on_where_it_was_interrupted(monkeypatch, measure):
    pair = small_pair(3, measure, ["tree", "interval", "subset"], 3, n=14)
    at_once = {m: bounds_of(pair, 3, m) for m in _bounds.METHODS}
    monkeypatch.setattr(_bounds, "QUOTA", 3)
    for method, expected in at_once.items():
        assert (bounds_of(pair, 3, method) == expected).all()


@pytest.mark.parametrize("measure", ["lm", "entropy", "all"])
def test_giving_up_leaves_a_lower_bound(monkeypatch, measure):
    pair = small_pair(5, measure, ["tree", "interval", "subset"], 3, n=14)
    by_support = bounds_of(pair, 3)
    monkeypatch.setattr(_bounds, "QUOTA", 1)
    for most in (0, 10, 50, 100):
        monkeypatch.setattr(_bounds, "MOST", most)
        assert (bounds_of(pair, 3, "auto") <= by_support + SLACK).all()

"""Lower bounds of the loss, beside all generalized records one after the other."""

from dataclasses import replace

import naive_bounds
import numpy as np
import pytest
from random_tables import GROWING, KINDS, MEASURES, TREES, random_pair, seeded

from skanon._table.schema import Schema
from skanon.metrics import _bounds, _dual
from skanon.metrics._bounds import record_bounds

SMALL = [kind for kind in KINDS if kind != "wide"]
SLACK = 1e-9
ALIKE = [measure for measure in GROWING if measure != "mi"]
"""A class's records pay the same, whatever their own values."""


def bounds_of(pair, k, method="support", **options):
    search = _dual.DualSearch(**options)
    return record_bounds(pair.schema, pair.codes, pair.sensitive, k, method, search)


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
    at_once = {m: bounds_of(pair, 3, m) for m in ("auto", "support", "neighbour")}
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


# ---------------------------------------------------------------------------- shares


def with_duplicates(pair):
    """Repeat the first record twice, and the second once."""
    again = [*range(len(pair.codes)), 0, 0, 1]
    frame, y = pair.frame.iloc[again], [pair.y[i] for i in again]
    sensitive = pair.sensitive[again]
    schema, codes = Schema.learn(frame, pair.hierarchies, pair.loss, sensitive)
    table = replace(
        pair.table,
        records=[pair.table.records[i] for i in again],
        sensitive=sensitive.tolist(),
    )
    return replace(
        pair, frame=frame, y=y, sensitive=sensitive, schema=schema, codes=codes,
        table=table,
    )  # fmt: skip


def searched(pair, k, share, rank, weight, *, most=10**6, slack=0.0):
    from skanon.kernels.bounds.groups import open_branches, pairs_of, worst_groups

    columns, codes = pair.schema.columns, pair.codes
    n, r = codes.shape
    width = pair.schema.parts()[-1].stop
    group, excess = np.full((n, k), -1), np.zeros((n, 2))
    left_out = worst_groups(
        columns,
        columns.curve,
        pairs_of(columns, codes, weight),
        share,
        rank,
        np.arange(n),
        slack,
        most,
        open_branches(n, r, width, k),
        group,
        excess,
    )
    return group, excess, left_out


def random_search(measure, seed, k):
    """Make a table, shares, ranks and weights, and what its groups cost."""
    rng = seeded(seed, measure)
    pair = small_pair(seed, measure, SMALL, 1 + seed % 3, n=7)
    weight = rng.randint(1, 4, size=7)
    at_one = [sum(pair.table.costs(pair.table.closure(range(7)), i)) for i in range(7)]
    share = rng.uniform(0, max(at_one), size=7)
    share[rng.randint(7)] = share[0]

    def cost(members):
        return sum(pair.table.costs(pair.table.closure(members), members[0]))

    return pair, share, rng.permutation(7), weight, cost


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ALIKE)
def test_the_worst_group_of_each_record_is_found(measure, seed, k):
    pair, share, rank, weight, cost = random_search(measure, seed, k)
    group, excess, left_out = searched(pair, k, share, rank, weight)
    assert left_out == 0
    for i in range(7):
        among = [m for m in range(7) if rank[m] >= rank[i]]
        expected = naive_bounds.by_excess(cost, weight, share, k, i, among)
        assert excess[i] == pytest.approx(max(expected, 0), abs=SLACK)
        if group[i, 0] >= 0:
            assert (np.bincount(group[i], minlength=7) <= weight).all()
            own = share[group[i]].sum() - k * cost(list(group[i]))
            assert own == pytest.approx(expected, abs=SLACK)
        else:
            assert expected <= SLACK


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ALIKE)
def test_a_search_that_is_cut_short_says_what_is_possible(measure, seed):
    pair, share, rank, weight, _ = random_search(measure, seed, 4)
    _, whole, _ = searched(pair, 4, share, rank, weight)
    for most in (0, 1, 3):
        _, excess, left_out = searched(pair, 4, share, rank, weight, most=most)
        assert (excess[:, 0] <= whole[:, 0] + SLACK).all()
        assert (excess[:, 1] >= whole[:, 0] - SLACK).all()
        assert left_out == (excess[:, 1] > excess[:, 0]).sum()


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ALIKE)
def test_shares_sum_to_the_relaxed_partition(measure, seed, k):
    pair = with_duplicates(small_pair(seed, measure, SMALL, 1 + seed % 3, n=7))
    least = naive_bounds.by_groups(pair.table, k)
    found = bounds_of(pair, k, "dual", max_iter=500)
    by_support = bounds_of(pair, k)
    assert found.sum() >= by_support.sum() - SLACK
    assert found.sum() <= least + SLACK
    assert found.sum() >= (1 - 5 * _dual.CLOSE) * least - SLACK

"""What permissible subsets cost is what the papers' formulas say."""

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import MISSING
from random_tables import KINDS, MEASURES, decode, random_pair

from skanon.domain import Domain
from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy
from skanon.hierarchies._base import INTERVAL, TREE
from skanon.losses import LM, NCP


def states(bound, rng):
    """All permissible subsets; of sets only some, and always the extremes."""
    m = bound.n_codes
    if bound.form == TREE:
        return [np.array([node]) for node in range(len(bound.parent))]
    present = m - (bound.missing >= 0)
    if bound.form == INTERVAL:
        ranges = [(a, b) for a in range(present) for b in range(a, present)]
        alone = [(bound.missing, bound.missing)] * (bound.missing >= 0)
        return [np.array(ends) for ends in [*ranges, *alone, (-1, m - 1)]]
    sizes = rng.randint(1, present + 1, size=20) if present else []
    chosen = [rng.permutation(present)[:size] for size in sizes]
    alone = [[bound.missing]] * (bound.missing >= 0)
    return [_bits(bound, members) for members in [*chosen, *alone, range(m)]]


def _bits(bound, members):
    words = [0] * bound.width
    for code in members:
        words[int(code) // 64] |= 1 << (int(code) % 64)
    return np.array(words, dtype=np.uint64).view(np.int64)


def cost(bound, costs, state):
    """Read a state's cost from the tables, as their description says."""
    if bound.form == TREE:
        return costs.node[state[0]]
    members = bound.members(state)
    if len(members) == bound.n_codes and (bound.form != INTERVAL or state[0] < 0):
        return costs.top
    if bound.form == INTERVAL:
        return costs.high[state[1]] - costs.low[state[0]]
    return costs.high[members].sum() - costs.low[members[0]]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_costs_equal_the_oracle_s(kind, measure, seed):
    rng = np.random.RandomState(seed)
    pair = random_pair(rng, [kind], 60, measure=measure, missing=0.2)
    bound, oracle = pair.schema.bounds[0], pair.table.columns[0]
    costs = pair.loss.column_costs(bound)
    assert costs.top == pytest.approx(pair.table.measure(oracle, oracle.everything))
    for state in states(bound, rng):
        subset = decode(bound, state)
        expected = pair.table.measure(oracle, subset)
        assert cost(bound, costs, state) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_costs_never_fall_when_a_subset_grows(kind, measure):
    for seed in range(5):
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, [kind], 60, measure=measure, missing=0.2)
        bound = pair.schema.bounds[0]
        costs = pair.loss.column_costs(bound)
        listed = states(bound, rng)[-60:]
        sets = [frozenset(bound.members(state).tolist()) for state in listed]
        prices = [cost(bound, costs, state) for state in listed]
        for small, low in zip(sets, prices, strict=True):
            assert 0 <= low <= costs.top + 1e-15 <= 1 + 2e-15
            for large, high in zip(sets, prices, strict=True):
                assert not small <= large or low <= high + 1e-15
            if len(small) == 1:
                assert low == 0


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20), st.booleans())
@settings(deadline=None, max_examples=60)
def test_large_integers_are_measured_without_overflow(values, missing):
    frame = pd.Series([*values, *([None] * missing)], dtype="Int64")
    domain, _ = Domain.learn(frame, "x")
    bound = Intervals().bind(domain)
    costs = NCP().column_costs(bound)
    line = sorted(set(values))
    oracle = naive.intervals(line, missing, {v: v for v in line})
    for a in range(len(line)):
        for b in range(a, len(line)):
            expected = naive.ncp(oracle, frozenset(line[a : b + 1]))
            assert costs.high[b] - costs.low[a] == pytest.approx(expected, abs=1e-9)


def learn(values, hierarchy, dtype=object):
    domain, _ = Domain.learn(pd.Series(values, dtype=dtype), "x")
    return hierarchy.bind(domain)


@pytest.mark.parametrize("loss", [LM(), NCP()])
@pytest.mark.parametrize("hierarchy", [Suppression(), Subsets(), Intervals()])
def test_a_column_of_one_value_costs_nothing(loss, hierarchy):
    for values in ([3.0], [3.0] * 4, [None, None]):
        costs = loss.column_costs(learn(values, hierarchy, float))
        assert costs.top == 0
        assert not np.any(costs.node) and not np.any(costs.high - costs.low)


@pytest.mark.parametrize("loss", [LM(), NCP()])
def test_one_value_or_missing(loss):
    for hierarchy in (Suppression(), Subsets(), Intervals()):
        assert loss.column_costs(learn([3.0, None], hierarchy, float)).top == 1


def test_lm_counts_the_leaves_of_a_hierarchy_not_the_values_met():
    towns = Taxonomy(
        ["Bern", "Basel", "Bonn", "Berlin", "Bremen"],
        [["CH", "CH", "DE", "DE", "DE"], ["*"] * 5],
    )
    bound = learn(["Bern", "Bonn"], towns)
    names = dict(zip(bound.names, LM().column_costs(bound).node[5:], strict=True))
    assert names == {"CH": 0.25, "DE": 0.5, "*": 1.0}


def test_ncp_measures_length_where_lm_counts():
    ages = [20, 21, 58, 60]
    bound = learn(ages, Intervals(), int)
    lm, ncp = LM().column_costs(bound), NCP().column_costs(bound)
    assert lm.high[1] - lm.low[0] == pytest.approx(1 / 3)
    assert ncp.high[1] - ncp.low[0] == pytest.approx(1 / 40)
    tree = Taxonomy(ages, [["young", "young", "old", "old"], ["*"] * 4])
    bound = learn(ages, tree, int)
    assert NCP().column_costs(bound).node[4:] == pytest.approx([1 / 40, 2 / 40, 1])


def test_ncp_of_values_without_an_order_counts_them():
    for hierarchy in (Suppression(), Subsets()):
        bound = learn(list("abcd"), hierarchy)
        expected = LM().column_costs(bound)
        for part, other in zip(NCP().column_costs(bound), expected, strict=True):
            np.testing.assert_array_equal(part, other)


def test_ncp_of_a_leaf_without_a_place_in_the_order():
    """A category that the column lacks adds no length."""
    order = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    tree = Taxonomy(["low", "middle", "high"], [["rest", "rest", "high"], ["*"] * 3])
    bound = learn(["low", "high"], tree, order)
    named = dict(zip(bound.names, NCP().column_costs(bound).node[3:], strict=True))
    assert named == {"rest": 0.0, "*": 1.0}


def test_missing_values_cost_everything_with_any_other():
    values = [1.0, 2.0, 4.0, None]
    oracle = naive.intervals([1.0, 2.0, 4.0], True, {1.0: 1, 2.0: 2, 4.0: 4})
    costs = NCP().column_costs(learn(values, Intervals(), float))
    mixed = oracle.closure(frozenset([2.0, MISSING]))
    assert costs.top == naive.ncp(oracle, mixed) == 1
    assert costs.high[2] - costs.low[0] == 1


@pytest.mark.parametrize(
    "values", [[-1.5e308, 1.0, 1.5e308], [0.0, 5e-324], [0.0, 1e-310, 1e-309]]
)
def test_ncp_of_extreme_ranges(values):
    costs = NCP().column_costs(learn(values, Intervals(), float))
    assert costs.high[-1] - costs.low[0] == pytest.approx(1)
    assert (np.diff(costs.high) >= 0).all()
    tree = Taxonomy(
        values, [["low", *["high"] * (len(values) - 1)], ["*"] * len(values)]
    )
    assert NCP().column_costs(learn(values, tree, float)).node[-1] == pytest.approx(1)

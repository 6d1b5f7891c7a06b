"""What permissible subsets cost is what the papers' formulas say."""

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import MISSING
from random_tables import GROWING, KINDS, MEASURES, decode, random_pair

from skanon._table.domain import Domain
from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy
from skanon.hierarchies._base import INTERVAL, TREE
from skanon.losses import LM, MI, NCP, Entropy
from skanon.losses._costs import column_costs
from skanon.losses._terms import LENGTH, SIZE, Ground


def costs_of(loss, bound, codes=None):
    """Compute one column's costs; by default each value stands once."""
    if codes is None:
        codes = np.arange(bound.n_codes, dtype=np.int32)
    sensitive = np.zeros(len(codes), dtype=np.int32)
    (costs,) = column_costs(loss, [Ground.learn(bound, np.asarray(codes), sensitive)])
    return costs


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


def listed(bound, costs, state):
    """Read a state's cost from the price list, as its description says."""
    high, low, top = costs.listed()
    members = bound.members(state)
    if len(members) == bound.n_codes and (bound.form != INTERVAL or state[0] < 0):
        return top
    if bound.form == INTERVAL:
        return high[state[1]] - low[state[0]]
    return high[members].sum() - low[members[0]]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", ["tree", "number_tree", "ordered_tree", "flat"])
def test_a_trees_nodes_equal_the_oracle_s(kind, measure):
    for seed in range(6):
        pair = random_pair(
            np.random.RandomState(seed), [kind], 60, measure=measure, missing=0.2
        )
        (bound,), (costs,) = pair.schema.bounds, pair.schema.costs
        (oracle,) = pair.table.columns
        nodes, names = costs.nodes(), np.unique(pair.y).tolist()
        for node in range(len(nodes) - 1):
            subset = decode(bound, np.array([node]))
            tally = oracle.sensitive_tally(subset)
            for c, y in enumerate(names):
                if tally[y]:
                    entry = subset, next(iter(subset)), y
                    expected = pair.table.entry_cost(0, *entry, searched=True)
                    assert nodes[node, c] == pytest.approx(expected, abs=1e-12)
            if tally:
                average = pair.table.expected_entry(0, subset)
                assert nodes[node, -1] == pytest.approx(average, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("kind", ["interval", "date", "ordered", "subset", "wide"])
def test_price_lists_equal_the_oracle_s(kind, measure, seed):
    rng = np.random.RandomState(seed)
    pair = random_pair(rng, [kind], 60, measure=measure, missing=0.2)
    (bound,), (costs,) = pair.schema.bounds, pair.schema.costs
    assert costs.is_listed
    for state in states(bound, rng):
        subset = decode(bound, state)
        expected = pair.table.entry_cost(0, subset, None, 0, searched=False)
        assert listed(bound, costs, state) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("kind", ["interval", "date", "ordered", "subset", "wide"])
def test_listed_prices_never_fall_when_a_subset_grows(kind, measure):
    for seed in range(3):
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, [kind], 60, measure=measure, missing=0.2)
        (bound,), (costs,) = pair.schema.bounds, pair.schema.costs
        chosen = states(bound, rng)[-60:]
        sets = [frozenset(bound.members(state).tolist()) for state in chosen]
        prices = [listed(bound, costs, state) for state in chosen]
        for small, cheap in zip(sets, prices, strict=True):
            assert 0 <= cheap <= costs.listed()[2] + 1e-15 <= 1 + 2e-15
            for large, dear in zip(sets, prices, strict=True):
                assert not small <= large or cheap <= dear + 1e-15
            if len(small) == 1:
                assert cheap == 0


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_listed_grows_and_takes_no_notice_of_sensitive_values(kind, measure):
    for seed in range(6):
        pair = random_pair(np.random.RandomState(seed), [kind], 40, measure=measure)
        (bound,), (costs,) = pair.schema.bounds, pair.schema.costs
        if not costs.is_listed:
            assert measure not in ("lm", "ncp", "lm+penalty", "penalty")
            assert measure not in GROWING or bound.form != TREE
            continue
        if bound.form == TREE:
            nodes = costs.nodes()
            held = np.flatnonzero(costs.ground.tree().counts)
            for node in held[held < len(nodes) - 1]:
                assert (nodes[node] == nodes[node, 0]).all()
                assert nodes[bound.parent[node], 0] >= nodes[node, 0]
        else:
            assert costs.blend[[SIZE, LENGTH]].sum() == costs.blend.sum()


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20), st.booleans())
@settings(deadline=None, max_examples=60)
def test_large_integers_are_measured_without_overflow(values, missing):
    frame = pd.Series([*values, *([None] * missing)], dtype="Int64")
    domain, _ = Domain.learn(frame, "x")
    high, low, _ = costs_of(NCP(), Intervals().bind(domain)).listed()
    line = sorted(set(values))
    oracle = naive.intervals(line, missing, {v: v for v in line})
    for a in range(len(line)):
        for b in range(a, len(line)):
            expected = naive.ncp(oracle, frozenset(line[a : b + 1]))
            assert high[b] - low[a] == pytest.approx(expected, abs=1e-9)


def learn(values, hierarchy, dtype=object):
    domain, _ = Domain.learn(pd.Series(values, dtype=dtype), "x")
    return hierarchy.bind(domain)


def top(costs):
    """Price what covers everything."""
    if costs.ground.bound.form == TREE:
        return costs.nodes()[-1, 0]
    return costs.listed()[2]


@pytest.mark.parametrize("loss", [LM(), NCP(), MI(), Entropy()])
@pytest.mark.parametrize("hierarchy", [Suppression(), Subsets(), Intervals()])
def test_a_column_of_one_value_costs_nothing(loss, hierarchy):
    for values in ([3.0], [3.0] * 4, [None, None]):
        costs = costs_of(loss, learn(values, hierarchy, float))
        assert top(costs) == 0
        if costs.ground.bound.form == TREE:
            assert not costs.nodes().any()
        else:
            high, low, _ = costs.listed()
            assert not np.any(high - low)


@pytest.mark.parametrize("loss", [LM(), NCP()])
def test_one_value_or_missing(loss):
    for hierarchy in (Suppression(), Subsets(), Intervals()):
        assert top(costs_of(loss, learn([3.0, None], hierarchy, float))) == 1


def test_lm_counts_the_leaves_of_a_hierarchy_not_the_values_met():
    towns = Taxonomy(
        ["Bern", "Basel", "Bonn", "Berlin", "Bremen"],
        [["CH", "CH", "DE", "DE", "DE"], ["*"] * 5],
    )
    bound = learn(["Bern", "Bonn"], towns)
    nodes = costs_of(LM(), bound, [0, 2]).nodes()
    assert bound.names == ["CH", "DE", "*"]
    assert nodes[5:, 0].tolist() == [0.25, 0.5, 1.0]


def test_ncp_measures_length_where_lm_counts():
    ages = [20, 21, 58, 60]
    bound = learn(ages, Intervals(), int)
    for loss, expected in ((LM(), 1 / 3), (NCP(), 1 / 40)):
        high, low, _ = costs_of(loss, bound).listed()
        assert high[1] - low[0] == pytest.approx(expected)
    tree = Taxonomy(ages, [["young", "young", "old", "old"], ["*"] * 4])
    nodes = costs_of(NCP(), learn(ages, tree, int)).nodes()
    assert nodes[4:, 0] == pytest.approx([1 / 40, 2 / 40, 1])


def test_ncp_of_values_without_an_order_counts_them():
    bound = learn(list("abcd"), Suppression())
    nodes = costs_of(NCP(), bound).nodes()
    np.testing.assert_array_equal(nodes, costs_of(LM(), bound).nodes())
    bound = learn(list("abcd"), Subsets())
    lists = zip(
        costs_of(NCP(), bound).listed(), costs_of(LM(), bound).listed(), strict=True
    )
    for part, other in lists:
        np.testing.assert_array_equal(part, other)


def test_ncp_of_a_leaf_without_a_place_in_the_order():
    """A category that the column lacks adds no length."""
    order = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    tree = Taxonomy(["low", "middle", "high"], [["rest", "rest", "high"], ["*"] * 3])
    bound = learn(["low", "high"], tree, order)
    nodes = costs_of(NCP(), bound, [0, 2]).nodes()[3:, 0].tolist()
    assert dict(zip(bound.names, nodes, strict=True)) == {"rest": 0.0, "*": 1.0}


def test_missing_values_cost_everything_with_any_other():
    values = [1.0, 2.0, 4.0, None]
    oracle = naive.intervals([1.0, 2.0, 4.0], True, {1.0: 1, 2.0: 2, 4.0: 4})
    costs = costs_of(NCP(), learn(values, Intervals(), float))
    mixed = oracle.closure(frozenset([2.0, MISSING]))
    assert top(costs) == naive.ncp(oracle, mixed) == 1
    high, low, _ = costs.listed()
    assert high[2] - low[0] == 1


@pytest.mark.parametrize(
    "values", [[-1.5e308, 1.0, 1.5e308], [0.0, 5e-324], [0.0, 1e-310, 1e-309]]
)
def test_ncp_of_extreme_ranges(values):
    high, low, _ = costs_of(NCP(), learn(values, Intervals(), float)).listed()
    assert high[-1] - low[0] == pytest.approx(1)
    assert (np.diff(high) >= 0).all()
    tree = Taxonomy(
        values, [["low", *["high"] * (len(values) - 1)], ["*"] * len(values)]
    )
    nodes = costs_of(NCP(), learn(values, tree, float)).nodes()
    assert nodes[-1, 0] == pytest.approx(1)

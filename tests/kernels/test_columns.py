"""Closures and their costs are those of the oracle, column by column."""

import compiled
import numpy as np
import pandas as pd
import pytest
from naive import UNKNOWN
from random_tables import KINDS, code_of, decode, random_pair

from skanon.kernels.columns import close
from skanon.losses import LM
from skanon.table import Schema

SEEDS = range(6)


J = 1
"""The column that is looked at stands behind a tree, so that its offsets matter."""


def column(kind, seed, measure, n=40):
    rng = np.random.RandomState(seed)
    pair = random_pair(rng, ["tree", kind], n, measure=measure, missing=0.2)
    return rng, pair, pair.schema.bounds[J], pair.table.columns[J]


def half_cost(pair, subset):
    """Price a subset; both columns weigh the same."""
    return pytest.approx(
        pair.table.measure(pair.table.columns[J], subset) / 2, abs=1e-14
    )


def values_to_join(rng, pair, oracle):
    """Draw values that the hierarchy knows, and at times one that it lacks."""
    known = [row[J] for row in pair.table.records]
    known += sorted(oracle.everything, key=repr)
    drawn = [known[at] for at in rng.randint(len(known), size=rng.randint(1, 8))]
    return [*drawn, UNKNOWN] if rng.randint(4) == 0 else drawn


@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("kind", KINDS)
def test_covering_one_value_after_another(kind, measure):
    for seed in SEEDS:
        rng, pair, bound, oracle = column(kind, seed, measure)
        columns = pair.schema.columns
        state, cost = np.zeros((2, 1 + bound.width), dtype=np.int64), np.zeros((2, 2))
        for _ in range(8):
            drawn = values_to_join(rng, pair, oracle)
            rng.shuffle(drawn)
            first, *rest = drawn
            cost[1, J] = compiled.single(columns, J, code_of(bound, first), state, 1)
            seen = {first}
            subset = oracle.closure(frozenset(seen))
            assert decode(bound, state[1, 1:]) == subset
            assert cost[1, J] == half_cost(pair, subset)
            for value in rest:
                code = code_of(bound, value)
                before = state[1].copy()
                rise = compiled.rise(columns, J, state, 1, cost, code)
                assert (state[1] == before).all()
                new = compiled.join(columns, J, code, state, 1, cost)
                assert new - cost[1, J] == pytest.approx(rise, abs=1e-14)
                assert rise >= 0
                cost[1, J] = new
                seen.add(value)
                subset = oracle.closure(frozenset(seen))
                assert decode(bound, state[1, 1:]) == subset
                assert new == half_cost(pair, subset)
            assert not state[0].any()  # neither the other row
            assert not state[1, 0]  # nor the other column is touched


@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("kind", KINDS)
def test_merging_two_closures(kind, measure):
    for seed in SEEDS:
        rng, pair, bound, oracle = column(kind, seed, measure)
        columns = pair.schema.columns
        for _ in range(8):
            sides = [values_to_join(rng, pair, oracle) for _ in range(2)]
            states = [closed(pair, values) for values in sides]
            other = states[1].copy()
            cost = compiled.merge(columns, J, states[0], 0, states[1], 0)
            subset = oracle.closure(frozenset(sides[0] + sides[1]))
            assert decode(bound, states[0][0, 1:]) == subset
            assert cost == half_cost(pair, subset)
            assert (states[1] == other).all()


def closed(pair, values):
    codes = [[0, code_of(pair.schema.bounds[J], value)] for value in values]
    labels = np.zeros(len(codes), dtype=np.int32)
    state, _ = close(pair.schema.columns, np.array(codes, dtype=np.int32), labels, 1)
    return state


@pytest.mark.parametrize("measure", ["lm", "ncp"])
def test_closing_whole_clusters_with_weights(measure):
    for seed in SEEDS:
        rng = np.random.RandomState(seed)
        kinds = list(rng.permutation(list(KINDS))[:4])
        weights = [*rng.choice([0.0, 0.5, 1.0, 3.0], size=3).tolist(), 2.0]
        pair = random_pair(rng, kinds, 50, measure=measure, weights=weights)
        labels = rng.randint(-1, 9, size=50).astype(np.int32)
        labels[:9] = np.arange(9)
        states, costs = close(pair.schema.columns, pair.codes, labels, 9)
        for h in range(9):
            closure = pair.table.closure(np.flatnonzero(labels == h).tolist())
            assert pair.decode(states[h]) == closure
            entries = np.multiply(pair.table.shares, pair.table.entry_costs(closure))
            np.testing.assert_allclose(costs[h], entries, atol=1e-14)
            assert costs[h].sum() == pytest.approx(pair.table.cost(closure), abs=1e-14)


@pytest.mark.parametrize("m", [1, 63, 64, 65, 127, 128, 129])
def test_every_bit_of_a_set(m):
    """Each value alone, and all but it: at the ends of 64-bit words, too."""
    frame = pd.DataFrame({"x": [f"{at:03}" for at in range(m)]})
    schema, codes = Schema.learn(frame, {"x": "subsets"}, LM())
    columns, bound = schema.columns, schema.bounds[0]
    alone, costs = close(columns, codes, np.arange(m, dtype=np.int32), m)
    assert [decode(bound, row) for row in alone] == [{x} for x in frame["x"]]
    assert not costs.any()
    for at in {0, m // 2, m - 1} if m > 1 else set():
        rest = [[code] for code in range(m) if code != at]
        state, costs = close(
            columns, np.array(rest, dtype=np.int32), np.zeros(m - 1, dtype=np.int32), 1
        )
        assert decode(bound, state[0]) == set(frame["x"]) - {frame["x"][at]}
        assert costs[0, 0] == pytest.approx((m - 2) / (m - 1))
        rise = compiled.rise(columns, 0, state, 0, costs, at)
        assert rise == pytest.approx(1 / (m - 1))
        assert compiled.merge(columns, 0, state, 0, alone, at) == pytest.approx(1)
        assert decode(bound, state[0]) == set(frame["x"])


@pytest.mark.parametrize("kind", ["flat", "subset", "interval", "date"])
def test_columns_of_missing_values_only(kind):
    rng = np.random.RandomState(0)
    pair = random_pair(rng, [kind], 4, missing=1.1)
    while len(pair.schema.bounds[0].values):
        pair = random_pair(rng, [kind], 4, missing=1.1)
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    states, costs = close(pair.schema.columns, pair.codes, labels, 2)
    assert [pair.decode(state) for state in states] == [pair.table.closure([0, 1])] * 2
    assert not costs.any()

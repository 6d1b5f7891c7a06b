"""Permissible subsets are the oracle's closures, column by column."""

import compiled
import numpy as np
import pandas as pd
import pytest
from naive import UNKNOWN
from random_tables import KINDS, code_of, decode, random_pair

from skanon._table.schema import Schema
from skanon.hierarchies._base import TREE
from skanon.kernels.core.closures import close, states_of
from skanon.losses import LM

SEEDS = range(6)

J = 1
"""The column that is looked at stands behind a tree, so that its offsets matter."""


def column(kind, seed, n=40):
    rng = np.random.RandomState(seed)
    pair = random_pair(rng, ["tree", kind], n, missing=0.2)
    return rng, pair, pair.schema.bounds[J], pair.table.columns[J]


def values_to_join(rng, pair, oracle):
    """Draw values that the hierarchy knows, and at times one that it lacks."""
    known = [row[J] for row in pair.table.records]
    known += sorted(oracle.everything, key=repr)
    drawn = [known[at] for at in rng.randint(len(known), size=rng.randint(1, 8))]
    return [*drawn, UNKNOWN] if rng.randint(4) == 0 else drawn


@pytest.mark.parametrize("kind", KINDS)
def test_covering_one_value_after_another(kind):
    for seed in SEEDS:
        rng, pair, bound, oracle = column(kind, seed)
        columns = pair.schema.columns
        state = np.zeros((2, 1 + bound.width), dtype=np.int64)
        for _ in range(8):
            drawn = values_to_join(rng, pair, oracle)
            rng.shuffle(drawn)
            seen = set()
            for value in drawn:
                write = compiled.join if seen else compiled.single
                write(columns, J, code_of(bound, value), state, 1)
                seen.add(value)
                subset = oracle.closure(frozenset(seen))
                assert decode(bound, state[1, 1:]) == subset - {UNKNOWN}
                whole = is_whole(bound, state[1, 1:], subset, oracle)
                assert compiled.covers_all(columns, J, state, 1) == whole
            assert not state[0].any()  # neither the other row
            assert not state[1, 0]  # nor the other column is touched


def is_whole(bound, state, subset, oracle):
    """A tree's inner node that happens to cover everything is not its root."""
    if bound.form == TREE:
        return state[0] == len(bound.parent) - 1
    return subset >= oracle.everything


@pytest.mark.parametrize("kind", KINDS)
def test_merging_two_closures(kind):
    for seed in SEEDS:
        rng, pair, bound, oracle = column(kind, seed)
        columns = pair.schema.columns
        for _ in range(8):
            sides = [values_to_join(rng, pair, oracle) for _ in range(2)]
            states = [closed(pair, values) for values in sides]
            other = states[1].copy()
            compiled.merge(columns, J, states[0], 0, states[1], 0)
            subset = oracle.closure(frozenset(sides[0] + sides[1]))
            assert decode(bound, states[0][0, 1:]) == subset - {UNKNOWN}
            whole = is_whole(bound, states[0][0, 1:], subset, oracle)
            assert compiled.covers_all(columns, J, states[0], 0) == whole
            assert (states[1] == other).all()
            assert states[0][0, 0] == other[0, 0]  # the other column is not touched


def closed(pair, values):
    codes = [[0, code_of(pair.schema.bounds[J], value)] for value in values]
    labels = np.zeros(len(codes), dtype=np.int32)
    cols = pair.schema.columns
    return states_of(cols.layout, cols.tree, np.array(codes, dtype=np.int32), labels, 1)


@pytest.mark.parametrize("m", [1, 63, 64, 65, 127, 128, 129])
def test_every_bit_of_a_set(m):
    """Each value alone, and all but it: at the ends of 64-bit words, too."""
    frame = pd.DataFrame({"x": [f"{at:03}" for at in range(m)]})
    schema, codes = Schema.learn(frame, {"x": "subsets"}, LM())
    columns, bound = schema.columns, schema.bounds[0]
    sensitive = np.zeros(m, dtype=np.int32)
    alone, costs = close(columns, codes, sensitive, np.arange(m, dtype=np.int32), m)
    assert [decode(bound, row) for row in alone] == [{x} for x in frame["x"]]
    assert not costs.any()
    for at in {0, m // 2, m - 1} if m > 1 else set():
        rest = np.delete(np.arange(m, dtype=np.int32), at)[:, None]
        labels = np.zeros(m - 1, dtype=np.int32)
        state, costs = close(columns, rest, sensitive, labels, 1)
        assert decode(bound, state[0]) == set(frame["x"]) - {frame["x"][at]}
        assert costs[0, 0] == pytest.approx((m - 2) / (m - 1))
        assert not compiled.covers_all(columns, 0, state, 0)
        rise = compiled.rise(columns, 0, state, 0, costs, at)
        assert rise == pytest.approx(1 / (m - 1))
        compiled.merge(columns, 0, state, 0, alone, at)
        assert compiled.price_of(columns, 0, state, 0) == pytest.approx(1)
        assert decode(bound, state[0]) == set(frame["x"])
        assert compiled.covers_all(columns, 0, state, 0)


@pytest.mark.parametrize("kind", ["flat", "subset", "interval", "date"])
def test_columns_of_missing_values_only(kind):
    rng = np.random.RandomState(0)
    pair = random_pair(rng, [kind], 4, missing=1.1)
    while len(pair.schema.bounds[0].values):
        pair = random_pair(rng, [kind], 4, missing=1.1)
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    states, costs = close(pair.schema.columns, pair.codes, pair.sensitive, labels, 2)
    assert [pair.decode(state) for state in states] == [pair.table.closure([0, 1])] * 2
    assert not costs.any()

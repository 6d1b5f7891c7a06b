"""Generalizing records by themselves, beside the oracle."""

import naive_consistency_fit as naive
import numpy as np
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon.kernels.consistency.expansion import (
    expand,
    join_neighbours,
    kinds_of,
    make_table,
)
from skanon.kernels.consistency.widening import price_rows, upgrade
from skanon.kernels.core.columns import state_width

TIES = [["flat"], ["subset", "flat"], ["constant", "flat"], ["interval"]]


def random_table(seed, n, measure):
    """Mixed columns, or few values so that much is equal or equally good."""
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    if seed % 3 == 2:
        kinds = TIES[seed % len(TIES)]
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    return rng, random_pair(rng, kinds, n, measure=measure, weights=weights)


def prepare(rng, pair):
    order = rng.permutation(pair.codes.shape[1]).astype(np.int32)
    return kinds_of(pair.schema.columns, pair.codes, pair.sensitive, order)


def generalize(method, pair, kinds, k, step):
    """Run an algorithm in steps; give each record its row of states."""
    cols = pair.schema.columns
    width = state_width(cols.layout)
    state = np.zeros((len(kinds.seed), width), dtype=np.int64)
    table = make_table(cols, kinds)
    for start in range(0, len(state), step):
        stop = min(start + step, len(state))
        method(cols, pair.codes, pair.sensitive, kinds, k, state, start, stop, table)
    return state[kinds.of_record]


def lift(pair, kinds, k, state, step):
    cols, n_widened = pair.schema.columns, 0
    rows = price_rows(cols, pair.sensitive, kinds.order, state)
    for start in range(0, len(kinds.first), step):
        stop = min(start + step, len(kinds.first))
        n_widened += upgrade(
            cols, pair.codes, pair.sensitive, kinds, k, state, rows, start, stop
        )
    return rows, n_widened


def decoded(pair, state):
    return [pair.decode(row) for row in state]


def test_kinds_of_records():
    rng, pair = random_table(0, 40, "pmi")
    kinds = prepare(rng, pair)
    firsts = sorted(set(naive.first_ones(pair.table)))
    assert kinds.first.tolist() == firsts
    for v, i in enumerate(firsts):
        equal = [x == pair.table.records[i] for x in pair.table.records]
        assert kinds.weight[v] == sum(equal)
        codes = np.empty(len(kinds.order), dtype=int)
        codes[kinds.order] = kinds.item[v] - kinds.offset[:-1]
        assert codes.tolist() == pair.codes[i].tolist()
    for i, h in enumerate(kinds.of_record):
        seed = kinds.seed[h]
        assert seed <= i and pair.sensitive[seed] == pair.sensitive[i]
        assert pair.table.records[seed] == pair.table.records[i]
        assert kinds.first[kinds.of_seed[h]] == firsts[kinds.of_seed[h]]
        assert (
            pair.table.records[kinds.first[kinds.of_seed[h]]] == (pair.table.records[i])
        )
    assert len(kinds.seed) == len(
        set(zip(pair.table.records, pair.sensitive.tolist(), strict=True))
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
def test_all_algorithms_equal_the_oracle(seed, measure):
    rng, pair = random_table(seed, 30, measure)
    kinds = prepare(rng, pair)
    k, step = rng.choice([1, 2, 3, 5, 8, 30]), rng.choice([1, 4, 100])
    methods = {expand: naive.by_expansion, join_neighbours: naive.by_neighbours}
    for method, oracle in methods.items():
        state = generalize(method, pair, kinds, k, step)
        expected = oracle(pair.table, k)
        assert decoded(pair, state) == expected
        assert min(naive.consistent_counts(pair.table, expected)[1]) >= k
        rows, n_widened = lift(pair, kinds, k, state, step)
        expected, expected_number = naive.upgraded(pair.table, expected, k)
        assert decoded(pair, state) == expected
        assert n_widened == expected_number
        assert min(map(min, naive.consistent_counts(pair.table, expected))) >= k
        paid = [naive.paid(pair.table, i, x) for i, x in enumerate(expected)]
        assert rows.cost.sum(axis=1) == pytest.approx(paid, abs=1e-10)


@pytest.mark.parametrize("measure", ["lm", "entropy", "pmi", "mi+pmi", "all"])
@pytest.mark.parametrize("seed", range(4))
def test_any_generalization_can_be_upgraded(seed, measure):
    """From the original table itself, and from one with a suppressed record."""
    rng, pair = random_table(seed, 30, measure)
    kinds = prepare(rng, pair)
    everybody = range(len(pair.codes))
    for k in (2, 5):
        state = generalize(expand, pair, kinds, 1, 100)
        start = [pair.table.closure([i]) for i in everybody]
        assert decoded(pair, state) == start
        if k == 5:
            state[3] = generalize(expand, pair, kinds, len(pair.codes), 100)[3]
            start[3] = pair.decode(state[3])
        _, n_widened = lift(pair, kinds, k, state, 7)
        expected, expected_number = naive.upgraded(pair.table, start, k)
        assert decoded(pair, state) == expected
        assert n_widened == expected_number


def test_equal_records_hide_each_other_at_no_cost():
    rng, pair = random_table(2, 30, "lm")
    kinds = prepare(rng, pair)
    k = int(kinds.weight.min())
    for method in (expand, join_neighbours):
        state = generalize(method, pair, kinds, k, 100)
        assert decoded(pair, state) == [
            pair.table.closure([i]) for i in range(len(pair.codes))
        ]
        assert lift(pair, kinds, k, state, 100)[1] == 0

"""What subsets cost, and cost at least, beside the oracle: for every loss."""

import compiled
import numpy as np
import pandas as pd
import pytest
from naive import UNKNOWN
from random_tables import GROWING, KINDS, LISTED, MEASURES, code_of, random_pair, seeded

from skanon._table.schema import Schema
from skanon.hierarchies import Taxonomy
from skanon.kernels.core.closures import close
from skanon.losses import PMI, Entropy

J = 1
"""The column that is looked at stands behind a tree, so that its offsets matter."""

WEIGHTS = [1.0, 2.0]

FALLING = ("entropy", "pmi", "mi+pmi", "ncp+entropy", "all")


def column(kind, measure, seed, n=40):
    rng = seeded(seed, measure)
    pair = random_pair(
        rng, ["tree", kind], n, measure=measure, weights=WEIGHTS, missing=0.2
    )
    return rng, pair


def growing_states(rng, pair, end=()):
    """Cover a record's value, then one more, and so on, until all are covered.

    Yields the row of states (the same again and again) and the subset.
    """
    bound, oracle = pair.schema.bounds[J], pair.table.columns[J]
    state = np.zeros((2, 1 + bound.width), dtype=np.int64)
    met = list(dict.fromkeys(row[J] for row in pair.table.records))
    first = met[rng.randint(len(met))]
    values = sorted(oracle.everything, key=repr)[:20]
    drawn = [first, *(values[at] for at in rng.permutation(len(values))), *end]
    seen = set()
    for value in drawn:
        write = compiled.join if seen else compiled.single
        write(pair.schema.columns, J, code_of(bound, value), state, 1)
        seen.add(value)
        yield state, oracle.closure(frozenset(seen))


def sensitives_in(pair, subset):
    """The numbers of the sensitive values that records of a subset have, and values."""
    held = pair.table.columns[J].sensitive_tally(subset)
    return [(c, y) for c, y in enumerate(np.unique(pair.y).tolist()) if y in held]


def expected(pair, subset, sensitive):
    value = next(iter(subset - {UNKNOWN}))
    cost = pair.table.entry_cost(J, subset, value, sensitive, searched=True)
    return pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_record_pays_by_its_sensitive_value(kind, measure):
    for seed in range(3):
        rng, pair = column(kind, measure, seed)
        cols = pair.schema.columns
        assert cols.curve is None or measure not in LISTED
        for state, subset in growing_states(rng, pair, [UNKNOWN]):
            for c, y in sensitives_in(pair, subset):
                if cols.curve is None:
                    paid = compiled.price_of(cols, J, state, 1)
                else:
                    paid, _ = compiled.entry(cols, cols.curve, J, state, 1, c)
                assert paid == expected(pair, subset, y)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_paid_where_the_sensitive_value_is_not_known(kind, measure):
    rng, pair = column(kind, measure, 3)
    cols = pair.schema.columns
    if cols.curve is None:
        return  # there it does not matter
    for state, subset in growing_states(rng, pair, [UNKNOWN]):
        unknown = cols.curve.whole.shape[1] - 1
        paid, least = compiled.entry(
            cols, cols.curve, J, state, 1, unknown if unknown > 1 else 0
        )
        average = pair.table.expected_entry(J, subset)
        assert paid == pytest.approx(average, abs=1e-12)
        assert least <= paid + 1e-12


@pytest.mark.parametrize("measure", [*LISTED, "tree", "mi"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_rise_of_a_price(kind, measure):
    for seed in range(4):
        rng, pair = column(kind, measure, seed)
        bound, cols = pair.schema.bounds[J], pair.schema.columns
        if cols.curve is not None:
            continue
        codes = [-1, *range(bound.n_codes)]
        cost = np.zeros((2, 2))
        for state, _ in growing_states(rng, pair):
            cost[1, J] = compiled.price_of(cols, J, state, 1)
            for code in codes[:20]:
                wider = state.copy()
                rise = compiled.rise(cols, J, state, 1, cost, code)
                assert (state == wider).all()
                compiled.join(cols, J, code, wider, 1)
                price = compiled.price_of(cols, J, wider, 1)
                assert rise == pytest.approx(price - cost[1, J], abs=1e-14)
                assert rise >= -1e-15


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
def test_floors_are_true_and_reached_at_the_top(kind, measure):
    """Nothing that covers a subset costs less than its floor says."""
    for seed in range(4):
        rng, pair = column(kind, measure, seed)
        cols = pair.schema.columns
        if cols.curve is None:
            return
        chain = []
        for state, subset in growing_states(rng, pair, [UNKNOWN]):
            costs, floors = np.transpose(
                [
                    compiled.entry(cols, cols.curve, J, state, 1, c)
                    for c in range(cols.curve.whole.shape[1])
                ]
            )
            held = [c for c, _ in sensitives_in(pair, subset)]
            present = [*held, len(floors) - 1]
            mix = np.zeros((2, len(floors) - 1), dtype=np.int32)
            mix[1, held] = rng.randint(5, size=len(held))
            summed = compiled.summed(cols, cols.curve, J, state, 1, mix, 1)
            known = costs[:-1][held] @ mix[1, held], floors[:-1][held] @ mix[1, held]
            assert summed == pytest.approx(known, abs=1e-11)
            joint = compiled.joint_floor(cols, cols.curve, J, state, 1, mix, summed[1])
            assert summed[1] - 1e-12 <= joint <= summed[0] + 1e-12
            chain.append((floors, mix[1], joint))
            for below, together, least in chain:
                assert (below[present] <= costs[present] + 1e-12).all()
                assert least <= costs[:-1] @ together + 1e-11
            if measure in GROWING:
                np.testing.assert_allclose(floors[present], costs[present])
        assert compiled.covers_all(cols, J, state, 1)
        np.testing.assert_allclose(floors[:-1], costs[:-1], atol=1e-12)
        assert joint == pytest.approx(summed[0], abs=1e-11)


@pytest.mark.parametrize("kind", ["interval", "subset"])
@pytest.mark.parametrize("measure", MEASURES)
def test_which_costs_fall(measure, kind):
    """Or the test of floors would tell nothing."""
    fell = False
    for seed in range(20):
        rng, pair = column(kind, measure, seed)
        before = {}
        for _, subset in growing_states(rng, pair):
            for _, y in sensitives_in(pair, subset):
                entry = subset, next(iter(subset)), y
                cost = pair.table.entry_cost(J, *entry, searched=True)
                fell |= cost < before.get(y, 0.0) - 0.01
                before[y] = cost
    assert fell == (measure in FALLING)


def test_entropy_in_a_tree_by_hand():
    """Bern and Basel leave more doubt than all towns, most of which are Bonn."""
    towns = Taxonomy(["Bern", "Basel", "Bonn"], [["CH", "CH", "DE"], ["*"] * 3])
    frame = pd.DataFrame({"x": ["Bern", "Basel", *["Bonn"] * 14]})
    schema, _ = Schema.learn(frame, {"x": towns}, Entropy())
    cols, names = schema.columns, schema.bounds[0].names
    whole = 2 * 4 / 16 + 14 / 16 * np.log2(16 / 14)
    for node, (cost, floor) in {
        0: (0, 0),
        3 + names.index("CH"): (1, whole),
        3 + names.index("*"): (whole, whole),
    }.items():
        state = np.array([[node]])
        found = compiled.entry(cols, cols.curve, 0, state, 0, 0)
        assert found == pytest.approx((cost, floor))
        mix = np.array([[2]], dtype=np.int32)
        summed = compiled.summed(cols, cols.curve, 0, state, 0, mix, 0)
        joint = compiled.joint_floor(cols, cols.curve, 0, state, 0, mix, summed[1])
        assert joint == pytest.approx(2 * floor)


def test_joint_floors_of_trees_see_that_not_all_sensitives_can_be_lucky_at_once():
    """CH suits one sensitive value and all towns the other; one of both must suffer."""
    towns = Taxonomy(["Bern", "Basel", "Bonn"], [["CH", "CH", "DE"], ["*"] * 3])
    frame = pd.DataFrame({"x": ["Bern", "Basel", *["Bonn"] * 4]})
    ill = np.array([0, 1, 1, 1, 1, 1], dtype=np.int32)
    schema, _ = Schema.learn(frame, {"x": towns}, PMI(), ill)
    cols = schema.columns
    state, mix = np.array([[3]]), np.array([[1, 1]], dtype=np.int32)
    assert schema.bounds[0].names[0] == "CH"
    paid, apart = compiled.summed(cols, cols.curve, 0, state, 0, mix, 0)
    joint = compiled.joint_floor(cols, cols.curve, 0, state, 0, mix, apart)
    assert paid == pytest.approx(1 + 1)
    assert apart == pytest.approx(1 + np.log2(6 / 5))
    assert joint == pytest.approx(min(1 + 1, np.log2(6) + np.log2(6 / 5)))


@pytest.mark.parametrize("measure", MEASURES)
def test_closing_whole_clusters_with_weights(measure):
    for seed in range(6):
        rng = seeded(seed, measure)
        kinds = list(rng.permutation(list(KINDS))[:4])
        weights = [*rng.choice([0.0, 0.5, 1.0, 3.0], size=3).tolist(), 2.0]
        pair = random_pair(rng, kinds, 50, measure=measure, weights=weights)
        labels = rng.randint(-1, 9, size=50).astype(np.int32)
        labels[:9] = np.arange(9)
        states, costs = close(
            pair.schema.columns, pair.codes, pair.sensitive, labels, 9
        )
        for h in range(9):
            members = np.flatnonzero(labels == h).tolist()
            assert pair.decode(states[h]) == pair.table.closure(members)
            by_column = pair.table.gcs_by_column(members)
            np.testing.assert_allclose(costs[h], by_column, atol=1e-12)

"""Clusters stay what they should be, whoever leaves or joins."""

import compiled
import numpy as np
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon.kernels.clustering.clusters import gather, leave
from skanon.kernels.core.columns import HIGH, OFFSET, TOP


def members_of(held, h):
    listed, i, before = [], held.head[h], -1
    while i >= 0:
        assert held.before[i] == before
        listed.append(int(i))
        i, before = held.after[i], i
    return listed


def check(rng, pair, held, h, members):
    """Compare everything that is kept about a cluster with the oracle's."""
    assert sorted(members_of(held, h)) == sorted(members)
    assert held.size[h] == len(members)
    assert (held.label[members] == h).all()
    if held.mixture is not None:
        sensitives = np.bincount(
            pair.sensitive[members], minlength=len(held.mixture.mix[h])
        )
        assert held.mixture.mix[h].tolist() == sensitives.tolist()
    if not members:
        return
    assert pair.decode(held.state[h]) == pair.table.closure(members)
    by_column = pair.table.gcs_by_column(members)
    np.testing.assert_allclose(held.cost[h], by_column, atol=1e-12)
    assert held.total[h] == pytest.approx(pair.table.gc(members), abs=1e-12)
    can_rise = [could_rise(pair, held, h, j) for j in held.order] + [True]
    for q in range(len(can_rise)):
        assert held.follow[h, q] == q + can_rise[q:].index(True)
    if held.mixture is not None:
        check_floors(pair, held, h)
        check_floors_are_true(rng, pair, held, h, members)


def could_rise(pair, held, h, j):
    cols = pair.schema.columns
    if cols.curve is None:
        top = cols.price[cols.layout[j, OFFSET] + cols.layout[j, TOP], HIGH]
        return held.cost[h, j] < top
    return not compiled.covers_all(cols, j, held.state, h)


def check_floors(pair, held, h):
    """Recompute what the mixture keeps."""
    cols, mixture = pair.schema.columns, held.mixture
    n_sensitive = mixture.mix.shape[1]
    r = len(held.order)
    floor = [
        sum(compiled.entry(cols, cols.curve, j, held.state, h, c)[1] for j in range(r))
        for c in range(n_sensitive)
    ]
    np.testing.assert_allclose(mixture.floor[h], floor, atol=1e-12)
    floored, above = [], []
    for j in range(r):
        paid, apart = compiled.summed(
            cols, cols.curve, j, held.state, h, mixture.mix, h
        )
        floored.append(
            compiled.joint_floor(cols, cols.curve, j, held.state, h, mixture.mix, apart)
        )
        above.append(paid - floored[-1])
    np.testing.assert_allclose(mixture.floored[h], floored, atol=1e-11)
    np.testing.assert_allclose(mixture.above[h], above, atol=1e-11)
    assert mixture.slack[h] == pytest.approx(sum(above), abs=1e-11)


def check_floors_are_true(rng, pair, held, h, members):
    """Nobody pays less than the floors, whoever joins."""
    table, mixture = pair.table, held.mixture
    joining = rng.permutation(len(pair.codes))[: rng.randint(1, 5)].tolist()
    wider = table.closure([*members, *joining])
    paid = np.sum([table.costs(wider, i, searched=True) for i in members], axis=0)
    assert (mixture.floored[h] <= paid + 1e-11).all()
    for i in joining:
        costs = table.costs(wider, i, searched=True)
        assert mixture.floor[h, pair.sensitive[i]] <= sum(costs) + 1e-11


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("measure", MEASURES)
def test_random_operations(seed, measure):
    rng = seeded(seed, measure)
    n, n_clusters = 30, 6
    kinds = list(rng.permutation(list(KINDS))[:4])
    pair = random_pair(rng, kinds, n, measure=measure)
    labels = rng.randint(-1, n_clusters - 1, size=n).astype(np.int32)  # one is empty
    order = rng.permutation(4).astype(np.int32)
    held = gather(
        pair.schema.columns, pair.codes, pair.sensitive, labels, n_clusters, order
    )
    expected = [np.flatnonzero(labels == h).tolist() for h in range(n_clusters)]
    for h in range(n_clusters):
        check(rng, pair, held, h, expected[h])
    for _ in range(30):
        i = rng.randint(n)
        own, h = held.label[i], rng.randint(n_clusters)
        if own >= 0:
            take_out(pair, held, expected, i)
            check(rng, pair, held, own, expected[own])
        if rng.randint(4):
            put_in(pair, held, expected, i, h)
            check(rng, pair, held, h, expected[h])
    for h in range(n_clusters):
        check(rng, pair, held, h, expected[h])


def take_out(pair, held, expected, i):
    cols, own = pair.schema.columns, held.label[i]
    expected[own].remove(i)
    state = np.zeros((1, held.state.shape[1]), dtype=np.int64)
    if expected[own]:
        n_sensitive = 1 if held.mixture is None else held.mixture.mix.shape[1]
        mix = np.zeros((1, n_sensitive), dtype=np.int32)
        before = held.state.copy(), held.cost.copy(), held.size.copy()
        rest = compiled.without(cols, pair.codes, held, i, state, mix)
        for kept, now in zip(before, (held.state, held.cost, held.size), strict=True):
            assert (kept == now).all()
        assert pair.decode(state[0]) == pair.table.closure(expected[own])
        assert rest == pytest.approx(pair.table.gc(expected[own]), abs=1e-12)
    leave(cols, held, i, state)
    assert held.label[i] == -1


def put_in(pair, held, expected, i, h):
    was_empty = not expected[h]
    expected[h].append(i)
    compiled.link(held, i, h)
    if was_empty:
        compiled.reclose(pair.schema.columns, pair.codes, held, h)
    else:
        compiled.cover(pair.schema.columns, pair.codes, held, i, h)


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_records_in_no_cluster_stay_out(measure):
    pair = random_pair(
        np.random.RandomState(0), ["flat", "interval"], 5, measure=measure
    )
    labels = np.array([-1, 0, -1, 0, -1], dtype=np.int32)
    order = np.arange(2, dtype=np.int32)
    held = gather(pair.schema.columns, pair.codes, pair.sensitive, labels, 2, order)
    assert held.label.tolist() == [-1, 0, -1, 0, -1]
    assert members_of(held, 0) == [1, 3]  # in the table's order
    assert held.size.tolist() == [2, 0]
    if measure == "pmi":
        assert held.mixture.mix.sum() == 2

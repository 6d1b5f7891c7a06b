"""Clusters stay what they should be, whoever leaves or joins."""

import compiled
import numpy as np
import pytest
from random_tables import KINDS, random_pair

from skanon.kernels.clusters import gather
from skanon.kernels.columns import HIGH, OFFSET, TOP


def members_of(held, h):
    listed, i, before = [], held.head[h], -1
    while i >= 0:
        assert held.before[i] == before
        listed.append(int(i))
        i, before = held.after[i], i
    return listed


def check(pair, held, expected):
    """Compare everything that is kept about clusters with the oracle's."""
    cols = pair.schema.columns
    tops = cols.price[cols.layout[:, OFFSET] + cols.layout[:, TOP], HIGH]
    for h, members in enumerate(expected):
        assert sorted(members_of(held, h)) == sorted(members)
        assert held.size[h] == len(members)
        assert (held.label[members] == h).all()
        if not members:
            continue
        assert pair.decode(held.state[h]) == pair.table.closure(members)
        assert held.total[h] == pytest.approx(pair.table.gc(members), abs=1e-13)
        assert held.cost[h].sum() == pytest.approx(held.total[h], abs=1e-13)
        can_rise = [held.cost[h, j] < tops[j] for j in held.order] + [True]
        for q in range(len(can_rise)):
            assert held.follow[h, q] == q + can_rise[q:].index(True)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", ["lm", "ncp"])
def test_random_operations(seed, measure):
    rng = np.random.RandomState(seed)
    n, n_clusters = 30, 6
    kinds = list(rng.permutation(list(KINDS))[:4])
    pair = random_pair(rng, kinds, n, measure=measure)
    cols, codes = pair.schema.columns, pair.codes
    labels = rng.randint(-1, n_clusters - 1, size=n).astype(np.int32)  # one is empty
    order = rng.permutation(4).astype(np.int32)
    held = gather(cols, codes, labels, n_clusters, order)
    expected = [np.flatnonzero(labels == h).tolist() for h in range(n_clusters)]
    check(pair, held, expected)
    for _ in range(40):
        i = rng.randint(n)
        leave(cols, codes, held, expected, pair, i)
        h = rng.randint(n_clusters)
        if held.label[i] < 0 and rng.randint(4):
            enter(cols, codes, held, expected, i, h)
        check(pair, held, expected)


def leave(cols, codes, held, expected, pair, i):
    own = held.label[i]
    if own < 0:
        return
    expected[own].remove(i)
    state = np.zeros((1, held.state.shape[1]), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    if not expected[own]:
        compiled.unlink(held, i)
        return
    before = held.state.copy()
    rest = compiled.without(cols, codes, held, i, state, cost)
    assert (held.state == before).all()
    assert pair.decode(state[0]) == pair.table.closure(expected[own])
    assert rest == pytest.approx(pair.table.gc(expected[own]), abs=1e-13)
    assert cost.sum() == pytest.approx(rest, abs=1e-13)
    compiled.unlink(held, i)
    held.state[own], held.cost[own], held.total[own] = state[0], cost[0], rest
    compiled.refollow(cols, held, own)


def enter(cols, codes, held, expected, i, h):
    was_empty = not expected[h]
    expected[h].append(i)
    if was_empty:
        compiled.link(held, i, h)
        compiled.reclose(cols, codes, held, h)
    else:
        compiled.cover(cols, codes, held, i, h)
        compiled.link(held, i, h)


def test_records_in_no_cluster_stay_out():
    pair = random_pair(np.random.RandomState(0), ["flat", "interval"], 5)
    labels = np.array([-1, 0, -1, 0, -1], dtype=np.int32)
    order = np.arange(2, dtype=np.int32)
    held = gather(pair.schema.columns, pair.codes, labels, 2, order)
    assert held.label.tolist() == [-1, 0, -1, 0, -1]
    assert members_of(held, 0) == [1, 3]  # in the table's order
    assert held.size.tolist() == [2, 0]

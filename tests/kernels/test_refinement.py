"""Clustering neighbouring clusters anew, beside the oracle."""

import naive
import naive_refinement
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon._table.schema import Schema
from skanon.kernels.clustering.clusters import gather
from skanon.kernels.clustering.refinement import _neighbours, refine, regroup
from skanon.kernels.core.curve import sensitive_scratch
from skanon.losses import NCP, ClassPenalty

TIES = [["flat"], ["subset", "flat"], ["constant", "flat"], ["interval"]]


def random_table(seed, n, measure):
    """Mixed columns, or few values so that much is equally good."""
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    if seed % 3 == 2:
        kinds = TIES[seed % len(TIES)]
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    return rng, random_pair(rng, kinds, n, measure=measure, weights=weights)


def random_clusters(rng, pair, k):
    """Clusters of at least k, in n // k slots of which some may be empty."""
    n = len(pair.codes)
    n_slots = n // k
    used = rng.permutation(n_slots)[: rng.randint(1, n_slots + 1)]
    labels = np.empty(n, dtype=np.int32)
    order = rng.permutation(n)
    labels[order[: k * len(used)]] = np.repeat(used, k)
    labels[order[k * len(used) :]] = rng.choice(used, size=n - k * len(used))
    columns = rng.permutation(pair.codes.shape[1]).astype(np.int32)
    held = gather(
        pair.schema.columns, pair.codes, pair.sensitive, labels, n_slots, columns
    )
    return held, [np.flatnonzero(labels == h).tolist() for h in range(n_slots)]


def width(pair):
    return sum(bound.width for bound in pair.schema.bounds)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(5))
def test_regrouping_equals_the_oracle(seed, measure):
    rng, pair = random_table(seed, 40, measure)
    for k in (2, 3, 5):
        pool = np.sort(rng.permutation(40)[: rng.randint(k, 18)]).astype(np.int32)
        seed = rng.randint(len(pool))
        home, loss = regroup(
            pair.schema.columns, pair.codes, pair.sensitive, pool, k, seed, width(pair)
        )
        expected = naive_refinement.regroup(pair.table, pool.tolist(), k, seed)
        found = [pool[home == h].tolist() for h in range(home.max() + 1)]
        assert found == [sorted(members) for members in expected]
        assert loss == pytest.approx(pair.table.summed(expected), abs=1e-10)
        assert len(found) == len(pool) // k
        assert min(map(len, found)) >= k


@pytest.mark.parametrize(
    ("ages", "homes"),
    [
        # 20 is furthest from [1, 2], then 3 is further from [18, 20] than 9
        ([1, 3, 2, 20, 18, 9], [0, 2, 0, 1, 1, 2]),
        # 9 is left over: all three pay 8 in [1, 9], and 11 in [9, 20]
        ([1, 2, 20, 18, 9], [0, 0, 1, 1, 0]),
        ([5, 5, 5, 5], [0, 0, 1, 1]),
    ],
)
def test_pools_regrouped_by_hand(ages, homes):
    schema, codes = Schema.learn(pd.DataFrame({"age": ages}), {}, NCP())
    pool = np.arange(len(ages), dtype=np.int32)
    sensitive = np.zeros(len(ages), dtype=np.int32)
    home, _ = regroup(schema.columns, codes, sensitive, pool, 2, 0, 2)
    assert home.tolist() == homes


def test_a_pool_regrouped_by_hand_for_its_sensitive_values():
    """1 goes with 4 rather than 3, whose sensitive value is another."""
    frame, ill = pd.DataFrame({"age": [1, 3, 4, 6]}), np.array([0, 1, 0, 1], np.int32)
    loss = NCP() + ClassPenalty()
    schema, codes = Schema.learn(frame, {}, loss, ill)
    pool = np.arange(4, dtype=np.int32)
    home, summed = regroup(schema.columns, codes, ill, pool, 2, 0, 2)
    assert home.tolist() == [0, 1, 0, 1]
    assert summed == pytest.approx(2 * 3 / 5 + 2 * 3 / 5)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_clusters_equal_the_oracles(seed, measure):
    rng, pair = random_table(seed, 40, measure)
    held, clusters = random_clusters(rng, pair, 3)
    scratch = np.zeros((1, width(pair)), dtype=np.int64)
    mix = sensitive_scratch(pair.schema.columns.curve)
    for h in np.flatnonzero(held.size):
        for n_near in (0, 1, 2, 5, 40):
            near = _neighbours(pair.schema.columns, held, h, n_near, scratch, mix)
            expected = naive_refinement.neighbours(pair.table, clusters, h, n_near)
            assert near.tolist() == expected
            assert len(near) == min(n_near + 1, np.count_nonzero(held.size))


def compare_rounds(pair, rng, k, n_near=2, n_rounds=2):
    """Compare slots, loss and count after each round; return the last count."""
    held, clusters = random_clusters(rng, pair, k)
    n, n_slots = len(pair.codes), len(clusters)
    n_better = None
    for _ in range(n_rounds):
        before = pair.table.summed(clusters)
        visits = rng.permutation(n_slots).astype(np.int32)
        chances = rng.uniform(size=(n_slots, 2))
        chances[rng.uniform(size=chances.shape) < 0.1] = 1.0  # the last record
        n_better = refine(
            pair.schema.columns,
            pair.codes,
            pair.sensitive,
            held,
            k,
            visits,
            chances,
            n_near,
        )
        expected = naive_refinement.refine(
            pair.table, clusters, k, visits.tolist(), chances.tolist(), n_near
        )
        assert n_better == expected
        assert held.label.tolist() == naive.labels_of(clusters, n)
        after = pair.table.summed(clusters)
        assert held.size @ held.total == pytest.approx(after, abs=1e-10)
        assert after < before or (n_better == 0 and after == before)
        assert held.size.tolist() == list(map(len, clusters))
        assert held.size.sum() == n
        assert held.size[held.size > 0].min() >= k
    return n_better


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(5))
def test_rounds_equal_the_oracle(seed, measure):
    rng, pair = random_table(seed, 36, measure)
    compare_rounds(pair, rng, k=(2, 3, 4, 7)[seed % 4])


@pytest.mark.parametrize("n_near", [0, 1, 4])
def test_smaller_and_larger_pools(n_near):
    for seed in range(3):
        rng, pair = random_table(seed, 30, ["lm", "pmi", "lm+penalty"][seed])
        compare_rounds(pair, rng, k=3, n_near=n_near)


@pytest.mark.parametrize("k", [18, 19, 35, 36])
def test_few_large_clusters(k):
    rng, pair = random_table(k, 36, ["lm", "pmi"][k % 2])
    compare_rounds(pair, rng, k)


def test_one_cluster_of_all_falls_into_as_many_as_there_can_be():
    """The only slot in use is the last; the others must be found."""
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "interval"], 31, missing=0)
    labels = np.full(31, 9, dtype=np.int32)
    order = np.arange(2, dtype=np.int32)
    held = gather(pair.schema.columns, pair.codes, pair.sensitive, labels, 10, order)
    visits = np.arange(10, dtype=np.int32)
    chances = rng.uniform(size=(10, 2))
    refine(pair.schema.columns, pair.codes, pair.sensitive, held, 3, visits, chances, 2)
    assert sorted(held.size.tolist()) == [3] * 9 + [4]


def test_calls_cut_into_parts_change_nothing():
    for seed in range(4):
        results = []
        for step in (1, 5, 99):
            rng, pair = random_table(seed, 60, ["lm", "mi+pmi"][seed % 2])
            held, _ = random_clusters(rng, pair, 3)
            visits = rng.permutation(20).astype(np.int32)
            chances = rng.uniform(size=(20, 2))
            better = 0
            for at in range(0, 20, step):
                here = slice(at, at + step)
                better += refine(
                    pair.schema.columns,
                    pair.codes,
                    pair.sensitive,
                    held,
                    3,
                    visits[here],
                    chances[here],
                    2,
                )
            results.append((better, held.label.tolist()))
        assert results[0] == results[1] == results[2]


def test_what_is_best_already_stays():
    pair = random_pair(np.random.RandomState(0), ["constant"], 12)
    rng = np.random.RandomState(1)
    assert compare_rounds(pair, rng, 3) == 0

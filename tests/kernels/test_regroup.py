"""Clustering a few records greedily, beside the oracle."""

import naive_regroup
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon._table.schema import Schema
from skanon.kernels.clustering.regroup import regroup
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
        expected = naive_regroup.regroup(pair.table, pool.tolist(), k, seed)
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

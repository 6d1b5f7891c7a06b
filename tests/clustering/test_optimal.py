"""The optimum, beside all partitions one after the other."""

import math

import naive
import numpy as np
import pandas as pd
import pytest
from naive_optimal import partitions
from random_tables import KINDS, MEASURES, random_pair
from sklearn.base import clone

from skanon import MondrianAnonymizer, SequentialAnonymizer
from skanon.clustering._optimal import MOST_RECORDS, OptimalAnonymizer
from skanon.exceptions import InfeasibleError


def least(pair, k, may_drop=0, fewest=1):
    records = list(range(len(pair.frame)))
    return min(
        pair.table.summed(clusters) + sum(map(pair.table.suppressed, dropped))
        for clusters, dropped in partitions(records, k, may_drop)
        if not dropped or len(dropped) >= fewest
    )


def pairs(measure, seed):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:2])
    return random_pair(rng, kinds, int(rng.randint(5, 8)), measure=measure)


def fit(pair, k, **parameters):
    anonymizer = OptimalAnonymizer(
        k, hierarchies=pair.hierarchies, loss=pair.loss, **parameters
    )
    return anonymizer.fit(pair.frame, pair.y)


def summed(pair, fitted):
    clusters = naive.clusters_of(fitted.labels_[~fitted.suppressed_].tolist())
    rows = np.flatnonzero(~fitted.suppressed_)
    clusters = [[int(rows[i]) for i in members] for members in clusters]
    dropped = np.flatnonzero(fitted.suppressed_).tolist()
    return pair.table.summed(clusters) + sum(map(pair.table.suppressed, dropped))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", MEASURES)
def test_no_partition_is_better(measure, seed):
    pair = pairs(measure, seed)
    for k in (2, 3):
        # clusters with one closure are one class, which a class penalty dislikes
        labels = OptimalAnonymizer(k)._cluster(pair.problem(k))
        clusters = naive.clusters_of(labels.tolist())
        assert min(map(len, clusters)) >= k
        assert pair.table.summed(clusters) == pytest.approx(least(pair, k), abs=1e-9)


@pytest.mark.parametrize("suppressed", ["keep", "drop"])
@pytest.mark.parametrize("measure", ["lm", "pmi", "entropy"])
def test_nor_any_with_suppressed_records(measure, suppressed):
    for seed in range(3):
        pair = pairs(measure, 10 + seed)
        fitted = fit(pair, 2, max_suppression=0.4, suppressed=suppressed)
        dropped = math.floor(0.4 * len(pair.frame))
        assert fitted.suppressed_.sum() <= dropped
        expected = least(pair, 2, dropped, 2 if suppressed == "keep" else 1)
        assert summed(pair, fitted) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("others", [SequentialAnonymizer, MondrianAnonymizer])
def test_no_other_algorithm_is_better(others):
    for seed in range(5):
        pair = random_pair(np.random.RandomState(seed), ["interval", "tree"], 12)
        best = fit(pair, 3).information_loss_
        found = others(3, hierarchies=pair.hierarchies, loss=pair.loss)
        assert best <= found.fit(pair.frame).information_loss_ + 1e-12


def test_tables_that_are_too_large_are_refused():
    table = pd.DataFrame({"x": range(MOST_RECORDS + 1)})
    with pytest.raises(InfeasibleError, match="17 records; 16 is the limit"):
        OptimalAnonymizer(2).fit(table)
    OptimalAnonymizer(7).fit(table.iloc[:14])


def test_transform_of_the_fitted_table_is_the_release():
    pair = random_pair(np.random.RandomState(3), ["interval", "flat"], 9)
    fitted = fit(pair, 2)
    again = clone(fitted).fit_transform(pair.frame, pair.y)
    pd.testing.assert_frame_equal(fitted.transform(pair.frame), again)


@pytest.mark.parametrize("seed", range(12))
def test_a_second_try_suppresses_no_more_than_may_be(seed):
    """It clusters the rest anew, and suppresses some of them for itself."""
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "a": rng.randint(40, size=14),
            "b": rng.choice(list("xxxyz"), size=14),
            "c": rng.choice(list("uv"), size=14),
        }
    )
    fitted = OptimalAnonymizer(5, max_suppression=0.1).fit(frame)
    assert fitted.suppressed_.sum() <= 1
    without = OptimalAnonymizer(5).fit(frame)
    assert fitted.information_loss_ <= without.information_loss_ + 1e-12

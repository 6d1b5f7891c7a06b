"""Suppression of outliers and assignment of other records, beside the oracle."""

import naive
import numpy as np
import pytest
from naive import MISSING, UNKNOWN
from random_tables import KINDS, code_of, random_pair

from skanon.kernels.assignment import assign
from skanon.kernels.columns import close
from skanon.kernels.suppression import suppress_outliers


@pytest.mark.parametrize("seed", range(16))
def test_suppressing_outliers(seed):
    rng = np.random.RandomState(seed)
    many = list(rng.permutation(list(KINDS))[:3])
    kinds = [many, ["flat", "flat"], ["interval"], ["subset"]][seed % 4]
    pair = random_pair(rng, kinds, 40, measure=["lm", "ncp"][seed % 2])
    labels = rng.randint(-1, 5, size=40).astype(np.int32)
    labels[:5] = np.arange(5)
    k, budget = 4, int(rng.randint(1, 12))
    clusters = [np.flatnonzero(labels == h).tolist() for h in range(5)]
    before = pair.table.summed(clusters)
    expected = naive.suppress_outliers(pair.table, clusters, k, budget, 1.0)
    cols = pair.schema.columns
    result = suppress_outliers(cols, pair.codes, labels, 5, k, budget, 1.0)
    assert result.tolist() == naive.labels_of(clusters, 40)
    assert len(expected) <= budget
    assert pair.table.summed(clusters) + len(expected) <= before


def test_no_cluster_falls_below_k():
    pair = random_pair(np.random.RandomState(0), ["flat"] * 3, 30)
    labels = (np.arange(30) % 3).astype(np.int32)
    cols = pair.schema.columns
    result = suppress_outliers(cols, pair.codes, labels, 3, 8, 30, 0.0)
    assert np.bincount(result[result >= 0]).tolist() == [8, 8, 8]


@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("seed", range(6))
def test_assigning_other_records(seed, measure):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:3]) if seed % 2 else ["flat", "subset"]
    pair = random_pair(rng, kinds, 40, measure=measure)
    labels = (np.arange(40) % 9).astype(np.int32)
    states, costs = close(pair.schema.columns, pair.codes, labels, 9)
    classes = [pair.table.closure(c) for c in naive.clusters_of(labels.tolist())]
    records = [other_record(rng, pair) for _ in range(30)]
    codes = [
        [code_of(b, v) for b, v in zip(pair.schema.bounds, record, strict=True)]
        for record in records
    ]
    found = assign(pair.schema.columns, np.array(codes, dtype=np.int32), states, costs)
    assert found.tolist() == [naive.assign(pair.table, classes, r) for r in records]


def other_record(rng, pair):
    record = []
    for column in pair.table.columns:
        choice = [*sorted(column.everything - {MISSING}, key=repr), UNKNOWN]
        choice += [MISSING] * (MISSING in column.everything)
        record.append(choice[rng.randint(len(choice))])
    return record


def test_the_first_of_equally_cheap_classes():
    pair = random_pair(np.random.RandomState(0), ["flat"], 20, missing=0)
    labels = (np.arange(20) % 4).astype(np.int32)
    columns = pair.schema.columns
    states, costs = close(columns, pair.codes, labels, 4)
    unknown = np.array([[-1]], dtype=np.int32)
    assert assign(columns, unknown, states, costs).tolist() == [0]

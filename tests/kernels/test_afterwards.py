"""Suppression of outliers and assignment of other records, beside the oracle."""

import naive
import numpy as np
import pytest
from naive import MISSING, UNKNOWN
from random_tables import KINDS, MEASURES, code_of, random_pair, seeded

from skanon.kernels.clustering.assignment import assign
from skanon.kernels.clustering.clusters import gather
from skanon.kernels.clustering.suppression import suppress_outliers
from skanon.kernels.core.closures import close


def suppress(pair, labels, k, budget, whole, wanted=1):
    """Suppress outliers of clusters; return the labels."""
    order = np.arange(pair.codes.shape[1], dtype=np.int32)
    held = gather(
        pair.schema.columns, pair.codes, pair.sensitive, labels, labels.max() + 1, order
    )
    suppress_outliers(
        pair.schema.columns, pair.codes, pair.sensitive, held, k, budget, wanted, whole
    )
    return held.label


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("wanted", [1, 5])
def test_suppressing_outliers(seed, measure, wanted):
    rng = seeded(seed, measure)
    many = list(rng.permutation(list(KINDS))[:3])
    kinds = [many, many, ["flat", "flat"], many, ["interval"], ["subset"]][seed]
    pair = random_pair(rng, kinds, 40, measure=measure)
    labels = rng.randint(-1, 5, size=40).astype(np.int32)
    labels[:5] = np.arange(5)
    k, budget = [(1, 4)[seed % 2], int(rng.randint(1, 12))]
    clusters = [np.flatnonzero(labels == h).tolist() for h in range(5)]
    before = pair.table.summed(clusters)
    expected = naive.suppress_outliers(pair.table, clusters, k, budget, wanted)
    by_sensitive = np.zeros(pair.sensitive.max() + 1)
    for i, c in enumerate(pair.sensitive.tolist()):
        by_sensitive[c] = pair.table.suppressed(i)
    result = suppress(pair, labels, k, budget, by_sensitive, wanted)
    assert result.tolist() == naive.labels_of(clusters, 40)
    assert len(expected) <= budget
    hidden = sum(pair.table.suppressed(i) for i in expected)
    if wanted == 1:
        assert pair.table.summed(clusters) + hidden <= before + 1e-12


@pytest.mark.parametrize("measure", MEASURES)
def test_what_a_suppressed_record_pays(measure):
    rng = seeded(1, measure)
    for _ in range(3):
        kinds = list(rng.permutation(list(KINDS))[:3])
        pair = random_pair(rng, kinds, 30, measure=measure, weights=[1, 0.5, 2])
        paid = pair.schema.suppressed
        assert paid.shape == (3, pair.sensitive.max() + 1)
        for i, c in enumerate(pair.sensitive.tolist()):
            costs = pair.table.costs(None, i, searched=True)
            np.testing.assert_allclose(paid[:, c], costs, atol=1e-12)


@pytest.mark.parametrize("measure", ["lm", "lm+penalty"])
def test_no_cluster_falls_below_k(measure):
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["flat"] * 3, 30, measure=measure)
    labels = (np.arange(30) % 3).astype(np.int32)
    nothing = np.zeros(pair.sensitive.max() + 1)
    result = suppress(pair, labels, 8, 30, nothing)
    assert np.bincount(result[result >= 0]).tolist() == [8, 8, 8]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
def test_assigning_other_records(seed, measure):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:3])
    kinds = [["flat", "subset"], kinds, kinds][seed % 3]
    pair = random_pair(rng, kinds, 40, measure=measure)
    labels = (np.arange(40) % 9).astype(np.int32)
    columns = pair.schema.columns
    states, _ = close(columns, pair.codes, pair.sensitive, labels, 9)
    classes = [pair.table.closure(c) for c in naive.clusters_of(labels.tolist())]
    records = [other_record(rng, pair) for _ in range(30)]
    codes = [
        [code_of(b, v) for b, v in zip(pair.schema.bounds, record, strict=True)]
        for record in records
    ]
    found = assign(columns, columns.curve, np.array(codes, dtype=np.int32), states)
    assert found.tolist() == [naive.assign(pair.table, classes, r) for r in records]


def other_record(rng, pair):
    record = []
    for column in pair.table.columns:
        choice = [*sorted(column.everything - {MISSING}, key=repr), UNKNOWN]
        choice += [MISSING] * (MISSING in column.everything)
        record.append(choice[rng.randint(len(choice))])
    return record


@pytest.mark.parametrize("measure", MEASURES)
def test_the_first_of_equally_cheap_classes(measure):
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["flat"], 20, missing=0, measure=measure)
    labels = (np.arange(20) % 4).astype(np.int32)
    columns = pair.schema.columns
    states, _ = close(columns, pair.codes, pair.sensitive, labels, 4)
    unknown = np.array([[-1]], dtype=np.int32)
    assert assign(columns, columns.curve, unknown, states).tolist() == [0]

"""One-pass k-means: worked by hand, beside the oracle, and what it promises."""

import naive
import naive_one_pass_k_means
import numpy as np
import pandas as pd
import pytest
from clustered import (
    arranged,
    clusters_by,
    equals_oracle,
    fit,
    keeps_k,
    mixed_pair,
    tells_only_on_request,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import KINDS, MEASURES

from skanon import KAnonymizer
from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import _one_pass_run as _means
from skanon.clustering._one_pass_k_means import OnePassKMeansAnonymizer
from skanon.clustering._one_pass_run import Means
from skanon.exceptions import ParameterError
from skanon.hierarchies import Taxonomy
from skanon.losses import ByunInformationLoss


def oracle(pair, k, seed=0, fraction=0.0, **parameters):
    """Draw what the algorithm draws, and run the oracle with it."""
    draws = np.random.RandomState(seed)
    n = len(pair.codes)
    seeds = draws.permutation(n)[: n // k].tolist()
    return naive_one_pass_k_means.oka(
        pair.table,
        k,
        seeds,
        lambda removed: draws.permutation(removed).tolist(),
        budget=int(fraction * n),
        **parameters,
    )


# -------------------------------------------------------------- worked by hand


def means_of(values, k, seeds, hierarchy="intervals"):
    frame = pd.DataFrame({"x": values})
    schema, codes = Schema.learn(frame, {"x": hierarchy}, ByunInformationLoss())
    sensitive = np.zeros(len(frame), dtype=np.int32)
    return Means(Problem(schema, codes, sensitive, k, None, None, 0), np.array(seeds))


def test_a_record_joins_the_closest_cluster_by_size_and_centroid():
    means = means_of([0, 10, 1, 2, 3, 9], 3, [0, 1])
    # 3: from 0 1 2 it is 3 * 2, from 10 it is 7
    means.visit(np.arange(2, 6))
    assert means.labels.tolist() == [0, 1, 0, 0, 0, 1]
    means = means_of([0, 10, 1, 2, 4, 9], 3, [0, 1])
    # 4: from 0 1 2 it is 3 * 3, from 10 it is 6; then 9 is 2 * 2 from 10 4
    means.visit(np.arange(2, 6))
    assert means.labels.tolist() == [0, 1, 0, 0, 1, 1]


def test_the_centroid_follows_at_once():
    means = means_of([0, 20, 8, 9], 2, [0, 1])
    # 8 joins 0; 9 is 2 * 5 from their mean 4, and 11 from 20
    means.visit(np.arange(2, 4))
    assert means.labels.tolist() == [0, 1, 0, 0]


def test_the_furthest_leave_and_fill_small_clusters():
    means = means_of([0, 10, 1, 2, 3, 9], 3, [0, 1])
    means.visit(np.arange(2, 6))
    assert means.small().tolist() == [1]
    # 0 and 3 are equally far from 1.5: the first of them leaves
    assert means.trim().tolist() == [0]
    assert means.labels.tolist() == [-1, 1, 0, 0, 0, 1]
    means.visit(np.array([0]), fill=True)
    assert means.labels.tolist() == [1, 1, 0, 0, 0, 1]


def test_those_beyond_join_the_closest_of_all():
    means = means_of([0, 1, 2, 3, 10, 12, 14], 3, [0, 4])
    means.visit(np.array([1, 2, 3, 5, 6]))
    assert means.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert means.trim().tolist() == [0]
    means.visit(np.array([0]), fill=True)
    assert means.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_the_centroid_of_categories_is_the_lowest_common_ancestor():
    tree = Taxonomy(
        ["Bern", "Basel", "Bonn", "Ulm"], [["CH", "CH", "DE", "DE"], ["Europe"] * 4]
    )
    towns = ["Bern", "Bonn", "Basel", "Ulm", "Bern"]
    means = means_of(towns, 2, [0, 1], tree)
    # Basel and Bern: half of the height; then Bern is 2 * 1/2 from CH and 1 from Bonn
    means.visit(np.array([2, 4]))
    assert means.labels.tolist() == [0, 1, 0, -1, 0]
    # Ulm: 3 * 1 from CH, 1/2 from Bonn
    means.visit(np.array([3]))
    assert means.labels.tolist() == [0, 1, 0, 1, 0]


def test_missing_values_are_as_far_as_can_be():
    means = means_of([0, 10, None, 1, None, 8], 2, [0, 1, 2])
    means.visit(np.array([3, 4, 5]))
    assert means.labels.tolist() == [0, 1, 2, 0, 2, 1]
    means = means_of([0, None, 10, 10], 2, [0, 1])
    means.visit(np.array([2, 3]))
    # 10: from 0 it is 1, from the missing one, too; then 2 * 1/2 from 0 10, and 1
    assert means.labels.tolist() == [0, 1, 0, 0]


def test_a_second_pass_brings_records_home():
    means = means_of([0, 2, 9, 10, 11], 2, [0, 1])
    order = np.arange(5)
    means.visit(order[2:])
    assert means.labels.tolist() == [0, 1, 1, 1, 0]
    assert means.visit(order) == 2
    assert means.labels.tolist() == [0, 0, 1, 1, 1]


def test_a_small_cluster_is_suppressed_where_that_loses_less():
    def suppressed(values, budget):
        means = means_of(values, 3, [0, 4])
        means.visit(np.array([1, 2, 3, 5]))
        assert means.labels.tolist() == [0, 0, 0, 0, 1, 1]
        small, removed = means.small(), means.trim()
        assert small.tolist() == [1]
        means.visit(removed, fill=True)
        assert means.labels.tolist() == [1, 0, 0, 0, 1, 1]
        n = means.suppress(small, removed, budget)
        assert n == (means.labels < 0).sum()
        return means.labels.tolist()

    # 0 joins 98 100, which costs 3 * 1; to suppress the two 2, and 0 1 2 3 cost 0.12
    far = [0, 1, 2, 3, 98, 100]
    assert suppressed(far, 2) == [0, 0, 0, 0, -1, -1]
    assert suppressed(far, 1) == [1, 0, 0, 0, 1, 1]
    assert suppressed(far, 0) == [1, 0, 0, 0, 1, 1]


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("n_passes", [1, 2, 9])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure, n_passes):
    for seed in range(4):
        pair = mixed_pair(10 * n_passes + seed, measure=measure)
        k = (2, 3, 6, 13)[seed]
        fitted = fit(
            OnePassKMeansAnonymizer, pair, k, random_state=seed, n_passes=n_passes
        )
        clusters, n_iter = oracle(pair, k, seed, n_passes=n_passes)
        equals_oracle(fitted, pair, clusters)
        assert fitted.n_iter_ == n_iter


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind])
        found = clusters_by(OnePassKMeansAnonymizer(n_passes=2), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed, n_passes=2)[0])


@pytest.mark.parametrize("measure", ["lm", "entropy"])
def test_trees_too_large_for_the_table_equal_the_oracle(monkeypatch, measure):
    monkeypatch.setattr(_means, "FEW_NODES", 0)
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure, kinds=["tree", "subset", "flat"])
        found = clusters_by(OnePassKMeansAnonymizer(), pair, 20, seed)
        assert found == arranged(oracle(pair, 20, seed)[0])


@pytest.mark.parametrize("measure", MEASURES)
def test_suppressing_small_clusters_equals_the_oracle(measure):
    n_suppressed = 0
    for seed in range(6):
        pair = mixed_pair(100 + seed, measure=measure)
        k, fraction = (2, 3, 4, 5, 6, 7)[seed], (0.1, 0.3, 1.0)[seed % 3]
        anonymizer = OnePassKMeansAnonymizer(
            suppress_small=True, max_suppression=fraction
        )
        found = clusters_by(anonymizer, pair, k, seed)
        clusters, _ = oracle(pair, k, seed, fraction)
        assert found == arranged(clusters)
        n_suppressed += 40 - sum(map(len, clusters))
    assert n_suppressed > 0 or measure == "penalty"


@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_records_equal_the_oracle(kinds):
    pair = mixed_pair(1, n=70, kinds=kinds)
    for seed, k in enumerate((2, 6)):
        found = clusters_by(OnePassKMeansAnonymizer(n_passes=2), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed, n_passes=2)[0])


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(OnePassKMeansAnonymizer(), pair, 3)
    assert found == arranged(oracle(pair, 3)[0])


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=90, measure=measure)
    found = []
    for work in (50_000_000, 1, 500):
        monkeypatch.setattr(_means, "WORK", work)
        fitted = fit(
            OnePassKMeansAnonymizer,
            pair,
            4,
            random_state=2,
            n_passes=3,
            suppress_small=True,
            max_suppression=0.1,
        )
        found.append(fitted.labels_.tolist())
    assert found[0] == found[1] == found[2]


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.booleans(),
)
@settings(max_examples=40)
def test_never_a_class_below_k(k, part, seed, measure, fraction, suppress_small):
    pair = mixed_pair(seed, n=k + int(part * 2 * k), measure=measure)
    fitted = fit(
        OnePassKMeansAnonymizer,
        pair,
        k,
        random_state=seed,
        n_passes=1 + seed % 3,
        max_suppression=fraction,
        suppress_small=suppress_small and fraction > 0,
    )
    keeps_k(fitted, pair, k, fraction)


def test_at_most_k_minus_1_records_are_beyond_k():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(125)})
    for k in (2, 7, 10, 62, 63):
        fitted = OnePassKMeansAnonymizer(k, random_state=0).fit(frame)
        assert len(fitted.class_sizes_) == 125 // k
        assert (fitted.class_sizes_ - k).sum() == 125 % k


def test_suppressing_small_clusters_never_loses_more():
    better = 0
    for seed in range(12):
        pair = mixed_pair(seed, n=60)
        problem = pair.problem(4, np.random.RandomState(seed))
        whole = OnePassKMeansAnonymizer()._cluster(problem)
        problem = pair.problem(4, np.random.RandomState(seed))
        labels = OnePassKMeansAnonymizer(
            suppress_small=True, max_suppression=0.2
        )._cluster(problem)
        gone = np.flatnonzero(labels < 0)
        assert len(gone) <= 12
        before = pair.table.summed(naive.clusters_of(whole.tolist()))
        kept = [np.flatnonzero(labels == h).tolist() for h in set(labels[labels >= 0])]
        after = pair.table.summed(kept) + sum(map(pair.table.suppressed, gone))
        assert after <= before + 1e-9
        better += after < before - 1e-9
    assert better > 0


def test_more_passes_can_lose_less():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    losses = [
        OnePassKMeansAnonymizer(5, loss="byun", random_state=0, n_passes=n)
        .fit(frame)
        .information_loss_
        for n in (1, 5)
    ]
    assert losses[1] < losses[0]


def test_passes_end_when_no_record_moves():
    frame = pd.DataFrame({"a": [0, 1, 100, 101, 200, 201] * 3})
    fitted = OnePassKMeansAnonymizer(6, random_state=1, n_passes=50).fit(frame)
    assert 1 < fitted.n_iter_ < 50


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(
        OnePassKMeansAnonymizer,
        capsys,
        n_passes=2,
        suppress_small=True,
        max_suppression=0.5,
    )
    assert "pass 1" in told
    assert "pass 2" in told
    assert "clusters are small" in told
    assert "of small clusters suppressed" in told


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_passes": 0},
        {"n_passes": 1.5},
        {"n_passes": True},
        {"suppress_small": "yes"},
        {"suppress_small": None},
    ],
)
def test_unfit_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        OnePassKMeansAnonymizer(2, **wrong).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_what_could_suppress_nothing_is_refused():
    frame = pd.DataFrame({"x": range(6)})
    own = OnePassKMeansAnonymizer(2, suppress_small=True)
    for anonymizer in (own, KAnonymizer(2, algorithm=own)):
        with pytest.raises(ParameterError, match="while max_suppression is 0"):
            anonymizer.fit(frame)

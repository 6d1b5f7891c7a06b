"""Weighted C-means: worked by hand, beside the oracle, and what it promises."""

import naive_weighted_c_means
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

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import _c_means_run as _c_means
from skanon.clustering import _one_pass_run as _means
from skanon.clustering._c_means_run import CMeans
from skanon.clustering._weighted_c_means import WeightedCMeansAnonymizer
from skanon.exceptions import ParameterError
from skanon.hierarchies import Taxonomy
from skanon.losses import LM, ByunInformationLoss


def oracle(pair, k, seed=0, weights=None, **parameters):
    """Draw what the algorithm draws, and run the oracle with it."""
    n = len(pair.codes)
    seeds = np.random.RandomState(seed).permutation(n)[: n // k].tolist()
    return naive_weighted_c_means.weighted_c_means(
        pair.table, k, seeds, weights, **parameters
    )


def equal(pair):
    r = pair.codes.shape[1]
    return [1 / r] * r


# -------------------------------------------------------------- worked by hand


def means_of(columns, k, seeds, weights, hierarchies=None):
    frame = pd.DataFrame(columns)
    schema, codes = Schema.learn(frame, hierarchies or {}, ByunInformationLoss())
    sensitive = np.zeros(len(frame), dtype=np.int32)
    problem = Problem(schema, codes, sensitive, k, None, None, 0)
    return CMeans(problem, np.array(seeds), np.array(weights))


def test_all_records_are_assigned_before_a_centroid_moves():
    means = means_of({"x": [0, 10, 4, 5, 6, 4]}, 2, [0, 1], [1.0])
    assert means.assign() == 4
    # 5 is as far from 0 as from 10: the first of equals, whatever the sizes
    assert means.labels.tolist() == [0, 1, 0, 0, 1, 0]
    means.recenter()
    # the centroids are 13/4 and 8: nobody moves
    assert means.assign() == 0


def test_seeds_may_leave_their_clusters_and_clusters_may_end_up_empty():
    means = means_of({"x": [0, 0, 1, 9, 10]}, 2, [1, 0, 2], [1.0])
    assert means.assign() == 3
    assert means.labels.tolist() == [0, 0, 2, 2, 2]
    means.recenter()
    # the centroids are 0 and 20/3; cluster 1 is gone
    assert means.assign() == 1
    assert means.labels.tolist() == [0, 0, 0, 2, 2]


def test_the_centroid_of_categories_is_the_most_frequent_and_the_first():
    tree = Taxonomy(
        ["Bern", "Basel", "Bonn", "Ulm"], [["CH", "CH", "DE", "DE"], ["Europe"] * 4]
    )
    towns = ["Bonn", "Ulm", "Basel", "Bern", "Bonn", "Bern", "Ulm"]
    means = means_of({"x": towns}, 3, [0, 3], [1.0], {"x": tree})
    means.assign()
    assert means.labels.tolist() == [0, 0, 1, 1, 0, 1, 0]
    means.labels = np.array([0, 1, 0, 0, 1, 1, 1], dtype=np.int32)
    # Bonn Basel Bern: all once, of which the tree has Bern first; then Ulm, twice
    means.recenter()
    means.assign()
    assert means.labels.tolist() == [1, 1, 0, 0, 1, 0, 1]


def test_missing_values_have_a_centroid_where_they_are_most():
    means = means_of({"x": [0, 10, None, None, 4]}, 2, [0, 1], [1.0])
    means.assign()
    assert means.labels.tolist() == [0, 1, 0, 0, 0]
    means.labels = np.array([0, 1, 0, 0, 1], dtype=np.int32)
    means.recenter()  # missing, and 7
    means.assign()
    assert means.labels.tolist() == [1, 1, 0, 0, 1]
    means.labels = np.array([0, 1, 0, 1, 0], dtype=np.int32)
    means.recenter()  # 2, and 10: one half is not most
    means.assign()
    assert means.labels.tolist() == [0, 1, 0, 0, 0]


def test_weights_are_parts_of_the_distance():
    columns = {"x": [0, 10, 4, 6], "y": [0, 10, 10, 0]}
    for weights, expected in (
        ([0.5, 0.5], [0, 1, 1, 0]),
        ([0.9, 0.1], [0, 1, 0, 1]),
        ([1.0, 0.0], [0, 1, 0, 1]),
        ([0.0, 1.0], [0, 1, 1, 0]),
    ):
        means = means_of(columns, 2, [0, 1], weights)
        means.assign()
        assert means.labels.tolist() == expected


def test_the_weight_that_loses_least_is_taken():
    columns = {"x": [0, 4, 6, 10], "y": [0, 10, 0, 10]}
    means = means_of(columns, 2, [0, 3], [0.5, 0.5])
    # 4 10: .4 + 1 from 0 0 and .6 + 0 from 10 10
    assert means.assign() == 2
    assert means.labels.tolist() == [0, 1, 0, 1]
    # .6 of x in both clusters, nothing of y; the weight of x cannot do better than
    # 0 4 and 6 10, which lose .4 of x and all of y
    means.recenter()
    assert means.learn(0) == 0
    assert means.weights.tolist() == [0.5, 0.5]


def test_a_weight_is_doubled_or_halved_where_that_loses_less():
    columns = {"x": [0, 5, 6, 10], "y": [0, 0, 10, 10], "z": [0, 8, 2, 10]}
    means = means_of(columns, 2, [0, 3], [0.1, 0.1, 0.8])
    # 5 0 8: .05 + 0 + .64 from 0 0 0, .05 + .1 + .16 from 10 10 10
    assert means.assign() == 2
    assert means.labels.tolist() == [0, 1, 0, 1]
    # lost, of each cluster: .6 + 1 + .2 and .5 + 1 + .2. The centroids are 3 5 1 and
    # 7.5 5 9: doubled or halved, z keeps 5 0 8 and 6 10 2 where they are, and so does x
    means.recenter()
    assert [means.learn(j) for j in (0, 1, 2)] == [0, 0, 0]
    means = means_of(columns, 2, [0, 3], [0.1, 0.3, 0.6])
    assert means.assign() == 2
    # centroids of two records alone: z halved (1/7, 3/7, 3/7) takes 5 0 8 to 0 0 0:
    # (.5 + 0 + 3 * .8) / 7 against (.5 + 3 + 3 * .2) / 7, which loses .5 and .8 of
    # one and .4 and .8 of the other cluster
    means.labels = np.array([0, -1, -1, 1], dtype=np.int32)
    means.recenter()
    means.labels = np.array([0, 1, 0, 1], dtype=np.int32)
    assert means.learn(2) == 2
    assert means.labels.tolist() == [0, 0, 1, 1]
    assert means.weights == pytest.approx([1 / 7, 3 / 7, 3 / 7])


def test_small_clusters_merge_as_a_whole_with_the_large_one_that_suits():
    ages = [0, 1, 2, 20, 21, 22, 9, 12, 10, 13]

    def merged(labels):
        means = means_of({"x": ages}, 3, [0, 3, 6, 8], [1.0])
        means.labels = np.array(labels, dtype=np.int32)
        assert means.merge() == 2
        return means.labels.tolist()

    # 9 12 with 0 1 2: 5 * 12 - 6 - 6, with 20 21 22: 5 * 13 - 6 - 6;
    # then 10 13: 7 * 13 - 60 - 6, and 5 * 12 - 6 - 6
    assert merged([0, 0, 0, 1, 1, 1, 2, 2, 3, 3]) == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    # 10 13 first: 5 * 13 - 6 - 6 with 0 1 2, and 48; then 9 12: 48, 7 * 13 - 60 - 6
    assert merged([0, 0, 0, 1, 1, 1, 3, 3, 2, 2]) == [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure):
    for seed in range(5):
        pair = mixed_pair(seed, measure=measure)
        k = (2, 3, 5, 8, 13)[seed]
        fitted = fit(WeightedCMeansAnonymizer, pair, k, random_state=seed)
        clusters, weights, n_iter = oracle(pair, k, seed)
        equals_oracle(fitted, pair, clusters)
        assert fitted.n_iter_ == n_iter
        assert list(fitted.weights_) == list(pair.frame.columns)
        assert list(fitted.weights_.values()) == pytest.approx(weights)


@pytest.mark.parametrize("measure", MEASURES)
def test_given_weights_equal_the_oracle(measure):
    rng = np.random.RandomState(0)
    for seed in range(4):
        pair = mixed_pair(50 + seed, measure=measure)
        names = pair.frame.columns
        given = rng.choice([0.0, 1.0, 2.5], size=len(names))
        given[0] = 3.0
        anonymizer = WeightedCMeansAnonymizer(
            weights=dict(zip(names, given, strict=True))
        )
        found = clusters_by(anonymizer, pair, 4, seed)
        clusters, _, _ = oracle(pair, 4, seed, (given / given.sum()).tolist())
        assert found == arranged(clusters)
        plain = clusters_by(WeightedCMeansAnonymizer(weights="equal"), pair, 4, seed)
        assert plain == arranged(oracle(pair, 4, seed, equal(pair))[0])


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind])
        found = clusters_by(WeightedCMeansAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed)[0])


@pytest.mark.parametrize("measure", ["lm", "entropy"])
def test_trees_too_large_for_the_table_equal_the_oracle(monkeypatch, measure):
    monkeypatch.setattr(_means, "FEW_NODES", 0)
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure, kinds=["tree", "subset", "flat"])
        found = clusters_by(WeightedCMeansAnonymizer(), pair, 12, seed)
        assert found == arranged(oracle(pair, 12, seed)[0])


@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
@pytest.mark.parametrize("measure", ["lm", "all"])
def test_many_equal_records_equal_the_oracle(kinds, measure):
    pair = mixed_pair(1, n=70, kinds=kinds, measure=measure)
    for seed, k in enumerate((2, 6)):
        found = clusters_by(WeightedCMeansAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed)[0])


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(WeightedCMeansAnonymizer(), pair, 3)
    assert found == arranged(oracle(pair, 3)[0])


def test_early_stops_equal_the_oracle():
    n_iters = set()
    for seed in range(6):
        pair = mixed_pair(seed, n=60)
        for stop in ({"max_iter": 1}, {"max_iter": 2}, {"tol": 0.1}, {"tol": 0.9}):
            fitted = fit(WeightedCMeansAnonymizer, pair, 4, random_state=seed, **stop)
            clusters, _, n_iter = oracle(pair, 4, seed, **stop)
            equals_oracle(fitted, pair, clusters)
            assert fitted.n_iter_ == n_iter
            n_iters.add(n_iter)
    assert len(n_iters) > 2


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=90, measure=measure)
    found = []
    for work in (50_000_000, 1, 3000):
        monkeypatch.setattr(_c_means, "WORK", work)
        fitted = fit(WeightedCMeansAnonymizer, pair, 4, random_state=2)
        found.append(fitted.labels_.tolist())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_threads_change_nothing(monkeypatch, measure):
    monkeypatch.setattr(_c_means, "WORK", 3000)
    pair = mixed_pair(11, n=90, measure=measure)
    one, two = (
        fit(WeightedCMeansAnonymizer, pair, 4, random_state=2, n_jobs=n_jobs)
        for n_jobs in (None, 2)
    )
    assert (one.labels_ == two.labels_).all()


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.sampled_from(["learned", "equal"]),
)
@settings(max_examples=40)
def test_never_a_class_below_k(k, part, seed, measure, fraction, weights):
    pair = mixed_pair(seed, n=k + int(part * 2 * k), measure=measure)
    fitted = fit(
        WeightedCMeansAnonymizer,
        pair,
        k,
        random_state=seed,
        max_suppression=fraction,
        weights=weights,
    )
    keeps_k(fitted, pair, k, fraction)
    assert sum(fitted.weights_.values()) == pytest.approx(1)
    assert min(fitted.weights_.values()) >= 0


def test_it_ends_when_no_record_moves():
    frame = pd.DataFrame({"a": [0, 1, 100, 101, 200, 201] * 3})
    fitted = WeightedCMeansAnonymizer(6, random_state=1).fit(frame)
    assert 1 < fitted.n_iter_ < 100


@pytest.mark.parametrize("loss", ["lm", "entropy"])
def test_learned_weights_lose_less_than_the_first_pass(loss):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        {
            "near": np.repeat(np.arange(10), 40),
            "noise": rng.rand(400).round(2),
            "flat": rng.choice(list("abc"), 400),
        }
    )
    for seed in range(4):
        given = {"loss": loss, "random_state": seed}
        first = WeightedCMeansAnonymizer(20, max_iter=1, **given).fit(frame)
        learned = WeightedCMeansAnonymizer(20, **given).fit(frame)
        assert learned.information_loss_ < first.information_loss_


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(WeightedCMeansAnonymizer, capsys)
    assert "pass 1: 36 of 47 records changed" in told
    assert "0 of 47 records changed" in told
    assert "merged with larger ones" in told


def test_weightless_columns_do_not_steer():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(30), "b": rng.permutation(30)})
    alone = WeightedCMeansAnonymizer(4, random_state=0).fit(frame[["a"]])
    fitted = WeightedCMeansAnonymizer(4, loss=LM({"b": 0}), random_state=0).fit(frame)
    assert (fitted.labels_ == alone.labels_).all()


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"max_iter": 0}, "max_iter"),
        ({"max_iter": 1.5}, "max_iter"),
        ({"tol": -0.1}, "tol"),
        ({"tol": 1.0}, "tol"),
        ({"weights": "learn"}, "weights"),
        ({"weights": None}, "weights"),
        ({"weights": [1, 2]}, "weights"),
        ({"weights": {"c": 1}}, r"weights names 'c'.*\['a', 'b'\]"),
        ({"weights": {"a": -1}}, "weights gives 'a' the weight -1"),
        ({"weights": {"a": np.nan}}, "weights gives 'a' the weight nan"),
        ({"weights": {"a": True}}, "weights gives 'a' the weight True"),
        ({"weights": {"a": "1"}}, "weights gives 'a' the weight '1'"),
        ({"weights": {"a": 0, "b": 0}}, "all quasi-identifiers the weight 0"),
    ],
)
def test_unfit_parameters(wrong, match):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})
    with pytest.raises(ParameterError, match=match):
        WeightedCMeansAnonymizer(2, **wrong).fit(frame)


def test_huge_weights_are_as_good_as_small_ones():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(30), "b": rng.permutation(30)})
    found = {
        tuple(
            WeightedCMeansAnonymizer(
                3, random_state=0, weights={"a": 3 * scale, "b": scale}
            )
            .fit(frame)
            .labels_
        )
        for scale in (1, 1e308 / 3, 1e-300)
    }
    assert len(found) == 1

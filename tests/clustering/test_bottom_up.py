"""The bottom-up algorithm: by hand, beside the oracle, and its promises."""

import naive
import naive_bottom_up
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
from random_tables import KINDS, MEASURES, random_pair

from skanon.clustering import _bottom_up as bottom_up
from skanon.clustering._bottom_up import BottomUpAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses import NCP

DISTANCES = ["union", "rise"]


def oracle(pair, k, distance="union"):
    return naive_bottom_up.bottom_up(pair.table, k, distance)


# -------------------------------------------------------------- worked by hand


def clustered(values, k, distance="union"):
    frame = pd.DataFrame({"x": values})
    fitted = BottomUpAnonymizer(k, loss=NCP(), distance=distance).fit(frame)
    return fitted.labels_.tolist()


@pytest.mark.parametrize("distance", DISTANCES)
def test_each_record_goes_to_the_one_that_it_is_closest_to(distance):
    # 0 takes 2, which is closer to 3; 3 takes 5; 9 takes 10
    assert clustered([0, 3, 2, 5, 9, 10], 2, distance) == [0, 1, 0, 1, 2, 2]
    # with 3 first, it takes 2; then 0 has the choice of 2 3 and of what is further
    assert clustered([3, 0, 2, 9, 10], 2, distance) == [0, 0, 0, 1, 1]


def test_unions_cost_or_raise_least():
    # 0 takes 9; 14 with them costs 3 * 14, which is 24 more than 2 * 9, and with 27 it
    # is 2 * 13, all of it more; in the end 28 has the choice of 0 9 and 14 27
    assert clustered([0, 9, 14, 27, 28], 2, "union") == [0, 0, 1, 1, 1]
    assert clustered([0, 9, 14, 27, 28], 2, "rise") == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("distance", DISTANCES)
def test_unions_of_2k_are_split(distance):
    # in the first round 1 and 0 are five and three; in the second they are united
    found = clustered([1, 1, 1, 1, 1, 0, 0, 0], 4, distance)
    assert found == [0, 0, 0, 0, 1, 1, 1, 1]
    # three records more than k stay together if they are fewer than 2 k
    assert clustered([1, 1, 1, 1, 0, 0, 0], 4, distance) == [0] * 7


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure, distance):
    for seed in range(6):
        pair = mixed_pair(seed, measure=measure)
        k = (2, 3, 4, 7, 9, 13)[seed]
        fitted = fit(BottomUpAnonymizer, pair, k, distance=distance)
        equals_oracle(fitted, pair, oracle(pair, k, distance))


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind], missing=0.3)
        found = clusters_by(BottomUpAnonymizer(), pair, k)
        assert found == arranged(oracle(pair, k))


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("measure", ["lm", "tree", "mi", "entropy"])
def test_trees_equal_the_oracle(measure, distance):
    for seed in range(4):
        pair = mixed_pair(
            seed, n=70, measure=measure, kinds=["tree", "flat", "number_tree"]
        )
        found = clusters_by(BottomUpAnonymizer(distance=distance), pair, 5)
        assert found == arranged(oracle(pair, 5, distance))


@pytest.mark.parametrize("measure", ["lm", "all"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_records_equal_the_oracle(kinds, measure):
    pair = mixed_pair(1, n=70, measure=measure, kinds=kinds)
    for k in (2, 6):
        found = clusters_by(BottomUpAnonymizer(), pair, k)
        assert found == arranged(oracle(pair, k))


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(BottomUpAnonymizer(), pair, 3)
    assert found == arranged(oracle(pair, 3))


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=150, measure=measure)
    found = []
    for work in (1_000_000, 1, 2000):
        monkeypatch.setattr(bottom_up, "WORK", work)
        found.append(fit(BottomUpAnonymizer, pair, 4).labels_.tolist())
    assert found[0] == found[1] == found[2]


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(DISTANCES),
)
@settings(max_examples=40)
def test_never_a_cluster_below_k_nor_of_2k(k, part, seed, measure, fraction, distance):
    pair = mixed_pair(seed, n=k + int(part * 5 * k), measure=measure)
    sizes = list(map(len, clusters_by(BottomUpAnonymizer(distance=distance), pair, k)))
    assert min(sizes) >= k
    assert max(sizes) <= 2 * k - 1
    assert sum(sizes) == len(pair.codes)
    fitted = fit(
        BottomUpAnonymizer, pair, k, max_suppression=fraction, distance=distance
    )
    keeps_k(fitted, pair, k, fraction)


def test_nothing_is_random():
    pair = mixed_pair(5)
    found = [
        fit(BottomUpAnonymizer, pair, 3, random_state=seed).labels_.tolist()
        for seed in (0, 1)
    ]
    assert found[0] == found[1]


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(BottomUpAnonymizer, capsys)
    assert "round 1: " in told
    assert ", 0 of fewer than 4 records" in told


def test_distances_must_be_known():
    with pytest.raises(ParameterError, match="distance"):
        BottomUpAnonymizer(2, distance="far").fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_it_loses_less_than_clusters_at_random():
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "tree", "flat"], 200)
    losses = [
        fit(BottomUpAnonymizer, pair, 5, distance=distance).information_loss_
        for distance in DISTANCES
    ]
    random = naive.clusters_of((rng.permutation(200) % 40).tolist())
    assert max(losses) < 0.7 * pair.table.summed(random) / 200

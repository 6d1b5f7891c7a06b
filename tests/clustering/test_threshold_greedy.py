"""Greedy clusters up to a threshold: by hand, beside the oracle, and promises."""

import naive
import naive_threshold_greedy
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
from skanon.clustering import _greedy_run as _greedy
from skanon.clustering._greedy_run import Greedy
from skanon.clustering._leftovers import may_suppress, worst_first
from skanon.clustering._one_pass_run import spans
from skanon.clustering._threshold_greedy import ThresholdGreedyAnonymizer
from skanon.exceptions import InfeasibleError, ParameterError
from skanon.losses import LM, NCP, ByunInformationLoss


def oracle(pair, k, seed=0, threshold=0.1, fraction=0.0, overshoot=False):
    """Draw what the algorithm draws, and run the oracle with it."""
    visits = np.random.RandomState(seed).permutation(len(pair.codes)).tolist()
    budget = int(fraction * len(visits))
    return naive_threshold_greedy.threshold_greedy(
        pair.table, k, visits, threshold, budget, overshoot
    )


# -------------------------------------------------------------- worked by hand


def grown(values, visits, most, overshoot=False):
    frame = pd.DataFrame({"x": values})
    schema, codes = Schema.learn(frame, {}, ByunInformationLoss())
    sensitive = np.zeros(len(frame), dtype=np.int32)
    greedy = Greedy(Problem(schema, codes, sensitive, 2, None, None, 0))
    greedy.grow(np.array(visits, dtype=np.int32), most, overshoot)
    return greedy.labels.tolist()


def test_clusters_grow_as_long_as_the_threshold_allows():
    ages = [0, 1, 2, 10, 11, 12, 20]
    in_order = list(range(7))
    assert grown(ages, in_order, 0.1) == [0, 0, 0, 1, 1, 1, 2]
    # 12 is 0.1 from 10; a threshold below that leaves it outside
    assert grown(ages, in_order, 0.099) == [0, 0, 1, 2, 2, 3, 4]
    assert grown(ages, in_order, 0.0) == in_order
    assert grown(ages, in_order, 1.0) == [0] * 7
    # 12 is nearer to 11 10 than 20, and 20 does not go with them
    assert grown(ages, [4, 6, 2, 0, 1, 3, 5], 0.4) == [2, 2, 2, 0, 0, 0, 1]
    # from 12 on: 11 10, then 2 and 20 are 8 away: the first of them, and 1, but not 0
    assert grown(ages, [5, 0, 1, 2, 3, 4, 6], 0.57) == [1, 0, 0, 0, 0, 0, 2]


def test_the_record_that_exceeds_the_threshold_may_stay():
    ages = [0, 1, 2, 10, 11, 12, 20]
    in_order = list(range(7))
    # 0 1 2 and 10, which is too far; then 11 12 and 20
    assert grown(ages, in_order, 0.1, overshoot=True) == [0, 0, 0, 0, 1, 1, 1]
    # 0 1 and 2, then 10 11 and 12, then 20
    assert grown(ages, in_order, 0.099, overshoot=True) == [0, 0, 0, 1, 1, 1, 2]
    assert grown(ages, in_order, 0.0, overshoot=True) == [0, 0, 1, 1, 2, 2, 3]


def test_lin_and_weis_rule_deletes_small_clusters():
    frame = pd.DataFrame({"age": [0, 1, 2, 10, 11, 12, 20, 21]})
    fitted = ThresholdGreedyAnonymizer(
        3,
        threshold=0.1,
        overshoot=True,
        small="delete",
        max_suppression=0.125,
        suppressed="drop",
        loss="byun",
        random_state=0,
    ).fit(frame)
    visits = np.random.RandomState(0).permutation(8).tolist()
    assert visits == [6, 2, 1, 7, 3, 0, 5, 4]
    # 20 takes 21 and 12; 2 takes 1 and 0 and 10; 11 is alone and deleted
    assert fitted.labels_.tolist() == [0, 0, 0, 0, -1, 1, 1, 1]


def test_no_more_may_be_deleted_than_max_suppression_allows():
    frame = pd.DataFrame({"age": [0, 1, 2, 10, 11, 12, 20, 21]})
    given = {"threshold": 0.0, "small": "delete"}
    given |= {"suppressed": "blank", "random_state": 0}
    with pytest.raises(
        InfeasibleError, match=r"^8 of 8 .*k=3.*0\.5 allows to delete 4"
    ):
        ThresholdGreedyAnonymizer(3, max_suppression=0.5, **given).fit(frame)
    with pytest.raises(ParameterError, match="small='delete'"):
        ThresholdGreedyAnonymizer(3, **given).fit(frame)
    with pytest.raises(ParameterError, match="would stay in the release"):
        given_now = given | {"suppressed": "keep", "max_suppression": 1.0}
        ThresholdGreedyAnonymizer(3, **given_now).fit(frame)
    gone = ThresholdGreedyAnonymizer(3, max_suppression=1.0, **given).fit(frame)
    assert gone.suppressed_.all()


def test_the_records_of_a_small_cluster_do_not_become_free():
    # 3 takes 4 and may not take 0 or 7; it is small, and 7 takes 8 9 only
    ages = [0, 3, 4, 7, 8, 9]
    assert grown(ages, [1, 3, 0, 2, 4, 5], 2 / 9) == [2, 0, 0, 1, 1, 1]


def test_small_clusters_are_reassigned_or_suppressed():
    frame = pd.DataFrame({"age": [20, 21, 22, 50, 51, 52, 35, 90]})
    own = {"k": 3, "threshold": 0.05, "loss": "byun", "random_state": 0}
    fitted = ThresholdGreedyAnonymizer(**own).fit(frame)
    assert fitted.n_small_ == 2
    # 35 widens 20 22 by 13, and 50 52 by 15
    assert fitted.labels_.tolist() == [0, 0, 0, 1, 1, 1, 0, 1]
    for fraction, expected in (
        (0.25, [0, 0, 0, 1, 1, 1, -1, -1]),
        (0.125, [0, 0, 0, 1, 1, 1, 0, -1]),  # 90 would cost more
        (0.1, [0, 0, 0, 1, 1, 1, 0, 1]),
    ):
        gone = ThresholdGreedyAnonymizer(
            **own, small="suppress", max_suppression=fraction, suppressed="drop"
        ).fit(frame)
        assert gone.labels_.tolist() == expected
    kept = ThresholdGreedyAnonymizer(**own, small="suppress", max_suppression=0.25)
    # two cannot hide among themselves, and a third may not be suppressed
    assert kept.fit(frame).labels_.tolist() == [0, 0, 0, 1, 1, 1, 0, 1]


def test_without_a_cluster_of_k_all_are_one():
    frame = pd.DataFrame({"age": np.arange(12)})
    for small, part in (("reassign", 0.0), ("suppress", 0.01)):  # which is no record
        fitted = ThresholdGreedyAnonymizer(
            3, threshold=0.1, small=small, max_suppression=part, random_state=0
        ).fit(frame)
        assert fitted.n_classes_ == 1
        assert fitted.n_small_ == 12
    gone = ThresholdGreedyAnonymizer(
        3, threshold=0.1, small="suppress", max_suppression=1.0, random_state=0
    )
    labels = gone._cluster(learned(frame, 3))
    assert (labels == -1).all()


def learned(frame, k, seed=0):
    schema, codes = Schema.learn(frame, {}, LM())
    sensitive = np.zeros(len(frame), dtype=np.int32)
    return Problem(schema, codes, sensitive, k, np.random.RandomState(seed), None, 0)


def test_what_is_suppressed_already_counts():
    """A problem may hold a part of the records that were learned."""
    problem = learned(pd.DataFrame({"age": np.arange(50)}), 3)
    assert may_suppress(problem, 0.2) == 10
    part = Problem(
        problem.schema, problem.codes[6:], problem.sensitive[6:], 3, None, None, 0
    )
    assert may_suppress(part, 0.2) == 4
    assert may_suppress(part, 0.1) == 0


def test_the_worst_come_first_and_the_first_of_equals():
    values = np.array([0.3, 0.1 + 0.2, 9.0, 0.4, 0.3 - 1e-15, 9.0])
    assert worst_first(values, np.zeros(6, dtype=int)).tolist() == [2, 5, 3, 0, 1, 4]
    groups = np.array([0, 0, 1, 0, 1, 1])
    assert worst_first(values, groups).tolist() == [3, 0, 1, 2, 5, 4]
    assert worst_first(values[:0], groups[:0]).tolist() == []


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
def test_a_threshold_is_a_part_of_what_suppression_costs(measure):
    for seed in range(8):
        pair = mixed_pair(seed, measure=measure)
        found = spans(pair.schema).sum() + pair.schema.penalty
        expected = naive_threshold_greedy.whole(pair.table)
        assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("threshold", [0.02, 0.15, 0.4])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure, threshold):
    for seed in range(4):
        pair = mixed_pair(int(100 * threshold) + seed, measure=measure)
        k = (2, 3, 5, 9)[seed]
        fitted = fit(
            ThresholdGreedyAnonymizer, pair, k, random_state=seed, threshold=threshold
        )
        clusters, small = oracle(pair, k, seed, threshold)
        equals_oracle(fitted, pair, clusters)
        assert fitted.n_small_ == len(small)


@pytest.mark.parametrize("measure", MEASURES)
def test_suppression_equals_the_oracle(measure):
    n_suppressed = n_reassigned = 0
    for seed in range(6):
        pair = mixed_pair(100 + seed, measure=measure)
        k, fraction = (2, 3, 4, 5, 6, 7)[seed], (0.05, 0.2, 0.6)[seed % 3]
        anonymizer = ThresholdGreedyAnonymizer(
            threshold=0.3, small="suppress", max_suppression=fraction
        )
        found = clusters_by(anonymizer, pair, k, seed)
        clusters, small = oracle(pair, k, seed, 0.3, fraction)
        assert found == arranged(clusters)
        gone = 40 - sum(map(len, clusters))
        n_suppressed += gone
        n_reassigned += len(small) - gone
    assert n_suppressed > 0
    assert n_reassigned > 0


@pytest.mark.parametrize("measure", ["lm", "byun", "entropy", "pmi", "lm+penalty"])
def test_the_literal_rule_equals_the_oracle(measure):
    for seed in range(6):
        pair = mixed_pair(200 + seed, measure=measure)
        k, fraction = (2, 3, 4, 5, 6, 7)[seed], (0.2, 1.0)[seed % 2]
        anonymizer = ThresholdGreedyAnonymizer(
            threshold=0.2, small="suppress", max_suppression=fraction, overshoot=True
        )
        found = clusters_by(anonymizer, pair, k, seed)
        expected = oracle(pair, k, seed, 0.2, fraction, overshoot=True)[0]
        assert found == arranged(expected)


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind])
        anonymizer = ThresholdGreedyAnonymizer(threshold=0.2)
        found = clusters_by(anonymizer, pair, k, seed)
        assert found == arranged(oracle(pair, k, seed, 0.2)[0])


@pytest.mark.parametrize("measure", ["lm", "all"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_records_equal_the_oracle(kinds, measure):
    """A random record begins a cluster, though an equal one comes before it."""
    pair = mixed_pair(1, n=70, measure=measure, kinds=kinds)
    for seed, k in enumerate((2, 6)):
        anonymizer = ThresholdGreedyAnonymizer(threshold=0.2)
        found = clusters_by(anonymizer, pair, k, seed)
        assert found == arranged(oracle(pair, k, seed, 0.2)[0])


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(ThresholdGreedyAnonymizer(threshold=0.5), pair, 3)
    assert found == arranged(oracle(pair, 3, 0, 0.5)[0])


@pytest.mark.parametrize("measure", ["lm", "pmi", "lm+penalty"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=90, measure=measure)
    found = []
    for work in (50_000_000, 1, 3000):
        monkeypatch.setattr(_greedy, "WORK", work)
        fitted = fit(ThresholdGreedyAnonymizer, pair, 4, random_state=2, threshold=0.3)
        found.append(fitted.labels_.tolist())
    assert found[0] == found[1] == found[2]


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2, 1.0]),
    st.sampled_from(["reassign", "suppress"]),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
@settings(max_examples=40)
def test_never_a_class_below_k(k, part, seed, measure, fraction, small, threshold):
    pair = mixed_pair(seed, n=k + int(part * 2 * k), measure=measure)
    fitted = fit(
        ThresholdGreedyAnonymizer,
        pair,
        k,
        random_state=seed,
        max_suppression=fraction,
        threshold=threshold,
        small=small if fraction else "reassign",
    )
    keeps_k(fitted, pair, k, fraction)


@pytest.mark.parametrize("measure", ["lm", "byun", "entropy", "pmi", "mi"])
def test_clusters_keep_to_the_threshold_until_others_join(measure):
    kept = 0
    for seed in range(6):
        pair = mixed_pair(seed, n=60, measure=measure, kinds=["interval", "flat"])
        whole = naive_threshold_greedy.whole(pair.table)
        for threshold in (0.1, 0.3):
            anonymizer = ThresholdGreedyAnonymizer(
                threshold=threshold, small="suppress", max_suppression=1.0
            )
            for members in clusters_by(anonymizer, pair, 3, seed):
                found = naive_threshold_greedy.diversity(pair.table, members)
                assert found <= threshold * whole + 1e-9
                kept += 1
    assert kept > 0


def test_a_larger_threshold_gives_larger_clusters():
    frame = pd.DataFrame({"age": np.random.RandomState(0).permutation(200)})
    sizes = [
        ThresholdGreedyAnonymizer(2, threshold=threshold, random_state=0)
        .fit(frame)
        .class_sizes_.mean()
        for threshold in (0.01, 0.05, 0.2, 1.0)
    ]
    assert sizes[0] < sizes[1] < sizes[2] < sizes[3] == 200


def test_weights_do_not_change_what_a_threshold_means():
    """It is a part of what suppression costs, whatever that is."""
    frame = pd.DataFrame({"age": np.random.RandomState(0).permutation(60)})
    found = {
        tuple(
            ThresholdGreedyAnonymizer(3, threshold=0.2, loss=loss, random_state=0)
            .fit(frame)
            .labels_
        )
        for loss in (NCP(), 7 * NCP(), 0.1 * LM())
    }
    assert len(found) == 1


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(ThresholdGreedyAnonymizer, capsys)
    assert "100 % of the records in clusters" in told
    assert "that are too small" in told


def test_weightless_columns_do_not_steer():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(30), "b": rng.permutation(30)})
    own = {"k": 4, "threshold": 0.3, "random_state": 0}
    alone = ThresholdGreedyAnonymizer(**own).fit(frame[["a"]])
    fitted = ThresholdGreedyAnonymizer(**own, loss=LM({"b": 0})).fit(frame)
    assert (fitted.labels_ == alone.labels_).all()
    assert fitted.n_classes_ > 1


def test_outliers_stay_outside():
    """Suppressing small clusters leaves the others as tight as the threshold."""
    rng = np.random.RandomState(0)
    ages = np.append(rng.randint(20, 30, size=50), [80, 97])
    fitted = ThresholdGreedyAnonymizer(
        4,
        loss="ncp",
        threshold=0.2,
        small="suppress",
        max_suppression=0.1,
        suppressed="drop",
        random_state=0,
    ).fit(pd.DataFrame({"age": ages}))
    assert fitted.suppressed_[50:].all()
    assert naive.TOLERANCE < fitted.information_loss_ < 0.2


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": -0.1},
        {"threshold": 1.1},
        {"threshold": None},
        {"threshold": True},
        {"small": "delete"},
        {"small": None},
    ],
)
def test_unfit_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        ThresholdGreedyAnonymizer(2, **wrong).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_what_could_suppress_nothing_is_refused():
    frame = pd.DataFrame({"x": range(6)})
    own = ThresholdGreedyAnonymizer(2, small="suppress")
    for anonymizer in (own, KAnonymizer(2, algorithm=own)):
        with pytest.raises(ParameterError, match="while max_suppression is 0"):
            anonymizer.fit(frame)

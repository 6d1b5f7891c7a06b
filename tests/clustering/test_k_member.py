"""k-member clustering: worked by hand, beside the oracle, and what it promises."""

import naive
import naive_k_member
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

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import _greedy_run as _greedy
from skanon.clustering._greedy_run import Greedy
from skanon.clustering._k_member import KMemberAnonymizer
from skanon.clustering._leftovers import LeftoverAssignment
from skanon.losses import LM, ByunInformationLoss, ClassPenalty
from skanon.metrics import classification_metric


def oracle(pair, k, seed=0, **how):
    """Draw what the algorithm draws, and run the oracle with it."""
    draws = np.random.RandomState(seed)
    first = draws.randint(len(pair.codes))
    return naive_k_member.k_member(
        pair.table, k, first, lambda left: draws.permutation(left).tolist(), **how
    )


# -------------------------------------------------------------- worked by hand


def problem_of(values, k):
    frame = pd.DataFrame({"x": values})
    schema, codes = Schema.learn(frame, {}, ByunInformationLoss())
    sensitive = np.zeros(len(frame), dtype=np.int32)
    return Problem(schema, codes, sensitive, k, None, None, 0)


def filled(values, k, first, from_last=False, to_first=False):
    """The order of clusters, short of what is left over."""
    greedy = Greedy(problem_of(values, k))
    greedy.fill(k, first, from_last, to_first)
    return greedy.labels.tolist()


def test_clusters_are_made_one_after_the_other():
    # 10 takes 13; furthest from 10 is 22, which takes 21; from 22 it is 0
    assert filled([10, 13, 0, 2, 22, 21], 2, 0) == [0, 0, 2, 2, 1, 1]
    # the second one furthest from the last, 13, would be 0
    # the fewer than k that are left are in none; the first of equals is taken
    assert filled([5, 1, 9, 4, 6], 2, 0) == [0, 1, -1, 0, 1]
    assert filled([5, 9, 1, 6, 4], 2, 0) == [0, 1, -1, 0, 1]


def test_figure_5_word_for_word_by_hand():
    # furthest from 10 is 22, which takes 21; from 21 it is 0, which takes 2; then 13
    assert filled([10, 13, 0, 2, 22, 21], 2, 0, True) == [2, 2, 1, 1, 0, 0]


def test_a_cluster_takes_what_widens_it_least_not_what_is_closest_to_its_first():
    # from 0: 2, then 4 (widens by 2), then 6; -3 is closer to 0 than 4 and 6
    ages = [0, 2, 4, 6, -3, -9, -9, -9]
    assert filled(ages, 4, 0) == [0, 0, 0, 0, 1, 1, 1, 1]
    # with those that are closest to it: 2, -3 and 4; then -9 is furthest from 0
    assert filled(ages, 4, 0, to_first=True) == [0, 0, 0, 1, 0, 1, 1, 1]


def test_what_is_left_goes_to_the_best_cluster_one_after_the_other():
    problem = problem_of([1, 2, 3, 51, 52, 53, 20, 31], 3)
    labels = np.array([0, 0, 0, 1, 1, 1, -1, -1], dtype=np.int32)

    def assignment():
        return LeftoverAssignment(problem, labels, np.array([0], dtype=np.int32))

    # 20 makes 1 2 3 cost 4 * 19 instead of 3 * 2, and 31 makes 51 52 53 cost 4 * 22
    rises = assignment().rises(np.array([6, 7])) * 52
    assert rises == pytest.approx([70, 82])
    assert (assignment().labels == labels).all()
    for order, expected in (([6, 7], [0, 0]), ([7, 6], [0, 1])):
        assigned = assignment()
        assigned.take(np.array(order))
        # once 20 is with 1 2 3, 31 raises what they cost by 74 only
        assert assigned.labels[6:].tolist() == expected


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure):
    for seed in range(6):
        pair = mixed_pair(seed, measure=measure)
        k = (2, 3, 4, 7, 9, 13)[seed]
        fitted = fit(KMemberAnonymizer, pair, k, random_state=seed)
        equals_oracle(fitted, pair, oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["byun", "lm", "pmi", "lm+penalty"])
def test_figure_5_word_for_word_equals_the_oracle(measure):
    for seed, k in enumerate((2, 3, 7)):
        pair = mixed_pair(seed, measure=measure)
        algorithm = KMemberAnonymizer(furthest_from="last")
        found = clusters_by(algorithm, pair, k, seed)
        assert found == arranged(oracle(pair, k, seed, literal=True))


@pytest.mark.parametrize("measure", ["byun", "lm", "entropy", "pmi", "lm+penalty"])
@pytest.mark.parametrize("far", ["first", "last"])
def test_the_records_closest_to_the_first_equal_the_oracle(measure, far):
    for seed, k in enumerate((2, 3, 7)):
        pair = mixed_pair(seed, measure=measure)
        algorithm = KMemberAnonymizer(furthest_from=far, closest_to="first")
        found = clusters_by(algorithm, pair, k, seed)
        how = {"literal": far == "last", "to_center": True}
        assert found == arranged(oracle(pair, k, seed, **how))


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind])
        found = clusters_by(KMemberAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["lm", "tree", "mi", "entropy"])
def test_trees_equal_the_oracle(measure):
    """With trees alone the mutual information loss is a price list, too."""
    for seed in range(6):
        pair = mixed_pair(seed, measure=measure, kinds=["tree", "flat", "number_tree"])
        found = clusters_by(KMemberAnonymizer(), pair, 5, seed)
        assert found == arranged(oracle(pair, 5, seed))


@pytest.mark.parametrize("measure", ["lm", "all"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_records_equal_the_oracle(kinds, measure):
    """Records of one tuple must be told apart, and the first of equals be taken."""
    pair = mixed_pair(1, n=70, measure=measure, kinds=kinds)
    for seed, k in enumerate((2, 6)):
        found = clusters_by(KMemberAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(KMemberAnonymizer(), pair, 3)
    assert found == arranged(oracle(pair, 3))


@pytest.mark.parametrize("measure", ["lm", "pmi", "lm+penalty"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=90, measure=measure)
    found = []
    for work in (50_000_000, 1, 3000):
        monkeypatch.setattr(_greedy, "WORK", work)
        found.append(fit(KMemberAnonymizer, pair, 4, random_state=2).labels_.tolist())
    assert found[0] == found[1] == found[2]


# --------------------------------------------------------------- class penalty


def people(n, seed=0):
    """Ages and hours, and a class that goes with neither; all records are distinct."""
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame({"age": rng.permutation(n), "hours": rng.permutation(n)})
    return frame, rng.choice(["no", "yes"], size=n)


def test_the_class_penalty_lowers_the_classification_metric():
    frame, y = people(120)
    metrics, losses = [], []
    for w in (0, 0.02, 0.1, 1):
        loss = ByunInformationLoss() + w * ClassPenalty()
        fitted = KMemberAnonymizer(5, loss=loss, random_state=0).fit(frame, y)
        metrics.append(classification_metric(frame, fitted, sensitive=y))
        losses.append(fitted.information_loss_ - w * metrics[-1])
    assert metrics[0] > metrics[1] > metrics[2] > metrics[3]
    assert losses[0] < losses[1] < losses[2] < losses[3]
    assert metrics[0] > 0.25
    assert metrics[3] < 0.05


def test_a_heavy_penalty_leaves_classes_pure_while_there_are_records():
    frame, y = people(60, seed=1)
    labels = KMemberAnonymizer(
        3, loss=LM() + 1000 * ClassPenalty(), random_state=0
    )._cluster(learned(frame, y, 3))
    pure = sum(len(set(y[labels == h])) == 1 for h in range(labels.max() + 1))
    assert pure >= labels.max()  # at most one has to take both


def learned(frame, y, k):
    loss = LM() + 1000 * ClassPenalty()
    sensitive = np.unique(y, return_inverse=True)[1].astype(np.int32)
    schema, codes = Schema.learn(frame, {}, loss, sensitive)
    return Problem(schema, codes, sensitive, k, np.random.RandomState(0), None, 0)


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2]),
)
@settings(max_examples=40)
def test_never_a_cluster_below_k_nor_of_2k(k, part, seed, measure, fraction):
    pair = mixed_pair(seed, n=k + int(part * 2 * k), measure=measure)
    sizes = list(map(len, clusters_by(KMemberAnonymizer(), pair, k, seed)))
    assert min(sizes) >= k
    assert max(sizes) <= 2 * k - 1
    assert sum(sizes) == len(pair.codes)
    fitted = fit(
        KMemberAnonymizer, pair, k, random_state=seed, max_suppression=fraction
    )
    keeps_k(fitted, pair, k, fraction)


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(KMemberAnonymizer, capsys)
    assert "90 % of the records in clusters" in told
    assert "3 records are left" in told


def test_it_loses_less_than_clusters_at_random():
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "tree", "flat"], 200)
    fitted = fit(KMemberAnonymizer, pair, 5, random_state=0)
    random = naive.clusters_of((rng.permutation(200) % 40).tolist())
    assert fitted.information_loss_ < 0.7 * pair.table.summed(random) / 200

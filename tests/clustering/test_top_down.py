"""The top-down algorithm: by hand, beside the oracle, and its promises."""

import naive
import naive_top_down
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
from skanon.clustering import _halving
from skanon.clustering import _top_down as top_down
from skanon.clustering._halving import Groups
from skanon.clustering._top_down import TopDownAnonymizer, _adjusted
from skanon.exceptions import ParameterError
from skanon.losses import NCP


def oracle(pair, k, seed=0, n_rounds=3):
    """Draw what the algorithm draws, and run the oracle with it."""
    draws, n = np.random.RandomState(seed), len(pair.codes)
    return naive_top_down.top_down(
        pair.table, k, n_rounds, lambda: draws.permutation(n).tolist()
    )


# -------------------------------------------------------------- worked by hand


class InOrder:
    """Stands for a random state: the orders in which records come are given."""

    def __init__(self, *orders):
        self._orders = list(orders)

    def permutation(self, n):
        order = self._orders.pop(0)
        assert sorted(order) == list(range(n))
        return np.array(order)


def problem_of(frame, k, *orders):
    schema, codes = Schema.learn(pd.DataFrame(frame), {}, NCP())
    sensitive = np.zeros(len(codes), dtype=np.int32)
    return Problem(schema, codes, sensitive, k, InOrder(*orders), None, 0)


def parted(frame, k, order, n_rounds=3):
    from skanon.kernels.clustering.top_down import make_rows

    problem = problem_of(frame, k, order)
    groups = Groups(len(problem.codes), problem.random_state)
    rows = make_rows(problem.schema.columns)
    anonymizer = TopDownAnonymizer(k, n_rounds=n_rounds)
    return anonymizer._part(problem, groups, rows, np.array([0])).tolist()


def adjusted(values, k, labels):
    from skanon.kernels.clustering.top_down import make_rows

    problem = problem_of({"x": values}, k)
    rows = make_rows(problem.schema.columns)
    found = _adjusted(problem, np.array(labels, dtype=np.int32), rows)
    return np.unique(found, return_inverse=True)[1].tolist()


def test_seeds_are_searched_from_a_random_record_on():
    # furthest from 4 is 10, from which it is 0: around 0 and 10 are 1 and 4, and 8
    frame = {"x": [4, 0, 1, 8, 10]}
    # the furthest record found first is the first group, then from 10 on to 0
    assert parted(frame, 2, [0, 1, 2, 3, 4]) == [1, 1, 1, 0, 0]
    # with one search it stays at 4 and 10: 0 and 1 go to 4
    assert parted(frame, 2, [0, 1, 2, 3, 4], n_rounds=1) == [0, 0, 0, 1, 1]
    # from an end on, the second search finds nothing farther
    assert parted(frame, 2, [1, 0, 2, 3, 4]) == [0, 0, 0, 1, 1]


def test_records_join_the_group_whose_summed_loss_rises_less():
    # 0, 1, 2, 3 in the first group: 6 makes it cost 5 * 6 instead of 4 * 3, and the
    # second 2 * 6
    frame = {"x": [0, 12, 1, 2, 3, 6]}
    assert parted(frame, 2, [0, 1, 2, 3, 4, 5]) == [0, 1, 0, 0, 0, 1]
    # if it comes first, it raises both by the same: the first of equally small
    assert parted(frame, 2, [0, 1, 5, 2, 3, 4]) == [0, 1, 0, 0, 0, 0]


def test_equal_records_fill_both_groups_alike():
    frame = {"x": [1] * 7}
    assert parted(frame, 3, [0, 1, 2, 3, 4, 5, 6]) == [0, 1, 0, 1, 0, 1, 0]
    # of five, none of both would have four
    assert parted({"x": [1] * 5}, 4, [0, 1, 2, 3, 4]) == [0] * 5
    assert parted({"x": [0, 1, 8, 9, 9]}, 4, [0, 1, 2, 3, 4]) == [0] * 5


def test_a_small_group_takes_records_from_a_large_one():
    # 12 needs one: 9 of the second, which has two more than k = 2 ...
    values = [0, 1, 6, 7, 8, 9, 12]
    assert adjusted(values, 2, [0, 0, 1, 1, 1, 1, 2]) == [0, 0, 1, 1, 1, 2, 2]
    # ... but not if nobody has one to spare: it is united with the nearest
    values = [0, 1, 8, 9, 12]
    assert adjusted(values, 2, [0, 0, 1, 1, 2]) == [0, 0, 1, 1, 1]


def test_a_small_group_is_united_where_that_loses_less():
    # nothing is lost either way
    assert adjusted([0, 0, 9, 9, 9, 9], 2, [0, 0, 1, 1, 1, 2]) == [0, 0, 1, 1, 1, 1]
    # the only group with two to spare is far away
    values = [0, 1, 2, 3, 100, 101, 102, 103, 104, 105]
    labels = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    expected = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    assert adjusted(values, 3, labels) == expected


def test_groups_are_united_until_they_have_k_records():
    values = [0, 1, 3, 10, 11, 12, 13]
    # 0 and 1 are united first, and then with 3; k = 3
    assert adjusted(values, 3, [0, 1, 2, 3, 3, 3, 3]) == [0, 0, 0, 1, 1, 1, 1]


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure):
    for seed in range(6):
        pair = mixed_pair(seed, measure=measure)
        k, n_rounds = (2, 3, 4, 7, 9, 13)[seed], (1, 2, 3, 3, 3, 6)[seed]
        fitted = fit(TopDownAnonymizer, pair, k, random_state=seed, n_rounds=n_rounds)
        equals_oracle(fitted, pair, oracle(pair, k, seed, n_rounds))


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind])
        found = clusters_by(TopDownAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["lm", "tree", "mi", "entropy"])
def test_trees_equal_the_oracle(measure):
    for seed in range(6):
        pair = mixed_pair(
            seed, n=70, measure=measure, kinds=["tree", "flat", "number_tree"]
        )
        found = clusters_by(TopDownAnonymizer(), pair, 5, seed)
        assert found == arranged(oracle(pair, 5, seed))


@pytest.mark.parametrize("measure", ["lm", "all"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_records_equal_the_oracle(kinds, measure):
    pair = mixed_pair(1, n=70, measure=measure, kinds=kinds)
    for seed, k in enumerate((2, 6)):
        found = clusters_by(TopDownAnonymizer(), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(TopDownAnonymizer(), pair, 3)
    assert found == arranged(oracle(pair, 3))


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=150, measure=measure)
    found = []
    for chunk, work in ((200_000, 1_000_000), (1, 1), (40, 300)):
        monkeypatch.setattr(_halving, "CHUNK", chunk)
        monkeypatch.setattr(top_down, "WORK", work)
        fitted = fit(TopDownAnonymizer, pair, 4, random_state=2)
        found.append(fitted.labels_.tolist())
    assert found[0] == found[1] == found[2]


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2]),
)
@settings(max_examples=40)
def test_never_a_cluster_below_k(k, part, seed, measure, fraction):
    pair = mixed_pair(seed, n=k + int(part * 5 * k), measure=measure)
    sizes = list(map(len, clusters_by(TopDownAnonymizer(), pair, k, seed)))
    assert min(sizes) >= k
    assert sum(sizes) == len(pair.codes)
    fitted = fit(
        TopDownAnonymizer, pair, k, random_state=seed, max_suppression=fraction
    )
    keeps_k(fitted, pair, k, fraction)


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(TopDownAnonymizer, capsys)
    assert "level 1: 1 groups parted" in told
    assert "groups have fewer than 4 records" in told


def test_rounds_must_be_at_least_one():
    with pytest.raises(ParameterError, match="n_rounds"):
        TopDownAnonymizer(2, n_rounds=0).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_it_loses_less_than_clusters_at_random():
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "tree", "flat"], 200)
    fitted = fit(TopDownAnonymizer, pair, 5, random_state=0)
    random = naive.clusters_of((rng.permutation(200) % 40).tolist())
    assert fitted.information_loss_ < 0.7 * pair.table.summed(random) / 200

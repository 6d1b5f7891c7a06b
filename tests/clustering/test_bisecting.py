"""The clustering-based algorithm (CB): by hand, beside the oracle, and its promises."""

import naive
import naive_bisecting
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
from skanon.clustering._bisecting import BisectingAnonymizer, _centers
from skanon.clustering._halving import Groups
from skanon.exceptions import ParameterError
from skanon.losses import LM, NCP


def oracle(pair, k, seed=0, n_rounds=4):
    """Draw what the algorithm draws, and run the oracle with it."""
    draws, n = np.random.RandomState(seed), len(pair.codes)
    return naive_bisecting.bisecting(
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


def halved(frame, k, *orders, hierarchies=None, loss=None):
    """The halves of all records, after as many rounds as there are orders."""
    schema, codes = Schema.learn(pd.DataFrame(frame), hierarchies or {}, loss or NCP())
    sensitive = np.zeros(len(codes), dtype=np.int32)
    problem = Problem(schema, codes, sensitive, k, InOrder(*orders), None, 0)
    anonymizer = BisectingAnonymizer(k, n_rounds=len(orders))
    groups = Groups(len(codes), problem.random_state)
    chosen = np.array([0])
    best = anonymizer._bisect(problem, groups, _centers(problem), chosen)
    return best.tolist()


def test_the_first_two_records_are_the_first_centers():
    frame = {"x": [0, 1, 2, 8, 9, 10]}
    assert halved(frame, 2, [0, 5, 1, 2, 3, 4]) == [0, 0, 0, 1, 1, 1]
    assert halved(frame, 2, [4, 1, 0, 2, 3, 5]) == [1, 1, 1, 0, 0, 0]
    assert halved(frame, 2, [1, 2, 5, 4, 3, 0]) == [0, 0, 1, 1, 1, 1]


def test_a_small_half_takes_in_what_is_relatively_closest():
    # around 0 and 1 only 0 is closer to 0; of the others all are 1 closer to 1, and
    # the first in the order is taken
    frame = {"x": [0, 1, 2, 8, 9, 10]}
    assert halved(frame, 2, [0, 1, 5, 4, 3, 2]) == [0, 0, 1, 1, 1, 1]
    assert halved(frame, 3, [0, 1, 5, 4, 3, 2]) == [0, 0, 1, 1, 1, 0]
    # 4 is as far from 0 as from 8: with it 5 is the one that differs least
    frame = {"x": [8, 0, 7, 5, 6, 9]}
    assert halved(frame, 2, [1, 0, 2, 4, 3, 5]) == [1, 0, 1, 0, 1, 1]
    assert halved(frame, 3, [1, 0, 2, 4, 3, 5]) == [1, 0, 1, 0, 0, 1]


def test_later_centers_are_means():
    # around 0 and 1 it is 0 | 1 2 3 20 21; k = 2 makes it 0 1 | 2 3 20 21
    frame = {"x": [0, 1, 2, 3, 20, 21]}
    order = [0, 1, 2, 3, 4, 5]
    assert halved(frame, 2, order) == [0, 0, 1, 1, 1, 1]
    # means 0.5 and 11.5; then 2 and 3 are closer to 0.5
    assert halved(frame, 2, order, order) == [0, 0, 0, 0, 1, 1]


def test_the_first_of_rounds_that_lose_the_same_is_kept():
    frame = {"x": [0, 0, 9, 9]}
    # the first centers are equal, and so are those of the halves 0 9 and 0 9
    first, then = [0, 1, 2, 3], [2, 0, 1, 3]
    assert halved(frame, 2, first) == [1, 0, 1, 0]
    assert halved(frame, 2, first, then) == [1, 0, 1, 0]


def test_equally_close_records_go_to_the_smaller_half():
    frame = {"x": [1, 1, 1, 1, 1, 1]}
    # the first of equal halves is the second one
    assert halved(frame, 2, [3, 1, 2, 0, 4, 5]) == [0, 0, 1, 1, 1, 0]


def test_the_center_of_categories_is_their_shares():
    frame = {"x": list("aaaabbbbc")}
    order = [0, 4, 1, 2, 3, 5, 6, 7, 8]
    # c is closer to neither: to the second of equal halves
    assert halved(frame, 2, order, loss=LM()) == [0] * 4 + [1] * 5
    # 5 is as far from 0 as from 10, and b from a: the second half. But then b is one
    # of three here and one of four there, which weighs more than 5 - 0 and 8.75 - 5
    frame = {"x": list("aabaaab"), "y": [0, 0, 0, 10, 10, 10, 5]}
    order, loss = [0, 3, 1, 4, 2, 5, 6], NCP({"x": 3, "y": 1})
    assert halved(frame, 2, order, loss=loss) == [0, 0, 0, 1, 1, 1, 1]
    assert halved(frame, 2, order, order, loss=loss) == [0, 0, 0, 1, 1, 1, 0]


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
def test_the_whole_fit_equals_the_oracle(measure):
    for seed in range(6):
        pair = mixed_pair(seed, measure=measure)
        k, n_rounds = (2, 3, 4, 7, 9, 13)[seed], (1, 2, 3, 4, 8, 15)[seed]
        fitted = fit(BisectingAnonymizer, pair, k, random_state=seed, n_rounds=n_rounds)
        equals_oracle(fitted, pair, oracle(pair, k, seed, n_rounds))


@pytest.mark.parametrize("measure", ["ncp", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    for seed, k in enumerate((2, 5)):
        pair = mixed_pair(seed, measure=measure, kinds=[kind], missing=0.3)
        found = clusters_by(BisectingAnonymizer(n_rounds=4), pair, k, seed)
        assert found == arranged(oracle(pair, k, seed))


@pytest.mark.parametrize("measure", ["lm", "tree", "mi", "entropy", "pmi"])
def test_trees_equal_the_oracle(measure):
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure, kinds=["tree", "flat", "number_tree"])
        found = clusters_by(BisectingAnonymizer(n_rounds=4), pair, 3, seed)
        assert found == arranged(oracle(pair, 3, seed))


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, n=25, measure=measure, kinds=(list(KINDS) * 4)[:40])
    found = clusters_by(BisectingAnonymizer(n_rounds=2), pair, 3)
    assert found == arranged(oracle(pair, 3, n_rounds=2))


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, n=150, measure=measure)
    found = []
    for chunk in (200_000, 1, 40):
        monkeypatch.setattr(_halving, "CHUNK", chunk)
        fitted = fit(BisectingAnonymizer, pair, 3, random_state=2)
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
def test_never_a_cluster_below_k_nor_of_2k(k, part, seed, measure, fraction):
    pair = mixed_pair(seed, n=k + int(part * 5 * k), measure=measure)
    sizes = list(map(len, clusters_by(BisectingAnonymizer(), pair, k, seed)))
    assert min(sizes) >= k
    assert max(sizes) <= 2 * k - 1
    assert sum(sizes) == len(pair.codes)
    fitted = fit(
        BisectingAnonymizer, pair, k, random_state=seed, max_suppression=fraction
    )
    keeps_k(fitted, pair, k, fraction)


def test_progress_goes_to_the_error_stream_on_request(capsys):
    told = tells_only_on_request(BisectingAnonymizer, capsys)
    assert "level 1: 1 groups halved" in told


def test_rounds_must_be_at_least_one():
    with pytest.raises(ParameterError, match="n_rounds"):
        BisectingAnonymizer(2, n_rounds=0).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_more_rounds_lose_less():
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "tree", "flat"], 300)
    losses = [
        fit(BisectingAnonymizer, pair, 5, random_state=0, n_rounds=n).information_loss_
        for n in (1, 15)
    ]
    random = naive.clusters_of((rng.permutation(300) % 60).tolist())
    assert losses[1] < losses[0] < pair.table.summed(random) / 300

"""The forest: its parts, beside the oracle, and how far from the optimum it may be."""

import itertools

import naive
import naive_forest as oracle
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
from skanon.clustering import _forest as forest
from skanon.clustering._forest import ForestAnonymizer, light_edges
from skanon.clustering._optimal import OptimalAnonymizer
from skanon.kernels.clustering import forest as kernels
from skanon.kernels.clustering.trees import (
    cut_edges,
    graph_of,
    group_branches,
    label_trees,
)
from skanon.losses import NCP, TreeMeasure

BOUNDED = ("lm", "ncp", "tree", "byun")
"""Losses for which the guarantee holds, whatever the hierarchies."""


# ------------------------------------------------------------------- its parts


@given(st.integers(2, 9), st.lists(st.integers(1, 8), min_size=1, max_size=60))
def test_groups_of_branches_have_k_records_and_no_more_than_allowed(k, sizes):
    most = oracle.most_records(k)
    sizes = [min(size, k - 1) for size in sizes]
    sizes += [1] * (most - sum(sizes))
    home, n_groups = group_branches(np.array(sizes), k, most)
    total = np.bincount(home, [*sizes, 1], minlength=n_groups)
    assert len(total) == n_groups
    assert total.min() >= k
    assert total.max() <= most


def trees_of(edges, n, k):
    """Cut and label, as lists."""
    graph = graph_of(np.array(edges, dtype=np.int32).reshape(-1, 2), n)
    cut_edges(graph, k)
    return graph.kept.tolist(), label_trees(graph, k).tolist()


def test_the_heaviest_edges_are_cut_first():
    path = [(0, 1), (2, 3), (4, 5), (1, 2), (3, 4)]
    # with k = 2 the last edge is cut, then the one before
    assert trees_of(path, 6, 2) == ([True] * 3 + [False] * 2, [0, 0, 1, 1, 2, 2])
    # with k = 3 there is one edge with three records on both sides
    cut = [True, False, True, True, True]
    assert trees_of(path, 6, 3) == (cut, [0, 0, 0, 1, 1, 1])
    # whatever cannot be cut stays
    assert trees_of(path, 6, 4) == ([True] * 5, [0] * 6)


def test_a_star_is_taken_apart_at_its_centre():
    star = [(3, 0), (3, 1), (2, 3), (3, 4), (3, 5), (6, 3), (7, 3)]
    kept, labels = trees_of(star, 8, 3)
    assert all(kept)
    # 0 and 1 with the centre; then 2 4 5; 6 and 7 fit nowhere but with the last
    assert labels == [0, 0, 1, 0, 1, 1, 1, 1]
    # a branch of k - 1 records comes first
    longer = [(3, 0), (3, 1), (2, 3), (3, 4), (4, 5), (3, 6), (7, 3)]
    assert trees_of(longer, 8, 3)[1] == [1, 1, 1, 0, 0, 0, 1, 1]


# ---------------------------------------------------------- beside the oracle


def same_as_oracle(pair, k, ours):
    found = clusters_by(ForestAnonymizer(lightest_first=ours), pair, k)
    assert found == arranged(oracle.forest(pair.table, k, ours))


OURS = pytest.mark.parametrize("ours", [False, True])


@OURS
@pytest.mark.parametrize("measure", MEASURES)
def test_equals_the_oracle(measure, ours):
    for seed in range(6):
        k = (2, 3, 4, 5, 6, 9)[seed]
        same_as_oracle(mixed_pair(seed, 40, measure), k, ours)


@OURS
def test_the_whole_fit_equals_the_oracle(ours):
    for seed in range(3):
        pair = mixed_pair(seed, measure="ncp")
        equals_oracle(
            fit(ForestAnonymizer, pair, 4, lightest_first=ours),
            pair,
            oracle.forest(pair.table, 4, ours),
        )


def test_the_paper_leaves_trees_whole_that_are_small_enough():
    """Four records from 10 on reach the first five, and the last reaches them."""
    ages = pd.DataFrame({"age": [0, 1, 2, 3, 4, 10, 11, 12, 13, 20]})
    for ours, expected in ((False, [0] * 10), (True, [0] * 5 + [1] * 5)):
        fitted = ForestAnonymizer(5, loss="ncp", lightest_first=ours).fit(ages)
        assert fitted.labels_.tolist() == expected


def test_the_paper_grows_tree_after_tree():
    """By hand: the first record's tree takes its edges before the lightest of all."""
    ages = pd.DataFrame({"age": [4, 7, 0, 9, 20, 21, 40, 41, 42]})
    papers = [[0, 1], [1, 3], [2, 0], [4, 5], [4, 3], [6, 7], [7, 8]]
    lightest = [[4, 5], [6, 7], [7, 8], [1, 3], [0, 1], [2, 0], [4, 3]]
    for ours, expected in ((False, papers), (True, lightest)):
        edges = light_edges(problem_of(ages, 3, NCP()), ours)
        assert edges.tolist() == expected


@OURS
@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure, ours):
    pair = mixed_pair(1, 50, measure, [kind])
    for k in (2, 6):
        same_as_oracle(pair, k, ours)


@pytest.mark.parametrize("measure", ["lm", "entropy", "lm+penalty"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
@OURS
def test_many_equal_distances_equal_the_oracle(kinds, measure, ours):
    for seed, k in enumerate((2, 6, 9, 14, 20)):
        same_as_oracle(mixed_pair(seed, 70, measure, kinds), k, ours)


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
@OURS
def test_forty_columns_equal_the_oracle(measure, ours):
    same_as_oracle(mixed_pair(3, 25, measure, (list(KINDS) * 4)[:40]), 3, ours)


@pytest.mark.parametrize("measure", ["lm", "pmi", "lm+penalty"])
@OURS
def test_chunks_of_work_change_nothing(monkeypatch, measure, ours):
    pair = mixed_pair(11, 90, measure)
    found = []
    for work in (2_000_000, 1, 3000):
        monkeypatch.setattr(forest, "WORK", work)
        fitted = fit(ForestAnonymizer, pair, 4, lightest_first=ours)
        found.append(fitted.labels_.tolist())
    assert found[0] == found[1] == found[2]


# ---------------------------------------------------------------- the guarantee


def keeps_guarantee(pair, k):
    """Returns how many times the optimum is lost."""
    best = OptimalAnonymizer(k)._cluster(pair.problem(k)).tolist()
    least = pair.table.summed(naive.clusters_of(best))
    ratios = []
    for ours in (False, True):
        edges = light_edges(pair.problem(k), ours).tolist()
        weights = sum(oracle.weight(pair.table, *edge) for edge in edges)
        found = clusters_by(ForestAnonymizer(lightest_first=ours), pair, k)
        lost = pair.table.summed(found)
        assert weights <= least + 1e-9
        assert lost <= oracle.most_records(k) * weights + 1e-9
        assert lost <= (3 * k - 3) * least + 1e-9
        ratios.append(lost / least if least > 0 else 1.0)
    return max(ratios)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("measure", BOUNDED)
def test_no_more_than_a_few_times_the_optimum_is_lost(measure, k):
    for seed in range(5):
        keeps_guarantee(mixed_pair(seed, 12, measure), k)


def test_the_guarantee_for_suppression_and_the_tree_measure():
    ratios = []
    for seed in range(12):
        rng = np.random.RandomState(seed)
        kinds = ["flat", "flat_number", "flat", "flat"][: rng.randint(2, 5)]
        pair = random_pair(rng, kinds, 13, measure="tree")
        ratios += [keeps_guarantee(pair, k) for k in (2, 3, 4)]
    assert max(ratios) > 1.1  # it is no optimum


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2]),
    st.booleans(),
)
@settings(max_examples=40)
def test_clusters_have_k_records_and_no_more_than_allowed(
    k, part, seed, measure, fraction, ours
):
    pair = mixed_pair(seed, k + int(part * 5 * k), measure)
    algorithm = ForestAnonymizer(lightest_first=ours)
    sizes = list(map(len, clusters_by(algorithm, pair, k)))
    assert min(sizes) >= k
    assert max(sizes) <= oracle.most_records(k)
    assert sum(sizes) == len(pair.codes)
    given = {"max_suppression": fraction, "lightest_first": ours}
    fitted = fit(ForestAnonymizer, pair, k, **given)
    keeps_k(fitted, pair, k, fraction)


def test_progress_goes_to_the_error_stream_on_request(monkeypatch, capsys):
    monkeypatch.setattr(forest, "WORK", 50)
    assert "trees still grow" in tells_only_on_request(ForestAnonymizer, capsys)


def test_a_long_chain_and_a_large_star():
    chain = pd.DataFrame({"x": np.cumsum(np.arange(1, 3001)[::-1] % 97 + 1)})
    equal = pd.DataFrame({"x": np.arange(3000) % 2})
    for frame in (chain, equal):
        for k, ours in itertools.product((2, 10, 700), (False, True)):
            forest = ForestAnonymizer(k, lightest_first=ours)
            labels = forest._cluster(problem_of(frame, k))
            sizes = np.bincount(labels)
            assert sizes.min() >= k
            assert sizes.max() <= oracle.most_records(k)


def problem_of(frame, k, loss=None):
    schema, codes = Schema.learn(frame, {}, loss or TreeMeasure())
    return Problem(schema, codes, np.zeros(len(frame), dtype=np.int32), k, None, 1, 0)


@OURS
def test_only_small_trees_seek_their_nearest(monkeypatch, ours):
    """Many distances are equal; still there are no more than a few looks for each."""
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(rng.randint(5, size=(1200, 5)))
    clocks = []

    def spy(columns, clusters, trees, *others):
        clocks.append((len(trees.root), trees.clock))
        return grow(columns, clusters, trees, *others)

    name = "grow_forest" if ours else "grow_trees"
    grow = getattr(kernels, name)
    monkeypatch.setattr(kernels, name, spy)
    ForestAnonymizer(20, loss="entropy", lightest_first=ours).fit(frame)
    n, clock = clocks[-1]
    assert n > 900
    assert clock[2] < 4 * n**2

"""Hilbert: the curve, the best cuts beside all cuts, and the paper's example."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import KINDS, LISTED, MEASURES, random_pair
from sklearn.utils.estimator_checks import parametrize_with_checks

from skanon.clustering._hilbert import (
    HilbertAnonymizer,
    along_curve,
    coordinates,
    to_box,
)
from skanon.kernels.clustering.hilbert import RUN


@pytest.mark.parametrize(
    ("r", "bits"), [(1, 3), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2)]
)
def test_the_curve_visits_all_points_one_step_after_the_other(r, bits):
    grid = np.array(list(product(range(2**bits), repeat=r)))
    rng = np.random.RandomState(0)
    grid = grid[rng.permutation(len(grid))]
    curve = grid[along_curve(grid)]
    assert (curve[0] == 0).all()
    assert (np.abs(np.diff(curve, axis=0)).sum(axis=1) == 1).all()
    for level in range(1, bits):  # it leaves no box before it has seen all of it
        boxes = pd.Series(map(tuple, curve >> level))
        assert (boxes != boxes.shift()).sum() == boxes.nunique()


def test_many_columns_and_large_numbers():
    rng = np.random.RandomState(0)
    points = rng.randint(0, 2**31 - 1, size=(50, 130))
    order = along_curve(points)
    assert sorted(order) == list(range(50))
    twice = np.concatenate([points, points])
    again = along_curve(twice)
    assert (again % 50 == np.repeat(order, 2)).all()  # equal points side by side
    assert (again[::2] < again[1::2]).all()  # in the table's order


def compositions(n, k):
    """All ways to cut a line of n into pieces of k to 2 k - 1."""
    if n == 0:
        yield []
    for size in range(k, min(2 * k - 1, n) + 1):
        for rest in compositions(n - size, k):
            yield [size, *rest]


def cut(line, sizes):
    ends = np.cumsum([0, *sizes])
    return [line[a:b] for a, b in pairwise(ends)]


def line_of(pair):
    places = to_box([coordinates(bound) for bound in pair.schema.bounds], True)
    codes = pair.codes.T
    points = np.stack([at[x] for at, x in zip(places, codes, strict=True)], axis=1)
    return along_curve(points).tolist()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("measure", MEASURES)
def test_no_cuts_of_the_line_are_better(measure, seed):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:3])
    pair = random_pair(rng, kinds, 11, measure=measure)
    line = line_of(pair)
    for k in (2, 3):
        fitted = HilbertAnonymizer(k)._cluster(pair.problem(k))
        sizes = np.bincount(fitted)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
        clusters = [np.flatnonzero(fitted == h).tolist() for h in range(len(sizes))]
        for members in clusters:  # they lie side by side
            at = sorted(line.index(i) for i in members)
            assert at[-1] - at[0] == len(at) - 1
        every = [cut(line, sizes) for sizes in compositions(len(line), k)]
        least = min(pair.table.summed(tried) for tried in every)
        assert pair.table.summed(clusters) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", LISTED)
def test_long_clusters_are_the_best_ones_too(measure, seed):
    """The plain recursion finds no better cuts than by runs of records."""
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:2])
    n, k = 2 * RUN + 39, RUN + 5
    pair = random_pair(rng, kinds, n, measure=measure)
    line = line_of(pair)
    least = [0.0] + [np.inf] * n
    for m in range(k, n + 1):
        least[m] = min(
            least[m - size] + pair.table.summed([line[m - size : m]])
            for size in range(k, min(2 * k - 1, m) + 1)
        )
    fitted = HilbertAnonymizer(k)._cluster(pair.problem(k))
    clusters = [np.flatnonzero(fitted == h).tolist() for h in range(fitted.max() + 1)]
    assert pair.table.summed(clusters) == pytest.approx(least[n], abs=1e-9)


@pytest.mark.parametrize("k", [2, 4, 10])
def test_the_example_of_table_1(k):
    records = [(0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 2), (1, 1, 1, 2)]
    frame = pd.DataFrame([x for x in records for _ in range(k // 2)], columns=[*"abcd"])
    suppression = dict.fromkeys(frame, "suppression")

    def classes(rescale):
        fitted = HilbertAnonymizer(k, hierarchies=suppression, rescale=rescale)
        release = fitted.fit_transform(frame)
        return [tuple(row) for row in release.to_numpy()[:: k // 2]], fitted

    torn, before = classes(rescale=False)
    assert torn == [("*", "*", "*", "0")] * 2 + [("*", "*", "*", "2")] * 2
    kept, after = classes(rescale=True)
    assert kept == [("0", "0", "0", "*"), ("1", "1", "1", "*")] * 2
    # the paper counts suppressed entries: 6 k and 2 k
    assert before.information_loss_ * 2 * k * 4 == pytest.approx(6 * k)
    assert after.information_loss_ * 2 * k * 4 == pytest.approx(2 * k)


def bound_of(values, hierarchy="intervals"):
    frame = pd.DataFrame({"x": values})
    fitted = HilbertAnonymizer(1, hierarchies={"x": hierarchy})
    with pytest.warns(match="k=1"):
        return fitted.fit(frame)._classes.schema.bounds[0]


def test_coordinates_are_the_numbers_or_the_ranks():
    assert coordinates(bound_of([5, 7, 20])).tolist() == [0, 2, 15]
    assert coordinates(bound_of([5.0, 7.5, None])).tolist() == [0, 1, 2]
    assert coordinates(bound_of([5.0, 9.0, None])).tolist() == [0, 4, 5]
    text = coordinates(bound_of(["b", "a", None], "suppression"))
    assert text.tolist() == [0, 1, 2]


def test_the_box_has_equal_sides():
    wide, narrow, none = np.array([0.0, 10, 30]), np.array([0.0, 1, 2]), np.zeros(1)
    box = [x.tolist() for x in to_box([wide, narrow, none], True)]
    assert box == [[0, 10, 30], [0, 15, 30], [0]]
    box = [x.tolist() for x in to_box([wide, narrow, none], False)]
    assert box == [[0, 10, 30], [0, 1, 2], [0]]
    (huge,) = to_box([np.array([0.0, 2.0**60])], False)
    assert huge.tolist() == [0, 2**31 - 1]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 40]),
    st.booleans(),
)
def test_clusters_have_k_to_2k_minus_1_records(k, seed, r, rescale):
    rng = np.random.RandomState(seed)
    n = rng.randint(k, 3 * k + 1)
    frame = pd.DataFrame(rng.randint(0, rng.choice([1, 2, 50]), size=(n, r)))
    frame = frame.astype(float).mask(rng.random_sample((n, r)) < 0.1)
    kinds = rng.choice(["intervals", "suppression", "subsets"], size=r)
    fitted = HilbertAnonymizer(
        k, rescale=rescale, hierarchies=dict(zip(frame, kinds, strict=True))
    ).fit(frame)
    assert fitted.class_sizes_.min() >= k
    labels = fitted.labels_
    assert len(labels) == n


@parametrize_with_checks([HilbertAnonymizer(encode="representative")])
def test_it_is_an_estimator(estimator, check):
    check(estimator)

import math

import naive_metrics
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import MISSING
from releases import ALL_KINDS, drawn_release

from skanon import MondrianAnonymizer
from skanon.datasets import load_cmc
from skanon.hierarchies import Subsets
from skanon.metrics import correlation_difference, distribution_distance

SPREADS = ["uniform", "marginals"]


def has_line(column):
    """Whether each value of the column has a place."""
    places = column.places or {}
    return bool(places) and all(
        v in places for v in column.everything if v is not MISSING
    )


@given(
    st.integers(0, 2**31),
    st.lists(st.sampled_from(ALL_KINDS), min_size=1, max_size=3),
    st.sampled_from(SPREADS),
)
def test_distances_equal_their_definition(seed, kinds, spread):
    release = drawn_release(seed, kinds, 1 + seed % 15)
    found = release.measured(distribution_distance, spread=spread, average=None)
    likely = naive_metrics.marginals(
        release.rows, release.weights, release.everything, spread
    )
    for j, column in enumerate(release.columns):
        values = [row[j] for row in release.rows]
        entries = [row[j] for row in release.sets]
        both = naive_metrics.distributions(
            values, entries, column.everything, release.weights, likely[j]
        )
        if has_line(column):
            expected = naive_metrics.wasserstein(*both, column.places, MISSING)
        else:
            expected = naive_metrics.total_variation(*both)
        assert found.iloc[j] == pytest.approx(expected, abs=1e-9)
    average = release.measured(distribution_distance, spread=spread)
    assert average == pytest.approx(found.mean())


@given(
    st.integers(0, 2**31),
    st.lists(st.sampled_from(["interval", "date", "number_tree"]), min_size=2),
    st.sampled_from(SPREADS),
)
def test_correlations_equal_their_definition(seed, kinds, spread):
    release = drawn_release(seed, kinds[:3], 3 + seed % 15)
    likely = naive_metrics.marginals(
        release.rows, release.weights, release.everything, spread
    )
    expected = naive_differences(release, likely)
    if all(math.isnan(x) for row in expected for x in row):
        with pytest.raises(ValueError, match="No two quasi-identifiers have"):
            release.measured(correlation_difference, spread=spread)
        return
    found = release.measured(correlation_difference, spread=spread, average=None)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    average = release.measured(correlation_difference, spread=spread)
    assert average == pytest.approx(np.nanmean(expected), abs=1e-7)


def naive_differences(release, likely):
    r = len(release.columns)
    table = [[math.nan] * r for _ in range(r)]
    for i in range(r):
        for j in range(r):
            rows = [
                (before, after, weight)
                for before, after, weight in zip(
                    release.rows, release.sets, release.weights, strict=True
                )
                if weight and MISSING not in (before[i], before[j])
            ]
            if i == j or len({b[i] for b, _, _ in rows}) < 2:
                continue
            if len({b[j] for b, _, _ in rows}) < 2:
                continue
            raw, published = [], []
            for at in (i, j):
                places = release.columns[at].places
                raw.append([places[b[at]] for b, _, _ in rows])
                published.append(
                    [
                        naive_metrics.mean_place(a[at], places, likely[at], MISSING)
                        for _, a, _ in rows
                    ]
                )
            weights = [weight for _, _, weight in rows]
            before, after = naive_metrics.correlation(*raw, weights), 0.0
            # of what the release makes constant, rounding may leave a little
            lines = [release.columns[at].places.values() for at in (i, j)]
            spans = [max(line) - min(line) for line in lines]
            ranges = [max(x) - min(x) for x in published]
            if all(a > 1e-9 * b for a, b in zip(ranges, spans, strict=True)):
                after = naive_metrics.correlation(*published, weights)
            table[i][j] = abs(before - after)
    return table


def test_worked_examples():
    table = pd.DataFrame({"age": [20, 20, 30, 60], "sex": list("FFFM")})
    release = table.assign(age=["[20, 30]"] * 3 + ["60"], sex=["F", "F", "*", "*"])
    distances = distribution_distance(table, release, average=None)
    # an eighth of the mass moves by a quarter of the range
    assert distances["age"] == pytest.approx(1 / 8 / 4)
    assert distances["sex"] == 0.0  # what F loses to M, M loses to F
    assert distribution_distance(table, release) == pytest.approx(1 / 64)
    hidden = table.assign(sex="*")
    assert distribution_distance(table, hidden, average=None).tolist() == [0, 0.25]
    by_marginals = distribution_distance(table, hidden, spread="marginals")
    assert by_marginals == pytest.approx(0)


def test_missing_values_that_become_others_count_as_moved():
    table = pd.DataFrame({"age": [10, 20, None, None]})
    hidden = pd.DataFrame({"age": ["*"] * 4})
    # a third each of 10, 20 and missing, instead of 1/4, 1/4 and 1/2
    assert distribution_distance(table, hidden) == pytest.approx(1 / 6)
    nothing = pd.DataFrame({"age": [None] * 3})
    assert distribution_distance(nothing, nothing) == 0


def test_order_matters_where_there_is_one():
    sizes = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    table = pd.DataFrame({"x": pd.Series(["S", "M", "L", "L"], dtype=sizes)})
    near = pd.DataFrame({"x": ["S", "M", "{M, L}", "{M, L}"]})
    far = pd.DataFrame({"x": ["S", "M", "{S, L}", "{S, L}"]})
    given = {"x": Subsets()}
    assert distribution_distance(table, near, hierarchies=given) == 0.125
    assert distribution_distance(table, far, hierarchies=given) == 0.25
    plain = table.astype(object)
    assert distribution_distance(plain, near, hierarchies=given) == 0.25
    assert distribution_distance(plain, far, hierarchies=given) == 0.25


def test_correlation_worked_example():
    table = pd.DataFrame(
        {"a": [0, 1, 2, 3], "b": [0, 1, 2, 3], "c": list("wxyz"), "d": [5] * 4}
    )
    assert correlation_difference(table, table) == 0
    release = table.assign(a=["[0, 1]"] * 2 + ["[2, 3]"] * 2)
    # means .5 .5 2.5 2.5 against 0 1 2 3: the coefficient is 2 / sqrt(5)
    expected = 1 - 2 / math.sqrt(5)
    assert correlation_difference(table, release) == pytest.approx(expected)
    differences = correlation_difference(table, release, average=None)
    assert list(differences.columns) == ["a", "b", "d"]
    assert differences["d"].isna().all()
    hidden = table.assign(a="*")
    assert correlation_difference(table, hidden) == 1  # nothing is left of it


def test_the_largest_numbers_do_not_overflow():
    table = pd.DataFrame({"a": [-1.7e308, 0.0, 1.7e308], "b": [1, 2, 3]})
    release = table.astype(str).assign(a="[-1.7e308, 1.7e308]")
    assert distribution_distance(table, release) == pytest.approx(0)
    assert correlation_difference(table, release) == pytest.approx(1)


def test_distances_stay_between_0_and_1_and_rise_with_k():
    women = load_cmc()
    found = []
    for k in (2, 20, 1473):
        anonymizer = MondrianAnonymizer(k=k, hierarchies=women.hierarchies)
        distances = distribution_distance(
            women.data, anonymizer.fit(women.data), average=None
        )
        assert distances.between(0, 1).all()
        assert list(distances.index) == list(women.data.columns)
        found.append(distances.mean())
    assert found == sorted(found)


def test_unfit_input():
    table = pd.DataFrame({"a": [1, 2], "b": list("xy")})
    with pytest.raises(ValueError, match="No two quasi-identifiers have a correlation"):
        correlation_difference(table, table)
    for metric in (distribution_distance, correlation_difference):
        with pytest.raises(ValueError, match="average is 'all', but must be one of"):
            metric(table, table, average="all")
        with pytest.raises(ValueError, match="spread is 1, but must be one of"):
            metric(table, table, spread=1)

"""What single classes cost, against the oracle; and the bars of distributions."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from hypothesis import given
from hypothesis import strategies as st
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon._release.classes import Classes
from skanon._table.schema import hierarchy_of
from skanon.hierarchies import Intervals, Suppression
from skanon.losses._named import as_loss
from skanon.metrics import information_loss
from skanon.metrics._reading import read_release
from skanon_widgets._metric_inspector.bins import (
    ALL,
    MISSING,
    MOST_BINS,
    MOST_VALUES,
    OTHERS,
    bars,
)
from skanon_widgets._metric_inspector.costs import class_costs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_class_costs_equal_the_oracle(measure, seed):
    rng = seeded(seed, measure)
    kinds = rng.choice(sorted(KINDS), 3).tolist()
    pair = random_pair(
        rng, kinds, 24, measure=measure, weights=(rng.rand(3) + 0.1).tolist()
    )
    clusters = rng.randint(-1, 5, size=24)
    classes, labels = Classes.of_clusters(pair.schema, pair.codes, clusters)
    release = pd.DataFrame(classes.write(pair.schema.names, "label", labels))
    reading = read_release(pair.frame, release, None, pair.hierarchies)
    sensitive = pair.sensitive.astype(np.int64)
    found = class_costs(reading, pair.loss, sensitive)
    paid = np.zeros((24, 3))
    for i, own in enumerate(clusters):
        if own < 0:
            continue
        published = pair.table.closure(np.flatnonzero(clusters == own))
        whole = pair.table.closure([i])
        paid[i] = np.subtract(
            pair.table.costs(published, i), pair.table.costs(whole, i)
        )
    shown = sorted(set(reading.classes) - {-1})
    assert len(found) == len(shown)
    for number in shown:
        rows = reading.classes == number
        np.testing.assert_allclose(found[number], paid[rows].mean(0), atol=1e-9)


@pytest.mark.parametrize("loss", ["lm", "ncp", "entropy", "mi", "pmi"])
def test_classes_add_up_to_the_loss(loss):
    rng = np.random.RandomState(3)
    table = pd.DataFrame(
        {"a": rng.randint(0, 30, 60), "b": rng.choice(list("xyz"), 60)}
    )
    release = table.assign(a=np.where(table.a < 15, "[0, 14]", "[15, 29]"))
    y = rng.choice(["u", "v"], 60)
    reading = read_release(table, release)
    sensitive = (y == "v").astype(np.int64)
    costs = class_costs(reading, as_loss(loss), sensitive)
    sizes = np.bincount(reading.classes)
    whole = information_loss(table, release, loss=loss, sensitive=y)
    assert sizes @ costs.sum(axis=1) / 60 == pytest.approx(whole)


# -------------------------------------------------------------------------------- bars


def bound_to(values, hierarchy=None, dtype=None):
    from skanon._table.domain import Domain

    column = pd.Series(values, dtype=dtype)
    domain, positions = Domain.learn(column, "x")
    given_ = hierarchy or hierarchy_of(domain, {})
    bound = given_.bind(domain)
    return bound, bound.codes(positions)


def counts_of(values, least, hierarchy=None, dtype=None):
    bound, codes = bound_to(values, hierarchy, dtype)
    found = bars(bound, least)
    assert len(found.of_code) == bound.n_codes
    assert 0 <= found.of_code.min() <= found.of_code.max() < len(found.labels)
    assert len(set(found.labels)) == len(found.labels)
    return found.labels, np.bincount(found.of_code[codes], minlength=len(found.labels))


numbers = st.one_of(
    st.lists(st.integers(-300, 300), min_size=1, max_size=60),
    st.lists(
        st.floats(-1e12, 1e12).map(lambda x: round(x, 3)), min_size=1, max_size=60
    ),
    st.lists(st.sampled_from([0, 1, 2, 90, 1000]), min_size=1, max_size=60),
)


def ends_of(label):
    if label == ALL:
        return -np.inf, np.inf
    if label.startswith("up to "):
        return -np.inf, float(label.removeprefix("up to "))
    if label.startswith("from "):
        return float(label.split()[1]), np.inf
    ends = re.fullmatch(r"(-?[\d.e+-]+?)(?: to (-?[\d.e+-]+))?", label)
    return float(ends[1]), float(ends[2] or ends[1])


@given(numbers, st.integers(1, 6))
def test_bars_of_numbers(values, least):
    labels, counts = counts_of(values, least)
    assert len(labels) <= MOST_BINS
    assert counts.sum() == len(values)
    if len(values) >= least:
        assert not ((counts > 0) & (counts < least)).any()
    whole = all(float(x).is_integer() for x in values)
    for label, count in zip(labels, counts, strict=True):
        low, high = ends_of(label)
        inside = [x for x in values if low <= x <= high]
        if whole:
            assert len(inside) == count, label
        else:  # what is on an end belongs to the bar above
            on_end = sum(x in (low, high) for x in values)
            slack = sum(np.isclose(x, [low, high], rtol=1e-9).any() for x in values)
            assert abs(len(inside) - count) <= on_end + slack


categories = st.one_of(
    st.lists(st.sampled_from([*"abcdefghijklmnopqr", None]), min_size=1),
    st.lists(st.sampled_from([*"aaab", None]), min_size=1),
)


@given(categories, st.data())
def test_bars_of_categories(values, data):
    if all(x is None for x in values):
        return
    least = data.draw(st.integers(1, 6))
    labels, counts = counts_of(values, least, dtype=object)
    assert len(labels) <= MOST_VALUES
    assert counts.sum() == len(values)
    if len(values) >= least:
        assert not ((counts > 0) & (counts < least)).any()
    for label, count in zip(labels, counts, strict=True):
        if label not in (OTHERS, MISSING, "all values"):
            assert count == values.count(label)


def test_rare_categories_are_shown_in_company():
    labels, counts = counts_of([*"aaaabbbc"], 3, dtype=object)
    assert dict(zip(labels, counts, strict=True)) == {"a": 4, OTHERS: 4}


def test_missing_numbers_have_a_bar_of_their_own_unless_they_are_few():
    labels, counts = counts_of([1.0] * 5 + [2.0] * 5 + [None] * 4, 3)
    assert dict(zip(labels, counts, strict=True)) == {"1": 5, "2": 5, MISSING: 4}
    labels, counts = counts_of([1.0] * 5 + [2.0] * 6 + [None] * 2, 3)
    assert dict(zip(labels, counts, strict=True)) == {"1": 5, f"2 or {MISSING}": 8}


def test_the_ends_of_bars_are_no_ones_values():
    labels, _ = counts_of([*range(20, 70), 97], 5)
    assert not any("97" in label for label in labels)
    labels, counts = counts_of([*range(20, 70)] * 2 + [97], 5)
    assert labels[-1] == "from 65 on"
    assert counts[-1] == 11


def test_the_ends_of_narrow_columns_are_no_ones_values():
    values = [20] + [25] * 5 + [26] * 5 + [31]
    labels, counts = counts_of(values, 3)
    assert (labels[0], labels[-1]) == ("up to 25", "from 26 on")
    assert (counts[0], counts[-1]) == (6, 6)
    dates = pd.to_datetime(["2001-03-01"] + ["2010-06-01"] * 5 + ["2019-04-01"])
    assert not any("01" in x or "2019" in x for x in counts_of(dates, 3)[0])
    labels, _ = counts_of([25] * 5 + [26] * 5, 3)  # many people share these
    assert (labels[0], labels[-1]) == ("25", "26")


@pytest.mark.parametrize("values", [[47.0], [47.0, 48.0], [47.0] + [None] * 9])
def test_too_few_numbers_have_one_bar_without_ends(values):
    assert counts_of(values, 3)[0] == [ALL]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2020-01-01", "2020-01-09", "2020-01-01"),
        ("2020-01-01", "2021-03-01", "2020-01"),
        ("2015-01-01", "2019-06-01", "2015Q1"),
        ("2001-05-01", "2019-06-01", "2001"),
        ("1931-05-01", "2019-06-01", "1930 to 1934"),
    ],
)
def test_bars_of_dates(first, last, expected):
    dates = pd.date_range(first, last, periods=50).normalize()
    labels, counts = counts_of(dates, 1)
    assert labels[0].startswith(expected)
    assert len(labels) <= MOST_BINS
    assert counts.sum() == 50
    years = [int(label[:4]) for label in labels]
    assert years == sorted(years)
    by_year = pd.Series(counts).groupby(years).sum()
    if expected in ("2020-01", "2015Q1", "2001"):
        naive = pd.Series(dates.year).value_counts().sort_index()
        assert by_year[by_year > 0].tolist() == naive.tolist()


def test_ordered_categories_stay_in_order():
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    values = ["high"] * 9 + ["low"] * 5 + ["mid"] * 3
    labels, counts = counts_of(values, 2, Suppression(), dtype=order)
    assert labels == ["low", "mid", "high"]
    assert counts.tolist() == [5, 3, 9]


def test_a_constant_column_has_one_bar():
    assert counts_of([7, 7, 7], 2, Intervals())[0] == ["7"]

"""Every additive metric equals the papers' sums, on releases of any kind."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_tables import KINDS, random_published

from skanon.losses import LM, MI, PMI, ClassPenalty
from skanon.metrics import (
    byun_information_loss,
    classification_metric,
    entropy_loss,
    global_certainty_penalty,
    information_loss,
    loss_metric,
    mutual_information_loss,
    normalized_certainty_penalty,
    private_mutual_information_loss,
    private_mutual_information_score,
    tree_measure,
)
from skanon.metrics._columns import collect
from skanon.metrics._published import hulls
from skanon.metrics._reading import read_release

AVERAGED = {
    "lm": loss_metric,
    "tree": tree_measure,
    "ncp": global_certainty_penalty,
    "entropy": entropy_loss,
    "mi": mutual_information_loss,
    "pmi": private_mutual_information_loss,
}
SUMMED = {"byun": byun_information_loss, "ncp": normalized_certainty_penalty}
NAMES = ["lm", "tree", "byun", "ncp", "entropy", "mi", "pmi"]

SEEDS = st.integers(0, 2**31)
KIND_LISTS = st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6)
SIZES = st.integers(1, 14)
EXAMPLES = settings(max_examples=20)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def column_weights(published, seed):
    """Some columns' weights, and what all columns weigh."""
    rng = np.random.RandomState(seed)
    names = list(published.table.columns)
    given = {name: float(rng.randint(0, 4)) for name in names if rng.randint(2)}
    given[names[rng.randint(len(names))]] = 1.5
    return given, [given.get(name, 1.0) for name in names]


def weighted(values, factors):
    return sum(v * f for v, f in zip(values, factors, strict=True))


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_averages_equal_their_definitions(seed, kinds, n):
    published = random_published(seed, kinds, n)
    weights, factors = column_weights(published, seed)
    y = published.naive.sensitive
    for name, metric in AVERAGED.items():
        by_column = [published.naive.column_loss(name, j) for j in range(len(kinds))]
        each = published.measured(metric, sensitive=y, average=None)
        assert each.tolist() == close(by_column)
        assert each.index.equals(published.table.columns)
        assert each.name == metric.__name__
        assert published.measured(metric, sensitive=y) == close(
            sum(by_column) / len(kinds)
        )
        found = published.measured(metric, sensitive=y, weights=weights)
        assert found == close(weighted(by_column, factors) / sum(factors))


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_sums_equal_their_definitions(seed, kinds, n):
    published = random_published(seed, kinds, n)
    weights, factors = column_weights(published, seed)
    size = sum(published.naive.weights)
    for name, metric in SUMMED.items():
        by_column = [
            published.naive.column_loss(name, j) * size for j in range(len(kinds))
        ]
        each = published.measured(metric, average=None)
        assert each.tolist() == close(by_column)
        assert each.name == metric.__name__
        assert published.measured(metric) == close(sum(by_column))
        found = published.measured(metric, weights=weights)
        assert found == close(weighted(by_column, factors))
    found = published.measured(
        byun_information_loss, weights=weights, per_record=True, average="uniform"
    )
    by_column = [published.naive.column_loss("byun", j) for j in range(len(kinds))]
    assert found == close(weighted(by_column, factors))


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_sensitive_information_equals_its_definition(seed, kinds, n):
    published = random_published(seed, kinds, n)
    weights, factors = column_weights(published, seed)
    naive, r = published.naive, len(kinds)
    given_y = {"sensitive": naive.sensitive}
    absolute = [naive.sensitive_loss(j) for j in range(r)]
    found = published.measured(
        private_mutual_information_loss, relative=False, average=None, **given_y
    )
    assert found.tolist() == close(absolute)
    told = [naive.information(j) for j in range(r)]
    score = private_mutual_information_score
    assert published.measured(score, average=None, **given_y).tolist() == close(told)
    scaled = [t * f * r / sum(factors) for t, f in zip(told, factors, strict=True)]
    for given_weights, values in ((None, told), (weights, scaled)):
        options = given_y | {"weights": given_weights}
        assert published.measured(score, **options) == close(sum(values) / r)
        root = math.sqrt(sum(value**2 for value in values)) / r
        assert published.measured(score, norm="l2", **options) == close(root)
        assert published.measured(score, norm="max", **options) == close(max(values))


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_any_loss_is_measured(seed, kinds, n):
    published = random_published(seed, kinds, n)
    weights, factors = column_weights(published, seed)
    y, r = published.naive.sensitive, len(kinds)
    averages = {
        name: [published.naive.column_loss(name, j) for j in range(r)] for name in NAMES
    }
    for name, by_column in averages.items():
        found = published.measured(information_loss, loss=name, sensitive=y)
        assert found == close(sum(by_column) / r)
        each = published.measured(
            information_loss, loss=name, sensitive=y, average=None
        )
        assert each.tolist() == close(by_column)
        assert each.name == "information_loss"
    mixed = 0.5 * LM(weights=weights) + MI() + 2 * PMI() + 3 * ClassPenalty()
    expected = (
        0.5 * weighted(averages["lm"], factors) / sum(factors)
        + sum(averages["mi"]) / r
        + 2 * sum(averages["pmi"]) / r
        + 3 * published.measured(classification_metric, sensitive=y)
    )
    assert published.measured(information_loss, loss=mixed, sensitive=y) == close(
        expected
    )


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_the_original_costs_exactly_nothing(seed, kinds, n):
    published = random_published(seed, kinds, n)
    y = published.naive.sensitive
    published.release = published.table
    for name in NAMES:
        assert published.measured(information_loss, loss=name, sensitive=y) == 0
    score = published.measured(
        private_mutual_information_score, sensitive=y, average=None
    )
    assert (score > -1e-9).all()


@EXAMPLES
@given(SEEDS, KIND_LISTS, SIZES)
def test_full_suppression_costs_most(seed, kinds, n):
    published = random_published(seed, kinds, n)
    some = {
        name: published.measured(information_loss, loss=name, average=None)
        for name in ("lm", "tree", "byun", "ncp", "mi")
    }
    published.release = pd.DataFrame(
        "*", published.table.index, published.table.columns
    )
    for name, each in some.items():
        most = published.measured(information_loss, loss=name, average=None)
        assert (each <= most + 1e-9).all()
        if name != "mi":
            assert most.tolist() == [1.0] * len(kinds)
    size = sum(published.naive.weights) * len(kinds)
    for metric in SUMMED.values():
        assert published.measured(metric) == close(size)
    y = published.naive.sensitive
    told = published.measured(
        private_mutual_information_score, sensitive=y, average=None
    )
    assert told.tolist() == close([0.0] * len(kinds))


def nine_records(suppressed):
    table = pd.DataFrame({"x": list("aaaabbbbc")})
    release = table.copy()
    release.loc[suppressed, "x"] = "*"
    return table, release, list("000101111")


def test_the_example_of_section_5_1():
    """000: the sensitive value tells which of two records to suppress beside c."""
    *first, y = nine_records([3, 4, 8])
    *second, _ = nine_records([2, 4, 8])
    loss = private_mutual_information_loss
    assert round(loss(*first, sensitive=y), 3) == -0.126
    assert round(loss(*second, sensitive=y), 3) == 0.086
    assert loss(*first, sensitive=y) == close(
        -1 / 9 * (2 * math.log2(5 / 9) + math.log2(4 / 9) - 2 * math.log2(1 / 4))
    )
    printed = 6 * math.log2(3 / 4) + 2 * math.log2(5 / 9) + math.log2(4 / 9)
    assert loss(*first, sensitive=y, relative=False) == close(-printed / 9)
    for metric in (loss_metric, mutual_information_loss, entropy_loss, tree_measure):
        assert metric(*first) == metric(*second)
    assert loss_metric(*first) == 3 / 9
    assert mutual_information_loss(*first) == close(
        -(2 * math.log2(4 / 9) + math.log2(1 / 9)) / 9
    )


COUNTRIES = {
    "Country": {
        "America": {
            "North": ["USA", "Canada"],
            "South": ["Brazil", "Mexico"],
        },
        "Asia": {"West": ["Iran", "Egypt"], "East": ["India", "Japan"]},
    }
}


@pytest.mark.parametrize(
    ("one", "other", "node", "distance"),
    [
        ("India", "USA", "Country", 3 / 3),
        ("India", "Iran", "Asia", 2 / 3),
        ("India", "Japan", "East", 1 / 3),
        ("India", "Japan", "{India, Japan}", 1 / 3),
        ("India", "Iran", "{India, Iran}", 2 / 3),
    ],
)
def test_the_distances_of_example_1(one, other, node, distance):
    """001, figure 3: the height of the lowest common ancestor, over the tree's."""
    table = pd.DataFrame({"country": [one, other, "USA"], "n": [1, 2, 3]})
    release = table.assign(country=[node, node, "USA"])
    given_tree = {"country": COUNTRIES}
    found = byun_information_loss(table, release, hierarchies=given_tree)
    assert found == close(2 * distance)


def test_occupations_have_distance_1():
    """001, figure 4: a tree of one level; and ages by definition 2."""
    table = pd.DataFrame({"job": ["Teacher", "Doctor"], "age": [20, 60]})
    release = table.assign(job="*")
    assert byun_information_loss(table, release) == 2
    third = pd.DataFrame({"age": [20, 30, 60]})
    published = pd.DataFrame({"age": ["[20, 30]"] * 2 + ["60"]})
    assert byun_information_loss(third, published) == 2 * 10 / 40


def test_a_column_that_misleads_tells_less_than_nothing():
    """000, equation (11): most that look like the one shown are of another kind."""
    table = pd.DataFrame({"x": list("aaabb")})
    release, y = pd.DataFrame({"x": list("**a**")}), list("00111")
    told = math.log2((1 / 3) / (3 / 5)) / 5
    for norm, expected in (("l1", told), ("max", told), ("l2", -told)):
        found = private_mutual_information_score(table, release, sensitive=y, norm=norm)
        assert found == close(expected)


def test_logarithms_have_base_2():
    table = pd.DataFrame({"x": list("abcdefgh")})
    hidden = pd.DataFrame({"x": ["*"] * 8})
    y = list("01234567")
    assert entropy_loss(table, hidden) == 3
    assert mutual_information_loss(table, hidden) == 3
    assert private_mutual_information_loss(table, hidden, sensitive=y) == 3
    assert (
        private_mutual_information_loss(table, table, sensitive=y, relative=False) == 0
    )
    assert private_mutual_information_score(table, table, sensitive=y) == 3


def test_the_entropy_measure_may_fall_as_entries_grow():
    table = pd.DataFrame({"x": list("ab" + "c" * 98)})
    release = table.assign(x=["{a, b}"] * 2 + ["c"] * 98)
    wider = table.assign(x=["*"] * 2 + ["c"] * 98)
    given_sets = {"hierarchies": {"x": "subsets"}}
    narrow = entropy_loss(table, release, **given_sets)
    assert narrow == 2 / 100
    assert entropy_loss(table, wider, **given_sets) < narrow / 4


def test_a_star_in_a_constant_column_is_the_value():
    table = pd.DataFrame({"x": ["a"] * 3, "age": [20, 30, 60]})
    release = table.assign(x="*", age=["20", "30", "*"])
    each = loss_metric(table, release, average=None)
    assert each.to_dict() == {"x": close(1 / 3), "age": close(1 / 3)}
    for name in NAMES:
        found = information_loss(
            table,
            release.iloc[[0, 1, 1]]
            .set_axis([0, 1, 2])
            .assign(age=table["age"].astype(str)),
            loss=name,
            sensitive=[0, 1, 1],
        )
        assert found == 0


def test_sets_of_ordered_values_reach_from_the_lowest_to_the_highest():
    table = pd.DataFrame({"age": [20.0, 30.0, 60.0]})
    release = pd.DataFrame({"age": ["{20, 60}", "30", "{20, 60}"]})
    tree = {"*": {"round": [20.0, 60.0], "other": [30.0]}}
    for given_hierarchies in ({}, {"age": tree}):
        assert (
            normalized_certainty_penalty(table, release, hierarchies=given_hierarchies)
            == 2
        )
    assert tree_measure(table, release, hierarchies={"age": tree}) == close(2 / 3 / 2)
    counted = {"hierarchies": {"age": "subsets"}}
    assert normalized_certainty_penalty(table, release, **counted) == 2 / 2


@pytest.mark.parametrize("tree", [{"*": [1.0, 9.0, 3.0]}, "intervals"])
def test_a_set_with_the_missing_value_has_the_whole_length(tree):
    """No label stands for one, but whoever makes a reading may put it together."""
    table = pd.DataFrame({"x": [1.0, 9.0, 3.0, None]})
    bound = read_release(table, table, None, {"x": tree}).columns[0].bound
    sets = [np.array(codes) for codes in ([0, 2], [0, 2, 3], [0, 3])]
    column = collect(bound, np.zeros(3, dtype=np.int32), sets, np.arange(3))
    places = sorted([1.0, 9.0, 3.0]) if tree == "intervals" else [1.0, 9.0, 3.0]
    assert hulls(column).tolist() == [abs(places[2] - places[0]) / 8, 1.0, 1.0]


def test_integer_weights_are_repeated_records():
    rng = np.random.RandomState(0)
    published = random_published(3, ["tree", "number_tree", "flat", "subset"], 12)
    weights = rng.randint(1, 4, size=12)
    rows = np.repeat(np.arange(12), weights)
    y = np.array(published.naive.sensitive)
    repeated = [
        frame.iloc[rows].reset_index(drop=True)
        for frame in (published.table, published.release)
    ]
    published.naive.weights = weights
    whole = {"hierarchies": published.hierarchies}
    for metric in {*AVERAGED.values(), *SUMMED.values()}:
        found = published.measured(metric, sensitive=y)
        assert found == close(metric(*repeated, sensitive=y[rows], **whole))


def test_only_ratios_of_weights_matter():
    published = random_published(5, ["tree", "number", "subset"], 12)
    y = published.naive.sensitive
    usual = np.array(published.naive.weights)
    for name in NAMES:
        published.naive.weights = usual
        expected = published.measured(information_loss, loss=name, sensitive=y)
        for factor in (1e-9, 0.3, 1e250):
            published.naive.weights = usual * factor
            found = published.measured(information_loss, loss=name, sensitive=y)
            assert found == close(expected)
    published.naive.weights = np.where(np.arange(12) == 2, 1e300, 1e-300)
    for name in NAMES:
        assert math.isfinite(
            published.measured(information_loss, loss=name, sensitive=y)
        )


def test_rounding_makes_no_loss_negative():
    """Ranges whose second value has no weight hide nothing."""
    table = pd.DataFrame({"x": range(60)})
    release = pd.DataFrame(
        {"x": [f"[{i - i % 2}, {i - i % 2 + 1}]" for i in range(60)]}
    )
    rng = np.random.RandomState(0)
    for _ in range(10):
        weights = rng.random_sample(60) * (np.arange(60) % 2 == 0)
        for metric in (mutual_information_loss, entropy_loss):
            found = metric(table, release, sample_weight=weights)
            assert 0 <= found < 1e-12


def test_many_sensitive_values_need_no_room():
    """A value of its own for each of 20,000 records, in a column of 20,000 values."""
    n = 20_000
    table = pd.DataFrame({"x": np.arange(n), "z": np.arange(n) % 2})
    release = table.assign(x=[f"[{i - i % 4}, {i - i % 4 + 3}]" for i in range(n)])
    found = private_mutual_information_loss(
        table, release, sensitive=np.arange(n), average=None
    )
    assert found.tolist() == close([2.0, 0.0])

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import MISSING, decode
from releases import ALL_KINDS, drawn_release

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.hierarchies import Subsets, Taxonomy, from_cut_points
from skanon.metrics._reading import read_release


def sets_of(reading):
    """Each row's subsets, as frozensets of values."""
    columns = []
    for column in reading.columns:
        values = list(column.bound.values)
        distinct = [
            frozenset(
                MISSING if code == column.bound.missing else values[code]
                for code in column.members(at).tolist()
            )
            for at in range(column.n_subsets)
        ]
        columns.append([distinct[at] for at in column.subset])
    return list(zip(*columns, strict=True))


def expected_sets(release):
    """The oracle's subsets; a column without any value takes its leaves as text."""
    bare = release.pair.frame.isna().all().tolist()
    return [
        tuple(
            frozenset(v if v is MISSING else str(v) for v in entry) if b else entry
            for entry, b in zip(row, bare, strict=True)
        )
        for row in release.sets
    ]


def read_one(original, published, hierarchy=None):
    """Read one column back: each row's values."""
    given = None if hierarchy is None else {"x": hierarchy}
    column = pd.Series(original, name="x")
    reading = read_release(
        column.to_frame(), pd.Series(published, name="x").to_frame(), None, given
    )
    return [set(row[0]) for row in sets_of(reading)]


@given(st.integers(0, 2**31), st.lists(st.sampled_from(ALL_KINDS), min_size=1))
def test_own_labels_read_back_to_what_they_were_written_for(seed, kinds):
    release = drawn_release(seed, kinds[:4], 1 + seed % 12)
    reading = read_release(
        release.pair.frame, release.frame, None, release.pair.hierarchies
    )
    assert sets_of(reading) == expected_sets(release)
    hidden = [all(text == "*" for text in row) for row in release.texts]
    assert reading.suppressed.tolist() == hidden


@given(st.integers(0, 2**31), st.lists(st.sampled_from(ALL_KINDS), min_size=2))
def test_a_csv_file_in_between_changes_nothing(seed, kinds):
    release = drawn_release(seed, kinds[:4], 1 + seed % 12)
    file = io.StringIO(release.frame.to_csv(index=False))
    frame = pd.read_csv(file, dtype=str)
    reading = read_release(release.pair.frame, frame, None, release.pair.hierarchies)
    assert sets_of(reading) == expected_sets(release)


@given(st.integers(0, 2**31), st.lists(st.sampled_from(ALL_KINDS), min_size=1))
def test_sums_spreads_and_covers_equal_those_of_listed_members(seed, kinds):
    rng = np.random.RandomState(seed)
    release = drawn_release(seed, kinds[:2], 1 + seed % 12)
    reading = read_release(
        release.pair.frame, release.frame, None, release.pair.hierarchies
    )
    for column in reading.columns:
        values = rng.randint(1, 9, size=column.bound.n_codes).astype(float)
        masses = rng.randint(0, 3, size=column.n_subsets).astype(float)
        expected = np.zeros(len(values))
        for at in range(column.n_subsets):
            members = column.members(at)
            assert column.sizes[at] == len(members)
            assert column.sums(values)[at] == values[members].sum()
            shares = values[members] / values[members].sum()
            expected[members] += masses[at] * shares
            codes = np.arange(column.bound.n_codes)
            inside = np.isin(codes, members)
            assert (column.covers(at, codes) == inside).all()
        np.testing.assert_allclose(column.spread(masses, values), expected, atol=1e-12)


def test_ranges_of_many_values_are_not_listed():
    ages = pd.DataFrame({"x": np.arange(45_000)})
    labels = [f"[{low}, {low + 29_999}]" for low in range(15_000)]
    release = pd.DataFrame({"x": (labels * 3)})
    release["x"] = [f"[{max(v - 9_999, 0)}, {v + 9_999}]" for v in ages["x"]]
    column = read_release(ages, release).columns[0]
    assert column.n_subsets == 45_000
    assert not column.gapped


def test_times_are_compared_exactly_whatever_they_count():
    seconds = pd.to_datetime(["2020-01-01", "2020-02-01"]).as_unit("s")
    for low, expected in (
        ("00:00:00", set(seconds)),
        ("00:00:00.000000001", {seconds[1]}),
        ("00:00:00.5", {seconds[1]}),
    ):
        label = f"[2020-01-01 {low}, 2020-02-01 00:00:00.000000001]"
        assert read_one(seconds, ["*", label])[1] == expected
    label = "(2020-01-31 23:59:59.999, 2020-02-01]"
    assert read_one(seconds, ["*", label])[1] == {seconds[1]}
    nanoseconds = seconds.as_unit("ns")
    assert read_one(nanoseconds, ["*", "[1000-01-01, 2020-02-01]"])[1] == set(seconds)
    spans = pd.to_timedelta([1, 2], unit="h").as_unit("s")
    assert read_one(spans, ["*", "< 7200.5s"])[1] == set(spans)


def test_a_set_of_very_many_values_is_read_in_no_time():
    names = [f"name {at}" for at in range(45_000)]
    label = "{" + ", ".join(names[1:]) + "}"
    original = pd.DataFrame({"x": names})
    reading = read_release(original, pd.DataFrame({"x": ["*"] * 44_999 + [label]}))
    assert sorted(reading.columns[0].sizes.tolist()) == [44_999, 45_000]


def test_times_with_a_zone_and_time_spans():
    times = pd.to_datetime(["2020-01-01 01:00", "2020-07-01 02:00"]).tz_localize("CET")
    release = KAnonymizer(k=2, random_state=0).fit_transform(pd.DataFrame({"x": times}))
    assert read_one(times, release["x"]) == [set(times)] * 2
    spans = pd.to_timedelta([1, 2, 9], unit="h")
    assert read_one(spans, ["1h - 3h", "[1 hours, 2 hours]", ">= 9 hours"]) == [
        set(spans[:2]), set(spans[:2]), {spans[2]}
    ]  # fmt: skip
    with pytest.raises(ValueError, match="at row 0, which is no value"):
        read_one(times, ["[2019-01-01, 2021-01-01]", "*"])  # in which zone?


def test_intervals_of_pandas():
    ages = pd.Series([20, 25, 30, 35], name="x")
    assert read_one(ages, pd.cut(ages, [10, 25, 40])) == [{20, 25}] * 2 + [{30, 35}] * 2
    assert read_one(ages, pd.cut(ages, [20, 30, 40], right=False).astype(object)) == [
        {20, 25}, {20, 25}, {30, 35}, {30, 35}
    ]  # fmt: skip
    with pytest.raises(ValueError, match="which is no value"):
        read_one(["a"], [pd.Interval(0, 1)])


def test_a_value_or_a_node_called_like_a_range_wins():
    names = ["20-29", "{a, b}", "a", "b", "[a, b]", 'say "x"', "a, b"]
    assert read_one(names, names) == [{name} for name in names]
    sets = [*names[:4], names[4], '{"say \\"x\\"", a}', '{"a, b", "{a, b}"}']
    assert read_one(names, sets, Subsets())[5:] == [
        {'say "x"', "a"}, {"a, b", "{a, b}"}
    ]  # fmt: skip
    tree = Taxonomy([1, 25, 29], [["20-29", "20-29", "rest"], ["*"] * 3])
    assert read_one([1, 25, 29], ["20-29", "[25, 29]", "rest"], tree) == [
        {1, 25}, {25, 29}, {29}
    ]  # fmt: skip


def test_nodes_of_cut_points_and_the_root_under_its_own_name():
    ages = [5, 20, 29, 70, None]
    tree = from_cut_points([5, 20, 29, 70, 71], [20, 30, 60], [30])
    published = ["< 20", "[20, 30)", "< 30", ">= 30", None]
    expected = [{5}, {20, 29}, {5, 20, 29}, {70, 71}, {MISSING}]
    assert read_one(ages, published, tree) == expected
    town = Taxonomy(["Bern", "Bonn"], [["CH", "DE"], ["Europe"] * 2])
    assert read_one(["Bern", "Bonn"], ["Europe", "DE"], town) == [
        {"Bern", "Bonn"}, {"Bonn"}
    ]  # fmt: skip
    everything = {"Bern", "Bonn", MISSING}
    assert read_one(["Bern", None, "Bonn"], ["Europe", "Europe", "DE"], town) == [
        everything, everything, {"Bonn"}
    ]  # fmt: skip


def test_values_of_another_type_are_found_by_their_text():
    assert read_one(["1", "2"], [1, 2]) == [{"1"}, {"2"}]
    assert read_one([1, 2], [1, "*"]) == [{1}, {1, 2}]
    assert read_one([1, 2], [1.0, 2.0]) == [{1}, {2}]
    assert read_one([True, False], ["True", "*"]) == [{True}, {True, False}]
    assert read_one([True, False], [True, False]) == [{True}, {False}]
    assert read_one(["a", "b"], pd.Categorical(["a", "*"])) == [{"a"}, {"a", "b"}]


def test_two_ways_to_write_a_subset_are_one():
    frame = pd.DataFrame({"x": [20, 29, 20]})
    release = pd.DataFrame({"x": ["[20, 29]", "20-29", "*"]})
    assert read_release(frame, release).columns[0].n_subsets == 1


def test_missing_values():
    assert read_one([1.0, None], [1.0, None]) == [{1.0}, {MISSING}]
    assert read_one([1.0, None, 2], ["[1, 2]", "*", "*"])[1] == {1.0, 2.0, MISSING}
    assert read_one([None, None], [None, "*"]) == [{MISSING}] * 2
    with pytest.raises(ValueError, match=r"has '\[1, 2\]' at row 1.* value nan"):
        read_one([1.0, None, 2], ["[1, 2]", "[1, 2]", "*"])
    with pytest.raises(ValueError, match="hidden rather than missing, write"):
        read_one([1.0, None], [None, None])
    with pytest.raises(ValueError, match="has nan at row 0, which does not cover"):
        read_one([1.0, 2.0], [None, 2.0])


@pytest.mark.parametrize("published", ["[30, 39]", "99", 99, "{21, 23}", 21])
def test_a_value_that_is_not_covered(published):
    message = f"'x': the release has .*{str(published)[-3:-1]}.* at row 2.* value 22"
    with pytest.raises(ValueError, match=message):
        read_one([21, 23, 22, 35], [21, "23", published, "[30, 39]"])


def test_tables_that_do_not_fit_together():
    frame = pd.DataFrame({"x": [1, 2, 3], "z": list("abc")}, index=[10, 11, 12])
    with pytest.raises(ValueError, match="3 rows, but the release has 2"):
        read_release(frame, frame.iloc[:2])
    with pytest.raises(ValueError, match=r"released.loc\[original.index\]"):
        read_release(frame, frame.iloc[::-1])
    with pytest.raises(ValueError, match=r"at row 0 it is 0 instead of 10.*set_axis"):
        read_release(frame, frame.reset_index(drop=True))
    with pytest.raises(ValueError, match=r"lacks the columns \['z'\]"):
        read_release(frame, frame[["x"]])
    with pytest.raises(ValueError, match="'age', which is not a column"):
        read_release(frame, frame, quasi_identifiers=["age"])
    with pytest.raises(ValueError, match="'age', which is not a column"):
        read_release(frame, frame, None, {"age": "intervals"})
    assert len(read_release(frame, frame[["x"]], quasi_identifiers=["x"])) == 3


def test_arrays_and_other_frames_are_compared_by_position():
    polars = pytest.importorskip("polars")
    frame = pd.DataFrame({"x": [1, 2, 3], "z": list("abc")}, index=[10, 11, 12])
    release = pd.DataFrame({"x": ["[1, 2]", "[1, 2]", "3"], "z": "*"})
    expected = sets_of(read_release(frame.reset_index(drop=True), release))
    assert sets_of(read_release(frame, polars.from_pandas(release))) == expected
    array = read_release(frame.to_numpy(), release.to_numpy())
    assert sets_of(array) == expected
    assert [column.name for column in array.columns] == [0, 1]


@pytest.mark.parametrize("encode", ["label", "representative", "bounds"])
@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_a_fitted_anonymizer_stands_for_its_release(encode, container):
    frame = pd.DataFrame(
        {
            "name": list("abcdef"),
            "age": [20, 21, 58, 60, 22, None],
            "job": list("ccnncc"),
            "ill": list("xyxyxy"),
        },
        index=list("uvwxyz"),
    )
    anonymizer = KAnonymizer(
        k=2,
        hierarchies={"job": Subsets()},
        sensitive="ill",
        identifiers="name",
        encode=encode,
        random_state=0,
    ).set_output(transform=container)
    anonymizer.fit(frame)
    reading = read_release(frame, anonymizer)
    assert [column.name for column in reading.columns] == ["age", "job"]
    parts = anonymizer._classes.schema.parts()
    for i, row in enumerate(sets_of(reading)):
        states = anonymizer._classes.states[anonymizer.labels_[i]]
        for column, at, found in zip(reading.columns, parts, row, strict=True):
            assert found == decode(column.bound, states[at])
    assert anonymizer.encode == encode


def test_an_anonymizer_of_an_array_and_one_that_is_not_fitted():
    array = np.array([[1.0, 5], [2, 5], [8, 6], [9, 6]])
    anonymizer = MondrianAnonymizer(k=2).fit(array)
    assert sets_of(read_release(array, anonymizer))[0] == ({1.0, 2.0}, {5.0})
    with pytest.raises(ValueError, match="not fitted"):
        read_release(array, MondrianAnonymizer(k=2))


def test_records_that_their_class_does_not_cover_are_found_out():
    anonymizer = MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": [1, 2, 8, 9]}))
    with pytest.raises(ValueError, match="at row 0, which does not cover"):
        read_release(pd.DataFrame({"x": [500, 2]}), anonymizer)

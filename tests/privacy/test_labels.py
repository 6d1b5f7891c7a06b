"""Checks and metrics read each label alike; what it covers is written by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon import KAnonymizer
from skanon.exceptions import ColumnError
from skanon.hierarchies import Intervals, Subsets, Taxonomy, from_mask
from skanon.metrics import loss_metric, normalized_certainty_penalty
from skanon.metrics._reading import read_release
from skanon.privacy import k_map, one_k_anonymity
from skanon.privacy.attacks import linkage_attack


def seen_by_checks(values, label, hierarchies=None):
    """Find who fits: everybody has as many doubles as no others have together."""
    label = pd.DataFrame({"x": pd.Series([label], dtype=object)})
    numbers = np.repeat(np.arange(len(values)), 2 ** np.arange(len(values)))
    people = pd.DataFrame({"x": pd.Series(values).iloc[numbers]})
    count = k_map(label, population=people, hierarchies=hierarchies)
    return {at for at in range(len(values)) if count >> at & 1}


def seen_by_metrics(values, label, hierarchies=None):
    """Find whom the label may be published for, where LM agrees with their number."""
    original = pd.DataFrame({"x": pd.Series(values)})
    found, losses = set(), set()
    for at in range(len(original)):
        published = original.astype(object)
        published.iloc[at, 0] = label
        try:
            losses.add(loss_metric(original, published, hierarchies=hierarchies))
        except ColumnError as error:
            if "does not cover" not in str(error):
                raise
        else:
            found.add(at)
    n = len(original)
    if found:
        assert list(losses) == pytest.approx([(len(found) - 1) / (n - 1) / n])
    return found


def check(values, label, expected, hierarchies=None):
    listed = pd.Series(values).astype(object).where(pd.notna(values), None).tolist()
    wanted = {listed.index(value) for value in expected}
    assert seen_by_checks(values, label, hierarchies) == wanted
    assert seen_by_metrics(values, label, hierarchies) == wanted


def check_refused(values, label, hierarchies=None):
    original = pd.DataFrame({"x": pd.Series(values)})
    row = len(original) - 1
    published = original.astype(object)
    published.iloc[row, 0] = label
    given = {"hierarchies": hierarchies}
    ways = (
        lambda: loss_metric(original, published, **given),
        lambda: normalized_certainty_penalty(original, published, **given),
        lambda: k_map(published, population=original, **given),
        lambda: one_k_anonymity(original, published, **given),
        lambda: linkage_attack(original, published.assign(y=1), ["x"], "y", **given),
    )
    for way in ways:
        with pytest.raises(ColumnError, match="which is no value of the raw") as error:
            way()
        for part in ("Column 'x'", repr(label), f"row {row}", "Give the hierarchy"):
            assert part in str(error.value)


NUMBERS = [-5, -1, 0, 7, 20, 25, 29, 30, 90, 2020]

OF_NUMBERS = {
    "*": NUMBERS,
    "[20, 29]": [20, 25, 29],
    "[20, 30)": [20, 25, 29],
    "[20,30[": [20, 25, 29],
    "]20,30]": [25, 29, 30],
    "]20, 30[": [25, 29],
    "(20, 30]": [25, 29, 30],
    "(20, 30)": [25, 29],
    "[19.5, 29.5]": [20, 25, 29],
    "[30, infinity]": [30, 90, 2020],
    "[30, inf)": [30, 90, 2020],
    "(-inf, 0]": [-5, -1, 0],
    "20-29": [20, 25, 29],
    "20 - 29": [20, 25, 29],
    "20\u201329": [20, 25, 29],
    "-5--1": [-5, -1],
    "-5 - -1": [-5, -1],
    "-5-7": [-5, -1, 0, 7],
    "19.9-20.1": [20],
    "2e1-3e1": [20, 25, 29, 30],
    "20-20": [20],
    "2020-2021": [2020],
    "<18": [-5, -1, 0, 7],
    "< -1": [-5],
    "<= 20": [-5, -1, 0, 7, 20],
    "\u226420": [-5, -1, 0, 7, 20],
    "> 30": [90, 2020],
    ">=90": [90, 2020],
    "\u226590": [90, 2020],
    "\u2265 90": [90, 2020],
    "90+": [90, 2020],
    "90 +": [90, 2020],
    "-1+": NUMBERS[1:],
    "+7": [7],
    "20.0": [20],
    " 20 ": [20],
    "{20, 29.0}": [20, 29],
    "{20-29, 90+}": [20, 25, 29, 90, 2020],
    "2*": [20, 25, 29],
    "*0": [20, 30, 90],
    "-*": [-5, -1],
    "**": [-5, -1, 20, 25, 29, 30, 90],
    "2**0": [2020],
    "[-99999999999999999999, 0]": [-5, -1, 0],
    "[21, 24]": [],
    "24": [],
}


@pytest.mark.parametrize("label", OF_NUMBERS)
@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64", "category", object])
def test_numbers(label, dtype):
    check(pd.Series(NUMBERS, dtype=dtype), label, OF_NUMBERS[label])


@pytest.mark.parametrize("label", OF_NUMBERS)
def test_numbers_with_hierarchies_that_do_not_know_the_label(label):
    shuffled = Taxonomy([7, 30, -1, 20, 2020, 0, 29, -5, 90, 25], [["*"] * 10])
    for hierarchy in (Intervals(), Subsets(), shuffled):
        check(NUMBERS, label, OF_NUMBERS[label], {"x": hierarchy})


def test_integers_that_no_float_holds():
    check([2**53, 2**53 + 1, 2**53 + 2], f"({2**53}, {2**53 + 2})", [2**53 + 1])
    check([1, 2**53, 2**53 + 1], f"[2, {2**53}]", [2**53])


@pytest.mark.parametrize(
    "label",
    ["[30, 20]", "30-20", "(20, 20)", "[20, 20)", "{}", "{20, x}", "{20, [25, 29]}",
     "1,000", "[1,000, 2,000]", "1_000", "[20]", "[20; 30]", "[20, 30", "20-25-29",
     "20+-", "< ", "<> 20", "<90+", "+", "-", "20 to 29", "nan", "now", "young", "",
     "9**9", "****-", "2020-06", "{20, 9**9}", '{"20}', '{"\\x"}', "[infinity, 1]",
     "[20, x]", "x - y", "> x", "(", '{"a', "1..2", "{20, }", "[20, 25, 29]",
     '["20", 29', "[a, b]", "?"],
)  # fmt: skip
def test_what_cannot_be_read_of_numbers(label):
    check_refused(NUMBERS, label)
    check_refused([*map(float, NUMBERS), np.nan], label)


def test_a_set_with_a_number_that_nobody_has():
    """The population may lack it; of the original itself it cannot be said."""
    assert seen_by_checks(NUMBERS, "{20, 99}") == {4}
    assert seen_by_checks(NUMBERS, "{98, 99}") == set()
    with pytest.raises(ColumnError, match="which is no value of the raw col"):
        seen_by_metrics(NUMBERS, "{20, 99}")


DAYS = pd.to_datetime(
    ["2019-12-31", "2020-01-01", "2020-06-01", "2020-06-30", "2020-07-01", "2021-12-31",
     "2022-01-01"]
)  # fmt: skip

OF_DAYS = {
    "2020": DAYS[1:5],
    "2020-06": DAYS[2:4],
    "2020-06-30": DAYS[3:4],
    "2020-06-30 00:00:00": DAYS[3:4],
    "2020-06-30T00:00": DAYS[3:4],
    "2020-2021": DAYS[1:6],
    "2020 - 2021": DAYS[1:6],
    "2020\u20132021": DAYS[1:6],
    "2020-01 - 2020-06": DAYS[1:4],
    "2020-01-2020-06": DAYS[1:4],
    "2020-01-01 - 2020-06-30": DAYS[1:4],
    "[2020-01-01, 2020-06-30]": DAYS[1:4],
    "[2020, 2021]": DAYS[1:6],
    "[2020, 2021)": DAYS[1:5],
    "(2020, 2021]": DAYS[5:6],
    "(2020-06, 2020]": DAYS[4:5],
    "[2020-06, 2020]": DAYS[2:5],
    "[2020-06-01,2020-07-01[": DAYS[2:4],
    "]2020-06-01,2020-07-01]": DAYS[3:5],
    "<2020": DAYS[:1],
    "<= 2020": DAYS[:5],
    "\u22642020-06": DAYS[:4],
    "> 2020": DAYS[5:],
    ">= 2020-07-01": DAYS[4:],
    "\u22652022": DAYS[6:],
    "2022+": DAYS[6:],
    "2020-06-30+": DAYS[3:],
    "[2022, 9999-12-31]": DAYS[6:],
    "[0001-01-01, 2019]": DAYS[:1],
    "{2019, 2020-06, 2022-01-01}": DAYS[[0, 2, 3, 6]],
    "2023": [],
}


@pytest.mark.parametrize("label", OF_DAYS)
def test_days(label):
    check(DAYS, label, list(OF_DAYS[label]))
    check(DAYS.astype("datetime64[s]"), label, list(OF_DAYS[label]))
    check(list(DAYS.date), label, [day.date() for day in OF_DAYS[label]])


@pytest.mark.parametrize(
    "label",
    ["now", "today", "<= now", "{now}", "NaT", "[2021, 2020]", "2021-2020", "20-21",
     "2020-21", "2020-13", "2020-06-31", "2020Q1", "2020-Q1", "June 2020", "01/02/2020",
     "2020-06-**", "20**", "1", "[1, 2]", "2020-01-01 00:00:00+01:00", "< 2020+"],
)  # fmt: skip
def test_what_cannot_be_read_of_days(label):
    check_refused(DAYS, label)


def test_a_day_is_the_whole_of_it_and_a_time_is_exact():
    times = pd.to_datetime(
        ["2020-06-01", "2020-06-01 12:00", "2020-06-01 23:59:59.999999999",
         "2020-06-02 00:00"],
        format="ISO8601",
    )  # fmt: skip
    check(times, "2020-06-01", list(times[:3]))
    check(times, "<= 2020-06-01", list(times[:3]))
    check(times, "> 2020-06-01", list(times[3:]))
    check(times, "[2020-06-01, 2020-06-02)", list(times[:3]))
    check(times, "2020-06-01 00:00:00", list(times[:1]))
    check(times, "[2020-06-01 00:00:00, 2020-06-01 12:00]", list(times[:2]))
    check(times, "> 2020-06-01 12:00:00.000000001", list(times[2:]))
    zoned = times.tz_localize("CET")
    check(zoned, "<= 2020-06-01 12:00:00+02:00", list(zoned[:2]))
    check(zoned, "2020-06-01 10:00Z - 2020-06-01 23:00Z", list(zoned[1:]))
    check_refused(zoned, "2020-06-01")  # in which zone?
    check_refused(zoned, "[2020-06-01, 2020-06-02]")
    check_refused(zoned, "<= 2020-06-01 12:00:00")


SPANS = pd.to_timedelta([-1, 1, 2, 26], unit="h")

OF_SPANS = {
    "1h": [1],
    "1 hours - 2 hours": [1, 2],
    "1h-2h": [1, 2],
    "-1 days +23:00:00 - 0 days 01:00:00": [0, 1],
    "[-1 days +23:00:00, 1 days 02:00:00]": [0, 1, 2, 3],
    "1 day, 2:00:00": [3],
    "PT2H": [2],
    "< 2h": [0, 1],
    "1 days+": [3],
    "\u22652 hours": [2, 3],
    "7200.0s": [2],
    "]1h,1 days[": [2],
    "{1h, PT2H}": [1, 2],
}


@pytest.mark.parametrize("label", OF_SPANS)
def test_time_spans(label):
    check(SPANS, label, [SPANS[at] for at in OF_SPANS[label]])


@pytest.mark.parametrize(
    "label", ["1", "1.5", "[1, 2]", "2h - 1h", "1h 2", "1 fortnight", "", "NaT", "1*"]
)
def test_what_cannot_be_read_of_time_spans(label):
    check_refused(SPANS, label)


TEXTS = ["47600", "47611", "47699", "48611", "a, b", "90+", "[20, 30)", "x-y", "***"]

OF_TEXTS = {
    "90+": ["90+"],
    "[20, 30)": ["[20, 30)"],
    "x-y": ["x-y"],
    "***": ["***"],
    "476**": ["47600", "47611", "47699"],
    "47*1*": ["47611"],
    "**611": ["47611", "48611"],
    "*****": ["47600", "47611", "47699", "48611"],
    "*, b": ["a, b"],
    '{47600, "a, b"}': ["47600", "a, b"],
    "{476**, x-y}": ["47600", "47611", "47699", "x-y"],
    '{"[20, 30)", 90+}': ["[20, 30)", "90+"],
    "*": TEXTS,
}


@pytest.mark.parametrize("label", OF_TEXTS)
@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_text(label, dtype):
    check(pd.Series(TEXTS, dtype=dtype), label, OF_TEXTS[label])


@pytest.mark.parametrize(
    "label",
    ["[47600, 47611]", "47600-47611", "< 47611", "47611+", "\u226547600", "476***",
     "999**", "{zebra}", "{999**}", "{a, b}", "****-", "", "{}", "{47600,}", "[a, b]"],
)  # fmt: skip
def test_what_cannot_be_read_of_text(label):
    check_refused(TEXTS, label)


def test_a_set_with_a_text_that_nobody_has():
    values, tree = ["a", "b", "c"], {"x": {"*": {"n": ["a", "b"], "m": ["c", "d"]}}}
    assert seen_by_checks(values, "{a, zebra}") == {0}
    with pytest.raises(ColumnError, match="which is no value of the raw col"):
        seen_by_metrics(values, "{a, zebra}")
    # where a hierarchy lists all values, what it lacks is a mistake
    assert seen_by_checks(values, "{a, d}", tree) == {0}
    assert seen_by_checks(values, "{a, m}", tree) == {0, 2}
    with pytest.raises(ColumnError, match="which is no value of the raw col"):
        seen_by_checks(values, "{a, zebra}", tree)


def test_masks_of_numbers_beside_a_gap():
    codes = [47600.0, 47611.0, 4761.0, 0.5, None]
    check(codes, "476**", codes[:2])
    check(codes, "4**1", codes[2:3])
    check(codes, "*.5", codes[3:4])


def test_a_hierarchy_says_otherwise():
    ages = [18, 25, 90, 95]
    names = ["20-29", "90+", "2*", "20-29"]
    tree = {"x": Taxonomy(ages, [names, ["all"] * 4])}
    check(ages, "20-29", [18, 95], tree)
    check(ages, "90+", [25], tree)
    check(ages, "2*", [90], tree)
    check(ages, "9*", [90, 95], tree)  # is no node of it
    check(ages, "[25, 90]", [25, 90], tree)
    check([*ages, None], "all", [*ages, None], tree)


SIZES = pd.CategoricalDtype(["S", "M-L", "L", "XL"], ordered=True)

OF_SIZES = {
    "[S, L]": ["S", "M-L", "L"],
    "[S, L)": ["S", "M-L"],
    "]S, XL]": ["M-L", "L", "XL"],
    "M-L": ["M-L"],
    "S-L": ["S", "M-L", "L"],
    "M-L - XL": ["M-L", "L", "XL"],
    "L+": ["L", "XL"],
    "<= M-L": ["S", "M-L"],
    "{S, XL}": ["S", "XL"],
    "*L": ["XL"],
}


@pytest.mark.parametrize("label", OF_SIZES)
def test_ordered_categories(label):
    values = pd.Series(["XL", "L", "S", "M-L"], dtype=SIZES)
    check(values, label, OF_SIZES[label])
    tree = {"x": {"*": {"small": ["S"], "others": ["XL", "M-L", "L"]}}}
    assert seen_by_checks(values, label, tree) == seen_by_checks(values, label)
    assert seen_by_metrics(values, label, {"x": Intervals()}) == seen_by_checks(
        values, label
    )


def test_what_cannot_be_read_of_ordered_categories():
    values = pd.Series(["XL", "L", "S", "M-L"], dtype=SIZES)
    for label in ("[L, S]", "L - S", "[S, XXL]", "{S, XXL}", "XXL+", "9*"):
        check_refused(values, label)
    check_refused(pd.Series([True, False]), "T***")


def test_categories_that_are_not_used_are_ends_too():
    values = pd.Series(["XL", "S"], dtype=SIZES)
    check(values, "[M-L, XL]", ["XL"])


def test_categories_of_numbers():
    check(pd.Categorical([1, 2, 30], [1, 2, 30], ordered=True), "[1.5, 30]", [2, 30])
    turned = pd.Categorical([1, 2, 30], [30, 1, 2], ordered=True)
    check(turned, "[30, 1]", [30, 1])
    check_refused(turned, "[1, 30]")


def test_intervals_of_pandas():
    check(NUMBERS, pd.Interval(20, 30, "both"), [20, 25, 29, 30])
    check(NUMBERS, pd.Interval(20, 30, "left"), [20, 25, 29])
    check(NUMBERS, pd.Interval(20, 30, "neither"), [25, 29])
    check(NUMBERS, pd.Interval(0.5, 7.5), [7])
    check(DAYS, pd.Interval(DAYS[1], DAYS[3]), list(DAYS[2:4]))
    check_refused(DAYS, pd.Interval(1, 2))
    check_refused(NUMBERS, pd.Interval(20, 20, "left"))
    check_refused(NUMBERS, pd.Interval(DAYS[1], DAYS[3]))
    check_refused(TEXTS, pd.Interval(1, 2))
    raw = pd.Series(pd.interval_range(0, 3))  # themselves values, which mean themselves
    assert seen_by_checks(raw, raw[1]) == seen_by_checks(raw, "(1, 2]") == {1}


def test_narrow_floats_mean_what_is_written():
    for dtype in (np.float32, "Float32"):
        values = pd.Series([0.1, 0.2, 0.3, 0.7], dtype=dtype)
        for label in ("[0.1, 0.3)", "0.1-0.2", "{0.1, 0.20}", "< 0.3"):
            for seen in (seen_by_checks, seen_by_metrics):
                assert seen(values, label) == {0, 1}
        frame = values.to_frame("x")
        assert one_k_anonymity(frame, frame) == 1


def test_missing_values_are_only_meant_by_themselves():
    values = pd.Series([1.0, 2.0, None])
    check(values, None, [None])
    check(values, np.nan, [None])
    check(values, "*", [1.0, 2.0, None])
    for label in ("> 0", "[1, 2]", "{1, 2}"):
        check(values, label, [1.0, 2.0])


# ------------------------------------------------- what the package itself writes


def members(original, release, hierarchies):
    """Read a release of one column by both; give each row's values by position."""
    column = read_release(original, release, None, hierarchies).columns[0]
    values = [*column.bound.values, None]
    listed = original["x"].astype(object).where(original["x"].notna(), None).tolist()
    by_metrics = []
    for subset in column.subset:
        held = [values[code] for code in column.members(subset).tolist()]
        by_metrics.append({at for at, value in enumerate(listed) if value in held})
    by_checks = [
        seen_by_checks_of(original, label, hierarchies) for label in release["x"]
    ]
    return by_metrics, by_checks


def seen_by_checks_of(original, label, hierarchies):
    given = {"quasi_identifiers": ["x"], "hierarchies": hierarchies}
    release = pd.DataFrame({"x": pd.Series([label], dtype=object), "y": 1})
    found = linkage_attack(original, release, sensitive="y", **given)
    return set(np.flatnonzero(found.people["records"].to_numpy()).tolist())


def day(number):
    return pd.Timestamp("1899-12-30") + pd.Timedelta(number, "D")


KINDS = {
    "number": (lambda x: x - 60, "Int64", Intervals()),
    "decimal": (lambda x: x / 8 - 7, "float64", Intervals()),
    "float32": (lambda x: x / 10, "float32", Intervals()),
    "date": (day, "datetime64[us]", Intervals()),
    "time": (lambda x: day(0) + pd.Timedelta(x * 7, "h"), None, Intervals()),
    "zoned": (lambda x: day(x).tz_localize("UTC"), None, Intervals()),
    "span": (lambda x: pd.Timedelta(x - 60, "min"), None, Intervals()),
    "sizes": (
        lambda x: f"{x % 7}, {'abc'[x % 3]} - [",
        pd.CategoricalDtype([f"{x % 7}, {'abc'[x % 3]} - [" for x in range(21)], True),
        Intervals(),
    ),
    "set": (
        lambda x: ["a", "b, c", '"', "{x}", "20-29", "90+"][x % 6],
        None,
        Subsets(),
    ),
    "mask": (lambda x: f"{476 + x % 3}{x:03}", None, from_mask),
}


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(KINDS)),
    st.lists(st.integers(0, 120), min_size=4, max_size=10),
    st.integers(0, 2),
)
def test_own_labels_are_read_to_the_bounds_of_their_class(kind, numbers, gaps):
    make, dtype, hierarchy = KINDS[kind]
    listed = [*map(make, numbers), *[None] * gaps]
    original = pd.DataFrame({"x": pd.Series(listed, dtype=dtype)})
    if hierarchy is from_mask:
        hierarchy = from_mask(original["x"].dropna())
    anonymizer = KAnonymizer(k=2, hierarchies={"x": hierarchy}, random_state=0)
    release = anonymizer.fit_transform(original)
    given = {} if kind == "mask" else {"x": hierarchy}  # a mask needs none to be read
    by_metrics, by_checks = members(original, release, given)
    assert by_metrics == by_checks
    for label, own in zip(anonymizer.labels_, by_checks, strict=True):
        rows = set(np.flatnonzero(anonymizer.labels_ == label).tolist())
        assert own == bounds(original["x"], rows, kind)


def bounds(column, rows, kind):
    """List the rows whose values lie where those of a class do: by definition."""
    inside = column.iloc[sorted(rows)]
    everything = set(range(len(column)))
    if inside.isna().all():
        return set(np.flatnonzero(column.isna()).tolist())
    if inside.isna().any():
        return everything
    if kind == "set":
        held = set(inside)
        if held == set(column):
            return everything
        return {at for at, value in enumerate(column) if value in held}
    if kind == "mask":
        texts = list(inside)
        same = max(n for n in range(7) if len({text[:n] for text in texts}) == 1)
        if same == 0:
            return everything
        return {
            at
            for at, value in enumerate(column)
            if isinstance(value, str) and value[:same] == texts[0][:same]
        }
    line = column.astype("float64") if kind == "number" else column
    line = column.cat.codes.where(column.notna()) if kind == "sizes" else line
    low, high = line.iloc[sorted(rows)].min(), line.iloc[sorted(rows)].max()
    return set(np.flatnonzero(((low <= line) & (line <= high)).to_numpy()).tolist())

"""What becomes of each type of column, in each of the four forms."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow
import pytest

from skanon import KAnonymizer
from skanon.exceptions import ColumnError, ColumnTypeError, PrivacyWarning
from skanon.hierarchies import Taxonomy, from_nested

ENCODINGS = ["label", "representative", "bounds", "distribution"]
ORDER = pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)
DAYS = ["1850-03-01", "1850-03-03", "1999-12-31"]
TIMES = [datetime.time(7), datetime.time(8, 30), datetime.time(23, 59, 59, 5)]
OBJECTS = (datetime.date, datetime.time, Decimal, pd.Period, pd.Interval)
CENTS = pd.ArrowDtype(pyarrow.decimal128(10, 2))


def columns():
    """List a name, three different values and the dtype of each type of column."""
    days = pd.to_datetime(DAYS)
    spans = pd.to_timedelta(["1h", "3h", "9h"])
    dates = [datetime.date.fromisoformat(day) for day in DAYS]
    plain = [
        ("int64", [3, 5, 90], "int64"),
        ("int8", [3, 5, 90], "int8"),
        ("uint64", [3, 5, 2**64 - 1], "uint64"),
        ("float64", [0.1, 0.5, 9.0], "float64"),
        ("float32", [0.1, 0.5, 9.0], "float32"),
        ("huge floats", [-1.7e308, 1.0, 1.7e308], "float64"),
        ("bool", [False, True, True], "bool"),
        ("str", ["a", "b", "c"], "str"),
        ("object", ["a", "b", "c"], "object"),
        ("object ints", [3, 5, 90], "object"),
        ("dates", dates, "object"),
        ("decimals", [Decimal("0.1"), Decimal("0.25"), Decimal("900.5")], "object"),
        ("whole decimals", [Decimal(3), Decimal(5), Decimal(90)], "object"),
        ("times", TIMES, "object"),
        ("months", pd.PeriodIndex(DAYS, freq="M"), None),
        ("weeks", [pd.Period(day, "W") for day in DAYS], "object"),
        ("intervals", pd.interval_range(0.5, 3.5), None),
        ("overlapping", [pd.Interval(0, x) for x in (1, 2, 3)], "object"),
        ("pd.cut", pd.cut([1, 2, 3], [0.5, 1.5, 2.5, 3.5]), None),
        ("unordered months", pd.PeriodIndex(DAYS, freq="M"), "category"),
        ("category", ["a", "b", "c"], "category"),
        ("ordered", ["lo", "mid", "hi"], ORDER),
        ("category of ints", [3, 6, 90], "category"),
        ("string", ["a", "b", "c"], "string"),
        ("Int64", [3, 5, 2**60 + 1], "Int64"),
        ("Float64", [0.1, 0.5, 9.0], "Float64"),
        ("boolean", [False, True, True], "boolean"),
        ("seconds", days, "datetime64[s]"),
        ("microseconds", days, "datetime64[us]"),
        ("nanoseconds", days, "datetime64[ns]"),
        ("with zone", days.tz_localize("Europe/Berlin"), None),
        ("timedelta", spans, "timedelta64[us]"),
    ]
    arrow = [
        ("arrow int", [3, 5, 90], "int64[pyarrow]"),
        ("arrow float", [0.1, 0.5, 9.0], "double[pyarrow]"),
        ("arrow bool", [False, True, True], "bool[pyarrow]"),
        ("arrow text", ["a", "b", "c"], "string[pyarrow]"),
        ("arrow time", days, "timestamp[us][pyarrow]"),
        ("arrow date", dates, "date32[day][pyarrow]"),
        ("arrow span", spans, "duration[us][pyarrow]"),
        ("arrow time of day", TIMES, "time64[us][pyarrow]"),
        ("arrow decimal", [Decimal("0.1"), Decimal("0.25"), Decimal(3)], CENTS),
    ]
    for name, values, dtype in plain + arrow:
        yield pytest.param(values, dtype, id=name)


CANNOT_MISS = ("int64", "int8", "uint64", "bool")


def column(values, dtype, missing=False):
    """Repeat the first two values three times each, the third five times."""
    listed = [values[i] for i in (0, 1, 0, 1, 0, 1, 2, 2, 2, 2, 2)]
    if missing:
        return pd.Series([*listed, None, None, None, None], dtype=dtype)
    return pd.Series(listed, dtype=dtype)


def classes(series, encode, k=5, **options):
    frame = series.to_frame("col")
    # the missing ones and the third value stay whole, the first two are united
    fitted = KAnonymizer(k, encode=encode, random_state=0, **options)
    return fitted, fitted.fit_transform(frame)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize(("values", "dtype"), [*columns()])
def test_every_type_of_column(values, dtype, encode, missing):
    if missing and dtype in CANNOT_MISS:
        pytest.skip(f"{dtype} has no missing values")
    series = column(values, dtype, missing)
    fitted, release = classes(series, encode, k=4)
    assert len(release) == len(series)
    assert release.columns.tolist() == fitted.get_feature_names_out().tolist()
    assert fitted.class_sizes_.min() >= 4
    pd.testing.assert_frame_equal(fitted.transform(series.to_frame("col")), release)
    if encode == "label":
        assert release["col"].dtype == "str"
        if missing:
            assert release["col"][series.isna()].isin([np.nan, "*"]).all()
            assert release["col"][series.notna()].notna().all()
    elif encode == "representative":
        assert release["col"].dtype == series.dtype
        if type(values[0]) in OBJECTS:
            assert {type(x) for x in release["col"].dropna()} == {type(values[0])}
        found = release["col"].dropna().astype(str)
        assert found.str.startswith(str(values[2])[:10]).sum() >= 5
    elif encode == "distribution":
        assert all(dtype == np.float64 for dtype in release.dtypes)
        assert np.isfinite(release.to_numpy()).all()
        if "col_mean" not in release:
            assert np.allclose(release.sum(axis=1), 1)
    elif "col_low" in release:
        whole = release["col_low"].notna()
        ends = release[whole]
        own = series[whole]
        if isinstance(series.dtype, pd.CategoricalDtype):
            own = pd.Series(list(own), index=own.index)
        if type(values[0]) in OBJECTS:
            assert {type(x) for x in ends.to_numpy().ravel()} == {type(values[0])}
        seen = own.notna()
        assert (ends["col_low"][seen] <= own[seen]).all()
        assert (own[seen] <= ends["col_high"][seen]).all()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize(("values", "dtype"), [*columns()])
def test_k_of_one_gives_the_table_as_it_was(values, dtype, encode, missing):
    if missing and dtype in CANNOT_MISS:
        pytest.skip(f"{dtype} has no missing values")
    series = column(values, dtype, missing)
    with pytest.warns(PrivacyWarning, match="k=1 hides nobody"):
        fitted, release = classes(series, encode, k=1)
    assert fitted.information_loss_ == 0
    missed = series.isna()
    assert fitted.n_classes_ == series.nunique(dropna=False)
    if encode == "label":
        assert (release["col"].isna() == missed).all()
        assert release["col"].nunique() == series.nunique()
    elif encode == "representative":
        pd.testing.assert_series_equal(release["col"], series, check_names=False)
    elif encode == "bounds" and "col_low" in release:
        assert (release["col_low"].isna() == missed).all()
        same = release["col_low"] == release["col_high"]
        assert same[~missed].all()
    elif encode == "distribution" and "col_mean" in release:
        assert (release["col_width"][~missed] == 0).all()
    elif encode == "distribution":
        assert set(np.unique(release)) <= {0.0, 1.0}


def one_class(values, dtype=None, **options):
    series = pd.Series(values, dtype=dtype)
    return classes(series, k=len(series), **options)[1]


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1, 4], "int64", 2),
        ([-4, -1], "Int64", -3),
        ([2**63, 2**64 - 1], "uint64", 2**63 + 2**62 - 1),
        ([-(2**63), 2**63 - 1], "int64", -1),
        ([2**60 + 1, 2**60 + 3], "int64", 2**60 + 2),
        ([20.0, 29.0], "float64", 24.5),
        ([1.7e308, 1.6e308], "float64", 1.65e308),
        ([5e-324, 1e-323], "float64", 5e-324),
        (["a", "b", "b"], "str", "b"),
        ([3, 9, 9], "category", 9),
        ([True, True, False], "bool", True),
    ],
)
def test_a_representative_lies_in_the_middle_or_is_the_most_frequent(
    values, dtype, expected
):
    found = one_class(values, dtype, encode="representative")["col"].unique()
    assert found.tolist() == [
        pytest.approx(expected) if expected == 1.65e308 else expected
    ]


@pytest.mark.parametrize(
    ("ends", "unit", "middle"),
    [
        (["1850-03-01", "1850-03-04"], "s", "1850-03-02"),
        (["1700-01-01", "2200-01-01"], "ns", "1950-01-01"),
        (["1850-03-01 01:00", "1850-03-01 04:00"], "us", "1850-03-01 02:30"),
    ],
)
def test_the_middle_of_times(ends, unit, middle):
    series = pd.Series(pd.to_datetime(ends)).astype(f"datetime64[{unit}]")
    release = classes(series, "representative", k=2)[1]["col"]
    assert release.dtype == series.dtype
    assert release.unique().tolist() == [pd.Timestamp(middle)]


def test_a_zone_stays():
    series = pd.Series(pd.to_datetime(["2020-03-28", "2020-03-30"])).dt.tz_localize(
        "Europe/Berlin"
    )
    release = classes(series, "representative", k=2)[1]["col"]
    assert release.dtype == series.dtype
    middle = series[0] + (series[1] - series[0]) / 2
    assert release.tolist() == [middle] * 2


@pytest.mark.parametrize(
    ("dtype", "emitted"),
    [
        ("category", "Int64"),
        ("object", "Int64"),
        ("Int64", "Int64"),
        ("float64", "float64"),
    ],
)
def test_bounds_are_numbers_with_missing_ones_beside_them(dtype, emitted):
    values = [3, 3, 9, 9, None, None]
    release = classes(pd.Series(values, dtype=dtype), "bounds", k=2)[1]
    assert release.dtypes.tolist() == [emitted] * 2
    assert release["col_low"].isna().tolist() == [False] * 4 + [True] * 2
    assert release["col_high"][:4].tolist() == [3, 3, 9, 9]


def test_a_distribution_is_what_is_expected():
    frame = pd.DataFrame(
        {
            "age": [20, 20, 29, 50, None, None],
            "town": ["a", "b", "b", "c", None, None],
        }
    )
    fitted = KAnonymizer(
        3, refine=0, encode="distribution", hierarchies={"town": "subsets"}
    )
    fitted._cluster = lambda problem: np.array([0, 0, 0, 1, 1, 1])
    release = fitted.fit_transform(frame)
    assert fitted.get_feature_names_out().tolist() == [
        *["age_mean", "age_width", "age_missing"],
        *["town_{a, b}", "town_other"],  # as c is not published by its name
    ]
    ages, towns = [23, 9, 0], [1, 0]
    every = [119 / 4, 30, 2 / 6], [3 / 6, 3 / 6]
    assert release.iloc[0].tolist() == pytest.approx(ages + towns)
    assert release.iloc[5].tolist() == pytest.approx(every[0] + every[1])


def test_leaves_that_the_column_lacks():
    tree = {"*": {"low": [1, 2, 3], "high": [7, 8]}}
    frame = pd.DataFrame({"a": [1, 2, 7, 7]})
    options = {"hierarchies": {"a": tree}, "random_state": 0}
    expected = {
        "label": [["low"]] * 2 + [["7"]] * 2,
        "representative": [[2]] * 2 + [[7]] * 2,
        "bounds": [[1, 3]] * 2 + [[7, 7]] * 2,
        "distribution": [[1.5, 2]] * 2 + [[7, 0]] * 2,
    }
    for encode, rows in expected.items():
        release = KAnonymizer(2, encode=encode, **options).fit_transform(frame)
        assert release.to_numpy().tolist() == rows
    dtype = pd.CategoricalDtype([1, 2, 7], ordered=True)
    for encode in ENCODINGS:
        release = KAnonymizer(2, encode=encode, **options).fit_transform(
            frame.astype(dtype)
        )
        assert release.notna().all(axis=None)


def test_fractions_in_a_hierarchy_of_whole_numbers_are_not_cut_off():
    tree = Taxonomy([1, 2.5, 2], [["low"] * 3, ["*"] * 3])
    frame = pd.DataFrame({"a": [1, 2]})
    fitted = KAnonymizer(2, encode="bounds", hierarchies={"a": tree})
    assert fitted.fit_transform(frame).to_numpy().tolist() == [[1, 2.5]] * 2


@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("dtype", ["float64", "object", "Int64", "datetime64[us]"])
def test_a_column_of_missing_values_only(dtype, encode):
    frame = pd.DataFrame({"a": pd.Series([None] * 4, dtype=dtype), "b": [1, 1, 2, 2]})
    fitted = KAnonymizer(2, encode=encode, random_state=0)
    release = fitted.fit_transform(frame)
    assert fitted.information_loss_ == 0
    if encode == "label":
        assert release["a"].isna().all()
    if encode == "representative":
        assert release["a"].dtype == frame["a"].dtype and release["a"].isna().all()
    seen = fitted.transform(frame.assign(a=pd.Series([None] * 4, dtype="float64")))
    assert seen.to_numpy().tolist() is not None


@pytest.mark.parametrize("hierarchy", ["intervals", "subsets", "suppression", "tree"])
@pytest.mark.parametrize("values", [[1, 2], ["a", "b"]])
def test_a_missing_value_generalizes_to_everything_only(hierarchy, values):
    if hierarchy == "intervals" and values[0] == "a":
        pytest.skip("text has no intervals")
    low, high = values
    other = 9 if low == 1 else "z"
    given = (
        {"*": {"n": [low, high], "m": [other]}} if hierarchy == "tree" else hierarchy
    )
    frame = pd.DataFrame({"a": pd.Series([low, high, None, low, high], dtype=object)})
    frame.loc[5] = other
    fitted = KAnonymizer(2, refine=0, hierarchies={"a": given})
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 2, 2])
    release = fitted.fit_transform(frame)["a"].tolist()
    assert release[2] == release[3] == "*"
    if hierarchy != "suppression":
        assert release[0] == release[1] != "*"


@pytest.mark.parametrize("encode", ENCODINGS)
def test_suppressed_records(encode):
    frame = pd.DataFrame(
        {"a": [1.0, 1, 1, 1, 9], "b": ["x", "x", "x", "x", "y"], "c": [0.5] * 5}
    )
    fitted = KAnonymizer(
        4, encode=encode, max_suppression=0.2, suppressed="blank", random_state=0
    )
    release = fitted.fit_transform(frame)
    assert fitted.suppressed_.tolist() == [False] * 4 + [True]
    assert fitted.information_loss_ == pytest.approx(0.2)
    last = release.iloc[4]
    if encode == "label":
        assert last.tolist() == ["*"] * 3
    elif encode == "bounds":
        assert last.drop("b").isna().all() and last["b"] == "*"
    else:
        assert last.isna().all()
    if encode == "distribution":  # nothing names y
        assert list(release) == ["a_mean", "a_width", "b_x", "c_mean", "c_width"]


@pytest.mark.parametrize("encode", ["representative", "bounds"])
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_what_has_no_missing_value_is_refused_before_the_fit(encode, dtype):
    frame = pd.DataFrame({"a": np.array([1, 1, 1, 0], dtype=dtype)})
    for suppressed, error in (("keep", ColumnTypeError), ("drop", None)):
        fitted = KAnonymizer(
            2, encode=encode, max_suppression=0.5, suppressed=suppressed
        )
        if error is None:
            assert 2 <= len(fitted.fit_transform(frame)) <= 4
            continue
        with pytest.raises(error, match=rf"'a' has the dtype {dtype}.*astype\('"):
            fitted.fit(frame)


def outlier():
    """Four people of whom the last is suppressed, and a class that is * in b."""
    frame = pd.DataFrame(
        {
            "age": [20, 20, 30, 30, 97],
            "name": ["Ann", "Ann", "Bob", "Cem", "RARE"],
            "land": ["CH"] * 4 + ["RARE"],
            "ill": ["flu", "cold", "flu", "cold", "HIV"],
        }
    )
    own = {
        "quasi_identifiers": ["age", "name", "land"],
        "sensitive": "ill",
        "refine": 0,
    }
    fitted = KAnonymizer(
        2,
        max_suppression=0.2,
        hierarchies=dict.fromkeys(["age", "name", "land"], "suppression"),
        random_state=0,
        **own,
    )
    return frame, fitted


@pytest.mark.parametrize("encode", ["representative", "bounds", "distribution"])
def test_nothing_tells_of_an_outlier_that_is_suppressed(encode):
    frame, fitted = outlier()
    fitted.set_params(encode=encode, suppressed="drop")
    fitted._cluster = lambda problem: np.arange(len(problem.codes)) % 2
    release = fitted.fit_transform(frame.astype({"age": float}))
    written = release.to_csv()
    assert fitted.suppressed_.tolist() == [False] * 4 + [True]
    for secret in ("RARE", "97", "HIV"):
        assert secret not in written
    if encode == "bounds":
        assert release["age_low"].tolist() == [20] * 4
        assert release["age_high"].tolist() == [30] * 4
    if encode == "distribution":
        assert list(release) == ["age_mean", "age_width", "name_*", "land_CH", "ill"]


def test_headings_name_what_is_published_only():
    tree = {"D": ["Ulm", "Kiel", "Jena"], "F": ["Metz", "Lyon"], "I": ["Rome"]}
    towns = [
        "Ulm",
        "Ulm",
        "Kiel",
        "Jena",
        "Metz",
        "Lyon",
        "Rome",
        "Rome",
        "Ulm",
        "Lyon",
    ]
    frame = pd.DataFrame({"town": towns})
    fitted = KAnonymizer(
        2,
        encode="distribution",
        refine=0,
        hierarchies={"town": from_nested({"*": tree})},
    )
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    release = fitted.fit_transform(frame)
    names = ["town_Ulm", "town_other D", "town_F", "town_Rome"]
    assert sorted(release) == sorted(names)
    assert release.iloc[0][names].tolist() == [1, 0, 0, 0]
    assert release.iloc[2][names].tolist() == pytest.approx([3 / 5, 2 / 5, 0, 0])
    assert release.iloc[4][names].tolist() == [0, 0, 1, 0]
    assert release.iloc[8][names].tolist() == pytest.approx([0.3, 0.2, 0.3, 0.2])


def test_blank_empties_what_is_beside_the_quasi_identifiers():
    frame, fitted = outlier()
    frame["note"] = [f"note {i}" for i in range(5)]
    fitted.set_params(suppressed="blank")
    release = fitted.fit_transform(frame)
    assert release.iloc[4].tolist()[:3] == ["*", "*", "*"]
    assert release.iloc[4, 3:].isna().all()
    pd.testing.assert_frame_equal(
        release[:4][["ill", "note"]], frame[:4][["ill", "note"]]
    )
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    with pytest.raises(ColumnError, match="was given beside it"):
        fitted.fit(frame, pd.Series(["x"] * 5, name="y"))
    frame["note"] = range(5)
    with pytest.raises(ColumnTypeError, match=r"'note' has the dtype int64"):
        fitted.fit(frame)


LARGE = {
    "ordinary": ("int64", [3, 4, 9, 9, 11]),
    "beyond 2^53": ("int64", [2**60, 2**60 + 1, 2**60 + 1, 2**60 + 3]),
    "far apart": ("int64", [0, 2**62, 2**62 + 1]),
    "everything": ("int64", [-(2**63), -1, 2**63 - 2, 2**63 - 1]),
    "unsigned": ("uint64", [0, 2**64 - 2, 2**64 - 2, 2**64 - 1]),
    "nanoseconds": ("datetime64[ns]", [16 * 10**17 + x for x in (1, 2, 2, 300, 900)]),
    "spans": ("timedelta64[ns]", [-(2**62), 2**62, 2**62 + 1, 2**62 + 5]),
}


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("name", LARGE)
def test_means_and_widths_are_those_of_exact_arithmetic(name, tree):
    dtype, numbers = LARGE[name]
    frame = pd.DataFrame({"x": np.array([*numbers, *numbers], dtype=dtype)})
    leaves = list(frame["x"].drop_duplicates())
    inner = ["low" if leaf == leaves[0] else "high" for leaf in leaves]
    given = Taxonomy(leaves, [inner, ["*"] * len(leaves)]) if tree else "intervals"
    fitted = KAnonymizer(2, refine=0, encode="distribution", hierarchies={"x": given})
    labels = [int(x > numbers[0]) for x in numbers]
    fitted._cluster = lambda problem: np.array([*labels, *labels])
    release = fitted.fit_transform(frame)
    for at, label in enumerate(labels):
        own = [x for x, y in zip(numbers, labels, strict=True) if y == label]
        assert release["x_mean"][at] == float(Fraction(sum(own), len(own)))
        assert release["x_width"][at] == max(own) - min(own)


def test_means_of_dates_are_in_the_columns_units():
    times = pd.Series(pd.to_datetime(["2020-01-01T00:00:00", "2020-01-01T00:00:01"]))
    tree = Taxonomy(list(times), [["*"] * 2])
    for unit, seconds in {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.items():
        frame = pd.DataFrame({"x": times.astype(f"datetime64[{unit}]")})
        fitted = KAnonymizer(2, encode="distribution", hierarchies={"x": tree})
        release = fitted.fit_transform(frame)
        assert release["x_width"].tolist() == [seconds] * 2
        assert release["x_mean"].tolist() == [(1577836800 + 0.5) * seconds] * 2

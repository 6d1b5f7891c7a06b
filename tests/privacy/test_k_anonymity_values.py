"""Which values read the same, by dtype: whatever reads differently is never merged."""

import datetime
import decimal
import enum

import numpy as np
import pandas as pd
import pytest

from skanon.privacy import equivalence_classes, k_anonymity, violations

NAN = float("nan")


class Colour(enum.StrEnum):
    RED = "red"


def classes(values, dtype=None):
    column = pd.Series(values, dtype=dtype)
    return equivalence_classes(pd.DataFrame({"a": column}), suppressed=None).tolist()


@pytest.mark.parametrize(
    "values",
    [
        [1, 1.0, True, "1", b"1"],
        [(1,), (1.0,), (True,)],
        [((1,),), ((1.0,),)],
        [frozenset([1]), frozenset([1.0])],
        [decimal.Decimal("1.0"), decimal.Decimal("1.00"), 1],
        [pd.Interval(0, 1), pd.Interval(0.0, 1.0), pd.Interval(0, 1, closed="left")],
        [pd.Timestamp("2020-01-01T12Z"), pd.Timestamp("2020-01-01T13+01:00")],
        [Colour.RED, "red"],
        [2**70, 2**70 + 1],
        [0.1, np.float32(0.1)],
        [np.timedelta64(1, "s"), 1],
        ["a\0b", "a\0c"],
        ["", None, "None", "nan", " "],
    ],
    ids=repr,
)
def test_objects_that_read_differently_stay_apart(values):
    assert classes(values * 2, object) == [*range(len(values))] * 2


@pytest.mark.parametrize(
    "values",
    [
        [None, NAN, pd.NA, pd.NaT, np.float64("nan")],
        [1, np.int64(1), np.uint8(1)],
        [True, np.True_],
        [1.0, np.float64(1)],
        ["a", np.str_("a")],
        [0.0, -0.0],
        [frozenset([1, 2, 3]), frozenset([3, 2, 1])],
        [datetime.date(1850, 1, 1), datetime.date(1850, 1, 1)],
    ],
    ids=repr,
)
def test_objects_that_read_alike_are_one_value(values):
    assert classes([*values, "other"], object) == [0] * len(values) + [1]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0.0, -0.0], "float64"),
        ([NAN, None], "float32"),
        ([1.5, 1.5], np.float16),
        ([None, NAN], "str"),
        ([pd.NaT, None], "datetime64[ns]"),
        ([None, pd.NA], "Int64"),
        ([None, None], "category"),
        ([None, None], object),
        ([pd.Period("2020-01"), pd.Period("2020-01")], "period[M]"),
        ([1, 1], pd.SparseDtype("int64", 0)),
        ([NAN, NAN], pd.SparseDtype("float64", NAN)),
        ([1 + 2j, 1 + 2j], "complex128"),
    ],
)
def test_values_that_read_alike_are_one_value_of_a_dtype(values, dtype):
    assert classes(values, dtype) == [0, 0]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**53, 2**53 + 1], "int64"),
        ([2**64 - 1, 2**64 - 2], "uint64"),
        ([2**53, 2**53 + 1, None], "Int64"),
        ([0, None], "Int64"),
        ([False, None, True], "boolean"),
        ([1 + 2j, 1 + 3j, 2 + 2j], "complex128"),
        ([1, 1 + 1e-15], "float64"),
        ([1, 0, 2], pd.SparseDtype("int64", 0)),
        (["nan", None], "str"),
        (["a\0b", "a\0c"], "str"),
        (["a\0b", "a\0c"], "string[python]"),
    ],
)
def test_values_that_read_differently_stay_apart_in_a_dtype(values, dtype):
    assert classes(values, dtype) == [*range(len(values))]


def test_extended_floats_are_not_rounded():
    values = np.array([1, 1, 1], dtype=np.longdouble)
    values[1] = np.nextafter(values[0], values.dtype.type(2))
    assert classes(values) == [0, 1, 0]


def test_nan_and_na_of_a_nullable_float_read_alike():
    values = pd.array([0.0, None, 1.0], dtype="Float64")
    values = values / pd.array([0.0, 1.0, 1.0], dtype="Float64")
    assert classes(values) == [0, 0, 1]


@pytest.mark.parametrize("closed", ["left", "both"])
def test_intervals_differ_by_either_end(closed):
    array = pd.arrays.IntervalArray.from_tuples(
        [(0, 1), None, (0, 2), (1, 2), (0, 1), None], closed=closed
    )
    assert classes(array) == [0, 1, 2, 3, 0, 1]
    assert classes(pd.Categorical(array)) == [0, 1, 2, 3, 0, 1]
    assert k_anonymity(pd.DataFrame({"a": array}), suppressed=None) == 1


def test_time_zones_and_unused_categories_do_not_matter():
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01"] * 2).tz_localize("Asia/Tokyo"),
            "a": pd.Categorical(["x", "x"], categories=["w", "x"]),
            "b": pd.Categorical(["x", "x"], categories=["x", "y"], ordered=True),
        }
    )
    assert k_anonymity(frame) == 2


def test_both_hours_of_the_clock_change_stay_apart():
    hours = pd.date_range("2026-10-25T00:30Z", periods=2, freq="h")
    assert classes(hours.tz_convert("Europe/Rome")) == [0, 1]


def test_arrow_columns():
    pa = pytest.importorskip("pyarrow")

    def arrow(array):
        return pd.arrays.ArrowExtensionArray(array)

    assert classes(arrow(pa.array([1.0, NAN, None, 1.0]))) == [0, 1, 1, 0]
    assert classes(arrow(pa.array([2**53, None, 2**53 + 1]))) == [0, 1, 2]
    assert classes(arrow(pa.array([None, None]))) == [0, 0]
    repeated = pa.DictionaryArray.from_arrays([0, 1, 2, None], ["x", "x", None])
    assert classes(arrow(repeated)) == [0, 0, 1, 1]
    floats = pd.Index(arrow(pa.array([1.0, NAN])))
    assert classes(pd.Categorical.from_codes([0, 1, -1], floats)) == [0, 1, 1]


@pytest.mark.parametrize(
    "dtype",
    ["str", "string[python]", "string[pyarrow]", "category", object, "dictionary"],
)
def test_the_suppressed_text_is_found_in_every_text_dtype(dtype):
    if dtype == "dictionary":
        pa = pytest.importorskip("pyarrow")
        dtype = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    column = pd.Series(["x", "*", "x", None, None], dtype=dtype)
    frame = pd.DataFrame({"a": column, "b": pd.Categorical(["1", "*", "1", "*", "*"])})
    assert equivalence_classes(frame).tolist() == [0, -1, 0, 1, 1]


@pytest.mark.parametrize(
    ("suppressed", "dtype", "expected"),
    [
        (-1, "int64", [0, -1]),
        (-1, "float64", [0, -1]),
        (-1, "Int64", [0, -1]),
        (-1, "int64[pyarrow]", [0, -1]),
        (-1, pd.SparseDtype("int64", 0), [0, -1]),
        (-1, object, [0, -1]),
        (-1.0, object, [0, 1]),
        ("-1", "int64", [0, 1]),
        ("-1", object, [0, 1]),
        ("-1", "str", [0, -1]),
        (-1, "str", [0, 1]),
        (-1, "datetime64[ns]", [0, 1]),
    ],
)
def test_the_suppressed_value_is_compared_by_type(suppressed, dtype, expected):
    frame = pd.DataFrame({"a": pd.Series([1, -1]).astype(dtype)})
    assert equivalence_classes(frame, suppressed=suppressed).tolist() == expected


def test_truth_values_are_not_the_suppressed_number():
    frame = pd.DataFrame({"a": [True, False]})
    assert equivalence_classes(frame, suppressed=1).tolist() == [0, 1]
    assert equivalence_classes(frame, suppressed=True).tolist() == [-1, 0]


@pytest.mark.parametrize("suppressed", [NAN, pd.NA, pd.NaT])
def test_a_missing_value_can_stand_for_a_suppressed_one(suppressed):
    frame = pd.DataFrame({"a": [1.5, NAN, NAN], "b": ["x", None, "y"]})
    assert equivalence_classes(frame, suppressed=suppressed).tolist() == [0, -1, 1]


def test_numpy_arrays():
    array = np.array([[1, 5], [1, 5], [1, 6]])
    assert k_anonymity(array) == 1
    assert k_anonymity(array, [0]) == 3
    assert violations(array, [1], k=2)["positions"].tolist() == [[2]]
    assert violations(array, [1], k=2)[1].tolist() == [6]
    mixed = np.array([["a", 1], ["a", True], ["a", 1]], dtype=object)
    assert equivalence_classes(mixed).tolist() == [0, 1, 0]


def test_polars_frames_are_read_without_rounding():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "n": [2**53, 2**53 + 1, None, 2**53],
            "t": pl.Series(["x", "x", "*", "x"], dtype=pl.Categorical),
        }
    )
    assert equivalence_classes(frame).tolist() == [0, 1, 2, 0]
    assert k_anonymity(frame, ["t"]) == 3


@pytest.mark.parametrize("dtype", ["int64", "Int64", "uint64"])
def test_a_sign_is_not_a_number_that_rounds_to_it(dtype):
    b = 2**53
    frame = pd.DataFrame({"x": pd.Series([b + 1, b, b, b], dtype=dtype)})
    for sign in (float(b), np.float64(b), b):
        assert k_anonymity(frame, suppressed=sign) == 1

import datetime
import decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skanon._table.domain import UNKNOWN, Domain, read_values
from skanon._table.line import nearest_on_line
from skanon.exceptions import ColumnError, ColumnTypeError

DATE = datetime.date
OLD = [DATE(1899, 12, 31), DATE(1500, 1, 1)]
STAMPS = pd.to_datetime(["2020-01-02 05:00", "2020-01-01 00:00"])
BERLIN = STAMPS.tz_localize("Europe/Berlin")
ORDER = pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)

# dtype: (column of two values and a missing one, kind, texts in order, codes, ordered)
COLUMNS = {
    "int64": (pd.Series([7, -3]), "number", ["-3", "7"], True),
    "uint8": (pd.Series([7, 3], dtype="uint8"), "number", ["3", "7"], True),
    "uint64": (
        pd.Series([2**64 - 1, 2**53 + 1], dtype="uint64"),
        "number",
        [str(2**53 + 1), str(2**64 - 1)],
        True,
    ),
    "big int": (
        pd.Series([2**53 + 1, 2**53]),
        "number",
        [str(2**53), str(2**53 + 1)],
        True,
    ),
    "float64": (pd.Series([1.5, 0.1, None]), "number", ["0.1", "1.5"], True),
    "float32": (
        pd.Series([1.5, 0.1, None], dtype="float32"),
        "number",
        ["0.1", "1.5"],
        True,
    ),
    "float16": (pd.Series([1.5, 0.5], dtype="float16"), "number", ["0.5", "1.5"], True),
    "Int8": (pd.Series([7, -3, None], dtype="Int8"), "number", ["-3", "7"], True),
    "Int64": (
        pd.Series([2**53 + 1, 1, None], dtype="Int64"),
        "number",
        ["1", str(2**53 + 1)],
        True,
    ),
    "UInt64": (
        pd.Series([2**64 - 1, 1, None], dtype="UInt64"),
        "number",
        ["1", str(2**64 - 1)],
        True,
    ),
    "Float64": (
        pd.Series([1.5, 0.1, None], dtype="Float64"),
        "number",
        ["0.1", "1.5"],
        True,
    ),
    "sparse": (
        pd.Series(pd.arrays.SparseArray([7, 0])),
        "number",
        ["0", "7"],
        True,
    ),
    "object int": (
        pd.Series([7, -3, None], dtype=object),
        "number",
        ["-3", "7"],
        True,
    ),
    "object uint64": (
        pd.Series([2**64 - 1, 1, None], dtype=object),
        "number",
        ["1", str(2**64 - 1)],
        True,
    ),
    "object float": (
        pd.Series([7, 0.5, np.nan], dtype=object),
        "number",
        ["0.5", "7.0"],
        True,
    ),
    "bool": (pd.Series([True, False]), "bool", ["False", "True"], False),
    "boolean": (
        pd.Series([True, False, None], dtype="boolean"),
        "bool",
        ["False", "True"],
        False,
    ),
    "object bool": (
        pd.Series([True, False, None], dtype=object),
        "bool",
        ["False", "True"],
        False,
    ),
    "str": (pd.Series(["b", "a", None]), "text", ["a", "b"], False),
    "object str": (
        pd.Series(["b", "a", None], dtype=object),
        "text",
        ["a", "b"],
        False,
    ),
    "string": (
        pd.Series(["b", "a", None], dtype="string"),
        "text",
        ["a", "b"],
        False,
    ),
    "category": (
        pd.Series(["b", "a", None], dtype="category"),
        "text",
        ["a", "b"],
        False,
    ),
    "ordered": (pd.Series(["hi", "lo", None], dtype=ORDER), "text", ["lo", "hi"], True),
    "category of numbers": (
        pd.Series([7, 3, None], dtype=pd.CategoricalDtype([9, 3, 7])),
        "number",
        ["3", "7"],
        True,
    ),
    "ordered numbers": (
        pd.Series([3, 7, None], dtype=pd.CategoricalDtype([9, 7, 3], ordered=True)),
        "number",
        ["7", "3"],
        True,
    ),
    "datetime": (
        pd.Series([*STAMPS, pd.NaT]),
        "datetime",
        ["2020-01-01 00:00:00", "2020-01-02 05:00:00"],
        True,
    ),
    "datetime with zone": (
        pd.Series([*BERLIN, pd.NaT]),
        "datetime",
        ["2020-01-01 00:00:00+01:00", "2020-01-02 05:00:00+01:00"],
        True,
    ),
    "object with zone": (
        pd.Series([*BERLIN, None], dtype=object),
        "datetime",
        ["2020-01-01 00:00:00+01:00", "2020-01-02 05:00:00+01:00"],
        True,
    ),
    "nanoseconds": (
        pd.Series([pd.Timestamp(2), pd.Timestamp(1), None], dtype=object),
        "datetime",
        ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002"],
        True,
    ),
    "date": (
        pd.Series([*OLD, None], dtype=object),
        "datetime",
        ["1500-01-01", "1899-12-31"],
        True,
    ),
    "seconds": (
        pd.Series(np.array([*OLD, None], dtype="datetime64[s]")),
        "datetime",
        ["1500-01-01", "1899-12-31"],
        True,
    ),
    "timedelta": (
        pd.Series(pd.to_timedelta(["2h", "-1D", None])),
        "timedelta",
        ["-1 days +00:00:00", "0 days 02:00:00"],
        True,
    ),
}


def arrow_columns():
    pa = pytest.importorskip("pyarrow")
    zone = pa.timestamp("us", "Europe/Berlin")
    table = [
        ([7, -3, None], pa.int8(), "number", ["-3", "7"]),
        ([2**64 - 1, 1, None], pa.uint64(), "number", ["1", str(2**64 - 1)]),
        ([1.5, 0.1, None], pa.float64(), "number", ["0.1", "1.5"]),
        ([True, False, None], pa.bool_(), "bool", ["False", "True"]),
        (["b", "a", None], pa.string(), "text", ["a", "b"]),
        (["b", "a", None], pa.large_string(), "text", ["a", "b"]),
        (
            ["b", "a", None],
            pa.dictionary(pa.int32(), pa.string()),
            "text",
            ["a", "b"],
        ),
        ([*OLD, None], pa.date32(), "datetime", ["1500-01-01", "1899-12-31"]),
        (
            [*STAMPS, None],
            pa.timestamp("us"),
            "datetime",
            ["2020-01-01 00:00:00", "2020-01-02 05:00:00"],
        ),
        (
            [*BERLIN, None],
            zone,
            "datetime",
            ["2020-01-01 00:00:00+01:00", "2020-01-02 05:00:00+01:00"],
        ),
    ]
    for values, kind_of_arrow, kind, texts in table:
        column = pd.Series(
            pd.arrays.ArrowExtensionArray(pa.array(values, type=kind_of_arrow))
        )
        yield column, kind, texts, kind not in ("text", "bool")


def check_column(column, kind, texts, ordered):
    missing = column.isna().tolist()
    domain, codes = Domain.learn(column, "col")
    assert (domain.kind, domain.text().tolist()) == (kind, texts)
    assert domain.ordered == ordered
    assert domain.n_missing == sum(missing)
    assert domain.dtype == column.dtype
    assert domain.counts.tolist() == [1, 1] and len(domain) == 2
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, 0, 2][: len(column)]
    for found in domain.encode(column):
        assert found.tolist() == codes.tolist()
    assert (np.diff(domain.numbers()) >= 0).all()
    shuffled = column.iloc[::-1].set_axis([5] * len(column))
    assert Domain.learn(shuffled, "col")[1].tolist() == codes[::-1].tolist()


@pytest.mark.parametrize("dtype", COLUMNS)
def test_every_type_of_column(dtype):
    check_column(*COLUMNS[dtype])


def test_every_type_of_arrow_column():
    for column in arrow_columns():
        check_column(*column)


def test_arrows_nan_is_missing_like_its_null():
    pa = pytest.importorskip("pyarrow")
    array = pa.array([1.5, float("nan"), None])
    column = pd.Series(pd.arrays.ArrowExtensionArray(array))
    domain, codes = Domain.learn(column, "col")
    assert domain.n_missing == 2 and codes.tolist() == [0, 1, 1]


def test_unused_categories_are_no_values():
    column = pd.Series(["hi", "lo"], dtype=ORDER)
    assert Domain.learn(column, "col")[0].values.tolist() == ["lo", "hi"]


@pytest.mark.parametrize("dtype", ["float64", "object", "Int64", "datetime64[us]"])
def test_a_column_of_missing_values(dtype):
    column = pd.Series([None, None], dtype=dtype)
    domain, codes = Domain.learn(column, "col")
    assert (len(domain), domain.n_missing, codes.tolist()) == (0, 2, [0, 0])
    assert [x.tolist() for x in domain.encode(column)] == [[0, 0], [0, 0]]
    exact, nearest = domain.encode(pd.Series([None, 1.0]))
    assert exact.tolist() == nearest.tolist() == [0, UNKNOWN]


@pytest.mark.parametrize("dtype", ["float64", "Int64", "object"])
def test_a_fitted_column_without_missing_values_codes_them_all_the_same(dtype):
    domain, _ = Domain.learn(pd.Series([1, 2]), "col")
    exact, nearest = domain.encode(pd.Series([2, None], dtype=dtype))
    assert exact.tolist() == nearest.tolist() == [1, 2]


def encode(fitted, new):
    domain, _ = Domain.learn(pd.Series(fitted), "col")
    return [found.tolist() for found in domain.encode(pd.Series(new))]


def dates(*texts, unit="us"):
    return pd.Series(np.array(texts, dtype=f"datetime64[{unit}]"))


@pytest.mark.parametrize(
    ("fitted", "new", "exact", "nearest"),
    [
        ([10, 20, 40], [10, 15, 16, 99, -5], [0, -1, -1, -1, -1], [0, 0, 1, 2, 0]),
        ([10], [3, 10], [-1, 0], [0, 0]),
        ([1, 2, 3], [2.0, 2.6], [1, -1], [1, 2]),
        ([1.0, 2.5], [1, 2], [0, -1], [0, 1]),
        (["a", "b"], ["b", "c"], [1, -1], [1, -1]),
        ([True, True], [False], [-1], [-1]),
        # integers that no float can tell apart
        ([2**53, 2**53 + 1], [2.0**53], [0], [0]),
        ([2.0**53], [2**53, 2**53 + 1], [0, -1], [0, 0]),
        ([2**53 + 1], np.array([2**53 + 1, 2**64 - 1], "uint64"), [0, -1], [0, 0]),
        (np.array([5, 2**64 - 1], "uint64"), [-1, 5, 2**62], [-1, 0, -1], [0, 0, 0]),
        ([5, 2**63 - 1], np.array([2**64 - 1], "uint64"), [-1], [1]),
        ([2.0**63, 1.0], [2**63 - 1], [-1], [1]),
        ([2**63 - 1, 1], [2.0**63], [-1], [1]),
        # differences that do not fit into 64 bits
        ([-(2**63), 2**63 - 1], [-5, 0, 2**63 - 2], [-1] * 3, [0, 1, 1]),
        (
            np.array([5, 2**64 - 1], "uint64"),
            np.array([1, 2**63, 2**64 - 5], "uint64"),
            [-1] * 3,
            [0, 0, 1],
        ),
        ([-1.7e308, 1.7e308], [1e308, -5.0], [-1, -1], [1, 0]),
        (
            pd.to_datetime([-(2**63) + 1, 2**63 - 1]),
            pd.to_datetime([5, -5]),
            [-1, -1],
            [1, 0],
        ),
        # times in other units
        (
            dates("1500-01-01", "2020-01-01", unit="s"),
            dates("2020-01-01", "1900-01-01", unit="ns"),
            [1, -1],
            [1, 1],
        ),
        (
            dates("2020-01-01", "2020-01-03", unit="ns"),
            dates("1066-01-01", "2020-01-03", unit="s"),
            [-1, 1],
            [0, 1],
        ),
        (
            dates("2020-01-01T00:00:00", "2020-01-01T00:00:01", unit="s"),
            dates("2020-01-01T00:00:00.7", "2020-01-01T00:00:00.2", unit="ms"),
            [-1, -1],
            [1, 0],
        ),
        (BERLIN, BERLIN.tz_convert("Asia/Tokyo"), [1, 0], [1, 0]),
    ],
)
def test_known_values_are_found_exactly_and_others_go_to_the_nearest(
    fitted, new, exact, nearest
):
    assert encode(fitted, new) == [exact, nearest]


def test_nearest_among_ordered_categories_is_by_size():
    dtype = pd.CategoricalDtype([30, 10, 20], ordered=True)
    fitted = pd.Series([30, 10, 20], dtype=dtype)
    assert encode(fitted, [0, 31, 20]) == [[-1, -1, 2], [1, 0, 2]]
    assert Domain.learn(fitted, "col")[0].numbers().tolist() == [0, 1, 2]


def test_a_far_date_is_not_taken_for_one_that_its_nanoseconds_wrap_to():
    far = 9_300_000_000  # the year 2264, past what nanoseconds reach
    wrapped = (far * 10**9 + 2**63) % 2**64 - 2**63
    fitted = pd.Series(np.array([wrapped, 0]).view("datetime64[ns]"))
    new = pd.Series(np.array([far]).view("datetime64[s]"))
    assert encode(fitted, new) == [[-1], [1]]


INT64 = st.integers(-(2**63), 2**63 - 1)


@settings(deadline=None)
@given(st.lists(INT64, min_size=1, unique=True), st.lists(INT64, min_size=1))
def test_nearest_of_integers_equals_the_naive_search(line, new):
    found = nearest_on_line(np.array(line), np.array(new))
    for value, at in zip(new, found, strict=True):
        assert line[at] == min(line, key=lambda x: (abs(x - value), x))


HALVES = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "float64": st.integers(-(2**60), 2**60).map(lambda x: x / 2),
}
CLOSE = st.integers(2**53 - 9, 2**53 + 9)
NUMBERS = st.sampled_from([*HALVES]).flatmap(
    lambda dtype: st.lists(CLOSE | HALVES[dtype], min_size=1, max_size=6).map(
        lambda values: np.unique(np.array(values, dtype=dtype))
    )
)


@given(NUMBERS, NUMBERS)
@example(np.array([2.0**53 + 2, 2.0**53 + 4]), np.array([2**53 + 3]))
@example(np.array([1, 2, 2**63 - 1]), np.array([1.5, 2.0**62 - 0.5, 2.0**63]))
def test_the_nearest_number_of_any_type_is_found_by_exact_arithmetic(line, new):
    domain, _ = Domain.learn(pd.Series(line), "col")
    fitted = line.tolist()
    exact, nearest = domain.encode(pd.Series(new))
    for value, known, at in zip(new.tolist(), exact, nearest, strict=True):
        assert known == (fitted.index(value) if value in fitted else UNKNOWN)
        far = [abs(Fraction(x) - Fraction(value)) for x in fitted]
        if line.dtype.kind == "f" and new.dtype.kind == "f":
            assert far[at] == pytest.approx(min(far))  # floats may be rounded
        else:
            assert at == far.index(min(far))


UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@given(
    st.sampled_from([*UNITS]),
    st.sampled_from([*UNITS]),
    st.lists(st.integers(0, 10**4) | INT64, min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-(10**4), 10**7) | INT64, min_size=1, max_size=5),
)
@example("us", "s", [0, -18_446_744_073_709], [-9_223_372_036_855])
@example("us", "ns", [16 * 10**14, 16 * 10**14 + 1], [16 * 10**17 + 501])
def test_the_nearest_time_of_any_unit_is_found_by_exact_arithmetic(
    unit, other, line, new
):
    line = sorted(set(line) - {-(2**63)}) or [0]
    new = [max(x, 1 - 2**63) for x in new]
    series = pd.Series(np.array(line).astype(f"timedelta64[{unit}]"))
    domain, _ = Domain.learn(series, "col")
    present = pd.Series(np.array(new).astype(f"timedelta64[{other}]"))
    _, nearest = domain.encode(present)
    for value, at in zip(new, nearest, strict=True):
        far = [abs(x * UNITS[unit] - value * UNITS[other]) for x in line]
        assert at == far.index(min(far))


@pytest.mark.parametrize(
    ("fitted", "new", "message"),
    [
        ([1, 2], ["a"], "'col' held numbers when it was fitted, but holds texts now"),
        (["a"], [1], "'col' held texts"),
        ([True], [1], "'col' held bools"),
        (BERLIN, STAMPS, "'col' held times with a time zone.*times without one now"),
        (STAMPS, BERLIN, "'col' held times without one.*times with a time zone now"),
    ],
)
def test_another_type_than_the_fitted_one_is_refused(fitted, new, message):
    with pytest.raises(ColumnTypeError, match=message):
        encode(fitted, new)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1.0, np.inf], ColumnError, r"'col' holds an infinite value \(inf\) at row 1"),
        ([None, -np.inf], ColumnError, r"infinite value \(-inf\) at row 1"),
        (["a", "*"], ColumnError, r"'col' holds the text '\*'.*Rename"),
        ([1, "a"], ColumnTypeError, r"'col' mixes types: 1 \(int\), 'a' \(str\)"),
        ([1, True], ColumnTypeError, r"'col' mixes types: 1 \(int\), True \(bool\)"),
        (np.array([1j]), ColumnTypeError, "Complex data not supported: column 'col'"),
        (
            [pd.Timestamp(1), DATE(1066, 1, 1)],
            ColumnTypeError,
            "'col' mixes nanoseconds with dates.*1066",
        ),
        ([1j], ColumnTypeError, "Complex data not supported: column 'col'"),
        ([b"x"], ColumnTypeError, "'col' holds values of type 'bytes'"),
        (
            [decimal.Decimal("0.1234567890123456789")],
            ColumnTypeError,
            "'col' holds the decimal 0.1234567890123456789.*more digits.*Round it",
        ),
        ([decimal.Decimal("-inf")], ColumnError, "infinite value"),
        (
            [datetime.time(1), datetime.time(1, tzinfo=datetime.UTC)],
            ColumnTypeError,
            r"'col' mixes times that cannot be compared.*01:00:00 and 01:00:00\+00:00",
        ),
        (
            [pd.Period("2020", "M"), pd.Period("2020", "Y")],
            ColumnTypeError,
            "'col' mixes periods that cannot be compared, such as 2020-01 and 2020",
        ),
        (
            [pd.Interval(0, 1), pd.Interval(1, 2, closed="both")],
            ColumnTypeError,
            r"'col' mixes intervals.*\(0, 1\] and \[1, 2\]",
        ),
        (
            [pd.Interval(0, 1), pd.Interval(pd.Timestamp(1), pd.Timestamp(2))],
            ColumnTypeError,
            r"'col' mixes intervals.*\(0, 1\] and \(1970",
        ),
        ([1, 2**64], ColumnTypeError, f"'col' holds integers beyond 64.*{2**64}"),
        ([-1, 2**63], ColumnTypeError, f"'col' holds integers beyond 64.*{2**63}"),
        ([-1, -(2**63) - 1], ColumnTypeError, "'col' holds integers beyond 64"),
        (
            [0.5, 2**53 + 1],
            ColumnTypeError,
            f"mixes floats with the integer {2**53 + 1}",
        ),
        ([STAMPS[0], BERLIN[0]], ColumnTypeError, "'col' mixes times with a time zone"),
    ],
)
def test_a_column_without_a_meaning_is_refused(values, error, message):
    dtype = object if isinstance(values, list) else None
    with pytest.raises(error, match=message):
        Domain.learn(pd.Series(values, dtype=dtype), "col")


@pytest.mark.skipif(np.dtype("longdouble").itemsize == 8, reason="no wider floats here")
def test_wider_floats_are_not_rounded_in_silence():
    with pytest.raises(
        ColumnTypeError, match=r"'col' holds numbers of .* more than 64"
    ):
        read_values(pd.Series(np.array([1], dtype="longdouble")), "col")


def test_many_distinct_values():
    values = np.random.default_rng(0).permutation(45_000) / 7
    domain, codes = Domain.learn(pd.Series(values), "col")
    assert (domain.values[codes] == values).all()
    assert (domain.encode(pd.Series(values + 1e-9))[1] == codes).all()

import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import from_cut_points, from_widths


def labels(taxonomy, level=1):
    return dict(zip(taxonomy.values, taxonomy.levels[level - 1], strict=True))


def test_a_range_holds_its_lower_end_and_not_its_upper_one():
    assert labels(from_cut_points([5, -3, 4, 0, 10, 60], [0, 5, 10])) == {
        -3: "< 0",
        0: "[0, 5)",
        4: "[0, 5)",
        5: "[5, 10)",
        10: ">= 10",
        60: ">= 10",
    }
    assert labels(from_widths([5, -3, 0, -5, -6], 5)) == {
        -6: "[-10, -5)",
        -5: "[-5, 0)",
        -3: "[-5, 0)",
        0: "[0, 5)",
        5: "[5, 10)",
    }


def test_floats_are_read_as_they_are_written():
    values = [0.1, 0.2, 0.3, 0.6, 0.7, -0.1, 1e-3]
    assert labels(from_widths(values, 0.1)) == {
        0.1: "[0.1, 0.2)",
        0.2: "[0.2, 0.3)",
        0.3: "[0.3, 0.4)",
        0.6: "[0.6, 0.7)",
        0.7: "[0.7, 0.8)",
        -0.1: "[-0.1, 0)",
        1e-3: "[0, 0.1)",
    }
    for make in (lambda v: from_widths(v, 0.1), lambda v: from_cut_points(v, [0.7])):
        taxonomy = make(np.array([0.7], dtype="float32"))
        assert taxonomy.levels[0][0] in ("[0.7, 0.8)", ">= 0.7")
        domain, _ = Domain.learn(pd.Series([0.7], dtype="float32"), "c")
        assert taxonomy.bind(domain).text_of_code(0) == "0.7"


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1),
    st.sampled_from([0.1, 0.25, 1, 3, 7.5]),
    st.integers(1, 5),
    st.sampled_from([0, 0.05, -2]),
)
def test_each_value_lies_in_the_range_it_is_given(values, width, times, origin):
    coarse = float(Fraction(str(width)) * times)
    taxonomy = from_widths(values, width, coarse, origin=origin)
    for level, step in enumerate((width, coarse)):
        for value, label in zip(taxonomy.values, taxonomy.levels[level], strict=True):
            low, high = (Fraction(part) for part in label[1:-1].split(", "))
            assert low <= Fraction(str(value)) < high
            assert high - low == Fraction(str(step))
            assert (low - Fraction(str(origin))) % Fraction(str(step)) == 0


def test_widths_begin_at_the_origin():
    assert labels(from_widths([17, 18, 65], 10, origin=18)) == {
        17: "[8, 18)",
        18: "[18, 28)",
        65: "[58, 68)",
    }


def test_large_integers_stay_exact():
    values = [2**53, 2**53 + 1, 2**62]
    assert labels(from_cut_points(values, [2**53 + 1])) == {
        2**53: f"< {2**53 + 1}",
        2**53 + 1: f">= {2**53 + 1}",
        2**62: f">= {2**53 + 1}",
    }
    assert set(from_widths([2**64 - 1], 2).levels[0]) == {f"[{2**64 - 2}, {2**64})"}
    assert from_widths([1e300], 1e299).levels[0] == ["[1E+300, 1.1E+300)"]


def test_values_come_in_many_containers():
    expected = from_widths([1, 7], 5)
    for values in ({7, 1}, (1, 7), pd.Index([7, 1, 7]), np.array([7, 1], "uint8")):
        assert from_widths(values, 5) == expected
    ages = pd.Series([7, 1, None], dtype="category", name="age")
    assert from_widths(ages, 5).levels == expected.levels


def test_cut_points_of_several_levels_are_written_alike():
    taxonomy = from_cut_points([1.0, 2.5, 9.0], [2, 3.0, 5], [3])
    assert taxonomy.levels[0] == ["< 2", "[2, 3)", ">= 5"]
    assert taxonomy.levels[1] == ["< 3", "< 3", ">= 3"]
    assert taxonomy.root == "*"


def test_cut_points_of_dates_and_time_spans():
    dates = [datetime.date(1650, 5, 1), datetime.date(1900, 1, 1)]
    for cut in (["1900-01-01"], [datetime.date(1900, 1, 1)]):
        taxonomy = from_cut_points(dates, cut)
        assert taxonomy.levels[0] == ["< 1900-01-01", ">= 1900-01-01"]
    local = pd.Series(pd.to_datetime(["2020-01-01"])).dt.tz_localize("Asia/Tokyo")
    assert from_cut_points(local, ["2020-01-01"]).levels[0] == [">= 2020-01-01"]
    spans = pd.to_timedelta(["1D", "3D"])
    assert from_cut_points(spans, [pd.Timedelta("2D")]).levels[0] == [
        "< 2 days 00:00:00",
        ">= 2 days 00:00:00",
    ]


@pytest.mark.parametrize(
    ("values", "cuts", "message"),
    [
        ([1], [], "at least one sequence"),
        ([1], [5], r"cut points of level 1 are 5. Give each level a sequence"),
        ([1], [[]], r"cut points of level 1 are \[\]"),
        ([1], [[1, None]], r"cut points of level 1.*missing"),
        ([1], [[3, 2]], "level 1 do not ascend: 2 comes after 3"),
        ([1], [[2, 2]], "level 1 do not ascend: 2 comes after 2"),
        ([1], [[1, 2], [1, 3]], "cut point 3 of level 2 is none of level 1"),
        ([1], [["a"]], r"'values' holds numbers, but.*level 1.*'a'"),
        ([1], [[1, float("inf")]], "infinite"),
        (["a"], [[1]], r"'values' holds texts; cut points need numbers"),
        ([True], [[1]], "'values' holds bools"),
        ([datetime.date(2020, 1, 1)], [["x"]], "'values' holds datetimes.*level 1"),
        (
            [datetime.date(2020, 1, 1)],
            [[pd.Timestamp("2020-01-01", tz="UTC")]],
            "level 1 have a time zone, such as 2020-01-01",
        ),
    ],
)
def test_broken_cut_points_are_refused(values, cuts, message):
    with pytest.raises(HierarchyError, match=message):
        from_cut_points(values, *cuts)


@pytest.mark.parametrize(
    ("values", "widths", "message"),
    [
        ([1], [], "at least one width"),
        ([1], [0], "width 0 of level 1 is not above 0"),
        ([1], [5, -5], "width -5 of level 2 is not above 0"),
        ([1], [5, 12], r"width 12 of level 2 is no whole multiple of 5.*level 1"),
        ([1], [5, 2], "width 2 of level 2 is no whole multiple"),
        ([1], [float("nan")], "width must be a finite number, got nan"),
        ([1], [float("inf")], "width must be a finite number, got inf"),
        ([1], ["five"], "width must be a finite number, got 'five'"),
        (["a"], [5], "'values' holds texts; widths need numbers"),
    ],
)
def test_broken_widths_are_refused(values, widths, message):
    with pytest.raises(HierarchyError, match=message):
        from_widths(values, *widths)


def test_forty_thousand_values():
    values = np.arange(40_000) / 8 - 100
    assert from_widths(values, 1, 10, 100).height == 4
    assert from_cut_points(values, range(0, 4000, 10), range(0, 4000, 100)).height == 3


def test_cut_points_that_no_float_holds():
    b = 2**53
    high, low = f">= {b + 1}", f"< {b + 1}"
    for cut in (b + 1, np.int64(b + 1), np.uint64(b + 1)):
        assert labels(from_cut_points([float(b), b + 2.0], [cut])) == {
            float(b): low,
            b + 2.0: high,
        }
    both = from_cut_points([b, b + 1], [np.float64(b), np.int64(b + 1)])
    assert both.levels[0] == [f"[{b}, {b + 1})", f">= {b + 1}"]

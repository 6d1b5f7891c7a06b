import datetime

import numpy as np
import pandas as pd
import pytest

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import from_calendar

ALL = ("day", "month", "quarter", "year", "decade", "century")


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2020-02-29", ["2020-02-29", "2020-02", "2020-Q1", "2020", "2020s"]),
        ("1899-12-31", ["1899-12-31", "1899-12", "1899-Q4", "1899", "1890s"]),
        ("1969-12-31", ["1969-12-31", "1969-12", "1969-Q4", "1969", "1960s"]),
        ("1500-07-01", ["1500-07-01", "1500-07", "1500-Q3", "1500", "1500s"]),
        ("0987-04-30", ["0987-04-30", "0987-04", "0987-Q2", "0987", "0980s"]),
    ],
)
@pytest.mark.parametrize(
    "read",
    [
        str,
        datetime.date.fromisoformat,
        np.datetime64,
        pd.Timestamp,
        lambda text: text + "T23:59:59",
    ],
)
def test_units_of_dates_of_any_age_and_type(date, expected, read):
    taxonomy = from_calendar([read(date), None], ALL)
    century = f"{date[:2]}00-{date[:2]}99"
    found = [level[0] for level in taxonomy.levels]
    assert found == [*expected, century, "*"]


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "UTC"])
def test_the_day_is_the_one_that_is_written(zone):
    stamps = pd.Series(pd.to_datetime(["2020-01-01 00:30", "2019-12-31 23:30"]))
    local = stamps.dt.tz_localize(zone)
    for column in (local, local.astype(object), local.map(str)):
        taxonomy = from_calendar(column, ["day"])
        assert sorted(taxonomy.levels[0]) == ["2019-12-31", "2020-01-01"]
        domain, _ = Domain.learn(column, "c")
        taxonomy.bind(domain)
    assert from_calendar(["2020-01-01T00:30+12:00"], ["day"]).levels[0] == [
        "2020-01-01"
    ]


def test_units_may_be_left_out():
    assert from_calendar(["2020-02-29"]).levels == [
        ["2020-02"],
        ["2020-Q1"],
        ["2020"],
        ["2020s"],
        ["*"],
    ]


def test_forty_thousand_days():
    days = np.datetime64("1900-01-01") + np.arange(40_000)
    assert len(from_calendar(days, ALL).values) == 40_000


@pytest.mark.parametrize(
    ("values", "units", "message"),
    [
        (
            ["2020-01-01"],
            ["year", "month"],
            r"'month' of level 2 is not coarser.*'year'",
        ),
        (["2020-01-01"], ["year", "year"], "'year' of level 2 is not coarser"),
        (["2020-01-01"], ["week"], "'week' of level 1 is unknown.*'month'"),
        (["2020-01-01"], "year", "units must be a sequence"),
        (["2020-01-01"], [], "units must be a sequence"),
        (["2020-01-01", "2020-02-30"], ["year"], "'2020-02-30' is no ISO date"),
        (["1.2.2020"], ["year"], "'1.2.2020' is no ISO date"),
        (["now"], ["year"], "'now' is no ISO date"),
        ([2020], ["year"], "'values' holds numbers, not dates"),
    ],
)
def test_broken_units_and_dates_are_refused(values, units, message):
    with pytest.raises(HierarchyError, match=message):
        from_calendar(values, units)

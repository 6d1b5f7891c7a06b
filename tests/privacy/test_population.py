"""k-map, delta-presence and journalist's risk against a table of the population."""

import math

import naive_privacy as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_k_anonymity import rows_by_values

from skanon.exceptions import ReleaseError
from skanon.hierarchies import Intervals, from_nested
from skanon.privacy import (
    delta_presence,
    journalist_risk,
    k_map,
    marketer_risk,
    record_risks,
)

TOWNS = {"land": {"north": ["Kiel", "Bremen"], "south": {"bavaria": ["Ulm, Neu"]}}}

# what each label says of an age, of a town
AGES = {
    "*": lambda age: True,
    "21": lambda age: age == 21,
    "33.0": lambda age: age == 33,
    "[20, 29]": lambda age: age is not None and 20 <= age <= 29,
    "[21, 33)": lambda age: age is not None and 21 <= age < 33,
    "(21, 33]": lambda age: age is not None and 21 < age <= 33,
    "29-40": lambda age: age is not None and 29 <= age <= 40,
    "-5 - 21": lambda age: age is not None and -5 <= age <= 21,
    "< 29": lambda age: age is not None and age < 29,
    ">= 29": lambda age: age is not None and age >= 29,
    "{20, 33}": lambda age: age in (20, 33),
    pd.Interval(20, 29, closed="left"): lambda age: age is not None and 20 <= age < 29,
    None: lambda age: age is None,
}
PLACES = {
    "*": lambda town: True,
    "land": lambda town: True,
    "Kiel": lambda town: town == "Kiel",
    "north": lambda town: town in ("Kiel", "Bremen"),
    "bavaria": lambda town: town == "Ulm, Neu",
    "south": lambda town: town == "Ulm, Neu",
    '{Kiel, "Ulm, Neu"}': lambda town: town in ("Kiel", "Ulm, Neu"),
    None: lambda town: town is None,
}


def column(draw, values, n):
    return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))


@st.composite
def pairs(draw, ages=tuple(AGES), places=tuple(PLACES)):
    n, size = draw(st.integers(1, 8)), draw(st.integers(1, 30))
    release = pd.DataFrame(
        {"age": column(draw, ages, n), "town": column(draw, places, n)}, dtype=object
    )
    people = {
        "town": column(draw, ["Kiel", "Bremen", "Ulm, Neu", None], size),
        "age": column(draw, [-2, 20, 21, 25, 29, 33, 40, 77, None], size),
    }
    # all values must be known, so that each text label is one
    people["town"] += ["Kiel"]
    people["age"] += [33]
    dtype = draw(st.sampled_from(["float64", "Int64", "int64[pyarrow]"]))
    return release, pd.DataFrame(people).astype({"age": dtype})


def fitting(release, people):
    """Give the rows of each class, and the people who fit it."""
    classes, hidden = rows_by_values(release, ["age", "town"])
    persons = [
        (None if pd.isna(age) else age, None if pd.isna(town) else town)
        for age, town in zip(people["age"], people["town"], strict=True)
    ]
    found = []
    for rows in classes.values() or [hidden]:
        age, town = release.iloc[rows[0]]
        age, town = (None if x is None else x for x in (age, town))
        fits = {
            i
            for i, (years, place) in enumerate(persons)
            if AGES[age](years) and PLACES[town](place)
        }
        found.append((rows, fits))
    return found


@settings(max_examples=150)
@given(pairs())
def test_k_map(tables):
    release, people = tables
    expected = min(len(fits) for _, fits in fitting(release, people))
    assert k_map(release, population=people, hierarchies={"town": TOWNS}) == expected


APART = ["[20, 29]", "29-40", "33.0", None], ["north", "bavaria", "Kiel", None]


@settings(max_examples=200)
@given(pairs(*APART))
def test_delta_presence(tables):
    release, people = tables
    expected = fitting(release, people)
    chances = [0.0] * len(people)
    match = ""
    for rows, fits in expected:
        if len(rows) > len(fits):
            match = match or "people of the population fit"
            continue
        for person in fits:
            chances[person] += len(rows) / len(fits)
    if sum(len(fits) for _, fits in expected) > len(
        {i for _, x in expected for i in x}
    ):
        match = "fits several"
    options = {"hierarchies": {"town": TOWNS}}
    if match:
        with pytest.raises(ReleaseError, match=match):
            delta_presence(release, population=people, **options)
        return
    found = delta_presence(release, population=people, **options)
    assert (found.lowest, found.highest) == (min(chances), max(chances))


@settings(max_examples=150)
@given(pairs(), st.sampled_from([0, 0.2, 0.5, 1]))
def test_journalist_risk(tables, threshold):
    release, people = tables
    options = {"population": people, "hierarchies": {"town": TOWNS}}
    expected = fitting(release, people)
    if any(len(rows) > len(fits) for rows, fits in expected):
        with pytest.raises(ReleaseError, match="holds everybody"):
            journalist_risk(release, **options)
        return
    risks = {row: 1 / len(fits) for rows, fits in expected for row in rows}
    values = list(risks.values())
    found = journalist_risk(release, **options, threshold=threshold)
    assert found.highest == max(values)
    average = pytest.approx(sum(values) / len(values))
    assert found.average == average
    assert marketer_risk(release, **options) == average
    assert found.at_risk == sum(risk > threshold for risk in values)
    assert found.n_records == len(values)
    of_rows = record_risks(release, **options)
    for row, risk in of_rows.items():
        assert risk == risks.get(row) or (math.isnan(risk) and row not in risks)


@settings(max_examples=100)
@given(pairs())
def test_a_population_that_is_generalized_in_the_same_way(tables):
    release, _ = tables
    people = pd.concat(
        [release, release.sample(3, replace=True, random_state=0)], ignore_index=True
    )
    people = people.sample(frac=1, random_state=0)
    rows = [tuple(map(naive.read, row)) for row in people.itertuples(index=False)]
    counts = [
        rows.count(tuple(map(naive.read, row)))
        for row in release.itertuples(index=False)
        if tuple(row) != ("*", "*")
    ]
    expected = min(counts, default=len(people))
    assert k_map(release, population=people, generalized=True) == expected


def test_both_ways_to_match_agree_on_a_large_table():
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.integers(0, 50, (3000, 3)), columns=list("abc"))
    low = people.iloc[:1000] // 10 * 10
    release = low.astype(str).radd("[") + ", " + (low + 9).astype(str) + "]"
    counts = (people // 10).groupby(list("abc")).size()
    expected = counts.loc[list(map(tuple, (low // 10).to_numpy()))]
    assert k_map(release, population=people) == expected.min()
    np.testing.assert_allclose(
        record_risks(release, population=people), 1 / expected.to_numpy()
    )
    # a label that overlaps others changes how people are compared, not the rest
    wide = pd.concat([release, pd.DataFrame({"a": ["[0, 49]"], "b": "*", "c": "*"})])
    risks = record_risks(wide, population=people).to_numpy()
    np.testing.assert_allclose(risks[:-1], 1 / expected.to_numpy())
    assert risks[-1] == 1 / 3000


def test_the_smallest_population_is_everybody_for_suppressed_rows():
    release = pd.DataFrame({"age": ["*", "*"]})
    people = pd.DataFrame({"age": [1, 2, 3]})
    assert k_map(release, population=people) == 3
    assert k_map(release, population=people, suppressed=None, generalized=True) == 0
    assert k_map(release.assign(age=["*", "2"]), population=people) == 1


def test_presence_where_nobody_is_left_out():
    release = pd.DataFrame({"age": ["[1, 3]"] * 3})
    people = pd.DataFrame({"age": [1, 2, 3, 3]})
    assert delta_presence(release, population=people) == (0.75, 0.75)


def test_presence_is_refused_where_classes_overlap():
    release = pd.DataFrame({"age": ["[1, 3]", "[2, 4]"]})
    people = pd.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(ReleaseError, match="fits several classes"):
        delta_presence(release, population=people)


def test_a_population_of_polars():
    pl = pytest.importorskip("polars")
    release = pd.DataFrame(
        {"age": ["[20, 29]", "30"], "born": ["< 2000-01-01", ">= 2000-01-01"]}
    )
    dates = pd.to_datetime(["1999-05-05", "1998-01-01", "2001-01-01"])
    people = pl.DataFrame({"age": [21, 29, 30], "born": list(dates)})
    assert k_map(release, population=people) == 1
    assert k_map(pl.DataFrame(release.iloc[:1].to_dict("list")), population=people) == 2


def test_missing_values_may_be_what_is_suppressed():
    release = pd.DataFrame({"age": [None, "[20, 29]"], "sex": ["f", "f"]})
    people = pd.DataFrame({"age": [20, 30], "sex": ["f", "f"]})
    assert k_map(release, population=people) == 0
    assert k_map(release, population=people, suppressed=np.nan) == 1
    assert record_risks(release, population=people, suppressed=np.nan).tolist() == [
        0.5,
        1.0,
    ]


def test_hierarchies_of_other_columns_and_of_intervals_may_be_there():
    release = pd.DataFrame({"age": ["[20, 29]"], "town": ["north"]})
    people = pd.DataFrame({"age": [21, 35], "town": ["Kiel", "Ulm, Neu"], "id": [1, 2]})
    hierarchies = {
        "age": Intervals(),
        "town": from_nested(TOWNS),
        "id": from_nested({"*": [1, 2]}),
    }
    assert k_map(release, population=people, hierarchies=hierarchies) == 1

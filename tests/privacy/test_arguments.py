"""Each check reads the columns that it is told to, and takes the mark that it is told.

The oracle is the check itself on a table that has no other columns, or the usual mark.
"""

import inspect
from datetime import date

import numpy as np
import pandas as pd
import pytest

from skanon import privacy
from skanon.exceptions import ColumnError, ReleaseError
from skanon.privacy.attacks import linkage_attack

KNOWN = ["age", "town"]
CHECKS = [
    name
    for name in privacy.__all__
    if "quasi_identifiers" in inspect.signature(getattr(privacy, name)).parameters
]
OPTIONS = {
    "check_release": {"k": 3},
    "consistency_violations": {"k": 3},
    "small_class_causes": {"k": 3},
    "violations": {"k": 3, "l": 2},
    "population_uniqueness": {"population_size": 1000},
    "journalist_risk": {"population_size": 1000},
    "marketer_risk": {"population_size": 1000},
}
ON_PEOPLE = [
    "k_map",
    "delta_presence",
    "journalist_risk",
    "marketer_risk",
    "record_risks",
]


def release(mark="*"):
    """Classes of 1, 2, 2 and 4 rows, and 3 that are wholly suppressed."""
    cells = [
        ("20-29", "Bern"),
        *[("20-29", mark)] * 2,
        *[("30-39", "Bern")] * 2,
        *[("30-39", mark)] * 4,
        *[(mark, mark)] * 3,
    ]
    table = pd.DataFrame(cells, columns=KNOWN)
    table["ill"] = list("abbccdabcdab")
    return table


def people(mark="*"):
    """The release's own, and as many again."""
    return pd.concat([release(mark)] * 2, ignore_index=True)[KNOWN]


def among_others(table):
    """Put columns beside that tell everybody apart."""
    number = np.arange(len(table))
    return table.assign(number=number).rename_axis(index="row")[["number", *table]]


def outcome(name, table, mark="*", **options):
    check = getattr(privacy, name)
    parameters = inspect.signature(check).parameters
    given = {**OPTIONS.get(name, {}), "suppressed": mark, **options}
    given = {key: value for key, value in given.items() if key in parameters}
    if "sensitive" in parameters:
        given["sensitive"] = "ill"
    tables = [table]
    if "original" in parameters:
        tables = [table.drop(columns="ill"), table.drop(columns="ill")]
    try:
        found = check(*tables, KNOWN, **given)
    except ReleaseError as error:
        return str(error)
    if isinstance(found, pd.DataFrame):
        return found.reset_index(drop=True).to_dict("list")
    if isinstance(found, pd.Series):
        return found.tolist()
    return found


@pytest.mark.parametrize("name", CHECKS)
def test_columns_that_are_not_named_count_for_nothing(name):
    own = {"population": people()} if name in ON_PEOPLE[:2] else {}
    alone = outcome(name, release(), **own, generalized=True)
    other = outcome(name, among_others(release()), **own, generalized=True)
    assert str(other) == str(alone)
    if name in ON_PEOPLE:
        options = {"generalized": True, "population_size": None}
        alone = outcome(name, release(), population=people(), **options)
        found = outcome(
            name, among_others(release()), population=among_others(people()), **options
        )
        assert str(found) == str(alone)


@pytest.mark.parametrize("name", [x for x in CHECKS if x != "singled_out"])
def test_any_mark_may_stand_for_what_is_suppressed(name):
    size = {"generalized": True}
    own = {"population": people(), **size} if name in ON_PEOPLE[:2] else {}
    usual = outcome(name, release(), **own)
    if own:
        own["population"] = people("?")
    other = outcome(name, release("?"), mark="?", **own)
    assert str(other).replace("?", "*") == str(usual)
    if name not in ("kk_anonymity", "one_k_anonymity", "k_one_anonymity"):
        return
    assert outcome(name, release("?"), mark="?", wildcard=True) == outcome(
        name, release(), wildcard=True
    )


@pytest.mark.parametrize("mark", ["*", "?"])
def test_any_mark_may_be_any_value(mark):
    """By hand: each group of tens has its suppressed towns for company."""
    table = release(mark).iloc[:9]
    options = {"mark": mark, "wildcard": True}
    assert outcome("k_anonymity", table, **options) == 3
    shares = [1 / n for n in [3, 3, 3, 6, 6, 6, 6, 6, 6]]
    assert outcome("record_risks", table, **options) == shares
    assert outcome("k_anonymity", table, mark="-", wildcard=True) == 1


def test_people_that_are_generalized_like_the_release():
    """By hand: twice the release's classes, so everybody's share is a half."""
    own = {"population": people(), "generalized": True}
    assert privacy.k_map(release().iloc[:9], KNOWN, **own) == 2
    found = privacy.delta_presence(release().iloc[:9], KNOWN, **own)
    assert found == (0, 0.5)
    risk = privacy.journalist_risk(release().iloc[:9], KNOWN, **own)
    assert risk.highest == 0.5
    with pytest.raises(ReleaseError, match=r"class of row 5 has 4 rows .* only 3"):
        few = people().drop(index=[*range(5, 9), 17])
        privacy.delta_presence(
            release().iloc[:9], KNOWN, population=few, generalized=True
        )


@pytest.mark.parametrize("n", [59, 60, 61, 200])
def test_long_values_are_cut_off_in_messages(n):
    """A text of n characters and its two quotes; 60 are shown at most."""
    value = "x" * (n - 2)
    told = outcome("check_release", pd.DataFrame({"age": [value], "town": ["Bern"]}))
    shown = repr(value) if n <= 60 else repr(value)[:59] + "…"
    assert f"'age' is {shown}, 'town' is 'Bern'." in told


def values(n):
    table = pd.DataFrame({"age": ["20"] * n, "town": ["Bern"] * n})
    return table.assign(ill=[f"ill{x:02}" for x in range(n)])


@pytest.mark.parametrize("n", [9, 10, 11, 13])
def test_ten_values_are_listed_in_messages(n):
    listed = ", ".join(f"'ill{x:02}'" for x in range(min(n, 10)))
    more = f" and {n - 10} more" if n > 10 else ""
    with pytest.raises(ColumnError) as caught:
        privacy.alpha_k_anonymity(values(n), KNOWN, "ill", value="healthy")
    assert str(caught.value).endswith(f"Its values are {listed}{more}.")


@pytest.mark.parametrize("n", [9, 10, 11, 13])
def test_ten_columns_are_listed_in_messages(n):
    wide = pd.DataFrame({f"c{x:02}": [1] for x in range(n)})
    listed = ", ".join(f"'c{x:02}'" for x in range(min(n, 10)))
    more = f", and {n - 10} more" if n > 10 else ""
    with pytest.raises(ColumnError) as caught:
        linkage_attack(wide, wide.assign(age=1, ill="u"), ["age"], sensitive="ill")
    assert f"Its columns are {listed}{more}." in str(caught.value)


def test_a_date_is_found_among_dates():
    days = [date(2020, 2, 29), date(2021, 1, 1), date(2021, 1, 1), None]
    table = pd.DataFrame({"age": ["20"] * 4, "town": ["Bern"] * 4, "ill": days})
    found = privacy.alpha_k_anonymity(table, KNOWN, "ill", value=days[1])
    assert found == 0.5
    assert privacy.alpha_k_anonymity(table, KNOWN, "ill", value=days[0]) == 0.25


@pytest.mark.parametrize("method", ["auto", "pitman", "snb", "zayatz"])
def test_a_sample_of_everybody_is_counted(method):
    told = outcome(
        "population_uniqueness", release().iloc[:9], population_size=9, method=method
    )
    assert told == (1, 1 / 9, "zayatz" if method == "auto" else method)

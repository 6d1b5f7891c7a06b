"""Repairs of types: what they make, what they refuse, what is suggested."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skanon import cleaning
from skanon.cleaning import (
    MarksAsMissing,
    NamesAsText,
    NumbersAsText,
    OneSpelling,
    TextAsDates,
    TextAsNumbers,
    clean,
    repair_from_dict,
    suggest_repairs,
)
from skanon.exceptions import ColumnError, ParameterError


def messy(n=40):
    """A table as it comes from a spreadsheet."""
    at = np.arange(n)
    return pd.DataFrame(
        {
            "born": [f"{1 + i % 28:02d}.{1 + i % 12:02d}.19{50 + i % 40}" for i in at],
            "pay": [f"{1 + i % 9},{i % 10}00.50" for i in at],
            "sex": [["male", "Male", "MALE ", "female"][i % 4] for i in at],
            "job": [["clerk", "?", "cook"][i % 3] for i in at],
            "visits": [["1", "2", "NA", ""][i % 4] for i in at],
            "zip": [1067 if i % 2 else 10115 for i in at],
            "code": [f"{i % 7:03d}" for i in at],
            3: at % 5,
        }
    )


def of(found, name):
    return [x for x in found if getattr(x.repair, "column", None) == name]


def test_the_messy_table_is_repaired_as_suggested():
    table = messy()
    before = table.copy()
    found = suggest_repairs(table)
    cleaned = clean(table, [x.repair for x in found])
    pd.testing.assert_frame_equal(table, before)
    assert list(cleaned)[-1] == "3"
    assert cleaned["born"].tolist() == [
        pd.Timestamp(1950 + i % 40, 1 + i % 12, 1 + i % 28) for i in range(40)
    ]
    assert cleaned["pay"].tolist() == [
        1000 * (1 + i % 9) + 100 * (i % 10) + 0.5 for i in range(40)
    ]
    assert set(cleaned["sex"]) == {"male", "female"}
    assert cleaned["job"].isna().sum() == 13 and set(cleaned["job"].dropna()) == {
        "clerk",
        "cook",
    }
    assert cleaned["visits"].isna().sum() == 20
    assert cleaned["visits"].dropna().tolist() == [1, 2] * 10
    assert set(cleaned["zip"]) == {"01067", "10115"}
    assert cleaned["code"].tolist() == table["code"].tolist()
    assert not suggest_repairs(cleaned)


def test_suggestions_are_counted_and_told():
    found = suggest_repairs(messy())
    (job,) = of(found, "job")
    assert job.count == 13 and "13 cells hold “?”" in job.reason and job.safe
    (sex,) = of(found, "sex")
    assert sex.repair == OneSpelling("sex", "lower") and sex.count == 20
    assert "there are 2 values less" in sex.reason
    (names,) = of(found, None)
    assert names.repair == NamesAsText() and names.count == 1
    (codes,) = of(found, "zip")
    assert codes.repair == NumbersAsText("zip", 5) and not codes.safe
    assert not of(found, "code")
    for suggestion in found:  # no value of the table is told
        for value in ("clerk", "male", "10115", "1950"):
            assert value not in suggestion.reason


def test_a_clean_table_needs_nothing():
    frame = pd.DataFrame(
        {
            "age": [1, 2],
            "town": ["Ulm", "Bern"],
            "born": pd.to_datetime(["2000-01-01", "2001-01-01"]),
            "is": [True, False],
            "class": pd.Categorical(["a", "b"]),
            "gap": [None, "x"],
        }
    )
    assert suggest_repairs(frame) == []
    assert clean(frame, []) is frame


def test_where_two_readings_are_as_likely_neither_is_safe():
    found = suggest_repairs(pd.DataFrame({"seen": ["01/02/2020", "03/04/2021"]}))
    assert [x.repair.format for x in found] == ["%d/%m/%Y", "%m/%d/%Y"]
    assert not any(x.safe for x in found)
    (found,) = suggest_repairs(pd.DataFrame({"seen": ["01/02/2020", "13/04/2021"]}))
    assert found.repair.format == "%d/%m/%Y" and found.safe
    found = suggest_repairs(pd.DataFrame({"pay": ["1,200", "3,400"]}))
    assert {(x.repair.decimal, x.repair.thousands) for x in found} == {
        (",", ""),
        (".", ","),
    }
    assert not any(x.safe for x in found)
    told = {x.repair.decimal: x.reason for x in found}
    assert "“1,200” is 1.2." in told[","] and "“1,200” is 1200." in told["."]


def test_a_mark_that_may_be_an_answer_is_not_safe_among_texts():
    (found,) = suggest_repairs(pd.DataFrame({"allergy": ["none", "nuts", "milk"]}))
    assert not found.safe and found.repair.marks == ("none",)
    found = suggest_repairs(pd.DataFrame({"visits": ["none", "2", "3"]}))
    assert [x.safe for x in found] == [True, True]
    frame = pd.DataFrame({"visits": ["none", "2", "3"]})
    assert clean(frame, [x.repair for x in found])["visits"].tolist()[1:] == [2, 3]


@pytest.mark.parametrize(
    ("repair", "table", "words"),
    [
        (TextAsNumbers("a"), {"a": ["1", "two"]}, "'two' in row 1 of column 'a' is no"),
        (TextAsNumbers("a"), {"a": ["1,5"]}, "'1,5' in row 0"),
        (TextAsNumbers("a", thousands=","), {"a": ["1,50"]}, "'1,50' in row 0"),
        (TextAsNumbers("a", thousands=","), {"a": [",500"]}, "',500' in row 0"),
        (TextAsNumbers("a"), {"a": ["--1"]}, "'--1' in row 0"),
        (TextAsNumbers("a"), {"a": ["9" * 20]}, "no number"),
        (TextAsNumbers("a"), {"a": ["\u0661"]}, "no number"),
        (TextAsDates("a", "%d.%m.%Y"), {"a": ["1.1.2000", "x"]}, "'x' in row 1"),
        (TextAsDates("a", "%d.%m.%Y"), {"a": ["31.02.2000"]}, "is no date as in"),
        (NumbersAsText("a"), {"a": [1.5]}, "1.5 in row 0 of column 'a' is no whole"),
        (OneSpelling("b"), {"a": ["x"]}, "is for the column 'b', but there are"),
        (NamesAsText(), {1: ["x"], "1": ["x"]}, "would be called"),
    ],
)
def test_what_a_repair_is_not_for_is_refused(repair, table, words):
    with pytest.raises(ColumnError, match=words):
        clean(pd.DataFrame(table), [repair])


@pytest.mark.parametrize(
    "make",
    [
        lambda: MarksAsMissing("a", []),
        lambda: MarksAsMissing("a", [1]),
        lambda: TextAsNumbers("a", ";"),
        lambda: TextAsNumbers("a", ",", ","),
        lambda: TextAsDates("a", "day"),
        lambda: NumbersAsText("a", -1),
        lambda: NumbersAsText("a", True),
        lambda: OneSpelling("a", "Title"),
        lambda: repair_from_dict({"repair": "Drop", "column": "a"}),
        lambda: repair_from_dict({"repair": "TextAsDates", "column": "a"}),
        lambda: repair_from_dict([]),
        lambda: clean(pd.DataFrame({"a": [1]}), ["strip"]),
    ],
)
def test_unfit_parameters(make):
    with pytest.raises(ParameterError):
        make()


def test_missing_values_stay_missing():
    frame = pd.DataFrame({"a": ["1", None], "b": ["1.5", None], "c": [" x", None]})
    cleaned = clean(
        frame, [TextAsNumbers("a"), TextAsNumbers("b"), OneSpelling("c", "upper")]
    )
    assert cleaned["a"].dtype == "Int64" and cleaned["b"].dtype == "float64"
    assert cleaned.isna().to_numpy().tolist() == [[False] * 3, [True] * 3]
    dates = clean(pd.DataFrame({"a": ["2000", None]}), [TextAsDates("a", "%Y")])
    assert dates["a"].isna().tolist() == [False, True]


def test_categories_and_letters():
    frame = pd.DataFrame(
        {"sex": pd.Categorical(["male", "Male"]), "town": ["Zu\u0308rich", "Zürich"]}
    )
    found = [x.repair for x in suggest_repairs(frame)]
    assert found == [OneSpelling("sex", "lower"), OneSpelling("town")]
    cleaned = clean(frame, found)
    assert [cleaned[x].nunique() for x in cleaned] == [1, 1]


def test_repairs_are_json():
    for suggestion in suggest_repairs(messy()):
        plain = suggestion.repair.to_dict()
        assert json.loads(json.dumps(plain)) == plain
        assert repair_from_dict(plain) == suggestion.repair
        assert suggestion.repair.told()
        space = {name: getattr(cleaning, name) for name in cleaning.__all__}
        assert eval(repr(suggestion.repair), space) == suggestion.repair


def test_the_rules_fit_next_months_table():
    rules = [x.repair for x in suggest_repairs(messy())]
    later = messy(25).iloc[::-1]
    cleaned = clean(later, rules)
    assert cleaned.index.equals(later.index)
    assert cleaned["pay"].dtype == "float64"
    later.loc[7, "born"] = "soon"
    with pytest.raises(ColumnError, match="'soon' in row 17 of column 'born'"):
        clean(later, rules)


@given(st.integers(-(10**12), 10**12), st.integers(0, 10**6), st.data())
def test_numbers_are_read_back(whole, part, data):
    decimal, thousands = data.draw(
        st.sampled_from([(".", ""), (",", ""), (".", ","), (",", "."), (".", "'")])
    )
    text = f"{whole:,}".replace(",", thousands)
    assert TextAsNumbers("a", decimal, thousands).number(text) == whole
    assert TextAsNumbers("a", decimal, thousands).number(
        f" {text}{decimal}{part} "
    ) == float(f"{whole}.{part}")


@given(st.lists(st.text(max_size=8), min_size=1, max_size=8))
def test_suggestions_can_always_be_applied(texts):
    frame = pd.DataFrame({"a": pd.Series(texts, dtype=object)})
    found = [x for x in suggest_repairs(frame) if x.safe]
    cleaned = clean(frame, [x.repair for x in found])
    assert len(cleaned) == len(frame)
    lost = cleaned["a"].isna().sum()
    told = [x.count for x in found if isinstance(x.repair, MarksAsMissing)]
    assert lost == sum(told)

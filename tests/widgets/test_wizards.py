"""Wizards: what they lead to is what the builder gives, and the code rebuilds it."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from skanon import hierarchies
from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Taxonomy,
    from_calendar,
    from_cut_points,
    from_frequency,
    from_levels,
    from_mask,
    from_nested,
    from_parents,
    from_widths,
)
from skanon_widgets._hierarchy_editor import wizards
from skanon_widgets._hierarchy_editor.document import Document
from skanon_widgets._hierarchy_editor.wizard_questions import WIZARDS
from skanon_widgets._hierarchy_editor.wizard_texts import (
    OwnValues,
    outline,
    read_outline,
    read_rows,
)

AGES = pd.Series([17, 17, 21, 25, 25, 25, 30, 42, 42, 58, 90], name="age")
TOWNS = pd.Series(["Bern", "Bern", "Basel", "Bonn", "St; Gall"], name="town")
DAYS = pd.Series(pd.to_datetime(["1901-05-03", "1950-01-01", "2020-02-29"]), name="day")
ZIPS = pd.Series([8001, 8032, 311, 8001], name="zip")
COLUMNS = {
    "age": AGES,
    "town": TOWNS,
    "day": DAYS,
    "zip": ZIPS,
    "price": pd.Series([0.5, 0.7, 1.25, 9.75], name="price"),
    "yes": pd.Series([True, False, True], name="yes"),
    "text day": pd.Series(["2020-02-29", "2021-01-01"], name="text day"),
    "size": pd.Series(
        pd.Categorical(["S", "L", "S"], ["S", "M", "L"], ordered=True), name="size"
    ),
    "span": pd.Series(pd.to_timedelta([1, 5, 90], unit="h"), name="span"),
    "one": pd.Series([7, 7], name="one"),
}


def learn(column):
    return Domain.learn(column, column.name)[0]


def suggested(domain, maker, now=None):
    fields = wizards.form(domain, maker, now)["fields"]
    return {field["name"]: field["value"] for field in fields}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("maker", [x.maker for x in WIZARDS])
def test_every_suggestion_is_a_hierarchy_that_its_code_rebuilds(name, maker):
    column = COLUMNS[name]
    domain = learn(column)
    if maker not in [x["name"] for x in wizards.offers(domain)]:
        return
    answers = suggested(domain, maker)
    if maker == "from_cut_points" and not answers["cuts"]:
        assert name == "one"
        with pytest.raises(HierarchyError, match="at least one sequence"):
            wizards.build(domain, maker, answers)
        return
    built = wizards.build(domain, maker, answers)
    built.hierarchy.bind(domain)
    document = Document(domain)
    document.replace(*built)
    assert document.hierarchy is built.hierarchy
    names = {}
    exec(document.to_code(name), names)
    variable = name.replace(" ", "_")
    assert names[variable] == built.hierarchy
    assert wizards.preview(domain, built.hierarchy)["words"]
    assert document.undo()["undo"] is None
    assert document.redo()["undo"] == built.label


def test_which_wizards_fit():
    def fits(name):
        return {x["name"] for x in wizards.offers(learn(COLUMNS[name]))}

    common = {"from_frequency", "from_nested", "from_parents", "from_levels"}
    common |= {"Subsets", "Suppression"}
    line = {"Intervals", "from_cut_points"}
    assert fits("age") == common | line | {"from_widths", "from_mask"}
    assert fits("town") == common | {"from_mask"}
    assert fits("day") == common | line | {"from_calendar"}
    assert fits("text day") == common | {"from_calendar", "from_mask"}
    assert fits("yes") == common
    assert fits("size") == common | {"Intervals"}
    assert {x.maker for x in WIZARDS} == set(hierarchies.__all__) & (
        {x for x in hierarchies.__all__ if x.startswith("from_")}
        | {"Intervals", "Subsets", "Suppression"}
    ) - {"from_dict"}


@pytest.mark.parametrize(
    ("column", "maker", "answers", "expected"),
    [
        (AGES, "from_cut_points", {"cuts": "20, 30;60\n\n 30"},
         lambda: from_cut_points(AGES, [20, 30, 60], [30])),
        (AGES, "from_cut_points", {"cuts": "20, 30\n20, 30"},
         lambda: from_cut_points(AGES, [20, 30], [20, 30])),
        (DAYS, "from_cut_points", {"cuts": "1910-01-01, 2000-01-01"},
         lambda: from_cut_points(DAYS, ["1910-01-01", "2000-01-01"])),
        (AGES, "from_widths", {"widths": "5 20", "origin": "2"},
         lambda: from_widths(AGES, 5, 20, origin=2)),
        (AGES, "from_widths", {"widths": "2.5", "origin": "0"},
         lambda: from_widths(AGES, 2.5)),
        (DAYS, "from_calendar", {"units": ["decade", "month"]},
         lambda: from_calendar(DAYS, ["month", "decade"])),
        (ZIPS, "from_mask",
         {"side": "left", "sign": "x", "levels": "1, 3", "pad": "0",
          "pad_side": "right"},
         lambda: from_mask(ZIPS, side="left", sign="x", levels=[1, 3], pad="0",
                           pad_side="right")),
        (AGES, "from_frequency", {"thresholds": "2, 3"},
         lambda: from_frequency(AGES, 2, 3)),
        (COLUMNS["size"], "from_frequency", {"thresholds": "2"},
         lambda: from_frequency(COLUMNS["size"], 2)),
        (TOWNS, "from_nested",
         {"outline": "*\n CH\n\n  Bern\n  Basel\n  St; Gall\n Bonn"},
         lambda: from_nested(
             {"*": {"CH": ["Bern", "Basel", "St; Gall"], "Bonn": None}})),
        (AGES, "from_nested", {"outline": "young\n\t17\n\t21\n25\n30\n42\n58\n90"},
         lambda: from_nested({"*": {"young": [17, 21], 25: None, 30: None, 42: None,
                                    58: None, 90: None}})),
        (TOWNS, "from_parents",
         {"parents": 'Bern;CH\nBasel;CH\n"St; Gall";CH\nCH;*\nBonn;*'},
         lambda: from_parents({"Bern": "CH", "Basel": "CH", "St; Gall": "CH",
                               "CH": "*", "Bonn": "*"})),
        (AGES, "from_levels",
         {"table": "17;young;*\n21;young;*\n\n25;old;*\n30;old;*\n42;old;*\n"
                   "58;old;*\n90;old;*"},
         lambda: from_levels([[x, "young" if x < 25 else "old", "*"]
                              for x in (17, 21, 25, 30, 42, 58, 90)])),
        (AGES, "Intervals", {}, hierarchies.Intervals),
        (AGES, "Subsets", {}, hierarchies.Subsets),
        (TOWNS, "Suppression", {}, hierarchies.Suppression),
    ],
)  # fmt: skip
def test_the_result_is_the_builders(column, maker, answers, expected):
    domain = learn(column)
    built = wizards.build(domain, maker, answers)
    assert built.hierarchy == expected()
    assert [type(x) for x in getattr(built.hierarchy, "values", ())] == [
        type(x) for x in getattr(expected(), "values", ())
    ]
    document = Document(domain)
    document.replace(*built)
    names = {}
    exec(document.to_code("x"), names)
    assert names["x"] == expected()
    short = {"from_cut_points", "from_widths", "from_calendar", "from_mask"}
    assert (f"{maker}(" in document.to_code("x")) or maker not in short


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(-500, 500) | st.floats(-99, 99), min_size=1, max_size=20),
    st.sampled_from([1, 2.5, 0.3, 7]),
    st.lists(st.integers(2, 4), max_size=2),
    st.integers(-3, 3),
)
def test_widths_of_any_numbers(values, width, times, origin):
    column = pd.Series(values, name="x")
    widths = [width]
    for factor in times:
        widths.append(round(widths[-1] * factor, 9))
    answers = {"widths": ", ".join(map(str, widths)), "origin": str(origin)}
    built = wizards.build(learn(column), "from_widths", answers)
    assert built.hierarchy == from_widths(column, *widths, origin=origin)


@pytest.mark.parametrize(
    ("column", "maker", "answers", "words"),
    [
        (AGES, "from_widths", {"widths": ""}, "Type at least one width"),
        (AGES, "from_widths", {"widths": "five"}, "A width must be a number"),
        (AGES, "from_widths", {"widths": "5, 12"}, "no whole multiple"),
        (AGES, "from_cut_points", {"cuts": "30, x"}, "'x' cannot be a cut point"),
        (AGES, "from_cut_points", {"cuts": "30, 20"}, "do not ascend"),
        (AGES, "from_cut_points", {"cuts": "20\n30"}, "is none of level 1"),
        (DAYS, "from_calendar", {"units": []}, "at least one unit"),
        (ZIPS, "from_mask", {"pad": ""}, "equally long"),
        (AGES, "from_frequency", {"thresholds": "1"}, "must be an integer above 1"),
        (AGES, "from_frequency", {"thresholds": "2.5"}, "must be an integer"),
        (AGES, "from_nested", {"outline": "young\n  x"}, "numbers, and 'x' is none"),
        (TOWNS, "from_nested", {"outline": "A\n Bern\nA\n Bonn"}, "'A' stands twice"),
        (TOWNS, "from_nested", {"outline": " "}, "at least one value"),
        (TOWNS, "from_parents", {"parents": "Bern"}, "'Bern' needs two fields"),
        (TOWNS, "from_parents", {"parents": "a;b\na;c"}, "two parents: 'b' and 'c'"),
        (TOWNS, "from_parents", {"parents": "a;b\nb;a"}, "cycle"),
        (TOWNS, "from_levels", {"table": "Bern;CH;*\nBonn;*"}, "equally long"),
        (TOWNS, "from_levels", {"table": '"Bern;CH'}, "cannot be read"),
        (TOWNS, "nonsense", {}, "no wizard 'nonsense'"),
    ],
)
def test_wrong_answers_are_explained(column, maker, answers, words):
    with pytest.raises(HierarchyError, match=words):
        wizards.build(learn(column), maker, answers)


def test_preview_counts_records():
    domain = learn(AGES)
    shown = wizards.preview(domain, from_cut_points(AGES, [20, 30]))
    assert shown["words"] == "7 values in 2 levels."
    assert shown["levels"][0] == {
        "level": 1,
        "groups": 3,
        "least": 2,
        "largest": [[">= 30", 5], ["[20, 30)", 4], ["< 20", 2]],
    }
    part = from_nested({"*": {"A": [17, 21, 99], "B": [25, 30]}})
    assert (
        "3 values of the column are not in it: '42', '58', '90'."
        in (wizards.preview(domain, part)["words"])
    )


NAMES = st.text("abcXYZ ;,\"'ü", min_size=1, max_size=4).map(str.strip).filter(bool)


@settings(deadline=None, max_examples=60)
@given(st.sets(NAMES, min_size=1, max_size=8), st.data())
def test_a_tree_survives_its_outline_its_parents_and_its_table(names, data):
    values = sorted(names)
    groups = data.draw(
        st.lists(
            st.sampled_from(["g1", "g2", "g3"]),
            min_size=len(values),
            max_size=len(values),
        )
    )
    upper = {"g1": "top1", "g2": "top1", "g3": "g3"}
    levels = [groups, [upper[x] for x in groups], ["*"] * len(values)]
    taxonomy = Taxonomy(values, levels)
    domain = learn(pd.Series(values, name="x"))
    for maker in ("from_nested", "from_parents", "from_levels"):
        answers = suggested(domain, maker, taxonomy)
        built = wizards.build(domain, maker, answers).hierarchy
        assert nodes(built) == nodes(taxonomy), maker
        if maker == "from_levels":
            assert built == taxonomy


def nodes(taxonomy):
    frame = taxonomy.to_frame()
    found = {
        (label, frozenset(part[0]))
        for at in frame.columns[1:]
        for label, part in frame.groupby(at)
    }
    return {(label, part) for label, part in found if part != {label}}


def test_values_are_found_by_their_texts():
    days = pd.Series([datetime.date(2020, 2, 29), datetime.date(2021, 1, 1)], name="d")
    own = OwnValues(learn(days))
    assert own.read("2020-02-29") == pd.Timestamp("2020-02-29")
    assert own.read("1999-01-01") == pd.Timestamp("1999-01-01")
    assert OwnValues(learn(COLUMNS["yes"])).read("True") is True
    tree = read_outline("A\n  True\nFalse", OwnValues(learn(COLUMNS["yes"])))
    assert tree == {"*": {"A": {True: None}, False: None}}
    assert outline(from_nested({"*": {"A": ["x", "y"], "z": None}})) == (
        "*\n  A\n    x\n    y\n  z"
    )
    assert read_rows("a, b\nc,d") == [["a", "b"], ["c", "d"]]
    assert read_rows("a\tb") == [["a", "b"]]


def test_a_large_column_gets_no_endless_suggestion():
    column = pd.Series(np.arange(30_000), name="x")
    assert suggested(learn(column), "from_nested") == {"outline": ""}

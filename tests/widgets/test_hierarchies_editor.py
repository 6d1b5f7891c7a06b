"""The editor of a table's hierarchies: lazily made, always valid or it says why."""

from __future__ import annotations

import json

import pandas as pd
import pytest

pytest.importorskip("anywidget")

from inspected import sent_by

from skanon import KAnonymizer
from skanon.exceptions import ColumnError, HierarchyError
from skanon.hierarchies import Intervals, Subsets, Suppression, from_nested
from skanon_widgets import HierarchiesEditor, HierarchyEditor
from skanon_widgets._hierarchies_editor import widget as hierarchies_editor

HOSTILE = "<img src=x onerror=alert(1)>"
TOWNS = {"*": {"north": ["Kiel", "Bremen"], "south": ["Ulm"]}}


def people():
    return pd.DataFrame(
        {
            "age": [21, 22, 60, 61, 70, 71],
            "town": ["Kiel", "Ulm", "Bremen", "Kiel", "Ulm", "Ulm"],
            "job": ["cook", "cook", HOSTILE, "nurse", None, "nurse"],
            "size": pd.Categorical(list("smlsml"), list("sml"), ordered=True),
            "born": pd.to_datetime(["2001-01-02"] * 3 + ["1999-05-06"] * 3),
        }
    )


@pytest.fixture
def editor():
    editor = HierarchiesEditor(people())
    yield editor
    editor.close()


def state(editor):
    (answer,) = sent_by(editor.children[0], do="open")
    return answer


def test_defaults_are_those_of_the_anonymizers(editor):
    table = people()
    fitted = KAnonymizer(2, random_state=0, algorithm="mondrian").fit(table)
    assert editor.hierarchies == fitted.hierarchies_
    assert editor.valid


def test_the_list_tells_what_there_is_to_know(editor):
    rows = {row["name"]: row for row in state(editor)["rows"]}
    assert list(rows) == list(people().columns)
    age, job = rows["age"], rows["job"]
    assert (age["kind"], age["distinct"], age["form"]) == ("numbers", 6, "ranges")
    assert (job["distinct"], job["missing"], job["form"]) == (3, 1, "groups")
    assert job["about"] == "no groups yet: a value stays or becomes *"
    assert "ranges" not in job["forms"] and "ranges" in rows["size"]["forms"]
    assert not any(row["fault"] for row in rows.values())


def test_editors_are_made_when_their_column_is_opened(monkeypatch):
    made = []

    class Counted(HierarchyEditor):
        def __init__(self, *given, **named):
            made.append(named["name"])
            super().__init__(*given, **named)

    monkeypatch.setattr(hierarchies_editor, "HierarchyEditor", Counted)
    editor = HierarchiesEditor(people(), {"town": TOWNS})
    assert editor.hierarchies["town"] == from_nested(TOWNS) and editor.to_code()
    assert not made
    (listed,) = editor.children
    sent_by(listed, do="edit", at=1)
    assert made == ["town"] and editor.opened == "town"
    assert editor.children == (listed, editor.editor("town"))
    sent_by(listed, do="edit", at=-1)
    assert editor.children == (listed,) and editor.opened is None
    sent_by(listed, do="edit", at=1)
    assert made == ["town"]
    assert state(editor)["opened"] == 1


def test_what_is_edited_is_in_the_hierarchies(editor):
    before = editor.revision
    editor.editor("town").edit("group", names=["Kiel", "Bremen"], name="north")
    assert editor.revision > before
    assert editor.hierarchies["town"] == from_nested(
        {"*": {"north": ["Kiel", "Bremen"], "Ulm": None}}
    )
    row = state(editor)["rows"][1]
    assert (row["about"], row["fault"]) == ("1 group, 2 levels", "")


def test_two_levels_are_described():
    editor = HierarchiesEditor(
        people()[["town"]], {"town": {"*": {"D": TOWNS["*"], "CH": ["Bern"]}}}
    )
    assert state(editor)["rows"][0]["about"] == "4 groups, 3 levels"


def test_an_invalid_column_is_named_and_told(editor):
    town = editor.editor("town")
    town.edit("move", names=["Ulm"], parent=1)  # out of all groups
    assert not editor.valid
    with pytest.raises(HierarchyError, match=r"^Column 'town': 1 value is in no group"):
        _ = editor.hierarchies
    with pytest.raises(HierarchyError, match="Column 'town'"):
        editor.to_code()
    row = state(editor)["rows"][1]
    assert row["fault"].startswith("1 value is in no group: 'Ulm'")
    assert row["about"] == ""
    town.undo()
    assert editor.valid and not state(editor)["rows"][1]["fault"]


def test_a_given_hierarchy_that_does_not_cover_is_told_before_it_is_opened():
    editor = HierarchiesEditor(people(), {"town": {"*": {"north": ["Kiel"]}}})
    assert not editor.valid
    with pytest.raises(HierarchyError, match="'town'"):
        _ = editor.hierarchies
    assert "Bremen" in state(editor)["rows"][1]["fault"]


def test_choosing_what_values_become(editor):
    listed = editor.children[0]
    editor.editor("town").edit("group", names=["Kiel", "Bremen"], name="north")
    edited = editor.hierarchies["town"]
    sent_by(listed, do="choose", at=1, form="sets")
    assert editor.hierarchies["town"] == Subsets() and editor.opened == "town"
    assert state(editor)["rows"][1]["form"] == "sets"
    editor.editor("town").undo()
    assert editor.hierarchies["town"] == edited  # what was done is not lost
    assert state(editor)["rows"][1]["form"] == "groups"
    editor.choose("age", "groups")
    assert editor.hierarchies["age"] == Suppression()
    editor.choose("age", "ranges")
    assert editor.hierarchies["age"] == Intervals()


def test_large_columns_are_in_step_after_undo(monkeypatch):
    monkeypatch.setattr(hierarchies_editor, "LARGE", 2)
    editor = HierarchiesEditor(people())
    for form, words in (("ranges", "such as [20, 29]"), ("groups", "edited")):
        editor.choose("age", "sets")
        assert state(editor)["rows"][0]["about"] == "such as {a, b}"
        editor.editor("age").undo()
        row = state(editor)["rows"][0]
        assert (row["form"], row["about"]) == (form, words)
        editor.choose("age", "sets")
        assert editor.hierarchies["age"] == Subsets()
        editor.choose("age", "groups")
        assert editor.hierarchies["age"] == Suppression()
    editor.close()


def test_what_makes_no_sense_is_refused_and_changes_nothing(editor):
    before = editor.hierarchies
    (error, after) = sent_by(editor.children[0], do="choose", at=1, form="ranges")[::-1]
    assert "without an order" in error["error"]
    assert after["rows"][1]["form"] == "groups"
    with pytest.raises(HierarchyError, match="no kind 'x'"):
        editor.choose("town", "x")
    with pytest.raises(ColumnError, match="'x' is not listed"):
        editor.show_editor("x")
    assert editor.hierarchies == before


def test_columns_come_and_go_and_edits_stay(editor):
    editor.editor("town").edit("group", names=["Kiel", "Bremen"], name="north")
    edited = editor.hierarchies["town"]
    editor.show_editor("town")
    editor.show_columns(["age"])
    assert list(editor.hierarchies) == editor.columns == ["age"]
    assert editor.opened is None and len(editor.children) == 1
    editor.show_columns(["town", "age"])
    assert list(editor.hierarchies) == ["town", "age"]
    assert editor.hierarchies["town"] == edited
    with pytest.raises(ColumnError, match="'x' is not a column"):
        editor.show_columns(["x"])
    assert editor.columns == ["town", "age"]


def test_refusals_at_the_start():
    with pytest.raises(ColumnError, match="hierarchies names 'x'"):
        HierarchiesEditor(people(), {"x": "intervals"})
    with pytest.raises(HierarchyError, match="'town'"):
        HierarchiesEditor(people(), {"town": 3})
    with pytest.raises(ColumnError, match="'x' is not a column"):
        HierarchiesEditor(people(), columns=["x"])
    mixed = pd.DataFrame({"mixed": [1, "a"]})
    with pytest.raises(ColumnError, match="mixed"):
        HierarchiesEditor(mixed)
    HierarchiesEditor(people().assign(mixed=[1, "a"] * 3), columns=["age"]).close()


def test_the_code_rebuilds_them():
    odd = 'a "quoted"\nname'
    table = people().rename(columns={"born": odd})
    editor = HierarchiesEditor(table, {"town": TOWNS, "job": "subsets"})
    days = sorted(set(table[odd]))
    editor.choose(odd, "groups")
    editor.editor(odd).edit("group", names=["1999-05-06"], name="early")
    names = {}
    exec(editor.to_code(), names)
    assert names["hierarchies"] == editor.hierarchies
    assert len(days) == 2 and "Timestamp" in editor.to_code()


def test_the_summary_is_static_and_escaped():
    table = people().rename(columns={"town": HOSTILE})
    editor = HierarchiesEditor(table)
    html = editor._repr_mimebundle_()["text/html"]
    assert HOSTILE not in html and "&lt;img" in html
    assert "nurse" not in html  # no value of the table


def test_no_value_is_in_what_a_notebook_saves(editor):
    editor.editor("job")
    editor.show_editor("job")
    saved = [x.get_state() for x in (editor, *editor.children)]
    text = json.dumps(
        [{k: v for k, v in x.items() if k[:2] != "_e"} for x in saved], default=str
    )
    assert "nurse" not in text and HOSTILE not in text


def test_closing_takes_all_editors_away(editor):
    town = editor.editor("town")
    editor.close()
    assert town.comm is None and editor.comm is None

"""The editor's ranges, table, wizards and files, message by message."""

from __future__ import annotations

import base64
import json

import pandas as pd
import pytest

pytest.importorskip("anywidget")

from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Intervals,
    Suppression,
    from_cut_points,
    from_nested,
    from_widths,
    read_arx,
    read_json,
)
from skanon_widgets import HierarchyEditor

AGES = pd.Series([17, 17, 21, 25, 30, 42, 58, 90], name="age")
TOWNS = pd.Series(["Bern", "Basel", "Bonn"] * 2, name="town")
TREE = {"*": {"CH": ["Bern", "Basel"], "DE": ["Bonn"]}}


class Listening(HierarchyEditor):
    """An editor whose messages are kept."""

    def __init__(self, *args, **rest):
        self.heard = []
        super().__init__(*args, **rest)

    def send(self, content, buffers=None):
        self.heard.append(json.loads(json.dumps(content)))

    def ask(self, do, **rest):
        """Do as a view does, and give what it is told."""
        self.heard.clear()
        self._on_message(self, {"do": do, "view": "me", **rest}, [])
        (message,) = self.heard
        return message


def test_opening_tells_the_tree_only_where_it_is_looked_at():
    editor = Listening(AGES)
    state = editor.ask("open")
    assert state["fixed"] == "Intervals()" and state["line"]
    assert "ids" not in state and state["for"] == "me"
    assert "from_cut_points" in [x["name"] for x in state["offers"]]
    state = editor.ask("cut", op="add", args={"text": "30"})
    assert "ids" not in state and state["point"] == 0 and state["for"] is None
    assert [x["label"] for x in state["ranges"]["levels"][0]] == ["< 30", ">= 30"]
    assert "< 30" in editor.ask("open", tree=True)["names"]
    assert (
        "offers" in Listening(TOWNS).ask("open")
        and not (Listening(TOWNS).ask("open")["line"])
    )


def test_a_trial_tells_one_view_and_changes_nothing():
    editor = Listening(AGES, from_cut_points(AGES, [30]))
    trial = editor.ask("cut", op="move", args={"i": 0, "at": 1}, trial=True)
    assert (trial["kind"], trial["view"]) == ("ranges", "me")
    assert editor.revision == 0
    assert editor.hierarchy == from_cut_points(AGES, [30])


@pytest.mark.parametrize("fresh", [True, False])
def test_a_cut_that_changes_nothing_is_no_change(fresh):
    editor = Listening(AGES, from_cut_points(AGES, [30]))
    if not fresh:
        editor.cut("add", text="50")
    editor.build("from_widths", width="10")
    editor.undo()
    before, revision = editor.to_code(), editor.revision
    message = editor.ask("cut", op="move", args={"i": 0, "text": "30"})
    assert message["kind"] == "state" and "stays where it is" in message["said"]
    assert message["redo"].startswith("Build")
    assert (editor.to_code(), editor.revision) == (before, revision)
    editor.redo()
    editor.undo()
    message = editor.ask("cut", op="move", args={"i": 0, "text": "31"})
    assert message["redo"] is None and editor.revision == revision + 3


@pytest.mark.parametrize("op", ["undo", "view", "bounds", "frob", "_do", "do"])
def test_only_operations_on_cut_points_are_done(op):
    editor = Listening(AGES, from_cut_points(AGES, [30]))
    editor.cut("add", text="50")
    before = editor.hierarchy
    with pytest.raises(HierarchyError, match="no operation on cut points"):
        editor.cut(op)
    for trial in (True, False):
        message = editor.ask("cut", op=op, args={}, trial=trial)
        assert "no operation on cut points" in message["error"]
    assert editor.hierarchy == before and editor.revision == 1


def test_the_table_is_written_row_by_row():
    editor = Listening(TOWNS)
    cell = {"seek": "", "level": 1, "label": "CH", "new": True}
    patch = editor.ask("label", first=0, last=1, **cell)
    assert patch["said"] == "Put 2 values into the new group 'CH'."
    rows = editor.ask("rows", start=0, stop=9, seek="ch")["rows"]
    assert [x["labels"] for x in rows] == [["CH", "*"], ["CH", "*"]]
    assert editor.ask("label", first=2, last=2, **cell)["error"].startswith("'CH' is")
    assert editor.revision == 1


def test_wizards_ask_show_and_apply():
    editor = Listening(AGES)
    form = editor.ask("wizard", name="from_widths")
    assert [x["name"] for x in form["fields"]] == ["widths", "origin"]
    shown = editor.ask("try", name="from_widths", answers={"widths": "20, 50"})
    assert "no whole multiple" in shown["words"] and shown["levels"] == []
    shown = editor.ask("try", name="from_widths", answers={"widths": "20, 40"})
    assert shown["levels"][1]["largest"] == [["[0, 40)", 5], ["[40, 80)", 2],
                                             ["[80, 120)", 1]]  # fmt: skip
    assert editor.hierarchy == Intervals() and editor.revision == 0
    done = editor.ask("build", name="from_widths", answers={"widths": "20, 40"})
    assert done["undo"] == "Build: Fixed widths (20, 40)"
    assert editor.hierarchy == from_widths(AGES, 20, 40)
    editor.ask("undo")
    assert editor.hierarchy == Intervals()
    wrong = editor.ask("build", name="from_widths", answers={"widths": "x"})
    assert (wrong["kind"], wrong["view"]) == ("preview", "me")
    assert "A width must be a number" in wrong["words"]
    wrong = editor.ask("build", name="x", answers={})
    assert wrong["words"] == "There is no wizard 'x'."


def test_build_from_python_takes_suggestions():
    editor = HierarchyEditor(AGES)
    editor.build("from_widths")
    assert editor.hierarchy == from_widths(AGES, 10, 20, 40)
    editor.build("Suppression")
    assert editor.hierarchy == Suppression()
    with pytest.raises(HierarchyError, match="at least one width"):
        editor.build("from_widths", widths="")
    assert editor.hierarchy == Suppression()


def content(text):
    return base64.b64encode(text.encode()).decode()


def test_nothing_is_replaced_before_the_difference_is_taken():
    editor = Listening(TOWNS, TREE)
    told = editor.ask(
        "import", name="t.csv", data=content("Bern;A;*\nBasel;A;*\nBonn;B;*")
    )
    assert told["kind"] == "difference"
    assert told["parts"] == [
        {"title": "Groups renamed", "items": ["CH → A", "DE → B"], "n": 2}
    ]
    assert editor.hierarchy == from_nested(TREE) and editor.revision == 0
    done = editor.ask("take")
    assert done["undo"] == "Import t.csv" and editor.hierarchy.levels[0][0] == "A"
    editor.undo()
    assert editor.hierarchy == from_nested(TREE)
    assert (
        "line 2" in editor.ask("import", name="t.csv", data=content("a;*\nb"))["error"]
    )


def test_files_from_python(tmp_path):
    editor = HierarchyEditor(TOWNS, TREE)
    for name in ("town.csv", "town.json"):
        editor.export(tmp_path / name)
    assert read_arx(tmp_path / "town.csv") == editor.hierarchy
    assert read_json(tmp_path / "town.json") == editor.hierarchy
    editor.edit("rename", names=["CH"], name="Swiss")
    found = editor.import_file(tmp_path / "town.csv")
    assert found.renamed == [("Swiss", "CH")]
    assert editor.hierarchy == from_nested(TREE)
    editor.undo()
    assert editor.hierarchy.levels[0][0] == "Swiss"
    editor.build("Subsets")
    assert editor.import_file(tmp_path / "town.json").form == ("Any set", "Groups")
    (tmp_path / "part.csv").write_text("Bern;*\n")
    assert editor.import_file(tmp_path / "part.csv").uncovered == ["Basel", "Bonn"]
    assert not editor.valid
    with pytest.raises(HierarchyError, match="in no group"):
        editor.export(tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


def test_the_download_has_arxs_name_and_content():
    file = Listening(TOWNS, TREE).ask("export", form="csv")
    assert file["name"] == "data_hierarchy_town.csv"
    assert file["text"] == "Bern;CH;*\nBasel;CH;*\nBonn;DE;*\n"
    refused = Listening(AGES).ask("export", form="csv")
    assert "no table of levels" in refused["error"]


def test_synced_state_holds_no_value():
    editor = HierarchyEditor(pd.Series([123456, 654321], name="salary"))
    editor.cut("add", text="333333")
    editor.build("from_widths")
    state = json.dumps(editor.get_state(), default=str)
    assert not any(x in state for x in ("123456", "654321", "333333"))

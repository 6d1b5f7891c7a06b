"""The editor's Python side: what it takes, tells, keeps and gives back."""

from __future__ import annotations

import datetime
import gc
import json
import weakref

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Intervals,
    Subsets,
    Suppression,
    Taxonomy,
    from_cut_points,
    from_nested,
    from_widths,
    write_arx,
)
from skanon_widgets import HierarchyEditor
from skanon_widgets._hierarchy_editor.code import code_of

HOSTILE = "<img src=x onerror=alert(1)>"
EDUCATION = ["11th"] * 3 + ["Bachelors"] * 2 + ["HS-grad"] * 4 + ["Masters"]


class Listening(HierarchyEditor):
    """An editor that keeps what it sends."""

    def __init__(self, *args, **rest):
        self.sent = []
        super().__init__(*args, **rest)

    def send(self, content, buffers=None):
        json.dumps(content)
        self.sent.append(content)

    def tell(self, **message):
        self._handle_custom_msg(message, [])
        return self.sent[-1]


@pytest.fixture
def editor():
    return Listening(pd.Series(EDUCATION, name="education"))


def node(editor, name):
    return editor._editing.id_of(name)


def test_it_begins_flat_and_takes_the_series_name(editor):
    assert editor.name == "education"
    assert editor.hierarchy == Taxonomy(sorted(set(EDUCATION)), [["*"] * 4])
    state = editor.tell(do="open", view="v")
    assert state["view"] == "v" and state["kind"] == "state"
    assert dict(zip(state["names"], state["counts"], strict=True)) == {
        "*": 10, "": 0, "11th": 3, "Bachelors": 2, "HS-grad": 4, "Masters": 1
    }  # fmt: skip
    assert state["facts"] == {
        "values": 4, "groups": 0, "levels": 1, "records": 10, "missing": 0
    }  # fmt: skip


@pytest.mark.parametrize(
    "values",
    [EDUCATION, np.array(EDUCATION), pd.Series(EDUCATION), pd.Categorical(EDUCATION)],
    ids=lambda x: type(x).__name__,
)
def test_any_column_will_do(values):
    assert HierarchyEditor(values, name="e").hierarchy.height == 1


def test_missing_values_are_counted_apart():
    editor = Listening(["a", None, "b", "a", np.nan])
    assert editor.tell(do="open")["facts"]["missing"] == 2
    assert editor.hierarchy.values == ("a", "b")


def test_messages_edit_and_are_answered_to_all_views(editor):
    ids = [node(editor, "Bachelors"), node(editor, "Masters")]
    args = {"ids": ids, "name": "Higher"}
    patch = editor.tell(do="edit", op="group", args=args, view="v")
    assert patch["kind"] == "patch" and patch["view"] == "v"
    assert patch["said"] == "Add group 'Higher' with 2 values."
    assert patch["focus"] == node(editor, "Higher")
    assert [patch["focus"], 3, 2] in patch["changed"]
    assert editor.hierarchy.levels[0] == ["11th", "Higher", "Higher", "HS-grad"]
    assert editor.revision == 1
    assert editor.tell(do="undo", view="v")["undo"] is None
    assert editor.hierarchy.height == 1
    assert editor.tell(do="redo")["redo"] is None
    assert editor.hierarchy.height == 2
    assert editor.revision == 3


def test_a_patch_is_small():
    editor = Listening([f"{i:05}" for i in range(20_000)])
    patch = editor.tell(do="edit", op="group", args={"ids": [7, 9, 8], "name": "x"})
    assert len(json.dumps(patch)) < 1000


def test_what_is_refused_is_told_and_changes_nothing(editor):
    before = editor.hierarchy
    root, leaf = 0, node(editor, "Masters")
    for op, args, words in [
        ("rename", {"i": leaf, "name": "x"}, "'Masters' is a value: choose a group."),
        ("rename", {"i": root, "name": " "}, "Give the group a name."),
        ("group", {"ids": [], "name": "x"}, "Choose at least one entry."),
        ("group", {"ids": [leaf], "name": "*"}, "stands for a suppressed value"),
        ("move", {"ids": [root], "parent": root}, "The root cannot be moved"),
        ("delete", {"ids": [99]}, "not there any more"),
        ("merge", {"ids": [leaf]}, "Choose two or more groups"),
        ("split", {"ids": [leaf], "name": "x"}, "The root cannot be split"),
        ("add_value", {"parent": root, "text": "Masters"}, "is there already"),
        ("__init__", {}, "is no operation of the editor"),
        ("undo", {}, "is no operation of the editor"),
    ]:
        assert words in editor.tell(do="edit", op=op, args=args)["error"]
    assert "There is nothing to undo." in editor.tell(do="undo")["error"]
    assert editor.hierarchy == before
    assert editor.revision == 0


def test_an_incomplete_hierarchy_says_what_is_wrong(editor):
    editor.edit("delete", names=["Masters"])
    editor.edit("add", parent="*", name="Higher")
    assert not editor.valid
    with pytest.raises(
        HierarchyError, match=r"1 value is in no group: 'Masters'.*'High"
    ):
        _ = editor.hierarchy
    with pytest.raises(HierarchyError):
        editor.to_code()
    editor.edit("move", names=["Masters"], parent="Higher")
    assert editor.valid
    assert editor.hierarchy.levels[0] == ["11th", "Bachelors", "HS-grad", "Higher"]


def test_an_unedited_hierarchy_is_the_one_given(tmp_path):
    given = Taxonomy(
        ["b", "a", "c"], [["x", "x", "c"], ["x", "x", "*"], ["*", "*", "*"]]
    )
    editor = HierarchyEditor(["a", "b", "c"], given)
    assert editor.hierarchy is given
    editor.edit("rename", names=["x"], name="y")
    editor.undo()
    assert editor.hierarchy is given
    write_arx(given, tmp_path / "x.csv")
    assert HierarchyEditor(["a", "b", "c"], tmp_path / "x.csv").hierarchy == given
    assert isinstance(HierarchyEditor(["a"], "suppression").hierarchy, Suppression)


def test_values_that_the_hierarchy_lacks_are_listed():
    given = from_nested({"*": {"x": ["a", "b", "old"]}})
    editor = Listening(["a", "b", "c", "c"], given)
    state = editor.tell(do="open")
    at = state["names"].index("c")
    assert state["parents"][at] == 1 and state["counts"][at] == 2
    assert state["counts"][state["names"].index("old")] == 0
    editor.edit("move", names=["c"], parent="x")
    assert editor.hierarchy == from_nested({"*": {"x": ["a", "b", "old", "c"]}})


def test_a_file_of_text_serves_a_column_of_numbers():
    given = Taxonomy(["1", "2"], [["low", "low"], ["*", "*"]])
    editor = HierarchyEditor([1, 2, 3], given, name="n")
    editor.edit("move", names=["3"], parent="low")
    assert editor.hierarchy.values == (1, 2, 3)
    editor.edit("add_value", parent="low", text="7")
    assert editor.hierarchy.values == (1, 2, 3, 7)
    with pytest.raises(HierarchyError, match="The column holds numbers, and 'x' is no"):
        editor.edit("add_value", parent="low", text="x")


@pytest.mark.parametrize(
    ("values", "given", "kind"),
    [([1, 2, 3], None, Intervals), (["a", "b"], "subsets", Subsets)],
)
def test_what_has_no_tree_is_shown_as_such(values, given, kind):
    editor = Listening(values, given, name="age")
    assert isinstance(editor.hierarchy, kind)
    assert editor.valid and editor.tell(do="open")["fixed"] == f"{kind.__name__}()"
    words = editor.tell(do="edit", op="add", args={"parent": 0, "name": "x"})["error"]
    assert words == f"{kind.__name__}() has no tree that could be edited."
    assert f"age = {kind.__name__}()" in editor.to_code()


def test_a_hierarchy_of_another_kind_is_refused():
    with pytest.raises(HierarchyError, match="'tall', which is none"):
        HierarchyEditor([1, 2], {"*": ["tall"]})
    with pytest.raises(HierarchyError):
        HierarchyEditor(["a", "b"], "intervals")


DAY = datetime.date(2020, 2, 29)
DATES = pd.to_datetime(["2020-02-29", "2021-05-01", "2021-06-01"])


@pytest.mark.parametrize(
    "hierarchy",
    [
        from_nested({"*": {"a": ["x", "y"], "b": {"c": ["z"], "w": None}, "v": None}}),
        from_nested({HOSTILE: {'"quote"': ["it's", "b\\n"], "ü": ["\n", "*+"]}}),
        from_nested({"*": {f"group {i}": [f"v{i}-{j}" for j in range(30)]
                           for i in range(20)}}),
        Taxonomy(["b", "a"], [["x", "*"], ["x", "*"], ["*", "*"]]),
        Taxonomy(["b", "a", "c"], [["x", "y", "x"], ["*", "*", "*"]]),
        Taxonomy([True, False], [["*", "*"]]),
        Taxonomy([DAY], [["leap"], ["*"]]),
        from_cut_points(DATES, [pd.Timestamp("2021-01-01")]),
        from_widths([0.5, 1.25, 7], 2, 4),
        Taxonomy([pd.Timedelta("1D")], [["short"], ["*"]]),
        Intervals(),
        Suppression(),
    ],
    ids=lambda x: repr(x)[:40],
)  # fmt: skip
def test_the_code_rebuilds_the_hierarchy(hierarchy):
    code = code_of(hierarchy, "the column")
    spaces: dict = {}
    exec(code, spaces)
    assert spaces["the_column"] == hierarchy
    if "v0-29" in code:
        assert max(map(len, code.splitlines())) <= 88


def test_the_code_of_an_edited_hierarchy(editor):
    editor.edit("group", names=["Bachelors", "Masters"], name="Higher")
    spaces: dict = {}
    exec(editor.to_code(), spaces)
    assert spaces["education"] == editor.hierarchy


def test_synced_state_holds_no_value():
    editor = Listening(pd.Series(["secret-1", "secret-2"], name="column"))
    editor.edit("group", names=["secret-1"], name="secret-group")
    editor.edit("delete", names=["secret-2"])
    assert "secret" not in json.dumps(editor.get_state(), default=str)


def test_it_keeps_counts_and_no_records():
    column = pd.Series(["a", "b", "a"], name="column")
    seen = weakref.ref(column)
    editor = HierarchyEditor(column)
    del column
    gc.collect()
    assert seen() is None and editor.hierarchy.values == ("a", "b")


def test_the_summary_escapes_and_counts():
    editor = HierarchyEditor([HOSTILE, "b", "b", "c"], {HOSTILE + "!": [HOSTILE, "b"]})
    html = editor._repr_mimebundle_()[0]["text/html"]
    assert "<img" not in html and "&lt;img src=x onerror" in html
    assert "(2 values, 3 records)" in html
    assert "1 value is in no group: &#x27;c&#x27;" in html
    assert "and 8 more" in HierarchyEditor([str(i) for i in range(20)])._summary()
    assert "Intervals()" in HierarchyEditor([1, 2])._summary()
    many = {f"g{i}": {f"h{i}": [f"v{i}"]} for i in range(200)}
    summary = HierarchyEditor(["v0"], {"*": many})._summary()
    assert summary.count("<b>") == 201 and "and 201 more groups" in summary


def test_it_has_less_than_60_kilobytes():
    assert len(HierarchyEditor._esm.encode()) < 60_000


def test_observers_hear_of_every_change(editor):
    heard = []
    editor.observe(lambda change: heard.append(change["new"]), "revision")
    editor.observe(lambda change: heard.append(change["new"]), "valid")
    editor.edit("delete", names=["Masters"])
    editor.undo()
    assert heard == [False, 1, True, 2]


@pytest.mark.filterwarnings("default")  # nbconvert and its templates are not ours
def test_nbconvert_shows_the_summary(editor):
    nbformat = pytest.importorskip("nbformat")
    nbconvert = pytest.importorskip("nbconvert")
    data, _ = editor._repr_mimebundle_()
    cell = nbformat.v4.new_code_cell("editor")
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    html, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert "<b>Hierarchy of education</b>" in html
    assert "11th, Bachelors, HS-grad, Masters" in html

"""The level table: the same hierarchy as the tree, and edits that both show."""

from __future__ import annotations

import copy

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Suppression, Taxonomy, from_nested
from skanon_widgets._hierarchy_editor.document import Document
from skanon_widgets._hierarchy_editor.levels_table import TableEditing
from skanon_widgets._hierarchy_editor.tree import OUTSIDE, ROOT

COLUMN = pd.Series(list("aaabbcddddef"), name="x")
DOMAIN, _ = Domain.learn(COLUMN, "x")
TAXONOMIES = [
    None,
    Suppression(),
    from_nested(
        {"top": {"A": ["a", "b"], "B": {"C": ["c", "d"], "e": None}, "f": None}}
    ),
    from_nested({"*": {"A": ["a", "b", "z"], "B": ["c"]}}),
    Taxonomy(
        ["f", "a", "e", "b", "d", "c"],
        [["f", "A", "*", "A", "B", "C"], ["*", "A", "*", "A", "D", "D"], ["*"] * 6],
    ),
    Taxonomy(list("abcdef"), [list("AABBEF"), list("AABBEF"), ["r"] * 6]),
]


def snapshot(editing):
    return {
        i: (
            x.name,
            x.leaf,
            x.value,
            x.parent,
            list(x.children),
            x.count,
            x.level,
            x.top,
        )
        for i, x in editing.tree.nodes.items()
    }


def table(editing):
    """Give the whole table by value."""
    return {x["name"]: x["labels"] for x in editing.rows(0, 10**9)["rows"]}


def check(editing):
    """The table is what the tree writes, and levels nest."""
    values, levels = (
        editing.tree.table() if editing.tree.nodes[ROOT].leaves else ([], [])
    )
    written = dict(zip(values, map(list, zip(*levels, strict=True)), strict=True))
    shown = table(editing)
    outside = {editing.tree.nodes[i].name for i in editing.tree.nodes[OUTSIDE].children}
    assert {x: labels for x, labels in shown.items() if x not in outside} == written
    assert all(not any(shown[x]) for x in outside)
    assert set("abcdef") <= set(shown)
    for node in editing.tree.nodes.values():
        if node.id > OUTSIDE and node.parent > OUTSIDE:
            assert node.level < editing.tree.nodes[node.parent].level


@st.composite
def operation(draw, editing):
    leaves = [x.id for x in editing.tree.nodes.values() if x.leaf]
    some = st.lists(st.sampled_from(leaves), min_size=1, max_size=4)
    level = st.integers(1, 4)
    names = st.sampled_from(["A", "B", "C", "New", "a", "f", "*", "", "top"])
    ops = {
        "set_labels": {
            "ids": some,
            "level": level,
            "label": names,
            "new": st.booleans(),
        },
        "drop_level": {"level": level},
        "delete": {
            "ids": st.lists(st.sampled_from(list(editing.tree.nodes)), min_size=1),
            "deep": st.booleans(),
        },
    }
    op = draw(st.sampled_from(["set_labels", "set_labels", "set_labels", *sorted(ops)]))
    return op, {key: draw(value) for key, value in ops[op].items()}


@settings(deadline=None, max_examples=200)
@given(st.data(), st.sampled_from(TAXONOMIES))
def test_undo_restores_exactly_and_the_table_stays_the_trees(data, taxonomy):
    editing = TableEditing(DOMAIN, taxonomy)
    check(editing)
    past = [snapshot(editing)]
    for _ in range(data.draw(st.integers(1, 8))):
        op, args = data.draw(operation(editing))
        before = copy.deepcopy(snapshot(editing))
        shown = table(editing)
        try:
            getattr(editing, op)(**args)
        except HierarchyError:
            assert snapshot(editing) == before
            continue
        check(editing)
        past.append(snapshot(editing))
        if op == "set_labels":
            check_cell(editing, args, shown)
    for state in reversed(past[:-1]):
        editing.undo()
        assert snapshot(editing) == state
    for state in past[1:]:
        editing.redo()
        assert snapshot(editing) == state


def check_cell(editing, args, before):
    """What was written stands in the cells that it was written into."""
    label = args["label"]
    names = [editing.tree.nodes[i].name for i in args["ids"]]
    after = table(editing)
    groups = {x.name for x in editing.tree.groups()}
    if label in groups and label != editing.tree.nodes[ROOT].name:
        assert all(label in after[name] for name in names)
        above = before[names[0]][args["level"] :]  # its label takes out of groups
        same = len(after[names[0]]) == len(before[names[0]])
        if not args["new"] and same and label not in above:
            assert all(after[name][args["level"] - 1] == label for name in names)
    untouched = {
        name
        for name, labels in before.items()
        if not any(name == x or set(labels[:-1]) & set(before[x][:-1]) for x in names)
    }
    roots = {before[names[0]][-1], after[names[0]][-1], label}
    for name in untouched:  # other rows keep their groups
        assert own(before, name, roots) == own(after, name, roots)


def own(labels, name, others):
    """Leave out the value's own name, the label that was written, and the root's."""
    return [
        x for x in dict.fromkeys(labels[name][:-1]) if x and x not in {*others, name}
    ]


def test_build_a_hierarchy_in_the_table():
    editing = TableEditing(DOMAIN)
    ids = {x.name: x.id for x in editing.tree.nodes.values() if x.leaf}
    editing.set_labels([ids["a"], ids["b"]], 1, "A", new=True)
    editing.set_labels([ids["c"], ids["d"]], 1, "B")
    editing.set_labels([ids["a"]], 2, "AB", new=True)
    assert table(editing)["a"] == ["A", "AB", "*"]
    assert table(editing)["b"] == ["A", "AB", "*"]
    assert table(editing)["c"] == ["B", "B", "*"]
    assert editing.set_labels([ids["d"]], 2, "AB")["said"] == "Put 'B' into 'AB'."
    assert table(editing)["c"] == ["B", "AB", "*"]
    said = editing.set_labels([ids["a"], ids["b"]], 1, "Aa")["said"]
    assert said == "Rename 'A' to 'Aa'."
    editing.set_labels([ids["b"]], 1, "Ab")
    assert table(editing)["b"] == ["Ab", "AB", "*"]
    assert table(editing)["a"] == ["Aa", "AB", "*"]
    editing.set_labels([ids["e"]], 3, "all")
    assert editing.hierarchy.root == "all"
    editing.set_labels([ids["c"]], 1, "")
    assert table(editing)["c"] == ["c", "AB", "all"]
    editing.set_labels([ids["d"]], 1, "in", new=True)
    assert table(editing)["d"] == ["in", "B", "AB", "all"]
    editing.drop_level(2)
    assert table(editing)["d"] == ["in", "AB", "all"]
    assert editing.hierarchy == Taxonomy(*editing.tree.table())
    values, levels = editing.tree.table()
    assert editing.hierarchy.values == tuple(values)
    assert editing.hierarchy.levels == levels


def test_a_new_level_leaves_the_other_columns_as_they_are():
    editing = TableEditing(DOMAIN, TAXONOMIES[4])
    before = table(editing)
    editing.set_labels([editing.id_of("b")], 1, "new", new=True)
    after = table(editing)
    assert {x: labels[1:] for x, labels in after.items()} == before
    assert after["b"][0] == "new"
    editing.undo()
    editing.set_labels([editing.id_of("c"), editing.id_of("d")], 3, "N", new=True)
    after = table(editing)
    assert after["c"][2:] == after["d"][2:] == ["N", "*"]
    for name in "fab":
        assert [after[name][0], after[name][1]] == before[name][:2]


@pytest.mark.parametrize(
    ("ids", "level", "label", "new", "words"),
    [
        ([], 1, "x", False, "at least one row"),
        (["a"], 9, "x", False, "has no level 9"),
        (["a"], 1, "B", False, "'B' is a group of level 2 already"),
        (["a"], 1, "c", False, "'c' is a value. Give the group another name"),
        (["a"], 1, "A", False, "That is the label already"),
        (["f"], 1, "", False, "in no group at this level"),
        (["a"], 4, "x", True, "has no level 4"),
    ],
)
def test_cells_are_refused_in_words(ids, level, label, new, words):
    nested = {"*": {"A": ["a", "b"], "B": {"C": ["c", "d"], "e": None}, "f": None}}
    editing = TableEditing(DOMAIN, from_nested(nested))
    # from_nested pads at the leaf's end: A is of level 2 as B is
    editing.drop_level(2)
    editing = TableEditing(
        DOMAIN,
        Taxonomy(
            list("abcdef"),
            [list("AACCef"), ["A", "A", "B", "B", "B", "f"], ["*"] * 6],
        ),
    )
    wanted = [editing.id_of(name) for name in ids]
    with pytest.raises(HierarchyError, match=words):
        editing.set_labels(wanted, level, label, new)


def test_values_outside_are_rows_without_labels_and_can_be_put_in():
    editing = TableEditing(DOMAIN, from_nested({"*": {"A": ["a", "b"], "B": ["c"]}}))
    assert table(editing)["d"] == ["", ""]
    assert editing.rows(3, 9)["rows"][0]["name"] == "d"
    editing.set_labels([editing.id_of("d")], 1, "B")
    editing.set_labels([editing.id_of("e"), editing.id_of("f")], 2, "*")
    assert table(editing)["d"] == ["B", "*"]
    assert table(editing)["e"] == ["e", "*"]
    assert editing.faults() == []
    only = TableEditing(DOMAIN, from_nested({"*": {"A": ["a"]}}))
    with pytest.raises(HierarchyError, match="last level has one label only: '\\*'"):
        only.set_labels([only.id_of("b")], 2, "x")


def test_windows_and_search():
    editing = TableEditing(DOMAIN, TAXONOMIES[2])
    part = editing.rows(1, 3)
    assert (part["height"], part["total"], part["start"]) == (3, 6, 1)
    assert [row["name"] for row in part["rows"]] == ["b", "c"]
    assert part["rows"][1]["own"] == [1, 2, 3]
    assert part["rows"][0]["own"] == [2, 3]
    assert [x["name"] for x in editing.rows(0, 9, "c")["rows"]] == ["c", "d"]
    assert editing.rows(50, 60)["rows"] == []


def test_rows_stay_where_they_are_until_they_are_sorted():
    editing = TableEditing(DOMAIN, TAXONOMIES[2])
    names = "abcdef"
    editing.rows(0, 1)
    editing.set_labels([editing.id_of("a"), editing.id_of("f")], 1, "new")
    editing.set_labels([editing.id_of("b")], 1, "C")
    editing.delete([editing.id_of("d")])
    editing.add_value(ROOT, "z")

    def shown():
        return "".join(x["name"] for x in editing.rows(0, 99)["rows"])

    assert shown() == names + "z"
    editing.undo()
    assert shown() == names
    editing.order(anew=True)
    tree = [x.name for x in editing.tree.below(ROOT) if x.leaf]
    assert shown() == "".join([*tree, "d"]) != names


def test_an_edit_in_the_table_of_ranges_is_one_step():
    ages = pd.Series([17, 25, 30, 42, 58, 90], name="age")
    document = Document(Domain.learn(ages, "age")[0])
    document.cut("add", {"text": "30"})
    leaf = document.tree.id_of("17")
    document.edit("set_labels", {"ids": [leaf], "level": 1, "label": "young"})
    assert document.hierarchy.levels[0][:2] == ["young", "< 30"]
    document.undo()
    assert document.model.cuts == [[30]]
    document.redo()
    assert document.hierarchy.levels[0][0] == "young"


def test_twenty_thousand_rows_are_shown_at_once():
    import time

    column = pd.Series([f"v{i:05}" for i in range(20_000)])
    nested = {f"g{g}": [f"v{i:05}" for i in range(g, 20_000, 100)] for g in range(100)}
    domain, _ = Domain.learn(column, "x")
    editing = TableEditing(domain, from_nested({"*": nested}))
    row = editing.rows(9000, 9001)["rows"][0]
    start = time.perf_counter()
    editing.set_labels([row["id"]], 1, "another")
    editing.rows(9000, 9060)
    assert time.perf_counter() - start < 0.5  # 0.03 s on an idle machine

"""What an import would change, and files that give the same hierarchy again."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Intervals,
    Subsets,
    Suppression,
    Taxonomy,
    from_nested,
    from_widths,
)
from skanon_widgets._hierarchy_editor.difference import difference
from skanon_widgets._hierarchy_editor.document import Document
from skanon_widgets._hierarchy_editor.editing import Editing
from skanon_widgets._hierarchy_editor.files import read_content, written_content

COLUMN = pd.Series(list("aaabbcddddef"), name="x")
DOMAIN, _ = Domain.learn(COLUMN, "x")
OLD = from_nested({"*": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}})
DATA = Path(os.environ.get("SKANON_DATA", Path(__file__).parents[3] / "shared/data"))


def test_each_sort_of_change_is_told():
    new = from_nested(
        {"*": {"A": ["a", "b"], "Bee": ["c", "d"], "D": {"E": ["e"]}, "x": None}}
    )
    found = difference(DOMAIN, OLD, new)
    assert found.values_added == ["x"]
    assert found.values_removed == ["f"]
    assert found.groups_added == ["D"]
    assert found.groups_removed == []
    # of the values that both have, C and E hold the same ones
    assert found.renamed == [("B", "Bee"), ("C", "E")]
    assert found.moved == [("C", "*", "D")]
    assert found.uncovered == ["f"]
    assert found.unused == ["x"]
    assert not found.same
    assert {"title": "Groups renamed", "items": ["B → Bee", "C → E"], "n": 2} in (
        found.parts()
    )
    assert [x["title"] for x in found.parts()] == [
        "Values added",
        "Values removed",
        "Groups added",
        "Groups renamed",
        "Moved",
        "Values of the column that would be in no group",
        "Values that the column does not hold",
    ]


def test_a_renamed_group_may_hold_values_that_only_one_side_has():
    new = from_nested({"*": {"A": ["a", "b"], "Bee": ["c", "d", "x"], "C": ["e", "f"]}})
    found = difference(DOMAIN, OLD, new)
    assert found.renamed == [("B", "Bee")]
    assert (found.groups_added, found.moved) == ([], [])
    back = difference(DOMAIN, new, OLD)
    assert back.renamed == [("Bee", "B")]


def test_moves_are_told_with_both_groups():
    new = from_nested({"all": {"A": ["a"], "B": ["b", "c", "d"], "C": ["e", "f"]}})
    found = difference(DOMAIN, OLD, new)
    assert found.moved == [("b", "A", "B")]
    nested = from_nested(
        {"*": {"AB": {"A": ["a", "b"], "B": ["c", "d"]}, "C": ["e", "f"]}}
    )
    found = difference(DOMAIN, OLD, nested)
    assert (found.groups_added, found.moved) == (
        ["AB"],
        [("A", "*", "AB"), ("B", "*", "AB")],
    )
    back = difference(DOMAIN, nested, OLD)
    assert (back.groups_removed, back.moved) == (
        ["AB"],
        [("A", "AB", "*"), ("B", "AB", "*")],
    )


def test_forms_without_groups():
    ages = pd.Series([17, 25, 90], name="age")
    domain, _ = Domain.learn(ages, "age")
    found = difference(domain, Intervals(), from_widths(ages, 10))
    assert found.form == ("Any range", "Groups")
    assert found.parts()[0]["items"] == ["Any range → Groups"]
    assert difference(domain, Intervals(), Intervals()).same
    assert not difference(domain, Intervals(), Subsets()).same
    assert difference(domain, Suppression(), Suppression()).same


def test_an_unfinished_tree_can_be_compared():
    editing = Editing(DOMAIN, OLD)
    editing.delete([editing.id_of("B")], deep=True)
    found = difference(DOMAIN, editing, OLD)
    assert found.values_added == ["c", "d"]
    assert found.groups_added == ["B"]


@st.composite
def taxonomy(draw):
    values = draw(st.lists(st.sampled_from("abcdefxyz"), min_size=1, unique=True))
    groups = st.lists(
        st.sampled_from(["A", "B", "C"]), min_size=len(values), max_size=len(values)
    )
    level = draw(groups)
    upper = draw(st.fixed_dictionaries({x: st.sampled_from(["U", "V"]) for x in "ABC"}))
    levels = [level, [upper[x] for x in level], ["*"] * len(values)]
    try:
        return Taxonomy(values, levels)
    except HierarchyError:
        return Taxonomy(values, [level, ["*"] * len(values)])


def paths(hierarchy):
    """Give each value's and group's parent, from the table alone."""
    found = {}
    for value, *labels in zip(hierarchy.values, *hierarchy.levels, strict=True):
        steps = list(dict.fromkeys([value, *labels]))
        found |= dict(pairwise(steps))
    return found


@settings(deadline=None, max_examples=150)
@given(taxonomy(), taxonomy())
def test_the_difference_leads_from_the_one_to_the_other(one, other):
    found = difference(DOMAIN, one, other)
    old, new = paths(one), paths(other)
    names = dict(found.renamed)
    assert set(new) - set(old) == (
        set(found.values_added) | set(found.groups_added) | set(names.values())
    )
    assert set(old) - set(new) == (
        set(found.values_removed) | set(found.groups_removed) | set(names)
    )
    moved = {(what, b, c) for what, b, c in found.moved}
    naive = set()
    for what, parent in old.items():
        now = new.get(names.get(what, what))
        if now is not None and names.get(parent, parent) != now:
            naive.add((what, parent, now))
    assert moved == naive
    assert found.same == (old == new)
    assert set(found.uncovered) == set("abcdef") - set(other.values)
    assert set(found.unused) == set(other.values) - set("abcdef")


@settings(deadline=None, max_examples=60)
@given(taxonomy(), st.sampled_from(["csv", "json"]))
def test_export_and_import_give_the_same_hierarchy(hierarchy, form):
    column = pd.Series(hierarchy.values, name="x")
    document = Document(Domain.learn(column, "x")[0], hierarchy)
    again = read_content(
        f"x.{form}", written_content(document.hierarchy, form).encode()
    )
    assert again == hierarchy
    assert difference(DOMAIN, hierarchy, again).same


@pytest.mark.parametrize("hierarchy", [Intervals(), Subsets(), Suppression()])
def test_forms_without_groups_go_through_json_only(hierarchy):
    assert (
        read_content("x.JSON", written_content(hierarchy, "json").encode()) == hierarchy
    )
    with pytest.raises(HierarchyError, match="no table of levels"):
        written_content(hierarchy, "csv")


@pytest.mark.parametrize("sep", ";,\t|")
def test_any_separator_and_latin_1(sep):
    rows = ["Zürich", "CH", "*"], ["Köln", "DE", "*"]
    content = "\n".join(sep.join(row) for row in rows).encode("latin-1")
    expected = Taxonomy(["Zürich", "Köln"], [["CH", "DE"], ["*", "*"]])
    assert read_content("x.csv", content) == expected


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("towns.csv", b"", "^towns.csv is empty"),
        ("C:\\x\\towns.csv", b"a;A;*\nb;*", "^towns.csv, line 2 has 2 field"),
        ("../../towns.csv", b"a;A\nb;B", "^towns.csv: .*2 roots"),
        ("towns.json", b"{", "^towns.json is no JSON"),
        ("towns.json", b'{"type": "x"}', "^towns.json: .*'x' is unknown"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_own_name(name, content, words):
    with pytest.raises(HierarchyError, match=words):
        read_content(name, content)
    with pytest.raises(HierarchyError, match="'csv' or 'json'"):
        written_content(OLD, "xml")


@pytest.mark.skipif(not DATA.exists(), reason="needs ARX's files (SKANON_DATA)")
@pytest.mark.parametrize(
    "path", sorted(DATA.glob("adult_hierarchy_*.csv")), ids=lambda path: path.stem
)
def test_arxs_own_files(path):
    content = path.read_bytes()
    hierarchy = read_content(path.name, content)
    column = pd.Series(hierarchy.values)
    if path.stem.endswith("age"):
        column = column.astype(int)
    domain, _ = Domain.learn(column, "x")
    document = Document(domain, hierarchy)
    found = difference(domain, document.tree, hierarchy)
    assert found.same, found
    assert found.uncovered == found.unused == []
    assert (
        written_content(document.hierarchy, "csv").split() == content.decode().split()
    )
    leaf = next(x for x in document.tree.tree.nodes.values() if x.leaf)
    rows = document.tree.rows(0, 1)
    if rows["height"] > 1:
        document.edit(
            "set_labels", {"ids": [leaf.id], "level": 1, "label": "Other name"}
        )
        changed = difference(domain, hierarchy, document.hierarchy)
        assert not changed.same
        assert difference(domain, document.hierarchy, hierarchy).values_added == []

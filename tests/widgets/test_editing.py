"""Operations on a hierarchy: each can be undone and redone exactly."""

from __future__ import annotations

import copy

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Suppression, Taxonomy, from_nested
from skanon_widgets._hierarchy_editor.editing import Editing
from skanon_widgets._hierarchy_editor.tree import OUTSIDE, ROOT

COLUMN = pd.Series(list("aaabbcddddef"), name="x")
DOMAIN, _ = Domain.learn(COLUMN, "x")
NAMES = ["A", "B", "C", "a", "*", "r", "D"]


def snapshot(editing):
    """Write down all there is of a tree."""
    return {
        i: [x.name, x.leaf, x.value, x.parent, list(x.children), x.level, x.top]
        for i, x in editing.tree.nodes.items()
    }


def outcome(editing):
    """Give the hierarchy, or what is wrong."""
    try:
        return editing.hierarchy
    except HierarchyError as error:
        return str(error)


def naive_table(editing):
    """Write paths from the root, and pad them at the leaf's end."""
    nodes, paths = editing.tree.nodes, []

    def walk(i, above):
        if nodes[i].leaf:
            paths.append((nodes[i].value, above))
        for child in nodes[i].children:
            walk(child, (*above, nodes[i].name))

    walk(ROOT, ())
    height = max((len(above) for _, above in paths), default=0)
    values = [value for value, _ in paths]
    rows = [
        [str(value)] * (height - len(above)) + list(above[::-1])
        for value, above in paths
    ]
    return values, [list(level) for level in zip(*rows, strict=True)]


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


@st.composite
def operation(draw, editing):
    """Draw an operation, sensible or not."""
    nodes = list(editing.tree.nodes)
    some = st.lists(st.sampled_from(nodes), min_size=1, max_size=4)
    node, name = st.sampled_from(nodes), st.sampled_from(NAMES)
    ops = {
        "add": {"parent": node, "name": name, "ids": st.just([]) | some},
        "group": {"ids": some, "name": name},
        "insert_level": {"i": node, "name": name},
        "add_value": {"parent": node, "text": st.sampled_from(["x", "y", "A", "*"])},
        "rename": {"i": node, "name": name},
        "delete": {"ids": some, "deep": st.booleans()},
        "move": {"ids": some, "parent": node, "before": st.none() | node},
        "merge": {"ids": some, "name": st.none() | name},
        "split": {"ids": some, "name": name},
        "sort": {
            "i": node,
            "by": st.sampled_from(["name", "count", "value"]),
            "deep": st.booleans(),
        },
    }
    op = draw(st.sampled_from(sorted(ops)))
    return op, {key: draw(value) for key, value in ops[op].items()}


def check_counts(editing):
    nodes = editing.tree.nodes
    for node in nodes.values():
        leaves = [x for x in editing.tree.below(node.id) if x.leaf]
        assert node.leaves == len(leaves)
        assert node.count == sum(x.count for x in leaves)
        assert all(nodes[child].parent == node.id for child in node.children)
        if node.parent != -1:
            assert node.id in nodes[node.parent].children
            assert node.level < nodes[node.parent].level or node.parent == OUTSIDE
    assert {x.value for x in nodes.values() if x.leaf} >= set("abcdef")
    reached = {x.id for top in (ROOT, OUTSIDE) for x in editing.tree.below(top)}
    assert reached == set(nodes)
    named = {(name, i) for name, ids in editing.tree.named.items() for i in ids}
    assert named == {(x.name, i) for i, x in nodes.items() if i != OUTSIDE}


def check_validity(editing):
    """What is called valid is so for skanon, and the other way round."""
    faults = editing.faults()
    values, levels = naive_table(editing)
    try:
        taxonomy = Taxonomy(values, levels)
        taxonomy.bind(DOMAIN)
        refusal = None
    except HierarchyError as error:
        refusal = str(error)
    if not faults:
        hierarchy = editing.hierarchy
        hierarchy.bind(DOMAIN)
        assert refusal is None, refusal
        if isinstance(hierarchy, Taxonomy):
            assert nodes_of(hierarchy) == sets_of(editing) == nodes_of(taxonomy)
        return
    words = " ".join(fault["text"] for fault in faults)
    ours_alone = ("is empty", "the root's name")  # groups that no table can show
    alone = any(word in words for word in ours_alone)
    # a table would unite two groups of one name, and look valid
    assert refusal or alone or has_namesakes(editing), words
    with pytest.raises(HierarchyError):
        _ = editing.hierarchy


def nodes_of(taxonomy):
    """List the sets of values that are nodes for skanon."""
    tree = taxonomy._tree
    spans = zip(tree.first.tolist(), tree.last.tolist(), strict=True)
    return {
        frozenset(taxonomy.values[row] for row in tree.order[first : last + 1])
        for first, last in spans
        if last > first
    }


def values_below(editing, node):
    return frozenset(x.value for x in editing.tree.below(node.id) if x.leaf)


def sets_of(editing):
    groups = [x for x in editing.tree.below(ROOT) if not x.leaf]
    sets = (
        frozenset(y.value for y in editing.tree.below(x.id) if y.leaf) for x in groups
    )
    return {values for values in sets if len(values) > 1}


def has_namesakes(editing):
    sets: dict[str, set] = {}
    for x in editing.tree.below(ROOT):
        if not x.leaf:
            sets.setdefault(x.name, set()).add(values_below(editing, x))
    return any(len(different) > 1 for different in sets.values())


class View:
    """A front end that knows only what it was told."""

    def __init__(self, state):
        self.nodes = {
            i: [name, parent, count, leaves, []]
            for i, name, parent, count, leaves in zip(
                *(state[x] for x in ("ids", "names", "parents", "counts", "leaves")),
                strict=True,
            )
        }
        for i, parent in zip(state["ids"], state["parents"], strict=True):
            if parent >= 0:
                self.nodes[parent][4].append(i)

    def patch(self, patch):
        for kind, content in patch["steps"]:
            getattr(self, kind)(content)
        for i, count, leaves in patch["changed"]:
            self.nodes[i][2:4] = [count, leaves]

    def create(self, made):
        for i, name, _, count, leaves in made:
            self.nodes[i] = [name, -1, count, leaves, []]

    def forget(self, ids):
        for i in ids:
            del self.nodes[i]

    def rename(self, content):
        self.nodes[content[0]][0] = content[1]

    def order(self, content):
        self.nodes[content[0]][4] = list(content[1])

    def place(self, runs):
        gone = {i for _, _, block in runs for i in block}
        for node in self.nodes.values():
            node[4] = [i for i in node[4] if i not in gone]
        for parent, at, block in runs:
            if parent >= 0:
                self.nodes[parent][4][at:at] = block
            for i in block:
                self.nodes[i][1] = parent

    def agrees(self, editing):
        assert self.nodes == {
            i: [x.name, x.parent, x.count, x.leaves, x.children]
            for i, x in editing.tree.nodes.items()
        }


@given(st.data(), st.sampled_from(TAXONOMIES))
def test_undo_and_redo_restore_exactly(data, taxonomy):
    editing = Editing(DOMAIN, taxonomy)
    view = View(editing.state())
    check_counts(editing)
    past = [(snapshot(editing), outcome(editing))]
    for _ in range(data.draw(st.integers(1, 8))):
        op, args = data.draw(operation(editing))
        before = copy.deepcopy(snapshot(editing))
        try:
            patch = getattr(editing, op)(**args)
        except HierarchyError:
            assert snapshot(editing) == before
            continue
        view.patch(patch)
        view.agrees(editing)
        check_counts(editing)
        check_validity(editing)
        past.append((snapshot(editing), outcome(editing)))
    for state in reversed(past[:-1]):
        view.patch(editing.undo())
        assert (snapshot(editing), outcome(editing)) == state
        view.agrees(editing)
    assert outcome(editing) == outcome(Editing(DOMAIN, taxonomy))
    with pytest.raises(HierarchyError, match="nothing to undo"):
        editing.undo()
    for state in past[1:]:
        view.patch(editing.redo())
        assert (snapshot(editing), outcome(editing)) == state
        view.agrees(editing)
    with pytest.raises(HierarchyError, match="nothing to redo"):
        editing.redo()


@pytest.mark.parametrize("taxonomy", TAXONOMIES[2:])
def test_an_edited_taxonomy_keeps_the_levels_of_the_rest(taxonomy):
    editing = Editing(DOMAIN, taxonomy)
    values, levels = editing.tree.table()
    given_levels = dict(
        zip(taxonomy.values, zip(*taxonomy.levels, strict=True), strict=True)
    )
    table = dict(zip(values, zip(*levels, strict=True), strict=True))
    for value, labels in table.items():
        kept = list(dict.fromkeys(labels))
        assert kept == list(dict.fromkeys(given_levels[value]))

"""What is different between two hierarchies of one column, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from skanon._table.domain import Domain
from skanon.hierarchies import Hierarchy, Suppression, Taxonomy
from skanon_widgets._hierarchy_editor.editing import Editing
from skanon_widgets._hierarchy_editor.tree import OUTSIDE, ROOT, MutableTree

SHOWN = 100
"""How many entries of each sort are told."""


class Difference(NamedTuple):
    """What a new hierarchy changes.

    Attributes
    ----------
    values_added, values_removed : list of str
        Values that only the new one covers, or only the old one.
    groups_added, groups_removed : list of str
    renamed : list of (str, str)
        Groups of the same values with another name.
    moved : list of (str, str, str)
        A value or group, the group it was directly in, and the one it is in now.
    uncovered : list of str
        The column's values that the new one does not cover.
    unused : list of str
        The new one's values that the column does not hold.
    form : (str, str)
        The two forms, such as ``("Intervals", "Taxonomy")``.
    """

    values_added: list[str]
    values_removed: list[str]
    groups_added: list[str]
    groups_removed: list[str]
    renamed: list[tuple[str, str]]
    moved: list[tuple[str, str, str]]
    uncovered: list[str]
    unused: list[str]
    form: tuple[str, str]

    @property
    def same(self) -> bool:
        """Whether nothing changes."""
        return not any(self[:6]) and self.form[0] == self.form[1]

    def parts(self) -> list[dict[str, Any]]:
        """Tell the difference to a front end.

        Returns
        -------
        list of dict
            With ``"title"`` and ``"items"``, at most ``SHOWN`` of them, and ``"n"``,
            the number of all.
        """
        arrow = [f"{old} → {new}" for old, new in self.renamed]
        moved = [f"{what}: {old} → {new}" for what, old, new in self.moved]
        sorts = [
            ("Values added", self.values_added),
            ("Values removed", self.values_removed),
            ("Groups added", self.groups_added),
            ("Groups removed", self.groups_removed),
            ("Groups renamed", arrow),
            ("Moved", moved),
            ("Values of the column that would be in no group", self.uncovered),
            ("Values that the column does not hold", self.unused),
        ]
        parts = [
            {"title": title, "items": items[:SHOWN], "n": len(items)}
            for title, items in sorts
            if items
        ]
        if self.form[0] != self.form[1]:
            form = f"{self.form[0]} → {self.form[1]}"
            parts.insert(0, {"title": "Another form", "items": [form], "n": 1})
        return parts


def difference(
    domain: Domain, before: Hierarchy | Editing, after: Hierarchy
) -> Difference:
    """Compare two hierarchies of one column.

    Parameters
    ----------
    domain : Domain
    before : Hierarchy or Editing
        As it stands, valid or not.
    after : Hierarchy

    Returns
    -------
    Difference

    Raises
    ------
    HierarchyError
        The new one's leaves cannot be values of the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.hierarchies import from_nested
    >>> domain, _ = Domain.learn(pd.Series(["Bern", "Bonn", "Ulm"]), "town")
    >>> old = from_nested({"*": {"CH": ["Bern", "Ulm"], "DE": ["Bonn"]}})
    >>> new = from_nested({"*": {"CH": ["Bern"], "DE": ["Bonn", "Ulm"]}})
    >>> difference(domain, old, new).moved
    [('Ulm', 'CH', 'DE')]
    """
    old, new = _tree(domain, before), _tree(domain, after)
    was, now = _Sides(old), _Sides(new)
    renamed = _renamed(was, now)
    names = dict(renamed)
    known = {name: names.get(name, name) for name in was.groups}
    moved = []
    for what, parent in was.parent.items():
        to = now.parent.get(names.get(what, what))
        if to is not None and known.get(parent, parent) != to:
            moved.append((what, was.words(parent), now.words(to)))
    targets = set(names.values())
    return Difference(
        [x for x in now.values if x not in was.values],
        [x for x in was.values if x not in now.values],
        [x for x in now.groups if x not in was.groups and x not in targets],
        [x for x in was.groups if x not in now.groups and x not in names],
        renamed,
        moved,
        [new.nodes[i].name for i in new.nodes[OUTSIDE].children],
        [x.name for x in new.below(ROOT) if x.leaf and not x.count],
        (_form(before), _form(after)),
    )


class _Sides:
    """A tree by names: its values, its groups with their values, their parents."""

    def __init__(self, tree: MutableTree) -> None:
        self.root = tree.nodes[ROOT].name
        self.values: dict[str, None] = {}
        self.groups: dict[str, frozenset[str]] = {}
        self.parent: dict[str, str] = {}
        for node in tree.below(ROOT):
            if node.leaf:
                self.values[node.name] = None
            elif node.id != ROOT:
                below = (x.name for x in tree.below(node.id) if x.leaf)
                self.groups[node.name] = frozenset(below)
            if node.id != ROOT:
                up = node.parent
                # whatever the root is called, it is the same place
                self.parent[node.name] = "" if up == ROOT else tree.nodes[up].name

    def words(self, name: str) -> str:
        return name or self.root


def _renamed(was: _Sides, now: _Sides) -> list[tuple[str, str]]:
    both = was.values.keys() & now.values.keys()
    fresh = {
        members & both: name
        for name, members in now.groups.items()
        if name not in was.groups and members & both
    }
    renamed = []
    for name, members in was.groups.items():
        if name not in now.groups and (members & both) in fresh:
            renamed.append((name, fresh.pop(members & both)))
    return renamed


def _tree(domain: Domain, hierarchy: Hierarchy | Editing) -> MutableTree:
    if isinstance(hierarchy, Editing):
        return hierarchy.tree
    is_tree = isinstance(hierarchy, Taxonomy | Suppression)
    return Editing(domain, hierarchy if is_tree else None).tree


def _form(hierarchy: Hierarchy | Editing) -> str:
    if isinstance(hierarchy, Editing) or isinstance(hierarchy, Taxonomy | Suppression):
        return "Groups"
    return {"Intervals": "Any range", "Subsets": "Any set"}[type(hierarchy).__name__]

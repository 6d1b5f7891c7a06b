"""The steps of one operation on a tree, and the levels that they entail."""

from __future__ import annotations

from typing import Any

from skanon_widgets._hierarchy_editor.tree import NOWHERE, OUTSIDE, MutableTree, Step


class Recorder:
    """Takes the steps of one operation, and remembers how to take them back."""

    def __init__(self, tree: MutableTree) -> None:
        self.tree = tree
        self.steps: list[Step] = []
        self.inverse: list[Step] = []

    def step(self, kind: str, content: Any) -> None:
        """Take a step."""
        self.inverse.append(self.tree.apply((kind, content)))
        self.steps.append((kind, content))

    def create(self, name: str, value: Any = None, count: int = -1) -> int:
        """Make a node that is nowhere yet."""
        node = self.tree.new(name, value, count)
        self.step("create", [node])
        return node.id

    def insert(
        self, parent: int, at: int, name: str, members: list[int], level: int
    ) -> int:
        """Make a group with members at a place, and return its id."""
        group = self.create(name)
        self.step("level", {group: (level, None)})
        self.step("place", [(parent, at, [group])])
        self._lift(parent, level)
        if members:
            self.place(group, None, members)
        return group

    def remove(self, ids: list[int]) -> None:
        """Take nodes out, each before what it was in."""
        if ids:
            self.step("place", [(NOWHERE, 0, ids)])
            self.step("forget", ids)

    def place(
        self, parent: int, at: int | None, ids: list[int], by_id: bool = False
    ) -> None:
        """Put nodes into a group, and keep its level above theirs.

        Parameters
        ----------
        parent : int
        at : int or None
            A position; or, with ``by_id=True``, the node before which they go.
        ids : list of int
        by_id : bool
        """
        if not ids:
            return
        gone, children = set(ids), self.tree.nodes[parent].children
        if at is None:
            at = sum(i not in gone for i in children)
        elif by_id:
            stop = children.index(at)
            at = sum(i not in gone for i in children[:stop])
        self.step("place", [(parent, at, ids)])
        self._settle(parent, ids)

    def _settle(self, parent: int, ids: list[int]) -> None:
        nodes = self.tree.nodes
        room = nodes[parent].level - 1
        levels: dict[int, tuple[int, int | None]] = {}
        for node in (nodes[i] for i in ids):
            level = node.level
            if not node.leaf and level > room:
                lowest = 1 + max((nodes[i].level for i in node.children), default=0)
                level = max(room, lowest)
            if (level, None) != (node.level, node.top):
                levels[node.id] = (level, None)
        if levels:
            self.step("level", levels)
        if parent != OUTSIDE:
            self._lift(parent, max(nodes[i].level for i in ids))

    def _lift(self, parent: int, level: int) -> None:
        """Keep each group's level above what is in it."""
        levels = {}
        for node in self.tree.upwards(parent):
            if node.level > level:
                break
            level += 1
            levels[node.id] = (level, node.top)
        if levels:
            self.step("level", levels)

"""The table of levels of a tree: a row for each value, a column for each level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skanon._table.domain import SUPPRESSED
from skanon.exceptions import HierarchyError
from skanon_widgets._hierarchy_editor.editing import Editing
from skanon_widgets._hierarchy_editor.recorder import Recorder
from skanon_widgets._hierarchy_editor.tree import OUTSIDE, ROOT, Node


class TableEditing(Editing):
    """A hierarchy that can be changed as a tree and as its table of levels.

    The table is another view of the same tree: what stands in a cell is the group
    that a value belongs to at that level, and where it belongs to none, what stood at
    the level below. Its columns are numbered from 1; the last one is the root's.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon._table.domain import Domain
    >>> domain, _ = Domain.learn(pd.Series(["Bern", "Basel", "Bonn"]), "town")
    >>> town = TableEditing(domain)
    >>> rows = [town.id_of("Basel"), town.id_of("Bern")]
    >>> town.set_labels(rows, 1, "CH", new=True)["said"]
    "Put 2 values into the new group 'CH'."
    >>> [row["labels"] for row in town.rows(0, 3)["rows"]]
    [['CH', '*'], ['CH', '*'], ['Bonn', '*']]
    """

    _order: tuple[int, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether it is no longer the hierarchy that it began with."""
        return self._state != 0

    def depths(self) -> dict[int, int]:
        """Find the table's column of each of the tree's levels."""
        used = {x.level for x in self.tree.groups() if x.leaves or x.id == ROOT}
        return {level: at for at, level in enumerate(sorted(used), start=1)}

    def order(self, anew: bool = False) -> tuple[int, ...]:
        """Give the values in the order of the rows.

        It is the tree's at first, and stays so that a row does not jump away from
        whoever writes into it.

        Parameters
        ----------
        anew : bool
            Take the tree's order again.
        """
        nodes = self.tree.nodes
        kept = () if anew else tuple(i for i in self._order if i in nodes)
        if len(kept) < nodes[ROOT].leaves + nodes[OUTSIDE].leaves:
            known = set(kept)
            every = (x for top in (ROOT, OUTSIDE) for x in self.tree.below(top))
            kept += tuple(x.id for x in every if x.leaf and x.id not in known)
        self._order = kept
        return kept

    def rows(self, start: int, stop: int, seek: str = "") -> dict[str, Any]:
        """Give some rows of the table.

        Parameters
        ----------
        start, stop : int
            The first row and the one after the last.
        seek : str
            Rows whose value or a label holds this text only.

        Returns
        -------
        dict
            ``"height"``, the number of levels; ``"total"``, of rows; ``"rows"``, each
            with the value's ``"id"`` and ``"name"``, its ``"labels"`` (empty for a
            value in no group), its count and ``"own"``, the levels at which a group
            of its own begins.
        """
        depths = self.depths()
        leaves = [self.tree.nodes[i] for i in self.order()]
        if seek:
            sought = seek.casefold()
            leaves = [
                leaf
                for leaf in leaves
                if any(sought in text.casefold() for text in self._texts(leaf, depths))
            ]
        start = min(max(start, 0), len(leaves))
        shown = leaves[start:stop]
        return {
            "height": len(depths),
            "total": len(leaves),
            "start": start,
            "rows": [
                {
                    "id": leaf.id,
                    "name": leaf.name,
                    "count": leaf.count,
                    "labels": self.labels(leaf.id, depths),
                    "own": self._own(leaf, depths),
                }
                for leaf in shown
            ],
        }

    def labels(self, i: int, depths: dict[int, int] | None = None) -> list[str]:
        """Give a value's label at each level, as the finished table will have them."""
        depths = self.depths() if depths is None else depths
        node, height = self.tree.nodes[i], len(depths)
        labels = [node.name] * height
        for above in self.tree.upwards(node.parent):
            if above.id == OUTSIDE:
                return [""] * height
            at = depths[above.level] - 1
            if node.parent == ROOT and node.top is not None:
                early = sum(level < node.top for level in depths)
                begun = 0 if node.leaf else depths[node.level]
                at = min(max(early, begun), height - 1)
            labels[at:] = [above.name] * (height - at)
            node = above
        return labels

    def _texts(self, leaf: Node, depths: dict[int, int]) -> list[str]:
        return [leaf.name, *self.labels(leaf.id, depths)]

    def _own(self, leaf: Node, depths: dict[int, int]) -> list[int]:
        above = [x for x in self.tree.upwards(leaf.parent) if x.id != OUTSIDE]
        return [depths[x.level] for x in above]

    # operations

    def set_labels(
        self, ids: Sequence[int], level: int, label: str, new: bool = False
    ) -> dict[str, Any]:
        """Write a label into cells of one column.

        The label of a value that shares its group at the level below with others is
        theirs, too: the levels must nest.

        Parameters
        ----------
        ids : sequence of int
            The values whose cells they are.
        level : int
            The column, from 1.
        label : str
            The name of a group at this level, which the values go into; a new name,
            which renames the group where that is all of it and makes a new one where
            it is not. What stands at the level below or above, or nothing, takes the
            values out of their group at this level.
        new : bool
            Put a new level before this column, and write the label there.
        """
        depths = self.depths()
        leaves = [self._leaf(i) for i in ids]
        if not leaves:
            raise HierarchyError("Choose at least one row.")
        if not 1 <= level <= len(depths):
            raise HierarchyError(f"The table has no level {level}.")
        label = str(label).strip()
        outside = leaves[0].parent == OUTSIDE
        if level == len(depths) and not new and not outside:
            return self.rename(ROOT, label)
        if new:  # between this column and the one before
            depths = {key: at + (at >= level) for key, at in depths.items()}
        members = list(dict.fromkeys(self._below(x, level, depths) for x in leaves))
        group = self._at(leaves[0], level, depths)
        upper = self._above(leaves[0], level, depths)
        own = [self.tree.nodes[i].name for i in members]
        if label in ("", SUPPRESSED, upper.name) or own == [label]:
            return self._take_out(members, upper)
        if level == len(depths) + new:
            raise HierarchyError(
                f"The last level has one label only: {self.tree.nodes[ROOT].name!r}."
            )
        target = self._called_at(label, level, depths)
        if target is not None:
            return self._put_in(members, target)
        if group is not None and set(members) == set(group.children):
            return self.rename(group.id, label)
        return self._new_group(members, label, level, upper, depths)

    def drop_level(self, level: int) -> dict[str, Any]:
        """Delete all groups of a level; what is in them moves up."""
        depths = self.depths()
        groups = [
            x.id
            for x in self.tree.groups()
            if x.id != ROOT and depths.get(x.level) == level
        ]
        if not groups:
            raise HierarchyError(
                f"Level {level} cannot be deleted: it is the root's, or has no group."
            )

        def work(do: Recorder) -> int:
            for i in groups:
                self._delete(do, self.tree.nodes[i], deep=False)
            return ROOT

        return self._do(f"Delete level {level}", work)

    def _take_out(self, members: list[int], upper: Node) -> dict[str, Any]:
        members = [i for i in members if self.tree.nodes[i].parent != upper.id]
        if not members:
            raise HierarchyError("These values are in no group at this level.")

        def work(do: Recorder) -> int:
            self._shift(do, upper.id, members)
            return members[0]

        return self._do(f"Take {self._many(members)} out of the group", work)

    def _put_in(self, members: list[int], target: Node) -> dict[str, Any]:
        moved = [i for i in members if self.tree.nodes[i].parent != target.id]
        if not moved:
            raise HierarchyError(f"That is the label already: {target.name!r}.")
        above = {x.id for x in self.tree.upwards(target.id)}
        if above & set(moved):
            raise HierarchyError(
                f"{target.name!r} lies inside what it would have to hold."
            )

        def work(do: Recorder) -> int:
            self._shift(do, target.id, moved)
            return moved[0]

        return self._do(f"Put {self._many(moved)} into {target.name!r}", work)

    def _new_group(
        self,
        members: list[int],
        label: str,
        level: int,
        upper: Node,
        depths: dict[int, int],
    ) -> dict[str, Any]:
        name = self._name(label)
        if self._leaf_called(name):
            raise HierarchyError(
                f"{name!r} is a value. Give the group another name: in a release they "
                "would look alike."
            )
        first = self.tree.nodes[members[0]]
        at = len(upper.children)
        for node in self.tree.upwards(first.id):
            if node.parent == upper.id:  # before it, or after what came first in it
                inside = node.id != first.id and node.children[0] != first.id
                at = upper.children.index(node.id) + inside

        def work(do: Recorder) -> int:
            number = self._level_number(do, level, depths)
            group = do.insert(upper.id, at, name, [], number)
            self._shift(do, group, members)
            return group

        what = f"Put {self._many(members)} into the new group {name!r}"
        return self._do(what, work)

    def _level_number(self, do: Recorder, level: int, depths: dict[int, int]) -> int:
        """Find the tree's number for a column; make room where there is none."""
        for number, at in depths.items():
            if at == level:
                return number
        below = [number for number, at in depths.items() if at < level]
        number = 1 + max(below, default=0)
        if any(x == number for x in depths):
            levels = {i: self._raised(i, number) for i in self.tree.nodes}
            do.step("level", levels)
        return number

    def _raised(self, i: int, number: int) -> tuple[int, int | None]:
        node = self.tree.nodes[i]
        top = node.top
        if top is not None and top >= number:
            top += 1
        return node.level + (node.level >= number), top

    def _shift(self, do: Recorder, parent: int, members: list[int]) -> None:
        """Move nodes, and delete the groups that they leave empty."""
        left = {self.tree.nodes[i].parent for i in members}
        do.place(parent, None, members)
        for i in left - {parent}:
            while i not in (ROOT, OUTSIDE, parent) and not self.tree.nodes[i].children:
                i, empty = self.tree.nodes[i].parent, i
                do.remove([empty])

    # where things are

    def _leaf(self, i: int) -> Node:
        node = self._node(i)
        if not node.leaf:
            raise HierarchyError(f"{node.name!r} is no value: the rows are values.")
        return node

    def _below(self, leaf: Node, level: int, depths: dict[int, int]) -> int:
        """Find what a value is part of just below a level."""
        found = leaf.id
        for node in self.tree.upwards(leaf.parent):
            if node.id == OUTSIDE or depths[node.level] >= level:
                return found
            found = node.id
        return found

    def _at(self, leaf: Node, level: int, depths: dict[int, int]) -> Node | None:
        for node in self.tree.upwards(leaf.parent):
            if node.id not in (ROOT, OUTSIDE) and depths[node.level] == level:
                return node
        return None

    def _above(self, leaf: Node, level: int, depths: dict[int, int]) -> Node:
        for node in self.tree.upwards(leaf.parent):
            if node.id != OUTSIDE and depths[node.level] > level:
                return node
        return self.tree.nodes[ROOT]

    def _called_at(self, label: str, level: int, depths: dict[int, int]) -> Node | None:
        nodes = self.tree.nodes
        groups = [nodes[i] for i in self.tree.named.get(label, ()) if not nodes[i].leaf]
        for group in groups:
            if depths.get(group.level) == level:
                return group
        for group in groups:
            if group.level in depths:
                raise HierarchyError(
                    f"{label!r} is a group of level {depths[group.level]} already. "
                    "Give this one another name."
                )
        return None

    def _leaf_called(self, name: str) -> bool:
        return any(self.tree.nodes[i].leaf for i in self.tree.named.get(name, ()))

    def _many(self, ids: list[int]) -> str:
        if len(ids) == 1:
            return repr(self.tree.nodes[ids[0]].name)
        leaves = sum(self.tree.nodes[i].leaf for i in ids)
        what = "values" if leaves == len(ids) else "groups"
        if leaves not in (0, len(ids)):
            what = "entries"
        return f"{len(ids):,} {what}"

"""The operations on one column's hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from skanon._table.domain import SUPPRESSED
from skanon.exceptions import HierarchyError
from skanon.hierarchies._leaves import _PARSERS
from skanon.hierarchies._text import leaf_texts
from skanon_widgets._hierarchy_editor.history import History
from skanon_widgets._hierarchy_editor.recorder import Recorder
from skanon_widgets._hierarchy_editor.tree import OUTSIDE, ROOT, MutableTree, Node


class Editing(History):
    """A hierarchy of categories while it is being changed.

    Each operation checks what it is asked, changes the tree and returns a patch for
    the front end: a plain dict with the steps, the new counts, what is still wrong and
    what undo and redo would do. A refused operation changes nothing.

    Parameters
    ----------
    domain : Domain
        The column's distinct values and their counts.
    hierarchy : Taxonomy, Suppression or None
        Where to begin; None and Suppression begin with all values under ``*``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon._table.domain import Domain
    >>> domain, _ = Domain.learn(pd.Series(["Bern", "Basel", "Bonn"]), "town")
    >>> town = Editing(domain)
    >>> ids = [town.id_of("Basel"), town.id_of("Bern")]
    >>> town.group(ids, "CH")["said"]
    "Add group 'CH' with 2 values."
    >>> town.hierarchy.levels
    [['CH', 'CH', 'Bonn'], ['*', '*', '*']]
    """

    def add(self, parent: int, name: str, ids: Sequence[int] = ()) -> dict[str, Any]:
        """Add a group below another one, with some nodes in it.

        Parameters
        ----------
        parent : int
            The group that it belongs to.
        name : str
        ids : sequence of int
            What goes into it at once; it stands where the first of them stood if that
            was in the same parent.
        """
        above, name = self._group(parent), self._name(name)
        members = self._movable(ids, parent) if ids else []
        at = len(above.children)
        if members and self.tree.nodes[members[0]].parent == parent:
            at = above.children.index(members[0])

        def work(do: Recorder) -> int:
            lowest = 1 + max((self.tree.nodes[i].level for i in members), default=0)
            return do.insert(parent, at, name, members, max(lowest, above.level - 1))

        holding = f" with {_how_many(self.tree, members)}" if members else ""
        return self._do(f"Add group {name!r}{holding}", work)

    def group(self, ids: Sequence[int], name: str) -> dict[str, Any]:
        """Put nodes into a new group, where the first of them stands."""
        members = self._movable(ids, ROOT)
        parent = self.tree.nodes[members[0]].parent
        return self.add(ROOT if parent == OUTSIDE else parent, name, members)

    def insert_level(self, i: int, name: str) -> dict[str, Any]:
        """Put a new group between a group and all that is directly in it."""
        group, name = self._group(i), self._name(name)
        if not group.children:
            raise HierarchyError(
                f"The group {group.name!r} is empty, so there is nothing to put a "
                "level above. Put values in first."
            )
        return self.add(i, name, list(group.children))

    def add_value(self, parent: int, text: str) -> dict[str, Any]:
        """Add a value that the column does not hold (yet)."""
        self._group(parent)
        value = self._read(text)
        taken = {node.value: node for node in self.tree.nodes.values() if node.leaf}
        if value in taken:
            raise HierarchyError(f"The value {text!r} is there already.")

        def work(do: Recorder) -> int:
            leaf = do.create(leaf_texts([value])[0], value, 0)
            do.place(parent, None, [leaf])
            return leaf

        return self._do(f"Add value {text!r}", work)

    def rename(self, i: int, name: str) -> dict[str, Any]:
        """Give a group another name; values keep the data's."""
        group, name = self._group(i), self._name(name, root=i == ROOT)
        if group.name == name:
            raise HierarchyError(f"The group is called {name!r} already.")

        def work(do: Recorder) -> int:
            do.step("rename", (i, name))
            return i

        return self._do(f"Rename {group.name!r} to {name!r}", work)

    def delete(self, ids: Sequence[int], deep: bool = False) -> dict[str, Any]:
        """Delete nodes.

        Parameters
        ----------
        ids : sequence of int
        deep : bool
            What was in a deleted group moves up to the group above it. With
            ``deep=True`` it goes, too: its values are in no group then. Values that
            the column holds always stay, at the latest in no group.
        """
        members = self._movable(ids, ROOT, nested=not deep)
        first = self.tree.nodes[members[0]]
        focus = first.parent

        def work(do: Recorder) -> int:
            for i in members:
                self._delete(do, self.tree.nodes[i], deep)
            return focus if focus in self.tree.nodes else ROOT

        return self._do(f"Delete {_how_many(self.tree, members)}", work)

    def _delete(self, do: Recorder, node: Node, deep: bool) -> None:
        if not node.leaf and not deep:
            at = self.tree.nodes[node.parent].children.index(node.id)
            do.place(node.parent, at, list(node.children))
            do.remove([node.id])
            return
        below = list(self.tree.below(node.id))
        kept = [x.id for x in below if x.leaf and x.count]
        if node.parent == OUTSIDE and kept:
            raise HierarchyError(
                f"The value {node.name!r} is in the data and in no group already. "
                "Move it into one."
            )
        do.place(OUTSIDE, None, kept)
        do.remove([x.id for x in reversed(below) if x.id not in set(kept)])

    def move(
        self, ids: Sequence[int], parent: int, before: int | None = None
    ) -> dict[str, Any]:
        """Move nodes into a group.

        Parameters
        ----------
        ids : sequence of int
            In the order in which they shall stand.
        parent : int
            The group, or ``OUTSIDE`` to take values out of all groups.
        before : int or None
            The node in it that they shall stand before; None is the end.
        """
        above = self.tree.nodes[OUTSIDE] if parent == OUTSIDE else self._group(parent)
        members = self._movable(ids, parent)
        if parent == OUTSIDE and not all(self.tree.nodes[i].leaf for i in members):
            raise HierarchyError(
                "Only values can be in no group. Delete the group with all that is in "
                "it instead."
            )
        if before is not None and self._node(before).parent != parent:
            raise HierarchyError("The place to move to is gone. Choose another one.")
        while before in members:
            after = above.children.index(before) + 1
            before = above.children[after] if after < len(above.children) else None

        def work(do: Recorder) -> int:
            do.place(parent, before, members, by_id=True)
            return members[0]

        where = "out of all groups" if parent == OUTSIDE else f"into {above.name!r}"
        return self._do(f"Move {_how_many(self.tree, members)} {where}", work)

    def merge(self, ids: Sequence[int], name: str | None = None) -> dict[str, Any]:
        """Make one group of several; it stands where the first of them stood.

        Parameters
        ----------
        ids : sequence of int
            Groups, none of them inside another.
        name : str or None
            The name of the whole; None keeps the first one's.
        """
        members = self._movable(ids, ROOT, nested=True)
        if len(members) < 2:
            raise HierarchyError("Choose two or more groups to merge.")
        groups = [self._group(i) for i in members]
        for group in groups:
            if any(x.id in members for x in self.tree.upwards(group.parent)):
                raise HierarchyError(
                    f"The group {group.name!r} lies inside another one of those to "
                    "merge. Delete it instead: what is in it moves up."
                )
        first = groups[0]
        name = first.name if name is None else self._name(name)

        def work(do: Recorder) -> int:
            for group in groups[1:]:
                do.place(first.id, None, list(group.children))
                do.remove([group.id])
            if name != first.name:
                do.step("rename", (first.id, name))
            return first.id

        return self._do(f"Merge {_how_many(self.tree, members)} into {name!r}", work)

    def split(self, ids: Sequence[int], name: str) -> dict[str, Any]:
        """Take some nodes out of their group into a new one beside it."""
        members, name = self._movable(ids, ROOT), self._name(name)
        source = self.tree.nodes[self.tree.nodes[members[0]].parent]
        if any(self.tree.nodes[i].parent != source.id for i in members):
            raise HierarchyError("Choose parts of one group only to split it.")
        if source.id in (ROOT, OUTSIDE):
            raise HierarchyError(
                "The root cannot be split: there is nothing beside it. Put the values "
                "into a new group instead."
            )
        if len(members) == len(source.children):
            raise HierarchyError(
                f"That is all of {source.name!r}. Leave something in it, or rename it."
            )
        level = max(source.level, 1 + max(self.tree.nodes[i].level for i in members))
        at = self.tree.nodes[source.parent].children.index(source.id) + 1
        return self._do(
            f"Split {_how_many(self.tree, members)} off {source.name!r}",
            lambda do: do.insert(source.parent, at, name, members, level),
        )

    def sort(self, i: int, by: str = "name", deep: bool = False) -> dict[str, Any]:
        """Sort what is in a group.

        Parameters
        ----------
        i : int
            A group, or ``OUTSIDE``.
        by : {"name", "count", "value"}
            By name; the most frequent first; or in the order of the column's values.
        deep : bool
            Sort the groups inside it as well.
        """
        keys = {"name": self._by_name, "count": self._by_count, "value": self._by_value}
        if by not in keys:
            raise HierarchyError(f"by must be one of {sorted(keys)}, got {by!r}.")
        if i != OUTSIDE:
            self._group(i)
        nodes = list(self.tree.below(i)) if deep else [self.tree.nodes[i]]
        rank: dict[int, int] = {}
        if by == "value":
            place = {value: at for at, value in enumerate(self.domain.values.tolist())}
            for node in self.tree.nodes.values():
                if node.leaf:
                    rank[node.id] = place.get(node.value, len(place))

        def work(do: Recorder) -> int:
            for node in (x for x in nodes if len(x.children) > 1):
                # deeper ones are sorted later, but their order does not matter here
                order = sorted(node.children, key=lambda x: keys[by](x, rank))
                if order != node.children:
                    do.step("order", (node.id, order))
            if not do.steps:
                raise HierarchyError("It is in this order already.")
            return i

        words = {"name": "name", "count": "records", "value": "value"}[by]
        return self._do(f"Sort by {words}", work)

    def _by_name(self, i: int, rank: dict[int, int]) -> tuple:
        name = self.tree.nodes[i].name
        return name.casefold(), name

    def _by_count(self, i: int, rank: dict[int, int]) -> tuple:
        return (-self.tree.nodes[i].count, *self._by_name(i, rank))

    def _by_value(self, i: int, rank: dict[int, int]) -> tuple:
        last = len(rank)
        return (min((rank.get(x.id, last) for x in self.tree.below(i)), default=last),)

    # checks

    def _node(self, i: int) -> Node:
        node = self.tree.nodes.get(i)
        if node is None:
            raise HierarchyError("That entry is not there any more. Choose another.")
        return node

    def _group(self, i: int) -> Node:
        node = self._node(i)
        if node.leaf or i == OUTSIDE:
            what = f"{node.name!r} is a value" if node.leaf else "That is no group"
            raise HierarchyError(f"{what}: choose a group.")
        return node

    def _name(self, name: Any, root: bool = False) -> str:
        name = str(name).strip()
        if not name:
            raise HierarchyError("Give the group a name.")
        if name == SUPPRESSED and not root:
            raise HierarchyError("'*' stands for a suppressed value. Give another.")
        return name

    def _movable(
        self, ids: Iterable[int], parent: int, nested: bool = False
    ) -> list[int]:
        """Check nodes that shall move, and leave out those inside others of them."""
        chosen = list(dict.fromkeys(ids))
        if not chosen:
            raise HierarchyError("Choose at least one entry.")
        above = {node.id for node in self.tree.upwards(parent)}
        for i in chosen:
            node = self._node(i)
            if i in (ROOT, OUTSIDE):
                raise HierarchyError("The root cannot be moved, merged or deleted.")
            if i in above:
                raise HierarchyError(f"{node.name!r} cannot move into itself.")
        if nested:
            return chosen
        inside = set(chosen)
        return [
            i
            for i in chosen
            if not any(
                x.id in inside for x in self.tree.upwards(self.tree.nodes[i].parent)
            )
        ]

    def _read(self, text: Any) -> Any:
        text, kind = str(text).strip(), self.domain.kind
        if not text or text == SUPPRESSED:
            raise HierarchyError("Type the value to add; '*' cannot be one.")
        try:
            return text if kind == "text" else _PARSERS[kind](text)
        except (ValueError, KeyError) as error:
            raise HierarchyError(
                f"The column holds {kind}s, and {text!r} is none."
            ) from error


def _how_many(tree: MutableTree, ids: Sequence[int]) -> str:
    if len(ids) == 1:
        return repr(tree.nodes[ids[0]].name)
    leaves = sum(tree.nodes[i].leaf for i in ids)
    words = []
    for n, what in ((leaves, "value"), (len(ids) - leaves, "group")):
        if n:
            words.append(f"{n:,} {what}{'s' if n > 1 else ''}")
    return " and ".join(words)

"""A column's tree with its history: undo, redo, and what is still wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from skanon._table.domain import SUPPRESSED, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Taxonomy
from skanon.hierarchies._leaves import like
from skanon_widgets._hierarchy_editor.recorder import Recorder
from skanon_widgets._hierarchy_editor.tree import (
    OUTSIDE,
    ROOT,
    MutableTree,
    Node,
    Step,
    flat,
    grown,
    hang,
)

MOST = 50
"""How many faults are told at once."""


class History:
    """A column's tree, what is wrong with it, and the way back to where it began.

    Parameters
    ----------
    domain : Domain
        The column's distinct values and their counts.
    hierarchy : Taxonomy, Suppression or None
        Where to begin; None and Suppression begin with all values under ``*``.

    Raises
    ------
    HierarchyError
        The hierarchy's leaves cannot be values of the column.
    """

    def __init__(self, domain: Domain, hierarchy: Hierarchy | None = None) -> None:
        self.domain = domain
        values, counts = domain.values.tolist(), domain.counts.tolist()
        if isinstance(hierarchy, Taxonomy):
            self.tree = _over(domain, hierarchy, values, counts)
        else:
            self.tree = flat(values, counts, SUPPRESSED)
        self.tree.changed.clear()
        self._given = hierarchy
        self._undo: list[tuple[str, list[Step], int]] = []
        self._redo: list[tuple[str, list[Step], int]] = []
        self._state, self._states = 0, 0

    # what it holds

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy as it stands; raises HierarchyError with all that is wrong."""
        faults = self.faults()
        if faults:
            raise HierarchyError(" ".join(fault["text"] for fault in faults))
        if self._state == 0 and self._given is not None:
            return self._given
        return Taxonomy(*self.tree.table())

    def faults(self) -> list[dict[str, Any]]:
        """Say what is wrong with the hierarchy, and which node is to blame.

        Returns
        -------
        list of dict
            With the keys ``"text"`` and ``"node"``, at most ``MOST`` of them; empty
            where the hierarchy is valid.
        """
        nodes, faults = self.tree.nodes, []
        outside = nodes[OUTSIDE].children
        if outside:
            named = _listed(nodes[i].name for i in outside[:4])
            more = ", …" if len(outside) > 3 else ""
            what = "value is" if len(outside) == 1 else "values are"
            faults.append(
                _fault(
                    OUTSIDE,
                    f"{len(outside):,} {what} in no group: {named}{more}. Move each "
                    "into a group.",
                )
            )
        if not nodes[ROOT].leaves:
            faults.append(_fault(ROOT, "The hierarchy holds no value. Put some in."))
            return faults
        for group in self.tree.groups():
            if len(faults) == MOST:
                break
            if text := self._fault_of(group):
                faults.append(_fault(group.id, text))
        return faults

    def _fault_of(self, group: Node) -> str:
        if not group.leaves and group.id != ROOT:
            return f"The group {group.name!r} is empty. Put values in or delete it."
        for i in self.tree.named[group.name]:
            other = self.tree.nodes[i]
            if other.id == group.id or other.parent == OUTSIDE:
                continue
            if group.id == ROOT and (not other.leaf or other.parent != ROOT):
                return (
                    f"{group.name!r} is the root's name and another entry's, too. "
                    "Rename one of them."
                )
            if ROOT in (group.id, other.id) or self._same_values(group, other):
                continue
            if other.leaf:
                return (
                    f"The group {group.name!r} is called like a value, but does not "
                    "hold that value alone. Rename the group."
                )
            if group.id > other.id:
                return (
                    f"Two groups that hold different values are called {group.name!r}. "
                    "Rename one: in a release they would look alike."
                )
        return ""

    def _same_values(self, one: Node, other: Node) -> bool:
        return one.leaves == other.leaves and (
            self.tree.is_above(one.id, other.id) or self.tree.is_above(other.id, one.id)
        )

    def facts(self) -> dict[str, Any]:
        """Count what the tree holds.

        Returns
        -------
        dict
            The numbers of values, groups, levels, records and missing values.
        """
        groups = self.tree.groups()
        return {
            "values": self.tree.nodes[ROOT].leaves,
            "groups": len(groups) - 1,
            "levels": len({x.level for x in groups if x.leaves}),
            "records": int(self.domain.counts.sum()) + self.domain.n_missing,
            "missing": self.domain.n_missing,
        }

    def state(self) -> dict[str, Any]:
        """Tell everything, column by column, to a view that was just opened."""
        top = (ROOT, OUTSIDE)
        nodes = [node for i in top for node in self.tree.below(i)]
        return {
            "ids": [node.id for node in nodes],
            "names": [node.name for node in nodes],
            "parents": [node.parent for node in nodes],
            "leaf": [int(node.leaf) for node in nodes],
            "counts": [node.count for node in nodes],
            "leaves": [node.leaves for node in nodes],
            **self._status(),
        }

    def _status(self) -> dict[str, Any]:
        return {
            "faults": self.faults(),
            "facts": self.facts(),
            "undo": self._undo[-1][0] if self._undo else None,
            "redo": self._redo[-1][0] if self._redo else None,
        }

    def id_of(self, name: str) -> int:
        """Find a node by its name; raises HierarchyError unless there is just one."""
        found = self.tree.named.get(name, set())
        if len(found) != 1:
            raise HierarchyError(f"{len(found)} entries are called {name!r}.")
        return next(iter(found))

    # history

    def undo(self) -> dict[str, Any]:
        """Take back the last operation; raises HierarchyError if there is none."""
        return self._back(self._undo, self._redo, "undo", "Undone")

    def redo(self) -> dict[str, Any]:
        """Do again what was undone last; raises HierarchyError if nothing was."""
        return self._back(self._redo, self._undo, "redo", "Done again")

    def _back(self, source: list, target: list, word: str, said: str) -> dict[str, Any]:
        if not source:
            raise HierarchyError(f"There is nothing to {word}.")
        label, steps, state = source.pop()
        inverse = [self.tree.apply(step) for step in steps]
        target.append((label, inverse[::-1], self._state))
        self._state = state
        return self._patch(steps, f"{said}: {label}.")

    def _do(self, label: str, work: Callable[[Recorder], int | None]) -> dict[str, Any]:
        """Do some work as one operation: all of it or nothing."""
        recorder = Recorder(self.tree)
        try:
            focus = work(recorder)
        except Exception:
            for step in reversed(recorder.inverse):
                self.tree.apply(step)
            self.tree.changed.clear()
            raise
        self._undo.append((label, recorder.inverse[::-1], self._state))
        self._redo.clear()
        self._states += 1
        self._state = self._states
        return self._patch(recorder.steps, f"{label}.", focus)

    def _patch(
        self, steps: list[Step], said: str, focus: int | None = None
    ) -> dict[str, Any]:
        nodes = self.tree.nodes
        changed = [nodes[i] for i in sorted(self.tree.changed) if i in nodes]
        self.tree.changed.clear()
        return {
            "steps": [_plain(step) for step in steps if step[0] != "level"],
            "changed": [[node.id, node.count, node.leaves] for node in changed],
            "said": said,
            "focus": focus,
            **self._status(),
        }


def _over(
    domain: Domain, taxonomy: Taxonomy, values: list, counts: list
) -> MutableTree:
    read = like(domain, taxonomy.values)
    found = domain.match(read).tolist()
    of_leaf = [counts[at] if at >= 0 else 0 for at in found]
    leaves = [
        values[at] if at >= 0 else leaf
        for leaf, at in zip(read.tolist(), found, strict=True)
    ]
    tree = grown(taxonomy, leaves, of_leaf)
    inside = set(found)
    lost = [at for at in range(len(values)) if at not in inside]
    hang(tree, OUTSIDE, [values[at] for at in lost], [counts[at] for at in lost])
    return tree


def _plain(step: Step) -> list[Any]:
    kind, content = step
    if kind == "create":
        return [kind, [[x.id, x.name, int(x.leaf), x.count, x.leaves] for x in content]]
    return [kind, content]


def _fault(node: int, text: str) -> dict[str, Any]:
    return {"node": node, "text": text}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in list(names)[:3])

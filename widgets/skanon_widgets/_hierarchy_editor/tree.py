"""A hierarchy as a tree that can be changed, one reversible step at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from skanon.hierarchies import Taxonomy
from skanon.hierarchies._text import leaf_texts

ROOT, OUTSIDE, NOWHERE = 0, 1, -1
"""The root, the node above the values that no group covers, and no node at all."""

Step = tuple[str, Any]
"""``("place", runs)`` and so on: see :class:`MutableTree`."""

Run = tuple[int, int, list[int]]
"""A parent, a position among its children, and the nodes that go there."""


@dataclass(slots=True)
class Node:
    """A group or a value.

    Attributes
    ----------
    id : int
    name : str
    leaf : bool
        A value of the column, not a group.
    value : object
        What the column holds, for a leaf.
    count, leaves : int
        How many records and how many values lie below, itself included.
    level : int
        The level of the table at which a group's label begins; 0 for values.
    top : int or None
        The level from which a child of the root already shows the root's label.
    """

    id: int
    name: str
    leaf: bool
    value: Any = None
    count: int = 0
    leaves: int = 0
    level: int = 0
    top: int | None = None
    parent: int = NOWHERE
    children: list[int] = field(default_factory=list)


class MutableTree:
    """Nodes under a root, and the steps that change them.

    The steps are ``("create", nodes)``, ``("forget", ids)``, ``("place", runs)``,
    ``("rename", (id, name))``, ``("order", (parent, ids))`` and ``("level", {id:
    (level, top)})``. Each is undone by another one, which :meth:`apply` returns.

    Parameters
    ----------
    root : str
        The root's name.
    """

    def __init__(self, root: str) -> None:
        self.nodes: dict[int, Node] = {}
        self.named: dict[str, set[int]] = {}
        self.changed: set[int] = set()
        self._next = 0
        self.apply(("create", [self.new(root, level=1), self.new("", level=1)]))

    def new(
        self, name: str, value: Any = None, count: int = -1, level: int = 0
    ) -> Node:
        """Make a node that is nowhere yet: a value where ``count`` is given."""
        leaf = count >= 0
        self._next += 1
        records, leaves = (count, 1) if leaf else (0, 0)
        return Node(self._next - 1, name, leaf, value, records, leaves, level)

    def apply(self, step: Step) -> Step:
        """Take a step.

        Returns
        -------
        tuple
            The step that takes it back.
        """
        kind, content = step
        return getattr(self, f"_{kind}")(content)

    def _create(self, nodes: list[Node]) -> Step:
        for node in nodes:
            self.nodes[node.id] = node
            self._called(node)
        return "forget", [node.id for node in nodes]

    def _forget(self, ids: list[int]) -> Step:
        nodes = [self.nodes.pop(i) for i in ids]
        for node in nodes:
            self.named[node.name].discard(node.id)
        return "create", nodes

    def _rename(self, content: tuple[int, str]) -> Step:
        node, name = self.nodes[content[0]], content[1]
        self.named[node.name].discard(node.id)
        before, node.name = node.name, name
        self._called(node)
        return "rename", (node.id, before)

    def _called(self, node: Node) -> None:
        if node.id != OUTSIDE:
            self.named.setdefault(node.name, set()).add(node.id)

    def _order(self, content: tuple[int, list[int]]) -> Step:
        parent, ids = content
        before, self.nodes[parent].children = self.nodes[parent].children, list(ids)
        return "order", (parent, before)

    def _level(self, content: dict[int, tuple[int, int | None]]) -> Step:
        before = {}
        for i, (level, top) in content.items():
            node = self.nodes[i]
            before[i] = (node.level, node.top)
            node.level, node.top = level, top
        return "level", before

    def _place(self, runs: list[Run]) -> Step:
        back = self._detach([i for _, _, block in runs for i in block])
        for parent, at, block in runs:
            if parent != NOWHERE:
                self.nodes[parent].children[at:at] = block
            for i in block:
                self.nodes[i].parent = parent
            self._count(parent, block, 1)
        return "place", back

    def _detach(self, ids: list[int]) -> list[Run]:
        members: dict[int, set[int]] = {}
        for i in ids:
            members.setdefault(self.nodes[i].parent, set()).add(i)
        back: list[Run] = []
        for parent, gone in members.items():
            if parent == NOWHERE:
                back.append((parent, 0, [i for i in ids if i in gone]))
                continue
            children = self.nodes[parent].children
            back += _runs(parent, children, gone)
            self.nodes[parent].children = [i for i in children if i not in gone]
            self._count(parent, gone, -1)
            for i in gone:
                self.nodes[i].parent = NOWHERE
        return back

    def _count(self, parent: int, block: Iterable[int], sign: int) -> None:
        block = list(block)
        records = sign * sum(self.nodes[i].count for i in block)
        leaves = sign * sum(self.nodes[i].leaves for i in block)
        for node in self.upwards(parent):
            node.count += records
            node.leaves += leaves
            self.changed.add(node.id)

    def upwards(self, i: int) -> Iterator[Node]:
        """Walk from a node, itself included, to the top."""
        while i != NOWHERE:
            yield self.nodes[i]
            i = self.nodes[i].parent

    def below(self, i: int) -> Iterator[Node]:
        """Walk through a node and all below it, depth first."""
        stack = [i]
        while stack:
            node = self.nodes[stack.pop()]
            yield node
            stack.extend(reversed(node.children))

    def is_above(self, upper: int, lower: int) -> bool:
        """Tell whether a node lies above another one, or is it."""
        return any(node.id == upper for node in self.upwards(lower))

    def groups(self) -> list[Node]:
        """List the groups, the root among them, in the order of their ids."""
        groups = [x for x in self.nodes.values() if not x.leaf and x.id != OUTSIDE]
        return sorted(groups, key=lambda x: x.id)

    def table(self) -> tuple[list[Any], list[list[str]]]:
        """Write the table of levels that :class:`Taxonomy` takes.

        Levels at which no group begins are left out. A level between a node and its
        parent repeats the node's name, or the root's from ``top`` on.

        Returns
        -------
        values : list
            The leaves, depth first.
        levels : list of lists of str
        """
        used = sorted({node.level for node in self.groups() if node.leaves})
        depth = {level: at for at, level in enumerate(used, start=1)}
        height, root = len(used), self.nodes[ROOT]
        leaves = [node for node in self.below(ROOT) if node.leaf]
        texts = leaf_texts([leaf.value for leaf in leaves])
        tails = {ROOT: [root.name]}
        rows: list[list[str]] = []
        for node in self.below(ROOT):
            if node.id == ROOT or not node.leaves:
                continue
            at = 0 if node.leaf else depth[node.level]
            above = self.nodes[node.parent]
            stop, tail = depth[above.level], tails[node.parent]
            if node.top is not None and node.parent == ROOT:
                early = sum(level < node.top for level in used) + 1
                stop = min(max(early, at + 1), height)
                tail = [root.name] * (height - stop + 1)
            if node.leaf:
                rows.append([texts[len(rows)]] * (stop - 1) + tail)
            else:
                tails[node.id] = [node.name] * (stop - at) + tail
        levels = [list(column) for column in zip(*rows, strict=True)]
        return [leaf.value for leaf in leaves], levels


def _runs(parent: int, children: list[int], gone: set[int]) -> list[Run]:
    runs: list[Run] = []
    for at, child in enumerate(children):
        if child not in gone:
            continue
        if runs and runs[-1][1] + len(runs[-1][2]) == at:
            runs[-1][2].append(child)
        else:
            runs.append((parent, at, [child]))
    return runs


def flat(values: Sequence[Any], counts: Sequence[int], root: str) -> MutableTree:
    """Make a tree in which every value hangs directly under the root.

    Parameters
    ----------
    values : sequence, length m
    counts : sequence of int, length m
    root : str

    Returns
    -------
    MutableTree
    """
    tree = MutableTree(root)
    hang(tree, ROOT, values, counts)
    return tree


def hang(
    tree: MutableTree, parent: int, values: Sequence[Any], counts: Sequence[int]
) -> list[int]:
    """Add values below a node, and return their ids."""
    texts = leaf_texts(values)
    rows = zip(texts, values, counts, strict=True)
    leaves = [tree.new(text, value, int(count)) for text, value, count in rows]
    ids = [leaf.id for leaf in leaves]
    tree.apply(("create", leaves))
    tree.apply(("place", [(parent, len(tree.nodes[parent].children), ids)]))
    return ids


def grown(
    taxonomy: Taxonomy, values: Sequence[Any], counts: Sequence[int]
) -> MutableTree:
    """Make a tree of a taxonomy.

    Parameters
    ----------
    taxonomy : Taxonomy
    values : sequence, length m
        Its leaves in the column's own kind.
    counts : sequence of int, length m
        How many records each leaf has.

    Returns
    -------
    MutableTree
    """
    tree = MutableTree(taxonomy.root)
    tree.nodes[ROOT].level = taxonomy.height
    ids = hang(tree, ROOT, values, counts)
    made: dict[tuple[int, str], int] = {}
    under: dict[int, list[int]] = {}
    texts, levels = leaf_texts(taxonomy.values), taxonomy.levels
    for row, leaf in enumerate(ids):
        labels = [level[row] for level in levels]
        parent = _path(tree, made, labels, texts[row])
        under.setdefault(parent, []).append(leaf)
        child = next((x for x in tree.upwards(parent) if x.parent == ROOT), None)
        _mark_early(child or tree.nodes[leaf], labels, taxonomy.root)
    # a group stands where its first value did
    runs: list[Run] = [(parent, 10**9, block) for parent, block in under.items()]
    tree.apply(("place", runs))
    for node in tree.groups():
        node.children = _by_first(tree, node.children)
    tree.changed.clear()
    return tree


def _path(
    tree: MutableTree, made: dict[tuple[int, str], int], labels: list[str], text: str
) -> int:
    """Find or make the groups above a leaf; returns the lowest."""
    at, root = ROOT, labels[-1]
    for level in range(len(labels) - 1, 0, -1):
        label = labels[level - 1]
        if label == root or label == text:
            continue
        if label == tree.nodes[at].name:
            tree.nodes[at].level = level
            continue
        if (at, label) not in made:
            group = tree.new(label, level=level)
            tree.apply(("create", [group]))
            tree.apply(("place", [(at, 10**9, [group.id])]))
            made[at, label] = group.id
        at = made[at, label]
    return at


def _mark_early(node: Node, labels: list[str], root: str) -> None:
    early = labels.index(root) + 1
    if early < len(labels):
        node.top = early


def _by_first(tree: MutableTree, children: list[int]) -> list[int]:
    return sorted(children, key=lambda i: next(x.id for x in tree.below(i) if x.leaf))

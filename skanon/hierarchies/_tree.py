"""From a table of levels to the nodes of a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from skanon._table.domain import SUPPRESSED
from skanon.exceptions import HierarchyError
from skanon.hierarchies._text import leaf_texts


class Tree(NamedTuple):
    """A tree's nodes: leaves first, in depth-first order, then the inner ones.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        The row of the table that each leaf comes from.
    first, last : ndarray of int32, shape (n_nodes,)
        The leaves below a node are ``first .. last``.
    parent : ndarray of int32, shape (n_nodes,)
    level : ndarray of int32, shape (n_nodes,)
        The lowest level at which the node stands, 0 for leaves.
    depth : ndarray of int32, shape (n_nodes,)
        The height of the tree below the node: how many nodes a way down to a leaf has
        at most.
    names : list of str, length n_nodes - m
        The inner nodes' names; the root comes last.
    """

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    parent: np.ndarray
    level: np.ndarray
    depth: np.ndarray
    names: list[str]


def check_table(values: tuple, levels: list[np.ndarray]) -> None:
    """Refuse a table that is no tree; see :class:`Taxonomy` for the rules."""
    if not values:
        raise HierarchyError("the hierarchy has no values. Give it at least one.")
    if not levels:
        raise HierarchyError(
            "the hierarchy has no level above its values, so it has no root. Add a "
            "last level that holds '*' for every value."
        )
    for i, level in enumerate(levels, start=1):
        if len(level) != len(values):
            raise HierarchyError(
                f"level {i} has {len(level)} labels for {len(values)} values. Every "
                "value needs a label at every level."
            )
        bare = np.flatnonzero(pd.isna(level))
        if len(bare):
            raise HierarchyError(
                f"the value {values[bare[0]]!r} has no label at level {i}. Give it "
                "one, '*' if nothing else fits."
            )
    for value in values:
        if not pd.api.types.is_scalar(value):
            raise HierarchyError(
                f"the hierarchy has the value {value!r}, which is no single value. Use "
                "text, numbers, dates or truth values."
            )
    index = pd.Index(pd.Series(list(values), dtype=object))
    if index.hasnans:
        raise HierarchyError(
            "the hierarchy has a missing value among its leaves. Remove it: missing "
            "values hang under the root by themselves."
        )
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise HierarchyError(
            f"the value {twice!r} stands twice in the hierarchy. Give each value one "
            "row."
        )
    if (index == SUPPRESSED).any():
        raise HierarchyError(
            "the hierarchy has the value '*', which stands for a suppressed value and "
            "cannot be in a column. Remove its row."
        )
    roots = list(dict.fromkeys(levels[-1]))
    if len(roots) > 1:
        named = ", ".join(repr(root) for root in roots[:3])
        raise HierarchyError(
            f"the hierarchy has {len(roots)} roots at level {len(levels)}: {named}. "
            "Add a last level that holds '*' for every value."
        )
    for i in range(len(levels) - 1):
        _check_root_stays(values, levels, i + 1)
        _check_nested(values, levels[i], levels[i + 1], i + 1)


def _check_nested(
    values: tuple, lower: np.ndarray, upper: np.ndarray, level: int
) -> None:
    codes, labels = pd.factorize(lower)
    start = np.full(len(labels), len(lower))
    np.minimum.at(start, codes, np.arange(len(lower)))
    stray = np.flatnonzero(upper != upper[start[codes]])
    if len(stray):
        row = stray[0]
        raise HierarchyError(
            f"the value {values[row]!r} has {lower[row]!r} at level {level} and "
            f"{upper[row]!r} at level {level + 1}, but {values[start[codes[row]]]!r}, "
            f"also {lower[row]!r} at level {level}, has {upper[start[codes[row]]]!r} "
            f"at level {level + 1}. Levels must nest: give both the same label at "
            f"level {level + 1}, or different ones at level {level}."
        )


def _check_root_stays(values: tuple, levels: list[np.ndarray], level: int) -> None:
    """Let a value reach the root early, but not leave it again."""
    root, lower, upper = levels[-1][0], levels[level - 1], levels[level]
    stray = np.flatnonzero((lower == root) & (upper != root))
    if len(stray):
        raise HierarchyError(
            f"the value {values[stray[0]]!r} has the root {root!r} at level {level}, "
            f"but {upper[stray[0]]!r} at level {level + 1}. Above the root there is "
            f"the root only: write {root!r} there, too."
        )


def grow(values: tuple, levels: list[np.ndarray]) -> Tree:
    """Turn the table of levels into nodes; nodes that cover the same are one."""
    m = len(values)
    codes = [pd.factorize(level)[0] for level in levels]
    order = np.lexsort((np.arange(m), *codes))
    first, last, level = list(range(m)), list(range(m)), [0] * m
    names: list[str] = []
    texts = leaf_texts(values)
    top = list(range(m))  # the highest node so far above each leaf's position
    parent = [-1] * m
    spans: dict[str, tuple[int, int]] = {
        texts[row]: (at, at) for at, row in enumerate(order)
    }
    root = levels[-1][0]
    spans.pop(root, None)
    for i, labels in enumerate(levels, start=1):
        sorted_labels = labels[order]
        for start, stop in _runs(sorted_labels):
            name, span = sorted_labels[start], (start, stop - 1)
            if name == root and i < len(levels):
                continue  # already the root's own, whatever stands below it
            if spans.setdefault(name, span) != span:
                raise HierarchyError(
                    f"the label {name!r} at level {i} stands for other values than "
                    f"{name!r} further down (value {values[order[start]]!r}). Rename "
                    "one of them: in a release they would look alike."
                )
            below = top[start]
            if (first[below], last[below]) == span and i < len(levels):
                continue  # covers what the node below covers: the lower name stays
            node = len(first)
            for at in dict.fromkeys(top[start:stop]):
                parent[at] = node
            top[start:stop] = [node] * (stop - start)
            first.append(start)
            last.append(stop - 1)
            level.append(i)
            parent.append(-1)
            names.append(name)
    depth = [0] * len(first)
    for node, above in enumerate(parent[:-1]):  # parents come after children
        step = (first[node], last[node]) != (first[above], last[above])
        depth[above] = max(depth[above], depth[node] + step)
    return Tree(
        order,
        np.array(first, dtype=np.int32),
        np.array(last, dtype=np.int32),
        np.array(parent, dtype=np.int32),
        np.array(level, dtype=np.int32),
        np.array(depth, dtype=np.int32),
        names,
    )


def _runs(labels: np.ndarray) -> list[tuple[int, int]]:
    starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(labels)], strict=True))


EMPTY = Tree(
    np.zeros(0, dtype=int),
    np.zeros(1, dtype=np.int32),
    np.zeros(1, dtype=np.int32),
    np.full(1, -1, dtype=np.int32),
    np.ones(1, dtype=np.int32),
    np.ones(1, dtype=np.int32),
    [SUPPRESSED],
)
"""What is above a column of missing values only: nothing but the root."""

"""Taxonomies from trees and tables, and from how often values occur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import SUPPRESSED, Domain
from skanon.exceptions import HierarchyError, in_short
from skanon.hierarchies._taxonomy import Taxonomy
from skanon.hierarchies._text import leaf_texts


def distinct(values: Any) -> Domain:
    """Read the distinct values that a builder is to make leaves of.

    Parameters
    ----------
    values : array-like of shape (n,)
        Missing ones are left out, repeated ones count once.

    Raises
    ------
    ColumnError
        The values mix types, are infinite or hold ``"*"``.
    HierarchyError
        No value is left.
    """
    if isinstance(values, set | frozenset):
        values = list(values)
    if isinstance(values, str) or pd.api.types.is_scalar(values) or _depth(values) > 1:
        raise HierarchyError(
            f"values must be a column, a list or a 1-D array, got {in_short(values)}."
        )
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    if series.dtype == object:
        series = series.infer_objects()
    name = "values" if series.name is None else series.name
    domain, _ = Domain.learn(series, name)
    if not len(domain):
        raise HierarchyError(
            f"{name!r} holds no value to build a hierarchy from. Give at least one "
            "that is not missing."
        )
    return domain


def _depth(values: Any) -> int:
    return getattr(values, "ndim", 1)


def from_nested(nested: Mapping[Any, Any]) -> Taxonomy:
    """Build a taxonomy from nested dicts.

    Parameters
    ----------
    nested : dict
        One key, the root. A key whose value is a dict is a node above that dict's
        keys; a key whose value is a list, tuple, set or array is a node above those
        leaves; a key whose value is None is a leaf. Leaves may hang at different
        depths: a leaf that hangs high repeats its own text at the levels just above
        it.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        There are several roots, a node has nothing below it or holds itself, or the
        tree is no valid :class:`Taxonomy`.

    Examples
    --------
    >>> job = from_nested({"*": {"office": ["clerk", "manager"], "farmer": None}})
    >>> job.to_frame()
             0       1  2
    0    clerk  office  *
    1  manager  office  *
    2   farmer  farmer  *
    """
    if not isinstance(nested, Mapping):
        raise HierarchyError(
            f"a nested hierarchy is a dict, not a {type(nested).__name__}: "
            "{'*': {'node': ['value', 'value']}}."
        )
    if len(nested) > 1:
        raise HierarchyError(
            f"the hierarchy has {len(nested)} roots: {_listed(nested)}. Wrap the dict "
            "in one more: {'*': {...}}. What maps values to their parents goes through "
            "from_parents, what lists each value's levels through from_levels."
        )
    return _from_paths(list(_walk(nested)))


def _walk(nested: Mapping[Any, Any]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Yield each leaf with its ancestors, the root first; a stack, for deep trees."""
    above: tuple[str, ...] = ()
    stack: list[tuple[Any, Any, tuple[str, ...], frozenset[int]]] = [
        ("the whole hierarchy", nested, above, frozenset())
    ]
    while stack:
        name, content, above, holders = stack.pop()
        if content is None:
            yield name, above
            continue
        if id(content) in holders:
            way = " > ".join((*above, str(name)))
            raise HierarchyError(
                f"the hierarchy has a cycle: {way} holds itself. Give each node a dict "
                "or list of its own."
            )
        children = _children(name, content)
        path = (*above, str(name)) if holders else above
        inside = holders | {id(content)}
        for child, below in reversed(children):
            stack.append((child, below, path, inside))


def _children(name: Any, content: Any) -> list[tuple[Any, Any]]:
    if isinstance(content, Mapping):
        children = list(content.items())
    elif isinstance(content, set | frozenset):
        # a set has no order of its own, and one that changes from run to run
        children = [(x, None) for x in sorted(content, key=lambda x: (str(x), repr(x)))]
    elif isinstance(content, list | tuple | np.ndarray | pd.Series | pd.Index):
        children = [(leaf, None) for leaf in content]
    else:
        raise HierarchyError(
            f"below the node {name!r} stands {content!r}. Write a list of values, a "
            "dict of nodes, or None where it is a value itself."
        )
    if not children:
        raise HierarchyError(
            f"the node {name!r} is empty. Give it values, or None if it is a value "
            "itself."
        )
    for leaf, _ in children:
        if isinstance(leaf, Mapping | list | set | np.ndarray):
            raise HierarchyError(
                f"the list below the node {name!r} holds {leaf!r}. A list holds "
                "values only; give a node with parts a dict."
            )
    return children


def _from_paths(paths: Sequence[tuple[Any, tuple[str, ...]]]) -> Taxonomy:
    """Pad paths of different lengths at the leaf's end, so that levels nest."""
    values = [value for value, _ in paths]
    height = max(len(above) for _, above in paths)
    texts = leaf_texts(values)
    rows = [
        [text] * (height - len(above)) + list(above[::-1])
        for text, (_, above) in zip(texts, paths, strict=True)
    ]
    return Taxonomy(values, list(zip(*rows, strict=True)))


def _listed(names: Iterable[Any], most: int = 5) -> str:
    names = list(names)
    more = ", …" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def from_levels(table: Any) -> Taxonomy:
    """Build a taxonomy from a table of levels.

    Parameters
    ----------
    table : DataFrame, 2-D array or sequence of rows, shape (n, height + 1)
        Column 0 holds the values, column i their labels at level i, the last column
        the root's name. Rows may repeat, so the columns of a data table will do; rows
        whose value is missing are left out.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        A label is missing, a value stands in two rows that differ, or the table is no
        valid :class:`Taxonomy`.

    Examples
    --------
    >>> from_levels([["Bern", "CH", "*"], ["Basel", "CH", "*"], ["Bonn", "DE", "*"]])
    Taxonomy(3 values, height 2, root '*')
    """
    frame = table if isinstance(table, pd.DataFrame) else _as_frame(table)
    if frame.shape[1] < 2:
        raise HierarchyError(
            f"a table of levels with {frame.shape[1]} column(s) has no level above the "
            "values. Add a last column that holds '*' in every row."
        )
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    present = columns[0].notna().to_numpy(dtype=bool)
    values, *levels = (column[present].tolist() for column in columns)
    rows: dict[Any, tuple[Any, ...]] = {}
    for value, *labels in zip(values, *levels, strict=True):
        if not pd.api.types.is_hashable(value):
            raise HierarchyError(
                f"column 0 holds {value!r}, which is no single value. Give one value "
                "per row."
            )
        first = rows.setdefault(value, tuple(labels))
        _check_same(value, first, tuple(labels))
    return Taxonomy(list(rows), list(zip(*rows.values(), strict=True)))


def _as_frame(table: Any) -> pd.DataFrame:
    if isinstance(table, list | tuple):
        for i, row in enumerate(table):
            if len(row) != len(table[0]):
                raise HierarchyError(
                    f"row {i} of the table of levels, {row!r}, has {len(row)} entries, "
                    f"but row 0 has {len(table[0])}. Make all rows equally long."
                )
    try:
        return pd.DataFrame(table)
    except ValueError as error:
        raise HierarchyError(
            f"a table of levels is a DataFrame, a 2-D array or a list of rows, not "
            f"{in_short(table)}: {error}"
        ) from error


def _check_same(value: Any, first: tuple[Any, ...], again: tuple[Any, ...]) -> None:
    for i, (one, other) in enumerate(zip(first, again, strict=True), start=1):
        if pd.isna(other):
            raise HierarchyError(
                f"the value {value!r} has no label at level {i}. Give it one, '*' if "
                "nothing else fits."
            )
        if one != other:
            raise HierarchyError(
                f"the value {value!r} has both {one!r} and {other!r} at level {i}. "
                "Give it the same label in all of its rows."
            )


def from_parents(parents: Mapping[Any, Any]) -> Taxonomy:
    """Build a taxonomy from each node's parent.

    Parameters
    ----------
    parents : mapping or Series
        From a value or node to the node just above it. The one node without a parent
        (absent, or with None) is the root; nodes that are nobody's parent are the
        values.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        There is a cycle or more than one root, or the tree is no valid
        :class:`Taxonomy`.

    Examples
    --------
    >>> from_parents({"Bern": "CH", "Basel": "CH", "CH": "*", "Bonn": "*"}).levels
    [['CH', 'CH', 'Bonn'], ['*', '*', '*']]
    """
    if not isinstance(parents, Mapping | pd.Series):
        raise HierarchyError(
            f"parents must be a dict or Series from a node to its parent, got a "
            f"{type(parents).__name__}."
        )
    for node, up in parents.items():
        if not pd.api.types.is_scalar(up):
            raise HierarchyError(
                f"the node {node!r} has the parent {up!r}. Give it a single one."
            )
    above = {node: up for node, up in parents.items() if not pd.isna(up)}
    alone = [node for node, up in parents.items() if pd.isna(up)]
    holders = set(above.values())
    nodes = dict.fromkeys([*above, *above.values(), *alone])
    if not nodes:
        raise HierarchyError("the hierarchy has no values. Give it at least one.")
    _check_acyclic(above)
    roots = [node for node in nodes if node not in above]
    if len(roots) > 1:
        raise HierarchyError(
            f"the hierarchy has {len(roots)} roots: {_listed(roots)}. Give all of them "
            "but one a parent, such as '*'."
        )
    return _from_paths(
        [(node, _ancestors(node, above)) for node in nodes if node not in holders]
    )


def _ancestors(node: Any, above: Mapping[Any, Any]) -> tuple[str, ...]:
    path: list[str] = []
    while node in above:
        node = above[node]
        path.append(str(node))
    return tuple(reversed(path))


def _check_acyclic(above: Mapping[Any, Any]) -> None:
    settled: set[Any] = set()
    for start in above:
        path: dict[Any, None] = {}
        node = start
        while node in above and node not in settled:
            if node in path:
                ring = list(path)[list(path).index(node) :]
                raise HierarchyError(
                    f"the hierarchy has a cycle: "
                    f"{' > '.join(repr(x) for x in [*ring, node])}. Give one of these "
                    "nodes another parent."
                )
            path[node] = None
            node = above[node]
        settled.update(path)


def from_frequency(values: Any, *thresholds: int) -> Taxonomy:
    """Build a taxonomy that joins rare values.

    Parameters
    ----------
    values : array-like of shape (n,)
        The column, whose values are counted.
    *thresholds : int
        Level i joins all values that occur fewer than ``thresholds[i - 1]`` times
        under one label. They must grow from level to level.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        There is no threshold, one below 2, or one not above the one before.

    Examples
    --------
    >>> from_frequency(["tea"] * 5 + ["mate"] * 2 + ["cocoa"], 3).to_frame()
           0               1  2
    0  cocoa  (fewer than 3)  *
    1   mate  (fewer than 3)  *
    2    tea             tea  *
    """
    if not thresholds:
        raise HierarchyError("give at least one threshold, such as 10.")
    for level, (before, limit) in enumerate(
        zip((1, *thresholds), thresholds, strict=False), start=1
    ):
        if not isinstance(limit, int | np.integer) or limit <= before:
            raise HierarchyError(
                f"the threshold {limit!r} of level {level} must be an integer above "
                f"{before}, so that the level joins more values."
            )
    domain = distinct(values)
    leaves = domain.values.tolist()
    texts = np.array(leaf_texts(leaves), dtype=object)
    table = [
        np.where(domain.counts < limit, f"(fewer than {limit})", texts).tolist()
        for limit in thresholds
    ]
    return Taxonomy(leaves, [*table, [SUPPRESSED] * len(leaves)])

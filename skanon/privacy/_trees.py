"""Read a generalization hierarchy: the names of the nodes above each value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from skanon.exceptions import ColumnError, HierarchyError, ParameterError


class Tree(NamedTuple):
    """A tree over a column's values.

    ``above`` holds, for the text of each value, the names of its nodes from the lowest
    level to the one below the root; all have the same length. ``root`` is the name of
    the root.
    """

    above: dict[str, tuple[str, ...]]
    root: str

    @property
    def height(self) -> int:
        """The number of levels above the values, the root's among them."""
        return 1 + len(next(iter(self.above.values())))

    def path(self, value: Any) -> tuple[str, ...] | None:
        """Find the nodes above a value; None where the tree lacks it.

        A missing value makes whole numbers of a column 43.0, where the tree has 43.
        """
        if isinstance(value, float) and str(value) not in self.above:
            value = int(value) if value.is_integer() else value
        return self.above.get(str(value))


def read_trees(
    hierarchies: Any, columns: Iterable[Any], known: Iterable[Any]
) -> dict[Any, Tree]:
    """Read the hierarchies of some columns.

    Parameters
    ----------
    hierarchies : mapping from column to hierarchy, or None
        Each a nested dict of one root (``{"*": {"node": ["value", "value"]}}``), a
        DataFrame or a list of rows (the value, then its nodes up to the root), or an
        object with ``values`` and ``levels``, as :class:`skanon.hierarchies.Taxonomy`.
        Hierarchies of the package that have no such levels, as of intervals, are left
        out: their labels need none.
    columns : iterable of labels
        Those whose hierarchies are needed.
    known : iterable of labels
        All that there may be hierarchies for.

    Returns
    -------
    dict from column to Tree

    Raises
    ------
    ParameterError
        ``hierarchies`` is no mapping.
    ColumnError
        It names an unknown column.
    HierarchyError
        A hierarchy cannot be read or is no tree.
    """
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        raise ParameterError(
            f"hierarchies is a {type(hierarchies).__name__}, but must be a dict from "
            "column to hierarchy."
        )
    named = list(known)
    for name in hierarchies:
        if name not in named:
            raise ColumnError(
                f"hierarchies has the key {name!r}, but no column is named so. The "
                f"columns are {', '.join(map(repr, named[:10]))}."
            )
    return {
        name: _read(hierarchies[name], name)
        for name in columns
        if name in hierarchies and not _without_levels(hierarchies[name])
    }


def _without_levels(hierarchy: Any) -> bool:
    return hasattr(hierarchy, "bind") and not hasattr(hierarchy, "levels")


def _read(hierarchy: Any, name: Any) -> Tree:
    if isinstance(hierarchy, Mapping):
        if len(hierarchy) != 1:
            raise HierarchyError(
                f"Column {name!r}: the hierarchy has {len(hierarchy)} roots instead of "
                "1. Wrap the dict in one more: {'*': {...}}."
            )
        paths = list(_walk(hierarchy, name))
        depth = max((len(path) for path in paths), default=0)
        # a value that hangs high repeats itself below its lowest node
        rows = [[path[0]] * (depth - len(path)) + path for path in paths]
    elif isinstance(hierarchy, pd.DataFrame):
        rows = [list(row) for row in hierarchy.itertuples(index=False, name=None)]
    elif hasattr(hierarchy, "values") and hasattr(hierarchy, "levels"):
        columns = [list(hierarchy.values), *map(list, hierarchy.levels)]
        rows = [list(row) for row in zip(*columns, strict=True)]
    elif isinstance(hierarchy, (list, tuple)):
        rows = [list(row) for row in hierarchy]
    else:
        raise HierarchyError(
            f"Column {name!r}: a {type(hierarchy).__name__} is no hierarchy that can "
            "be read here. Give a nested dict, a table of levels or a Taxonomy."
        )
    return _check(rows, name)


def _walk(nested: Mapping[Any, Any], name: Any) -> Iterator[list[Any]]:
    """Yield each value followed by the nodes above it."""
    stack: list[tuple[Any, Any, list[Any]]] = [
        (key, below, []) for key, below in nested.items()
    ]
    while stack:
        key, below, above = stack.pop()
        if below is None:
            yield [key, *above]
            continue
        if len(above) > 1000:
            raise HierarchyError(
                f"Column {name!r}: the hierarchy is more than 1000 levels high; a node "
                f"may hold itself, such as {key!r}."
            )
        if isinstance(below, Mapping):
            stack += [(child, rest, [key, *above]) for child, rest in below.items()]
        elif isinstance(below, (str, bytes)) or not isinstance(below, Iterable):
            raise HierarchyError(
                f"Column {name!r}: below the node {key!r} stands {below!r}. Write a "
                "list of values, a dict of nodes, or None where it is a value itself."
            )
        else:
            stack += [(child, None, [key, *above]) for child in below]


def _check(rows: list[list[Any]], name: Any) -> Tree:
    if not rows or len(rows[0]) < 2:
        raise HierarchyError(
            f"Column {name!r}: the hierarchy has no values, or no level above them. "
            "Each value needs at least the root, '*'."
        )
    above: dict[str, tuple[str, ...]] = {}
    upwards: dict[tuple[int, str], str] = {}
    for row in rows:
        if len(row) != len(rows[0]):
            raise HierarchyError(
                f"Column {name!r}: the value {row[0]!r} has {len(row) - 1} levels "
                f"above it, others have {len(rows[0]) - 1}. Give all the same number."
            )
        value, *nodes = map(str, row)
        if value in above:
            raise HierarchyError(
                f"Column {name!r}: the value {value!r} stands twice in the hierarchy. "
                "Give each value one row."
            )
        for level, (node, higher) in enumerate(pairwise(nodes)):
            if upwards.setdefault((level, node), higher) != higher:
                raise HierarchyError(
                    f"Column {name!r}: the node {node!r} hangs below "
                    f"{upwards[level, node]!r} and below {higher!r}. Give each node "
                    "one parent."
                )
        above[value] = tuple(nodes)
    roots = {nodes[-1]: None for nodes in above.values()}
    if len(roots) > 1:
        raise HierarchyError(
            f"Column {name!r}: the hierarchy has {len(roots)} roots: "
            f"{', '.join(map(repr, list(roots)[:5]))}. Add a last level that holds '*' "
            "for every value."
        )
    (root,) = roots
    return Tree({value: nodes[:-1] for value, nodes in above.items()}, root)

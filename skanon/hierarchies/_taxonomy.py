"""A tree of named nodes over a column's values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.domain import SUPPRESSED, Domain, read_values, text_of
from skanon.exceptions import AnonymizationError, HierarchyError
from skanon.hierarchies._base import TREE, BoundHierarchy, Hierarchy
from skanon.hierarchies._json import from_plain, to_plain


class Taxonomy(Hierarchy):
    """A tree over a column's values, given as a table of levels.

    Each row is a value (a leaf) and its labels from the level just above it up to the
    root. All rows are equally wide, each label has one label above it, and the last
    level has one label only: the root, which a release shows as ``*`` whatever it is
    called. The closure of a cluster is the lowest node above all of its values. A
    missing value needs no leaf: it hangs directly under the root.

    Parameters
    ----------
    values : sequence of scalars, length m
        The leaves, all different: text, numbers, dates or truth values.
    levels : sequence of sequences of str, each of length m
        ``levels[i][v]`` is the label of ``values[v]`` at level ``i + 1``; the last
        sequence holds the root's name m times.

    Raises
    ------
    HierarchyError
        A value stands twice or is missing, levels do not nest, there is not one
        root, or a label stands for two different sets of values.

    See Also
    --------
    skanon.hierarchies.from_nested : Build from nested dicts.
    skanon.hierarchies.read_arx : Read ARX's semicolon-separated files.

    Examples
    --------
    >>> town = Taxonomy(
    ...     ["Bern", "Basel", "Bonn"], [["CH", "CH", "DE"], ["Europe"] * 3]
    ... )
    >>> town.root, town.height
    ('Europe', 2)
    >>> Taxonomy(["Bern", "Bonn"], [["CH", "DE"]])
    Traceback (most recent call last):
        ...
    skanon.exceptions.HierarchyError: the hierarchy has 2 roots at level 1: 'CH', ...
    """

    def __init__(
        self, values: Sequence[Hashable], levels: Sequence[Sequence[str]]
    ) -> None:
        self.values = tuple(values)
        self._levels = [np.array([str(x) for x in level], dtype=object) for level in
                        levels]
        _check_table(self.values, self._levels)
        self.root: str = self._levels[-1][0]
        self._tree = _grow(self.values, self._levels)

    @property
    def height(self) -> int:
        """The number of levels above the leaves."""
        return len(self._levels)

    @property
    def levels(self) -> list[list[str]]:
        """The labels, level by level, each as long as ``values``."""
        return [level.tolist() for level in self._levels]

    def to_frame(self) -> pd.DataFrame:
        """Give the table of levels.

        Returns
        -------
        DataFrame of shape (m, height + 1)
            Column 0 holds the values, column i their labels at level i.
        """
        columns = {0: pd.Series(list(self.values), dtype=object)}
        columns |= {i + 1: pd.Series(x) for i, x in enumerate(self._levels)}
        return pd.DataFrame(columns)

    def bind(self, domain: Domain) -> BoundTaxonomy:
        """Fit to a column; raises HierarchyError for a value without a leaf."""
        return BoundTaxonomy(domain, self)

    def to_dict(self) -> dict[str, Any]:
        """Describe the hierarchy in types that JSON knows."""
        return {
            "type": "taxonomy",
            "values": [to_plain(value) for value in self.values],
            "levels": self.levels,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Taxonomy:
        """Rebuild what :meth:`to_dict` described."""
        return cls([from_plain(value) for value in plain["values"]], plain["levels"])

    def __repr__(self) -> str:
        return (
            f"Taxonomy({len(self.values)} values, height {self.height}, "
            f"root {self.root!r})"
        )


class Suppression(Hierarchy):
    """The flat tree: a value is kept or becomes ``*``.

    Unlike a :class:`Taxonomy` it takes its leaves from the column, so that values which
    turn up only after fitting are no error: they are never kept.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> frame = pd.DataFrame({"sex": ["f", "f", "m", "f"], "zip": list("1123")})
    >>> KAnonymizer(k=2, random_state=0).fit_transform(frame)["zip"].tolist()
    ['1', '1', '*', '*']
    """

    def bind(self, domain: Domain) -> BoundTaxonomy:
        """Fit to a column; any column will do."""
        values = domain.values.tolist()
        if not values:  # nothing but missing values: a root above the missing leaf
            return BoundTaxonomy(domain, None)
        return BoundTaxonomy(domain, Taxonomy(values, [[SUPPRESSED] * len(values)]))

    def to_dict(self) -> dict[str, Any]:
        """Describe the hierarchy in types that JSON knows."""
        return {"type": "suppression"}

    def __repr__(self) -> str:
        return "Suppression()"


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
    names : list of str, length n_nodes - m
        The inner nodes' names; the root comes last.
    """

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    parent: np.ndarray
    level: np.ndarray
    names: list[str]


def _check_table(values: tuple, levels: list[np.ndarray]) -> None:
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
    roots = list(dict.fromkeys(levels[-1]))
    if len(roots) > 1:
        named = ", ".join(repr(root) for root in roots[:3])
        raise HierarchyError(
            f"the hierarchy has {len(roots)} roots at level {len(levels)}: {named}. "
            "Add a last level that holds '*' for every value."
        )
    for i in range(len(levels) - 1):
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


def _grow(values: tuple, levels: list[np.ndarray]) -> Tree:
    """Turn the table of levels into nodes; nodes that cover the same are one."""
    m = len(values)
    codes = [pd.factorize(level)[0] for level in levels]
    order = np.lexsort((np.arange(m), *codes))
    first, last, level, names = list(range(m)), list(range(m)), [0] * m, []
    top = list(range(m))  # the highest node so far above each leaf's position
    parent = [-1] * m
    spans: dict[str, tuple[int, int]] = {
        str(values[row]): (at, at) for at, row in enumerate(order)
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
            if (first[below], last[below]) == span and stop - start < m:
                continue  # covers what the node below covers: the lower name stays
            node = len(first)
            for at in dict.fromkeys(top[start:stop]):
                parent[at] = node
            top[start:stop] = [node] * (stop - start)
            first.append(start), last.append(stop - 1), level.append(i)
            parent.append(-1), names.append(name)
    return Tree(
        order,
        np.array(first, dtype=np.int32),
        np.array(last, dtype=np.int32),
        np.array(parent, dtype=np.int32),
        np.array(level, dtype=np.int32),
        names,
    )


def _runs(labels: np.ndarray) -> list[tuple[int, int]]:
    starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(labels)], strict=True))


class BoundTaxonomy(BoundHierarchy):
    """A tree that knows its column: a state is a node.

    Attributes
    ----------
    first, last, parent : ndarray of int32, shape (n_nodes,)
        As in :class:`Tree`, with the missing value as a further leaf under the root.
        The root's ``first`` is -1, so that it covers unknown values as well.
    """

    form = TREE

    def __init__(self, domain: Domain, taxonomy: Taxonomy | None) -> None:
        self._position = np.zeros(0, dtype=np.int32)
        m = len(taxonomy.values) if taxonomy else 0
        if taxonomy:
            self._leaf_values = _like(domain, taxonomy)
            self._rank = np.empty(m, dtype=np.int32)
            self._rank[taxonomy._tree.order] = np.arange(m)
            self._position = self._rank[_find(domain, taxonomy, self._leaf_values)]
        self._order = taxonomy._tree.order if taxonomy else np.zeros(0, dtype=int)
        super().__init__(domain, m)
        self._add_missing(taxonomy._tree if taxonomy else None, m)
        self.height = taxonomy.height if taxonomy else 1

    def _add_missing(self, tree: Tree | None, m: int) -> None:
        shift = self.n_codes - m  # inner nodes move up by one for the missing leaf
        if tree is None:
            tree = _EMPTY
        inner = tree.parent >= m
        parent = np.where(inner, tree.parent + shift, tree.parent)
        root = len(tree.first) - 1 + shift
        leaf = [m] if shift else []
        self.first = np.insert(tree.first, m, leaf).astype(np.int32)
        self.last = np.insert(tree.last, m, leaf).astype(np.int32)
        self.parent = np.insert(parent, m, [root] if shift else []).astype(np.int32)
        self.level = np.insert(tree.level, m, [0] if shift else []).astype(np.int32)
        self.names = tree.names
        self.first[root], self.last[root], self.parent[root] = -1, self.n_codes - 1, -1

    def _numbers(self) -> np.ndarray:
        m = len(self._order)
        if not self.domain.ordered or not m:
            return np.full(m, np.nan)
        if self.domain.kind == "text":
            categories = self.domain.dtype.categories
            return categories.get_indexer(self._leaf_values)[self._order].astype(float)
        values = pd.Index(self._leaf_values)[self._order]
        is_time = self.domain.kind in ("datetime", "timedelta")
        return (values.as_unit(self.domain.values.unit).asi8 if is_time else values
                ).astype(np.float64)

    def _code_of_position(self) -> np.ndarray:
        return self._position

    def members(self, state: np.ndarray) -> np.ndarray:
        """List the leaves below a node."""
        node = state[0]
        return np.arange(max(self.first[node], 0), self.last[node] + 1)

    def _name(self, state: np.ndarray, members: np.ndarray) -> str:
        return self.names[state[0] - self.n_codes]

    @property
    def _texts(self) -> np.ndarray:
        if not hasattr(self, "_texts_cache"):
            values = self._leaf_values
            self._texts_cache = text_of(values, self.domain.kind)[self._order]
        return self._texts_cache


_EMPTY = Tree(
    np.zeros(0, dtype=int),
    np.zeros(1, dtype=np.int32),
    np.zeros(1, dtype=np.int32),
    np.full(1, -1, dtype=np.int32),
    np.ones(1, dtype=np.int32),
    [SUPPRESSED],
)


def _like(domain: Domain, taxonomy: Taxonomy) -> Any:
    """Read a hierarchy's leaves as values of the column's kind.

    Files hold text only, so "17" is taken for 17 in a column of numbers, and
    "1899-12-31" for that day in a column of dates.
    """
    leaves = pd.Series(list(taxonomy.values), dtype=object)
    try:
        read = read_values(leaves, domain.name)
        if read.kind == domain.kind or not len(domain):
            return read.present
        if domain.kind == "text":
            return np.array([str(leaf) for leaf in taxonomy.values], dtype=object)
        if read.kind == "text":
            return _PARSERS[domain.kind](read.present)
    except (AnonymizationError, ValueError, KeyError) as error:
        raise HierarchyError(
            f"Column {domain.name!r} holds {domain.kind}s, but its hierarchy has "
            f"leaves which are none: {error}"
        ) from error
    raise HierarchyError(
        f"Column {domain.name!r} holds {domain.kind}s, but its hierarchy has leaves "
        f"of kind {read.kind}, such as {taxonomy.values[0]!r}. Build it from the "
        "column's own values."
    )


_PARSERS = {
    "number": lambda texts: np.array([_number(text) for text in texts]),
    "datetime": lambda texts: pd.DatetimeIndex(texts.astype("datetime64[us]")),
    "timedelta": lambda texts: pd.to_timedelta(texts),
    "bool": lambda texts: np.array([_TRUTH[text.lower()] for text in texts]),
}
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _find(domain: Domain, taxonomy: Taxonomy, leaves: Any) -> np.ndarray:
    index = pd.Index(leaves)
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise HierarchyError(
            f"Column {domain.name!r}: the value {twice!r} stands twice in its "
            "hierarchy. Give each value one row."
        )
    found = index.get_indexer(pd.Index(domain.values))
    if (found < 0).any():
        lost = domain.text()[found < 0]
        named = ", ".join(repr(text) for text in lost[:5])
        raise HierarchyError(
            f"Column {domain.name!r}: the hierarchy lacks {len(lost)} of the column's "
            f"values: {named}. Add them at level 0, or correct them in the data."
        )
    return found

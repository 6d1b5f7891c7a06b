"""A tree of named nodes over a column's values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import SUPPRESSED, UNKNOWN, Domain, read_values, text_of
from skanon._table.line import NANOSECONDS
from skanon.exceptions import HierarchyError
from skanon.hierarchies._base import TREE, BoundHierarchy, Hierarchy, check_keys
from skanon.hierarchies._json import from_plain, to_plain
from skanon.hierarchies._leaves import find, leaf_domain, like
from skanon.hierarchies._tree import EMPTY, Tree, check_table, grow


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

    word = "taxonomy"

    def __init__(
        self, values: Sequence[Hashable], levels: Sequence[Sequence[str]]
    ) -> None:
        self.values = tuple(_python_scalar(value) for value in values)
        self._levels = [np.array(list(level), dtype=object) for level in levels]
        check_table(self.values, self._levels)
        self._levels = [
            np.array([str(label) for label in level], dtype=object)
            for level in self._levels
        ]
        self.root: str = self._levels[-1][0]
        self._tree = grow(self.values, self._levels)

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
        return BoundTaxonomy(domain, self, closed=True)

    def to_dict(self) -> dict[str, Any]:
        """Describe the hierarchy in types that JSON knows."""
        return super().to_dict() | {
            "values": [to_plain(value) for value in self.values],
            "levels": self.levels,
        }

    @classmethod
    def _from_rest(cls, rest: dict[str, Any]) -> Taxonomy:
        check_keys(cls.word, rest, {"values", "levels"})
        try:
            return cls([from_plain(value) for value in rest["values"]], rest["levels"])
        except (TypeError, KeyError, AttributeError) as error:
            raise HierarchyError(
                f"the description of a taxonomy is broken: {error}. 'values' must be a "
                "list of values and 'levels' a list of lists of labels."
            ) from error

    def __repr__(self) -> str:
        return (
            f"Taxonomy({len(self.values)} values, height {self.height}, "
            f"root {self.root!r})"
        )


def _python_scalar(value: Any) -> Any:
    """Turn numpy's scalars into those that JSON and error messages know."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    return value.item() if isinstance(value, np.generic) else value


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

    word = "suppression"

    def bind(self, domain: Domain) -> BoundTaxonomy:
        """Fit to a column; any column will do."""
        values = domain.values.tolist()
        if not values:  # nothing but missing values: a root above the missing leaf
            return BoundTaxonomy(domain, None, closed=False)
        flat = Taxonomy(values, [[SUPPRESSED] * len(values)])
        return BoundTaxonomy(domain, flat, closed=False)


class BoundTaxonomy(BoundHierarchy):
    """A tree that knows its column: a state is a node.

    Attributes
    ----------
    first, last, parent, level, depth : ndarray of int32, shape (n_nodes,)
        As in :class:`Tree`, with the missing value as a further leaf under the root.
        The root's ``first`` is -1, so that it covers unknown values as well.
    """

    form = TREE

    def __init__(self, domain: Domain, taxonomy: Taxonomy | None, closed: bool) -> None:
        self._closed = closed
        self._position = np.zeros(0, dtype=np.int32)
        m = len(taxonomy.values) if taxonomy else 0
        if taxonomy:
            self._leaf_values = like(domain, taxonomy.values)
            self._rank = np.empty(m, dtype=np.int32)
            self._rank[taxonomy._tree.order] = np.arange(m)
            self._position = self._rank[find(domain, self._leaf_values)]
        self._order = taxonomy._tree.order if taxonomy else np.zeros(0, dtype=int)
        super().__init__(domain, m)
        self._add_missing(taxonomy._tree if taxonomy else None, m)
        self.height = taxonomy.height if taxonomy else 1

    def _add_missing(self, tree: Tree | None, m: int) -> None:
        shift = self.n_codes - m  # inner nodes move up by one for the missing leaf
        if tree is None:
            tree = EMPTY
        inner = tree.parent >= m
        parent = np.where(inner, tree.parent + shift, tree.parent)
        root = len(tree.first) - 1 + shift
        leaf = [m] if shift else []
        self.first = np.insert(tree.first, m, leaf).astype(np.int32)
        self.last = np.insert(tree.last, m, leaf).astype(np.int32)
        self.parent = np.insert(parent, m, [root] if shift else []).astype(np.int32)
        self.level = np.insert(tree.level, m, [0] if shift else []).astype(np.int32)
        self.depth = np.insert(tree.depth, m, [0] if shift else []).astype(np.int32)
        self.names = tree.names
        self.first[root], self.last[root], self.parent[root] = -1, self.n_codes - 1, -1

    def shares_of(self, climbed: np.ndarray) -> np.ndarray:
        """Divide nodes' levels, or depths, by the root's.

        What covers everything counts as the root: it is published like it.

        Returns
        -------
        ndarray of float64, shape (n_nodes,)
        """
        sizes = self.last - np.maximum(self.first, 0) + 1
        shares = climbed / max(climbed[-1], 1)
        return np.where((sizes == self.n_codes) & (sizes > 1), 1.0, shares)

    def _numbers(self) -> tuple[Any, np.ndarray]:
        domain = self.domain
        if not domain.ordered or not len(domain):
            return slice(0), np.zeros(0)
        if domain.categories is not None:
            # leaves that the column lacks have no place in the categories' order
            return self._position, domain.numbers()
        values = self._leaf_values[self._order]
        if domain.kind in ("datetime", "timedelta"):
            self.step = Fraction(
                NANOSECONDS[values.unit], NANOSECONDS[domain.values.unit]
            )
            values = values.asi8
        if values.dtype.kind == "f":
            values = values.astype(np.float64)
        return slice(len(values)), values

    def _code_of_position(self) -> np.ndarray:
        return self._position

    def encode(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        """Code a column of other records.

        Returns
        -------
        codes, nearest : ndarray of int32, shape (n,)
            The same array twice: nothing is near in a tree. ``UNKNOWN`` stands for
            what a :class:`Suppression` has not seen.

        Raises
        ------
        HierarchyError
            A value has no leaf, and the leaves were given.
        """
        exact, _ = self.domain.encode(column)
        codes = self.codes(exact)
        new = np.flatnonzero(exact == UNKNOWN)
        if self._closed and len(new):
            read = read_values(column.iloc[new], self.domain.name)
            found = leaf_domain(self.domain, self._leaf_values).match(read.present)
            if (found < 0).any():
                lost = text_of(read.present[found < 0], read.kind)
                named = ", ".join(repr(text) for text in dict.fromkeys(lost[:5]))
                raise HierarchyError(
                    f"Column {self.domain.name!r}: its hierarchy lacks {named}, first "
                    f"met at row {new[np.argmax(found < 0)]}. Add the value to the "
                    "hierarchy and fit again, or correct it in the data."
                )
            codes[new] = self._rank[found]
        return codes, codes

    @property
    def values(self) -> np.ndarray:
        """The leaves by code, as the column's own values where it holds them."""
        values = np.empty(len(self._order), dtype=object)
        if len(values):
            values[:] = list(self._leaf_values[self._order])
            values[self._position] = list(self.domain.values)
        return values

    def members(self, state: np.ndarray) -> np.ndarray:
        """List the leaves below a node."""
        node = state[0]
        return np.arange(max(self.first[node], 0), self.last[node] + 1)

    def covers(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Tell whether leaves lie below nodes."""
        nodes = states[:, 0]
        return (self.first[nodes] <= codes) & (codes <= self.last[nodes])

    def _name(self, state: np.ndarray, members: np.ndarray) -> str:
        return self.names[state[0] - self.n_codes]

    @property
    def _texts(self) -> np.ndarray:
        if not hasattr(self, "_texts_cache"):
            kind = self.domain.kind if len(self.domain) else "text"
            texts = text_of(self._leaf_values, kind)[self._order]
            texts[self._position] = self.domain.text()  # the column's own way
            self._texts_cache = texts
        return self._texts_cache

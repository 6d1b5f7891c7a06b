"""The sensitive attributes of a release, and how they spread over its classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from skanon.exceptions import ColumnError, ParameterError
from skanon.privacy._classes import Classes, classify, first_positions
from skanon.privacy._codes import code_column
from skanon.privacy._print import as_printed, warn_of_lookalikes
from skanon.privacy._published import (
    find_columns,
    list_labels,
    refuse_repeated,
    to_pandas,
)

_ROOM = 8
"""A dense count may take this many cells per row."""


class Attribute(NamedTuple):
    """A sensitive attribute: its values are numbered from 0 on.

    ``values`` holds the distinct values in the order of their numbers, a missing value
    as one of them; ``codes`` the number of each row's value, ``totals`` how many rows
    have each.
    """

    name: Any
    values: pd.Series
    codes: np.ndarray
    totals: np.ndarray

    def renumbered(self, order: np.ndarray) -> Attribute:
        """Give the values numbers in another order."""
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return Attribute(
            self.name, self.values.iloc[order], places[self.codes], self.totals[order]
        )

    def show(self, code: int) -> str:
        """Write a value for a message."""
        value = self.values.iloc[code]
        return repr(value.item() if isinstance(value, np.generic) else value)


class Spread(NamedTuple):
    """How often each sensitive value stands in each class, where it stands at all.

    ``owners``, ``values`` and ``counts`` have one entry per class and sensitive value
    in it, in this order; ``starts`` holds where each class begins. ``sizes`` are the
    rows of each class, ``totals`` the rows of the table that have each value, those in
    no class among them.
    """

    owners: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    totals: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """The share of its class that each entry has."""
        return self.counts / self.sizes[self.owners]

    @property
    def frequencies(self) -> np.ndarray:
        """The share of the whole table that each value has."""
        return self.totals / self.totals.sum()

    def sums(self, entries: np.ndarray) -> np.ndarray:
        """Add up what belongs to each class."""
        return np.add.reduceat(entries, self.starts)

    def greatest(self, entries: np.ndarray) -> np.ndarray:
        """Give the greatest of what belongs to each class."""
        return np.maximum.reduceat(entries, self.starts)


def spread(groups: np.ndarray, codes: np.ndarray, totals: np.ndarray) -> Spread:
    """Count the sensitive values in each class.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Each row's class, from 0 on and none of them empty; -1 for no class.
    codes : ndarray of int64, shape (n,)
        Each row's sensitive value.
    totals : ndarray of int64, shape (n_values,)

    Returns
    -------
    Spread
    """
    inside = groups >= 0
    if not inside.all():
        groups, codes = groups[inside], codes[inside]
    sizes = np.bincount(groups)
    n_values = len(totals)
    keys = groups * n_values + codes
    if len(sizes) * n_values <= _ROOM * max(len(keys), 1000):
        dense = np.bincount(keys)
        cells = np.flatnonzero(dense)
        counts = dense[cells]
    else:
        cells, counts = np.unique(keys, return_counts=True)
    owners = cells // n_values
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return Spread(owners, cells % n_values, counts, starts, sizes, totals)


def spread_over(classes: Classes) -> Callable[[Attribute], Spread]:
    """Count the sensitive values that each class's rows hide among.

    These are the class's own, or its neighbours' where cells are wildcards.
    """
    if classes.neighbours is None:
        return lambda a: spread(classes.groups, a.codes, a.totals)
    neighbours = classes.neighbours

    def count(attribute: Attribute) -> Spread:
        ones = np.ones(len(attribute.codes), dtype=np.int64)
        shape = len(classes.sizes), len(attribute.totals)
        own = coo_array((ones, (classes.of_row, attribute.codes)), shape).tocsr()
        reached = neighbours.sums(own).tocoo()
        order = np.lexsort((reached.col, reached.row))
        owners = reached.row[order].astype(np.int64)
        counts = reached.data[order]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        values = reached.col[order].astype(np.int64)
        sizes = np.add.reduceat(counts, starts)
        return Spread(owners, values, counts, starts, sizes, attribute.totals)

    return count


def read_attribute(column: pd.Series, name: Any) -> Attribute:
    """Read a column, its values in the order of their first appearance.

    Raises
    ------
    ColumnTypeError
        The values cannot be compared, such as lists.
    """
    codes, distinct = pd.factorize(code_column(column, name)[0])
    codes = codes.astype(np.int64)
    values = column.iloc[first_positions(codes, len(distinct))]
    return Attribute(name, values, codes, np.bincount(codes))


def read_private(column: pd.Series, name: Any) -> Attribute:
    """Read a sensitive attribute as :func:`read_attribute` does, but as it is printed.

    Values that a file shows alike, such as 1 and ``"1"``, are one: to keep them apart
    would overstate how diverse a class is. Of quasi-identifiers it would be the other
    way round, so that they are not read so.
    """
    plain = read_attribute(column, name)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return plain
    listed = plain.values.tolist()
    warn_of_lookalikes(listed, name)
    same = as_printed(listed)
    first = first_positions(same, int(same.max(initial=-1)) + 1)
    codes = same[plain.codes]
    return Attribute(name, plain.values.iloc[first], codes, np.bincount(codes))


def read_sensitive(
    frame: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    suppressed: Any,
    wildcard: bool = False,
) -> tuple[Classes, list[Attribute]]:
    """Read a published table with its sensitive attributes.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
    quasi_identifiers : iterable of labels, or None
        None means every column but the sensitive attributes.
    sensitive : label, list of labels, Series or DataFrame of n rows
        The sensitive attributes, as columns of ``frame`` or by themselves.
    suppressed : scalar or None
    wildcard : bool

    Returns
    -------
    classes : Classes
    attributes : list of Attribute, at least one

    Raises
    ------
    ColumnError
        A sensitive attribute is unknown, named twice, also a quasi-identifier or of
        another length than the table; or as in
        :func:`skanon.privacy.equivalence_classes`.
    """
    table = to_pandas(frame)
    attributes, inside = read_attributes(frame, table, sensitive)
    if quasi_identifiers is None:
        quasi_identifiers = [name for name in table.columns if name not in inside]
    else:
        quasi_identifiers = list_labels(quasi_identifiers, "quasi_identifiers")
        _refuse_both(inside, quasi_identifiers)
    return classify(table, quasi_identifiers, suppressed, wildcard), attributes


def read_attributes(
    frame: Any, table: pd.DataFrame, sensitive: Any
) -> tuple[list[Attribute], list[Any]]:
    """Read the sensitive attributes of a table.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray
    table : DataFrame of shape (n, n_columns)
        The same as a table of pandas.
    sensitive : label, list of labels, Series or DataFrame of n rows

    Returns
    -------
    attributes : list of Attribute, at least one
    inside : list of labels
        Those that are columns of the table.
    """
    apart = read_apart(sensitive, table, isinstance(frame, pd.DataFrame))
    refuse_repeated(table.columns if apart is None else apart.columns)
    inside = sensitive_names(table, sensitive) if apart is None else []
    columns = table[inside] if apart is None else apart
    if not len(columns):
        raise ColumnError(
            "The table has no rows, so it has no sensitive values. Give at least one "
            "row."
        )
    names = list(columns.columns)
    attributes = [
        read_private(columns.iloc[:, j], name) for j, name in enumerate(names)
    ]
    return attributes, inside


def read_apart(
    sensitive: Any, table: pd.DataFrame, indexed: bool
) -> pd.DataFrame | None:
    """Read sensitive attributes that are no columns of the table; None if they are.

    Raises
    ------
    ColumnError
        They have no columns, another number of rows, or another index.
    """
    polars = type(sensitive).__module__.startswith("polars")
    if polars and hasattr(sensitive, "to_frame"):
        sensitive = sensitive.to_frame()
    if isinstance(sensitive, pd.Series):
        apart = sensitive.to_frame("y" if sensitive.name is None else sensitive.name)
    elif polars or isinstance(sensitive, pd.DataFrame):
        apart = to_pandas(sensitive)
    else:
        return None
    if not apart.shape[1]:
        raise ColumnError(
            "sensitive is a table without columns. Give a sensitive attribute."
        )
    if len(apart) != len(table):
        raise ColumnError(
            f"sensitive has {len(apart)} rows, but the table has {len(table)}. Give "
            "one sensitive value per row of the table."
        )
    if indexed and not polars and not apart.index.equals(table.index):
        theirs, ours = apart.index.tolist(), table.index.tolist()
        row = next((i for i, label in enumerate(theirs) if label != ours[i]), 0)
        raise ColumnError(
            f"sensitive has another index than the table: at row {row} it is "
            f"{theirs[row]!r} instead of {ours[row]!r}. Use "
            "sensitive.loc[frame.index], or sensitive.set_axis(frame.index) if the "
            "rows correspond as they are."
        )
    return apart


def is_label(sensitive: Any, table: pd.DataFrame) -> bool:
    """Tell whether a sensitive attribute is given by its column's label."""
    if sensitive is None or not isinstance(sensitive, Hashable):
        return False
    return not isinstance(sensitive, tuple) or sensitive in table.columns


def sensitive_names(table: pd.DataFrame, sensitive: Any) -> list[Any]:
    """Read which columns of a table are its sensitive attributes.

    Raises
    ------
    ColumnError
        None is named, or one is unknown or named twice.
    ParameterError
        ``sensitive`` is no list of labels.
    """
    if sensitive is None:
        raise ParameterError(
            "sensitive is None, but must name a sensitive attribute, or several in a "
            "list."
        )
    if is_label(sensitive, table):
        sensitive = [sensitive]
    positions = find_columns(table.columns, sensitive, "sensitive")
    if not positions:
        raise ColumnError(
            "sensitive names no column. Name at least one sensitive attribute."
        )
    return [table.columns[at] for at in positions]


def _refuse_both(names: list[Any], quasi_identifiers: list[Any]) -> None:
    both = [name for name in names if name in quasi_identifiers]
    if both:
        raise ColumnError(
            f"The column {both[0]!r} is named as quasi-identifier and as sensitive "
            "attribute; each of its classes would have a single value. Remove it from "
            "quasi_identifiers or from sensitive."
        )

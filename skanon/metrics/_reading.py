"""A release read back: which values each published entry stands for."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.utils.validation import check_is_fitted

from skanon._contract import Anonymizer
from skanon._table.domain import UNKNOWN, Domain, read_values
from skanon._table.roles import as_frame, assign_roles, check_hierarchies
from skanon._table.schema import hierarchy_of
from skanon.exceptions import ColumnError
from skanon.hierarchies import BoundHierarchy
from skanon.metrics._columns import ReadColumn, collect
from skanon.metrics._labels import LabelReader, Span, Subset, shown
from skanon.privacy import equivalence_classes
from skanon.privacy._codes import code_column


@dataclass(frozen=True)
class Reading:
    """A release read back.

    Attributes
    ----------
    table : DataFrame of shape (n, n_columns)
        The original.
    columns : list of ReadColumn, length r
    classes : ndarray of int64, shape (n,)
        The equivalence class of each row; -1 where it is wholly suppressed, which is
        where ``*`` stands in all quasi-identifiers.
    """

    table: pd.DataFrame
    columns: list[ReadColumn]
    classes: np.ndarray

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.classes)

    @property
    def original(self) -> pd.DataFrame:
        """The quasi-identifiers, as they were: shape (n, r)."""
        return self.table[[column.name for column in self.columns]]

    @property
    def suppressed(self) -> np.ndarray:
        """Which rows are wholly suppressed: ndarray of bool, shape (n,)."""
        return self.classes < 0


def read_release(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    hierarchies: Mapping[Any, Any] | None = None,
    sensitive: Any = None,
) -> Reading:
    """Read a release back, whoever made it.

    Parameters
    ----------
    original : DataFrame (pandas, polars) or array-like of shape (n, n_columns)
        The table before.
    released : DataFrame, array-like of shape (n, n_columns), or fitted anonymizer
        The same rows in the same order. An anonymizer stands for its release of
        ``original``.
    quasi_identifiers : list of columns, or None
        None means those of the anonymizer, or all columns of ``original``.
    hierarchies : mapping from column to hierarchy, or None
        As in :class:`skanon.KAnonymizer`; None means those of the anonymizer.
    sensitive : column label, array-like of shape (n,), or None
        A column that it names is no quasi-identifier.

    Returns
    -------
    Reading

    Raises
    ------
    ColumnError
        The tables do not fit together, a label cannot be read, or an entry does not
        cover the original value; the message names column, row and value.
    HierarchyError
        A hierarchy does not fit its column.
    """
    if isinstance(released, Anonymizer):
        frame, published = _released_by(released, original)
        if quasi_identifiers is None:
            quasi_identifiers = released._roles.quasi_identifiers
        if hierarchies is None:
            hierarchies = released.hierarchies_
    else:
        frame, published = as_frame(original), as_frame(released)
        _check_same_rows(original, released, frame, published)
    hidden = [sensitive] if is_label(sensitive, frame) else None
    roles = assign_roles(frame.columns, quasi_identifiers, hidden, None)
    names = roles.quasi_identifiers
    given = check_hierarchies(frame.columns, hierarchies)
    _check_columns(names, published)
    columns = [read_column(frame[name], published[name], name, given) for name in names]
    classes = equivalence_classes(published[names]).to_numpy()
    return Reading(frame, columns, classes)


def is_label(sensitive: Any, table: pd.DataFrame) -> bool:
    """Tell whether the sensitive attribute is given by its column's label."""
    if sensitive is None or not isinstance(sensitive, Hashable):
        return False
    return not isinstance(sensitive, tuple) or sensitive in table.columns


def _released_by(anonymizer: Anonymizer, X: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    check_is_fitted(anonymizer)
    labelling = copy.copy(anonymizer)  # other encodings do not tell subsets apart
    labelling.encode = "label"
    published = as_frame(labelling.transform(X))
    names = anonymizer._column_names
    kept = [name for name in names if name not in anonymizer._roles.identifiers]
    frame = as_frame(X).set_axis(pd.Index(names, tupleize_cols=False), axis=1)
    published = published.set_axis(pd.Index(kept, tupleize_cols=False), axis=1)
    return frame, published


def _check_same_rows(
    original: Any, released: Any, frame: pd.DataFrame, published: pd.DataFrame
) -> None:
    if len(frame) != len(published):
        raise ColumnError(
            f"The original has {len(frame)} rows, but the release has "
            f"{len(published)}. Give the same records in the same order; those that "
            "the release leaves out can stand in it with '*' in all columns."
        )
    if not isinstance(original, pd.DataFrame) or not isinstance(released, pd.DataFrame):
        return  # only pandas' frames say which row is which
    ours, theirs = frame.index, published.index
    if ours.equals(theirs):
        return
    row = int(np.argmax([a != b for a, b in zip(ours, theirs, strict=True)]))
    where = f"at row {row} it is {shown(theirs[row])} instead of {shown(ours[row])}"
    if ours.is_unique and theirs.is_unique and not len(ours.difference(theirs)):
        raise ColumnError(
            f"The release has the original's index in another order: {where}. Put it "
            "into the same order: released.loc[original.index]."
        )
    raise ColumnError(
        f"The release has another index than the original: {where}. If the rows "
        "correspond nevertheless, use released.set_axis(original.index)."
    )


def _check_columns(names: list, published: pd.DataFrame) -> None:
    lost = [name for name in names if name not in published.columns]
    if lost:
        raise ColumnError(
            f"The release lacks the columns {lost}; it has {list(published.columns)}. "
            "Name the columns that it generalizes in quasi_identifiers; of skanon's "
            "own releases, encode='label' can be read back."
        )


def read_column(
    original: pd.Series, published: pd.Series, name: Any, hierarchies: Mapping[Any, Any]
) -> ReadColumn:
    """Read one column back.

    Parameters
    ----------
    original, published : Series of shape (n,)
        Compared by position.
    name : hashable
    hierarchies : mapping from column to hierarchy

    Raises
    ------
    ColumnError, HierarchyError
        As in :func:`read_release`.
    """
    domain, positions = Domain.learn(original, name)
    hierarchy = hierarchy_of(domain, hierarchies)
    bound = hierarchy.bind(domain)
    numbers, _ = code_column(published, name)
    of_row, _ = pd.factorize(numbers)
    rows = np.flatnonzero(~pd.Series(of_row).duplicated())  # in the same order
    reader = LabelReader(bound, hierarchy)
    subsets = _read_distinct(bound, reader, published.iloc[rows], rows)
    column = collect(bound, bound.codes(positions), subsets, of_row)
    covered = column.covers_own()
    if not covered.all():
        row = int(np.argmin(covered))
        after, before = shown(published.iloc[row]), shown(original.iloc[row])
        raise ColumnError(
            f"Column {name!r}: the release has {after} at row {row}, which does not "
            f"cover the original value {before}. Give the same records in the "
            "same order; where a value is hidden rather than missing, write '*'."
        )
    return column


def _read_distinct(
    bound: BoundHierarchy, reader: LabelReader, distinct: pd.Series, rows: np.ndarray
) -> list[Subset]:
    """Read each different entry of a column once."""
    subsets: list[Subset | None] = [None] * len(distinct)
    missing = distinct.isna().to_numpy(dtype=bool, na_value=True)
    at_once = np.flatnonzero(~missing & ~_is_text(distinct))
    codes = _exact(bound, distinct.iloc[at_once])
    for at, code in zip(at_once.tolist(), codes, strict=True):
        if code != _OTHER_KIND:
            subsets[at] = Span(code, code) if code != UNKNOWN else Span(0, -1)
    values = distinct.astype(object).tolist()
    for at, value in enumerate(values):
        if missing[at]:
            nothing = bound.missing < 0
            subsets[at] = Span(0, -1) if nothing else Span(bound.missing, bound.missing)
        elif isinstance(value, pd.Interval):
            subsets[at] = reader.read_interval(value)
        elif subsets[at] is None:
            subsets[at] = reader.read(str(value))
        if subsets[at] is None:
            raise _unreadable(bound.domain.name, value, int(rows[at]))
    return subsets  # type: ignore[return-value]


def _is_text(distinct: pd.Series) -> np.ndarray:
    """Tell which entries are text or intervals, and not values of a typed column."""
    dtype: Any = distinct.dtype
    if types.is_numeric_dtype(dtype) or types.is_datetime64_any_dtype(dtype):
        return np.zeros(len(distinct), dtype=bool)
    values = distinct.astype(object)
    return np.array([isinstance(x, str | pd.Interval) for x in values], dtype=bool)


def _exact(bound: BoundHierarchy, distinct: pd.Series) -> list[int]:
    """Find values that stayed what they were, such as numbers that are no text."""
    if not len(distinct):
        return []
    if distinct.dtype == object or isinstance(distinct.dtype, pd.CategoricalDtype):
        distinct = pd.Series(distinct.tolist()).infer_objects()
    if read_values(distinct, bound.domain.name).kind != bound.domain.kind:
        return [_OTHER_KIND] * len(distinct)
    return bound.codes(bound.domain.encode(distinct)[0]).tolist()


def _unreadable(name: Any, value: Any, row: int) -> ColumnError:
    return ColumnError(
        f"Column {name!r}: the release has {shown(value)} at row {row}, which is no "
        "value of the original column, no node of its hierarchy, and no '*', range or "
        "set of its values. Give the hierarchy that the label comes from in "
        "hierarchies, or correct the label."
    )


_OTHER_KIND = -2

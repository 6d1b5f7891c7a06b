"""A release read back: which values each published entry stands for."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from skanon._contract import Anonymizer
from skanon._table.containers import as_frame
from skanon._table.domain import SUPPRESSED, Domain
from skanon._table.roles import assign_roles, check_hierarchies
from skanon._table.schema import hierarchy_of
from skanon.exceptions import ColumnError
from skanon.metrics._columns import ReadColumn, collect
from skanon.metrics._labels import label_reader
from skanon.privacy import equivalence_classes
from skanon.privacy._codes import code_column
from skanon.privacy._labels import shown
from skanon.privacy._sensitive import is_label


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
        frame, published = same_rows(original, released)
    hidden = [sensitive] if is_label(sensitive, frame) else None
    roles = assign_roles(frame.columns, quasi_identifiers, hidden, None)
    names = roles.quasi_identifiers
    given = check_hierarchies(frame.columns, hierarchies)
    check_columns(names, published)
    columns = [read_column(frame[name], published[name], name, given) for name in names]
    classes = equivalence_classes(published[names]).to_numpy()
    return Reading(frame, columns, classes)


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


def same_rows(original: Any, released: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read a table and its release, which must have the same rows.

    Raises
    ------
    ColumnError
        They have not.
    """
    frame, published = as_frame(original), as_frame(released)
    if len(frame) != len(published):
        raise ColumnError(
            f"The original has {len(frame)} rows, but the release has "
            f"{len(published)}. Give the same records in the same order; those that "
            "the release leaves out can stand in it with '*' in all columns."
        )
    if not isinstance(original, pd.DataFrame) or not isinstance(released, pd.DataFrame):
        return frame, published  # only pandas' frames say which row is which
    ours, theirs = frame.index, published.index
    if ours.equals(theirs):
        return frame, published
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


def check_columns(names: list, published: pd.DataFrame) -> None:
    """Refuse a release that lacks quasi-identifiers."""
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
    reader = label_reader(bound, hierarchy)
    subsets = reader.read_all(published.iloc[rows], rows, SUPPRESSED, name)
    column = collect(bound, bound.codes(positions), subsets, of_row)
    covered = column.covers_own()
    if not covered.all():
        row = int(np.argmin(covered))
        after, before = shown(published.iloc[row]), shown(original.iloc[row])
        raise ColumnError(
            f"Column {name!r}: the release has {after} at row {row}, which does not "
            f"cover the original value {before}. {_remedy(name, hierarchies)} the "
            "same records in the same order; where a value is hidden rather than "
            "missing, write '*'."
        )
    return column


def _remedy(name: Any, hierarchies: Any) -> str:
    if name in (hierarchies or {}):
        return "Give"
    return (
        "If another tool's hierarchy says what its labels mean, give it: "
        f"hierarchies={{{name!r}: ...}}, such as read_arx reads it. Else, give"
    )

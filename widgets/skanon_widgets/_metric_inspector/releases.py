"""A table and its release, as the inspector knows them; none of it leaves Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from skanon._base import BaseAnonymizer
from skanon._release.unchanged import Unchanged, alone
from skanon._table.containers import as_frame
from skanon._table.roles import assign_roles, check_beside
from skanon._table.schema import hierarchy_of
from skanon._table.sensitive import sensitive_numbers, sensitive_table
from skanon.exceptions import ColumnError, InfeasibleError, ParameterError
from skanon.losses import Loss
from skanon.losses._named import as_loss
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._fitted import fitted_tables
from skanon.metrics._reading import Reading, read_release
from skanon.privacy import equivalence_classes
from skanon.report._words import printable

LEAST = 3
"""So many records something is told of at least, where no k above 1 was asked for."""


_TEXT = 120
"""A label is cut after so many characters."""


def shortened(value: Any, most: int = _TEXT) -> str:
    """Write a label or a name on one line, not too long."""
    text = printable(str(value))
    return text if len(text) <= most else text[: most - 1] + "…"


def names_no_value(error: Exception) -> bool:
    """Tell whether an error's text is of parameters alone, and may be saved."""
    return isinstance(error, InfeasibleError | ParameterError)


def reason(error: Exception) -> str:
    """Say why something cannot be measured, without naming a value of a record.

    Other errors than these name rows and values, and what is told here is saved in the
    notebook file.
    """
    if names_no_value(error):
        return shortened(error, most=10 * _TEXT)
    return (
        f"It cannot be measured ({type(error).__name__}). The error's text is not kept "
        "here, since it may name values of the table."
    )


@dataclass(frozen=True)
class InspectedRelease:
    """A table and its release.

    Attributes
    ----------
    name : str
    original, released : DataFrame of shape (n, r)
        The quasi-identifiers before and after, the same records in the same order.
    sensitive : DataFrame of shape (n, n_sensitive)
        Counted from row 0.
    published : frozenset
        The sensitive attributes that are published with the release.
    hierarchies : dict from column to hierarchy
    loss : Loss
    k : int or None
        What was asked for, if it is known.
    made_by : str or None
        The anonymizer's class, if it is known.
    anonymizer : BaseAnonymizer or None
        The anonymizer, where its own loss is the one that is shown.
    looked_at : list of columns
        The sensitive attributes that the loss looks at, where it looks at any.
    unchanged : Unchanged
        What is published as it is.
    linked : ndarray of int, shape (n_published,), or None
        With how many records each published person is linked, where records are
        generalized one by one; None where they are in equivalence classes.
    """

    name: str
    original: pd.DataFrame
    released: pd.DataFrame
    sensitive: pd.DataFrame
    published: frozenset
    hierarchies: Mapping[Any, Any]
    loss: Loss
    k: int | None
    made_by: str | None
    anonymizer: BaseAnonymizer | None
    looked_at: list
    unchanged: Unchanged
    linked: np.ndarray | None = None

    def __len__(self) -> int:
        """Count the records."""
        return len(self.original)

    @property
    def least(self) -> int:
        """So many records something is told of at least."""
        return self.k if self.k is not None and self.k > 1 else LEAST

    @cached_property
    def reading(self) -> Reading:
        """The release, read back."""
        return read_release(self.original, self.released, None, self.hierarchies)

    @cached_property
    def sensitive_numbers(self) -> np.ndarray:
        """The sensitive values that the loss looks at: shape (n,); else all 0."""
        return sensitive_numbers(self.loss, None, self.sensitive[self.looked_at])

    @cached_property
    def losses(self) -> AdditiveLosses:
        """What the release costs, to be asked for any loss."""
        sensitive = self.sensitive_numbers.astype(np.int64)
        return AdditiveLosses(self.reading, np.ones(len(self)), sensitive)

    @cached_property
    def settled_loss(self) -> Loss:
        """The loss, with what it learns from the table."""
        return self.losses.settled(self.loss)

    def information_loss(self) -> float:
        """Give the whole loss: the anonymizer's own figure, or the metric's."""
        if self.anonymizer is not None:
            return float(self.anonymizer.information_loss_)
        return self.losses.loss(self.loss)

    def column_losses(self) -> list[float]:
        """Give each column's loss, without weights."""
        if self.anonymizer is not None:
            by_name = self.anonymizer.column_losses_
            return [float(by_name[name]) for name in self.original.columns]
        return self.losses.column_losses(self.loss).tolist()

    def measured_by(self, loss: str | Loss) -> InspectedRelease:
        """Give the same release, measured by another loss."""
        wanted = as_loss(loss)
        wanted.relative_weights(list(self.original.columns))
        return self._with(loss=wanted, anonymizer=None)

    def renamed(self, name: str) -> InspectedRelease:
        """Give the same release under another name."""
        return self._with(name=name)

    def with_sensitive_published(self) -> InspectedRelease:
        """Give the same release, with all its sensitive attributes published."""
        return self._with(published=frozenset(self.sensitive.columns))

    def _with(self, **changed: Any) -> InspectedRelease:
        other = replace(self, **changed)
        if "reading" in self.__dict__:  # which takes time
            other.__dict__["reading"] = self.reading
        return other


def of_anonymizer(
    name: str, anonymizer: BaseAnonymizer, *, sensitive_published: bool = False
) -> InspectedRelease:
    """Take what a fitted anonymizer remembers.

    Raises
    ------
    NotFittedError
    ParameterError
        It has forgotten its records.
    """
    original, released = fitted_tables(anonymizer)
    table = anonymizer._sensitive
    sensitive = anonymizer._roles.sensitive
    published = frozenset(table.columns if sensitive_published else sensitive)
    return InspectedRelease(
        name=name,
        original=original,
        released=released,
        sensitive=table,
        published=published,
        hierarchies=anonymizer.hierarchies_,
        loss=as_loss(anonymizer.loss),
        k=int(anonymizer.k),
        made_by=type(anonymizer).__name__,
        anonymizer=anonymizer,
        looked_at=anonymizer._looked_at,
        unchanged=anonymizer.unchanged_,
        linked=None if anonymizer._model == "k" else anonymizer._linked(),
    )


def of_tables(
    name: str,
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    hierarchies: Any = None,
    loss: str | Loss = "lm",
    k: int | None = None,
    sensitive_published: bool = False,
) -> InspectedRelease:
    """Take a table and its release, whoever made it.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read; the message says why.
    ParameterError
        Another parameter is unfit.
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise ParameterError(f"k is {k!r}, but must be an integer of at least 1.")
    before, after = as_frame(original), as_frame(released)
    table, published = _sensitive_of(sensitive, before, after, len(before))
    inside = [column for column in table.columns if column in before.columns]
    roles = assign_roles(before.columns, quasi_identifiers, inside or None, None)
    names = roles.quasi_identifiers
    wanted = as_loss(loss)
    reading = read_release(original, released, names, hierarchies)
    release = InspectedRelease(
        name=name,
        original=reading.original.reset_index(drop=True),
        released=after[names].reset_index(drop=True),
        sensitive=table,
        published=frozenset(table.columns) if sensitive_published else published,
        hierarchies={
            column.name: hierarchy_of(column.bound.domain, hierarchies or {})
            for column in reading.columns
        },
        loss=wanted,
        k=k,
        made_by=None,
        anonymizer=None,
        looked_at=list(table.columns),
        unchanged=_unchanged(after, names, table.columns),
    )
    release.__dict__["reading"] = reading  # it was read to be checked: not twice
    wanted.relative_weights(names)
    return release


def _unchanged(
    released: pd.DataFrame, quasi_identifiers: list, sensitive: Any
) -> Unchanged:
    roled = {*quasi_identifiers, *sensitive}
    others = [name for name in released.columns if name not in roled]
    classes = equivalence_classes(released, quasi_identifiers).to_numpy()
    return Unchanged.of(released, others, [], lambda known: alone(known, classes))


def _sensitive_of(
    sensitive: Any, before: pd.DataFrame, after: pd.DataFrame, n: int
) -> tuple[pd.DataFrame, frozenset]:
    """Find the sensitive attributes, and those of them that the release holds."""
    if sensitive is None:
        return pd.DataFrame(index=range(n)), frozenset()
    if not isinstance(sensitive, str | int) and (
        hasattr(sensitive, "shape") or hasattr(sensitive, "to_pandas")
    ):
        check_beside(before, n, sensitive=sensitive)
        name = getattr(sensitive, "name", None)
        table = sensitive_table(pd.DataFrame(index=range(n)), None, sensitive)
        if name is not None and table.shape[1] == 1:
            table.columns = pd.Index([name], tupleize_cols=False)
        return table, frozenset()
    labels = sensitive if isinstance(sensitive, list) else [sensitive]
    columns, published = {}, set()
    for label in labels:
        if label in after.columns and len(after) == n:
            columns[label] = after[label].array
            published.add(label)
        elif label in before.columns:
            columns[label] = before[label].array
        else:
            raise ColumnError(
                f"sensitive names {label!r}, but neither table has such a column: the "
                f"original has {list(before.columns)}, the release "
                f"{list(after.columns)}. Name a column of one of them, or give the "
                "values themselves, one per row."
            )
    return pd.DataFrame(columns), frozenset(published)

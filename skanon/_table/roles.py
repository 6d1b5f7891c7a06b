"""Reading a table, and which of its columns plays which role."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError, ColumnTypeError, in_short


def check_lengths(n: int, **others: Any) -> None:
    """Check that what comes beside the table has a value for each row.

    Raises
    ------
    ColumnError
        It has not; the message names it.
    """
    for name, values in others.items():
        if values is None:
            continue
        shape = getattr(values, "shape", None) or np.asarray(values, dtype=object).shape
        if shape[:1] != (n,):
            given = f"has {shape[0]}" if shape else f"is {values!r}"
            raise ColumnError(
                f"X has {n} rows, but {name} {given}. Give one value per row."
            )


def check_beside(X: Any, n: int, **others: Any) -> None:
    """Check what comes beside the table: a value for each row, in the table's order.

    Parameters
    ----------
    X : DataFrame or array-like
        The table, as it was given.
    n : int
        The number of its rows.
    **others
        What comes beside it, by its name; what is no Series or DataFrame of pandas has
        no index, and goes by position.

    Raises
    ------
    ColumnError
        It has another length, or its index has the labels of the table's in another
        order: by position it would belong to other rows. The message names it.
    """
    check_lengths(n, **others)
    if not isinstance(X, pd.DataFrame):
        return
    for name, values in others.items():
        if not isinstance(values, pd.Series | pd.DataFrame):
            continue
        if values.index.equals(X.index) or not _has_labels(values.index, X.index):
            continue
        pairs = zip(values.index.tolist(), X.index.tolist(), strict=True)
        row, own, theirs = next((i, a, b) for i, (a, b) in enumerate(pairs) if a != b)
        raise ColumnError(
            f"{name} has the rows of the table in another order: its row {row} has the "
            f"index {own!r}, the table's {theirs!r}. Use {name}.loc[X.index], or "
            f"{name}.to_numpy() if the rows correspond as they are."
        )


def _has_labels(index: pd.Index, other: pd.Index) -> bool:
    """Tell whether an index has the labels of another one, in any order."""
    if index.nlevels != other.nlevels:
        return False
    try:
        codes, _ = pd.factorize(index.append(other))
    except (TypeError, ValueError):  # labels that cannot be compared
        return False
    tally = np.bincount(codes[: len(index)] + 1, minlength=codes.max(initial=-1) + 2)
    others = np.bincount(codes[len(index) :] + 1, minlength=len(tally))
    return bool(np.array_equal(tally, others))


@dataclass(frozen=True)
class Roles:
    """Which columns are what; together they are all columns of the table.

    Attributes
    ----------
    quasi_identifiers, sensitive, identifiers, others : list
        Column names, in the table's order.
    levels : list
        The names of the index's levels that are identifiers, too.
    """

    quasi_identifiers: list
    sensitive: list
    identifiers: list
    others: list
    levels: list = field(default_factory=list)


def assign_roles(
    columns: pd.Index,
    quasi_identifiers: Any,
    sensitive: Any,
    identifiers: Any,
    levels: Iterable[Any] = (),
) -> Roles:
    """Give each column its role.

    Parameters
    ----------
    columns : Index
        The table's columns.
    quasi_identifiers : list of columns, or None
        None: all that are neither sensitive nor identifiers.
    sensitive, identifiers : column, list of columns, or None
        Identifiers may be levels of the index, too.
    levels : iterable
        The names of the index's levels.

    Raises
    ------
    ColumnError
        A column is unknown, named twice or has two roles, or there is no
        quasi-identifier.
    """
    hidden = _listed(columns, sensitive, "sensitive")
    identifiers, hidden_levels = _without_levels(columns, identifiers, levels)
    dropped = _listed(columns, identifiers, "identifiers")
    chosen = _listed(columns, quasi_identifiers, "quasi_identifiers")
    if quasi_identifiers is None:
        chosen = [c for c in columns if c not in hidden and c not in dropped]
    named = {
        "quasi_identifiers": chosen,
        "sensitive": hidden,
        "identifiers": dropped,
    }
    seen: dict[Hashable, str] = {}
    for role, listed in named.items():
        for column in listed:
            if column in seen:
                raise ColumnError(
                    f"Column {column!r} is named in both {seen[column]} and {role}. "
                    "Give each column one role."
                )
            seen[column] = role
    if not chosen:
        raise ColumnError(
            "The table has no quasi-identifier: name the columns that others may know "
            f"in quasi_identifiers. The columns are {list(columns)}."
        )
    in_order = {role: [c for c in columns if c in set(x)] for role, x in named.items()}
    others = [c for c in columns if c not in seen]
    return Roles(**in_order, others=others, levels=hidden_levels)


def _without_levels(
    columns: pd.Index, identifiers: Any, levels: Iterable[Any]
) -> tuple[Any, list]:
    """Part identifiers into columns and levels of the index."""
    names = [name for name in levels if name is not None and name not in columns]
    if isinstance(identifiers, str) or not isinstance(identifiers, Iterable):
        return (None, [identifiers]) if identifiers in names else (identifiers, [])
    if isinstance(identifiers, tuple) and identifiers in list(columns):
        return identifiers, []
    if isinstance(identifiers, Mapping) or hasattr(identifiers, "columns"):
        return identifiers, []
    listed = list(identifiers)
    found = [name for name in names if name in listed]
    return [name for name in listed if name not in found], found


def without_levels(index: pd.Index, levels: list) -> pd.Index:
    """Drop levels of an index; rows are counted where none is left."""
    present = [level for level in levels if level in index.names]
    if len(present) == index.nlevels:
        return pd.RangeIndex(len(index))
    return index.droplevel(present) if present else index


def _listed(columns: pd.Index, given: Any, role: str) -> list:
    if given is None:
        return []
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        raise ColumnError(
            f"{role} is a {type(given).__name__}, which is not a list of columns. Name "
            "the columns, as in ['age', 'town']."
        )
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    listed = [given] if is_one or given in _hashable(columns, given) else list(given)
    mask = columns.dtype != bool and any(isinstance(c, bool | np.bool_) for c in listed)
    for column in listed:
        if mask or not isinstance(column, Hashable) or column not in columns:
            raise ColumnError(
                f"{role} names {column!r}, which is not a column of the table. The "
                f"columns are {list(columns)}."
            )
    if len(set(listed)) < len(listed):
        twice = [c for c in dict.fromkeys(listed) if listed.count(c) > 1]
        raise ColumnError(f"{role} names {twice} more than once. Name each once.")
    return listed


def _hashable(columns: pd.Index, given: Any) -> list:
    """Allow a tuple that is itself a column's name."""
    return list(columns) if isinstance(given, tuple) else []


def check_hierarchies(columns: pd.Index, hierarchies: Any) -> dict:
    """Check that hierarchies are given for columns of the table.

    Raises
    ------
    ColumnError
        A hierarchy is given for a column that the table lacks.
    """
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        raise ColumnTypeError(
            "hierarchies must map columns to their hierarchies, such as "
            f"{{'age': 'intervals'}}; it is {in_short(hierarchies)}."
        )
    for column in hierarchies:
        if column not in columns:
            raise ColumnError(
                f"hierarchies names {column!r}, which is not a column of the table. "
                f"The columns are {list(columns)}."
            )
    return dict(hierarchies)

"""Raw records, and the classes of a release beside them, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from skanon.exceptions import ColumnError, ParameterError
from skanon.privacy._classes import Classes, check_suppressed
from skanon.privacy._labels import read_labels
from skanon.privacy._published import find_columns, refuse_repeated, to_pandas
from skanon.privacy._sensitive import read_attribute
from skanon.privacy._trees import Tree
from skanon.privacy._wildcards import open_wildcards


class Column(NamedTuple):
    """One quasi-identifier, raw and released.

    Attributes
    ----------
    name : hashable
    values : Series of shape (n_values,)
        The distinct raw values, a missing one among them.
    of_row : ndarray of int64, shape (n_raw,)
        The value of each raw record, those of all raw tables one below the other.
    of_class : ndarray of int64, shape (n_classes,)
        The label of each class.
    labels : list of ndarray of int64
        The values that each label stands for.
    """

    name: Any
    values: pd.Series
    of_row: np.ndarray
    of_class: np.ndarray
    labels: list[np.ndarray]


def read_raw(frame: Any, parameter: str) -> pd.DataFrame:
    """Read a table of raw records.

    Raises
    ------
    ColumnError, ColumnTypeError
        It has no rows, a name stands for several columns, or it is no table.
    """
    table = to_pandas(frame)
    refuse_repeated(table.columns)
    if not len(table):
        raise ColumnError(f"{parameter} has no rows. Give at least one record.")
    return table


def same_length(original: pd.DataFrame, released: pd.DataFrame) -> None:
    """Refuse tables of which one has more rows.

    Raises
    ------
    ColumnError
        One has.
    """
    if len(original) != len(released):
        raise ColumnError(
            f"original has {len(original)} rows, but the release has {len(released)}. "
            "Give exactly the people of the release: those whose records were left out "
            "of it must be left out of original, too."
        )


def choose_columns(
    quasi_identifiers: Any,
    released: pd.DataFrame,
    raw: Mapping[str, pd.DataFrame],
    sensitive: list[Any],
) -> list[Any]:
    """Find the quasi-identifiers that the release and all raw tables have.

    Parameters
    ----------
    quasi_identifiers : iterable of labels, or None
        None means all common columns but the sensitive one.
    released : DataFrame
    raw : mapping from the name of a parameter to its table
    sensitive : list of labels
        The sensitive attribute, where it is a column.

    Raises
    ------
    ColumnError
        A column is unknown, named twice or sensitive, or none is common.
    """
    if quasi_identifiers is None:
        names = [
            name
            for name in released.columns
            if name not in sensitive and all(name in x.columns for x in raw.values())
        ]
        if not names:
            known = {"the release": released, **raw}
            listed = "; ".join(f"{x} has {_listed(t)}" for x, t in known.items())
            raise ColumnError(
                f"The tables have no quasi-identifier in common: {listed}. Give the "
                "columns the same names in all of them."
            )
        return names
    refuse_repeated(released.columns)
    positions = find_columns(released.columns, quasi_identifiers, "quasi_identifiers")
    names = [released.columns[at] for at in positions]
    if not names:
        raise ColumnError("quasi_identifiers names no column. Name at least one.")
    both = [name for name in names if name in sensitive]
    if both:
        raise ColumnError(
            f"The column {both[0]!r} is named as quasi-identifier and as sensitive "
            "attribute. Remove it from one of them."
        )
    for parameter, table in raw.items():
        lacking = [name for name in names if name not in table.columns]
        if lacking:
            raise ColumnError(
                f"{parameter} has no column {lacking[0]!r}, which quasi_identifiers "
                f"names. Its columns are {_listed(table)}. Add it, or name the "
                "quasi-identifiers that all tables have."
            )
    return names


def read_columns(
    classes: Classes,
    raw: Mapping[str, pd.DataFrame],
    trees: Mapping[Any, Tree],
    suppressed: Any,
    wildcard: bool = False,
) -> list[Column]:
    """Read the labels of a release as sets of raw values.

    Parameters
    ----------
    classes : Classes
        Wholly suppressed rows may be a class among them.
    raw : mapping from the name of a parameter to its table
    trees : mapping from column to Tree
    suppressed : scalar or None
        What stands for every value.
    wildcard : bool, default=False
        Whether missing cells do, too.

    Returns
    -------
    list of Column

    Raises
    ------
    ColumnError
        A label cannot be read, or a column is of different kinds in the raw tables.
    ParameterError
        ``suppressed`` cannot be the value of a cell.
    """
    check_suppressed(suppressed)
    published = classes.published
    first = classes.first_rows()
    columns = []
    for j, name in enumerate(published.columns):
        labels = read_attribute(published.iloc[:, j].iloc[first], name)
        values = read_attribute(_stack(raw, name), name)
        found = read_labels(
            labels, first, values.values, trees.get(name), suppressed, name, _OTHERS
        )
        if wildcard:
            found = open_wildcards(found, labels.values, values.values, suppressed)
        columns.append(Column(name, values.values, values.codes, labels.codes, found))
    return columns


def _stack(raw: Mapping[str, pd.DataFrame], name: Any) -> pd.Series:
    columns = {parameter: table[name] for parameter, table in raw.items()}
    stacked = pd.concat(list(columns.values()), ignore_index=True)
    dtypes = {parameter: column.dtype for parameter, column in columns.items()}
    kinds = {parameter: _kind(dtype) for parameter, dtype in dtypes.items()}
    if len(set(kinds.values()) - {"any"}) > 1:
        listed = ", ".join(f"{dtype} in {x}" for x, dtype in dtypes.items())
        raise ColumnError(
            f"Column {name!r} is of different kinds: {listed}. Convert it to the same "
            "one everywhere."
        )
    return stacked


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return f"categories {list(dtype.categories)}" if dtype.ordered else "any"
    if types.is_bool_dtype(dtype):
        return "bool"
    if dtype.kind in "iuf":
        return "number"
    if dtype.kind in "mM":
        return str(dtype.kind)
    return "any" if types.is_object_dtype(dtype) else "text"


def _listed(table: pd.DataFrame) -> str:
    names = [repr(name) for name in table.columns]
    more = [f"and {len(names) - 10} more"] if len(names) > 10 else []
    return ", ".join(names[:10] + more)


def one_name(sensitive: Any) -> None:
    """Refuse several sensitive attributes.

    Raises
    ------
    ParameterError
        There are several.
    """
    several = isinstance(sensitive, (list, pd.Index)) and len(sensitive) > 1
    if several or (isinstance(sensitive, pd.DataFrame) and sensitive.shape[1] > 1):
        raise ParameterError(
            f"sensitive names {len(list(sensitive))} sensitive attributes. Attack one "
            "at a time."
        )


_OTHERS = (
    " If it is a value of people who are not in the raw table, give a table that has "
    "it, as domain where there is such a parameter."
)

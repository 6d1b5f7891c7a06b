"""Which columns, and which combinations of them, single records out."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ParameterError, in_short
from skanon.privacy._classes import classify
from skanon.privacy._codes import code_column, combine
from skanon.privacy._k_anonymity import check_k
from skanon.privacy._meaning import meant_by, names_people
from skanon.privacy._published import read_published, to_pandas
from skanon.privacy._sensitive import sensitive_names

_ROOM = 4
"""A dense count may take this many cells per row."""


def singled_out(
    X: Any, quasi_identifiers: Any = None, *, max_columns: int = 3
) -> pd.DataFrame:
    """Count the records that each set of columns singles out.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The table, raw or published. A suppressed value is a value like others here.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    max_columns : int, default=3
        The largest sets; r columns have r (r - 1) / 2 sets of two, and so on.

    Returns
    -------
    DataFrame of shape (n_sets, 5)
        One row per set of columns, the most dangerous first: its ``"columns"`` as a
        tuple, how many they are (``"n_columns"``), the ``"unique"`` records that nobody
        shares the values of, their ``"share"`` of all records, and the number of
        ``"classes"``. Among equals, smaller sets come first.

    Raises
    ------
    ParameterError
        ``max_columns`` is no positive integer.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`equivalence_classes`.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import singled_out
    >>> people = pd.DataFrame({"age": [20, 20, 31, 31], "sex": ["f", "m", "f", "f"]})
    >>> singled_out(people)[["columns", "unique"]].to_dict("list")
    {'columns': [('age', 'sex'), ('sex',), ('age',)], 'unique': [2, 1, 0]}
    """
    if (
        isinstance(max_columns, (bool, np.bool_))
        or not isinstance(max_columns, Integral)
        or max_columns < 1
    ):
        raise ParameterError(
            f"max_columns is {in_short(max_columns)}, but must be an integer of at "
            "least 1."
        )
    names, columns, n = _read(X, quasi_identifiers)
    records = []
    for chosen, joint in _subsets(columns, int(max_columns)):
        unique, n_classes = _count(joint)
        subset = tuple(names[j] for j in chosen)
        records.append((subset, len(chosen), unique, unique / n, n_classes))
    order = sorted(range(len(records)), key=lambda i: (-records[i][2], records[i][1]))
    found = pd.DataFrame(
        [records[i][1:] for i in order],
        columns=pd.Index(["n_columns", "unique", "share", "classes"]),
    )
    sets = pd.Series([records[i][0] for i in order], dtype=object)
    found.insert(0, "columns", sets)
    return found


def suggest_quasi_identifiers(X: Any, *, sensitive: Any = ()) -> pd.DataFrame:
    """Suggest a role for each column, by its name, its values and what it singles out.

    What nobody says otherwise of is a quasi-identifier: no count can tell what
    others know of people, so no column is suggested to be published as it is because
    it adds little. Identifiers are suggested by their names (in English, German,
    French, Spanish and Italian), by whole numbers and texts that are nearly all
    different, and by addresses of e-mail; sensitive attributes by their names, where
    no record is alone with its value.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The raw table.
    sensitive : column label or list of labels, default=()
        Columns that are known to be sensitive, which are left out.

    Returns
    -------
    DataFrame of shape (n_columns, 6)
        One row per column, named by the index: its number of ``"distinct"`` values; the
        records it makes ``"unique"`` by itself; the share of pairs of records that it
        tells apart (``"separation"``); the records that it makes unique ``"together"``
        with those above it in the table; the ``"suggestion"``, one of
        ``"identifier"``, ``"quasi-identifier"`` and ``"sensitive"``; and the
        ``"reason"``, a sentence. Identifiers come first; of the others each is the one
        that splits the table into most classes together with those above it, sensitive
        ones last.

    Raises
    ------
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`equivalence_classes`.

    References
    ----------
    R. Motwani, Y. Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers
    (2007): separation, and the greedy choice.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import suggest_quasi_identifiers
    >>> people = pd.DataFrame(
    ...     {
    ...         "name": ["Ann", "Bob", "Cem", "Dan"],
    ...         "sex": ["f", "m", "m", "m"],
    ...         "age": [20, 20, 31, 45],
    ...         "disease": ["flu", "flu", "cold", "cold"],
    ...     }
    ... )
    >>> suggest_quasi_identifiers(people)["suggestion"].to_dict()
    {'name': 'identifier', 'age': 'quasi-identifier', 'sex': 'quasi-identifier', \
'disease': 'sensitive'}
    """
    names, columns, n = _read(X, None)
    table = to_pandas(X)
    asked = not isinstance(sensitive, (tuple, list)) or len(sensitive) > 0
    hidden = sensitive_names(table, sensitive) if asked else []
    alone = [_count(column) for column in columns]
    kept = [j for j, name in enumerate(names) if name not in hidden]
    about = {j: _suggested(table.iloc[:, j], names[j], *alone[j]) for j in kept}
    by_role = {
        role: [j for j in kept if about[j][0] == role]
        for role in ("identifier", "quasi-identifier", "sensitive")
    }
    order = [(j, alone[j][0]) for j in by_role["identifier"]]
    rest = [by_role["quasi-identifier"], by_role["sensitive"]]
    order += _add_greedily(columns, rest)
    records = [
        (alone[j][1], alone[j][0], _separation(columns[j], n), together, *about[j])
        for j, together in order
    ]
    return pd.DataFrame(
        records,
        index=pd.Index([names[j] for j, _ in order], tupleize_cols=False),
        columns=pd.Index(
            ["distinct", "unique", "separation", "together", "suggestion", "reason"]
        ),
    )


def _suggested(
    column: pd.Series, name: Any, unique: int, distinct: int
) -> tuple[str, str]:
    """Suggest a column's role, and say why."""
    meant = meant_by(name)
    if meant == "identifier":
        return meant, "Its name says that it names people."
    why = "" if meant == "quasi-identifier" else names_people(column, unique, distinct)
    if why:
        return "identifier", why
    if meant == "sensitive" and not unique:
        return meant, "Its name says that it is sensitive; protect it by a constraint."
    if meant == "sensitive":
        return "quasi-identifier", (
            f"Its name says that it is sensitive, but {unique:,} records are alone "
            "with their value: as it is, it would name them to whoever knows it."
        )
    if meant is not None:
        return meant, "Neighbours, colleagues or registers know it."
    if distinct < 2:
        return "quasi-identifier", "All records have the same value."
    return "quasi-identifier", "Others may know it; only you can tell that they do not."


def small_class_causes(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    k: int,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> pd.DataFrame:
    """Tell which column makes each record of a small class stand out.

    For each column, the class is counted that the record would be in if the column were
    left out. The cause is the column without which this class is the largest.

    Parameters
    ----------
    frame, quasi_identifiers, suppressed, wildcard
        As in :func:`equivalence_classes`.
    k : int
        Classes of fewer rows are small.

    Returns
    -------
    DataFrame of shape (n_small, 4)
        One row per record in a small class, with its label in ``X`` as index: the
        ``"size"`` of its class, the ``"column"`` that is the cause and the record's
        ``"value"`` in it, and its ``"size_without"`` that column. Count the causes with
        ``["column"].value_counts()``. The class would still be small where
        ``size_without`` is below k: then it takes more than one column. Empty if the
        table is k-anonymous. The first column is the cause among equals.

    Raises
    ------
    ParameterError
        ``k`` is no positive integer.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`equivalence_classes`.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import small_class_causes
    >>> people = pd.DataFrame({"age": [20, 20, 99], "sex": ["f", "f", "f"]})
    >>> small_class_causes(people, k=2).to_dict("index")
    {2: {'size': 1, 'column': 'age', 'value': 99, 'size_without': 3}}
    """
    k = check_k(k)
    classes = classify(X, quasi_identifiers, suppressed, wildcard)
    published = classes.published
    small = np.flatnonzero(classes.groups >= 0)
    reach = classes.reach
    small = small[reach[classes.groups[small]] < k]
    inside = classes.groups >= 0
    names = list(published.columns)
    columns = [code_column(published.iloc[:, j], name) for j, name in enumerate(names)]
    best = np.full(len(small), -1)
    without = np.zeros(len(small), dtype=np.int64)
    for j in range(len(names) if len(small) else 0):
        if classes.neighbours is None:
            sizes = _sizes_without(columns, j, inside)[small]
        else:
            sizes = classes.without(j).reach[classes.groups[small]]
        better = sizes > without
        best[better], without[better] = j, sizes[better]
    values = np.empty(len(small), dtype=object)
    for j in np.unique(best):
        rows = np.flatnonzero(best == j)
        values[rows] = published.iloc[small[rows], int(j)].astype(object)
    found = {
        "size": reach[classes.groups[small]],
        "column": pd.Series([names[j] for j in best], dtype=object).array,
        "value": values,
        "size_without": without,
    }
    return pd.DataFrame(found, index=published.index[small])


def _read(
    frame: Any, quasi_identifiers: Any
) -> tuple[list[Any], list[tuple[np.ndarray, int]], int]:
    """Give the columns' names, the codes of their values, and the number of rows."""
    table = read_published(frame, quasi_identifiers)
    names = list(table.columns)
    columns = []
    for j, name in enumerate(names):
        codes, distinct = pd.factorize(code_column(table.iloc[:, j], name)[0])
        columns.append((codes.astype(np.int64), len(distinct)))
    return names, columns, len(table)


def _subsets(
    columns: list[tuple[np.ndarray, int]],
    most: int,
    chosen: tuple[int, ...] = (),
    joint: tuple[np.ndarray, int] | None = None,
) -> Iterator[tuple[tuple[int, ...], tuple[np.ndarray, int]]]:
    """Yield the sets of columns that begin with some, with their joint codes."""
    for j in range(chosen[-1] + 1 if chosen else 0, len(columns)):
        grown = columns[j] if joint is None else combine(joint, columns[j])
        yield (*chosen, j), grown
        if len(chosen) + 1 < most:
            yield from _subsets(columns, most, (*chosen, j), grown)


def _count(joint: tuple[np.ndarray, int]) -> tuple[int, int]:
    """Count the records that are alone with their code, and the codes."""
    codes, width = joint
    if width <= _ROOM * len(codes):
        counts = np.bincount(codes)
        counts = counts[counts > 0]
    else:
        ordered = np.sort(codes)
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(starts, append=len(codes))
    return int((counts == 1).sum()), len(counts)


def _separation(column: tuple[np.ndarray, int], n: int) -> float:
    """Give the share of pairs of records that a column tells apart."""
    if n == 1:
        return 0.0
    counts = np.bincount(column[0])
    return 1 - float((counts * (counts - 1)).sum()) / (n * (n - 1))


def _add_greedily(
    columns: list[tuple[np.ndarray, int]], parts: list[list[int]]
) -> list[tuple[int, int]]:
    """Order columns, part by part; tell what they single out with those before them."""
    joint = np.zeros(len(columns[0][0]), dtype=np.int64), 1
    order: list[tuple[int, int]] = []
    for part in parts:
        left = list(part)
        while left:
            grown = [combine(joint, columns[j]) for j in left]
            at = int(np.argmax([_count(one)[1] for one in grown]))
            codes, distinct = pd.factorize(grown[at][0])
            joint = codes.astype(np.int64), len(distinct)
            order.append((left.pop(at), _count(joint)[0]))
    return order


def _sizes_without(
    columns: list[tuple[np.ndarray, int]], left_out: int, inside: np.ndarray
) -> np.ndarray:
    """Give the size of each row's class without one column."""
    joint = np.zeros(len(inside), dtype=np.int64), 1
    for j, column in enumerate(columns):
        if j != left_out:
            joint = combine(joint, column)
    codes, _ = pd.factorize(joint[0])
    return np.bincount(codes[inside], minlength=codes.max() + 1)[codes]

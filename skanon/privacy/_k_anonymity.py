"""k-anonymity of a table as it is published, whoever made it."""

from __future__ import annotations

from numbers import Integral, Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ParameterError, ReleaseError
from skanon.privacy._codes import code_column, combine, equals
from skanon.privacy._published import read_published

_SHOWN_COLUMNS = 20
_SHOWN_CHARACTERS = 60


class _Classes(NamedTuple):
    """The equivalence classes of a published table.

    ``of_row`` holds each row's class and -1 for wholly suppressed rows; ``sizes`` the
    rows of each class.
    """

    published: pd.DataFrame
    of_row: np.ndarray
    sizes: np.ndarray

    def too_small(self, k: int) -> np.ndarray:
        """Give the classes of fewer than k rows, the smallest first."""
        if not len(self.sizes):
            # nothing but suppressed rows: they hide among themselves
            return np.full(int(len(self.of_row) < k), -1)
        small = np.flatnonzero(self.sizes < k)
        return small[np.argsort(self.sizes[small], kind="stable")]

    def rows_of(self, classes: np.ndarray) -> list[np.ndarray]:
        """Give the positions of the rows of each of some classes."""
        wanted = np.flatnonzero(np.isin(self.of_row, classes))
        owners = self.of_row[wanted]
        wanted = wanted[np.argsort(owners, kind="stable")]
        numbers, counts = np.unique(owners, return_counts=True)
        parts = np.split(wanted, np.cumsum(counts)[:-1])
        return [parts[at] for at in np.searchsorted(numbers, classes)]


def equivalence_classes(
    frame: Any, quasi_identifiers: Any = None, *, suppressed: Any = "*"
) -> pd.Series:
    """Give each row of a table the number of its equivalence class.

    Two rows belong to one equivalence class if they read the same in every
    quasi-identifier. Rows are compared by position, never by their index. Missing
    values (NaN, NA, NaT and None alike) are one value of its own that equals only
    itself. In a column of objects, values of different types differ: 1, 1.0, True and
    "1" are four values. In a numeric column 0.0 and -0.0 are one number.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table. An array's columns are named by their positions.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value. A row that holds it in every
        quasi-identifier is wholly suppressed and in no class. None means that no value
        does.

    Returns
    -------
    Series of int64, shape (n,)
        Named ``"equivalence_class"``, with the index of ``frame``: 0 to
        ``n_classes - 1`` in the order of first appearance, and -1 for wholly suppressed
        rows.

    Raises
    ------
    ColumnError
        The table is empty, there is no quasi-identifier, one is unknown or named twice,
        or column names repeat.
    ColumnTypeError
        The table or the values of a column cannot be compared, such as lists.
    ParameterError
        ``quasi_identifiers`` is no list of labels, or ``suppressed`` is no scalar.

    References
    ----------
    Sweeney's and Samarati's model as given in A. Gionis, A. Mazza, T. Tassa,
    k-Anonymization Revisited, definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import equivalence_classes
    >>> release = pd.DataFrame(
    ...     {"age": ["[20, 29]", "*", "[20, 29]"], "sex": ["F", "*", "F"]}
    ... )
    >>> equivalence_classes(release).tolist()
    [0, -1, 0]
    >>> equivalence_classes(release, suppressed=None).tolist()
    [0, 1, 0]
    """
    classes = _classify(frame, quasi_identifiers, suppressed)
    return pd.Series(
        classes.of_row, index=classes.published.index, name="equivalence_class"
    )


def k_anonymity(
    frame: Any, quasi_identifiers: Any = None, *, suppressed: Any = "*"
) -> int:
    """Measure which k a table achieves: the size of its smallest equivalence class.

    Each row of a k-anonymous table reads like at least k - 1 others in its
    quasi-identifiers, so that nobody who knows these can link a person to fewer than k
    rows. Wholly suppressed rows tell nothing and do not count as a class, however few
    they are; if there are no other rows, they cannot be told apart and k is their
    number.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.

    Returns
    -------
    int
        At least 1 and at most n.

    Raises
    ------
    ColumnError, ColumnTypeError, ParameterError
        As in `equivalence_classes`, which also says what counts as equal.

    References
    ----------
    Samarati's and Sweeney's model as given in J. Goldberger, T. Tassa, Efficient
    Anonymizations with Enhanced Utility, section 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import k_anonymity
    >>> release = pd.DataFrame({"zip": ["47*", "47*", "48*", "48*", "48*", "*"]})
    >>> k_anonymity(release, ["zip"])
    2
    """
    classes = _classify(frame, quasi_identifiers, suppressed)
    return int(classes.sizes.min()) if len(classes.sizes) else len(classes.of_row)


def violations(
    frame: Any,
    quasi_identifiers: Any = None,
    *,
    k: int,
    suppressed: Any = "*",
) -> pd.DataFrame:
    """List the equivalence classes that are smaller than k.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    k : int
        The promise, at least 1.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.

    Returns
    -------
    DataFrame of shape (n_offending, n_quasi_identifiers + 3)
        One row per offending class, the smallest first, indexed by the class's number
        in `equivalence_classes`: its values, its ``"size"``, the index labels of its
        ``"rows"`` and their ``"positions"`` (unambiguous where labels repeat), both as
        lists. Where a quasi-identifier has one of these three names, ours ends in
        ``"_"``. Empty if and only if `k_anonymity` is at least k.

    Raises
    ------
    ParameterError
        ``k`` is not an integer of at least 1.
    ColumnError, ColumnTypeError, ParameterError
        As in `equivalence_classes`.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited, definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import violations
    >>> release = pd.DataFrame({"zip": ["47*", "48*", "47*"]}, index=["a", "b", "c"])
    >>> violations(release, ["zip"], k=2).to_dict("index")
    {1: {'zip': '48*', 'size': 1, 'rows': ['b'], 'positions': [1]}}
    """
    k = _check_k(k)
    classes = _classify(frame, quasi_identifiers, suppressed)
    small = classes.too_small(k)
    rows = classes.rows_of(small)
    published = classes.published
    table = published.iloc[[int(positions[0]) for positions in rows]]
    table = table.set_axis(pd.Index(small, name="equivalence_class"))
    found = {
        "size": pd.Series([len(positions) for positions in rows], dtype="int64"),
        "rows": pd.Series([published.index[at].tolist() for at in rows], dtype=object),
        "positions": pd.Series([at.tolist() for at in rows], dtype=object),
    }
    labels = list(table.columns)
    table = table.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)
    for name, values in found.items():
        while name in labels:
            name += "_"
        labels.append(name)
        table[name] = values.array
    return table


def check_release(
    frame: Any, quasi_identifiers: Any, k: int, *, suppressed: Any = "*"
) -> None:
    """Refuse a table that is not k-anonymous.

    Wholly suppressed rows are allowed in any number, as long as anything else is
    published; how many are too many is for the caller to say.

    Parameters
    ----------
    frame : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The table to be published.
    quasi_identifiers : iterable of column labels, or None
        None means every column.
    k : int
        The promise, at least 1.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.

    Raises
    ------
    ReleaseError
        An equivalence class has fewer than k rows. The message counts the offending
        classes and rows, and shows the values of a smallest class but no others.
    ColumnError, ColumnTypeError, ParameterError
        As in `violations`.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited, definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import check_release
    >>> release = pd.DataFrame({"zip": ["47*", "48*", "47*"]})
    >>> check_release(release, ["zip"], 1)
    >>> check_release(release, ["zip"], 2)
    Traceback (most recent call last):
        ...
    skanon.exceptions.ReleaseError: The table is not 2-anonymous: 1 of 2 equivalence \
classes have fewer than 2 rows (1 row in all). The smallest has 1 row, where 'zip' is \
'48*'. Do not publish this table; skanon.privacy.violations lists the classes and rows.
    """
    k = _check_k(k)
    classes = _classify(frame, quasi_identifiers, suppressed)
    small = classes.too_small(k)
    if not len(small):
        return
    n_rows = int(np.isin(classes.of_row, small).sum())
    members = np.flatnonzero(classes.of_row == small[0])
    raise ReleaseError(
        f"The table is not {k}-anonymous: {len(small)} of {max(len(classes.sizes), 1)} "
        f"equivalence classes have fewer than {k} rows ({_rows(n_rows)} in all). The "
        f"smallest has {_rows(len(members))}, where "
        f"{_describe(classes.published, int(members[0]))}. Do not publish this table; "
        "skanon.privacy.violations lists the classes and rows."
    )


def _classify(frame: Any, quasi_identifiers: Any, suppressed: Any) -> _Classes:
    _check_suppressed(suppressed)
    published = read_published(frame, quasi_identifiers)
    n, n_columns = published.shape
    joint = np.zeros(n, dtype=np.int64), 1
    for j, name in enumerate(published.columns):
        joint = combine(joint, code_column(published.iloc[:, j], name))
    of_row, distinct = pd.factorize(joint[0])
    first = np.empty(len(distinct), dtype=np.int64)
    first[of_row[::-1]] = np.arange(n)[::-1]
    hidden = np.arange(len(distinct) if suppressed is not None else 0)
    for j in range(n_columns):
        if len(hidden):
            cells = published.iloc[:, j].iloc[first[hidden]]
            hidden = hidden[equals(cells, suppressed)]
    shown = np.ones(len(distinct), dtype=bool)
    shown[hidden] = False
    renumbered = np.where(shown, np.cumsum(shown) - 1, -1)
    return _Classes(published, renumbered[of_row], np.bincount(of_row)[shown])


def _check_k(k: Any) -> int:
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, Integral) or k < 1:
        raise ParameterError(f"k is {k!r}, but must be an integer of at least 1.")
    return int(k)


def _check_suppressed(suppressed: Any) -> None:
    scalar = suppressed is None or suppressed is pd.NA or suppressed is pd.NaT
    if not scalar and not isinstance(suppressed, (str, Number, np.bool_)):
        raise ParameterError(
            f"suppressed is {suppressed!r}, but must be the text, number or missing "
            "value that stands for a suppressed value, or None if no value does."
        )


def _describe(published: pd.DataFrame, position: int) -> str:
    cells = []
    for j, name in enumerate(published.columns[:_SHOWN_COLUMNS]):
        value = published.iloc[position, j]
        text = repr(value.item() if isinstance(value, np.number) else value)
        if len(text) > _SHOWN_CHARACTERS:
            text = text[: _SHOWN_CHARACTERS - 1] + "…"
        cells.append(f"{name!r} is {text}")
    more = published.shape[1] - len(cells)
    return ", ".join(cells) + (f" (and {more} more columns)" if more else "")


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"

"""k-anonymity of a table as it is published, whoever made it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from skanon._warn import warn
from skanon.exceptions import ParameterError, PrivacyWarning, ReleaseError, in_short
from skanon.privacy._classes import classify

_SHOWN_COLUMNS = 20
_SHOWN_CHARACTERS = 60


def equivalence_classes(
    X: Any, quasi_identifiers: Any = None, *, suppressed: Any = "*"
) -> pd.Series:
    """Give each row of a table the number of its equivalence class.

    Two rows belong to one equivalence class if they read the same in every
    quasi-identifier. Rows are compared by position, never by their index. Missing
    values (NaN, NA, NaT and None alike) are one value of its own that equals only
    itself. In a column of objects, values of different types differ: 1, 1.0, True and
    "1" are four values. In a numeric column 0.0 and -0.0 are one number.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
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
        Named ``"equivalence_class"``, with the index of ``X``: 0 to
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
    classes = classify(X, quasi_identifiers, suppressed)
    return pd.Series(
        classes.of_row, index=classes.published.index, name="equivalence_class"
    )


def k_anonymity(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure which k a table achieves: the size of its smallest equivalence class.

    Each row of a k-anonymous table reads like at least k - 1 others in its
    quasi-identifiers, so that nobody who knows these can link a person to fewer than k
    rows. Wholly suppressed rows tell nothing and do not count as a class, however few
    they are; if there are no other rows, they cannot be told apart and k is their
    number.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        Whether a missing or suppressed cell may be any value, as sdcMicro counts. Then
        each row counts the rows that it may be equal to: those that have the same
        value in each column that is known in both. No row is left out, and k is the
        smallest of these numbers. It is never below the other convention's, and says
        too much where one row with wildcards hides many others: see "Missing and
        suppressed cells" in the documentation.

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
    >>> k_anonymity(release, ["zip"], wildcard=True)
    3
    """
    classes = classify(X, quasi_identifiers, suppressed, wildcard)
    return int(classes.reach.min())


def check_release(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    k: int,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> None:
    """Refuse a table that is not k-anonymous.

    Wholly suppressed rows are allowed in any number, as long as anything else is
    published; how many are too many is for the caller to say.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The table to be published.
    quasi_identifiers : iterable of column labels, or None
        None means every column.
    k : int
        The promise, at least 1.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        As in :func:`k_anonymity`. Then what must be at least k is how many rows each
        row may be equal to.

    Raises
    ------
    ReleaseError
        An equivalence class has fewer than k rows. The message counts the offending
        classes and rows, and shows the values of a smallest class but no others.
    ColumnError, ColumnTypeError, ParameterError
        As in `violations`.

    Warns
    -----
    PrivacyWarning
        Wholly suppressed rows are in no class, but fewer than k.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited, definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import check_release
    >>> release = pd.DataFrame({"zip": ["47*", "48*", "47*"]})
    >>> check_release(release, ["zip"], k=1)
    >>> check_release(release, ["zip"], k=2)
    Traceback (most recent call last):
        ...
    skanon.exceptions.ReleaseError: The table is not 2-anonymous: 1 of 2 equivalence \
classes have fewer than 2 rows (1 row in all). The smallest has 1 row, where 'zip' is \
'48*'. Do not publish this table; skanon.privacy.violations lists the classes and rows.
    """
    k = check_k(k)
    classes = classify(X, quasi_identifiers, suppressed, wildcard)
    small = classes.too_small(k)
    n_hidden = int((classes.groups < 0).sum())
    if not len(small):
        if 0 < n_hidden < k:
            warn(
                f"Wholly suppressed and in no class: {_rows(n_hidden)}, fewer than "
                f"k={k}, so that they do not hide among themselves. Make sure that "
                "nothing else in them tells of somebody, or leave them out. With "
                "suppressed=None they count as a class.",
                PrivacyWarning,
            )
        return
    n_rows = int(np.isin(classes.of_row, small).sum())
    first = int(np.flatnonzero(classes.of_row == small[0])[0])
    fewest = int(classes.reach.min())
    how_few = f"have fewer than {k} rows"
    smallest = f"The smallest has {_rows(fewest)}"
    if wildcard:
        how_few = f"may be equal to fewer than {k} rows, with wildcards"
        smallest = f"One may be equal to {_rows(fewest)}"
    raise ReleaseError(
        f"The table is not {k}-anonymous: {len(small)} of {max(len(classes.sizes), 1)} "
        f"equivalence classes {how_few} ({_rows(n_rows)} in all). {smallest}, where "
        f"{_describe(classes.published, first)}. Do not publish this table; "
        "skanon.privacy.violations lists the classes and rows."
    )


def check_k(k: Any) -> int:
    """Refuse what is no positive integer."""
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, Integral) or k < 1:
        raise ParameterError(
            f"k is {in_short(k)}, but must be an integer of at least 1."
        )
    return int(k)


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

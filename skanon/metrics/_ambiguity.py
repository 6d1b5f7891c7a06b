"""How many original records a published one may stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from skanon.metrics._inputs import check_weights
from skanon.metrics._reading import Reading, read_release


def ambiguity_metric(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
) -> float:
    """Ambiguity metric (AM): how many combinations of values a record may stand for.

    The product of the sizes of a record's published subsets, averaged over the records.
    Sizes count the column's values, for a taxonomy its leaves, and the missing value
    where the column has one. Combinations that occur nowhere are counted, too.

    Parameters
    ----------
    original : DataFrame or array-like of shape (n, n_columns)
        The table before.
    released : DataFrame, array-like of shape (n, n_columns), or fitted anonymizer
        The same rows in the same order; an anonymizer stands for its release.
    quasi_identifiers : list of columns, or None
        None means those of the anonymizer, or all columns of ``original``.
    hierarchies : mapping from column to hierarchy, or None
        None means those of the anonymizer, or the defaults.
    sensitive : ignored
        But a column that is named here is no quasi-identifier by default.
    sample_weight : array-like of shape (n,), or None
        The records' weights in the average.

    Returns
    -------
    float
        At least 1; infinite where it is beyond the range of floats.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, eq. 4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import ambiguity_metric
    >>> table = pd.DataFrame({"age": [21, 22, 23, 60], "sex": list("FFMM")})
    >>> release = table.assign(age=["[21, 22]"] * 2 + ["[23, 60]"] * 2, sex="*")
    >>> ambiguity_metric(table, release)
    4.0
    """
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    return ambiguity(reading, check_weights(sample_weight, reading))


def ambiguity(reading: Reading, weights: np.ndarray) -> float:
    """Compute AM of a release that is already read."""
    products = np.ones(len(reading))
    counted = weights > 0  # as 0 times infinity is no number
    with np.errstate(over="ignore", invalid="ignore"):
        for column in reading.columns:
            products *= column.sizes[column.subset]
        return float((products * weights)[counted].sum() / weights.sum())

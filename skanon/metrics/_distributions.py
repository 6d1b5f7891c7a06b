"""What of each column's distribution, and of pairs' correlations, is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon._parameters import check_option
from skanon.exceptions import ColumnError
from skanon.metrics._columns import ReadColumn
from skanon.metrics._divergence import SPREADS, spread_weights
from skanon.metrics._inputs import check_weights
from skanon.metrics._reading import Reading, read_release


def distribution_distance(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    spread: str = "uniform",
    average: str | None = "mean",
) -> Any:
    """Distance between each column's distribution before and after.

    The release's distribution spreads each published subset over its values. For
    numbers, dates and ordered categories the distance is Wasserstein's (the least
    distance that mass has to be moved), over the range of the column's values; for
    other columns it is the total variation (the least share of mass that has to be
    moved). The share of missing values that is too large or too small counts as moved
    over the whole range.

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
        The records' weights in both distributions.
    spread : {"uniform", "marginals"}, default="uniform"
        How a subset is spread over its values: evenly, or by how frequent they are in
        the original column.
    average : {"mean", None}, default="mean"
        ``"mean"``: of the columns; None: each for itself.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        From 0, where the distributions are the same, to 1.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        An option is unfit.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import distribution_distance
    >>> table = pd.DataFrame({"age": [20, 20, 60, 60], "sex": ["F", "F", "F", "M"]})
    >>> release = table.assign(age=["[20, 60]"] * 4, sex="*")
    >>> distribution_distance(table, release, average=None).tolist()
    [0.0, 0.25]
    """
    check_option("spread", spread, SPREADS)
    check_option("average", average, ("mean", None))
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    weights = check_weights(sample_weight, reading)
    distances = column_distances(reading, weights, spread)
    return distances if average is None else float(distances.mean())


def column_distances(reading: Reading, weights: np.ndarray, spread: str) -> pd.Series:
    """Measure the columns of a release that is already read."""
    names = pd.Index([column.name for column in reading.columns], tupleize_cols=False)
    found = [_distance(column, weights, spread) for column in reading.columns]
    return pd.Series(found, index=names, name="distribution_distance", dtype=float)


def _distance(column: ReadColumn, weights: np.ndarray, spread: str) -> float:
    values = spread_weights(column, spread, weights)
    total = weights.sum()
    masses = np.bincount(column.subset, weights, minlength=column.n_subsets) / total
    before = np.bincount(column.codes, weights, minlength=len(values)) / total
    after = column.spread(masses, values)
    line = unit_line(column)
    if line is None:
        return min(float(np.abs(before - after).sum() / 2), 1.0)
    order = np.argsort(line, kind="stable")
    shares = before[order].sum(), after[order].sum()
    moved = 0.0
    if min(shares) > 0:
        steps = np.cumsum(before[order] / shares[0] - after[order] / shares[1])
        moved = float(np.abs(steps[:-1]) @ np.diff(line[order]))
    return min(min(shares) * moved + abs(shares[0] - shares[1]), 1.0)


def unit_line(column: ReadColumn) -> np.ndarray | None:
    """Place an ordered column's values between 0 and 1; None without an order.

    Returns
    -------
    ndarray of float64, shape (n_values,), or None
        The missing value has no place.
    """
    bound = column.bound
    offsets = bound.offsets()[: bound.n_codes - (bound.missing >= 0)]
    if not bound.domain.ordered or not len(offsets) or np.isnan(offsets).any():
        return None
    return offsets / (float(np.max(offsets)) or 1.0)


def correlation_difference(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    spread: str = "uniform",
    average: str | None = "mean",
) -> Any:
    """How much the correlations of pairs of ordered columns differ before and after.

    The absolute difference of Pearson's coefficients, averaged over the pairs of
    numbers, dates and ordered categories (by rank); other columns have no correlation.
    A published subset counts as the mean of its values. Records in which one of the
    two values is missing in the original are left out, for that pair, of both
    coefficients. A column that the release makes constant has the correlation 0; a
    pair with a column that is constant in the original is left out.

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
        The records' weights in both coefficients.
    spread : {"uniform", "marginals"}, default="uniform"
        How a subset's mean weighs its values: evenly, or by how frequent they are in
        the original column.
    average : {"mean", None}, default="mean"
        ``"mean"``: of the pairs; None: each for itself.

    Returns
    -------
    float or DataFrame of shape (n_ordered, n_ordered)
        From 0, where all correlations stay, to 2. In the frame, NaN stands for pairs
        that are left out.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or no pair has a correlation.
    ParameterError
        An option is unfit.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import correlation_difference
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50], "pay": [1, 2, 3, 4]})
    >>> release = table.assign(age=["[20, 30]"] * 2 + ["[40, 50]"] * 2)
    >>> round(correlation_difference(table, release), 4)
    0.1056
    """
    check_option("spread", spread, SPREADS)
    check_option("average", average, ("mean", None))
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    weights = check_weights(sample_weight, reading)
    differences = pair_differences(reading, weights, spread)
    if average is None:
        return differences
    return float(np.nanmean(differences.to_numpy()))


def pair_differences(
    reading: Reading, weights: np.ndarray, spread: str
) -> pd.DataFrame:
    """Compare the pairs of a release that is already read."""
    ordered = [column for column in reading.columns if unit_line(column) is not None]
    values = [_values(column, weights, spread) for column in ordered]
    table = np.full((len(ordered), len(ordered)), np.nan)
    for i in range(len(ordered)):
        for j in range(i):
            (a, x), (b, z) = values[i], values[j]
            rows = (weights > 0) & ~np.isnan(a) & ~np.isnan(b)
            before = _correlation(a[rows], b[rows], weights[rows])
            after = _correlation(x[rows], z[rows], weights[rows])
            if before is not None:
                table[i, j] = table[j, i] = abs(before - (after or 0.0))
    if np.isnan(table).all():
        raise ColumnError(
            "No two quasi-identifiers have a correlation: it takes two columns of "
            "numbers, dates or ordered categories that are not constant. Add such "
            "columns, or use distribution_distance."
        )
    names = pd.Index([column.name for column in ordered], tupleize_cols=False)
    return pd.DataFrame(table, index=names, columns=names)


def _values(
    column: ReadColumn, weights: np.ndarray, spread: str
) -> tuple[np.ndarray, np.ndarray]:
    """Give each row's value, NaN where it is missing, and the mean published for it."""
    inner = spread_weights(column, spread, weights)
    places = np.zeros(column.bound.n_codes)
    line = unit_line(column)
    assert line is not None  # the caller has looked
    places[: len(line)] = line
    if column.bound.missing >= 0:
        inner[column.bound.missing] = 0  # it has no place, so it has no part in a mean
    sums = column.sums(inner)
    means = np.divide(
        column.sums(inner * places), sums, out=np.zeros(len(sums)), where=sums > 0
    )
    single = column.sizes == 1
    means[single] = places[column.first[single]]
    if column.bound.missing >= 0:
        places[column.bound.missing] = np.nan
    return places[column.codes], means[column.subset]


def _correlation(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> float | None:
    """Compute Pearson's coefficient; None where a column is constant."""
    if not len(a) or np.ptp(a) <= _EQUAL or np.ptp(b) <= _EQUAL:
        return None
    shares = weights / weights.sum()
    # sums, as threads make the dot products of long vectors slow
    a, b = a - (shares * a).sum(), b - (shares * b).sum()
    product = np.sqrt((shares * a**2).sum() * (shares * b**2).sum())
    return float(np.clip((shares * a * b).sum() / product, -1, 1)) if product else None


_EQUAL = 1e-12
"""Means between 0 and 1 that differ by less are the same, but for rounding."""

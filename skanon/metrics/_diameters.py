"""How far apart the records of a class are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from skanon._table.schema import tuple_ids
from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses._base import check_column_weights
from skanon.losses._terms import line
from skanon.metrics._columns import ReadColumn
from skanon.metrics._published import lowest_covering
from skanon.metrics._reading import Reading, read_release

PAIRS = 2_000_000
"""So many pairs of records are compared at once."""


def intra_cluster_distance(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    weights: Mapping[Hashable, float] | None = None,
) -> float:
    """Intra-cluster distance: the classes' sizes times their diameters, summed up.

    A class's diameter is the distance of those two of its records that are furthest
    apart. The distance of two records is the sum over the columns: of numbers and dates
    their difference, as part of the column's range; in a taxonomy the height of the
    tree below the lowest node that covers both, as part of the whole tree's; else 1
    where they differ. It is what k-member clustering minimizes by way of
    :func:`byun_information_loss`, which is never below it.

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
    weights : mapping from column to number, or None
        They multiply the columns' distances; 1 where not named.

    Returns
    -------
    float
        From 0, where the records of each class are equal, to n times the number of
        quasi-identifiers.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit.

    Notes
    -----
    A missing value is a whole range away from all others. Wholly suppressed records are
    published alike, so they count as one class. Time grows with the square of the
    number of different records in a class.

    References
    ----------
    J. Byun et al., Efficient k-Anonymization Using Clustering Techniques, definition 1,
    with the distances of definitions 2 to 4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import intra_cluster_distance
    >>> table = pd.DataFrame({"age": [20, 25, 30, 60], "town": list("UUKK")})
    >>> release = table.assign(age="[20, 60]", town=["*"] * 4)
    >>> intra_cluster_distance(table, release)
    8.0
    >>> release = table.assign(age=["[20, 25]"] * 2 + ["[30, 60]"] * 2)
    >>> intra_cluster_distance(table, release)
    1.75
    """
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    names = [column.name for column in reading.columns]
    scales = check_column_weights(weights, names)
    rulers = [_Ruler(column) for column in reading.columns]
    codes = np.column_stack([column.codes for column in reading.columns])
    return float(
        sum(
            len(members) * _diameter(rulers, scales, codes[members])
            for members in _classes(reading)
        )
    )


def _classes(reading: Reading) -> list[np.ndarray]:
    """List the rows of each class; suppressed ones are a class as well."""
    labels = np.where(reading.suppressed, -1, reading.classes)
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=labels[order[:1]] - 1))
    return np.split(order, starts[1:])


def _diameter(rulers: list[_Ruler], scales: np.ndarray, codes: np.ndarray) -> float:
    """Find how far apart the furthest two of some records are."""
    _, first = np.unique(tuple_ids(codes), return_index=True)
    different = codes[first]
    step = max(PAIRS // len(different), 1)
    most = 0.0
    for at in range(0, len(different), step):
        some = different[at : at + step]
        apart = np.zeros((len(some), len(different)))
        for j, (ruler, scale) in enumerate(zip(rulers, scales, strict=True)):
            if scale:
                apart += scale * ruler.apart(some[:, j, None], different[None, :, j])
        most = max(most, float(apart.max()))
    return most


class _Ruler:
    """Measures how far apart the values of one column are.

    Parameters
    ----------
    column : ReadColumn
    """

    def __init__(self, column: ReadColumn) -> None:
        self._bound = bound = column.bound
        self._places = None
        if not isinstance(bound, BoundTaxonomy) and bound.form == INTERVAL:
            self._places = line(bound)
            if self._places is None:
                self._places = np.arange(bound.n_codes) / max(bound.n_codes - 1, 1)

    def apart(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Measure pairs of codes; the arrays are broadcast against each other."""
        bound, different = self._bound, a != b
        if isinstance(bound, BoundTaxonomy):
            node = lowest_covering(bound, np.minimum(a, b), np.maximum(a, b))
            return np.where(different, bound.shares_of(bound.depth)[node], 0.0)
        if self._places is None:
            return different.astype(np.float64)
        gap = np.abs(self._places[a] - self._places[b])
        return np.where(np.isnan(gap), different, gap)

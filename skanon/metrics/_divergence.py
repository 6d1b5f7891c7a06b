"""How far the distribution that a release tells is from the table's own."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from skanon._parameters import check_option
from skanon._table.schema import tuple_ids
from skanon.exceptions import ParameterError, in_short
from skanon.metrics._columns import ReadColumn
from skanon.metrics._inputs import check_weights
from skanon.metrics._reading import Reading, read_release


class Estimate(NamedTuple):
    """A number, and its standard error: 0 where the number is exact."""

    value: float
    error: float


def kl_divergence(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    spread: str = "uniform",
    max_pairs: int = 100_000_000,
    n_samples: int = 1000,
    random_state: Any = None,
    return_error: bool = False,
) -> Any:
    """Kullback-Leibler divergence of the release's distribution from the table's.

    Both are distributions over the combinations of quasi-identifiers: p is the table's
    own, and q spreads the mass of each published record over all combinations that it
    may stand for. The divergence is the sum of p log2(p / q) over the combinations in
    the table; no others contribute, so that it is exact as long as comparing these
    with the published records is feasible.

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
        How a published record is spread: evenly over the combinations, or by the
        product of how frequent each value is in its original column, for recipients
        who know these frequencies.
    max_pairs : int, default=100_000_000
        The number of comparisons (of a combination with a published record) up to
        which the result is exact; a second is enough for some 50 million.
    n_samples : int, default=1000
        How many records to draw, with replacement, where there are more comparisons.
        The result is then the average over them, an unbiased estimate.
    random_state : int, RandomState instance or None
        For the draws.
    return_error : bool, default=False
        Whether to return the standard error as well.

    Returns
    -------
    float
        In bits; 0 for the original. If ``return_error`` is set, a named tuple
        ``(value, error)``; the error is 0 where the value is exact.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        An option is unfit.

    References
    ----------
    D. Kifer, J. Gehrke, Injecting Utility into Anonymized Datasets (2006), as J.
    Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 3,
    describe it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import kl_divergence
    >>> table = pd.DataFrame({"age": [21, 21, 21, 22]})
    >>> release = pd.DataFrame({"age": ["[21, 22]"] * 4})
    >>> round(kl_divergence(table, release), 4)
    0.1887
    >>> kl_divergence(table, release, spread="marginals")
    0.0
    """
    check_option("spread", spread, SPREADS)
    _check_count("max_pairs", max_pairs, 0)
    _check_count("n_samples", n_samples, 2)
    rng = check_random_state(random_state)
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    weights = check_weights(sample_weight, reading)
    estimate = divergence(reading, weights, spread, max_pairs, n_samples, rng)
    return estimate if return_error else estimate.value


def divergence(
    reading: Reading,
    weights: np.ndarray,
    spread: str,
    max_pairs: int,
    n_samples: int,
    rng: np.random.RandomState,
) -> Estimate:
    """Compute the divergence of a release that is already read."""
    used = np.flatnonzero(weights > 0)
    codes = np.stack([column.codes[used] for column in reading.columns], axis=1)
    boxes = np.stack([column.subset[used] for column in reading.columns], axis=1)
    codes, p = _distinct(codes, weights[used])
    boxes, box_masses = _distinct(boxes, weights[used])
    values = [spread_weights(column, spread, weights) for column in reading.columns]
    box_density = np.log(box_masses)
    for j, column in enumerate(reading.columns):
        box_density -= np.log(column.sums(values[j])[boxes[:, j]])
    chosen, drawn = np.arange(len(codes)), None
    if _Places(reading.columns, codes, boxes).n_pairs > max_pairs:
        drawn = rng.choice(len(codes), size=n_samples, p=p)
        chosen, drawn = np.unique(drawn, return_inverse=True)
    q = _densities(reading.columns, codes[chosen], boxes, box_density)
    for j, value in enumerate(values):
        q += np.log(value[codes[chosen, j]])
    bits = (np.log(p[chosen]) - q) / np.log(2)
    if drawn is not None:
        sample = bits[drawn]
        return Estimate(
            float(sample.mean()), float(sample.std(ddof=1) / np.sqrt(n_samples))
        )
    return Estimate(max(float(p @ bits), 0.0), 0.0)  # below 0 by rounding only


SPREADS = ("uniform", "marginals")


def spread_weights(column: ReadColumn, spread: str, weights: np.ndarray) -> np.ndarray:
    """Weigh a column's values by how likely they are inside a published subset.

    Parameters
    ----------
    column : ReadColumn
    spread : {"uniform", "marginals"}
    weights : ndarray of float64, shape (n,)
        The records'.

    Returns
    -------
    ndarray of float64, shape (n_codes,)
    """
    if spread == "uniform":
        return np.ones(column.bound.n_codes)
    return np.bincount(column.codes, weights, minlength=column.bound.n_codes)


def _distinct(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the distinct rows of a matrix, and the share of the weights of each."""
    ids = tuple_ids(rows)
    _, first = np.unique(ids, return_index=True)
    # whole weights add up without rounding, shares of millions of records do not
    return rows[first], np.bincount(ids, weights) / weights.sum()


class _Places:
    """Where tuples lie, so that those in a box are found without looking at all.

    A box looks for its tuples in the column in which the fewest come into question.
    """

    def __init__(
        self, columns: list[ReadColumn], codes: np.ndarray, boxes: np.ndarray
    ) -> None:
        self._columns = columns
        counts = [
            np.bincount(codes[:, j], minlength=column.bound.n_codes)
            for j, column in enumerate(columns)
        ]
        self._order = [np.argsort(codes[:, j]) for j in range(len(columns))]
        self._start = [np.append(0, np.cumsum(count)) for count in counts]
        found = [
            column.sums(count.astype(float))[boxes[:, j]]
            for j, (column, count) in enumerate(zip(columns, counts, strict=True))
        ]
        self.narrowest = np.argmin(found, axis=0)
        self.n_pairs = int(np.min(found, axis=0).sum())

    def candidates(self, j: int, subset: int) -> np.ndarray:
        """List the tuples whose value in column j lies in a subset."""
        column, order, start = self._columns[j], self._order[j], self._start[j]
        if subset in column.gapped:
            parts = [
                order[start[code] : start[code + 1]] for code in column.gapped[subset]
            ]
            return np.concatenate(parts)
        return order[start[column.first[subset]] : start[column.last[subset] + 1]]


def _densities(
    columns: list[ReadColumn], codes: np.ndarray, boxes: np.ndarray, logs: np.ndarray
) -> np.ndarray:
    """Add up, for each tuple, the densities of the boxes that hold it.

    Parameters
    ----------
    columns : list of ReadColumn, length r
    codes : ndarray of int, shape (n_tuples, r)
    boxes : ndarray of int, shape (n_boxes, r)
        Subsets by column.
    logs : ndarray of float64, shape (n_boxes,)
        Natural logarithms of the densities, as products over many columns underflow.

    Returns
    -------
    ndarray of float64, shape (n_tuples,)
        Natural logarithms.
    """
    places = _Places(columns, codes, boxes)
    by_column = np.ascontiguousarray(codes.T)
    total = np.full(len(codes), -np.inf)
    narrowing = [
        j
        for j, column in enumerate(columns)
        if (column.sizes < column.bound.n_codes).any()
    ]
    for box, log, start in zip(boxes, logs, places.narrowest, strict=True):
        inside = places.candidates(start, box[start])
        for j in narrowing:
            column = columns[j]
            if j != start and column.sizes[box[j]] < column.bound.n_codes:
                inside = inside[column.covers(box[j], by_column[j][inside])]
        total[inside] = np.logaddexp(total[inside], log)
    return total


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(
            f"{name} is {in_short(value)}, but must be an integer of at least {least}."
        )

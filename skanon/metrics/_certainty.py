"""How long the ranges are that entries may lie in: NCP and GCP."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from skanon._parameters import check_option
from skanon.losses import NCP
from skanon.metrics._additive import AVERAGES, read_losses


def normalized_certainty_penalty(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    weights: Mapping[Hashable, float] | None = None,
    average: str | None = "uniform",
) -> Any:
    """NCP, the normalized certainty penalty: how long a range an entry may lie in.

    An entry of an ordered column (numbers, dates, ordered categories) costs the
    distance from the lowest to the highest value that it may stand for, over the
    column's range, also where that is a taxonomy's node; ``*`` for a column with
    missing values costs 1. Without an order, and in columns of sets, values are
    counted, as if they lay one apart: it costs (s - 1) / (m - 1), as in
    :func:`loss_metric`. The metric is the sum over all entries, each multiplied by its
    column's weight.

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
        A record of weight w counts as w records.
    weights : mapping from column to number, or None
        The paper's ``w_i``, as they are: doubling all of them doubles the sum. 1 where
        not named.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all columns together; None: of each, without ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        From 0, for the original, to the number of records times the sum of the
        columns' weights, where all records are suppressed.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    X. He et al., Clustering-Based k-Anonymity (2012), definition 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import normalized_certainty_penalty
    >>> table = pd.DataFrame({"age": [20, 30, 50, 60], "sex": list("FFMM")})
    >>> release = table.assign(age=["[20, 30]"] * 2 + ["[50, 60]"] * 2, sex="*")
    >>> normalized_certainty_penalty(table, release)
    5.0
    >>> normalized_certainty_penalty(table, release, weights={"sex": 0.5})
    3.0
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    values = losses.averages(NCP()) * losses.n_records
    name = "normalized_certainty_penalty"
    return losses.figure(values, name, weights, average, total=True)


def global_certainty_penalty(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    weights: Mapping[Hashable, float] | None = None,
    average: str | None = "uniform",
) -> Any:
    """Global certainty penalty (GCP): the normalized certainty penalty of an entry.

    The average of what :func:`normalized_certainty_penalty` adds up, so that tables of
    different sizes can be compared.

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
        A record of weight w counts as w records.
    weights : mapping from column to number, or None
        How much each column counts beside the others; 1 where not named.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all entries; None: of each column's entries, without
        ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        From 0, for the original, to 1, where all records are suppressed.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    X. He et al., Clustering-Based k-Anonymity (2012), section 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import global_certainty_penalty
    >>> table = pd.DataFrame({"age": [20, 30, 50, 60], "sex": list("FFMM")})
    >>> release = table.assign(age=["[20, 30]"] * 2 + ["[50, 60]"] * 2, sex="*")
    >>> global_certainty_penalty(table, release)
    0.625
    >>> global_certainty_penalty(table, release, weights={"sex": 0})
    0.25
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    values = losses.averages(NCP())
    return losses.figure(values, "global_certainty_penalty", weights, average)

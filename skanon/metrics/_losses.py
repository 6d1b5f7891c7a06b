"""Losses that count values and levels: LM, the tree measure, IL, and any other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from skanon._parameters import check_option
from skanon.exceptions import ParameterError, in_short
from skanon.losses import LM, ByunInformationLoss, Loss, TreeMeasure
from skanon.losses._named import as_loss
from skanon.metrics._additive import AVERAGES, read_losses


def information_loss(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    loss: str | Loss = "lm",
    average: str | None = "uniform",
) -> Any:
    """Information loss: what a release costs under any loss of :mod:`skanon.losses`.

    For the release of a fitted anonymizer and its own loss, it is the anonymizer's
    ``information_loss_``; the notes tell an exception.

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
    sensitive : column label, array-like of shape (n,) or (n, n_sensitive), or None
        The sensitive attribute, where the loss looks at it. Of several, each
        combination of their values counts as one value.
    sample_weight : array-like of shape (n,), or None
        A record of weight w counts as w records, in the columns' distributions, too.
    loss : str or Loss, default="lm"
        A name, an object of :mod:`skanon.losses`, or a sum of them. Columns' weights
        are the loss's own.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: the loss; None: each column's part of it, divided by the
        column's share, as an anonymizer's ``column_losses_``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        0 for the original.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or a sensitive value is
        missing.
    ParameterError
        There is no such loss, a weight of its columns is unfit, or ``average`` is
        another word.

    Notes
    -----
    A record that is published as ``*`` in all columns counts as suppressed, also where
    an anonymizer has a class of k records that comes out so. Such records pay the
    penalty of a :class:`skanon.losses.ClassPenalty`.

    See Also
    --------
    loss_metric, tree_measure, byun_information_loss, global_certainty_penalty,
    entropy_loss, mutual_information_loss, private_mutual_information_loss

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.losses import LM, MI
    >>> from skanon.metrics import information_loss
    >>> table = pd.DataFrame({"sex": ["F", "F", "M", "M"], "age": [20, 20, 30, 40]})
    >>> release = table.assign(sex="*", age=["20", "20"] + ["[30, 40]"] * 2)
    >>> information_loss(table, release, loss="mi")
    0.75
    >>> information_loss(table, release, loss=0.5 * LM(weights={"sex": 3}) + MI())
    1.15625
    """
    check_option("average", average, AVERAGES)
    if not isinstance(loss, str | Loss):
        raise ParameterError(
            f"loss is {in_short(loss)}, but must be a loss's name or an object of "
            "skanon.losses, such as LM()."
        )
    wanted = as_loss(loss)
    losses = read_losses(
        original,
        released,
        quasi_identifiers,
        hierarchies,
        sensitive,
        sample_weight,
        uses_sensitive=wanted.uses_sensitive,
    )
    if average is None:
        return losses.figure(
            losses.column_losses(wanted), "information_loss", average=None
        )
    return losses.loss(wanted)


def loss_metric(
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
    """Loss metric (LM): how many values an entry may stand for, among all.

    An entry that may stand for s of a column's m values costs (s - 1) / (m - 1). For a
    taxonomy the values are its leaves, and a missing value counts as one where the
    column has any. The metric is the average over the entries.

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
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, eq. 3.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import loss_metric
    >>> table = pd.DataFrame({"age": [20, 25, 60, 60], "sex": list("FFMM")})
    >>> release = table.assign(age=["[20, 25]"] * 2 + ["60"] * 2, sex="*")
    >>> loss_metric(table, release)
    0.625
    >>> loss_metric(table, release, average=None).to_dict()
    {'age': 0.25, 'sex': 1.0}
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    return losses.figure(losses.averages(LM()), "loss_metric", weights, average)


def tree_measure(
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
    """Tree measure: how far up its taxonomy an entry was generalized.

    An entry costs l / h, where l is the level of the lowest node that covers what it
    may stand for, and h the taxonomy's height; values have level 0. Without a taxonomy
    an entry that stayed whole costs 0, any other 1. The metric is the average over the
    entries.

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
    G. Aggarwal et al., Approximation Algorithms for k-Anonymity (2005), as J.
    Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 3,
    describe it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import tree_measure
    >>> towns = pd.DataFrame({"town": ["Bern", "Basel", "Bonn", "Bonn"]})
    >>> tree = {"*": {"CH": ["Bern", "Basel"], "DE": ["Bonn"]}}
    >>> release = pd.DataFrame({"town": ["CH", "CH", "Bonn", "Bonn"]})
    >>> tree_measure(towns, release, hierarchies={"town": tree})
    0.25
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    values = losses.averages(TreeMeasure())
    return losses.figure(values, "tree_measure", weights, average)


def byun_information_loss(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    weights: Mapping[Hashable, float] | None = None,
    per_record: bool = False,
    average: str | None = "uniform",
) -> Any:
    """Information loss of k-member clustering (IL): ranges, and heights of trees.

    An entry of a column of intervals costs its range over the column's, as in
    :func:`normalized_certainty_penalty`; one of a column with a taxonomy, numbers
    included, the height of the tree below its node over that of the taxonomy, a set 0
    or 1. The metric is the sum over all entries, the paper's Total-IL.

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
        What each column's losses are multiplied by; 1 where not named.
    per_record : bool, default=False
        Whether to divide by the number of records.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all columns together; None: of each, without ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        From 0, for the original, to the number of entries, where all records are
        suppressed and columns have no weights.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    J.-W. Byun et al., Efficient k-Anonymization Using Clustering Techniques,
    definitions 5 and 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import byun_information_loss
    >>> table = pd.DataFrame({"age": [20, 30, 50, 60], "sex": list("FFMM")})
    >>> release = table.assign(age=["[20, 30]"] * 2 + ["[50, 60]"] * 2, sex="*")
    >>> byun_information_loss(table, release)
    5.0
    >>> byun_information_loss(table, release, per_record=True)
    1.25
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    values = losses.averages(ByunInformationLoss()) * (
        1.0 if per_record else losses.n_records
    )
    return losses.figure(values, "byun_information_loss", weights, average, total=True)

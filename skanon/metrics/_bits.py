"""Losses in bits: what is still known of the values, and of the sensitive value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from skanon._parameters import check_option
from skanon.losses import MI, PMI, Entropy
from skanon.losses._entropies import NORMS
from skanon.metrics._additive import AVERAGES, read_losses


def entropy_loss(
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
    """Entropy measure (EM): how uncertain a value is within what was published.

    An entry that may stand for the values in R costs H(X | X in R), where X is
    distributed as the original column is. The metric is the average over the entries.
    It may fall where entries are generalized further: a frequent value beside rare ones
    leaves little doubt.

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
        A record of weight w counts as w records, in the columns' distributions, too.
    weights : mapping from column to number, or None
        How much each column counts beside the others; 1 where not named.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all entries; None: of each column's entries, without
        ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        In bits (the logarithm's base is 2), from 0, for the original. Where all
        records are suppressed it is the columns' entropy.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited, definition 4.3.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import entropy_loss
    >>> table = pd.DataFrame({"job": ["cook", "cook", "nurse", "baker"]})
    >>> release = pd.DataFrame({"job": ["cook", "cook"] + ["{baker, nurse}"] * 2})
    >>> entropy_loss(table, release)
    0.5
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    return losses.figure(losses.averages(Entropy()), "entropy_loss", weights, average)


def mutual_information_loss(
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
    """Mutual information loss (MI): how hard it is to guess the value that was there.

    Also called the non-uniform entropy measure. An entry of value x that may stand for
    the values in R costs -log2 Pr(X = x | X in R), where X is distributed as the
    original column is. The metric is the average over the entries.

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
        A record of weight w counts as w records, in the columns' distributions, too.
    weights : mapping from column to number, or None
        How much each column counts beside the others; 1 where not named.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all entries; None: of each column's entries, without
        ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        In bits, from 0, for the original, to the columns' entropy, where all records
        are suppressed.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, eq. 10.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import entropy_loss, mutual_information_loss
    >>> table = pd.DataFrame({"job": ["cook", "cook", "cook", "baker"]})
    >>> release = pd.DataFrame({"job": ["cook", "cook", "*", "*"]})
    >>> round(mutual_information_loss(table, release), 4)
    0.6038
    >>> round(entropy_loss(table, release), 4)  # which does not say who is a baker
    0.4056
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original, released, quasi_identifiers, hierarchies, sensitive, sample_weight
    )
    values = losses.averages(MI())
    return losses.figure(values, "mutual_information_loss", weights, average)


def private_mutual_information_loss(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    weights: Mapping[Hashable, float] | None = None,
    relative: bool = True,
    average: str | None = "uniform",
) -> Any:
    """Private mutual information loss (PMI): how hard it is to guess sensitive values.

    An entry that may stand for the values in R costs -log2 Pr(Y = y | X in R), where y
    is the record's sensitive value, and X and Y are distributed as in the original
    table. The metric is the average over the entries, less that of the original table.
    It may fall where entries are generalized further.

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
    sensitive : column label, or array-like of shape (n,) or (n, n_sensitive)
        The sensitive attribute. Of several, each combination of their values counts as
        one value.
    sample_weight : array-like of shape (n,), or None
        A record of weight w counts as w records, in the columns' distributions, too.
    weights : mapping from column to number, or None
        How much each column counts beside the others; 1 where not named.
    relative : bool, default=True
        Whether to take off what the original table costs, as the paper's example in
        section 5.1 and its cost of a cluster in section 6.1 do. Without that it is
        equation 14 as it is printed.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: of all entries; None: of each column's entries, without
        ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        In bits. 0 for the original, and below 0 where the release tells more of the
        sensitive values than that. At least 0 if ``relative`` is not set.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or a sensitive value is
        missing.
    ParameterError
        A column's weight is unfit, or ``average`` is another word.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, eq. 14 and
    section 5.1.

    Examples
    --------
    The paper's example: suppressing an odd one out can make the rest clearer.

    >>> import pandas as pd
    >>> from skanon.metrics import private_mutual_information_loss
    >>> table, y = pd.DataFrame({"x": list("aaaabbbbc")}), list("000101111")
    >>> release = pd.DataFrame({"x": list("aaa**bbb*")})
    >>> round(private_mutual_information_loss(table, release, sensitive=y), 3)
    -0.126
    """
    check_option("average", average, AVERAGES)
    losses = read_losses(
        original,
        released,
        quasi_identifiers,
        hierarchies,
        sensitive,
        sample_weight,
        uses_sensitive=True,
    )
    values = losses.averages(PMI())
    if not relative:
        values = values + losses.sensitive_origins()
    name = "private_mutual_information_loss"
    return losses.figure(values, name, weights, average)


def private_mutual_information_score(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    weights: Mapping[Hashable, float] | None = None,
    norm: str = "l1",
    average: str | None = "uniform",
) -> Any:
    """Private mutual information utility: what the release tells of sensitive values.

    A published column tells I(Y; R) of the sensitive value: the average over the
    records of log2 (Pr(Y = y | X in R) / Pr(Y = y)), where y is the record's sensitive
    value, R what its entry may stand for, and X and Y are distributed as in the
    original table. The columns are then brought into one figure. Higher is better.

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
    sensitive : column label, or array-like of shape (n,) or (n, n_sensitive)
        The sensitive attribute. Of several, each combination of their values counts as
        one value.
    sample_weight : array-like of shape (n,), or None
        A record of weight w counts as w records, in the columns' distributions, too.
    weights : mapping from column to number, or None
        How much each column counts beside the others; 1 where not named. Scaled to 1
        on average, they multiply the columns' information.
    norm : {"l1", "l2", "max"}, default="l1"
        ``"l1"``: the average; ``"l2"``: the root of the sum of squares, over the number
        of columns; ``"max"``: the largest.
    average : {"uniform", None}, default="uniform"
        ``"uniform"``: one figure; None: each column's information, without ``weights``.

    Returns
    -------
    float or Series of shape (n_quasi_identifiers,)
        In bits. 0 where all records are suppressed. For the original it is the mutual
        information; below 0 are only columns whose release misleads.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or a sensitive value is
        missing.
    ParameterError
        A column's weight is unfit, or an option is another word.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, eq. 11, 12,
    15 and 16.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import private_mutual_information_score
    >>> table = pd.DataFrame({"sex": list("FFMM"), "town": ["Ulm", "Kiel"] * 2})
    >>> release, y = table.assign(town="*"), ["flu", "flu", "cold", "cold"]
    >>> private_mutual_information_score(table, release, sensitive=y)
    0.5
    >>> private_mutual_information_score(table, release, sensitive=y, norm="max")
    1.0
    """
    check_option("average", average, AVERAGES)
    check_option("norm", norm, NORMS)
    losses = read_losses(
        original,
        released,
        quasi_identifiers,
        hierarchies,
        sensitive,
        sample_weight,
        uses_sensitive=True,
    )
    values = losses.sensitive_information()
    if average is None:
        name = "private_mutual_information_score"
        return losses.figure(values, name, weights, None)
    given = losses.column_weights(weights)
    values = values * (given / given.mean())
    if norm == "max":
        return float(values.max())
    if norm == "l2":
        return float(np.sqrt((values**2).sum()) / len(values))
    return float(values.mean())

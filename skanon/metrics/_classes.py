"""Metrics of the equivalence classes: their sizes and their sensitive values."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from skanon._parameters import check_option
from skanon.exceptions import ParameterError, in_short
from skanon.metrics._inputs import check_weights, sensitive_codes
from skanon.metrics._reading import Reading, read_release


def discernibility_metric(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
) -> float:
    """Discernibility metric (DM): how many records each record looks like.

    A record costs the size of its equivalence class, and n where it is wholly
    suppressed: the sum is that of the squared class sizes, plus n for each suppressed
    record.

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
        A record of weight w counts as w records; it costs w times the weight of its
        class, or of the whole table where it is suppressed.

    Returns
    -------
    float
        From n, where all records differ, to n * n.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 3.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import discernibility_metric
    >>> table = pd.DataFrame({"age": [21, 24, 57, 63, 99]})
    >>> release = ["[21, 24]", "[21, 24]", "[57, 63]", "[57, 63]", "*"]
    >>> discernibility_metric(table, pd.DataFrame({"age": release}))
    13.0
    """
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    return discernibility(reading, check_weights(sample_weight, reading))


def discernibility(reading: Reading, weights: np.ndarray) -> float:
    """Compute DM of a release that is already read."""
    hidden = weights[reading.suppressed].sum()
    sizes = np.bincount(
        reading.classes[~reading.suppressed], weights[~reading.suppressed]
    )
    return float((sizes**2).sum() + hidden * weights.sum())


def average_class_size(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    k: float | None = None,
) -> float:
    """Average size of the equivalence classes (C_avg).

    Wholly suppressed records are in no class and are not counted; if there are no
    others, they are a single class, as for :func:`skanon.privacy.k_anonymity`.

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
    k : number above 0, or None
        Divide by k, as is usual in the literature: 1 is then the best that a
        k-anonymous release can reach.

    Returns
    -------
    float

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read.
    ParameterError
        ``k`` is no number above 0.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian Multidimensional K-Anonymity
    (2006), where it is normalized by k.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import average_class_size
    >>> table = pd.DataFrame({"age": [21, 24, 57, 63, 64, 99]})
    >>> release = pd.DataFrame({"age": ["< 30"] * 2 + [">= 50"] * 3 + ["*"]})
    >>> average_class_size(table, release), average_class_size(table, release, k=2)
    (2.5, 1.25)
    """
    if k is not None and not _is_positive(k):
        raise ParameterError(
            f"k is {in_short(k)}, but must be a number above 0, or None."
        )
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    average = class_size(reading, check_weights(sample_weight, reading))
    return average if k is None else average / k


def _is_positive(k: Any) -> bool:
    return not isinstance(k, bool) and isinstance(k, Real) and 0 < float(k) < np.inf


def class_size(reading: Reading, weights: np.ndarray) -> float:
    """Compute C_avg of a release that is already read, not divided by k."""
    classes, counted = _published(reading, weights)
    return float(counted.sum() / (classes.max() + 1))


def classification_metric(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
) -> float:
    """Classification metric (CM): the share of records that their class misrepresents.

    A record is penalized by 1 if its sensitive value is not the most frequent one of
    its equivalence class, or if it is wholly suppressed. Of equally frequent values one
    counts as the majority; which of them does not matter for the sum.

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
    sensitive : column label, or array-like of shape (n,)
        The sensitive attribute.
    sample_weight : array-like of shape (n,), or None
        The records' weights, in the majorities as well as in the average.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or a sensitive value is
        missing.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 3;
    J.-W. Byun et al., Efficient k-Anonymization Using Clustering Techniques,
    section 3.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import classification_metric
    >>> table = pd.DataFrame({"age": [21, 24, 25, 57, 63]})
    >>> release = pd.DataFrame({"age": ["[21, 25]"] * 3 + ["[57, 63]"] * 2})
    >>> illness = ["flu", "flu", "cold", "flu", "flu"]
    >>> classification_metric(table, release, sensitive=illness)
    0.2
    """
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    codes = sensitive_codes(sensitive, reading)
    return misclassification(reading, codes, check_weights(sample_weight, reading))


def misclassification(
    reading: Reading, sensitive: np.ndarray, weights: np.ndarray
) -> float:
    """Compute CM of a release that is already read; ``sensitive`` as codes from 0."""
    shown = ~reading.suppressed
    if not shown.any():
        return 1.0
    owners, counts = _sensitive_counts(
        reading.classes[shown], sensitive[shown], weights[shown]
    )
    majority = np.zeros(owners.max() + 1)
    np.maximum.at(majority, owners, counts)
    wrong = weights[~shown].sum() + (counts.sum() - majority.sum())
    return float(max(wrong / weights.sum(), 0.0))


def class_entropy_diversity(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    average: str = "class",
) -> float:
    """Average entropy of the sensitive attribute within the equivalence classes.

    In bits: 0 if each class holds one sensitive value only, which helps learning and
    endangers the people in it; 1 for two values that are equally frequent. Wholly
    suppressed records are in no class and are not counted; if there are no others,
    they are a single class.

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
    sensitive : column label, or array-like of shape (n,)
        The sensitive attribute.
    sample_weight : array-like of shape (n,), or None
        A record of weight w counts as w records. Classes of weight 0 do not count.
    average : {"class", "record"}, default="class"
        ``"class"``: all classes count the same, as in the paper's Table 3;
        ``"record"``: each counts by its size, which gives the conditional entropy of
        the sensitive attribute.

    Returns
    -------
    float
        In bits, from 0 to the logarithm (base 2) of the number of sensitive values.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, or a sensitive value is
        missing.
    ParameterError
        ``average`` is another word.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility,
    section 8.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import class_entropy_diversity
    >>> table = pd.DataFrame({"age": [21, 24, 57, 62, 63, 64]})
    >>> release = pd.DataFrame({"age": ["[21, 24]"] * 2 + ["[57, 64]"] * 4})
    >>> illness = ["flu", "cold", "flu", "flu", "flu", "flu"]
    >>> class_entropy_diversity(table, release, sensitive=illness)
    0.5
    >>> by_record = class_entropy_diversity(
    ...     table, release, sensitive=illness, average="record"
    ... )
    >>> round(by_record, 4)
    0.3333
    """
    check_option("average", average, ("class", "record"))
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    codes = sensitive_codes(sensitive, reading)
    weights = check_weights(sample_weight, reading)
    return entropy_diversity(reading, codes, weights, average)


def entropy_diversity(
    reading: Reading, sensitive: np.ndarray, weights: np.ndarray, average: str = "class"
) -> float:
    """Compute the entropy diversity of a release that is already read."""
    classes, counted = _published(reading, weights)
    rows = reading.suppressed == reading.suppressed.all()
    owners, counts = _sensitive_counts(classes, sensitive[rows], counted)
    sizes = np.bincount(owners, counts)
    owners, counts = owners[counts > 0], counts[counts > 0]
    shares = counts / sizes[owners]
    entropies = np.bincount(owners, -shares * np.log2(shares), minlength=len(sizes))
    importance = sizes if average == "record" else (sizes > 0).astype(float)
    return float(np.average(entropies, weights=importance)) + 0.0


def _published(reading: Reading, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the records that are in a class: their classes and their weights."""
    if reading.suppressed.all():
        return np.zeros(len(reading), dtype=np.int64), weights
    return reading.classes[~reading.suppressed], weights[~reading.suppressed]


def _sensitive_counts(
    classes: np.ndarray, sensitive: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weigh each sensitive value of each class: its class, and its weight there."""
    width = int(sensitive.max()) + 1
    pairs, at = np.unique(classes * width + sensitive, return_inverse=True)
    return pairs // width, np.bincount(at.reshape(-1), weights)

"""How well a classifier that learns from a release predicts real records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from skanon._parameters import check_option
from skanon._release.emission import MAX_SHARES
from skanon.exceptions import ColumnError, ParameterError, in_short
from skanon.metrics._columns import ReadColumn
from skanon.metrics._distributions import unit_line
from skanon.metrics._divergence import SPREADS, spread_weights
from skanon.metrics._inputs import check_sensitive, check_weights
from skanon.metrics._reading import Reading, read_release


class Scores(NamedTuple):
    """What a classifier reaches on raw records, by what it has learned from."""

    released: float
    raw: float


def release_accuracy_score(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    estimator: Any,
    hierarchies: Any = None,
    sensitive: Any = None,
    sample_weight: Any = None,
    cv: Any = 5,
    scoring: Any = "accuracy",
    spread: str = "uniform",
    return_baseline: bool = False,
) -> Any:
    """Accuracy on raw records of a classifier that was trained on the release.

    In each fold of a cross-validation, the classifier learns from the published
    records of the training part and predicts the raw records of the other part.

    Parameters
    ----------
    original : DataFrame or array-like of shape (n, n_columns)
        The table before.
    released : DataFrame, array-like of shape (n, n_columns), or fitted anonymizer
        The same rows in the same order; an anonymizer stands for its release.
    estimator : classifier
        Any of scikit-learn's; a clone of it is fitted to numbers without gaps.
    quasi_identifiers : list of columns, or None
        The features. None means those of the anonymizer, or all columns of
        ``original``; leave out the sensitive attribute if it is one of them.
    hierarchies : mapping from column to hierarchy, or None
        None means those of the anonymizer, or the defaults.
    sensitive : column label, or array-like of shape (n,)
        What is predicted: the sensitive attribute.
    sample_weight : array-like of shape (n,), or None
        The records' weights, in fitting and scoring.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; a number means stratified folds, not shuffled.
    scoring : str or callable, default="accuracy"
        As in scikit-learn.
    spread : {"uniform", "marginals"}, default="uniform"
        How a published subset is spread over its values: evenly, or by how frequent
        they are in the original column.
    return_baseline : bool, default=False
        Whether to return what the same classifier reaches, in the same folds, if it
        learns from the raw records.

    Returns
    -------
    float
        The mean over the folds; higher is better. If ``return_baseline`` is set, a
        named tuple ``(released, raw)``.

    Raises
    ------
    ColumnError, HierarchyError
        The tables do not fit together or cannot be read, a sensitive value is missing,
        or a column would make too many features.
    ParameterError
        ``estimator`` is no classifier, or an option is unfit.

    Notes
    -----
    A column of numbers, dates or ordered categories gives two features, the mean of a
    published subset and its width, both scaled to 0..1 over the column's range; a raw
    value has the width 0. Other columns give a feature per value, its share in the
    subset; a raw value is the usual one-hot code. Missing values are a feature.

    The release was made of all records, those of the testing part included: their
    quasi-identifiers have had a part in forming the classes. Wholly suppressed records
    are learned from like any others; they say how frequent each sensitive value is.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skanon.metrics import release_accuracy_score
    >>> table = pd.DataFrame({"age": [20, 22, 24, 26, 60, 62, 64, 66]})
    >>> release = pd.DataFrame({"age": ["[20, 26]"] * 4 + ["[60, 66]"] * 4})
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> release_accuracy_score(
    ...     table, release, estimator=tree, sensitive=list("aaaabbbb"), cv=2
    ... )
    1.0
    """
    check_option("spread", spread, SPREADS)
    is_object = hasattr(estimator, "fit") and not isinstance(estimator, type)
    if not is_object or not is_classifier(estimator):
        raise ParameterError(
            f"estimator is {in_short(estimator)}, but must be a classifier in the "
            "manner of scikit-learn, such as DecisionTreeClassifier()."
        )
    reading = read_release(
        original, released, quasi_identifiers, hierarchies, sensitive
    )
    target = check_sensitive(sensitive, reading).to_numpy()
    weights = check_weights(sample_weight, reading)
    tables = _features(reading, weights, spread)
    scorer = check_scoring(estimator, scoring=scoring)
    given = None if sample_weight is None else weights
    splits = list(check_cv(cv, target, classifier=True).split(tables[0], target))
    means = [
        float(
            np.mean(
                _fold_scores(estimator, scorer, table, tables[1], target, given, splits)
            )
        )
        for table in tables[: 1 + return_baseline]
    ]
    return Scores(*means) if return_baseline else means[0]


def _fold_scores(
    estimator: Any,
    scorer: Any,
    learned: np.ndarray,
    raw: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray | None,
    splits: list,
) -> list[float]:
    scores = []
    for train, test in splits:
        fitting, scoring = (
            {} if weights is None else {"sample_weight": weights[part]}
            for part in (train, test)
        )
        fitted = clone(estimator).fit(learned[train], target[train], **fitting)
        scores.append(scorer(fitted, raw[test], target[test], **scoring))
    return scores


def _features(
    reading: Reading, weights: np.ndarray, spread: str
) -> tuple[np.ndarray, np.ndarray]:
    """Write the release, and the raw records in the same form, as numbers."""
    released: list[np.ndarray] = []
    raw: list[np.ndarray] = []
    for column in reading.columns:
        inner = spread_weights(column, spread, weights)
        inner[inner == 0] = np.finfo(float).tiny  # or nothing could be said of a value
        every = np.arange(column.bound.n_codes)
        exact = replace(
            column,
            subset=column.codes,
            first=every,
            last=every,
            sizes=np.ones(len(every), dtype=np.int64),
            gapped={},
        )
        for published, parts in ((column, released), (exact, raw)):
            parts.append(_describe(published, inner)[published.subset])
    return np.concatenate(released, axis=1), np.concatenate(raw, axis=1)


def _describe(column: ReadColumn, inner: np.ndarray) -> np.ndarray:
    """Write each subset as features: ndarray of shape (n_subsets, n_features)."""
    line = unit_line(column)
    if line is None:
        return _shares(column, inner)
    missing = column.bound.missing
    values = inner[: len(line)]
    middle = values @ line / values.sum()
    features = np.zeros((column.n_subsets, 2 + (missing >= 0)))
    for at in range(column.n_subsets):
        members = column.members(at)
        if missing >= 0 and members[-1] == missing:
            features[at, 2] = inner[missing] / inner[members].sum()
            members = members[:-1]
        if not len(members):  # of a missing value no more is known than of any other
            features[at, :2] = middle, 1.0
            continue
        places, shares = line[members], inner[members]
        features[at, :2] = places @ shares / shares.sum(), np.ptp(places)
    return features


def _shares(column: ReadColumn, inner: np.ndarray) -> np.ndarray:
    if len(inner) > MAX_SHARES:
        raise ColumnError(
            f"Column {column.name!r} has {len(inner)} values without an order, each "
            f"of which would be a feature; {MAX_SHARES} is the limit. Leave it out of "
            "quasi_identifiers, or group its values."
        )
    features = np.zeros((column.n_subsets, len(inner)))
    for at, row in enumerate(features):
        members = column.members(at)
        row[members] = inner[members] / inner[members].sum()
    return features

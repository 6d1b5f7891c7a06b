"""Inference: a classifier learns from a release, and predicts sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.ensemble import ExtraTreesClassifier

from skanon.exceptions import ColumnError, ParameterError, in_short
from skanon.privacy._classes import classify
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import Attribute, read_private, sensitive_names
from skanon.privacy._tables import (
    choose_columns,
    one_name,
    read_columns,
    read_raw,
)
from skanon.privacy._trees import read_trees
from skanon.privacy.attacks._features import encode


@dataclass(frozen=True, eq=False, repr=False)
class InferenceResult:
    """What a classifier learns from a release about those in it, and about others.

    Attributes
    ----------
    accuracy, control_accuracy : float
        The share of the targets, who are in the release, and of the controls, who are
        not, whose sensitive value is predicted.
    base_rate, control_base_rate : float
        The same, if the release's most frequent value is predicted for everybody.
    advantage : float
        ``accuracy`` less ``control_accuracy``: what the release tells of those in it
        beyond what it tells of people like them.
    low, high : float
        A confidence interval of the advantage.
    confidence : float
        Its level.
    targets, controls : DataFrame
        Per person, with the index of their table: the sensitive ``value``, what was
        ``predicted``, and whether that is ``right``.
    """

    accuracy: float
    control_accuracy: float
    base_rate: float
    control_base_rate: float
    advantage: float
    low: float
    high: float
    confidence: float
    targets: pd.DataFrame
    controls: pd.DataFrame

    @property
    def gain(self) -> float:
        """The accuracy above the base rate: of all that is learnt, breach or not."""
        return self.accuracy - self.base_rate

    @property
    def risk(self) -> float:
        """The advantage, as a share of what was left to learn beyond the controls."""
        left = 1 - self.control_accuracy
        return self.advantage / left if left > 0 else 0.0

    def summary(self) -> pd.Series:
        """Put the figures together."""
        names = [
            "accuracy",
            "base_rate",
            "control_accuracy",
            "control_base_rate",
            "advantage",
            "low",
            "high",
            "risk",
        ]
        figures = {name: getattr(self, name) for name in names}
        return pd.Series(figures, name="inference")

    def __repr__(self) -> str:
        """Show the figures in one line."""
        listed = ", ".join(f"{x}={v:.4g}" for x, v in self.summary().items())
        return f"InferenceResult({listed})"


def inference_attack(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    holdout: Any,
    estimator: Any = None,
    hierarchies: Any = None,
    domain: Any = None,
    confidence: float = 0.95,
    suppressed: Any = "*",
    random_state: Any = 0,
) -> InferenceResult:
    """Let a classifier learn from a release and predict people's sensitive values.

    That smokers fall ill can be learnt from a release without harm to any smoker in
    it. So the same classifier predicts people who were left out of the release: what
    it knows better of those in it is due to their being in it.

    Parameters
    ----------
    original : DataFrame (pandas or polars) or ndarray of shape (n_targets, n_columns)
        The targets: raw records of people in the release, all or some, with their
        sensitive values.
    released : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table, with the sensitive attribute.
    quasi_identifiers : iterable of column labels, or None
        What the adversary knows of a target. None means all columns that the tables
        share, but the sensitive attribute.
    sensitive : column label
        The sensitive attribute, in all tables. Missing values are one value.
    holdout : DataFrame (pandas or polars) or ndarray of shape (n_controls, n_columns)
        The controls: raw records of people who are not in the release, with their
        sensitive values. Draw them at random from the same people as the targets, and
        before the release is made.
    estimator : classifier, default=None
        Any of scikit-learn's; a clone of it is fitted to numbers without gaps, and to
        the numbers of the sensitive values in the order in which they first stand in
        the release. None means ``ExtraTreesClassifier``, whose trees remember all that
        they are shown.
    hierarchies, domain, suppressed
        As in :func:`linkage_attack`.
    confidence : float, default=0.95
        The level of the advantage's interval.
    random_state : int, RandomState or None, default=0
        For the default classifier.

    Returns
    -------
    InferenceResult

    Raises
    ------
    ColumnError
        A column is unknown, the tables have none in common, one has no rows, their
        sensitive values have none in common, ``holdout`` is a part of ``original``, or
        a label cannot be read.
    ParameterError
        ``estimator`` is no classifier, or ``confidence`` not between 0 and 1.
    ColumnTypeError, HierarchyError, ParameterError
        As in :func:`skanon.privacy.k_map`.

    Notes
    -----
    The advantage is that of the attribute inference experiment of Yeom et al.: the
    probability of a right guess for those in the data, less that for others of the same
    distribution. ``risk`` scales it as Anonymeter does. The interval is Newcombe's for
    the difference of two independent proportions (his method 10, from Wilson's
    intervals). It tells the error that comes from the number of targets and controls,
    not what another classifier would find: no advantage of one attack does not prove
    that there is none.

    A column of numbers, dates or ordered categories is one feature: the mean rank of
    the values that a label stands for, scaled to 0..1; and one for missing values if
    there are any. Other columns have one feature per value, its share in the label;
    those of more than 256 values are put into alphabetical order instead. Each value
    of a label is taken to be equally likely.

    References
    ----------
    S. Yeom, I. Giacomelli, M. Fredrikson, S. Jha, Privacy Risk in Machine Learning:
    Analyzing the Connection to Overfitting (2018). M. Giomi, F. Boenisch, C. Wehmeyer,
    B. Tasnádi, A Unified Framework for Quantifying Privacy Risk in Synthetic Data
    (2022). R. G. Newcombe, Interval Estimation for the Difference between Independent
    Proportions: Comparison of Eleven Methods (1998).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skanon.privacy.attacks import inference_attack
    >>> ill = np.random.default_rng(0).choice(["no", "yes"], 200)
    >>> people = pd.DataFrame({"age": range(200), "ill": ill})
    >>> inside, outside = people[::2], people[1::2]
    >>> found = inference_attack(inside, inside, ["age"], "ill", holdout=outside)
    >>> found.accuracy, found.low > 0
    (1.0, True)
    >>> release = inside.assign(age="*")
    >>> found = inference_attack(inside, release, ["age"], "ill", holdout=outside)
    >>> found.low < 0 < found.high
    True
    """
    one_name(sensitive)
    model = _check_classifier(estimator, random_state)
    if isinstance(confidence, bool) or not 0 < confidence < 1:
        raise ParameterError(
            f"confidence is {in_short(confidence)}, but must be between 0 and 1."
        )
    table = to_pandas(released)
    raw = {
        "original": read_raw(original, "original"),
        "holdout": read_raw(holdout, "holdout"),
    }
    (target,) = sensitive_names(table, sensitive)
    known = dict(raw)
    if domain is not None:
        known["domain"] = read_raw(domain, "domain")
    names = choose_columns(quasi_identifiers, table, known, [target])
    classes = classify(table, names, None)
    attribute = _sensitive_values(table, raw, target)
    _check_holdout(raw["original"], raw["holdout"])
    every = [*table.columns, *(x for t in known.values() for x in t.columns)]
    trees = read_trees(hierarchies, names, every)
    shown, plain = encode(read_columns(classes, known, trees, suppressed))
    n, n_targets = len(table), len(raw["original"])
    n_people = n_targets + len(raw["holdout"])
    learned, truth = attribute.codes[:n], attribute.codes[n:]
    predicted = _predict(model, shown[classes.groups], learned, plain[:n_people])
    usual = np.bincount(learned).argmax()
    return _compare(attribute, truth, predicted, usual, raw, confidence)


def _compare(
    sensitive: Attribute,
    truth: np.ndarray,
    predicted: np.ndarray,
    usual: Any,
    raw: dict[str, pd.DataFrame],
    confidence: float,
) -> InferenceResult:
    """Compare the targets with the controls."""
    n = len(raw["original"])
    right, plain = truth == predicted, truth == usual
    hits = int(right[:n].sum()), int(right[n:].sum())
    low, high = difference_interval(hits[0], n, hits[1], len(truth) - n, confidence)
    frames = []
    for part, table in zip((slice(n), slice(n, None)), raw.values(), strict=True):
        people = {
            "value": sensitive.values.array.take(truth[part]),
            "predicted": sensitive.values.array.take(predicted[part]),
            "right": right[part],
        }
        frames.append(pd.DataFrame(people).set_axis(table.index, axis=0))
    accuracy, control = float(right[:n].mean()), float(right[n:].mean())
    base = float(plain[:n].mean()), float(plain[n:].mean())
    return InferenceResult(
        accuracy, control, *base, accuracy - control, low, high, confidence, *frames
    )


def difference_interval(
    hits: int, n: int, other_hits: int, other_n: int, confidence: float
) -> tuple[float, float]:
    """Give Newcombe's interval for the difference of two independent proportions.

    Parameters
    ----------
    hits, n : int
        The first proportion.
    other_hits, other_n : int
        The second one, which is subtracted.
    confidence : float
        From 0 to 1.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> low, high = difference_interval(56, 70, 48, 80, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    first, second = hits / n, other_hits / other_n
    low, high = _wilson(hits, n, confidence)
    other_low, other_high = _wilson(other_hits, other_n, confidence)
    below = np.hypot(first - low, other_high - second)
    above = np.hypot(high - first, second - other_low)
    return float(first - second - below), float(first - second + above)


def _wilson(hits: int, n: int, confidence: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = hits + z * z / 2
    half = z * np.sqrt(hits * (n - hits) / n + z * z / 4)
    return (middle - half) / (n + z * z), (middle + half) / (n + z * z)


def _predict(
    model: Any, shown: np.ndarray, learned: np.ndarray, people: np.ndarray
) -> np.ndarray:
    if (learned == learned[0]).all():  # which some classifiers refuse
        return np.full(len(people), learned[0])
    return np.asarray(model.fit(shown, learned).predict(people)).astype(np.int64)


def _check_classifier(estimator: Any, random_state: Any) -> Any:
    if estimator is None:
        return ExtraTreesClassifier(n_estimators=100, random_state=random_state)
    is_object = hasattr(estimator, "fit") and not isinstance(estimator, type)
    if not is_object or not is_classifier(estimator):
        raise ParameterError(
            f"estimator is {in_short(estimator)}, but must be a classifier in the "
            "manner of scikit-learn, such as DecisionTreeClassifier()."
        )
    return clone(estimator)


def _sensitive_values(
    table: pd.DataFrame, raw: dict[str, pd.DataFrame], name: Any
) -> Attribute:
    """Give equal sensitive values of all tables equal numbers."""
    for parameter, people in raw.items():
        if name not in people.columns:
            raise ColumnError(
                f"{parameter} has no column {name!r}, which sensitive names. Add the "
                "sensitive values: predictions are compared with them."
            )
    columns = [table[name], *(people[name] for people in raw.values())]
    sensitive = read_private(pd.concat(columns, ignore_index=True), name)
    published = sensitive.codes[: len(table)]
    start = len(table)
    for parameter, people in raw.items():
        known = sensitive.codes[start : start + len(people)]
        start += len(people)
        if not np.isin(known, published).any():
            raise ColumnError(
                f"The sensitive attribute {name!r} has no value in common in the "
                f"release (such as {sensitive.show(published[0])}) and in {parameter} "
                f"(as {sensitive.show(known[0])}). Write the values alike everywhere."
            )
    return sensitive


def _check_holdout(original: pd.DataFrame, holdout: pd.DataFrame) -> None:
    """Refuse controls who are targets."""
    if not (original.index.is_unique and holdout.index.isin(original.index).all()):
        return
    names = [name for name in original.columns if name in holdout.columns]
    same = original.loc[holdout.index, names].astype(object).reset_index(drop=True)
    theirs = holdout[names].astype(object).reset_index(drop=True)
    if ((same == theirs) | (same.isna() & theirs.isna())).all(axis=None):
        raise ColumnError(
            "All rows of holdout are rows of original, too. Hold out people before the "
            "release is made, and give those as holdout and the others as original. If "
            "they only look alike, give holdout an index of its own."
        )

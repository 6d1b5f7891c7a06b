"""Scorers for model selection: how good a release is that an estimator has made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import Pipeline

from skanon._contract import Anonymizer
from skanon.exceptions import ParameterError
from skanon.losses import Loss
from skanon.losses._named import LOSSES
from skanon.metrics._ambiguity import ambiguity_metric
from skanon.metrics._classes import (
    average_class_size,
    class_entropy_diversity,
    classification_metric,
    discernibility_metric,
)
from skanon.metrics._distributions import (
    correlation_difference,
    distribution_distance,
)
from skanon.metrics._divergence import kl_divergence
from skanon.metrics._fitted import fitted_tables
from skanon.metrics._losses import information_loss

_METRICS: dict[str, Callable[..., float]] = {
    "ambiguity": ambiguity_metric,
    "average_class_size": average_class_size,
    "class_entropy_diversity": class_entropy_diversity,
    "classification": classification_metric,
    "correlation_difference": correlation_difference,
    "discernibility": discernibility_metric,
    "distribution_distance": distribution_distance,
    "kl_divergence": kl_divergence,
}

_SHORT = {function.__name__: name for name, function in _METRICS.items()}
"""The metrics' own names, too."""


def make_release_scorer(
    metric: Any = "information_loss", **parameters: Any
) -> ReleaseScorer:
    """Make a scorer that measures the release that an estimator was fitted with.

    Model selection such as :class:`sklearn.model_selection.GridSearchCV` fits an
    anonymizer, or a pipeline with one, to the training part of a table. This scorer
    measures what became of that part: the release that was made, whatever records it
    is given to score. What a model makes of held-out records is measured by scikit-
    learn's own scorers beside it, as in ``scoring={"loss": make_release_scorer("lm"),
    "accuracy": "accuracy"}``.

    Parameters
    ----------
    metric : str, Loss or callable, default="information_loss"
        ``"information_loss"`` is what the anonymizer itself has minimized; ``"lm"``,
        ``"tree"``, ``"byun"``, ``"ncp"``, ``"entropy"``, ``"mi"``, ``"pmi"`` or an
        object of :mod:`skanon.losses` measure the same for all. ``"highest_risk"`` is 1
        / the smallest class size (or number of consistent records), ``"average_risk"``
        the average of this over the published records, ``"suppressed"`` the share of
        those that are not. Or ``"ambiguity"``, ``"average_class_size"``,
        ``"class_entropy_diversity"``, ``"classification"``,
        ``"correlation_difference"``, ``"discernibility"``, ``"distribution_distance"``,
        ``"kl_divergence"``: the functions of :mod:`skanon.metrics`, by their own names,
        such as ``"discernibility_metric"``, or without the ``_metric``. A callable is
        called like these, with ``(original, released, hierarchies=…, sensitive=…)``;
        lower is better.
    **parameters
        Handed on to the metric.

    Returns
    -------
    ReleaseScorer
        Called with ``(estimator, X, y)`` it returns the metric with its sign changed,
        since scikit-learn's searches look for the highest score.

    Raises
    ------
    ParameterError
        There is no metric of that name.

    Notes
    -----
    Metrics of the sensitive attribute take the one that the anonymizer was fitted with:
    ``y``, or the only sensitive column.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skanon import KAnonymizer
    >>> from skanon.metrics import make_release_scorer
    >>> people = pd.DataFrame({"age": [20, 21, 40, 41, 60, 61, 80, 81]})
    >>> search = GridSearchCV(
    ...     KAnonymizer(random_state=0),
    ...     {"k": [2, 4]},
    ...     scoring=make_release_scorer("lm"),
    ...     cv=2,
    ... ).fit(people)
    >>> search.best_params_
    {'k': 2}
    """
    known = ("information_loss", *LOSSES, *_RISKS, *_METRICS)
    if isinstance(metric, str):
        metric = _SHORT.get(metric, metric)
    if isinstance(metric, str) and metric not in known:
        raise ParameterError(
            f"There is no metric of a release named {metric!r}. Give one of "
            f"{sorted(known)}, a loss, or a function such as those of skanon.metrics."
        )
    if not isinstance(metric, str | Loss) and not callable(metric):
        raise ParameterError(
            f"The metric {metric!r} is no name, loss or function. Give one of "
            f"{sorted(known)}, a loss, or a function such as those of skanon.metrics."
        )
    return ReleaseScorer(metric, parameters)


class ReleaseScorer:
    """Measures releases; see :func:`make_release_scorer`."""

    def __init__(self, metric: Any, parameters: dict[str, Any]) -> None:
        self.metric = metric
        self.parameters = parameters

    def __call__(self, estimator: Any, X: Any = None, y: Any = None) -> float:
        """Measure the release of a fitted anonymizer, or of a pipeline's last one.

        Parameters
        ----------
        estimator : Anonymizer, or Pipeline with one
        X, y : ignored

        Returns
        -------
        float
            Higher is better.

        Raises
        ------
        ParameterError
            There is no anonymizer, or it has no sensitive attribute to measure.
        """
        return -self._measure(anonymizer_of(estimator))

    def _measure(self, anonymizer: Anonymizer) -> float:
        metric = self.metric
        if isinstance(metric, str) and metric in _RISKS:
            return _RISKS[metric](anonymizer, **self.parameters)
        if metric == "information_loss" and not self.parameters:
            return anonymizer.information_loss_
        original, released = fitted_tables(anonymizer)
        parameters = {"hierarchies": anonymizer.hierarchies_} | self.parameters
        sensitive = anonymizer._sensitive
        if sensitive.shape[1] == 1:
            parameters = {"sensitive": sensitive.iloc[:, 0]} | parameters
        if isinstance(metric, str) and metric in _METRICS:
            return _METRICS[metric](original, released, **parameters)
        if isinstance(metric, str | Loss):
            loss = anonymizer.loss if metric == "information_loss" else metric
            return information_loss(original, released, loss=loss, **parameters)
        return float(metric(original, released, **parameters))

    def __repr__(self) -> str:
        given = "".join(f", {k}={v!r}" for k, v in self.parameters.items())
        return f"make_release_scorer({self.metric!r}{given})"


def anonymizer_of(estimator: Any) -> Anonymizer:
    """Find the anonymizer in an estimator: itself, or a pipeline's last one.

    Raises
    ------
    ParameterError
        There is none.
    """
    if isinstance(estimator, Anonymizer):
        return estimator
    if isinstance(estimator, Pipeline):
        for step in reversed([step for _, step in estimator.steps]):
            if isinstance(step, Anonymizer):
                return step
    raise ParameterError(
        f"A release scorer needs an anonymizer, or a pipeline with one as a step, but "
        f"was given {type(estimator).__name__}."
    )


def _highest_risk(anonymizer: Anonymizer) -> float:
    return float((1.0 / anonymizer._linked()).max(initial=0.0))


def _average_risk(anonymizer: Anonymizer) -> float:
    linked = anonymizer._linked()
    return float((1.0 / linked).mean()) if len(linked) else 0.0


def _suppressed(anonymizer: Anonymizer) -> float:
    return float((anonymizer.labels_ < 0).mean())


_RISKS: dict[str, Callable[[Anonymizer], float]] = {
    "average_risk": _average_risk,
    "highest_risk": _highest_risk,
    "suppressed": _suppressed,
}

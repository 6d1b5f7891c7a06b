"""What a sweep fits and measures: its points, lines, folds and measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skanon._base import BaseAnonymizer
from skanon.exceptions import ParameterError
from skanon.hierarchies import Hierarchy
from skanon.losses import Loss
from skanon.metrics import make_release_scorer

COMMON_K = (2, 5, 10, 20, 50, 100)
"""What is tried where no k is given."""

_LONGEST_LABEL = 40


class Measure(NamedTuple):
    """A number that each fit is judged by.

    Attributes
    ----------
    name : str
        Its columns in the results are ``mean_<name>``, ``std_<name>``, ….
    title : str
        For people.
    lower_is_better : bool
    scorer : callable
        As scikit-learn's: higher is better.
    """

    name: str
    title: str
    lower_is_better: bool
    scorer: Any


class Point(NamedTuple):
    """Parameters that are tried.

    Attributes
    ----------
    params : dict
        As for ``set_params`` of the estimator that was given.
    k : int
    line : int
        The position among the lines: what is tried beside k.
    """

    params: dict[str, Any]
    k: int
    line: int


class Plan(NamedTuple):
    """Everything that a sweep is going to do.

    Attributes
    ----------
    estimator : BaseEstimator
        Unfitted, a copy.
    prefix : str
        What the names of the anonymizer's parameters begin with: "" or ``"step__"``.
    points : list of Point
        From the smallest k to the largest.
    lines : list of str
        What is tried beside k, in words; one empty text if nothing is.
    measures : list of Measure
    splits : list of pairs of ndarrays
        The positions that are fitted and that are held out.
    """

    estimator: BaseEstimator
    prefix: str
    points: list[Point]
    lines: list[str]
    measures: list[Measure]
    splits: list[tuple[np.ndarray, np.ndarray]]


def make_plan(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    k: Any = None,
    param_grid: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
) -> Plan:
    """Settle what a sweep does, and refuse what cannot be done.

    Parameters are those of :class:`RiskUtilityExplorer`.

    Raises
    ------
    ParameterError
        There is no anonymizer, a parameter's name is unknown, k is no integer or is
        given twice, or the estimator needs the ``y`` that is missing.
    """
    prefix = find_anonymizer(estimator)
    estimator = clone(estimator)
    if y is None and _needs_y(estimator):
        raise ParameterError(
            f"{type(estimator).__name__} learns from y, but none was given. Give y, or "
            "an anonymizer alone, which is judged by its loss and its risk."
        )
    folds = check_cv(cv, y, classifier=is_classifier(estimator))
    splits = list(folds.split(X, y, groups))
    anonymizer = _part(estimator, prefix)
    sizes = [len(train) for train, _ in splits]
    grids = _with_k(_as_grids(param_grid), prefix, k, anonymizer, min(sizes))
    _check_names(grids, estimator)
    points, lines = _points(grids, prefix, anonymizer.k)
    names = {name.removeprefix(prefix) for grid in grids for name in grid}
    measures = _scores(estimator, scoring) + _of_releases(anonymizer, names)
    return Plan(estimator, prefix, points, lines, measures, splits)


def find_anonymizer(estimator: Any) -> str:
    """Find the anonymizer in an estimator: itself, or a pipeline's last one.

    Returns
    -------
    str
        What the names of its parameters begin with.

    Raises
    ------
    ParameterError
        There is none.
    """
    if isinstance(estimator, BaseAnonymizer):
        return ""
    if isinstance(estimator, Pipeline):
        for name, step in reversed(estimator.steps):
            if isinstance(step, BaseAnonymizer):
                return f"{name}__"
    raise ParameterError(
        "There is no anonymizer to sweep: give one, or a Pipeline with one as a step; "
        f"this is a {type(estimator).__name__}."
    )


def swept(plan: Plan) -> BaseEstimator:
    """Copy the estimator for a sweep: what is left to skanon is done with less work.

    A grid may set ``effort`` again, and what is selected is fitted as it was given.
    """
    estimator = clone(plan.estimator)
    name = f"{plan.prefix}effort"
    if estimator.get_params().get(name) == "default":
        estimator.set_params(**{name: "sweep"})
    return estimator


def _needs_y(estimator: Any) -> bool:
    # a pipeline does not say what its last step needs
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return hasattr(estimator, "fit") and get_tags(estimator).target_tags.required


def _part(estimator: Any, prefix: str) -> BaseAnonymizer:
    return estimator.named_steps[prefix.removesuffix("__")] if prefix else estimator


# ------------------------------------------------------------------------- points


def _as_grids(param_grid: Any) -> list[dict[str, Any]]:
    if param_grid is None:
        return [{}]
    grids = [param_grid] if isinstance(param_grid, Mapping) else list(param_grid)
    if not grids or not all(isinstance(grid, Mapping) for grid in grids):
        raise ParameterError(
            "param_grid must be a dict from parameter to values, or a list of such "
            f"dicts, as in GridSearchCV; it is {param_grid!r}."
        )
    return [dict(grid) for grid in grids]


def _with_k(
    grids: list[dict[str, Any]], prefix: str, k: Any, anonymizer: Any, n: int
) -> list[dict[str, Any]]:
    name = f"{prefix}k"
    swept = [name in grid for grid in grids]
    if k is not None:
        if any(swept):
            raise ParameterError(
                f"k is given twice: as k={k!r}, and as {name!r} in param_grid. Give "
                "it once."
            )
        grids = [{name: k} | grid for grid in grids]
    elif not any(swept) and grids == [{}]:
        fits = [value for value in COMMON_K if 2 * value <= n]
        grids = [{name: fits or [anonymizer.k]}]
    return [
        grid | {name: check_k(grid[name])} if name in grid else grid for grid in grids
    ]


def check_k(k: Any) -> list[int]:
    """Check values of k, and put them in order.

    Parameters
    ----------
    k : int or iterable of int

    Returns
    -------
    list of int
        Each once.

    Raises
    ------
    ParameterError
        There is none, or one is no integer of at least 1.
    """
    values = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    for value in values:
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ParameterError(
                f"Each k must be a whole number of at least 1; {value!r} is not."
            )
    if not values:
        raise ParameterError("There is no k to try. Give one at least, such as k=[5].")
    return sorted({int(value) for value in values})


def without_k(param_grid: Any, prefix: str) -> list[dict[str, Any]]:
    """Take k out of a grid."""
    return [
        {name: values for name, values in grid.items() if name != f"{prefix}k"}
        for grid in _as_grids(param_grid)
    ]


def _check_names(grids: list[dict[str, Any]], estimator: Any) -> None:
    known = estimator.get_params()
    for name in (name for grid in grids for name in grid):
        # an algorithm may have parameters that another one does not have
        if name not in known and name.rpartition("__")[0] not in known:
            raise ParameterError(
                f"{type(estimator).__name__} has no parameter {name!r} to sweep. It "
                f"has {sorted(known)}."
            )


def _points(
    grids: list[dict[str, Any]], prefix: str, k: int
) -> tuple[list[Point], list[str]]:
    labels: dict[str, _Labels] = {}
    tried = []
    for grid in grids:
        named = {name: _options(values) for name, values in grid.items()}
        for chosen in ParameterGrid({name: list(o) for name, o in named.items()}):
            params = {name: named[name][option] for name, option in chosen.items()}
            beside = {
                name: labels.setdefault(name, _Labels()).of(option, params[name])
                for name, option in chosen.items()
                if name != f"{prefix}k"
            }
            tried.append((params, int(params.get(f"{prefix}k", k)), beside))
    lines = _lines([beside for _, _, beside in tried], prefix)
    order = list(dict.fromkeys(lines))
    points: dict[tuple[int, int], Point] = {}
    for (params, own_k, _), line in zip(tried, lines, strict=True):
        place = (own_k, order.index(line))
        points.setdefault(
            place, Point(params, *place)
        )  # what comes twice is fitted once
    return [points[place] for place in sorted(points)], order


def _options(values: Any) -> dict[Any, Any]:
    """Key values by their names, if they have some, otherwise by their positions."""
    if isinstance(values, Mapping):
        return {str(name): value for name, value in values.items()}
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ParameterError(
            "param_grid needs a list of values for each parameter, or a dict from a "
            f"name to a value; {values!r} is neither."
        )
    return dict(enumerate(values))


class _Labels:
    """The words for a parameter's values, no two of them alike."""

    def __init__(self) -> None:
        self._known: list[tuple[Any, str]] = []

    def of(self, option: Any, value: Any) -> str:
        for known, label in self._known:
            if known is value:
                return label
        text = option if isinstance(option, str) else _label(value)
        taken = [label for _, label in self._known]
        alike = any(_equal(known, value) for known, label in self._known)
        if not text or (text in taken and not alike):
            text = f"{text} (option {len(taken) + 1})".strip()
        self._known.append((value, text))
        return text


def _equal(one: Any, other: Any) -> bool:
    plain = (str, int, float, bool, type(None))
    return isinstance(one, plain) and type(one) is type(other) and one == other


def _label(value: Any) -> str:
    if isinstance(value, str) and len(value) <= _LONGEST_LABEL:
        return value
    written = (int, float, np.number, type(None), BaseEstimator, Hierarchy, Loss)
    if isinstance(value, written):
        text = " ".join(repr(value).split())
        if isinstance(value, np.number):
            text = str(value.item())
        return text if len(text) <= _LONGEST_LABEL else type(value).__name__
    return ""


def _lines(beside: list[dict[str, str]], prefix: str) -> list[str]:
    """Write what is tried beside k; what is the same everywhere is left away."""
    every = pd.DataFrame(beside, index=range(len(beside)))
    varying = [name for name in every if every[name].nunique(dropna=False) > 1]
    return [
        ", ".join(
            f"{name.removeprefix(prefix)} = {own[name]}"
            for name in varying
            if name in own
        )
        for own in beside
    ]


# ----------------------------------------------------------------------- measures


def _scores(estimator: Any, scoring: Any) -> list[Measure]:
    """Name the scores on held-out records, as cross_validate does."""
    if scoring is None:
        last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
        # an anonymizer's own score is its loss, which is measured anyway
        if isinstance(last, BaseAnonymizer) or not hasattr(estimator, "score"):
            return []
        if is_classifier(estimator) or is_regressor(estimator):
            scoring = "accuracy" if is_classifier(estimator) else "r2"
        else:
            scoring = {"score": check_scoring(estimator)}
    if isinstance(scoring, str):
        scoring = [scoring]
    if callable(scoring):
        scoring = {getattr(scoring, "__name__", "score"): scoring}
    if not isinstance(scoring, Mapping):
        scoring = {name: name for name in scoring}
    return [
        Measure(
            f"test_{name}",
            "R²" if name == "r2" else str(name).replace("_", " ").capitalize(),
            False,
            get_scorer(scorer) if isinstance(scorer, str) else scorer,
        )
        for name, scorer in scoring.items()
    ]


def _of_releases(anonymizer: BaseAnonymizer, swept: set[str]) -> list[Measure]:
    """Measure releases: all by one loss, also where several losses are tried."""
    loss = anonymizer.loss if "loss" in swept else "information_loss"
    name = loss if isinstance(loss, str) else repr(loss)
    title = f"Loss ({name})" if "loss" in swept else "Information loss"
    measures = [
        Measure("loss", title, True, make_release_scorer(loss)),
        _risk("highest_risk", "Highest risk"),
        _risk("average_risk", "Average risk"),
    ]
    if "max_suppression" in swept or anonymizer.max_suppression > 0:
        measures.append(_risk("suppressed", "Suppressed records"))
    return measures


def _risk(name: str, title: str) -> Measure:
    return Measure(name, title, True, make_release_scorer(name))

"""Fitting one fold after the other, in a process of its own, for ``_sweep``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from skanon_widgets._shared.process import in_words

_LONGEST = 400
"""Letters of a message that are kept."""

_FOR_DEVELOPERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)


class FoldResult(NamedTuple):
    """What became of one fit.

    Attributes
    ----------
    values : dict from str to float
        By scorer, as the scorers gave them; empty where there is an error.
    seconds : float
        Of the fit; NaN where there is an error.
    complaints : tuple of str
        The warnings, each once.
    error : str or None
        In words.
    """

    values: dict[str, float]
    seconds: float = float("nan")
    complaints: tuple[str, ...] = ()
    error: str | None = None


def serve(take: Callable[[], Any], give: Callable[[Any], None]) -> None:
    """Take the job, then one ``(params, fold)`` after the other.

    Parameters
    ----------
    take, give : callable
        Read what comes next, and send a :class:`FoldResult` as a tuple.
    """
    job = take()
    while True:
        give(tuple(evaluate_fold(job, *take())))


def evaluate_fold(job: dict[str, Any], params: dict[str, Any], fold: int) -> FoldResult:
    """Fit to the training part of one fold, and score; errors become words.

    Parameters
    ----------
    job : dict
        ``estimator``, ``X``, ``y``, ``scoring``, ``splits`` (pairs of positions) and
        ``config`` (scikit-learn's).
    params : dict
        What to set.
    fold : int
        The position in ``splits``.

    Returns
    -------
    FoldResult
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for kind in _FOR_DEVELOPERS:
            warnings.simplefilter("ignore", kind)
        try:
            found, seconds = _cross_validate(job, params, fold)
        except Exception as error:
            said = _shortened(in_words(error, before=""))
            return FoldResult({}, complaints=_texts(caught), error=said)
    return FoldResult(found, seconds, _texts(caught))


def _cross_validate(
    job: dict[str, Any], params: dict[str, Any], fold: int
) -> tuple[dict[str, float], float]:
    from sklearn import config_context
    from sklearn.base import clone
    from sklearn.model_selection import cross_validate

    with config_context(**job["config"]):
        estimator = clone(job["estimator"])
        estimator.set_params(**clone(params, safe=False))
        found = cross_validate(
            estimator,
            job["X"],
            job["y"],
            cv=[job["splits"][fold]],
            scoring=job["scoring"],
            error_score="raise",
        )
    values = {name: float(found[f"test_{name}"][0]) for name in job["scoring"]}
    return values, float(found["fit_time"][0])


def _texts(caught: Any) -> tuple[str, ...]:
    texts = (f"{item.category.__name__}: {_shortened(item.message)}" for item in caught)
    return tuple(dict.fromkeys(texts))


def _shortened(words: Any) -> str:
    text = " ".join(str(words).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

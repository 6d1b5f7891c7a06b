"""The only place that uses private names of scikit-learn; its version is pinned."""

from __future__ import annotations

import html
from numbers import Integral, Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    StrOptions,
)
from sklearn.utils._set_output import _get_output_config

from skanon.exceptions import ParameterError


class InvalidParameter(ParameterError, InvalidParameterError):
    """A constructor parameter has a value that it may not have."""


def at_least(low: float, kind: type = Integral) -> Any:
    """Allow numbers of a kind (Integral or Real) from ``low`` on."""
    return Interval(kind, low, None, closed="left")


def at_most(high: float, kind: type = Integral) -> Any:
    """Allow numbers of a kind (Integral or Real) up to ``high``."""
    return Interval(kind, None, high, closed="right")


def between(low: float, high: float, closed: str) -> Any:
    """Allow real numbers between two; ``closed`` as in scikit-learn's Interval."""
    return Interval(Real, low, high, closed=closed)


def one_of(options: Any) -> Any:
    """Allow some words; those of a registry as it is when a parameter is checked."""
    return _Words(options)


class _Words(StrOptions):
    def __init__(self, words: Any) -> None:
        self._given = words
        super().__init__(set(words))

    @property
    def options(self) -> set[str]:
        return set(self._given)

    @options.setter
    def options(self, given: set[str]) -> None:
        """Leave it: what was given tells, which may be a registry."""

    def __str__(self) -> str:
        words = ", ".join(map(repr, sorted(self._given)))
        return f"a str among {{{words}}}"  # a set's order changes between runs


def check_parameters(estimator: BaseEstimator) -> None:
    """Check an estimator's parameters against its ``_parameter_constraints``.

    Raises
    ------
    InvalidParameter
        Names the parameter, what it may be and what it is.
    """
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise InvalidParameter(str(error)) from None
    for name, allowed in estimator._parameter_constraints.items():
        value = getattr(estimator, name)
        # Python counts True among the integers
        if isinstance(value, bool) and any(isinstance(x, Interval) for x in allowed):
            raise InvalidParameter(
                f"The {name!r} parameter of {type(estimator).__name__} must be a "
                f"number. Got {value} instead."
            )


def output_container(estimator: BaseEstimator) -> str:
    """Tell what ``set_output`` asks for: "default", "pandas" or "polars"."""
    return _get_output_config("transform", estimator)["dense"]


class NotedInHTML:
    """A mixin that puts a note below an estimator's HTML representation."""

    def _html_note(self) -> str:
        return ""

    def _html_repr(self) -> str:
        note = self._html_note()
        shown = estimator_html_repr(self)
        return f"{shown}<p>{html.escape(note)}</p>" if note else shown

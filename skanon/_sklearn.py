"""The only place that uses private names of scikit-learn; its version is pinned."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
)

from skanon.exceptions import ParameterError


class InvalidParameter(ParameterError, InvalidParameterError):
    """A constructor parameter has a value that it may not have."""


def at_least(low: float, kind: type = Integral) -> Any:
    """Allow numbers of a kind (Integral or Real) from ``low`` on."""
    return Interval(kind, low, None, closed="left")


def between(low: float, high: float, closed: str) -> Any:
    """Allow real numbers between two; ``closed`` as in scikit-learn's Interval."""
    return Interval(Real, low, high, closed=closed)


def one_of(options: Any) -> Any:
    """Allow some words."""
    return StrOptions(set(options))


def with_methods(*names: str) -> Any:
    """Allow objects that have these methods."""
    return HasMethods(list(names))


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

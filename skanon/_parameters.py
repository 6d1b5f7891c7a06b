"""What the parameters of an anonymizer may be.

A class lists in ``_parameter_rules`` for each of its parameters what it may be: a class
for its instances, None, a rule of this module, a list of these, or ``ANYTHING``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from skanon.exceptions import ParameterError, in_short

ANYTHING: Any = object()
"""A parameter that is checked elsewhere, with the table at hand."""


@dataclass(frozen=True)
class Rule:
    """What a value may be: in words that may follow "must be", and as a test."""

    words: str
    allows: Callable[[Any], bool]

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class OneOf:
    """One of some words; those of a registry as it is when a parameter is checked."""

    options: Iterable[str]

    def allows(self, value: Any) -> bool:
        """Tell whether a value is one of the words."""
        return isinstance(value, str) and value in set(self.options)

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, sorted(self.options)))}"


def _is_number(value: Any, kind: type) -> bool:
    # Python counts True among the integers
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def at_least(low: float, kind: type = Integral) -> Rule:
    """Allow finite numbers of a kind (Integral or Real) from ``low`` on."""
    words = f"{'an integer' if kind is Integral else 'a number'} of at least {low}"
    return Rule(words, lambda x: _is_number(x, kind) and low <= x < np.inf)


def at_most(high: int) -> Rule:
    """Allow integers up to ``high``."""
    words = f"an integer of at most {high}"
    return Rule(words, lambda x: _is_number(x, Integral) and x <= high)


def from_to(low: float, high: float) -> Rule:
    """Allow numbers between two, and these."""
    words = f"a number from {low} to {high}"
    return Rule(words, lambda x: _is_number(x, Real) and low <= x <= high)


def from_below(low: float, high: float) -> Rule:
    """Allow numbers from ``low`` on and below ``high``."""
    words = f"a number of at least {low} and below {high}"
    return Rule(words, lambda x: _is_number(x, Real) and low <= x < high)


def above_to(low: float, high: float) -> Rule:
    """Allow numbers above ``low`` and up to ``high``."""
    words = f"a number above {low} and of at most {high}"
    return Rule(words, lambda x: _is_number(x, Real) and low < x <= high)


def one_of(words: Iterable[str]) -> OneOf:
    """Allow some words."""
    return OneOf(words)


def _instance_of(kind: type) -> Rule:
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return Rule(f"{article} {kind.__name__}", lambda x: isinstance(x, kind))


NOTHING = Rule("None", lambda x: x is None)
TRUTH = Rule("True or False", lambda x: isinstance(x, bool | np.bool_))
VERBOSITY = Rule(
    "True, False or an integer of at least 0",
    lambda x: TRUTH.allows(x) or at_least(0).allows(x),
)
RANDOM_STATE = Rule(
    f"None, an integer from 0 to {2**32 - 1} or a numpy RandomState",
    lambda x: (
        x is None
        or isinstance(x, np.random.RandomState)
        or (_is_number(x, Integral) and 0 <= x < 2**32)
    ),
)


def _rule(given: Any) -> Rule | OneOf:
    if given is None:
        return NOTHING
    return _instance_of(given) if isinstance(given, type) else given


def own_names(cls: type, kind: type) -> list[str]:
    """Name the parameters that a class is made with and its kind is not, sorted."""
    of_all, shared = (inspect.signature(x).parameters for x in (cls, kind))
    return sorted(set(of_all) - set(shared))


def check_parameters(estimator: Any) -> None:
    """Check an estimator's parameters against its ``_parameter_rules``.

    Raises
    ------
    ParameterError
        Names the parameter, what it is and what it may be.
    """
    called = getattr(estimator, "_called", type(estimator).__name__)
    for name, given in estimator._parameter_rules.items():
        if given is ANYTHING:
            continue
        value = getattr(estimator, name)
        rules = [_rule(x) for x in (given if isinstance(given, list) else [given])]
        if not any(rule.allows(value) for rule in rules):
            *some, last = map(str, rules)
            may_be = f"{', '.join(some)} or {last}" if some else last
            raise ParameterError(
                f"{name} of {called} is {in_short(value)}, but must be {may_be}."
            )


def check_option(name: str, value: Any, options: Collection) -> None:
    """Check an argument that takes one of some values.

    Raises
    ------
    ParameterError
        It has another one.
    """
    if not any(value is option or value == option for option in options):
        listed = ", ".join(map(repr, options))
        raise ParameterError(
            f"{name} is {in_short(value)}, but must be one of {listed}."
        )

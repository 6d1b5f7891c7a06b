"""What the parameters of an anonymizer may be.

A class lists in ``_parameter_rules`` for each of its parameters what it may be: a class
for its instances, None, a rule of this module, a list of these, or ``ANYTHING``.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from skanon.exceptions import ParameterError, in_short

ANYTHING: Any = object()
"""A parameter that is checked elsewhere, with the table at hand."""


class Rule(Protocol):
    """What a value may be."""

    def allows(self, value: Any) -> bool:
        """Tell whether a value may be taken."""
        ...

    def __str__(self) -> str:
        """Say it, such that it may follow "must be"."""
        ...


@dataclass(frozen=True)
class _Numbers:
    words: str
    kind: type
    low: float = -np.inf
    high: float = np.inf
    with_low: bool = True
    with_high: bool = True

    def allows(self, value: Any) -> bool:
        # Python counts True among the integers
        if isinstance(value, bool | np.bool_) or not isinstance(value, self.kind):
            return False
        number: Any = value
        above = number >= self.low if self.with_low else number > self.low
        below = number <= self.high if self.with_high else number < self.high
        return bool(above and below)

    def __str__(self) -> str:
        return self.words


def at_least(low: float, kind: type = Integral) -> Rule:
    """Allow finite numbers of a kind (Integral or Real) from ``low`` on."""
    what = "an integer" if kind is Integral else "a number"
    return _Numbers(f"{what} of at least {low}", kind, low=low, with_high=False)


def at_most(high: int) -> Rule:
    """Allow integers up to ``high``."""
    return _Numbers(f"an integer of at most {high}", Integral, high=high)


def from_to(low: float, high: float) -> Rule:
    """Allow numbers between two, and these."""
    return _Numbers(f"a number from {low} to {high}", Real, low, high)


def from_below(low: float, high: float) -> Rule:
    """Allow numbers from ``low`` on and below ``high``."""
    words = f"a number of at least {low} and below {high}"
    return _Numbers(words, Real, low, high, with_high=False)


def above_to(low: float, high: float) -> Rule:
    """Allow numbers above ``low`` and up to ``high``."""
    words = f"a number above {low} and of at most {high}"
    return _Numbers(words, Real, low, high, with_low=False)


@dataclass(frozen=True)
class _Words:
    words: Iterable[str]

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in set(self.words)

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, sorted(self.words)))}"


def one_of(words: Iterable[str]) -> Rule:
    """Allow some words; those of a registry as it is when a parameter is checked."""
    return _Words(words)


class _Truth:
    def allows(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


class _Verbosity:
    def allows(self, value: Any) -> bool:
        return TRUTH.allows(value) or at_least(0).allows(value)

    def __str__(self) -> str:
        return "True, False or an integer of at least 0"


class _RandomState:
    def allows(self, value: Any) -> bool:
        seeds = _Numbers("", Integral, 0, 2**32 - 1)
        is_state = isinstance(value, np.random.RandomState)
        return value is None or is_state or seeds.allows(value)

    def __str__(self) -> str:
        return f"None, an integer from 0 to {2**32 - 1} or a numpy RandomState"


@dataclass(frozen=True)
class _Instances:
    kind: type

    def allows(self, value: Any) -> bool:
        return isinstance(value, self.kind)

    def __str__(self) -> str:
        article = "an" if self.kind.__name__[0] in "AEIOU" else "a"
        return f"{article} {self.kind.__name__}"


class _Nothing:
    def allows(self, value: Any) -> bool:
        return value is None

    def __str__(self) -> str:
        return "None"


TRUTH: Rule = _Truth()
VERBOSITY: Rule = _Verbosity()
RANDOM_STATE: Rule = _RandomState()


def _rule(given: Any) -> Rule:
    if given is None:
        return _Nothing()
    return _Instances(given) if isinstance(given, type) else given


def names_of(cls: type) -> list[str]:
    """Name the parameters that a class is made with."""
    return list(inspect.signature(cls).parameters)


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

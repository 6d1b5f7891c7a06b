"""What a promise about the sensitive values of equivalence classes is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from inspect import isabstract, signature
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from skanon._registry import Registry
from skanon._table.sensitive import has_order, ordered_codes
from skanon.constraints._offer import Offer
from skanon.exceptions import ParameterError, in_short
from skanon.privacy import equivalence_classes

SLACK = 1e-9
"""Levels that miss what was asked for by no more than this part are rounding."""


@dataclass(frozen=True)
class SensitiveAttribute:
    """A sensitive attribute of the whole table.

    Attributes
    ----------
    name : column label
    values : list of length m
        The distinct values in ascending order; a missing one comes last.
    counts : ndarray of int64, shape (m,)
        How many records of the table have each value.
    is_ordered : bool
        Whether they are numbers, dates, times or ordered categories.
    known : dict
        Room for what constraints work out about it, so that they do it once.
    """

    name: Any
    values: list
    counts: np.ndarray
    is_ordered: bool = False
    known: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def shares(self) -> np.ndarray:
        """The part of the table's records that have each value: shape (m,)."""
        return self.counts / self.counts.sum()

    @property
    def most_frequent(self) -> tuple[Any, float]:
        """The most frequent value, and its share."""
        at = int(np.argmax(self.counts))
        return self.values[at], float(self.shares[at])

    @classmethod
    def learn(
        cls, column: pd.Series, name: Any
    ) -> tuple[SensitiveAttribute, np.ndarray]:
        """Learn a sensitive attribute.

        Returns
        -------
        attribute : SensitiveAttribute
        codes : ndarray of int64, shape (n,)
            Each record's position in ``values``.

        Raises
        ------
        ColumnTypeError
            Its values cannot be compared, such as lists.
        """
        codes, values = ordered_codes(column, name)
        counts = np.bincount(codes, minlength=len(values))
        return cls(name, values, counts, has_order(column)), codes


class Constraint(ABC):
    """A promise about the sensitive values in each equivalence class.

    It must be monotone: two classes that keep it keep it when they are united. The
    constraints that come with skanon are. Your own one needs :meth:`holds` only.

    Parameters
    ----------
    column : column, or None
        The sensitive attribute that it is about: a sensitive column of the table,
        ``"y"``, or a column of what ``fit`` gets as ``sensitive``. None: each of the
        sensitive attributes by itself.

    Examples
    --------
    A promise of your own: no class is more than half smokers.

    >>> from skanon.constraints import Constraint
    >>> class FewSmokers(Constraint):
    ...     def holds(self, counts, attribute):
    ...         smokers = counts[:, attribute.values.index("smoker")]
    ...         return smokers <= 0.5 * counts.sum(axis=1)
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> people = pd.DataFrame({"age": [20, 21, 30, 31, 40, 41]})
    >>> habits = ["smoker", "smoker", "none", "none", "none", "smoker"]
    >>> anonymizer = KAnonymizer(k=2, constraints=[FewSmokers()], random_state=0)
    >>> anonymizer.fit_transform(people, habits)["age"].tolist()
    ['[20, 31]', '[21, 30]', '[21, 30]', '[20, 31]', '[40, 41]', '[40, 41]']
    """

    offers: ClassVar[tuple[Offer, ...]] = ()
    """How the studio offers it."""
    in_policy: ClassVar[tuple[str, ...]] = ()
    """The parameters that a policy may hold, since they name no sensitive value."""

    column: Hashable | None

    def __init__(self, column: Hashable | None = None) -> None:
        self.column = column

    @abstractmethod
    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes keep the promise.

        Parameters
        ----------
        counts : ndarray of int, shape (n_classes, m)
            How many records of each class have each sensitive value.
        attribute : SensitiveAttribute
            The table's values, which the columns of ``counts`` stand for, and how
            often they occur in it.

        Returns
        -------
        ndarray of bool, shape (n_classes,)
        """

    def caps(self, attribute: SensitiveAttribute) -> np.ndarray | None:
        """Give the largest share of each value, where that is all that is promised.

        Sequential clustering keeps to it from the start, and needs no repair. None:
        there is more to it.

        Returns
        -------
        ndarray of float64, shape (m,), or None
        """
        return None

    def feasible(self, attribute: SensitiveAttribute) -> str:
        """Say in a sentence what the table can reach, for an error's message."""
        return "Even one class of all records does not keep it. Ask for less."

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table keeps the promise, from its values alone.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
        quasi_identifiers : list of columns
        sensitive : column
        **how
            ``suppressed``, as :func:`~skanon.privacy.equivalence_classes` takes it.
        """
        attribute, codes = SensitiveAttribute.learn(X[sensitive], sensitive)
        classes = equivalence_classes(X, quasi_identifiers, **how).to_numpy()
        kept = classes >= 0
        n = int(classes.max(initial=-1)) + 1
        m = len(attribute.values)
        pairs = np.bincount(classes[kept] * m + codes[kept], minlength=n * m)
        return bool(np.all(self.holds(pairs.reshape(n, m), attribute)))

    def _given(self) -> dict[str, Any]:
        items = vars(self).items()
        return {name: value for name, value in items if not name.startswith("_")}

    def __repr__(self) -> str:
        named = signature(type(self)).parameters
        given = [
            f"{name}={vars(self)[name]!r}"
            for name, parameter in named.items()
            if name in vars(self) and repr(vars(self)[name]) != repr(parameter.default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        """Tell whether two constraints are the same description."""
        if not isinstance(other, Constraint):
            return NotImplemented
        return type(self) is type(other) and self._given() == other._given()

    def __hash__(self) -> int:
        return hash(type(self))


CONSTRAINTS: Registry[Constraint] = Registry(
    Constraint,
    lambda kind: None if isabstract(kind) else kind.__name__,
)
"""The constraints by the names of their classes."""


def offered() -> dict[str, tuple[type[Constraint], Offer]]:
    """List what can be chosen by its level, in the order in which it is offered."""
    found = [
        (kind, offer)
        for kind in CONSTRAINTS.values()
        for offer in vars(kind).get("offers", ())
    ]
    found.sort(key=lambda pair: pair[1].position)
    return {offer.kind: (kind, offer) for kind, offer in found}


def shares(counts: np.ndarray) -> np.ndarray:
    """Turn counts into each class's shares: shape (n_classes, m)."""
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def check_number(
    owner: str, name: str, value: Any, low: float, high: float, *, whole: bool = False
) -> None:
    """Check a constraint's level.

    Raises
    ------
    ParameterError
        It is no number, or out of its range.
    """
    kind = Integral if whole else Real
    fits = isinstance(value, kind) and not isinstance(value, bool | np.bool_)
    if not (fits and low <= value <= high):
        number = "a whole number" if whole else "a number"
        span = f"of at least {low}" if np.isinf(high) else f"from {low} to {high}"
        raise ParameterError(
            f"{owner}: {name} is {in_short(value)}. Give {number} {span}."
        )


def check_kind(owner: str, name: str, value: Any, options: tuple[str, ...]) -> None:
    """Check a word.

    Raises
    ------
    ParameterError
        It is none of the options.
    """
    if value not in options:
        shown = ", ".join(repr(option) for option in options)
        raise ParameterError(
            f"{owner}: {name} is {in_short(value)}. Choose one of {shown}."
        )

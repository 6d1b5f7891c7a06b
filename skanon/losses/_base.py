"""What a loss is: a mixture of terms, summed over records and columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np

from skanon.exceptions import ParameterError
from skanon.hierarchies import BoundHierarchy


class Measure(NamedTuple):
    """How a report shows a loss.

    Attributes
    ----------
    name : str
        As the function of :mod:`skanon.metrics`, where there is one.
    title, unit : str
        For people.
    summed : bool
        Whether it is the sum over the entries, not their average.
    """

    name: str
    title: str
    unit: str
    summed: bool = False


class Loss(ABC):
    """A measure of information loss, as the average cost of a table's entries.

    ``loss(release) = sum_i sum_j w_j cost_j[node_j(i)] / (n sum_j w_j)``: over records
    i and quasi-identifiers j, where ``node_j(i)`` is what record i's value of column j
    was generalized to. It is 0 for the original table. Losses can be multiplied by
    numbers and added up: ``0.25 * MI() + 0.75 * PMI()``.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; those that are not named count 1.
        Weights are relative: doubling all of them changes nothing.
    """

    word: ClassVar[str]
    """What ``loss=`` calls it."""
    summary: ClassVar[str] = ""
    """What it counts, for people."""
    position: ClassVar[int] = 1000
    """Where it stands when losses are offered."""
    measures: ClassVar[tuple[Measure, ...]] = ()
    """What a report shows of it, for any release."""
    uses_sensitive = False
    """Whether a sensitive attribute is needed."""
    by_column = True
    """Whether it is a sum over the columns."""
    slowness: float = 1
    """How many times as long as with LM a fit takes, roughly."""

    def __init__(self, weights: Mapping[Hashable, float] | None = None) -> None:
        self.weights = weights

    @abstractmethod
    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Say how much of each term one column's unweighted costs have.

        Returns
        -------
        ndarray of float64, shape (N_TERMS,)
        """

    def settled(self, columns: list, information: Callable[[], np.ndarray]) -> Loss:
        """Give the same loss with what it learns from the table.

        Parameters
        ----------
        columns : list of length r
            The quasi-identifiers.
        information : callable
            Computes what each column of the original table tells of the sensitive
            attribute beyond chance, in bits: ndarray of float64, shape (r,).

        Returns
        -------
        Loss
            Most learn nothing, and are returned as they are.
        """
        return self

    @property
    def parts(self) -> list[tuple[float, Loss]]:
        """The losses that are added up, each with its factor."""
        return [(1.0, self)]

    @property
    def penalty(self) -> float:
        """What a record pays whose sensitive value is in the minority; 0 for most."""
        return 0.0

    def relative_weights(self, columns: list) -> np.ndarray:
        """Compute each column's share of the loss.

        Parameters
        ----------
        columns : list of length r
            The quasi-identifiers.

        Returns
        -------
        ndarray of shape (r,)
            The shares; they sum to 1.

        Raises
        ------
        ParameterError
            A weight is negative, not finite or not a number, all are 0, or a column
            is weighted that is no quasi-identifier.
        """
        weights = check_column_weights(self.weights, columns)
        return weights / weights.sum()

    def __add__(self, other: object) -> Loss:
        if not isinstance(other, Loss):
            return NotImplemented
        return Sum([*self.parts, *other.parts])

    def __mul__(self, factor: object) -> Loss:
        if not isinstance(factor, Real) or isinstance(factor, bool | np.bool_):
            return NotImplemented
        number = float(factor)
        if not 0 <= number < np.inf:
            raise ParameterError(
                f"A loss is multiplied by {factor}. Give a finite number of at least 0."
            )
        return Sum([(number * given, part) for given, part in self.parts])

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        """Tell whether two losses are the same description."""
        if not isinstance(other, Loss):
            return NotImplemented
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        given = "" if self.weights is None else f"weights={dict(self.weights)!r}"
        return f"{type(self).__name__}({given})"


class Sum(Loss):
    """Losses, each multiplied by a factor and added up.

    Made by ``+`` and ``*``. Each part keeps its own column weights.

    Parameters
    ----------
    parts : list of (float, Loss)
    """

    def __init__(self, parts: list[tuple[float, Loss]]) -> None:
        super().__init__()
        self._parts = parts

    def settled(self, columns: list, information: Callable[[], np.ndarray]) -> Loss:
        """Settle each part."""
        return Sum(
            [
                (factor * inner, part)
                for factor, given in self._parts
                for inner, part in given.settled(columns, information).parts
            ]
        )

    @property
    def parts(self) -> list[tuple[float, Loss]]:
        """The losses that are added up, each with its factor."""
        return list(self._parts)

    @property
    def uses_sensitive(self) -> bool:  # type: ignore[override]
        """Whether a sensitive attribute is needed."""
        return any(part.uses_sensitive for factor, part in self._parts if factor)

    @property
    def slowness(self) -> float:  # type: ignore[override]
        """How many times as long as with LM a fit takes, roughly."""
        return max((part.slowness for factor, part in self._parts if factor), default=1)

    @property
    def penalty(self) -> float:
        """What a record pays whose sensitive value is in the minority."""
        return sum(factor * part.penalty for factor, part in self._parts)

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Add up what the parts say, without weights."""
        return sum_of([factor * part.blend(bound) for factor, part in self._parts])

    def relative_weights(self, columns: list) -> np.ndarray:
        """Average the parts' column weights, in proportion to their factors.

        Raises
        ------
        ParameterError
            A weight is unfit, or all factors are 0.
        """
        if not sum(factor for factor, _ in self._parts) > 0:
            raise ParameterError(
                f"The loss {self!r} is 0 whatever is released. Give at least one of "
                "its parts a positive factor."
            )
        counted = [(f, part) for f, part in self._parts if f and part.by_column]
        if not counted:
            return super().relative_weights(columns)
        shares = [part.relative_weights(columns) for _, part in counted]
        return np.average(shares, axis=0, weights=[factor for factor, _ in counted])

    def __repr__(self) -> str:
        return " + ".join(
            f"{part!r}" if factor == 1 else f"{_written(factor)} * {part!r}"
            for factor, part in self._parts
        )


def _written(factor: float) -> str:
    """Write a factor in full: losses are equal if they are written the same."""
    return repr(factor).removesuffix(".0")


def sum_of(arrays: list[np.ndarray]) -> np.ndarray:
    """Add arrays of one shape."""
    return np.sum(arrays, axis=0)


def check_column_weights(
    weights: Mapping[Hashable, float] | None, columns: list
) -> np.ndarray:
    """Check weights of quasi-identifiers.

    Returns
    -------
    ndarray of float64, shape (r,)
        1 for columns that are not named.

    Raises
    ------
    ParameterError
        As in :meth:`Loss.relative_weights`.
    """
    given = dict(weights or {})
    for column, weight in given.items():
        if column not in columns:
            raise ParameterError(
                f"The loss weights {column!r}, which is not a quasi-identifier. "
                f"The quasi-identifiers are {columns}."
            )
        number = isinstance(weight, int | float | np.number)
        if not number or isinstance(weight, bool) or not 0 <= weight < np.inf:
            raise ParameterError(
                f"The loss gives {column!r} the weight {weight!r}. Weights must "
                "be finite numbers of at least 0."
            )
    result = np.array([float(given.get(column, 1.0)) for column in columns])
    if result.sum() == 0:
        raise ParameterError(
            "The loss gives all quasi-identifiers the weight 0. Give at least one "
            "of them a positive weight."
        )
    return result

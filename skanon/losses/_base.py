"""What a loss is: costs of permissible subsets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import NamedTuple

import numpy as np

from skanon.exceptions import ParameterError
from skanon.hierarchies import BoundHierarchy
from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._taxonomy import BoundTaxonomy


class ColumnCosts(NamedTuple):
    """What one record pays for each permissible subset of one column.

    Attributes
    ----------
    node : ndarray of shape (n_nodes,)
        Trees: the cost of each node.
    low, high : ndarray of shape (n_codes,)
        Intervals cost ``high[high code] - low[low code]``; a set costs the sum of
        its members' ``high`` less their ``low``, which is the same for all.
    top : float
        The cost of the subset that covers everything, missing values included.
    """

    node: np.ndarray
    low: np.ndarray
    high: np.ndarray
    top: float

    def scaled(self, factor: float) -> ColumnCosts:
        """Multiply all costs."""
        return ColumnCosts(
            self.node * factor, self.low * factor, self.high * factor, self.top * factor
        )


class Loss(ABC):
    """A measure of information loss, as the average cost of a table's entries.

    ``loss(release) = sum_i sum_j w_j cost_j[node_j(i)] / (n sum_j w_j)``: over records
    i and quasi-identifiers j, where ``node_j(i)`` is what record i's value of column j
    was generalized to. It is 0 for the original table, and 1 where everything is
    suppressed.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; those that are not named count 1.
        Weights are relative: doubling all of them changes nothing.
    """

    name: str

    def __init__(self, weights: Mapping[Hashable, float] | None = None) -> None:
        self.weights = weights

    @abstractmethod
    def column_costs(self, bound: BoundHierarchy) -> ColumnCosts:
        """Compute the unweighted costs of one column's permissible subsets."""

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
        given = dict(self.weights or {})
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
        weights = np.array([float(given.get(column, 1.0)) for column in columns])
        if weights.sum() == 0:
            raise ParameterError(
                "The loss gives all quasi-identifiers the weight 0. Give at least one "
                "of them a positive weight."
            )
        return weights / weights.sum()

    def __repr__(self) -> str:
        given = "" if self.weights is None else f"weights={dict(self.weights)!r}"
        return f"{type(self).__name__}({given})"


def counted(bound: BoundHierarchy) -> ColumnCosts:
    """Cost a subset by its number of values: (size - 1) / (n_codes - 1)."""
    unit = 1.0 / max(bound.n_codes - 1, 1)
    if isinstance(bound, BoundTaxonomy):
        first = np.maximum(bound.first, 0)
        return _of_tree((bound.last - first) * unit)
    position = np.arange(bound.n_codes) * unit
    if bound.form == INTERVAL:
        return ColumnCosts(_NONE, position, position, (bound.n_codes - 1) * unit)
    each = np.full(bound.n_codes, unit)
    return ColumnCosts(_NONE, each, each, (bound.n_codes - 1) * unit)


def measured(bound: BoundHierarchy) -> ColumnCosts:
    """Cost a subset by its length on the line: (highest - lowest) / whole length.

    Sets of values without regard to what lies between them, and columns without an
    order, are counted instead. Whatever covers missing values beside others costs 1.
    """
    on_a_line = isinstance(bound, BoundTaxonomy) or bound.form == INTERVAL
    known = bound.numbers[~np.isnan(bound.numbers)]
    if not on_a_line or not bound.domain.ordered or not len(known):
        return counted(bound)
    half = known / 2 if np.abs(known).max() > 1e300 else known  # lest they overflow
    whole = float(np.ptp(half)) or 1.0
    numbers = bound.numbers / 2 if half is not known else bound.numbers
    at = np.nan_to_num((numbers - np.min(half)) / whole)
    if isinstance(bound, BoundTaxonomy):
        first, last = np.maximum(bound.first, 0).tolist(), bound.last.tolist()
        spans = zip(first, last, strict=True)
        return _of_tree(np.array([_length(bound, at, a, b) for a, b in spans]))
    return ColumnCosts(_NONE, at, at, float(bound.n_codes > 1))


def _length(bound: BoundHierarchy, at: np.ndarray, first: int, last: int) -> float:
    """Return the length of a tree's node; ``at`` has the codes' places from 0 to 1."""
    if first == last:
        return 0.0
    if first <= bound.missing <= last:
        return 1.0
    placed = at[first : last + 1][~np.isnan(bound.numbers[first : last + 1])]
    return float(np.ptp(placed)) if len(placed) else 0.0


def _of_tree(node: np.ndarray) -> ColumnCosts:
    return ColumnCosts(node, _NONE, _NONE, float(node[-1]))


_NONE = np.zeros(0)

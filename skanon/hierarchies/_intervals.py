"""Any range of an ordered column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies._base import INTERVAL, BoundHierarchy, Hierarchy
from skanon.hierarchies._text import quoted


class Intervals(Hierarchy):
    """Every range ``[low, high]`` between two values of an ordered column.

    The closure of a cluster is the range from its lowest to its highest value; with a
    missing value in it, it is ``*``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> ages = pd.DataFrame({"age": [21, 24, 57, 63]})
    >>> anonymizer = KAnonymizer(k=2, hierarchies={"age": Intervals()}, random_state=0)
    >>> anonymizer.fit_transform(ages)["age"].tolist()
    ['[21, 24]', '[21, 24]', '[57, 63]', '[57, 63]']
    """

    word = "intervals"

    def bind(self, domain: Domain) -> BoundIntervals:
        """Fit to a column; raises HierarchyError where the column has no order."""
        if not domain.ordered:
            raise HierarchyError(
                f"Column {domain.name!r} holds {domain.kind} without an order, so "
                "intervals make no sense for it. Give it a Taxonomy, Subsets() or "
                "Suppression(), or make it an ordered categorical."
            )
        return BoundIntervals(domain)


class BoundIntervals(BoundHierarchy):
    """Ranges over the sorted distinct values: a state is (low code, high code).

    ``(-1, n_codes - 1)`` is everything, missing values included.
    """

    form = INTERVAL
    width = 2

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain, len(domain))
        self._joins = _follow_each_other(domain)

    def members(self, state: np.ndarray) -> np.ndarray:
        """List the codes from low to high."""
        return np.arange(max(state[0], 0), state[1] + 1)

    def covers(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Tell whether codes lie between low and high."""
        return (states[:, 0] <= codes) & (codes <= states[:, 1])

    def _name(self, state: np.ndarray, members: np.ndarray) -> str:
        low, high = self._texts[members[0]], self._texts[members[-1]]
        if self._joins:
            return f"{low.partition(', ')[0]}, {high.partition(', ')[2]}"
        if self.domain.kind == "text":
            low, high = quoted(low), quoted(high)
        return f"[{low}, {high}]"

    def text(self, state: np.ndarray) -> str | float:
        """Write a range; the widest one without missing values is still a range."""
        if state[0] >= 0 and state[1] > state[0]:
            return self._name(state, state)
        return super().text(state)


def _follow_each_other(domain: Domain) -> bool:
    """Tell whether the values are intervals, of which several make a longer one."""
    if domain.element is None or domain.element.word != "interval":
        return False
    intervals = [domain.element.objects[text] for text in domain.values]
    return bool(pd.arrays.IntervalArray(intervals).is_non_overlapping_monotonic)

"""What the permissible subsets of all columns cost under a loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses._base import Loss, sum_of
from skanon.losses._terms import (
    ENTROPY,
    LENGTH,
    LEVEL,
    N_TERMS,
    NONUNIFORM,
    SENSITIVE,
    SIZE,
    Ground,
    line,
)


@dataclass(frozen=True)
class ColumnCosts:
    """What one record pays for each permissible subset of one column, weighted.

    Attributes
    ----------
    ground : Ground
    blend : ndarray of float64, shape (N_TERMS,)
        How much of each term there is.
    """

    ground: Ground
    blend: np.ndarray

    @property
    def suppressed(self) -> np.ndarray:
        """What a suppressed record pays, by sensitive value: shape (n_sensitive,)."""
        return (self.ground.suppressed() @ self.blend)[:-1]

    @property
    def origin(self) -> float:
        """What the original table costs on average; taken off what is reported."""
        return float(self.ground.origins() @ self.blend)

    @property
    def is_listed(self) -> bool:
        """Whether there is a price list, of costs that only grow."""
        if self.blend[SENSITIVE]:
            return False
        if isinstance(self.ground.bound, BoundTaxonomy):
            nodes = self.nodes()
            held = self.ground.tree().counts > 0
            return bool((self.floors(nodes) == nodes)[held, -1].all())
        return not self.blend[[LEVEL, NONUNIFORM, ENTROPY]].any()

    def nodes(self) -> np.ndarray:
        """Compute the costs of a tree's nodes.

        Returns
        -------
        ndarray of float64, shape (n_nodes, n_sensitive + 1)
            By sensitive value; the last column is the average.
        """
        return self.ground.terms(self.ground.tree()) @ self.blend

    def floors(self, nodes: np.ndarray) -> np.ndarray:
        """Find the least that each node or any node above it costs.

        Returns
        -------
        ndarray of float64, shape (n_nodes, n_sensitive + 1)
        """
        bound = self.ground.bound
        assert isinstance(bound, BoundTaxonomy)
        subsets = self.ground.tree()
        held = np.append(
            subsets.by_sensitive > 0, (subsets.counts > 0)[:, None], axis=1
        )
        # nothing costs what no record can be in
        floors = np.where(held, nodes, np.inf)
        for node in range(len(nodes) - 2, -1, -1):  # parents come after children
            floors[node] = np.minimum(floors[node], floors[bound.parent[node]])
        return floors

    def listed(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Compute the price list of intervals or sets.

        Returns
        -------
        high, low : ndarray of float64, shape (n_codes,)
            Intervals cost ``high[high code] - low[low code]``; a set costs the sum of
            its members' ``high`` less their ``low``, which is the same for all.
        top : float
            What the subset that covers everything costs.
        """
        bound = self.ground.bound
        m = bound.n_codes
        unit = 1.0 / max(m - 1, 1)
        counted = self.blend[SIZE]
        places = line(bound)
        if places is None:
            counted = counted + self.blend[LENGTH]
        if bound.form != INTERVAL:
            each = np.full(m, unit * counted)
            return each, each, (m - 1) * unit * counted
        high = np.arange(m) * unit * counted
        top = (m - 1) * unit * counted
        if places is not None:
            high = high + self.blend[LENGTH] * np.nan_to_num(places)
            top += self.blend[LENGTH] * (m > 1)
        return high, high, top


def column_costs(loss: Loss, grounds: list[Ground]) -> list[ColumnCosts]:
    """Compute what permissible subsets cost, weighted, column by column.

    Parameters
    ----------
    loss : Loss
        It is settled.
    grounds : list of Ground, length r

    Raises
    ------
    ParameterError
        The loss's column weights are unfit.
    """
    names = [ground.bound.domain.name for ground in grounds]
    shares = [(f, part, part.relative_weights(names)) for f, part in loss.parts]
    result = []
    for j, ground in enumerate(grounds):
        blends = [f * share[j] * part.blend(ground.bound) for f, part, share in shares]
        blend = sum_of([np.zeros(N_TERMS), *blends])
        result.append(ColumnCosts(ground, blend))
    return result

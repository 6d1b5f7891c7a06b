"""How far a class's sensitive values may be from those of the whole table."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import Domain
from skanon.constraints._base import (
    SLACK,
    Constraint,
    SensitiveAttribute,
    check_kind,
    check_number,
    shares,
)
from skanon.constraints._offer import Offer
from skanon.exceptions import HierarchyError, ParameterError, in_short
from skanon.hierarchies._files import as_hierarchy
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.privacy import beta_likeness, delta_disclosure, t_closeness

DISTANCES = ("equal", "ordered", "hierarchical")


class TCloseness(Constraint):
    """t-closeness: in a class, sensitive values are distributed much as in the table.

    The distance of both distributions is the earth mover's: how far shares must be
    moved from value to value to turn one into the other.

    Parameters
    ----------
    t : float
        From 0 to 1.
    distance : {"equal", "ordered", "hierarchical"} or None
        How far apart two values are.

        - ``"equal"``: 1
        - ``"ordered"``: the number of steps between them in the order of the m values
          of the table, over m - 1
        - ``"hierarchical"``: the level of their lowest common ancestor in
          ``hierarchy``, over its height

        None: ``"ordered"`` for numbers, dates, times and ordered categories, else
        ``"equal"``.
    hierarchy : Taxonomy, nested dict or path, or None
        For ``"hierarchical"`` only.
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Li, Li & Venkatasubramanian, "t-Closeness: privacy beyond k-anonymity and
    l-diversity", ICDE 2007, section 4.
    """

    in_policy = ("t", "distance")
    offers = (
        Offer(
            "t",
            "t-closeness",
            "The sensitive values of each class are distributed as in the "
            "whole table, up to a distance of t.",
            level="t",
            start=0.2,
            feasible="t",
            position=4,
        ),
    )

    def __init__(
        self,
        t: float,
        distance: str | None = None,
        *,
        hierarchy: Any = None,
        column: Hashable | None = None,
    ) -> None:
        super().__init__(column)
        check_number("TCloseness", "t", t, 0, 1)
        if distance is not None:
            check_kind("TCloseness", "distance", distance, DISTANCES)
        if (hierarchy is not None) != (distance == "hierarchical"):
            raise ParameterError(
                f"TCloseness: distance is {in_short(distance)} and hierarchy is "
                f'{hierarchy!r}. distance="hierarchical" needs a hierarchy, and '
                "nothing else has use for one."
            )
        self.t = t
        self.distance = distance
        self.hierarchy = hierarchy

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes are close; see :meth:`Constraint.holds`."""
        extra = shares(counts) - attribute.shares
        return self._moved(extra, attribute) <= self.t + SLACK

    def _moved(self, extra: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        if self.distance == "hierarchical":
            return _up_the_tree(extra, self._tree(attribute))
        if self.distance == "ordered":
            _check_order(attribute)
        by_order = self.distance is None and attribute.is_ordered
        if by_order or self.distance == "ordered":
            steps = np.abs(np.cumsum(extra, axis=1)).sum(axis=1)
            return steps / max(extra.shape[1] - 1, 1)
        return np.abs(extra).sum(axis=1) / 2

    def _tree(
        self, attribute: SensitiveAttribute
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        """Find the taxonomy's parents and levels, and the values' leaves."""
        if id(self) not in attribute.known:  # which keeps self, so that its id stays
            attribute.known[id(self)] = self, tree_of(self.hierarchy, attribute)
        return attribute.known[id(self)][1]

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table is close; see :meth:`Constraint.kept_by`."""
        if self.distance == "hierarchical":
            return super().kept_by(X, quasi_identifiers, sensitive, **how)
        level = t_closeness(
            X, quasi_identifiers, sensitive, distance=self.distance, **how
        )
        return bool(level <= self.t + SLACK)


class BetaLikeness(Constraint):
    """beta-likeness: no sensitive value's share grows too much in a class.

    With p its share in the table and q that in a class, ``(q - p) / p`` is at most
    beta (``"basic"``), or at most the smaller of beta and ``-ln p`` (``"enhanced"``).

    Parameters
    ----------
    beta : float
        Above 0.
    kind : {"basic", "enhanced"}, default="basic"
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Cao & Karras, "Publishing microdata with a robust privacy guarantee", VLDB 2012,
    definitions 2 and 3.
    """

    in_policy = ("beta", "kind")
    offers = (
        Offer(
            "beta",
            "beta-likeness",
            "No sensitive value's share grows more than (1 + beta)-fold in a class.",
            level="beta",
            start=1,
            feasible="beta",
            position=5,
        ),
    )

    def __init__(
        self, beta: float, kind: str = "basic", *, column: Hashable | None = None
    ) -> None:
        super().__init__(column)
        check_number("BetaLikeness", "beta", beta, 0, np.inf)
        check_kind("BetaLikeness", "kind", kind, ("basic", "enhanced"))
        self.beta = beta
        self.kind = kind

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes keep it; see :meth:`Constraint.holds`."""
        most = self.caps(attribute) * (1 + SLACK)
        return np.all(shares(counts) <= most, axis=1)

    def caps(self, attribute: SensitiveAttribute) -> np.ndarray:
        """Give each value's share in the table, with what may be added to it."""
        p = attribute.shares
        most = np.full(len(p), float(self.beta))
        if self.kind == "enhanced":
            most = np.minimum(most, -np.log(p))
        return np.minimum(p * (1 + most), 1)

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table keeps it; see :meth:`Constraint.kept_by`."""
        level = beta_likeness(X, quasi_identifiers, sensitive, kind=self.kind, **how)
        return bool(level <= self.beta + SLACK * (1 + self.beta))


class DeltaDisclosure(Constraint):
    """delta-disclosure privacy: no sensitive value's share changes much in a class.

    With p its share in the table and q that in a class, ``|ln(q / p)|`` is below delta
    for each value; so a class must have all values.

    Parameters
    ----------
    delta : float
        Above 0.
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Brickell & Shmatikov, "The cost of privacy: destruction of data-mining utility in
    anonymized data publishing", KDD 2008, definition 1.
    """

    in_policy = ("delta",)
    offers = (
        Offer(
            "delta",
            "delta-disclosure privacy",
            "No sensitive value's share changes much in a class, up or down.",
            level="delta",
            start=1,
            feasible="delta",
            position=6,
            note="The smaller, the stricter; each class must have all values then.",
        ),
    )

    def __init__(self, delta: float, *, column: Hashable | None = None) -> None:
        super().__init__(column)
        check_number("DeltaDisclosure", "delta", delta, 0, np.inf)
        self.delta = delta

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes keep it; see :meth:`Constraint.holds`."""
        q = shares(counts)
        logs = np.full(q.shape, np.inf)
        np.log(q / attribute.shares, out=logs, where=q > 0)
        return np.all(np.abs(logs) < self.delta * (1 - SLACK), axis=1)

    def feasible(self, attribute: SensitiveAttribute) -> str:
        """Say what even one class of all records breaks."""
        return "Give a delta above 0."

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table keeps it; see :meth:`Constraint.kept_by`."""
        level = delta_disclosure(X, quasi_identifiers, sensitive, **how)
        return bool(level < self.delta)


def _check_order(attribute: SensitiveAttribute) -> None:
    """Check that values have an order of their own.

    Raises
    ------
    ParameterError
        They are text or unordered categories.
    """
    present = [value for value in attribute.values if value is not None]
    if not attribute.is_ordered and not all(
        isinstance(value, bool | np.bool_) for value in present
    ):
        raise ParameterError(
            f"TCloseness: distance is 'ordered', but the sensitive attribute "
            f"{attribute.name!r} has values without an order, such as {present[0]!r}. "
            "Turn them into numbers or an ordered categorical, or choose "
            'distance="equal".'
        )


def tree_of(hierarchy: Any, attribute: SensitiveAttribute) -> Any:
    """Bind a taxonomy to a sensitive attribute.

    Returns
    -------
    parent, level : ndarray of int, shape (n_nodes,)
        Children come before their parents, the root is last.
    leaf : ndarray of int, shape (m,)
        The nodes of the values.

    Raises
    ------
    HierarchyError
        It is no taxonomy, or does not cover a value.
    """
    column = pd.Series(attribute.values, dtype=object)
    domain, positions = Domain.learn(column.infer_objects(), attribute.name)
    bound = as_hierarchy(hierarchy).bind(domain)
    if not isinstance(bound, BoundTaxonomy):
        raise HierarchyError(
            f"Column {attribute.name!r}: TCloseness needs a Taxonomy, not "
            f"{hierarchy!r}."
        )
    return bound.parent, bound.level, bound.codes(positions)


def _up_the_tree(extra: np.ndarray, tree: Any) -> np.ndarray:
    """Move what is too much or too little at each node to its parent.

    Section 4.3 of Li et al.: at a node, the lesser of what its children have too much
    and too little is moved among them.
    """
    parent, level, leaf = tree
    at = np.zeros((len(extra), len(parent)))
    at[:, leaf] = extra
    more, less = np.zeros_like(at), np.zeros_like(at)
    for node in range(len(parent) - 1):
        own = at[:, node] + more[:, node] - less[:, node]
        more[:, parent[node]] += np.maximum(own, 0)
        less[:, parent[node]] += np.maximum(-own, 0)
    height = level[-1]
    return (np.minimum(more, less) * level).sum(axis=1) / max(height, 1)

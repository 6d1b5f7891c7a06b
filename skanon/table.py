"""A frame's quasi-identifiers, as codes, permissible subsets and costs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from skanon.domain import ON_A_LINE, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    BoundHierarchy,
    Hierarchy,
    Intervals,
    Suppression,
    as_hierarchy,
)
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses import ColumnCosts, Loss


@dataclass(frozen=True)
class Schema:
    """What a fit learns about the quasi-identifiers, short of the records.

    Attributes
    ----------
    names : list of length r
        The quasi-identifiers.
    hierarchies : dict from column to Hierarchy
    bounds : list of BoundHierarchy, length r
    costs : list of ColumnCosts, length r
        Weighted, so that a record's columns add up to its loss.
    shares : ndarray of shape (r,)
        Each column's share of the loss; a suppressed entry costs it.
    """

    names: list
    hierarchies: dict[Any, Hierarchy]
    bounds: list[BoundHierarchy]
    costs: list[ColumnCosts]
    shares: np.ndarray

    @classmethod
    def learn(
        cls, frame: pd.DataFrame, hierarchies: Mapping[Any, Any], loss: Loss
    ) -> tuple[Schema, np.ndarray]:
        """Learn the quasi-identifiers of a frame.

        Parameters
        ----------
        frame : DataFrame of shape (n, r)
            The quasi-identifiers only.
        hierarchies : mapping from column to hierarchy, or to what describes one
        loss : Loss

        Returns
        -------
        schema : Schema
        codes : ndarray of int32, shape (n, r)
        """
        bounds, codes = [], np.empty(frame.shape, dtype=np.int32, order="C")
        chosen = {}
        for j, name in enumerate(frame.columns):
            domain, positions = Domain.learn(frame.iloc[:, j], name)
            chosen[name] = hierarchy_of(domain, hierarchies)
            bound = chosen[name].bind(domain)
            codes[:, j] = bound.codes(positions)
            bounds.append(bound)
        shares = loss.relative_weights(list(frame.columns))
        costs = [
            loss.column_costs(bound).scaled(share)
            for bound, share in zip(bounds, shares, strict=True)
        ]
        schema = cls(list(frame.columns), chosen, bounds, costs, shares)
        return schema, codes

    def encode(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Code the quasi-identifiers of other records.

        Returns
        -------
        codes : ndarray of int32, shape (n, r)
            ``UNKNOWN`` where the fitted column does not hold the value.
        nearest : ndarray of int32, shape (n, r)
            The same, but an unknown number or date counts as the nearest fitted one.

        Raises
        ------
        HierarchyError
            A value has no leaf in the taxonomy that the user gave for its column.
        """
        codes = np.empty(frame.shape, dtype=np.int32, order="C")
        nearest = np.empty_like(codes)
        for j, bound in enumerate(self.bounds):
            codes[:, j], nearest[:, j] = bound.encode(frame.iloc[:, j])
        return codes, nearest

    def paid(
        self, sizes: np.ndarray, costs: np.ndarray, n_suppressed: int
    ) -> np.ndarray:
        """Sum what all records pay, by column; suppressed ones pay 1 per column.

        Parameters
        ----------
        sizes : ndarray of int, shape (n_classes,)
        costs : ndarray of float64, shape (n_classes, r)
            What a record of each class pays.
        n_suppressed : int

        Returns
        -------
        ndarray of float64, shape (r,)
        """
        return sizes @ costs + n_suppressed * self.shares

    def parts(self) -> list[slice]:
        """Locate each column's state in a row of states."""
        ends = np.cumsum([0, *(bound.width for bound in self.bounds)]).tolist()
        return [slice(a, b) for a, b in itertools.pairwise(ends)]

    @cached_property
    def columns(self) -> Any:
        """The bounds and costs as one ``kernels.columns.Columns``."""
        return pack(self.bounds, self.costs)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        state = self.__dict__.copy()
        state.pop("columns", None)  # its module imports numba
        return state


def hierarchy_of(domain: Domain, hierarchies: Mapping[Any, Any]) -> Hierarchy:
    """Choose a column's hierarchy: the given one, or the default for its kind."""
    if domain.name in hierarchies:
        try:
            return as_hierarchy(hierarchies[domain.name])
        except HierarchyError as error:
            raise HierarchyError(f"Column {domain.name!r}: {error}") from error
        except OSError as error:
            raise HierarchyError(
                f"Column {domain.name!r}: its hierarchy cannot be read: {error}. Check "
                "the path."
            ) from error
    return Intervals() if domain.kind in ON_A_LINE else Suppression()


def pack(bounds: list[BoundHierarchy], costs: list[ColumnCosts]) -> Any:
    """Lay all columns' permissible subsets and costs side by side for the kernels."""
    from skanon.kernels.columns import Columns

    layout, trees, prices = [], [], []
    start = offset = 0
    for bound, cost in zip(bounds, costs, strict=True):
        if isinstance(bound, BoundTaxonomy):
            flat = len(bound.parent) == bound.n_codes + 1
            trees.append(np.stack([bound.parent, bound.first, bound.last], axis=1))
            prices.append(np.stack([cost.node, cost.node], axis=1))
        else:
            flat = False
            every = [[cost.top, 0.0]]
            prices.append(np.append(np.stack([cost.high, cost.low], axis=1), every, 0))
            trees.append(np.zeros((len(prices[-1]), 3), dtype=np.int32))
        size, top = len(prices[-1]), len(prices[-1]) - 1
        layout.append(
            [
                bound.form,
                start,
                offset,
                bound.n_codes,
                bound.missing,
                bound.width,
                top,
                flat,
            ]
        )
        start += bound.width
        offset += size
    return Columns(
        np.array(layout, dtype=np.int32),
        np.concatenate(trees).astype(np.int32),
        np.concatenate(prices),
    )


def tuple_ids(codes: np.ndarray) -> np.ndarray:
    """Give a number to each distinct row of a code matrix.

    Parameters
    ----------
    codes : ndarray of int, shape (n, r)

    Returns
    -------
    ndarray of int64, shape (n,)
        Equal for equal rows, counting from 0 in the order of first appearance.
    """
    ids = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        # numbered first: the words of bit sets fill all 64 bits
        numbered, distinct = pd.factorize(column)
        ids = pd.factorize(ids * len(distinct) + numbered)[0]
    return ids


def numbered(labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Renumber clusters from 0 on, in the order of their labels.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Records in no cluster have a label below 0, and get -1.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
    n_clusters : int
    """
    kept = labels >= 0
    clusters, compact = np.unique(labels[kept], return_inverse=True)
    renamed = np.full(len(labels), -1, dtype=np.int32)
    renamed[kept] = compact
    return renamed, len(clusters)


def occurrences(ids: np.ndarray) -> np.ndarray:
    """Count how often each entry has occurred before it."""
    return pd.Series(ids).groupby(ids).cumcount().to_numpy()

"""Suppressing the few records that cost the others most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from skanon._table.schema import Schema, numbered, tuple_ids
from skanon.constraints._bound import BoundConstraint, repair


def suppress(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    k: int,
    fraction: float,
    cluster: Callable[[np.ndarray], np.ndarray | None] | None = None,
    bound_constraints: Sequence[BoundConstraint] = (),
) -> np.ndarray:
    """Suppress records where that lowers the total loss.

    Each step takes out the record whose going lowers the summed loss of its cluster
    most, until none does or as many are suppressed as may be. Only clusters of more
    than k can simply lose a record. So a second try takes outliers out of all clusters
    and clusters the others anew; the best of both, and of no suppression, is kept.
    Clusters that then break a promise are united with others.
    This is a heuristic: which records are best suppressed depends on a clustering that
    is still to come.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    labels : ndarray of int, shape (n,)
        The clusters; records that an algorithm has suppressed already have -1.
    k : int
    fraction : float
        The largest part of the records that may be suppressed.
    cluster : callable, or None
        Clusters some of the records, where that can keep the promises; None: there is
        no second try.
    bound_constraints : sequence of BoundConstraint
        The clusters keep them.

    Returns
    -------
    ndarray of int, shape (n,)
        The labels, -1 for suppressed records.
    """
    budget = max_suppressed(fraction, len(labels))
    if budget == 0:
        return labels
    table = schema, codes, sensitive
    tried = [_without_outliers(*table, labels, k, budget)]
    kept = np.flatnonzero(_without_outliers(*table, labels, 1, budget) >= 0)
    if cluster is not None and k <= len(kept) < len(labels):
        clustered = cluster(kept)
        if clustered is not None:
            anew = np.full(len(labels), -1, dtype=np.int64)
            anew[kept] = clustered
            # an algorithm that suppresses for itself may have taken too many
            if (anew < 0).sum() <= budget:
                tried.append(_without_outliers(*table, anew, k, budget))
    repaired = [repair(*table, attempt, bound_constraints) for attempt in tried]
    able = [labels, *(attempt for attempt in repaired if attempt is not None)]
    return min(able, key=lambda labels: _as_published(*table, labels))


def _as_published(
    schema: Schema, codes: np.ndarray, sensitive: np.ndarray, labels: np.ndarray
) -> float:
    """Sum what all records pay when clusters that publish the same are one class."""
    if schema.penalty:  # else it does not matter
        from skanon.kernels.core.closures import states_of

        labels, n_clusters = numbered(labels)
        layout, tree = schema.columns.layout, schema.columns.tree
        classes = tuple_ids(states_of(layout, tree, codes, labels, n_clusters))
        labels = np.where(labels < 0, -1, np.append(classes, -1)[labels])
    return float(paid(schema, codes, sensitive, labels).sum())


def paid(
    schema: Schema, codes: np.ndarray, sensitive: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Sum what all records pay.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    labels : ndarray of int, shape (n,)
        -1 for suppressed records.

    Returns
    -------
    ndarray of float64, shape (r + 1,)
        By column, and at last the penalty. What origins take off is still in it.
    """
    from skanon.kernels.core.closures import close

    renamed, n_clusters = numbered(labels)
    _, costs = close(schema.columns, codes, sensitive, renamed, n_clusters)
    kept = renamed >= 0
    sizes = np.bincount(renamed[kept], minlength=n_clusters)
    hidden = np.bincount(sensitive[~kept], minlength=schema.suppressed.shape[1])
    by_column = sizes @ costs + schema.suppressed @ hidden
    n_minority = hidden.sum()
    if schema.penalty:
        pairs = renamed[kept].astype(np.int64) * len(hidden) + sensitive[kept]
        held = np.bincount(pairs, minlength=n_clusters * len(hidden))
        most = held.reshape(n_clusters, len(hidden)).max(axis=1, initial=0)
        n_minority += (sizes - most).sum()
    return np.append(by_column, schema.penalty * n_minority)


def _without_outliers(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    k: int,
    most: int,
) -> np.ndarray:
    budget = most - int((labels < 0).sum())
    if budget <= 0:
        return labels
    from skanon.kernels.clustering.clusters import gather
    from skanon.kernels.clustering.suppression import suppress_outliers

    renamed, n_clusters = numbered(labels)
    whole = schema.suppressed.sum(axis=0) + schema.penalty
    order = np.arange(codes.shape[1], dtype=np.int32)
    columns = schema.columns
    clusters = gather(columns, codes, sensitive, renamed, n_clusters, order)
    suppress_outliers(columns, codes, sensitive, clusters, k, budget, whole)
    return np.where(clusters.label < 0, -1, labels)


def max_suppressed(fraction: float, n: int) -> int:
    """Count how many of n records may be suppressed.

    Examples
    --------
    >>> max_suppressed(0.29, 100)  # though 0.29 * 100 is a little less than 29
    29
    """
    return int(fraction * n + 1e-9)

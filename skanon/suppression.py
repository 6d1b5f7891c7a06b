"""Suppressing the few records that cost the others most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skanon.table import Schema, numbered


def suppress(
    schema: Schema,
    codes: np.ndarray,
    labels: np.ndarray,
    k: int,
    fraction: float,
    cluster: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Suppress records where that lowers the total loss.

    A suppressed record costs 1 per column. Each step takes out the record whose going
    lowers the summed loss of its cluster most, until none does or as many are
    suppressed as may be. Only clusters of more than k can simply lose a record. So a
    second try takes outliers out of all clusters and clusters the others anew; the
    better of both is kept. This is a heuristic: which records are best suppressed
    depends on a clustering that is still to come.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    labels : ndarray of int, shape (n,)
        The clusters; records that an algorithm has suppressed already have -1.
    k : int
    fraction : float
        The largest part of the records that may be suppressed.
    cluster : callable, or None
        Clusters the records of a code matrix; None: there is no second try.

    Returns
    -------
    ndarray of int, shape (n,)
        The labels, -1 for suppressed records.
    """
    budget = max_suppressed(fraction, len(labels))
    simple = _without_outliers(schema, codes, labels, k, budget)
    if cluster is None:
        return simple
    kept = np.flatnonzero(_without_outliers(schema, codes, labels, 1, budget) >= 0)
    if not k <= len(kept) < len(labels):
        return simple
    anew = np.full(len(labels), -1, dtype=np.int64)
    anew[kept] = cluster(codes[kept])
    anew = _without_outliers(schema, codes, anew, k, budget)
    return min((simple, anew), key=lambda tried: summed_loss(schema, codes, tried))


def summed_loss(schema: Schema, codes: np.ndarray, labels: np.ndarray) -> float:
    """Sum what all records pay; suppressed ones pay 1 per column."""
    from skanon.kernels.columns import close

    renamed, n_clusters = numbered(labels)
    _, costs = close(schema.columns, codes, renamed, n_clusters)
    kept = renamed[renamed >= 0]
    sizes = np.bincount(kept, minlength=n_clusters)
    return float(schema.paid(sizes, costs, len(labels) - len(kept)).sum())


def _without_outliers(
    schema: Schema, codes: np.ndarray, labels: np.ndarray, k: int, most: int
) -> np.ndarray:
    budget = most - int((labels < 0).sum())
    if budget <= 0:
        return labels
    from skanon.kernels.suppression import suppress_outliers

    renamed, n_clusters = numbered(labels)
    whole = float(schema.shares.sum())
    columns = schema.columns
    result = suppress_outliers(columns, codes, renamed, n_clusters, k, budget, whole)
    return np.where(result < 0, -1, labels)


def max_suppressed(fraction: float, n: int) -> int:
    """Count how many of n records may be suppressed.

    Examples
    --------
    >>> max_suppressed(0.29, 100)  # though 0.29 * 100 is a little less than 29
    29
    """
    return int(fraction * n + 1e-9)

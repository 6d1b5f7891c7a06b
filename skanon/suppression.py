"""Suppressing the few records that cost the others most."""

from __future__ import annotations

import numpy as np

from skanon.table import Schema


def suppress(
    schema: Schema, codes: np.ndarray, labels: np.ndarray, k: int, fraction: float
) -> np.ndarray:
    """Take records out of their clusters where that lowers the total loss.

    A suppressed record costs 1 per column. Each step takes out the record of a
    cluster of more than k whose going lowers the summed loss most, until none does or
    as many are suppressed as may be. Clusters of k or fewer are left whole: what is
    left of them would have to go elsewhere.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    labels : ndarray of int, shape (n,)
        The clusters; records that an algorithm has suppressed already have -1.
    k : int
    fraction : float
        The largest part of the records that may be suppressed.

    Returns
    -------
    ndarray of int, shape (n,)
        The labels, -1 for suppressed records.
    """
    budget = max_suppressed(fraction, len(labels)) - int((labels < 0).sum())
    if budget <= 0:
        return labels
    from skanon.kernels.suppression import suppress_outliers

    kept = labels >= 0
    clusters, compact = np.unique(labels[kept], return_inverse=True)
    renamed = np.full(len(labels), -1, dtype=np.int32)
    renamed[kept] = compact
    whole = float(schema.shares.sum())
    columns = schema.columns
    result = suppress_outliers(columns, codes, renamed, len(clusters), k, budget, whole)
    return np.where(result < 0, -1, labels)


def max_suppressed(fraction: float, n: int) -> int:
    """Count how many of n records may be suppressed.

    Examples
    --------
    >>> max_suppressed(0.29, 100)  # though 0.29 * 100 is a little less than 29
    29
    """
    return int(fraction * n + 1e-9)

"""Suppressing the few records that cost the others most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from skanon._table.schema import Schema, numbered, tuple_ids
from skanon.constraints._bound import (
    DECIMALS,
    BoundConstraint,
    broken,
    members_of,
    repair,
)

SUPPRESSIONS = ("keep", "blank", "drop")
"""What may become of suppressed records."""

TRIED = 100
"""So many of the cheapest clusters are looked at when suppressed ones need company."""


def suppress(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    k: int,
    fraction: float,
    cluster: Callable[[np.ndarray], np.ndarray | None] | None = None,
    bound_constraints: Sequence[BoundConstraint] = (),
    republished: Callable[[np.ndarray], Sequence[BoundConstraint]] | None = None,
) -> np.ndarray | None:
    """Suppress records where that lowers the total loss.

    Each step takes out the record whose going lowers the summed loss of its cluster
    most, until none does or as many are suppressed as may be. Only clusters of more
    than k can simply lose a record. So a second try takes outliers out of all clusters
    and clusters the others anew; the best of both, and of no suppression, is kept.
    Clusters that then break a promise are united with others.

    Suppressed records that are published have to hide among themselves: they are none,
    or at least k that keep all promises. A few more are suppressed for that, single
    ones for the number, and then the clusters with which that costs least.

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
    republished : callable, or None
        Gives the promises for labels whose suppressed records are not published, or
        not with their sensitive values. None: they are, so that they have to hide
        among themselves.

    Returns
    -------
    ndarray of int, shape (n,), or None
        The labels, -1 for suppressed records; None where those that an algorithm has
        suppressed cannot hide.
    """
    budget = max_suppressed(fraction, len(labels))
    if budget == 0:
        return labels
    table = schema, codes, sensitive
    hiding = republished is None
    least = k if hiding else 1
    tried = []
    if least <= budget:
        tried.append(_without_outliers(*table, labels, k, budget, least))
        outliers = _without_outliers(*table, labels, 1, budget, least) < 0
        kept = np.flatnonzero(~outliers)
        if cluster is not None and k <= len(kept) < len(labels):
            clustered = cluster(kept)
            anew = np.full(len(labels), -1, dtype=np.int64)
            anew[kept] = -1 if clustered is None else clustered
            # an algorithm that suppresses for itself may have taken too many
            if clustered is not None and (anew < 0).sum() <= budget:
                tried.append(_without_outliers(*table, anew, k, budget, least))
    able = []
    for attempt in [labels, *tried]:
        promised = republished(attempt) if republished else bound_constraints
        mended = repair(*table, attempt, promised)
        if mended is not None and hiding:
            mended = _hidden(*table, mended, k, budget, bound_constraints)
        if mended is not None:
            able.append(mended)
    if not able:
        return None
    return min(able, key=lambda labels: _as_published(*table, labels))


def _hidden(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    k: int,
    budget: int,
    bound_constraints: Sequence[BoundConstraint],
) -> np.ndarray | None:
    """Suppress whole clusters until the suppressed records hide among themselves."""
    group = np.flatnonzero(labels < 0)
    if not len(group):
        return labels
    if len(group) >= k and not broken(bound_constraints, [group])[0]:
        return labels
    from skanon.kernels.core.closures import close

    labels, n_clusters = numbered(labels)
    _, costs = close(schema.columns, codes, sensitive, labels, n_clusters)
    members = members_of(labels, n_clusters)
    whole = schema.suppressed.sum(axis=0) + schema.penalty
    rises = [
        whole[sensitive[rows]].sum() - len(rows) * costs[h].sum()
        for h, rows in enumerate(members)
    ]
    order = np.argsort(np.round(rises, DECIMALS), kind="stable")
    left = [members[h] for h in order]
    while len(group) <= budget:
        small = [rows for rows in left if len(group) + len(rows) <= budget][:TRIED]
        if not small:
            return None
        unions = [np.append(group, rows) for rows in small]
        good = np.array([len(union) >= k for union in unions])
        good &= ~broken(bound_constraints, unions)
        chosen = int(np.argmax(good))
        group = unions[chosen]
        if good[chosen]:
            labels[group] = -1
            return labels
        left = [rows for rows in left if rows is not small[chosen]]
    return None


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
    least: int,
) -> np.ndarray:
    n_suppressed = int((labels < 0).sum())
    budget = most - n_suppressed
    if budget <= 0:
        return labels
    from skanon.kernels.clustering.clusters import gather
    from skanon.kernels.clustering.suppression import suppress_outliers

    renamed, n_clusters = numbered(labels)
    whole = schema.suppressed.sum(axis=0) + schema.penalty
    order = np.arange(codes.shape[1], dtype=np.int32)
    columns = schema.columns
    clusters = gather(columns, codes, sensitive, renamed, n_clusters, order)
    wanted = least - n_suppressed
    suppress_outliers(columns, codes, sensitive, clusters, k, budget, wanted, whole)
    return np.where(clusters.label < 0, -1, labels)


def max_suppressed(fraction: float, n: int) -> int:
    """Count how many of n records may be suppressed.

    Examples
    --------
    >>> max_suppressed(0.29, 100)  # though 0.29 * 100 is a little less than 29
    29
    """
    return int(fraction * n + 1e-9)

"""Clusters' centroids, and how far records are from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    FIRST,
    HIGH,
    LAST,
    OFFSET,
    PARENT,
    START,
    TOLERANCE,
    TOP,
    copy_state,
    join,
    rise,
)
from skanon.kernels.core.curve import entry
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import helper, inlined, kernel

ON_LINE, TABLED, SOUGHT = range(3)


class Centers(NamedTuple):
    """The clusters' centroids, and where records lie.

    In a column on a line the centroid is the mean of the records' places. In others it
    is a permissible subset.

    Attributes
    ----------
    form : int8 (r,)
        ON_LINE; TABLED: a tree for whose nodes distances are put into a table; SOUGHT:
        larger trees, and sets.
    weight : float64 (r,)
        How much each column counts in a distance.
    span : float64 (r,)
        How far the ends of a line are apart.
    place : float64 (n, r)
        Each record's place on the line, 0 to 1; NaN for missing values.
    own : float64 (n, r)
        What each record pays if its value stays whole, in the columns without a line.
    state : int64 (capacity, width)
        The centroids in the columns without a line.
    cost : float64 (capacity, r)
        What the price list says that they cost.
    total, mean : float64 (capacity, r)
        The sum and the mean of the places; the mean is NaN where the centroid is no
        place.
    placed : int32 (capacity, r)
        How many of a cluster's records have a place; 0 where the centroid is the
        missing value.
    table : float64 (n_rows,)
        How far a value is from each node of its tree.
    tabled : int32 (r, 2)
        The value, and the sensitive value, that the table's part is for; or -1.
    gap : float64 (capacity,)
        How far a record is from the centroids, over some columns.
    """

    form: np.ndarray
    weight: np.ndarray
    span: np.ndarray
    place: np.ndarray
    own: np.ndarray
    state: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    placed: np.ndarray
    table: np.ndarray
    tabled: np.ndarray
    gap: np.ndarray


# ------------------------------------------------------------ one column, not weighted


@helper
def _gap_on_line(centers, i, h, j):
    """Return how far record i is from the mean of cluster h."""
    x, span = centers.place[i, j], centers.span[j]
    if np.isnan(x):
        return 0.0 if centers.placed[h, j] == 0 else span
    gap = span * abs(x - centers.mean[h, j])
    return span if np.isnan(gap) else gap


@helper
def _gap_sought(cols, curve, codes, centers, c, i, h, j, scratch):
    """Return how far record i, of sensitive c, is from the subset of cluster h.

    That is by how much the closure of both costs it more than its own value.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    state, cost = centers.state, centers.cost
    if curve is None:
        joined = cost[h, j]
        joined += rise(layout, tree, price, j, state, h, cost, codes[i, j])
    else:
        copy_state(layout, j, state, h, scratch, 0)
        join(layout, tree, j, codes[i, j], scratch, 0)
        joined, _ = entry(layout, price, curve, j, scratch, 0, c)
    return max(joined - centers.own[i, j], 0.0)


@inlined
def gap_of(cols, curve, codes, sensitive, centers, i, h, j, scratch):
    """Return how far record i is from the centroid of cluster h in column j.

    Without the column's weight. ``scratch`` is int64 (1, width).
    """
    if centers.form[j] == ON_LINE:
        return _gap_on_line(centers, i, h, j)
    c = sensitive_of(curve, sensitive, i)
    return _gap_sought(cols, curve, codes, centers, c, i, h, j, scratch)


# ---------------------------------------------------------------------- all columns


@helper
def _tabulate(cols, curve, x, c, own, j, table, tabled):
    """Put into the table how far the code x is from each node of column j's tree.

    Parents come after their children.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    if tabled[j, 0] == x and tabled[j, 1] == c:
        return
    tabled[j, 0] = x
    tabled[j, 1] = c
    o = layout[j, OFFSET]
    for node in range(o + layout[j, TOP], o - 1, -1):
        if tree[node, FIRST] <= x <= tree[node, LAST]:
            cost = price[node, HIGH] if curve is None else curve.table[node, c]
            table[node] = max(cost - own, 0.0)
        else:
            table[node] = table[o + tree[node, PARENT]]


@inlined
def _add_gaps(cols, curve, codes, centers, c, i):
    """Sum up how far record i is from all centroids, but for the columns SOUGHT.

    Column by column, as that goes fastest.
    """
    form, weight, span, place, own, state, _, _, mean, placed = centers[:10]
    table, tabled, gap = centers[10:]
    layout = cols.layout
    for h in range(gap.shape[0]):
        gap[h] = 0.0
    for j in range(form.shape[0]):
        w = weight[j]
        if form[j] == TABLED:
            _tabulate(cols, curve, codes[i, j], c, own[i, j], j, table, tabled)
            s, o = layout[j, START], layout[j, OFFSET]
            for h in range(gap.shape[0]):
                gap[h] += w * table[o + state[h, s]]
        elif form[j] == ON_LINE:
            x, most = place[i, j], w * span[j]
            if np.isnan(x):
                for h in range(gap.shape[0]):
                    gap[h] += 0.0 if placed[h, j] == 0 else most
            else:
                for h in range(gap.shape[0]):
                    away = most * abs(x - mean[h, j])
                    gap[h] += most if np.isnan(away) else away


@helper
def closest(
    cols, curve, codes, sensitive, size, order, centers, i, most, by_size, room
):
    """Find the first cluster whose centroid record i is closest to.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    codes : int32 (n, r)
    sensitive : int32 (n,)
    size : int32 (capacity,)
        Clusters of size 0 or of more than ``most`` records are no candidates.
    order : int32 (r,)
        The columns, those first that tell records apart best.
    centers : Centers
        Its scratch is changed.
    i : int
    most : int
    by_size : bool
        Whether the distance from the centroid is multiplied by the cluster's size.
    room : int64 (1, width)
        Scratch.

    Returns
    -------
    int
        The cluster, or -1 where there is no candidate.
    """
    form, weight, gap = centers.form, centers.weight, centers.gap
    c = sensitive_of(curve, sensitive, i)
    _add_gaps(cols, curve, codes, centers, c, i)
    least = np.inf
    found = -1
    for h in range(size.shape[0]):
        factor = size[h] if by_size else 1
        if size[h] == 0 or size[h] > most or factor * gap[h] >= least - TOLERANCE:
            continue
        away = gap[h]
        for j in order:
            if form[j] == SOUGHT:
                away += weight[j] * _gap_sought(
                    cols, curve, codes, centers, c, i, h, j, room
                )
                if factor * away >= least - TOLERANCE:
                    break
        if factor * away < least - TOLERANCE:
            least = factor * away
            found = h
    return found


@kernel
def own_gaps(cols, codes, sensitive, label, centers):
    """Compute how far each record is from the centroid of its own cluster.

    Returns
    -------
    float64 (n, r)
        By column, without weights.
    """
    n, r = codes.shape
    scratch = np.zeros((1, centers.state.shape[1]), dtype=np.int64)
    gaps = np.zeros((n, r))
    for i in range(n):
        for j in range(r):
            gaps[i, j] = gap_of(
                cols, cols.curve, codes, sensitive, centers, i, label[i], j, scratch
            )
    return gaps

"""Rows of states and costs: what a record adds to one, and what one pays."""

from __future__ import annotations

from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import copy_state, join, rise, single
from skanon.kernels.core.curve import minority_records, summed
from skanon.kernels.jit import helper


@helper
def joining_rise(cols, curve, x, c, state, cost, mix, h, bound, scratch, after):
    """Return by how much a record raises what a record of row h pays on average.

    Of a price list columns are added one at a time; once the bound is reached, the
    rest is left out.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    x : int32 (r,)
        The record.
    c : int
        Its sensitive value.
    state : int64 (n_rows, width)
    cost : float64 (n_rows, r)
        What a record of each row pays on average, by column.
    mix : int32 (n_rows, n_sensitive)
        How many records of each sensitive value a row has.
    h : int
        The row.
    bound : float
    scratch : int64 (1, width)
    after : int32 (1, n_sensitive)
        Scratch, too.
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    rises = 0.0
    if curve is None:
        for j in range(x.shape[0]):
            rises += rise(layout, tree, price, j, state, h, cost, x[j])
            if rises >= bound:
                break
    else:
        size = 1
        for d in range(mix.shape[1]):
            after[0, d] = mix[h, d]
            size += mix[h, d]
        after[0, c] += 1
        penalty = curve.penalty[0]
        rises = penalty * minority_records(after, 0) / size
        rises -= penalty * minority_records(mix, h) / (size - 1)
        for j in range(x.shape[0]):
            copy_state(layout, j, state, h, scratch, 0)
            join(layout, tree, j, x[j], scratch, 0)
            paid, _ = summed(layout, price, curve, j, scratch, 0, after, 0)
            rises += paid / size - cost[h, j]
    return rises


@helper
def row_total(curve, cost, mix, h):
    """Return what a record of row h pays on average, the penalty included."""
    total = 0.0
    for j in range(cost.shape[1]):
        total += cost[h, j]
    if curve is not None:
        size = 0
        for c in range(mix.shape[1]):
            size += mix[h, c]
        total += curve.penalty[0] * minority_records(mix, h) / size
    return total


@helper
def take(cols, x, c, state, cost, mix, h, fresh):
    """Make row h cover the record x of sensitive c, alone if ``fresh``."""
    layout, tree = cols.layout, cols.tree
    for j in range(x.shape[0]):
        if fresh:
            single(layout, tree, j, x[j], state, h)
        else:
            join(layout, tree, j, x[j], state, h)
    mix[h, c] += 1
    price_row(cols, cols.curve, state, cost, mix, h)


@helper
def sensitive_of(curve, sensitive, i):
    """Return record i's sensitive value, 0 where costs take no notice of it."""
    c = 0
    if curve is not None:
        if curve.whole.shape[1] > 2:
            c = sensitive[i]
    return c

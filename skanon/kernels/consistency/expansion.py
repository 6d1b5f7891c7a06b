"""Generalizing each record by itself, so that it is consistent with enough others.

Every record has its own row of states, and pays for it what a record of its sensitive
value pays. There are no clusters, so that a penalty for them is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    N_CODES,
    TOLERANCE,
    copy_state,
    join,
    price_of,
    same_state,
    single,
    state_width,
)
from skanon.kernels.core.curve import entry
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import helper, inlined, kernel


class Kinds(NamedTuple):
    """The different records of a table, in the order of their first ones.

    Attributes
    ----------
    first, weight : int32 (n_kinds,)
        The first record of each kind, and how many there are.
    item : int32 (n_kinds, r)
        A kind's values, numbered through over all columns, in the order of ``order``.
    order : int32 (r,)
        The columns, those first that tell records apart best.
    offset : int64 (r + 1,)
        Where each column of ``order`` begins among the items.
    seed, of_seed : int32 (n_seeds,)
        The first record of each kind and sensitive value, as far as costs look at this;
        and its kind. Their rows of states are those of all like them.
    of_record : int32 (n,)
        Which of the seeds each record is like.
    """

    first: np.ndarray
    weight: np.ndarray
    item: np.ndarray
    order: np.ndarray
    offset: np.ndarray
    seed: np.ndarray
    of_seed: np.ndarray
    of_record: np.ndarray


class Table(NamedTuple):
    """By how much the price of a row rises with each item, and scratch.

    Attributes
    ----------
    rise : float64 (n_items,)
    inside : uint8 (n_items,)
        1 where the row covers the item already.
    rest : float64 (r + 1,)
        The least that the columns from the q-th of the order on rise together.
    state : int64 (1, width)
    """

    rise: np.ndarray
    inside: np.ndarray
    rest: np.ndarray
    state: np.ndarray


def kinds_of(cols, codes, sensitive, order):
    """Find the different records.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
        All of them known.
    sensitive : int32 (n,)
    order : int32 (r,)
        The columns, those first that tell records apart best.

    Returns
    -------
    Kinds
    """
    first, of_row = _by_appearance(codes)
    looked_at = np.zeros(len(codes), dtype=np.int32)
    if cols.curve is not None and cols.curve.whole.shape[1] > 2:
        looked_at = sensitive
    seed, of_record = _by_appearance(np.stack([of_row, looked_at], axis=1))
    offset = np.append(0, np.cumsum(cols.layout[order, N_CODES], dtype=np.int64))
    return Kinds(
        first=first,
        weight=np.bincount(of_row).astype(np.int32),
        item=(codes[first][:, order] + offset[:-1]).astype(np.int32),
        order=order,
        offset=offset,
        seed=seed,
        of_seed=of_row[seed],
        of_record=of_record,
    )


def _by_appearance(rows):
    """Give different rows numbers in the order of their first ones."""
    _, first, of_row = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order))
    return first[order].astype(np.int32), places[of_row.reshape(-1)]


def make_table(cols, kinds):
    """Make room for the rises of one row; each thread needs its own."""
    return Table(
        np.zeros(kinds.offset[-1]),
        np.zeros(kinds.offset[-1], dtype=np.uint8),
        np.zeros(len(kinds.order) + 1),
        np.zeros((1, state_width(cols.layout)), dtype=np.int64),
    )


# ------------------------------------------------------------- one row and its rises


@helper
def own_price(cols, curve, j, state, h, c):
    """Return what column j of row h costs a record of sensitive c."""
    layout, price = cols.layout, cols.price
    if curve is None:
        return price_of(layout, price, j, state, h)
    return entry(layout, price, curve, j, state, h, c)[0]


@helper
def _tabulate(cols, curve, kinds, q, state, h, c, table):
    """Compute the rises of the q-th column of the order, for all its values."""
    layout, tree = cols.layout, cols.tree
    risen, inside, scratch = table.rise, table.inside, table.state
    j = kinds.order[q]
    start = kinds.offset[q]
    before = own_price(cols, curve, j, state, h, c)
    for x in range(layout[j, N_CODES]):
        copy_state(layout, j, state, h, scratch, 0)
        join(layout, tree, j, x, scratch, 0)
        inside[start + x] = same_state(layout, j, scratch, 0, state, h)
        if inside[start + x]:
            risen[start + x] = 0.0
        else:
            risen[start + x] = own_price(cols, curve, j, scratch, 0, c) - before


@helper
def _sum_rest(kinds, table):
    risen, rest = table.rise, table.rest
    r = kinds.order.shape[0]
    rest[r] = 0.0
    for q in range(r - 1, -1, -1):
        least = 0.0
        for at in range(kinds.offset[q], kinds.offset[q + 1]):
            least = min(least, risen[at])
        rest[q] = rest[q + 1] + least


@helper
def _begin(cols, curve, codes, kinds, i, c, state, h, table):
    """Make row h cover record i alone, and tabulate the rises."""
    layout, tree = cols.layout, cols.tree
    for q in range(kinds.order.shape[0]):
        j = kinds.order[q]
        single(layout, tree, j, codes[i, j], state, h)
        _tabulate(cols, curve, kinds, q, state, h, c, table)
    _sum_rest(kinds, table)


@helper
def _widen(cols, curve, kinds, v, c, state, h, table):
    """Make row h cover kind v as well, and tabulate the rises anew."""
    layout, tree = cols.layout, cols.tree
    inside = table.inside
    for q in range(kinds.order.shape[0]):
        at = kinds.item[v, q]
        if not inside[at]:
            j = kinds.order[q]
            join(layout, tree, j, at - kinds.offset[q], state, h)
            _tabulate(cols, curve, kinds, q, state, h, c, table)
    _sum_rest(kinds, table)


@helper
def _kind_rise(item, v, risen, rest, bound):
    """Return by how much the row rises with kind v; or what is no less than bound."""
    total = 0.0
    for q in range(item.shape[1]):
        total += risen[item[v, q]]
        if total + rest[q + 1] >= bound:
            return np.inf
    return total


@inlined
def _is_inside(item, v, inside):
    for q in range(item.shape[1]):
        if not inside[item[v, q]]:
            return False
    return True


# ------------------------------------------------------- Algorithm 4, by expansion


@inlined
def _next_kind(kinds, table):
    """Find the first kind that is not covered and raises the row least.

    Returns
    -------
    int
        -1 where all are covered.
    float
        By how much.
    int
        The number of records that the row covers.
    """
    risen, inside, rest = table.rise, table.inside, table.rest
    item, weight = kinds.item, kinds.weight
    covered = 0
    least = np.inf
    found = -1
    for v in range(item.shape[0]):
        bound = max(least - TOLERANCE, TOLERANCE)
        paid = _kind_rise(item, v, risen, rest, bound)
        if paid >= bound:
            continue
        if paid <= TOLERANCE and _is_inside(item, v, inside):
            covered += weight[v]
        elif paid < least - TOLERANCE:
            least = paid
            found = v
    return found, least, covered


@kernel
def expand(cols, codes, sensitive, kinds, k, state, start, stop, table):
    """Join each record with k - 1 others, one at a time those that raise it least.

    Section V-B, Algorithm 4. Records that the row covers already come first among
    those that raise it equally, the others in the order of their kinds.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    kinds : Kinds
    k : int
        At most n.
    state : int64 (n_seeds, width)
        The rows of the seeds from ``start`` on and before ``stop`` are written.
    start, stop : int
    table : Table
    """
    for h in range(start, stop):
        i = kinds.seed[h]
        c = sensitive_of(cols.curve, sensitive, i)
        _begin(cols, cols.curve, codes, kinds, i, c, state, h, table)
        size = 1
        while size < k:
            v, least, covered = _next_kind(kinds, table)
            if least >= -TOLERANCE:
                size = max(size, covered)
            if size < k:
                _widen(cols, cols.curve, kinds, v, c, state, h, table)
                size += 1


# ------------------------------------------------ Algorithm 3, by nearest neighbours


@helper
def insert(near, weight, held, total, paid, w, wanted):
    """Insert a distance among the least ones that make up so many records.

    Returns
    -------
    int
        The number of distances held.
    int
        The number of records that they stand for.
    """
    at = held
    while at > 0 and near[at - 1] > paid:
        near[at] = near[at - 1]
        weight[at] = weight[at - 1]
        at -= 1
    near[at] = paid
    weight[at] = w
    held += 1
    total += w
    while total - weight[held - 1] >= wanted:
        held -= 1
        total -= weight[held]
    return held, total


@helper
def _reach(kinds, own, wanted, table, near, weight):
    """Find how far the farthest of so many nearest records is."""
    risen, rest = table.rise, table.rest
    held = 0
    total = 0
    for v in range(kinds.item.shape[0]):
        w = kinds.weight[v] - (1 if v == own else 0)
        bound = near[held - 1] if total >= wanted else np.inf
        if w == 0:
            continue
        paid = _kind_rise(kinds.item, v, risen, rest, bound)
        if paid < bound:
            held, total = insert(near, weight, held, total, paid, w, wanted)
    return near[held - 1]


@helper
def join_kind(layout, tree, kinds, v, state, h):
    """Make row h cover kind v as well."""
    for q in range(kinds.order.shape[0]):
        code = kinds.item[v, q] - kinds.offset[q]
        join(layout, tree, kinds.order[q], code, state, h)


@inlined
def _join_nearest(cols, kinds, own, wanted, reach, state, h, table):
    """Join what is nearer than ``reach``, then what is as far until it is enough."""
    layout, tree = cols.layout, cols.tree
    risen, rest = table.rise, table.rest
    count = 0
    for at_reach in range(2):
        for v in range(kinds.item.shape[0]):
            if v == own and kinds.weight[v] == 1:
                continue
            if at_reach and count >= wanted:
                return
            paid = _kind_rise(kinds.item, v, risen, rest, reach + 2 * TOLERANCE)
            nearer = paid < reach - TOLERANCE
            if nearer != (at_reach == 0) or paid > reach + TOLERANCE:
                continue
            count += kinds.weight[v] - (1 if v == own else 0)
            join_kind(layout, tree, kinds, v, state, h)


@kernel
def join_neighbours(cols, codes, sensitive, kinds, k, state, start, stop, table):
    """Join each record with the k - 1 others that are nearest to it.

    Section V-B, Algorithm 3. The distance of two records is what the first one pays
    for the closure of both. Equal records come one after the other, and kinds that
    are equally far in their order.

    Parameters
    ----------
    cols, codes, sensitive, kinds, k, state, start, stop, table
        As in :func:`expand`.
    """
    near = np.zeros(k + 1)
    weight = np.zeros(k + 1, dtype=np.int64)
    for h in range(start, stop):
        i = kinds.seed[h]
        own = kinds.of_seed[h]
        c = sensitive_of(cols.curve, sensitive, i)
        _begin(cols, cols.curve, codes, kinds, i, c, state, h, table)
        if k > 1:
            reach = _reach(kinds, own, k - 1, table, near, weight)
            _join_nearest(cols, kinds, own, k - 1, reach, state, h, table)

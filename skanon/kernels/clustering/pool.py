"""The records that are in no cluster yet, those that are equal as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import price_of, single, state_width
from skanon.kernels.core.curve import entry
from skanon.kernels.jit import inlined, kernel


class Pool(NamedTuple):
    """The records that are in no cluster yet; those that are equal count as one.

    Records are equal if they have the same values and, where costs depend on it, the
    same sensitive value. Each such tuple has a row while any of its records is free;
    the rows in use come first. A *cell* is a value of a column, with a sensitive value
    where costs depend on it.

    Attributes
    ----------
    order : int32 (r,)
        The columns, those first that tell records apart best.
    start : int32 (r + 1,) or (r + 2,)
        The cells of column ``order[q]`` are ``start[q]`` to ``start[q + 1] - 1``. Where
        there is a penalty, the sensitive values are the last column.
    code, sensitive : int32 (n_cells,)
        Sorted by code.
    alone : float64 (n_cells,)
        What a record pays in the column if its value stays whole.
    left : int32 (n_cells,)
        How many rows have the cell.
    cells : int32 (n_rows, r) or (n_rows, r + 1)
    head : int32 (n_rows,)
        The first free record of each row's tuple.
    after, before : int32 (n,)
        The next and the previous free record of the same tuple, or -1.
    kind : int32 (n,)
        The number of each record's tuple.
    held : int32 (n_rows,)
        The tuple of each row.
    place : int32 (n_rows,)
        The row of each tuple.
    used : int64 (1,)
        How many rows are in use.
    """

    order: np.ndarray
    start: np.ndarray
    code: np.ndarray
    sensitive: np.ndarray
    alone: np.ndarray
    left: np.ndarray
    cells: np.ndarray
    head: np.ndarray
    after: np.ndarray
    before: np.ndarray
    kind: np.ndarray
    held: np.ndarray
    place: np.ndarray
    used: np.ndarray


@kernel
def alone_costs(cols, curve, column, code, sensitive):
    """Compute what records pay in a column for values that stay whole.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``.
    column, code, sensitive : int32 (m,)

    Returns
    -------
    float64 (m,)
    """
    layout, tree, price = cols.layout, cols.tree, cols.price
    state = np.zeros((1, state_width(layout)), dtype=np.int64)
    result = np.zeros(len(code))
    for e in range(len(code)):
        single(layout, tree, column[e], code[e], state, 0)
        if curve is None:
            result[e] = price_of(layout, price, column[e], state, 0)
        else:
            result[e] = entry(layout, price, curve, column[e], state, 0, sensitive[e])[
                0
            ]
    return result


@inlined
def remove(pool, i):
    """Take record i out of the pool."""
    left, cells, head, after, before, kind, held, place, used = pool[5:]
    p = place[kind[i]]
    if after[i] >= 0:
        before[after[i]] = before[i]
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[p] = after[i]
    if head[p] >= 0:
        return
    used[0] -= 1
    last = used[0]
    for q in range(cells.shape[1]):
        left[cells[p, q]] -= 1
        cells[p, q] = cells[last, q]
    head[p] = head[last]
    held[p] = held[last]
    place[held[p]] = p

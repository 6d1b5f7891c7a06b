"""Growing clusters one at a time, each from a seed by the records that suit it best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.pool import remove
from skanon.kernels.core.columns import TOLERANCE, copy_state, join, rise
from skanon.kernels.core.curve import entry, minority_records, summed
from skanon.kernels.core.rows import sensitive_of, take
from skanon.kernels.jit import helper, inlined, kernel

CLUSTER, SIZE, SEED, FREE, NEXT = range(5)


class Growing(NamedTuple):
    """The cluster that is growing.

    Attributes
    ----------
    state : int64 (1, width)
        Its closure.
    cost : float64 (1, r)
        What a record of it pays on average, by column.
    mix : int32 (1, n_sensitive)
        How many records of each sensitive value it has.
    offer : float64 (n_cells,)
        By how much a record raises the summed loss, by its cells.
    least : float64 (r + 1,) or (r + 2,)
        The sum of the least offers of a column and all after it.
    scratch : int64 (1, width)
    label : int32 (n,)
        The cluster of each record, or -1.
    progress : int64 (5,)
        The CLUSTER's number, its SIZE, its first record (SEED), how many records are
        FREE, and the position of the NEXT seed.
    paid : float64 (1,)
        By how much its records pay more than if they were alone, summed up.
    """

    state: np.ndarray
    cost: np.ndarray
    mix: np.ndarray
    offer: np.ndarray
    least: np.ndarray
    scratch: np.ndarray
    label: np.ndarray
    progress: np.ndarray
    paid: np.ndarray


# --------------------------------------------------------------- what records cost


@helper
def _set_offers(cols, curve, pool, growing, size):
    """Compute by how much records raise the summed loss of the cluster, by cells.

    A record that is alone pays for its own value already, so that is taken off: the
    sum of a record's offers is the rise of the summed loss if it joins.
    """
    order, start, code, sensitive, alone, left = pool[:6]
    state, cost, mix, offer, least, scratch = growing[:6]
    layout, tree, price = cols.layout, cols.tree, cols.price
    for q in range(order.shape[0]):
        j = order[q]
        paid = size * cost[0, j]
        last = -1
        joined = 0.0
        least[q] = np.inf
        for e in range(start[q], start[q + 1]):
            if left[e] == 0:
                continue
            x = code[e]
            if curve is None:
                each = cost[0, j] + rise(layout, tree, price, j, state, 0, cost, x)
                offer[e] = (size + 1) * each - paid - alone[e]
            else:
                if x != last:
                    last = x
                    copy_state(layout, j, state, 0, scratch, 0)
                    join(layout, tree, j, x, scratch, 0)
                    joined, _ = summed(layout, price, curve, j, scratch, 0, mix, 0)
                own, _ = entry(layout, price, curve, j, scratch, 0, sensitive[e])
                offer[e] = joined + own - paid - alone[e]
            least[q] = min(least[q], offer[e])
    if curve is not None:
        if start.shape[0] > order.shape[0] + 1:
            _set_penalties(curve, start, sensitive, left, mix, offer, least)
    for q in range(start.shape[0] - 3, -1, -1):
        least[q] += least[q + 1]


@inlined
def _set_penalties(curve, start, sensitive, left, mix, offer, least):
    q = start.shape[0] - 2
    before = minority_records(mix, 0)
    least[q] = np.inf
    for e in range(start[q], start[q + 1]):
        if left[e] > 0:
            mix[0, sensitive[e]] += 1
            offer[e] = curve.penalty[0] * (minority_records(mix, 0) - before)
            mix[0, sensitive[e]] -= 1
            least[q] = min(least[q], offer[e])


@helper
def _best_record(pool, growing):
    """Find the first free record that raises the summed loss least.

    Offers are added one column at a time; a row is given up as soon as they, and the
    least that the other columns can add, reach the best so far.
    """
    cells, head, used = pool.cells, pool.head, pool.used
    offer, least = growing.offer, growing.least
    width = cells.shape[1]
    best = np.inf
    found = growing.label.shape[0]
    for p in range(used[0]):
        limit = best - TOLERANCE
        if head[p] < found:
            limit = best + TOLERANCE  # the first of equals
        rises = 0.0
        q = 0
        while q < width and rises + least[q] < limit:
            rises += offer[cells[p, q]]
            q += 1
        if q == width and rises < limit:
            best = rises
            found = head[p]
    return found, best


@inlined
def _furthest_record(pool, growing):
    """Find the first free record that raises the summed loss most."""
    cells, head, used = pool.cells, pool.head, pool.used
    offer = growing.offer
    most = -np.inf
    found = growing.label.shape[0]
    for p in range(used[0]):
        rises = 0.0
        for q in range(cells.shape[1]):
            rises += offer[cells[p, q]]
        limit = most + TOLERANCE
        if head[p] < found:
            limit = most - TOLERANCE  # the first of equals
        if rises > limit:
            most = rises
            found = head[p]
    return found


# ---------------------------------------------------------------- taking records in


@helper
def _begin(cols, codes, sensitive, growing, i):
    """Make the growing cluster record i alone."""
    mix = growing.mix
    for c in range(mix.shape[1]):
        mix[0, c] = 0
    c = sensitive_of(cols.curve, sensitive, i)
    take(cols, codes[i], c, growing.state, growing.cost, mix, 0, True)


@helper
def _join(cols, codes, sensitive, growing, i):
    """Widen the growing cluster to record i."""
    c = sensitive_of(cols.curve, sensitive, i)
    take(cols, codes[i], c, growing.state, growing.cost, growing.mix, 0, False)


@helper
def _enter(pool, growing, i):
    """Note that record i is in the growing cluster."""
    growing.label[i] = growing.progress[CLUSTER]
    growing.progress[SIZE] += 1
    growing.progress[FREE] -= 1
    remove(pool, i)


@helper
def _close(growing):
    """Note that the next cluster is to come."""
    growing.progress[CLUSTER] += 1
    growing.progress[SIZE] = 0


@kernel
def fill_clusters(
    cols, codes, sensitive, pool, growing, k, from_last, to_first, n_picks
):
    """Make clusters of k records, one after the other, while k are left.

    Byun et al. 2007, figure 5, lines 5 to 15. Each cluster but the first begins with
    the record that is furthest from the first of the cluster before.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    pool : Pool
        Changed in place.
    growing : Growing
        Changed in place. SEED is the first cluster's first record.
    k : int
    from_last : bool
        Whether each cluster begins with the record that is furthest from the one that
        was added last, the first one with that furthest from SEED.
    to_first : bool
        Whether each cluster takes in the records that are closest to its first one,
        instead of those that raise its summed loss least (Goldberger & Tassa 2010,
        section 6.2.1).
    n_picks : int
        At most so many records are taken in.

    Returns
    -------
    bool
        Whether fewer than k records are left.
    """
    progress = growing.progress
    for _ in range(n_picks):
        if progress[SIZE] == 0:
            if progress[FREE] < k:
                return True
            if progress[CLUSTER] > 0 or from_last:
                _begin(cols, codes, sensitive, growing, progress[SEED])
                _set_offers(cols, cols.curve, pool, growing, 1)
                progress[SEED] = _furthest_record(pool, growing)
            i = progress[SEED]
            _begin(cols, codes, sensitive, growing, i)
        else:
            size = 1 if to_first else progress[SIZE]
            _set_offers(cols, cols.curve, pool, growing, size)
            i, _ = _best_record(pool, growing)
            if not to_first:  # else it stays as if its first record were alone
                _join(cols, codes, sensitive, growing, i)
        _enter(pool, growing, i)
        if from_last:
            progress[SEED] = i
        if progress[SIZE] == k:
            _close(growing)
    return progress[SIZE] == 0 and progress[FREE] < k


@kernel
def grow_clusters(
    cols, codes, sensitive, pool, growing, visits, most, overshoot, n_picks
):
    """Make clusters as large as their diversity allows, one after the other.

    Lin & Wei 2008, section 2.2, on Loukides & Shao.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    pool : Pool
        Changed in place.
    growing : Growing
        Changed in place.
    visits : int32 (n,)
        The records, in the order in which they become a cluster's first if they are
        still free.
    most : float
        A cluster's diversity, by how much its records pay more on average than if they
        were alone, does not exceed this.
    overshoot : bool
        Whether the record that makes it exceed that is a cluster's last one.
    n_picks : int
        So many times at most a record is looked for.

    Returns
    -------
    bool
        Whether all records are in clusters.
    """
    progress, paid, label = growing.progress, growing.paid, growing.label
    for _ in range(n_picks):
        size = progress[SIZE]
        if size == 0:
            if progress[FREE] == 0:
                return True
            while label[visits[progress[NEXT]]] >= 0:
                progress[NEXT] += 1
            i = visits[progress[NEXT]]
            paid[0] = 0.0
            _begin(cols, codes, sensitive, growing, i)
            _enter(pool, growing, i)
            continue
        if progress[FREE] == 0:
            _close(growing)
            return True
        _set_offers(cols, cols.curve, pool, growing, size)
        i, rises = _best_record(pool, growing)
        fits = paid[0] + rises <= (size + 1) * most + TOLERANCE
        if fits or overshoot:
            paid[0] += rises
            _join(cols, codes, sensitive, growing, i)
            _enter(pool, growing, i)
        if not fits:
            _close(growing)
    return False

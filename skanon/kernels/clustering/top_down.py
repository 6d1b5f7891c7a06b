"""The inner loops of the top-down algorithm.

Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.clusters import link, members_of, reclose, unlink
from skanon.kernels.clustering.merging import merging_rise, unite
from skanon.kernels.core.columns import TOLERANCE, state_width
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import (
    joining_rise,
    row_total,
    sensitive_of,
    take,
)
from skanon.kernels.jit import helper, inlined, kernel


class Rows(NamedTuple):
    """Two growing groups, and scratch.

    Attributes
    ----------
    state, cost, mix : int64 (2, width), float64 (2, r), int32 (2, n_sensitive)
        Their closures, what a record of them pays on average by column, and how many
        records of each sensitive value they have.
    scratch, after : int64 (1, width), int32 (1, n_sensitive)
    """

    state: np.ndarray
    cost: np.ndarray
    mix: np.ndarray
    scratch: np.ndarray
    after: np.ndarray


@kernel
def make_rows(cols):
    """Make two empty groups."""
    width = state_width(cols.layout)
    after = sensitive_scratch(cols.curve)
    return Rows(
        state=np.zeros((2, width), dtype=np.int64),
        cost=np.zeros((2, cols.layout.shape[0])),
        mix=np.zeros((2, after.shape[1]), dtype=np.int32),
        scratch=np.zeros((1, width), dtype=np.int64),
        after=after,
    )


@helper
def put(cols, codes, sensitive, rows, i, h, fresh):
    """Put record i into group h, alone if ``fresh``."""
    state, cost, mix = rows.state, rows.cost, rows.mix
    if fresh:
        for c in range(mix.shape[1]):
            mix[h, c] = 0
    c = sensitive_of(cols.curve, sensitive, i)
    take(cols, codes[i], c, state, cost, mix, h, fresh)


@helper
def rise_of_mean(cols, codes, sensitive, rows, i, h, bound):
    """Return by how much record i raises what a record of group h pays on average."""
    state, cost, mix, scratch, after = rows
    c = sensitive_of(cols.curve, sensitive, i)
    return joining_rise(
        cols, cols.curve, codes[i], c, state, cost, mix, h, bound, scratch, after
    )


# ------------------------------------------------------------------- two groups of one


@helper
def _furthest(cols, codes, sensitive, rows, pool, m):
    """Find the first position whose record's join with that of position m costs most.

    Returns it, and what a record of both pays on average.
    """
    put(cols, codes, sensitive, rows, pool[m], 0, True)
    alone = row_total(cols.curve, rows.cost, rows.mix, 0)
    most = -np.inf
    found = -1
    for other in range(pool.shape[0]):
        if other == m:
            continue
        joined = rise_of_mean(cols, codes, sensitive, rows, pool[other], 0, np.inf)
        joined += alone
        if joined > most + TOLERANCE:
            most = joined
            found = other
    return found, most


@inlined
def _seeds(cols, codes, sensitive, rows, pool, n_rounds):
    """Find two positions far from each other, searching from the first one on."""
    a = 0
    b, most = _furthest(cols, codes, sensitive, rows, pool, a)
    for _ in range(1, n_rounds):
        further, joined = _furthest(cols, codes, sensitive, rows, pool, b)
        if joined <= most + TOLERANCE:
            break
        a = b
        b = further
        most = joined
    return a, b


@kernel
def part(cols, codes, sensitive, rows, members, start, chosen, k, n_rounds, half):
    """Part groups in two, where one of both has k records.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    rows : Rows
        Scratch.
    members : int32 (n,)
        The records, group by group, each group's in random order.
    start : int64 (n_groups + 1,)
        Where each group begins.
    chosen : int64 (n_chosen,)
        The groups, of more than k records each.
    k : int
    n_rounds : int
        The most searches for a furthest record.
    half : int8 (n,)
        0 or 1 for each record of these groups; 0 for all of a group that stays whole.
    """
    size = np.zeros(2, dtype=np.int64)
    for g in chosen:
        pool = members[start[g] : start[g + 1]]
        a, b = _seeds(cols, codes, sensitive, rows, pool, n_rounds)
        for m, h in ((a, 0), (b, 1)):
            put(cols, codes, sensitive, rows, pool[m], h, True)
            half[pool[m]] = h
            size[h] = 1
        for m in range(len(pool)):
            if m in (a, b):
                continue
            i = pool[m]
            rises = np.empty(2)
            for h in range(2):
                rises[h] = row_total(cols.curve, rows.cost, rows.mix, h) + (
                    size[h] + 1
                ) * rise_of_mean(cols, codes, sensitive, rows, i, h, np.inf)
            h = 0 if rises[0] < rises[1] else 1
            if abs(rises[0] - rises[1]) <= TOLERANCE:
                h = 0 if size[0] <= size[1] else 1
            put(cols, codes, sensitive, rows, i, h, False)
            half[i] = h
            size[h] += 1
        if size.max() < k:
            half[pool] = 0


# --------------------------------------------------------------------------- adjusting


@helper
def _nearest(cols, clusters, a, least_size, rows):
    """Find the first cluster that a unites with at the least rise of the summed loss.

    Of those that have at least so many records; -1 where there is none.
    """
    least = np.inf
    found = -1
    for b in range(clusters.size.shape[0]):
        if b == a or clusters.size[b] < least_size:
            continue
        bound = least - TOLERANCE
        rises = merging_rise(
            cols,
            cols.curve,
            clusters,
            clusters.mixture,
            a,
            b,
            bound,
            rows.scratch,
            rows.after,
        )
        if rises < bound:
            least = rises
            found = b
    return found, least


@inlined
def _borrow(cols, codes, sensitive, clusters, rows, a, donor, k):
    """Choose the records of a donor that raise least what cluster a pays, one by one.

    Returns
    -------
    chosen : int32 (k - |a|,)
    rise : float64
        By how much the summed loss rises if they move.
    """
    own, pool = members_of(clusters, a), members_of(clusters, donor)
    for m in range(len(own)):
        put(cols, codes, sensitive, rows, own[m], 0, m == 0)
    stays = np.ones(len(pool), dtype=np.bool_)
    chosen = np.empty(k - len(own), dtype=np.int32)
    for at in range(len(chosen)):
        least = np.inf
        found = -1
        for m in range(len(pool)):
            if stays[m]:
                bound = least - TOLERANCE
                rises = rise_of_mean(cols, codes, sensitive, rows, pool[m], 0, bound)
                if rises < bound:
                    least = rises
                    found = m
        stays[found] = False
        chosen[at] = pool[found]
        put(cols, codes, sensitive, rows, pool[found], 0, False)
    rest = pool[stays]
    for m in range(len(rest)):
        put(cols, codes, sensitive, rows, rest[m], 1, m == 0)
    loss = k * row_total(cols.curve, rows.cost, rows.mix, 0)
    loss += len(rest) * row_total(cols.curve, rows.cost, rows.mix, 1)
    for h in (a, donor):
        loss -= clusters.size[h] * clusters.total[h]
    return chosen, loss


@inlined
def _move(cols, codes, clusters, chosen, a, donor):
    for i in chosen:
        unlink(clusters, clusters.mixture, i)
        link(clusters, clusters.mixture, i, a)
    reclose(cols, codes, clusters, a)
    reclose(cols, codes, clusters, donor)


@kernel
def adjust(cols, codes, sensitive, clusters, rows, small, k):
    """Give clusters at least k records: those of a donor, or all of the nearest.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        Changed in place; those that are united with others keep their places with
        size 0.
    rows : Rows
        Scratch.
    small : int64 (n_small,)
        Clusters, in the order in which they are adjusted; those that are gone, or have
        grown meanwhile, are passed over.
    k : int
    """
    for a in small:
        while 0 < clusters.size[a] < k:
            b, united = _nearest(cols, clusters, a, 1, rows)
            donor, _ = _nearest(cols, clusters, a, 2 * k - clusters.size[a], rows)
            moved = np.inf
            chosen = np.empty(0, dtype=np.int32)
            if donor >= 0:
                chosen, moved = _borrow(
                    cols, codes, sensitive, clusters, rows, a, donor, k
                )
            if moved < united - TOLERANCE:
                _move(cols, codes, clusters, chosen, a, donor)
            else:
                unite(cols, clusters, a, b)

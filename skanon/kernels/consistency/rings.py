"""Rings of records, the windows of k neighbours on them, and who gets which window.

A partition's records lie on a ring. The window at a place is what covers the record
there and the k - 1 that follow. So each of m windows fits k records, and each record k
windows: a k-regular bipartite graph.
"""

from __future__ import annotations

import numpy as np

from skanon.kernels.core.closures import price_row
from skanon.kernels.core.columns import (
    TOLERANCE,
    join,
    merge,
    single,
    state_width,
)
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import joining_rise, sensitive_of
from skanon.kernels.jit import helper, inlined, kernel

LOOK = 1000
"""The next record of a ring is one of so many that are left, those that come first."""

# ------------------------------------------------------------------------ the order


@kernel
def order_rings(cols, codes, sensitive, members, start, rings, k, reach):
    """Put the records of rings into an order in which neighbours are alike.

    The first record stays the first. Then, of those left, that one follows which
    raises least what the last ``reach`` records before it pay on average for their
    closure; the first one of equals. Rings of k records or fewer stay as they are, as
    all of their windows are the same.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    members : int32 (n,)
        The records ring by ring; changed in place.
    start : int64 (n_rings + 1,)
        Ring g's records are ``members[start[g]:start[g + 1]]``.
    rings : int64 (n_chosen,)
        Those to be ordered.
    k, reach : int
        At least 1.
    """
    width = state_width(cols.layout)
    state = np.zeros((1, width), dtype=np.int64)
    scratch = np.zeros((1, width), dtype=np.int64)
    cost = np.zeros((1, codes.shape[1]))
    mix = sensitive_scratch(cols.curve)
    after = sensitive_scratch(cols.curve)
    for g in rings:
        if start[g + 1] - start[g] <= k:
            continue
        for p in range(start[g] + 1, start[g + 1]):
            first = max(p - reach, start[g])
            _close(cols, codes, sensitive, members, first, p, state, cost, mix)
            last = min(p + LOOK, start[g + 1])
            q = _next(
                cols,
                cols.curve,
                codes,
                sensitive,
                members,
                p,
                last,
                state,
                cost,
                mix,
                scratch,
                after,
            )
            _bring(members, q, p)


@helper
def _close(cols, codes, sensitive, members, first, last, state, cost, mix):
    """Close and price the records at the places from ``first`` on, before ``last``."""
    layout, tree = cols.layout, cols.tree
    for c in range(mix.shape[1]):
        mix[0, c] = 0
    for p in range(first, last):
        i = members[p]
        _take_in(layout, tree, codes[i], state, p == first)
        mix[0, sensitive_of(cols.curve, sensitive, i)] += 1
    price_row(cols, cols.curve, state, cost, mix, 0)


@helper
def _take_in(layout, tree, x, state, is_first):
    for j in range(x.shape[0]):
        if is_first:
            single(layout, tree, j, x[j], state, 0)
        else:
            join(layout, tree, j, x[j], state, 0)


@helper
def _next(
    cols,
    curve,
    codes,
    sensitive,
    members,
    first,
    last,
    state,
    cost,
    mix,
    scratch,
    after,
):
    """Find the place of the record that raises the price of the row least."""
    best = np.inf
    at = first
    for q in range(first, last):
        i = members[q]
        c = sensitive_of(curve, sensitive, i)
        rises = joining_rise(
            cols, curve, codes[i], c, state, cost, mix, 0, best, scratch, after
        )
        if rises < best - TOLERANCE:
            best = rises
            at = q
            if curve is None and best <= 0.0:  # nothing can raise it less
                break
    return at


@inlined
def _bring(members, q, p):
    """Bring the record at place q to p; those in between move on by one."""
    i = members[q]
    while q > p:
        members[q] = members[q - 1]
        q -= 1
    members[p] = i


# ---------------------------------------------------------------------- the windows


@kernel
def close_windows(cols, codes, members, start, k):
    """Compute the closures of all windows.

    Each ring is cut into blocks of k places. A window is the end of one block and the
    beginning of the next, so that the closures of both are enough.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    members : int32 (n,)
        The records ring by ring.
    start : int64 (n_rings + 1,)
        No ring has fewer than k records.
    k : int

    Returns
    -------
    state : int64 (n, width)
        Row p is what covers the record at place p and the k - 1 that follow it on its
        ring.
    """
    layout, tree = cols.layout, cols.tree
    width = state_width(layout)
    state = np.zeros((len(members), width), dtype=np.int64)
    run = np.zeros((1, width), dtype=np.int64)
    for g in range(len(start) - 1):
        m = start[g + 1] - start[g]
        for block in range(0, m, k):
            for p in range(block + k - 1, block - 1, -1):
                i = members[start[g] + p % m]
                _take_in(layout, tree, codes[i], run, p == block + k - 1)
                if p < m:
                    state[start[g] + p] = run[0]
            for p in range(block + 1, min(block + k, m)):
                i = members[start[g] + (p + k - 1) % m]
                _take_in(layout, tree, codes[i], run, p == block + 1)
                for j in range(codes.shape[1]):
                    merge(layout, tree, j, state, start[g] + p, run, 0)
    return state


# -------------------------------------------------------------- who gets which window


@kernel
def draw_windows(start, rings, k, n_shifts, rng, given):
    """Give the records of rings windows that fit them, each with probability 1 / k.

    A window fits the k records that it covers. From this k-regular graph one perfect
    matching after another is taken away, each found by random walks; a number that is
    drawn before says which one is the result. As every edge is in exactly one of k
    disjoint matchings, each has probability 1 / k, however the walks go.

    Parameters
    ----------
    start : int64 (n_rings + 1,)
    rings : int64 (n_chosen,)
        Those to be dealt with. Those of k records or fewer get their own windows, as
        all of them are the same.
    k : int
    n_shifts : int
        From 1 to k. The edges are k shifts of the ring against itself; so many of
        them are drawn, and the others left out. Each edge still has probability
        1 / k; n_shifts times the size of the largest ring is what memory must hold.
    rng : numpy.random.Generator
    given : int64 (n,)
        The place of the window that the record at each place gets is written here.
    """
    largest = 0
    for g in rings:
        largest = max(largest, start[g + 1] - start[g])
    shifts = np.arange(k).astype(np.int32)
    edge = np.zeros((largest, n_shifts), dtype=np.int32)
    held = np.zeros(largest, dtype=np.int32)
    asked = np.zeros(largest, dtype=np.int32)
    owner = np.zeros(largest, dtype=np.int32)
    queue = np.arange(largest).astype(np.int32)
    for g in rings:
        m = start[g + 1] - start[g]
        if m <= k:
            for p in range(start[g], start[g + 1]):
                given[p] = p
            continue
        if n_shifts < k:
            _shuffle(shifts, n_shifts, k, rng)
        for p in range(m):
            queue[p] = p
            for e in range(n_shifts):
                edge[p, e] = (p + m - shifts[e]) % m
        left = n_shifts
        wanted = left - int(rng.random() * left)
        _match(edge, held, asked, owner, queue, m, left, rng)
        while left > wanted:
            for p in range(m):
                edge[p, held[p]] = edge[p, left - 1]
            left -= 1
            _match(edge, held, asked, owner, queue, m, left, rng)
        for p in range(m):
            given[start[g] + p] = start[g] + edge[p, held[p]]


@kernel
def _shuffle(items, wanted, n, rng):
    """Draw so many of the first n items at random, and put them first."""
    for a in range(wanted):
        b = a + int(rng.random() * (n - a))
        items[a], items[b] = items[b], items[a]


@kernel
def _match(edge, held, asked, owner, queue, m, degree, rng):
    """Find a perfect matching of a regular bipartite graph by random walks.

    Goel, Kapralov & Khanna, "Perfect matchings in O(n log n) time in regular bipartite
    graphs", SIAM Journal on Computing 42 (2013). A record without a window asks for
    one at random. The record that has it asks for another one of its own at random,
    and so on until one is free. Of what a record asked for, the last counts, which
    leaves out the walk's loops.

    Parameters
    ----------
    edge : int32 (largest, most)
        The windows that fit the record at each of m places: the first ``degree``.
    held : int32 (largest,)
        Which of them it gets is written here.
    asked, owner : int32 (largest,)
        Scratch.
    queue : int32 (largest,)
        The first m are some order of the records; changed in place.
    m, degree : int
    rng : numpy.random.Generator
    """
    owner[:m] = -1
    held[:m] = -1
    _shuffle(queue, m, m, rng)
    for a in range(m):
        p = queue[a]
        while p >= 0:
            asked[p] = _ask(held[p], degree, rng)
            p = owner[edge[p, asked[p]]]
        p = queue[a]
        while p >= 0:
            held[p] = asked[p]
            window = edge[p, held[p]]
            p, owner[window] = owner[window], p


@kernel
def _ask(held, degree, rng):
    """Choose one of so many windows at random, but not the one that is held."""
    if held < 0:
        return int(rng.random() * degree)
    other = int(rng.random() * (degree - 1))
    return other + 1 if other >= held else other

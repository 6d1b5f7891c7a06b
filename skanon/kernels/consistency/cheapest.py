"""The cheapest generalized record that covers a record and k - 1 others."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.full_domain import slot_of
from skanon.kernels.consistency.expansion import join_kind, own_price
from skanon.kernels.core.columns import TOLERANCE, single
from skanon.kernels.core.curve import floor_of
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import helper, kernel


@kernel
def take_cheapest(first, second, pairs, counts, k, paid, groups, least, found):
    """Look at combinations one after the other; keep what costs each record less.

    Parameters
    ----------
    first, second : uint64 (n_first, n), (n_second, n)
        Keys; see ``kernels.clustering.full_domain.publish``.
    pairs : int64 (n_pairs, 2)
        Rows of ``first`` and ``second``.
    counts : int64 (n,)
        How many records are of each kind.
    k : int
    paid : tuple of float64 (n_first, n), (n_second, n)
        What the combinations cost.
    groups : kernels.clustering.full_domain.Groups
    least : float64 (n,)
        What has been found to cost each kind least; changed in place.
    found : int64 (n, 2)
        Where that was; changed in place.
    """
    n = counts.shape[0]
    own, other = paid
    for pair in range(pairs.shape[0]):
        a, b = pairs[pair, 0], pairs[pair, 1]
        useful = False
        for i in range(n):
            if own[a, i] + other[b, i] < least[i] - TOLERANCE:
                useful = True
                break
        if not useful:
            continue
        groups.turn[0] += 1
        for i in range(n):
            key = first[a, i] + second[b, i]
            slot = slot_of(groups, key)
            if groups.used[slot] != groups.turn[0]:
                groups.used[slot] = groups.turn[0]
                groups.key[slot] = key
                groups.size[slot] = 0
            groups.size[slot] += counts[i]
            groups.place[i] = slot
        for i in range(n):
            cost = own[a, i] + other[b, i]
            if groups.size[groups.place[i]] >= k and cost < least[i] - TOLERANCE:
                least[i] = cost
                found[i, 0] = a
                found[i, 1] = b


@helper
def _least_of(cols, curve, r, state, h, c):
    """Return what row h, and whatever covers it, costs at least."""
    total = 0.0
    for j in range(r):
        total += floor_of(cols, curve, j, state, h, c)
    return total


@kernel
def take_cheapest_sets(cols, codes, sensitive, kinds, k, state, start, stop):
    """Join each record with the k - 1 others with which it costs least.

    All sets of others are looked at but those that cost too much already.

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
    """
    curve, r = cols.curve, codes.shape[1]
    n_kinds = len(kinds.first)
    rows = np.zeros((k + 1, state.shape[1]), dtype=np.int64)
    size = np.zeros(k + 1, dtype=np.int64)
    turn = np.zeros(k + 1, dtype=np.int64)
    near = np.empty(n_kinds)
    for h in range(start, stop):
        i, own = kinds.seed[h], kinds.of_seed[h]
        c = sensitive_of(curve, sensitive, i)
        for j in range(r):
            single(cols.layout, cols.tree, j, codes[i, j], rows, 0)
        for v in range(n_kinds):
            rows[1] = rows[0]
            join_kind(cols.layout, cols.tree, kinds, v, rows, 1)
            near[v] = _least_of(cols, curve, r, rows, 1, c)
        order = np.argsort(near, kind="mergesort")
        least = np.inf
        size[0] = kinds.weight[own]
        turn[0] = 0
        depth = 0
        entered = True
        while depth >= 0:
            if entered and size[depth] >= k:
                paid = 0.0
                for j in range(r):
                    paid += own_price(cols, curve, j, rows, depth, c)
                if paid < least - TOLERANCE:
                    least = paid
                    state[h] = rows[depth]
            entered = False
            v = order[turn[depth]] if turn[depth] < n_kinds else -1
            turn[depth] += 1
            if v < 0 or depth == k - 1 or near[v] >= least - TOLERANCE:
                depth -= 1
            elif v != own:
                rows[depth + 1] = rows[depth]
                join_kind(cols.layout, cols.tree, kinds, v, rows, depth + 1)
                floor = _least_of(cols, curve, r, rows, depth + 1, c)
                if floor < least - TOLERANCE:
                    size[depth + 1] = size[depth] + kinds.weight[v]
                    turn[depth + 1] = turn[depth]
                    depth += 1
                    entered = True

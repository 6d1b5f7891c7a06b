"""Groups of k records that are said to pay more than they would in a class.

Each record has a *share*: what it is said to pay at least. The *excess* of a group of k
records is the sum of their shares less k times what its closure costs a record, at
least. Shares without any excess are a lower bound of what all records pay together, in
whatever classes of k and more; see ``metrics._dual``.

A search grows groups from one record, the *root*. Candidates are sorted by what the
group's closure costs with them. Branches differ in the costliest member: the others
come before it, so that those with the greatest shares tell what excess there can be.
Candidates that the closure covers already cost nothing more; of these the greatest
shares are taken at once, and the branch ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.bounds.neighbours import pair_floor
from skanon.kernels.core.columns import (
    TOLERANCE,
    copy_state,
    join,
    rise,
    single,
    state_width,
)
from skanon.kernels.core.curve import floor_of
from skanon.kernels.jit import helper, kernel


class Pairs(NamedTuple):
    """Different records and what they cost in pairs.

    Attributes
    ----------
    codes : int32 (n, r)
    weight : int64 (n,)
        How often each occurs.
    apart : float64 (n, n)
        What the closure of two costs a record at least.
    near : int32 (n, n)
        By record: all records, the cheapest first.
    """

    codes: np.ndarray
    weight: np.ndarray
    apart: np.ndarray
    near: np.ndarray


class Branches(NamedTuple):
    """The branches that are open, by depth; a group of depth d has d + 1 members.

    Attributes
    ----------
    record, copies : int32 (k, n)
        The candidates, and how many of each are left.
    paid, bound : float64 (k, n)
        What the closure costs with it; what excess there can be if it is the costliest.
    length, at : int64 (k,)
        How many candidates there are, and which one is next.
    member : int64 (k,)
        Which record was added at a depth; the root at last.
    total, share : float64 (k,)
        What the group's closure costs, and the sum of its members' shares.
    state : int64 (k + 1, width)
        The closures, and room for another.
    cost : float64 (k + 1, r)
        What they cost at least, by column.
    top : float64 (k,)
        The greatest shares, while they are gathered.
    """

    record: np.ndarray
    copies: np.ndarray
    paid: np.ndarray
    bound: np.ndarray
    length: np.ndarray
    at: np.ndarray
    member: np.ndarray
    total: np.ndarray
    share: np.ndarray
    state: np.ndarray
    cost: np.ndarray
    top: np.ndarray


def open_branches(n, r, width, k):
    """Make room for a search among n records of r columns."""
    record, copies = np.zeros((2, k, n), dtype=np.int32)
    paid, bound = np.zeros((2, k, n))
    length, at, member = np.zeros((3, k), dtype=np.int64)
    total, share = np.zeros((2, k))
    return Branches(
        record=record,
        copies=copies,
        paid=paid,
        bound=bound,
        length=length,
        at=at,
        member=member,
        total=total,
        share=share,
        state=np.zeros((k + 1, width), dtype=np.int64),
        cost=np.zeros((k + 1, r)),
        top=np.zeros(k),
    )


def pairs_of(cols, codes, weight):
    """Compute what different records, each of which occurs so often, cost in pairs."""
    apart = _pair_costs(cols, cols.curve, codes)
    near = np.argsort(apart, axis=1, kind="stable").astype(np.int32)
    return Pairs(codes, weight, apart, near)


@kernel
def _pair_costs(cols, curve, codes):
    """Compute what the closure of two records costs a record at least.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
        That of ``cols``. Costs must not depend on a sensitive value.
    codes : int32 (n, r)

    Returns
    -------
    float64 (n, n)
    """
    n, r = codes.shape
    apart = np.zeros((n, n))
    state = np.zeros((1, state_width(cols.layout)), dtype=np.int64)
    for i in range(n):
        for m in range(i + 1):
            total = 0.0
            for j in range(r):
                x, y = codes[i, j], codes[m, j]
                total += pair_floor(cols, curve, j, x, y, 0, state)
            apart[i, m] = total
            apart[m, i] = total
    return apart


@kernel
def worst_groups(
    cols, curve, pairs, share, rank, roots, slack, most, branches, group, excess
):
    """Find by root the group of the greatest excess whose other records rank higher.

    Parameters
    ----------
    cols : Columns
    curve : Curve or None
    pairs : Pairs
    share : float64 (n,)
    rank : int64 (n,)
        All different. Each group is looked at from its lowest record.
    roots : int64 (n_roots,)
    slack : float
        Excesses up to this are of no interest.
    most : int
        So many branches are entered for a root.
    branches : Branches
    group : int64 (n, k)
        The rows of roots become their groups; -1 in front where there is none.
    excess : float64 (n, 2)
        Of the group, ``slack`` where there is none; and what no group exceeds.

    Returns
    -------
    int
        For how many roots branches were left out.
    """
    left_out = 0
    for i in roots:
        group[i, 0] = -1
        excess[i, 0], excess[i, 1] = _search(
            cols, curve, pairs, share, rank, i, slack, most, branches, group
        )
        if excess[i, 1] > excess[i, 0]:
            left_out += 1
    return left_out


@helper
def _search(cols, curve, pairs, share, rank, i, best, most, branches, group):
    """Search from one root; return the greatest excess found, and possible."""
    length, at, bound = branches.length, branches.at, branches.bound
    k = group.shape[1]
    branches.member[k - 1] = i
    _plant(cols, curve, pairs, share, rank, i, best, k, branches)
    best = _rate(pairs, share, 0, k, best, branches, group)
    entered = 0
    d = 0
    while d >= 0:
        while at[d] < length[d] and bound[d, at[d]] <= best + TOLERANCE:
            at[d] += 1
        if at[d] >= length[d]:
            d -= 1
            continue
        if entered == most:
            possible = best
            for e in range(d + 1):
                for p in range(at[e], length[e]):
                    possible = max(possible, bound[e, p])
            return best, possible
        entered += 1
        p = at[d]
        at[d] += 1
        if d == k - 2:
            best = bound[d, p]
            _keep(branches, d, p, group)
        elif _enter(cols, curve, pairs, share, d, p, k, best, branches):
            d += 1
            best = _rate(pairs, share, d, k, best, branches, group)
    return best, best


@helper
def _keep(branches, d, p, group):
    """Write the group at depth d with its candidate p, which completes it."""
    k = group.shape[1]
    i = branches.member[k - 1]
    group[i, 0] = i
    for e in range(d):
        group[i, 1 + e] = branches.member[e]
    group[i, 1 + d] = branches.record[d, p]


@helper
def _plant(cols, curve, pairs, share, rank, i, best, k, branches):
    """Make the root a group, and list its candidates."""
    layout, tree = cols.layout, cols.tree
    record, copies, paid = branches.record, branches.copies, branches.paid
    codes, weight, apart, near = pairs.codes, pairs.weight, pairs.apart, pairs.near
    for j in range(codes.shape[1]):
        single(layout, tree, j, codes[i, j], branches.state, 0)
        branches.cost[0, j] = floor_of(cols, curve, j, branches.state, 0, 0)
    branches.total[0] = apart[i, i]
    branches.share[0] = share[i]
    greatest = share[i]
    for m in range(len(share)):
        greatest = max(greatest, share[m])
    affordable = (share[i] + (k - 1) * greatest - best) / k
    n = 0
    for q in range(near.shape[1]):
        m = near[i, q]
        if apart[i, m] >= affordable:
            break
        left = weight[m] - (m == i)
        if rank[m] < rank[i] or left == 0:
            continue
        record[0, n] = m
        copies[0, n] = left
        paid[0, n] = apart[i, m]
        n += 1
    branches.length[0] = n


@helper
def _enter(cols, curve, pairs, share, d, p, k, best, branches):
    """Add candidate p of depth d, and list what is left; tell whether that can do."""
    layout, tree = cols.layout, cols.tree
    record, copies, paid = branches.record, branches.copies, branches.paid
    state, cost, top = branches.state, branches.cost, branches.top
    codes, apart = pairs.codes, pairs.apart
    r = codes.shape[1]
    e = d + 1
    m = record[d, p]
    for w in range(state.shape[1]):
        state[e, w] = state[d, w]
    total = 0.0
    for j in range(r):
        join(layout, tree, j, codes[m, j], state, e)
        cost[e, j] = floor_of(cols, curve, j, state, e, 0)
        total += cost[e, j]
    branches.member[d] = m
    branches.total[e] = total
    branches.share[e] = branches.share[d] + share[m]
    need = k - 1 - e
    count = 0
    others = 0.0
    for q in range(p + 1):
        for _ in range(min(copies[d, q] - (q == p), need)):
            count, others = _push(top, count, others, share[record[d, q]], need)
    affordable = (branches.share[e] + others - best) / k
    if count < need or total >= affordable:
        return False
    n = 0
    for q in range(p + 1):
        x = record[d, q]
        left = copies[d, q] - (q == p)
        if left == 0 or apart[m, x] >= affordable:
            continue
        price = _price_with(cols, curve, codes[x], e, total, affordable, branches)
        if price >= affordable:
            continue
        at = n
        while at > 0 and paid[e, at - 1] > price:
            record[e, at] = record[e, at - 1]
            copies[e, at] = copies[e, at - 1]
            paid[e, at] = paid[e, at - 1]
            at -= 1
        record[e, at] = x
        copies[e, at] = left
        paid[e, at] = price
        n += 1
    branches.length[e] = n
    return True


@helper
def _price_with(cols, curve, x, e, total, limit, branches):
    """Return what the closure of depth e costs with x, or something above the limit."""
    layout, tree = cols.layout, cols.tree
    state, cost = branches.state, branches.cost
    room = state.shape[0] - 1
    for j in range(x.shape[0]):
        if total >= limit:
            break
        if curve is None:
            total += rise(layout, tree, cols.price, j, state, e, cost, x[j])
        else:
            copy_state(layout, j, state, e, state, room)
            join(layout, tree, j, x[j], state, room)
            total += floor_of(cols, curve, j, state, room, 0) - cost[e, j]
    return total


@helper
def _rate(pairs, share, d, k, best, branches, group):
    """Bound the excess by the costliest candidate; return the greatest known.

    Those that cost nothing more are taken at once, if they suffice.
    """
    record, copies, paid = branches.record, branches.copies, branches.paid
    bound, length, top = branches.bound, branches.length, branches.top
    need = k - 1 - d
    n = length[d]
    total, shares = branches.total[d], branches.share[d]
    count = 0
    others = 0.0
    covered = 0
    while covered < n and paid[d, covered] <= total + TOLERANCE:
        for _ in range(min(copies[d, covered], need)):
            count, others = _push(top, count, others, share[record[d, covered]], need)
        covered += 1
    if count == need:
        if shares + others - k * total > best + TOLERANCE:
            best = shares + others - k * total
            _keep_covered(share, d, covered, need, branches, group)
        count -= 1
        others -= top[count]
    last = covered
    for p in range(covered, n):
        x = share[record[d, p]]
        for _ in range(min(copies[d, p] - 1, need - 1)):
            count, others = _push(top, count, others, x, need - 1)
        bound[d, p] = -np.inf
        if count == need - 1:
            bound[d, p] = shares + x + others - k * paid[d, p]
            if bound[d, p] > best + TOLERANCE:
                last = p + 1
        count, others = _push(top, count, others, x, need - 1)
    branches.at[d] = covered
    length[d] = last
    return best


@helper
def _keep_covered(share, d, covered, need, branches, group):
    """Write the group at depth d with the greatest shares of those that it covers."""
    record, copies, top = branches.record, branches.copies, branches.top
    k = group.shape[1]
    i = branches.member[k - 1]
    group[i, 0] = i
    for e in range(d):
        group[i, 1 + e] = branches.member[e]
    least = top[need - 1]
    at = 1 + d
    for tied in range(2):
        for p in range(covered):
            x = share[record[d, p]]
            if (x == least) if tied else (x > least):
                for _ in range(min(copies[d, p], k - at)):
                    group[i, at] = record[d, p]
                    at += 1


@helper
def _push(top, count, total, x, most):
    """Put x among the greatest, in falling order; return their number and sum."""
    if count == most:
        if most == 0 or x <= top[count - 1]:
            return count, total
        count -= 1
        total -= top[count]
    at = count
    while at > 0 and top[at - 1] < x:
        top[at] = top[at - 1]
        at -= 1
    top[at] = x
    return count + 1, total + x

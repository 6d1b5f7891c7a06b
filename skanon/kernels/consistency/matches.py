"""Widening released records, so that originals have enough matches among them.

A released record is a match of an original if some perfect matching of originals and
consistent released records joins the two. Give each record an arc to each other one
whose released record it is consistent with. As each record is consistent with its own
released record, the released record of j is a match of i if and only if i is
consistent with it and both are in one strongly connected component: with the records
on a circle, each takes the released record of the next one, and the others keep theirs.

Equal records are in one component, as they are consistent with each other's released
records. So the digraph's nodes are kinds of records, and a kind of at least k records
has k matches from the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.consistency.components import N_ARCS, add_arc, unite_circles
from skanon.kernels.consistency.widening import (
    is_consistent,
    reprice_row,
    widening_rise,
)
from skanon.kernels.core.columns import TOLERANCE, copy_state, join
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.core.union_find import find
from skanon.kernels.jit import helper, inlined, kernel


class Neighbours(NamedTuple):
    """What is consistent with what; released records that are equal are a class.

    Attributes
    ----------
    shape : int64 (n_classes, width)
        What the records of a class are released as, before any is widened.
    size : int64 (n_classes,)
        How many records it has.
    start : int64 (n_classes + 1,)
    kind, row : int32 (n_pairs,)
        From ``start[g]`` on and before ``start[g + 1]``: the kinds of the originals of
        class g, and the first original of the class that is of the kind.
    own : int32 (n_kinds,)
        The class of the kind's first record.
    first : int64 (n_kinds + 1,)
    near : int32 (n_edges,)
        From ``first[v]`` on and before ``first[v + 1]``: the classes that are
        consistent with kind v.
    node : int32 (n_kinds,)
        The component of the kind, before any record is widened.
    widened : int32 (n_kinds,)
        The kinds whose first record is widened, the latest last.
    more : int32 (n_kinds,)
        Scratch: those of them that are consistent with a kind only now.
    number : int64 (2,)
        How many there are of both.
    seen : int32 (n_components,)
        The last time that an arc began there.
    old : int64 (1, width)
        Scratch: a row before it is widened.
    """

    shape: np.ndarray
    size: np.ndarray
    start: np.ndarray
    kind: np.ndarray
    row: np.ndarray
    own: np.ndarray
    first: np.ndarray
    near: np.ndarray
    node: np.ndarray
    widened: np.ndarray
    more: np.ndarray
    number: np.ndarray
    seen: np.ndarray
    old: np.ndarray


WIDENED, MORE = range(2)


@kernel
def list_edges(cols, codes, kinds, shape, start, work, edge):
    """Find the kinds that are consistent with classes.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    kinds : Kinds
    shape : int64 (n_classes, width)
    start : int
        The first class to look at.
    work : int
        After about so many comparisons it stops.
    edge : int32 (n_room, 2)
        Where classes and kinds are written to; with room for all kinds at least.

    Returns
    -------
    stop : int
        The classes before this one are done.
    n_edges : int
    """
    layout, tree = cols.layout, cols.tree
    n_kinds = len(kinds.first)
    n_edges = 0
    for g in range(start, len(shape)):
        tired = g > start and (g - start) * n_kinds >= work
        if tired or n_edges + n_kinds > len(edge):
            return g, n_edges
        for v in range(n_kinds):
            x = codes[kinds.first[v]]
            if is_consistent(layout, tree, kinds.order, x, shape, g):
                edge[n_edges, 0] = g
                edge[n_edges, 1] = v
                n_edges += 1
    return len(shape), n_edges


@kernel
def make_global(
    cols, codes, sensitive, kinds, k, state, rows, neighbours, components, start, work
):
    """Widen the rows of originals that have fewer than k matches.

    Section V-C, Algorithm 6. While an original of kind v has too few, its row is
    widened to cover another original whose row is consistent with v, but no match of
    it: the one that costs the row least, and of those that cost equally more the one
    whose row comes first. Equal originals have the same matches, so that just the
    first one's row is widened.

    It ends: the two originals are consistent with each other's rows then, so that the
    other's row is a match of v. Rows only become wider, so that neither a match nor a
    consistent row is ever lost. As v is consistent with k rows, there is one to go on
    with until it has k matches; as its own row is one from the start, this takes at
    most k - 1 times.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    kinds : Kinds
    k : int
        Each original must be consistent with so many rows.
    state : int64 (n, width)
        A row for each record, that generalizes it; changed in place.
    rows : Rows
        From ``price_rows``; kept up to date.
    neighbours : Neighbours
    components : Components
        Of the kinds and rows, up to what was widened; kept up to date.
    start : int
        The first kind that may have too few matches.
    work : int
        After about so many comparisons, or where there is no room for new arcs, it
        stops.

    Returns
    -------
    stop : int
        The kinds before this one are done.
    n_widened : int
        How many times a row was widened.
    """
    n_widened = 0
    left = work
    for v in range(start, len(kinds.first)):
        if left <= 0 and v > start:
            return v, n_widened
        left -= neighbours.first[v + 1] - neighbours.first[v]
        if kinds.weight[v] >= k or _has(neighbours, components, v, k):
            continue
        x = codes[kinds.first[v]]
        left -= _list_more(cols, kinds, x, state, neighbours)
        while not _has(neighbours, components, v, k):
            n_room = components.end.shape[1] - components.clock[N_ARCS]
            if n_room < len(components.parent) or (
                left <= 0 and (v > start or n_widened > 0)
            ):
                neighbours.number[MORE] = 0
                return v, n_widened
            i = _cheapest(
                cols, codes, sensitive, kinds, v, state, rows, neighbours, components
            )
            _widen(cols, sensitive, kinds, v, codes[i], state, rows, neighbours)
            _add_arcs(cols, codes, kinds, v, state, neighbours, components)
            n_widened += 1
            left -= len(kinds.first)
        neighbours.number[MORE] = 0
    return len(kinds.first), n_widened


@helper
def _has(neighbours, components, v, k):
    """Tell whether kind v has k matches, as far as ``near`` and ``more`` go."""
    size, start, kind = neighbours.size, neighbours.start, neighbours.kind
    first, near, node = neighbours.first, neighbours.near, neighbours.node
    more, number = neighbours.more, neighbours.number
    parent = components.parent
    root = find(parent, node[v])
    n_matches = 0
    for at in range(first[v], first[v + 1]):
        g = near[at]
        if find(parent, node[kind[start[g]]]) == root:
            n_matches += size[g]
            if n_matches >= k:
                return True
    for at in range(number[MORE]):
        if find(parent, node[more[at]]) == root:
            n_matches += 1
    return n_matches >= k


@inlined
def _list_more(cols, kinds, x, state, neighbours):
    """List the kinds whose first record's row covers x only since it was widened.

    Returns
    -------
    int
        How many rows were looked at.
    """
    layout, tree = cols.layout, cols.tree
    shape, own, widened = neighbours.shape, neighbours.own, neighbours.widened
    more, number = neighbours.more, neighbours.number
    for at in range(number[WIDENED]):
        w = widened[at]
        if is_consistent(layout, tree, kinds.order, x, state, kinds.first[w]) and (
            not is_consistent(layout, tree, kinds.order, x, shape, own[w])
        ):
            more[number[MORE]] = w
            number[MORE] += 1
    return number[WIDENED]


@helper
def _cheapest(cols, codes, sensitive, kinds, v, state, rows, neighbours, components):
    """Find the original that the row of kind v's first record covers at least cost.

    Only those count whose rows are consistent with v, but no matches.
    """
    start, kind, row = neighbours.start, neighbours.kind, neighbours.row
    first, near, node = neighbours.first, neighbours.near, neighbours.node
    more, number = neighbours.more, neighbours.number
    parent = components.parent
    root = find(parent, node[v])
    h = kinds.first[v]
    c = sensitive_of(cols.curve, sensitive, h)
    least = np.inf
    found = -1
    for at in range(first[v], first[v + 1]):
        g = near[at]
        if find(parent, node[kind[start[g]]]) == root:
            continue
        for pair in range(start[g], start[g + 1]):
            least, found = _cheaper(
                cols, codes, kinds, row[pair], c, state, h, rows, least, found
            )
    for at in range(number[MORE]):
        if find(parent, node[more[at]]) != root:
            i = kinds.first[more[at]]
            least, found = _cheaper(
                cols, codes, kinds, i, c, state, h, rows, least, found
            )
    return found


@helper
def _cheaper(cols, codes, kinds, i, c, state, h, rows, least, found):
    """Compare original i with the cheapest one so far; give the better one."""
    bound = least + 2 * TOLERANCE
    paid = widening_rise(
        cols, cols.curve, kinds.order, codes[i], c, state, h, rows, bound
    )
    if paid < least - TOLERANCE or (paid <= least + TOLERANCE and i < found):
        return min(paid, least), i
    return least, found


@helper
def _widen(cols, sensitive, kinds, v, x, state, rows, neighbours):
    """Make the row of kind v's first record cover x, too."""
    layout, tree = cols.layout, cols.tree
    widened, number, old = neighbours.widened, neighbours.number, neighbours.old
    h = kinds.first[v]
    for j in range(x.shape[0]):
        copy_state(layout, j, state, h, old, 0)
        join(layout, tree, j, x[j], state, h)
    reprice_row(cols, cols.curve, sensitive, kinds.order, state, rows, h)
    if number[WIDENED] == 0 or widened[number[WIDENED] - 1] != v:
        widened[number[WIDENED]] = v
        number[WIDENED] += 1


@inlined
def _add_arcs(cols, codes, kinds, v, state, neighbours, components):
    """Add an arc from each kind that is consistent with v's widened row only now."""
    layout, tree = cols.layout, cols.tree
    node, seen, old = neighbours.node, neighbours.seen, neighbours.old
    parent = components.parent
    root = find(parent, node[v])
    seen[root] = v
    for u in range(kinds.first.shape[0]):
        x = codes[kinds.first[u]]
        if not is_consistent(layout, tree, kinds.order, x, state, kinds.first[v]):
            continue
        start = find(parent, node[u])
        if seen[start] != v and not is_consistent(layout, tree, kinds.order, x, old, 0):
            seen[start] = v
            add_arc(components, start, root)
    unite_circles(components, root)

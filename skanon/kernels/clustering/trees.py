"""Taking trees of records apart, so that each part has at least k of them.

Aggarwal et al., "Approximation algorithms for k-anonymity", Journal of Privacy
Technology (2005), section 4: a component has no more than max(2 k - 1, 3 k - 5)
records in the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper, inlined, kernel


class Graph(NamedTuple):
    """A forest's edges, as the records see them.

    Attributes
    ----------
    edge : int32 (n_edges, 2)
        From the lightest on.
    kept : bool (n_edges,)
        Those that have not been cut.
    first : int32 (n + 1,)
        Record i's edges are ``at[first[i]:first[i + 1]]``, from the lightest on.
    at : int32 (2 n_edges,)
    """

    edge: np.ndarray
    kept: np.ndarray
    first: np.ndarray
    at: np.ndarray


def graph_of(edge, n):
    """Give the records their edges; all are kept.

    Parameters
    ----------
    edge : int32 (n_edges, 2)
    n : int
    """
    ends = edge.T.ravel()
    number = np.tile(np.arange(len(edge), dtype=np.int32), 2)
    first = np.append(0, np.cumsum(np.bincount(ends, minlength=n)))
    return Graph(
        edge,
        np.ones(len(edge), dtype=np.bool_),
        first.astype(np.int32),
        number[np.lexsort([number, ends])],
    )


@kernel
def cut_edges(graph, k):
    """Cut the heaviest edges first, where at least k records stay on both sides."""
    queue = np.empty(k, dtype=np.int32)
    came = np.empty(k, dtype=np.int32)
    for e in range(len(graph.kept) - 1, -1, -1):
        i, m = graph.edge[e]
        if _reach(graph, i, e, queue, came) == k and (
            _reach(graph, m, e, queue, came) == k
        ):
            graph.kept[e] = False


@helper
def _most(k):
    """Say how many records a component may have in the end."""
    return max(2 * k - 1, 3 * k - 5)


@kernel
def cut_large_trees(graph, k):
    """Cut trees of more than max(2 k - 1, 3 k - 5) records, as long as they have more.

    From a tree's first record one goes on into the largest branch until what is behind
    has k records, too; that edge is cut.
    """
    n = len(graph.first) - 1
    most = _most(k)
    queue = np.empty(n, dtype=np.int32)
    came = np.empty(n, dtype=np.int32)
    size = np.empty(n, dtype=np.int32)
    settled = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        while not settled[i]:
            found = _reach(graph, i, -1, queue, came)
            e = -1
            if found > most:
                e = _dividing_edge(graph, k, queue[:found], came, size)
            if e >= 0:
                graph.kept[e] = False
            else:
                settled[queue[:found]] = True


@inlined
def _dividing_edge(graph, k, queue, came, size):
    """Find the edge to cut; -1 where all branches of a record have fewer than k.

    Parameters
    ----------
    graph : Graph
    k : int
    queue, came : int32 (n_records,), int32 (n,)
        The tree's records, from the first on, and the edge by which each was reached.
    size : int32 (n,)
        Scratch.
    """
    for i in queue:
        size[i] = 1
    for at in range(len(queue) - 1, 0, -1):
        size[_other_end(graph.edge, came[at], queue[at])] += size[queue[at]]
    here = np.int64(queue[0])
    back = np.int64(-1)
    while True:
        largest = np.int64(-1)
        there = here
        for e in graph.at[graph.first[here] : graph.first[here + 1]]:
            if graph.kept[e] and e != back:
                i = _other_end(graph.edge, e, here)
                if largest < 0 or size[i] > size[there]:
                    largest = np.int64(e)
                    there = np.int64(i)
        if largest < 0 or size[there] < k:
            return np.int64(-1)
        if len(queue) - size[there] >= k:
            return largest
        here, back = there, largest


@helper
def _other_end(edge, e, i):
    return edge[e, 1] if edge[e, 0] == i else edge[e, 0]


@helper
def _reach(graph, i, e, queue, came):
    """List the records on i's side of edge e, as many as there is room for.

    Parameters
    ----------
    graph : Graph
    i, e : int
    queue : int32 (most,)
        The records are written here.
    came : int32 (most,)
        The edge by which each was reached.

    Returns
    -------
    int
        Their number.
    """
    edge, kept, first, at = graph
    queue[0] = i
    came[0] = e
    found = 1
    done = 0
    while done < found and found < queue.shape[0]:
        u = queue[done]
        for p in range(first[u], first[u + 1]):
            f = at[p]
            if kept[f] and f != came[done] and found < queue.shape[0]:
                queue[found] = _other_end(edge, f, u)
                came[found] = f
                found += 1
        done += 1
    return found


@kernel
def label_trees(graph, k):
    """Label the records by their trees; trees that are too large are taken apart.

    Returns
    -------
    int32 (n,)
    """
    n = len(graph.first) - 1
    most = _most(k)
    labels = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    came = np.empty(n, dtype=np.int32)
    n_labels = 0
    for i in range(n):
        if labels[i] >= 0:
            continue
        found = _reach(graph, i, -1, queue, came)
        if found <= most:
            for m in queue[:found]:
                labels[m] = n_labels
            n_labels += 1
        else:
            centre = _centre(graph, i, k)
            n_labels = _take_apart(graph, centre, k, most, labels, n_labels)
    return labels


@inlined
def _centre(graph, i, k):
    """Find the record all of whose branches have fewer than k records.

    Where no edge is left to be cut, only one branch of any record may have more.
    """
    queue = np.empty(k, dtype=np.int32)
    came = np.empty(k, dtype=np.int32)
    moved = True
    while moved:
        moved = False
        for e in graph.at[graph.first[i] : graph.first[i + 1]]:
            if graph.kept[e]:
                m = _other_end(graph.edge, e, i)
                if _reach(graph, m, e, queue, came) == k:
                    i = m
                    moved = True
                    break
    return i


@inlined
def _take_apart(graph, centre, k, most, labels, n_labels):
    """Label the records of a tree around its centre; return the next free label."""
    branches = graph.at[graph.first[centre] : graph.first[centre + 1]]
    branches = branches[graph.kept[branches]]
    queue = np.empty(k, dtype=np.int32)
    came = np.empty(k, dtype=np.int32)
    size = np.empty(len(branches), dtype=np.int64)
    for at in range(len(branches)):
        e = branches[at]
        m = _other_end(graph.edge, e, centre)
        size[at] = _reach(graph, m, e, queue, came)
    home, n_groups = group_branches(size, k, most)
    for at in range(len(branches)):
        e = branches[at]
        m = _other_end(graph.edge, e, centre)
        for i in queue[: _reach(graph, m, e, queue, came)]:
            labels[i] = n_labels + home[at]
    labels[centre] = n_labels + home[-1]
    return n_labels + n_groups


@inlined
def group_branches(size, k, most):
    """Put the branches of a tree's centre into groups of k to ``most`` records.

    They are taken in their order, but one of k - 1 records comes first. The first
    group that would have k - 1 records takes the centre, too, and so has k. Fewer than
    k that are left at the end join the last group that has room for them; if no group
    has the centre, it is one of them.

    Parameters
    ----------
    size : int64 (n_branches,)
        The branches' numbers of records, all below k, at least ``most`` together.
    k : int
    most : int
        max(2 k - 1, 3 k - 5).

    Returns
    -------
    home : int64 (n_branches + 1,)
        The branches' groups, and that of the centre.
    n_groups : int
    """
    n = len(size)
    home = np.empty(n + 1, dtype=np.int64)
    total = np.zeros(n + 1, dtype=np.int64)
    home[n] = -1
    first = 0
    while first < n and size[first] != k - 1:
        first += 1
    h = 0
    for turn in range(-1, n):
        at = first if turn < 0 else turn
        if at == n or (turn >= 0 and at == first):
            continue
        home[at] = h
        total[h] += size[at]
        if home[n] < 0 and total[h] == k - 1:
            home[n] = h
            total[h] += 1
        if total[h] >= k:
            h += 1
    if home[n] < 0:
        home[n] = h
        total[h] += 1
    if total[h] > 0:
        room = h - 1
        while total[room] + total[h] > most:
            room -= 1
        home[home == h] = room
    return home, h

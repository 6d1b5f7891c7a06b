"""Small numbers for the states that clusters have, so that they can be looked up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.columns import (
    FORM,
    INTERVAL,
    N_CODES,
    START,
    TOP,
    TREE,
    WIDTH,
)
from skanon.kernels.jit import helper, inlined, kernel

ROOM = 2
"""A column has names for so many states per cluster, if it can have so many."""


class InternedStates(NamedTuple):
    """Names of the clusters' states: numbers from 0 on, over all columns.

    In a tree the nodes are the names. Other states get the next free name of their
    column when they first turn up; where it has none left, all names are given anew.

    Attributes
    ----------
    given : int32 (n, r)
        The names of each cluster's states, the columns in the clusters' order.
    first : int64 (r + 1,)
        The first name of each column, and behind the last of all.
    used : int64 (r,)
        How many names each column has given out.
    words : int64 (n_words,)
        The states that the names stand for, side by side.
    at : int64 (r,)
        Where each column's begin.
    slots : int32 (n_slots,)
        A hash table of names, -1 where it is empty; ``n_slots`` is a power of 2.
    kept : int64 (n_kept, width)
        States whose names never change.
    """

    given: np.ndarray
    first: np.ndarray
    used: np.ndarray
    words: np.ndarray
    at: np.ndarray
    slots: np.ndarray
    kept: np.ndarray


def intern_states(layout, clusters):
    """Name the states of all clusters that have members, for good.

    Parameters
    ----------
    layout : int32 (r, 8)
        That of Columns.
    clusters : Clusters
        They may change: so many others have room beside those that they have now.
    """
    n = len(clusters.size)
    sizes = [_n_names(column, ROOM * n + 16) for column in layout]
    first = np.cumsum([0, *sizes])
    widths = np.where(layout[:, FORM] == TREE, 0, layout[:, WIDTH])
    words = np.cumsum([0, *(sizes * widths)])
    names = InternedStates(
        given=np.zeros((n, len(layout)), dtype=np.int32),
        first=first,
        used=np.zeros(len(layout), dtype=np.int64),
        words=np.zeros(words[-1], dtype=np.int64),
        at=words[:-1],
        slots=np.zeros(2 ** int(2 * first[-1]).bit_length(), dtype=np.int32),
        kept=clusters.state[clusters.size > 0],
    )
    name_all(layout, clusters, names)
    return names


def _n_names(column, most):
    """Say how many names a column needs, at most so many unless it is a tree."""
    m = int(column[N_CODES])
    if column[FORM] == TREE:
        return int(column[TOP]) + 1
    if column[FORM] == INTERVAL:
        return min(m * (m + 1) // 2 + 1, most)
    return min(2**m, most)


@kernel
def name_all(layout, clusters, names):
    """Give names to all clusters' states anew, to those that are kept as before."""
    names.slots[:] = -1
    names.used[:] = 0
    for h in range(names.kept.shape[0]):
        for j in range(layout.shape[0]):
            _name(layout, names, j, names.kept, h)
    for h in range(clusters.size.shape[0]):
        if clusters.size[h] > 0:
            for q in range(layout.shape[0]):
                j = clusters.order[q]
                names.given[h, q] = _name(layout, names, j, clusters.state, h)


@kernel
def intern(layout, clusters, names, h):
    """Give names to the states of cluster h, which has changed."""
    for q in range(layout.shape[0]):
        name = _name(layout, names, clusters.order[q], clusters.state, h)
        if name < 0:
            name_all(layout, clusters, names)
            return
        names.given[h, q] = name


@helper
def _name(layout, names, j, state, h):
    """Find the name of a state, or give it one; -1 where there is none left."""
    first, used, words, slots = names.first, names.used, names.words, names.slots
    s = layout[j, START]
    width = layout[j, WIDTH]
    if layout[j, FORM] == TREE:
        return first[j] + state[h, s]
    slot = _hash(j, state, h, s, width) & (slots.shape[0] - 1)
    while slots[slot] >= 0:
        name = slots[slot]
        if first[j] <= name < first[j + 1]:
            w = names.at[j] + (name - first[j]) * width
            same = 0
            while same < width and words[w + same] == state[h, s + same]:
                same += 1
            if same == width:
                return np.int64(name)
        slot = (slot + 1) & (slots.shape[0] - 1)
    name = first[j] + used[j]
    if name == first[j + 1]:
        return np.int64(-1)
    used[j] += 1
    slots[slot] = name
    w = names.at[j] + (name - first[j]) * width
    for at in range(width):
        words[w + at] = state[h, s + at]
    return name


@inlined
def _hash(j, state, h, s, width):
    """Mix a state's words into a number below 2 ** 31; no product overflows."""
    low = np.int64(0x7FFFFFFF)
    mixed = np.int64(j)
    for w in range(s, s + width):
        word = state[h, w]
        word ^= (word >> np.int64(31)) ^ (word >> np.int64(62))
        mixed = (mixed ^ (word & low)) * np.int64(0x5BD1E995)
        mixed = (mixed >> np.int64(15)) & low
    return mixed

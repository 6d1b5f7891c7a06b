"""Groups of records that combinations of levels make alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper, kernel


class Groups(NamedTuple):
    """A hash table of groups; it is emptied by raising ``turn``.

    Attributes
    ----------
    key : uint64 (n_slots,)
        ``n_slots`` is a power of two, and more than the number of records.
    size : int64 (n_slots,)
        How many records a group has.
    number : int64 (n_slots,)
        Its class, or -1.
    used : int64 (n_slots,)
        In which turn a slot was used last.
    place : int64 (n,)
        The slot of each record.
    turn : int64 (1,)
    """

    key: np.ndarray
    size: np.ndarray
    number: np.ndarray
    used: np.ndarray
    place: np.ndarray
    turn: np.ndarray


def groups_of(n):
    """Make room for the groups of n records."""
    n_slots = 2 ** int(np.ceil(np.log2(2 * n + 2)))
    return Groups(
        key=np.zeros(n_slots, dtype=np.uint64),
        size=np.zeros(n_slots, dtype=np.int64),
        number=np.zeros(n_slots, dtype=np.int64),
        used=np.zeros(n_slots, dtype=np.int64),
        place=np.zeros(n, dtype=np.int64),
        turn=np.zeros(1, dtype=np.int64),
    )


@helper
def slot_of(groups, key):
    """Find the slot of a key, or the empty one where it belongs."""
    mask = groups.key.shape[0] - 1
    mixed = key ^ (key >> np.uint64(32))
    slot = np.int64(mixed & np.uint64(mask))
    while groups.used[slot] == groups.turn[0] and groups.key[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def publish(first, second, pairs, counts, k, left, n_left, label, n_classes, groups):
    """Publish the groups of k records that combinations make, one after the other.

    Parameters
    ----------
    first, second : uint64 (n_first, n), (n_second, n)
        Each different record's key in the first and in the other columns, by the
        combination of levels there. Equal sums are equal generalized records.
    pairs : int64 (n_pairs, 2)
        Rows of ``first`` and ``second``.
    counts : int64 (n,)
        How many records are of each kind.
    k : int
    left : int64 (n,)
        The records that are not published, in order; changed in place.
    n_left : int
        How many these are.
    label : int64 (n,)
        The classes; changed in place.
    n_classes : int
    groups : Groups

    Returns
    -------
    n_left, n_classes : int
    """
    for pair in range(pairs.shape[0]):
        if n_left == 0:
            break
        groups.turn[0] += 1
        a = first[pairs[pair, 0]]
        b = second[pairs[pair, 1]]
        large = False
        for at in range(n_left):
            i = left[at]
            key = a[i] + b[i]
            slot = slot_of(groups, key)
            if groups.used[slot] != groups.turn[0]:
                groups.used[slot] = groups.turn[0]
                groups.key[slot] = key
                groups.size[slot] = 0
                groups.number[slot] = -1
            groups.size[slot] += counts[i]
            large = large or groups.size[slot] >= k
            groups.place[at] = slot
        if not large:
            continue
        kept = 0
        for at in range(n_left):
            i = left[at]
            slot = groups.place[at]
            if groups.size[slot] < k:
                left[kept] = i
                kept += 1
                continue
            if groups.number[slot] < 0:
                groups.number[slot] = n_classes
                n_classes += 1
            label[i] = groups.number[slot]
        n_left = kept
    return n_left, n_classes

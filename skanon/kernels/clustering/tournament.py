"""Which of many things are nearest to each other, asked again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.jit import helper

STEP = 1.0307e-9
"""Distances are counted in such steps, so that those that are equal but for rounding
are equal. It is an odd number, lest round distances lie between two steps."""

FAR = np.int64(2**62)
"""A number of steps that no distance reaches."""

N_NEAR = 4
"""So many of its nearest each thing remembers."""


class Tournament(NamedTuple):
    """A few of the nearest of each thing, and which pair comes first.

    The least distance comes first; of equal ones that of the first pair (a, b), a < b.
    A candidate that is out of the question is struck out when its turn comes; until
    then its distance is a lower bound of what is left.

    Attributes
    ----------
    near : int32 (n, N_NEAR)
        The nearest of each thing, by their distances; the first of equals first.
    steps : int64 (n, N_NEAR)
        Their distances.
    listed : int32 (n,)
        How many there are in the list; -1 where there is none yet.
    at : int32 (n,)
        How many of them are struck out.
    key : int64 (capacity, 2)
        The distance of each thing's first candidate that is not struck out, and the
        pair's place among all. ``capacity`` is a power of 2.
    winner : int32 (2 capacity,)
        A tournament of the keys: ``winner[1]`` has the least, ``winner[p]`` the lesser
        of those of 2 p and 2 p + 1.
    """

    near: np.ndarray
    steps: np.ndarray
    listed: np.ndarray
    at: np.ndarray
    key: np.ndarray
    winner: np.ndarray


def make_tournament(n):
    """Make room for n things, none of which takes part yet."""
    capacity = 2 ** max(n - 1, 1).bit_length()
    winner = np.zeros(2 * capacity, dtype=np.int32)
    winner[capacity:] = np.arange(capacity)
    for size in 2 ** np.arange(capacity.bit_length() - 2, -1, -1):
        winner[size : 2 * size] = winner[2 * size : 4 * size : 2]
    return Tournament(
        near=np.zeros((n, N_NEAR), dtype=np.int32),
        steps=np.zeros((n, N_NEAR), dtype=np.int64),
        listed=np.zeros(n, dtype=np.int32),
        at=np.zeros(n, dtype=np.int32),
        key=np.full((capacity, 2), FAR),
        winner=winner,
    )


@helper
def in_steps(distance):
    """Count a distance in steps."""
    most = 4e18  # less than FAR, whatever the loss
    return np.int64(np.floor(min(max(distance / STEP + 0.5, -most), most)))


@helper
def push(tournament, a):
    """Make it a's turn at once, without a list."""
    tournament.listed[a] = -1
    tournament.at[a] = 0
    _set_key(tournament.key, tournament.winner, a, -FAR, a)


@helper
def pop(tournament, a):
    """Let a take part no longer."""
    _set_key(tournament.key, tournament.winner, a, FAR, 0)


@helper
def pop_candidate(tournament, a):
    """Strike out a's first candidate; tell whether there is another one listed."""
    tournament.at[a] += 1
    look_up(tournament, a)
    return tournament.at[a] < tournament.listed[a]


@helper
def look_up(tournament, a):
    """Set the key of a by the first of its list that is not struck out."""
    near, steps, listed, at, key, winner = tournament
    p = at[a]
    if p == listed[a]:
        _set_key(key, winner, a, FAR, 0)
    else:
        b = near[a, p]
        place = np.int64(min(a, b)) * near.shape[0] + max(a, b)
        _set_key(key, winner, a, steps[a, p], place)


@helper
def insert(near, steps, a, found, b, distance):
    """Put b into a's list, if there is room for it; return the list's length."""
    p = min(found, N_NEAR - 1)
    if found == N_NEAR and not _is_before(distance, b, steps[a, p], near[a, p]):
        return found
    while p > 0 and _is_before(distance, b, steps[a, p - 1], near[a, p - 1]):
        steps[a, p] = steps[a, p - 1]
        near[a, p] = near[a, p - 1]
        p -= 1
    steps[a, p] = distance
    near[a, p] = b
    return min(found + 1, N_NEAR)


@helper
def _is_before(distance, b, other_distance, other):
    return distance < other_distance or (distance == other_distance and b < other)


@helper
def _set_key(key, winner, a, steps, place):
    """Change the key of a, and play its matches again."""
    key[a, 0] = steps
    key[a, 1] = place
    p = (a + key.shape[0]) // 2
    while p >= 1:
        u = winner[2 * p]
        v = winner[2 * p + 1]
        if key[v, 0] < key[u, 0] or (key[v, 0] == key[u, 0] and key[v, 1] < key[u, 1]):
            u = v
        winner[p] = u
        p //= 2

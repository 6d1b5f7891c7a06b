"""Disjoint sets, as arrays: who follows its way comes to the root of its set."""

from __future__ import annotations

import numpy as np

from skanon.kernels.jit import helper


@helper
def find(parent, a):
    """Return the root of a's set, and make the way to it shorter.

    Parameters
    ----------
    parent : int32 (n,)
        The next one on the way to the root, which is its own parent. To unite two sets
        is to give one's root the other's as parent.
    a : int

    Returns
    -------
    int
    """
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


def roots_of(parent):
    """Return the roots of all.

    Parameters
    ----------
    parent : int32 (n,)
        As :func:`find` takes it; it is left as it is.

    Returns
    -------
    int32 (n,)
    """
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above

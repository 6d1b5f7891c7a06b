"""Sensitive values that may take up only so much of a cluster.

Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions on
Data Privacy 3 (2010), section 7, Algorithms 2 and 3, where each value's cap is 1 / l.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.clustering.clusters import link, members_of, reclose, unlink
from skanon.kernels.jit import helper, inlined, kernel

SLACK = 1e-9
"""So much of a record a count may be above its cap; that is rounding."""


class Caps(NamedTuple):
    """What clusters hold of sensitive values, and how much of them they may.

    Attributes
    ----------
    value : int32 (n, p)
        The records' values in each of p sensitive attributes.
    held : int32 (capacity, p, m)
        How many records of each value a cluster has.
    cap : float64 (p, m)
        The largest share that each value may have in a cluster.
    """

    value: np.ndarray
    held: np.ndarray
    cap: np.ndarray


@inlined
def may_join(caps, i, h, size):
    """Tell whether cluster h, of ``size`` records, may take in record i."""
    value, held, cap = caps
    for q in range(value.shape[1]):
        v = value[i, q]
        if held[h, q, v] + 1 > cap[q, v] * (size + 1) + SLACK:
            return False
    return True


@inlined
def may_leave(caps, i, h, size):
    """Tell whether cluster h, of ``size`` records, may do without its record i.

    The others' shares rise, its own value's does not.
    """
    value, held, cap = caps
    for q in range(value.shape[1]):
        for v in range(cap.shape[1]):
            if v != value[i, q] and held[h, q, v] > cap[q, v] * (size - 1) + SLACK:
                return False
    return True


@helper
def carry(caps, i, a, b):
    """Note that record i has gone from cluster a to b."""
    value, held = caps.value, caps.held
    for q in range(value.shape[1]):
        held[a, q, value[i, q]] -= 1
        held[b, q, value[i, q]] += 1


@kernel
def keeps_caps(caps, records, home, n_homes):
    """Tell whether clusters of some records keep to the caps.

    Parameters
    ----------
    caps : Caps
    records : int32 (m,)
    home : int32 (m,)
        Each record's cluster, 0 … ``n_homes - 1``.
    n_homes : int
    """
    value, cap = caps.value, caps.cap
    held = np.zeros((n_homes, cap.shape[0], cap.shape[1]), dtype=np.int32)
    size = np.zeros(n_homes, dtype=np.int64)
    for at in range(len(records)):
        size[home[at]] += 1
        for q in range(cap.shape[0]):
            held[home[at], q, value[records[at], q]] += 1
    for h in range(n_homes):
        for q in range(cap.shape[0]):
            for v in range(cap.shape[1]):
                if held[h, q, v] > cap[q, v] * size[h] + SLACK:
                    return False
    return True


@inlined
def halve(cols, codes, clusters, ranks, h, new, caps):
    """Split cluster h by Algorithm 3 with t = 2, if both halves keep to the caps.

    Of each value of the first sensitive attribute, the records with the lower ranks
    stay. The one that makes a number odd stays or goes as the lowest rank is even or
    odd: it must be a coin that does not depend on the order.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
    ranks : int32 (n,)
        Different numbers, whose order is random, and whose parity is a coin.
    h : int
    new : int
        A cluster without members, which the other half becomes.
    caps : Caps

    Returns
    -------
    bool
        False where the cluster is left as it was.
    """
    members = members_of(clusters, h)
    members = members[np.argsort(ranks[members])]
    members = members[np.argsort(caps.value[members, 0], kind="mergesort")]
    home = np.zeros(len(members), dtype=np.int32)
    start = 0
    while start < len(members):
        stop = start
        while (
            stop < len(members)
            and caps.value[members[stop], 0] == caps.value[members[start], 0]
        ):
            stop += 1
        stay = (stop - start) // 2
        if (stop - start) % 2 == 1 and ranks[members[start]] % 2 == 0:
            stay += 1
        home[start + stay : stop] = 1
        start = stop
    going = home.sum()
    if going == 0 or going == len(members):
        return False
    if not keeps_caps(caps, members, home, 2):
        return False
    for at in range(len(members)):
        if home[at] == 1:
            i = members[at]
            unlink(clusters, clusters.mixture, i)
            link(clusters, clusters.mixture, i, new)
            carry(caps, i, h, new)
    reclose(cols, codes, clusters, h)
    reclose(cols, codes, clusters, new)
    return True

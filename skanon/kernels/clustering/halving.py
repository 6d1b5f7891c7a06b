"""Groups of records that are halved again and again."""

from __future__ import annotations

import numpy as np

from skanon.kernels.jit import kernel


@kernel
def bucket(labels, order, n_groups):
    """List the records group by group, each group's in a given order.

    Parameters
    ----------
    labels : int32 (n,)
        Each record's group.
    order : int32 (n,)
        A permutation of the records.
    n_groups : int

    Returns
    -------
    members : int32 (n,)
    start : int64 (n_groups + 1,)
        Group g's records are ``members[start[g]:start[g + 1]]``.
    """
    start = np.zeros(n_groups + 1, dtype=np.int64)
    for g in labels:
        start[g + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    at = start[:-1].copy()
    members = np.empty(len(order), dtype=np.int32)
    for i in order:
        g = labels[i]
        members[at[g]] = i
        at[g] += 1
    return members, start

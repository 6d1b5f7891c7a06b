"""Uniting one cluster with whichever the caller chooses."""

from __future__ import annotations

import numpy as np

from skanon.kernels.jit import kernel
from skanon.kernels.sequential import merging_rise, private_scratch, unite


@kernel
def rises_with_all(cols, clusters, a):
    """Compute by how much uniting cluster a with each other raises the summed loss.

    Parameters
    ----------
    cols : Columns
    clusters : Clusters
    a : int

    Returns
    -------
    float64 (capacity,)
        Infinite for a itself and for clusters without members.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = private_scratch(cols.curve)
    rises = np.full(clusters.size.shape[0], np.inf)
    for b in range(clusters.size.shape[0]):
        if b != a and clusters.size[b] > 0:
            rises[b] = merging_rise(
                cols,
                cols.curve,
                clusters,
                clusters.mixture,
                a,
                b,
                np.inf,
                scratch,
                mix,
            )
    return rises


@kernel
def unite_pair(cols, clusters, a, b):
    """Move cluster b's members into cluster a; b keeps its place with size 0."""
    unite(cols, clusters, a, b)

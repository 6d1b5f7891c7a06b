"""Putting records that are in no cluster where they cost least."""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.clusters import cover, link
from skanon.kernels.clustering.sequential import best_cluster
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.jit import kernel


@kernel
def assign_leftovers(cols, codes, clusters, memory, visits, stay):
    """Find the cluster whose summed loss each record raises least.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    clusters : Clusters
        Changed in place if records ``stay``.
    memory : Memory
        Without memories: nothing has been visited, nothing has changed.
    visits : int32 (n_visits,)
        Records in no cluster, in the order in which they join.
    stay : bool
        Whether they join; if not, each is asked about as if it were the only one.

    Returns
    -------
    float64 (n_visits,)
        The rises.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    rises = np.zeros(len(visits))
    for at in range(len(visits)):
        i = visits[at]
        h, rises[at] = best_cluster(
            cols,
            cols.curve,
            codes,
            clusters,
            clusters.mixture,
            memory,
            i,
            np.inf,
            scratch,
            mix,
        )
        if stay:
            link(clusters, clusters.mixture, i, h)
            cover(cols, codes, clusters, i, h)
    return rises

"""The inner loops of the one-pass k-means algorithm (OKA).

Lin & Wei, "An efficient clustering method for k-anonymization", PAIS 2008, section 3.
"""

from __future__ import annotations

import numpy as np

from skanon.kernels.clustering.centers import ON_LINE, closest
from skanon.kernels.clustering.clusters import (
    cover,
    leave,
    link,
    reclose,
    unlink,
    without,
)
from skanon.kernels.core.columns import TOLERANCE
from skanon.kernels.core.curve import sensitive_scratch
from skanon.kernels.core.rows import sensitive_of
from skanon.kernels.jit import helper, inlined, kernel

# -------------------------------------------------------------------------- moving


@helper
def _move_center(clusters, centers, i, h, sign):
    """Move the centroid of cluster h, now that record i has come (1) or gone (-1)."""
    form, place = centers.form, centers.place
    total, mean, placed = centers.total, centers.mean, centers.placed
    size = clusters.size[h]
    for j in range(form.shape[0]):
        if form[j] != ON_LINE:
            continue
        if not np.isnan(place[i, j]):
            total[h, j] += sign * place[i, j]
            placed[h, j] += sign
        mean[h, j] = total[h, j] / size if placed[h, j] == size else np.nan


@helper
def _recenter(clusters, centers, h):
    """Compute the centroid of cluster h from its members."""
    total, placed = centers.total, centers.placed
    for j in range(total.shape[1]):
        total[h, j] = 0.0
        placed[h, j] = 0
    i = clusters.head[h]
    while i >= 0:
        _move_center(clusters, centers, i, h, 1)
        i = clusters.after[i]


@helper
def _settle(cols, codes, clusters, centers, i, h):
    """Put record i into cluster h."""
    link(clusters, clusters.mixture, i, h)
    cover(cols, codes, clusters, i, h)
    _move_center(clusters, centers, i, h, 1)


@helper
def _recompute(cols, codes, clusters, centers, h):
    """Compute the closure and the centroid of cluster h from its members."""
    reclose(cols, codes, clusters, h)
    _recenter(clusters, centers, h)


@kernel
def recompute(cols, codes, clusters, centers):
    """Compute the closures and the centroids of all clusters from their members."""
    for h in range(clusters.size.shape[0]):
        if clusters.size[h] > 0:
            _recompute(cols, codes, clusters, centers, h)


@helper
def _closest(cols, codes, sensitive, clusters, centers, i, most, scratch):
    """Find the first cluster of at most so many records that record i is closest to.

    Its distance from a cluster is that from the centroid, times the cluster's size.
    """
    return closest(
        cols,
        cols.curve,
        codes,
        sensitive,
        clusters.size,
        clusters.order,
        centers,
        i,
        most,
        True,
        scratch,
    )


@kernel
def visit(cols, codes, sensitive, clusters, centers, visits, k):
    """Put records, one after the other, into the clusters that they are closest to.

    Figure 1, lines 6 to 11; for records that are in no cluster figure 2, lines 9 to
    17. A record that is in a cluster leaves it first, unless it is alone there.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        Changed in place.
    centers : Centers
        Changed in place.
    visits : int32 (n_visits,)
        The records, in the order of their visits.
    k : int
        While there are clusters of fewer than k records, only they are candidates; 1
        makes all clusters candidates.

    Returns
    -------
    int
        How many records are in another cluster than before.
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    mix = sensitive_scratch(cols.curve)
    n = codes.shape[0]
    n_small = np.sum((clusters.size > 0) & (clusters.size < k))
    n_moved = 0
    for i in visits:
        own = clusters.label[i]
        if own >= 0:
            if clusters.size[own] == 1:
                continue
            without(cols, codes, clusters, i, scratch, mix)
            leave(cols, clusters, i, scratch)
            _move_center(clusters, centers, i, own, -1)
        most = k - 1 if n_small > 0 else n
        h = _closest(cols, codes, sensitive, clusters, centers, i, most, scratch)
        _settle(cols, codes, clusters, centers, i, h)
        n_small -= clusters.size[h] == k
        n_moved += h != own
    return n_moved


# --------------------------------------------------------------------- suppressing


@kernel
def _members(clusters, h):
    """List the records of cluster h, sorted."""
    members = np.empty(clusters.size[h], dtype=np.int32)
    i = clusters.head[h]
    for m in range(len(members)):
        members[m] = i
        i = clusters.after[i]
    return np.sort(members)


@inlined
def _dissolve(cols, codes, sensitive, clusters, centers, added, whole, h, scratch):
    """Suppress the first members of cluster h and move those added to it elsewhere.

    Returns its members, and by how much the summed loss falls.
    """
    n = codes.shape[0]
    members = _members(clusters, h)
    gain = clusters.size[h] * clusters.total[h]
    for i in members:
        unlink(clusters, clusters.mixture, i)
    for i in members:
        if not added[i]:
            gain -= whole[sensitive_of(cols.curve, sensitive, i)]
            continue
        g = _closest(cols, codes, sensitive, clusters, centers, i, n, scratch)
        gain += clusters.size[g] * clusters.total[g]
        _settle(cols, codes, clusters, centers, i, g)
        gain -= clusters.size[g] * clusters.total[g]
    return members, gain


@inlined
def _restore(cols, codes, clusters, centers, members, h):
    """Bring the members of cluster h back."""
    for i in members:
        g = clusters.label[i]
        if g >= 0 and g != h:
            unlink(clusters, clusters.mixture, i)
            _recompute(cols, codes, clusters, centers, g)
        link(clusters, clusters.mixture, i, h)
    _recompute(cols, codes, clusters, centers, h)


@kernel
def suppress_small(
    cols, codes, sensitive, clusters, centers, added, whole, chosen, budget
):
    """Suppress clusters that were small where that loses less than filling them up.

    The records that were added to such a cluster go to those that they are closest to.

    Parameters
    ----------
    cols : Columns
    codes : int32 (n, r)
    sensitive : int32 (n,)
    clusters : Clusters
        All of at least k records; changed in place.
    centers : Centers
        Changed in place.
    added : bool (n,)
        The records that the adjustment has moved.
    whole : float64 (n_sensitive,)
        What a suppressed record costs.
    chosen : int32 (n_chosen,)
        Clusters that were small, in the order in which they are tried.
    budget : int
        At most so many records are suppressed; -1: none is, all is only tried.

    Returns
    -------
    gain : float64 (n_chosen,)
        By how much the summed loss falls, or would fall.
    n_suppressed : int
    """
    scratch = np.zeros((1, clusters.state.shape[1]), dtype=np.int64)
    gains = np.zeros(len(chosen))
    n_suppressed = 0
    for at in range(len(chosen)):
        h = chosen[at]
        n_first = 0
        for i in _members(clusters, h):
            n_first += not added[i]
        if 0 <= budget < n_suppressed + n_first:
            continue
        members, gains[at] = _dissolve(
            cols, codes, sensitive, clusters, centers, added, whole, h, scratch
        )
        if budget < 0 or gains[at] <= TOLERANCE:
            _restore(cols, codes, clusters, centers, members, h)
        else:
            n_suppressed += n_first
    return gains, n_suppressed

"""The cheapest combination of levels at which a record is alike with k - 1 others."""

from __future__ import annotations

from skanon.kernels.clustering.full_domain import slot_of
from skanon.kernels.core.columns import TOLERANCE
from skanon.kernels.jit import kernel


@kernel
def take_cheapest(first, second, pairs, counts, k, paid, groups, least, found):
    """Look at combinations one after the other; keep what costs each record less.

    Parameters
    ----------
    first, second : uint64 (n_first, n), (n_second, n)
        Keys; see ``kernels.clustering.full_domain.publish``.
    pairs : int64 (n_pairs, 2)
        Rows of ``first`` and ``second``.
    counts : int64 (n,)
        How many records are of each kind.
    k : int
    paid : tuple of float64 (n_first, n), (n_second, n)
        What the combinations cost.
    groups : kernels.clustering.full_domain.Groups
    least : float64 (n,)
        What has been found to cost each kind least; changed in place.
    found : int64 (n, 2)
        Where that was; changed in place.
    """
    n = counts.shape[0]
    own, other = paid
    for pair in range(pairs.shape[0]):
        a, b = pairs[pair, 0], pairs[pair, 1]
        useful = False
        for i in range(n):
            if own[a, i] + other[b, i] < least[i] - TOLERANCE:
                useful = True
                break
        if not useful:
            continue
        groups.turn[0] += 1
        for i in range(n):
            key = first[a, i] + second[b, i]
            slot = slot_of(groups, key)
            if groups.used[slot] != groups.turn[0]:
                groups.used[slot] = groups.turn[0]
                groups.key[slot] = key
                groups.size[slot] = 0
            groups.size[slot] += counts[i]
            groups.place[i] = slot
        for i in range(n):
            cost = own[a, i] + other[b, i]
            if groups.size[groups.place[i]] >= k and cost < least[i] - TOLERANCE:
                least[i] = cost
                found[i, 0] = a
                found[i, 1] = b

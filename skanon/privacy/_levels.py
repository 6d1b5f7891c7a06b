"""What each class of a table achieves, from how sensitive values spread over it."""

from __future__ import annotations

import numpy as np

from skanon.privacy._sensitive import Spread

_MARGIN = 1 + 1e-12
"""What a strict inequality must be clear of, so that rounding cannot fulfil it."""


def frequency_diversity(spread: Spread) -> np.ndarray:
    """Divide 1 by the share of the most frequent value."""
    return spread.sizes / spread.greatest(spread.counts)


def distinct_diversity(spread: Spread) -> np.ndarray:
    """Count the values."""
    return np.diff(spread.starts, append=len(spread.counts))


def entropy_diversity(spread: Spread) -> np.ndarray:
    """Raise 2 to the entropy in bits."""
    shares = spread.shares
    return np.exp2(-spread.sums(shares * np.log2(shares)))


def recursive_diversity(spread: Spread, c: float) -> np.ndarray:
    """Give the greatest l with r_1 < c (r_l + ... + r_m); 1 where there is none."""
    order = np.lexsort((-spread.counts, spread.owners))
    counts = spread.counts[order]
    before = np.cumsum(counts) - counts
    before -= before[spread.starts][spread.owners]
    tails = spread.sizes[spread.owners] - before
    most = counts[spread.starts][spread.owners]
    kept = spread.sums((most * _MARGIN < c * tails).astype(np.int64))
    return np.maximum(kept, 1)


def greatest_share(spread: Spread, wanted: np.ndarray | None = None) -> np.ndarray:
    """Give the greatest share of any value, or of any wanted one."""
    shares = spread.shares
    if wanted is not None:
        shares = np.where(wanted[spread.values], shares, 0.0)
    return spread.greatest(shares)


def equal_distance(spread: Spread) -> np.ndarray:
    """Give the total variation between a class and the table."""
    excess = spread.shares - spread.frequencies[spread.values]
    return spread.sums(np.maximum(excess, 0.0))


def hierarchical_distance(spread: Spread, nodes: list[np.ndarray]) -> np.ndarray:
    """Average the total variations at the levels below the root.

    It equals the sum over the nodes N of height(N) / H times the smaller one of what
    flows between the children of N, since at each level what does not flow within the
    nodes is the total variation between them.

    Parameters
    ----------
    spread : Spread
    nodes : list of ndarray of int64, shape (n_values,)
        For each level between the values and the root, the node above each value.
    """
    total = equal_distance(spread)
    for node in nodes:
        total += equal_distance(_merge(spread, node))
    return total / (1 + len(nodes))


def ordered_distance(spread: Spread) -> np.ndarray:
    """Give the earth mover's distance between ranks, scaled to 0..1.

    The values are numbered in their order. The distance is the sum over the values of
    the difference of the two cumulative shares. A class's share is constant between
    two of its values, and the table's only grows, so that the sum of a stretch has a
    closed form, given where the table's share exceeds the class's.
    """
    n_values = len(spread.totals)
    if n_values == 1:
        return np.zeros(len(spread.sizes))
    cumulated = np.cumsum(spread.totals)
    n = cumulated[-1]
    areas = np.concatenate([[0], np.cumsum(cumulated[:-1])]) / n
    counts = np.cumsum(spread.counts)
    before = counts[spread.starts] - spread.counts[spread.starts]
    share = (counts - before[spread.owners]) / spread.sizes[spread.owners]
    ends = np.append(spread.values[1:], n_values - 1)
    ends[np.append(spread.starts[1:], len(ends)) - 1] = n_values - 1
    crossing = np.searchsorted(cumulated / n, share, side="right")
    crossing = np.clip(crossing, spread.values, ends)
    stretch = (
        share * (2 * crossing - spread.values - ends)
        + areas[spread.values]
        + areas[ends]
        - 2 * areas[crossing]
    )
    ahead = areas[spread.values[spread.starts]]
    return np.maximum(spread.sums(stretch) + ahead, 0.0) / (n_values - 1)


def basic_likeness(spread: Spread) -> np.ndarray:
    """Give the greatest relative gain of a value's share."""
    return np.maximum(spread.greatest(_gains(spread)), 0.0)


def enhanced_likeness(spread: Spread) -> np.ndarray:
    """Give the same, infinite where a gain exceeds -ln of the value's frequency."""
    gains = _gains(spread)
    limits = -np.log(spread.frequencies[spread.values])
    gains = np.where(gains > limits * _MARGIN, np.inf, gains)
    return np.maximum(spread.greatest(gains), 0.0)


def disclosed(spread: Spread, absent: bool) -> np.ndarray:
    """Give the greatest |ln| of a value's share over its frequency.

    Parameters
    ----------
    spread : Spread
    absent : bool
        Whether a value that is absent from a class counts, which is infinite.
    """
    ratios = spread.shares / spread.frequencies[spread.values]
    found = spread.greatest(np.abs(np.log(ratios)))
    if absent:
        found[distinct_diversity(spread) < len(spread.totals)] = np.inf
    return found


def _gains(spread: Spread) -> np.ndarray:
    return spread.shares / spread.frequencies[spread.values] - 1


def _merge(spread: Spread, node: np.ndarray) -> Spread:
    """Count the nodes of a level instead of the values."""
    n_nodes = int(node.max()) + 1
    keys, into = np.unique(
        spread.owners * n_nodes + node[spread.values], return_inverse=True
    )
    counts = np.bincount(into, weights=spread.counts)
    owners = keys // n_nodes
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    totals = np.bincount(node, weights=spread.totals, minlength=n_nodes)
    return Spread(owners, keys % n_nodes, counts, starts, spread.sizes, totals)

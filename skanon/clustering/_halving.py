"""Groups of records that are halved level by level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

CHUNK = 200_000
"""Groups of about so many records are halved in one compiled call; Ctrl+C is heard."""


class Groups:
    """All records in one group at first; the halves stand where their group stood.

    Parameters
    ----------
    n : int
        The number of records.
    random_state : RandomState
        Each level's records come in an order of their own.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Each record's group.
    sizes : ndarray of int64, shape (n_groups,)
    closed : ndarray of bool, shape (n_groups,)
        Groups that could not be halved.
    """

    def __init__(self, n: int, random_state: np.random.RandomState) -> None:
        self.labels = np.zeros(n, dtype=np.int32)
        self.sizes = np.array([n])
        self.closed = np.zeros(1, dtype=bool)
        self._random_state = random_state

    def shuffled(self) -> tuple[np.ndarray, np.ndarray]:
        """List the records group by group, each group's in a random order.

        Returns
        -------
        members : ndarray of int32, shape (n,)
        start : ndarray of int64, shape (n_groups + 1,)
            Group g's records are ``members[start[g]:start[g + 1]]``.
        """
        from skanon.kernels.clustering.halving import bucket

        order = self._random_state.permutation(len(self.labels)).astype(np.int32)
        return bucket(self.labels, order, len(self.sizes))

    def halve(self, chosen: np.ndarray, half: np.ndarray) -> None:
        """Put two halves in the places of groups.

        Parameters
        ----------
        chosen : ndarray of int64, shape (n_chosen,)
            The groups; each gets as many halves as it has: one only closes it.
        half : ndarray of int8, shape (n,)
            0 or 1 for each record of these groups.
        """
        is_chosen = np.zeros(len(self.sizes), dtype=bool)
        is_chosen[chosen] = True
        upper = is_chosen[self.labels] & (half == 1)
        n_upper = np.bincount(self.labels[upper], minlength=len(self.sizes))
        is_halved = (n_upper > 0) & (n_upper < self.sizes)
        self.closed |= is_chosen & ~is_halved
        parts = 1 + is_halved
        place = np.cumsum(parts) - parts
        upper &= is_halved[self.labels]
        self.labels = (place[self.labels] + upper).astype(np.int32)
        self.closed = np.repeat(self.closed, parts)
        self.sizes = np.bincount(self.labels, minlength=len(self.closed))

    def chunks(self, chosen: np.ndarray) -> Iterator[np.ndarray]:
        """Cut groups into runs that are halved in one compiled call."""
        run = np.cumsum(self.sizes[chosen]) // CHUNK
        yield from np.split(chosen, np.flatnonzero(np.diff(run)) + 1)

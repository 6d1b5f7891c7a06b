"""Any set of values."""

from __future__ import annotations

import numpy as np

from skanon._table.domain import Domain
from skanon.hierarchies._base import SUBSET, BoundHierarchy, Hierarchy
from skanon.hierarchies._text import quoted


class Subsets(Hierarchy):
    """Every set of the column's values, written ``{a, b}``.

    The closure of a cluster is the set of its values, the finest that there is; with a
    missing value among others in it, it is ``*``. The set of all values is ``*``, too.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> frame = pd.DataFrame({"job": ["cook", "baker", "nurse", "nurse"]})
    >>> anonymizer = KAnonymizer(k=2, hierarchies={"job": Subsets()}, random_state=0)
    >>> anonymizer.fit_transform(frame)["job"].tolist()
    ['{baker, cook}', '{baker, cook}', 'nurse', 'nurse']
    """

    word = "subsets"

    def bind(self, domain: Domain) -> BoundSubsets:
        """Fit to a column; any column will do."""
        return BoundSubsets(domain)


class BoundSubsets(BoundHierarchy):
    """Sets over the distinct values: a state is a bit set in 64-bit words."""

    form = SUBSET

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain, len(domain))
        self.width = (self.n_codes + 63) // 64

    def members(self, state: np.ndarray) -> np.ndarray:
        """List the codes whose bits are set."""
        words = np.ascontiguousarray(state).astype("<u8").view(np.uint8)
        return np.flatnonzero(np.unpackbits(words, bitorder="little")[: self.n_codes])

    def covers(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Tell whether the codes' bits are set."""
        words = states[np.arange(len(codes)), codes // 64]
        return (words >> (codes.astype(np.int64) % 64)) & 1 == 1

    def _name(self, state: np.ndarray, members: np.ndarray) -> str:
        return "{" + ", ".join(quoted(self._texts[code]) for code in members) + "}"

"""NCP, the normalized certainty penalty."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.losses._base import Loss, Measure
from skanon.losses._terms import LENGTH, term


class NCP(Loss):
    """Normalized certainty penalty: how long a range an entry may lie in.

    An entry of an ordered column (numbers, dates, ordered categories) that was
    generalized to ``[low, high]`` costs (high - low) / (the column's range), also where
    a taxonomy's node stands for that range. Values without an order, and sets, count
    as if they lay one apart: (size - 1) / (m - 1). Categories that an ordered column
    does not hold add no length. Averaged over records and columns
    it is the global certainty penalty (GCP), 0 to 1.

    Parameters
    ----------
    weights : mapping from column to float, or None
        The paper's ``w_i``, relative to their sum; 1 where not named.

    References
    ----------
    He et al., "Clustering-based k-anonymity", PAKDD 2012, definition 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> ages = pd.DataFrame({"age": [20, 21, 58, 60]})
    >>> anonymizer = KAnonymizer(k=2, loss=NCP(), random_state=0).fit(ages)
    >>> round(anonymizer.information_loss_, 4)
    0.0375
    """

    word = "ncp"
    summary = "NCP: how wide ranges are"
    position = 1
    measures = (
        Measure(
            "global_certainty_penalty",
            "GCP, global certainty penalty",
            "share of a column's range, 0 to 1",
        ),
        Measure(
            "normalized_certainty_penalty",
            "NCP, normalized certainty penalty",
            "the same, summed over all entries",
            summed=True,
        ),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost the relative length of every permissible subset."""
        return term(LENGTH)

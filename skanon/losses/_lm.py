"""LM, the loss metric."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.losses._base import Loss, Measure
from skanon.losses._terms import SIZE, term


class LM(Loss):
    """Loss metric: how many values an entry may stand for, among all.

    An entry that was generalized to a subset of size s of a column's m values costs
    (s - 1) / (m - 1). The column's values are its hierarchy's leaves, or the distinct
    values that it holds where the hierarchy has none of its own; a missing value
    counts as one.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 3, equation (3).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> sexes = pd.DataFrame({"sex": ["f", "m", "m", "f"], "age": [30, 30, 40, 50]})
    >>> KAnonymizer(k=2, loss=LM(), random_state=0).fit(sexes).information_loss_
    0.375
    """

    word = "lm"
    summary = "LM: how many values a published one may stand for"
    position = 0
    measures = (
        Measure("loss_metric", "LM, loss metric", "share of a column's values, 0 to 1"),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost (size - 1) / (m - 1) for every permissible subset."""
        return term(SIZE)

"""A penalty for mixing sensitive values."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.losses._base import Loss
from skanon.losses._terms import N_TERMS


class ClassPenalty(Loss):
    """Class penalty: which records are not of their cluster's most frequent class.

    A record costs 1 where its sensitive value (the class label that others are to
    learn) is not the most frequent one among the records that it is published with: the
    average is the classification metric (CM). Add it to a loss of the quasi-
    identifiers, with a factor that says how much it counts, as in ``IL() + 0.5 *
    ClassPenalty()``.

    The class is ``y``, or the only ``sensitive`` column, with at most 1,000 different
    values.

    Notes
    -----
    It is not 0 for an original table that has equal records of different classes.
    A suppressed record costs 1. Clusters that come out with the same closure are one
    class and are counted as one; while an algorithm searches, they are still two.

    References
    ----------
    Byun et al., "Efficient k-anonymization using clustering techniques", DASFAA 2007,
    section 3.4: there a record that joins a cluster whose majority it is not of
    adds ``classPenalty`` to the summed loss. So it does here. The paper's losses are
    sums over the columns, ours are averages, so that its penalty is ours times the
    number of columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> from skanon.losses import LM, ClassPenalty
    >>> people = pd.DataFrame({"age": [20, 21, 22, 23]})
    >>> loss = LM() + ClassPenalty()
    >>> anonymizer = KAnonymizer(k=2, loss=loss, random_state=0)
    >>> anonymizer.fit_transform(people, ["a", "b", "a", "b"])["age"].tolist()
    ['[20, 22]', '[21, 23]', '[20, 22]', '[21, 23]']
    """

    uses_sensitive = True
    slowness = 4
    by_column = False

    def __init__(self) -> None:
        super().__init__()

    @property
    def penalty(self) -> float:
        """What a record pays whose sensitive value is in the minority."""
        return 1.0

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost nothing by column."""
        return np.zeros(N_TERMS)

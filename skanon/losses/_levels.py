"""Losses that count a taxonomy's levels: the tree measure and IL."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.hierarchies._base import INTERVAL
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.losses._base import Loss, Measure
from skanon.losses._terms import HEIGHT, LENGTH, LEVEL, term


class TreeMeasure(Loss):
    """Tree measure: how far up its taxonomy an entry was generalized.

    An entry that was generalized to a node of level l, in a taxonomy of height h, costs
    l / h; leaves have level 0. Levels are those of the table that the taxonomy is made
    of, as domains are generalized one after the other there: a value that is its own
    group on lower levels has not climbed yet, but its group on level 3 costs 3 / h. A
    node that stands for the same values on several levels counts with the lowest of
    them, and one that covers everything, which is published as ``*``, with the highest.
    Intervals and sets have no taxonomy; like
    suppression, they cost 0 where a value stayed whole and 1 otherwise. A missing
    value is a leaf under the root.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Aggarwal et al., "Approximation algorithms for k-anonymity", Journal of Privacy
    Technology (2005), as told by Gionis, Mazza & Tassa, "k-Anonymization revisited",
    ICDE 2008, section IV.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> towns = pd.DataFrame({"town": ["Bern", "Basel", "Bonn", "Bern"]})
    >>> tree = {"CH": ["Bern", "Basel"], "DE": ["Bonn"]}
    >>> anonymizer = KAnonymizer(
    ...     k=4, hierarchies={"town": {"Europe": tree}}, loss=TreeMeasure()
    ... )
    >>> anonymizer.fit(towns).information_loss_
    1.0
    """

    word = "tree"
    summary = "Tree: how many levels values climb"
    position = 2
    measures = (
        Measure("tree_measure", "tree measure", "share of a taxonomy's height, 0 to 1"),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost level / height for every node."""
        return term(LEVEL)


class ByunInformationLoss(Loss):
    """Information loss of k-member clustering: ranges of numbers, levels of categories.

    An entry of a column of intervals that was generalized to ``[low, high]`` costs
    (high - low) / (the column's range), as in :class:`NCP`. An entry of a column with
    a taxonomy costs (height of the tree below the node) / (height of the taxonomy),
    also where the values are numbers: a group of leaves costs the same wherever it
    stands. Nodes that stand for the same values are one. Sets count as if the column
    had the flat taxonomy: 0 for a single value and 1 for others. Averaged over records
    and columns, it is the paper's Total-IL, divided by the number of entries.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Byun et al., "Efficient k-anonymization using clustering techniques", DASFAA 2007,
    definitions 2 to 6. The diversity D(P) of Lin & Wei, "An efficient clustering method
    for k-anonymization", PAIS 2008, section 2.1, is the same.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> ages = pd.DataFrame({"age": [20, 21, 58, 60]})
    >>> loss = ByunInformationLoss()
    >>> anonymizer = KAnonymizer(k=2, loss=loss, random_state=0).fit(ages)
    >>> round(anonymizer.information_loss_, 4)
    0.0375
    """

    word = "byun"
    summary = "IL: width and height"
    position = 3
    measures = (
        Measure(
            "byun_information_loss",
            "IL of k-member clustering",
            "shares of ranges and heights, summed over all entries",
            summed=True,
        ),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost lengths of intervals, and heights of everything else."""
        if isinstance(bound, BoundTaxonomy):
            return term(HEIGHT)
        return term(LENGTH if bound.form == INTERVAL else LEVEL)

"""Losses in bits: entropy, mutual information and private mutual information."""

from __future__ import annotations

import numpy as np

from skanon.hierarchies import BoundHierarchy
from skanon.losses._base import Loss, Measure
from skanon.losses._terms import ENTROPY, NONUNIFORM, SENSITIVE, term


class Entropy(Loss):
    """Entropy measure (EM): how uncertain a value is within what was published.

    An entry that was generalized to the subset R costs H(X | X in R), in bits (the
    logarithm's base is 2), where the column X is distributed as in the original table.
    It may fall as a subset grows: a frequent value beside rare ones leaves little
    doubt.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Gionis, Mazza & Tassa, "k-Anonymization revisited", ICDE 2008, definition 4.3.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> sexes = pd.DataFrame({"sex": ["f", "m", "m", "f"]})
    >>> KAnonymizer(k=4, loss=Entropy()).fit(sexes).information_loss_
    1.0
    """

    word = "entropy"
    summary = "Entropy: bits of uncertainty"
    position = 4
    measures = (
        Measure("entropy_loss", "EM, entropy measure", "bits not known of a value"),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost the entropy within every permissible subset."""
        return term(ENTROPY)


class MI(Loss):
    """Mutual information loss: how hard it is to guess the value that was generalized.

    An entry of value x that was generalized to the subset R costs -log2 Pr(X = x | X in
    R), in bits, where the column X is distributed as in the original table: the
    non-uniform entropy measure. Frequent values cost little, rare ones much.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 4, equations (7) to (10).

    Notes
    -----
    What a record pays for its own value's frequency does not depend on where it goes.
    The algorithms leave it out while they search; it is part of the figures.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> sexes = pd.DataFrame({"sex": ["f", "m", "m", "f"]})
    >>> KAnonymizer(k=4, loss=MI()).fit(sexes).information_loss_
    1.0
    """

    word = "mi"
    summary = "MI: bits lost, by frequency"
    position = 5
    measures = (
        Measure(
            "mutual_information_loss",
            "MI, mutual information loss",
            "bits to guess a value",
        ),
    )

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost log2 Pr(X in R), less what the record's own value has."""
        return term(NONUNIFORM)


class PMI(Loss):
    """Private mutual information loss: how hard it is to guess the sensitive value.

    An entry that was generalized to the subset R costs -log2 Pr(Y = y | X in R), in
    bits, where y is the record's sensitive value and X and Y are distributed as in the
    original table; what the original table costs is taken off. So the loss is 0 for
    the original table, and below 0 where generalization makes what the public columns
    tell of the sensitive one clearer. It may fall as subsets grow.

    The sensitive attribute is ``y``, or the only ``sensitive`` column, with at most
    1,000 different values.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 5, equations (11) to (14); relative to the
    original table as in section 5.1 and in the gc of section 6.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> people = pd.DataFrame({"age": [20, 21, 22, 60, 61, 62]})
    >>> ill = ["no", "no", "no", "yes", "yes", "yes"]
    >>> anonymizer = KAnonymizer(k=3, loss=PMI(), random_state=0)
    >>> anonymizer.fit_transform(people, ill)["age"].unique().tolist()
    ['[20, 22]', '[60, 62]']
    """

    word = "pmi"
    summary = "PMI: bits lost about the sensitive attribute"
    position = 6
    uses_sensitive = True

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost how uncertain the record's sensitive value is within a subset."""
        return term(SENSITIVE)

"""Losses in bits: entropy, mutual information and private mutual information."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import numpy as np

from skanon._parameters import check_option
from skanon.hierarchies import BoundHierarchy
from skanon.losses._base import Loss, Measure, check_column_weights
from skanon.losses._terms import ENTROPY, NONUNIFORM, SENSITIVE, term

NORMS = ("l1", "l2", "max")
"""How what the columns tell is brought into one figure."""


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

    The sensitive attribute is ``y``, or else the ``sensitive`` column. Of several, each
    combination of their values counts as one value (the paper's footnote 1). There may
    be 1,000 different values.

    Parameters
    ----------
    weights : mapping from column to float, or None
        How much each quasi-identifier counts; 1 where not named.
    norm : {"l1", "l2", "max"}, default="l1"
        How what the columns tell of the sensitive attribute is brought into one figure,
        whose fall is the loss: their average; the root of the sum of their squares over
        their number; or the most of them. See the notes for the latter two.

    Notes
    -----
    With ``"l2"`` and ``"max"`` the utility is no sum over records. Both norms are
    convex, so no tangent is ever above them: columns are weighted as the derivatives
    say, for ``"l2"`` by what they tell, for ``"max"`` the one column (of equals the
    first) that tells most, and all others cost nothing. The loss is the fall of the
    tangent; :func:`~skanon.metrics.private_mutual_information_score` measures the norm
    itself. What the columns of the original table tell is taken less what columns of so
    many values, m, and a sensitive attribute of s would tell by chance,
    (m - 1) (s - 1) / (2 n ln 2) bits (Miller & Madow): else it would be the numbers
    that nearly all records have for themselves, of which no release keeps anything.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 5, equations (11) to (16); relative to the
    original table as in section 5.1 and in the gc of section 6.1. They leave the norms
    of (15) and (16) for future study; the tangent is ours. Miller, "Note on the bias of
    information estimates", Information Theory in Psychology II-B (1955).

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
    slowness = 40

    def __init__(
        self, weights: Mapping[Hashable, float] | None = None, norm: str = "l1"
    ) -> None:
        check_option("norm", norm, NORMS)
        super().__init__(weights)
        self.norm = norm

    def settled(self, columns: list, information: Callable[[], np.ndarray]) -> Loss:
        """Weight the columns by the derivative of the norm."""
        if self.norm == "l1":
            return self
        scale = check_column_weights(self.weights, columns)
        scale = scale / scale.mean()
        told = scale * np.maximum(information(), 0.0)
        if not told.any():  # nothing but chance
            return PMI(self.weights)
        if self.norm == "max":
            slope = np.zeros(len(columns))
            slope[np.argmax(told)] = 1.0
        else:
            slope = told / np.sqrt((told**2).sum()) / len(columns)
        slope *= scale
        weights = dict(zip(columns, slope.tolist(), strict=True))
        return float(slope.sum()) * PMI(weights)

    def __repr__(self) -> str:
        given = [] if self.weights is None else [f"weights={dict(self.weights)!r}"]
        if self.norm != "l1":
            given.append(f"norm={self.norm!r}")
        return f"PMI({', '.join(given)})"

    def blend(self, bound: BoundHierarchy) -> np.ndarray:
        """Cost how uncertain the record's sensitive value is within a subset."""
        return term(SENSITIVE)

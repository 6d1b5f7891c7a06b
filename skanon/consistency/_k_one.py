"""Each released record may stand for k people, as Gionis, Mazza & Tassa propose."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import one_of
from skanon._problem import Problem
from skanon.consistency._base import ConsistencyAnonymizer
from skanon.consistency._steps import METHODS, join_others


class KOneAnonymizer(ConsistencyAnonymizer):
    """(k, 1)-anonymity: each released record generalizes at least k originals.

    Every record is joined with k - 1 others, and generalized until it covers them.
    Whoever looks up a record finds k people. But whoever looks up a person may find a
    single record, so this is not safe by itself, and a fit warns where that is so: use
    :class:`~skanon.KKAnonymizer`. What it loses is a bound of what any k-anonymous
    release by the same steps would lose.

    Parameters
    ----------
    k : int, default=5
        The least number of originals that a released record generalizes.
    quasi_identifiers : list of columns, or None
        The columns that others may know; None: all that are neither sensitive nor
        identifiers. Other columns pass through unchanged.
    hierarchies : mapping from column to hierarchy, or None
        What values may become: a :class:`~skanon.hierarchies.Hierarchy`, a nested
        dict, a path to a file, or ``"intervals"``, ``"suppression"`` or ``"subsets"``.
        By default numbers, dates and ordered categories become intervals, the rest is
        suppressed.
    loss : {"lm", "tree", "byun", "ncp", "entropy", "mi", "pmi"} or Loss, default="lm"
        What generalization costs; see :mod:`skanon.losses`. No ``ClassPenalty``.
    sensitive : column, list of columns, or None
        Sensitive attributes; None: ``y`` is the sensitive attribute.
    identifiers : column, list of columns, or None
        Columns that name people; they are dropped.
    encode : {"label", "representative", "bounds", "distribution"}, default="label"
        What is emitted; see :class:`~skanon.KAnonymizer`.
    random_state : ignored
        Nothing is random.
    n_jobs : int or None
        How many threads join records with others.
    verbose : int, default=0
        1 tells progress on the error stream.
    method : {"expansion", "neighbours", "optimal"}, default="expansion"
        Which others each record is joined with: one at a time, always the one that
        raises what it pays least (Algorithm 4), or its k - 1 nearest (Algorithm 3).
        The first loses less, in the paper and here; the second is faster.
        ``"optimal"``: of all generalized records that cover it and k - 1 others, each
        gets the cheapest. That is for taxonomies, and for small tables otherwise: all
        sets of k records are looked at, as the paper says that it could be done.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Which row of ``generalizations_`` each record is published as.
    generalizations_ : DataFrame of shape (n_generalizations, r)
        The different generalized records.
    n_consistent_releases_ : ndarray of int, shape (n,)
        For each original, how many released records generalize it.
    n_consistent_originals_ : ndarray of int, shape (n,)
        For each released record, how many originals it generalizes.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    What the paper leaves open: of records that raise the loss equally, those that the
    record covers already come first, then the first ones in the table; equal records
    are one after the other. Where a loss can fall as subsets grow (entropy, PMI), a
    record that lowers it is joined before those that cost nothing.

    Both algorithms look at all pairs of different records: time grows with their
    square, memory with their number.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, "k-Anonymization Revisited", ICDE 2008, section V-B,
    Algorithms 3 and 4.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [23, 24, 60, 61]})
    >>> KOneAnonymizer(k=2, loss="ncp").fit_transform(people)
            age
    0  [23, 24]
    1  [23, 24]
    2  [60, 61]
    3  [60, 61]
    """

    _model = "k_one"

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ConsistencyAnonymizer._parameter_rules,
        "method": one_of(METHODS),
    }

    def __init__(
        self,
        k=5,
        *,
        quasi_identifiers=None,
        hierarchies=None,
        loss="lm",
        sensitive=None,
        identifiers=None,
        encode="label",
        random_state=None,
        n_jobs=None,
        verbose=0,
        method="expansion",
    ):
        super().__init__(
            k,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            loss=loss,
            sensitive=sensitive,
            identifiers=identifiers,
            encode=encode,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.method = method

    def _generalize(self, problem: Problem) -> np.ndarray:
        return join_others(problem, self.method)

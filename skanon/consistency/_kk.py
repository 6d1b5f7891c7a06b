"""k records to a person and k people to a record: (k, k)-anonymity."""

from __future__ import annotations

import numpy as np

from skanon._problem import Problem
from skanon.consistency._k_one import KOneAnonymizer
from skanon.consistency._steps import widen_others


class KKAnonymizer(KOneAnonymizer):
    """(k, k)-anonymity: k records to each person, and k people to each record.

    Records need not be alike to hide each other, so this loses less than k-anonymity.
    Whoever looks up a person by all quasi-identifiers finds at least k released
    records, and whoever looks up a record finds at least k people. It does not guard
    against somebody who knows exactly who is in the table, and rules records out by
    giving each person one: for that, use :class:`~skanon.GlobalOneKAnonymizer` or a
    k-anonymous release.

    Parameters
    ----------
    k : int, default=5
        The least number of consistent records, both ways.
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
    n_widened_ : int
        How many times a released record was widened for an original.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    The coupling of Algorithm 4 (or 3) with Algorithm 5; :class:`~skanon.KOneAnonymizer`
    and :class:`~skanon.OneKAnonymizer` say what the paper leaves open.

    :meth:`transform` gives a record that was not fitted the published generalized
    record that costs it least, which need not generalize it. What is promised holds for
    the fitted table alone.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, "k-Anonymization Revisited", ICDE 2008, section V-B.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [23, 25, 27, 61]})
    >>> KKAnonymizer(k=2).fit_transform(people)
            age
    0  [23, 25]
    1  [23, 25]
    2  [25, 61]
    3  [27, 61]
    """

    _model = "kk"

    def _generalize(self, problem: Problem) -> np.ndarray:
        states = super()._generalize(problem)
        self.n_widened_ = widen_others(problem, states)
        return states

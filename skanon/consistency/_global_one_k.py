"""k matches to a person, whoever knows who is in the table: global (1, k)-anonymity."""

from __future__ import annotations

import numpy as np

from skanon._problem import Problem
from skanon.consistency._kk import KKAnonymizer
from skanon.consistency._matches import to_global


class GlobalOneKAnonymizer(KKAnonymizer):
    """Global (1, k)-anonymity: k records to a person even if all people are known.

    Somebody who knows exactly who is in the table, with all their quasi-identifiers,
    can rule out a record for a person where the others could not share out the rest.
    What is left are a person's matches. Here everybody has at least k of them, so this
    is as safe as k-anonymity, and loses less. It is also (k, k)-anonymous.

    Parameters
    ----------
    k : int, default=5
        The least number of matches of an original.
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
    n_matches_ : ndarray of int, shape (n,)
        For each original, how many of the records that generalize it are matches.
    n_widened_ : int
        How many times a released record was widened for an original, to get k
        consistent ones.
    n_matched_ : int
        How many times one was widened afterwards, to get k matches.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A (k, k)-anonymous release, as :class:`~skanon.KKAnonymizer` makes it, is widened by
    Algorithm 6. Where the paper tests each edge of the graph by a matching of its own,
    all are told at once here by the strongly connected components of a graph over the
    records, which are kept up to date from step to step.

    :meth:`transform` gives a record that was not fitted the published generalized
    record that costs it least, which need not generalize it. What is promised holds for
    the fitted table alone.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, "k-Anonymization Revisited", ICDE 2008, section V-C,
    Algorithm 6.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 22, 23, 24, 25]})
    >>> GlobalOneKAnonymizer(k=2).fit_transform(people)
            age
    0  [21, 22]
    1  [21, 22]
    2  [22, 24]
    3  [23, 25]
    4  [24, 25]
    """

    _model = "global_one_k"

    def _generalize(self, problem: Problem) -> np.ndarray:
        states = super()._generalize(problem)
        self.n_matched_ = to_global(problem, states)
        return states

"""Each person may be behind k released records, as Gionis, Mazza & Tassa propose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from skanon._base import BaseAnonymizer
from skanon._problem import Problem
from skanon._release.classes import check_feasible, one_label_each
from skanon.clustering import ClusteringAnonymizer
from skanon.consistency._base import ConsistencyAnonymizer, adopted, closed, unchanged
from skanon.consistency._steps import widen_others


class OneKAnonymizer(ConsistencyAnonymizer):
    """(1, k)-anonymity: each original is consistent with at least k released records.

    Goes through the originals, and widens the released records that it costs least to
    widen until k of them generalize the original. Whoever looks up a person finds k
    records. But whoever looks up a record may find a single person, so this is not safe
    by itself, and a fit warns where that is so: use :class:`~skanon.KKAnonymizer`.

    Parameters
    ----------
    k : int, default=5
        The least number of released records that generalize an original.
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
    random_state, n_jobs
        For ``algorithm``; the widening is neither random nor run side by side.
    verbose : int, default=0
        1 tells progress on the error stream.
    algorithm : anonymizer or None
        Makes the release that is widened, with a ``k`` of its own: any algorithm of
        :mod:`skanon.clustering` or :mod:`skanon.consistency`, unfitted. The other
        parameters that both have are given here. None: the records as they are.

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
        How many times a released record was widened.
    algorithm_ : BaseAnonymizer or None
        The anonymizer with its parameters.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    What the paper leaves open: originals are visited in the table's order, of rows that
    cost equally more the first ones are widened, and what a row costs is counted after
    all widenings so far.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, "k-Anonymization Revisited", ICDE 2008, section V-B,
    Algorithm 5.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KOneAnonymizer, OneKAnonymizer
    >>> people = pd.DataFrame({"age": [23, 25, 27, 61]})
    >>> OneKAnonymizer(k=2, algorithm=KOneAnonymizer(k=2)).fit_transform(people)
            age
    0  [23, 25]
    1  [23, 25]
    2  [25, 61]
    3  [27, 61]
    """

    _model = "one_k"

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ConsistencyAnonymizer._parameter_rules,
        "algorithm": [ClusteringAnonymizer, ConsistencyAnonymizer, None],
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
        algorithm=None,
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
        self.algorithm = algorithm

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self.algorithm_ = None
        if self.algorithm is not None:
            who, what = "The anonymizer", "the widening of its records does"
            self.algorithm_ = adopted(self.algorithm, self, _SHARED, who, what)

    def _generalize(self, problem: Problem) -> np.ndarray:
        states = self._begin(problem)
        self.n_widened_ = widen_others(problem, states)
        return states

    def _begin(self, problem: Problem) -> np.ndarray:
        if self.algorithm_ is None or self.algorithm_.k == 1:
            return unchanged(problem)
        check_feasible(self.algorithm_.k, len(problem.codes))
        problem = replace(problem, k=self.algorithm_.k)
        if isinstance(self.algorithm_, ConsistencyAnonymizer):
            return self.algorithm_._generalize(problem)
        labels = self.algorithm_._cluster(problem)
        return closed(problem, one_label_each(labels, len(problem.codes)))


_SHARED = [name for name in BaseAnonymizer._parameter_rules if name != "k"]

"""Greedy clustering up to a threshold (Loukides & Shao 2007)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import TRUTH, from_to, one_of
from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.schema import numbered
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._greedy_run import Greedy
from skanon.clustering._leftovers import (
    LeftoverAssignment,
    check_may_suppress,
    may_suppress,
    worst_first,
)
from skanon.clustering._one_pass_run import spans
from skanon.exceptions import InfeasibleError, ParameterError


class ThresholdGreedyAnonymizer(ClusteringAnonymizer):
    """k-anonymity by clusters that grow up to a threshold: outliers stay outside.

    A random record that is still free begins a cluster. The cluster takes in the record
    that raises the summed loss least, again and again, as long as its diversity stays
    within a threshold; then the next begins. At the end clusters of fewer than k
    records are deleted: their records join other clusters, or are suppressed.

    Parameters
    ----------
    k : int, default=5
        The least number of records that share their generalized quasi-identifiers.
    quasi_identifiers : list of columns, or None
        The columns that others may know; None: all that are neither sensitive nor
        identifiers. Other columns pass through unchanged.
    hierarchies : mapping from column to hierarchy, or None
        What values may become: a :class:`~skanon.hierarchies.Hierarchy`, a nested
        dict, a path to a file, or ``"intervals"``, ``"suppression"`` or ``"subsets"``.
        By default numbers, dates and ordered categories become intervals, the rest is
        suppressed.
    loss : {"lm", "tree", "byun", "ncp", "entropy", "mi", "pmi"} or Loss, default="lm"
        What generalization costs; see :mod:`skanon.losses`.
    constraints : list of Constraint, default=()
        What each class must keep beyond k, such as ``[LDiversity(2)]``; see
        :mod:`skanon.constraints`.
    sensitive : column, list of columns, or None
        Sensitive attributes; None: ``y`` is the sensitive attribute.
    identifiers : column, list of columns, or None
        Columns that name people; they are dropped.
    encode : {"label", "representative", "bounds", "distribution"}, default="label"
        What is emitted: text for people; a typical value of the column's own dtype;
        the low and high end of numbers and dates; or what a classifier can use best:
        shares of the categories, and mean and width of ranges.
    max_suppression : float, default=0.0
        The largest part of the records that may be suppressed (``*`` everywhere)
        where that lowers the loss, or where ``small`` asks for it; a suppressed record
        costs as much as can be.
    suppressed : {"keep", "blank", "drop"}, default="keep"
        What becomes of suppressed records; see :class:`~skanon.KAnonymizer`.
    refine : int, default=0
        How often the refinement visits each cluster after the algorithm: it clusters
        pools of near clusters anew and keeps what loses less, under all constraints.
        0, as in the paper, leaves it out.
    on_interrupt : {"raise", "release"}, default="raise"
        What Ctrl+C does during the refinement: undo the fit, or take the best release
        so far, which is checked like any other.
    random_state : int, RandomState or None
        The first records of the clusters are random.
    n_jobs : int or None
        Not used: one thread does the work.
    verbose : int, default=0
        1 tells each tenth of the records on the error stream.
    threshold : float, default=0.1
        The most that a cluster's diversity may be: what its records pay on average, as
        part of what it costs on average to suppress a record. A smaller one gives
        smaller clusters, of which more have fewer than k records.
    small : {"reassign", "suppress", "delete"}, default="reassign"
        What becomes of the records of clusters with fewer than k. ``"reassign"``: they
        join the clusters whose summed loss they raise least. ``"suppress"``: as many as
        ``max_suppression`` allows are suppressed, those first that would raise the
        summed loss most; the others are reassigned. ``"delete"``: they are suppressed,
        all of them and no other record.
    overshoot : bool, default=False
        Whether the record that makes a cluster's diversity exceed the threshold stays
        in it, as its last one. So Lin & Wei tell it; word for word, their algorithm is
        ``overshoot=True, small="delete", max_suppression=1.0,
        suppressed="drop"``.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Each record's equivalence class; -1 where it is suppressed.
    class_sizes_ : ndarray of int, shape (n_classes_,)
    n_classes_ : int
    generalizations_ : DataFrame of shape (n_classes_, r)
        What each class publishes.
    suppressed_ : ndarray of bool, shape (n,)
    information_loss_ : float
        The loss of the release; 0 for the original table.
    column_losses_ : dict from column to float
        The same, by quasi-identifier and without weights.
    hierarchies_ : dict from column to Hierarchy
        The hierarchies that were used.
    unchanged_ : Unchanged
        As in :class:`~skanon.KAnonymizer`.
    n_small_ : int
        How many records were in clusters of fewer than k; of the second try, if records
        could be suppressed and there was one. Where it is large, try a larger
        threshold.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A fitted anonymizer holds the fitted records, so it is as confidential as the
    table; :meth:`forget` gives a copy without them.

    The diversity is the loss of the cluster's records per record, above what they cost
    alone, which is nothing but for ``"mi"`` and ``"pmi"``. With the loss ``"byun"`` it
    is the D(P) of Lin & Wei's section 2.1, divided by the number of columns.

    Lin & Wei tell that records are added until the diversity exceeds the threshold.
    Unless ``overshoot`` is set, the record that would make it exceed the threshold is
    not added, so that all clusters keep to it until others are reassigned to them. They
    tell that small
    clusters are deleted. So their records do not become free again, and are suppressed
    or reassigned only when all clusters have grown; that happens in the table's order.
    Where no cluster has k records, all records are one cluster, unless they are
    deleted. Of equals the first
    record in the table, or the first cluster, is taken.

    References
    ----------
    Loukides & Shao, "Capturing data usefulness and privacy protection in
    k-anonymisation", SAC 2007, as described by Lin & Wei, "An efficient clustering
    method for k-anonymization", PAIS 2008, section 2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bonn"]}
    ... )
    >>> anonymizer = ThresholdGreedyAnonymizer(k=2, threshold=0.2, random_state=0)
    >>> anonymizer.fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]  Bonn
    3  [61, 64]  Bonn
    """

    word = "threshold_greedy"
    title = "Threshold greedy"
    summary = "Grows classes of records that are near enough."
    position = 10
    seconds, growth = 5.5, 1.5

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "threshold": from_to(0, 1),
        "small": one_of({"reassign", "suppress", "delete"}),
        "overshoot": TRUTH,
    }

    def __init__(
        self,
        k=5,
        *,
        quasi_identifiers=None,
        hierarchies=None,
        loss="lm",
        constraints=(),
        sensitive=None,
        identifiers=None,
        encode="label",
        max_suppression=0.0,
        suppressed="keep",
        refine=0,
        on_interrupt="raise",
        random_state=None,
        n_jobs=None,
        verbose=0,
        threshold=0.1,
        small="reassign",
        overshoot=False,
    ):
        super().__init__(
            k,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            loss=loss,
            constraints=constraints,
            sensitive=sensitive,
            identifiers=identifiers,
            encode=encode,
            max_suppression=max_suppression,
            suppressed=suppressed,
            refine=refine,
            on_interrupt=on_interrupt,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.threshold = threshold
        self.small = small
        self.overshoot = overshoot

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.small != "reassign":
            check_may_suppress(f"small={self.small!r}", self.max_suppression)
        if self.small == "delete" and self.suppressed == "keep":
            raise ParameterError(
                "small='delete' takes records out whatever their number, but with "
                "suppressed='keep' they would stay in the release by themselves. Use "
                "suppressed='drop', or small='suppress'."
            )

    def _outliers_allowed(self) -> float:
        return 0.0 if self.small == "delete" else super()._outliers_allowed()

    def _cluster(self, problem: Problem) -> np.ndarray:
        greedy = Greedy(problem)
        whole = spans(problem.schema).sum() + problem.schema.penalty
        order = problem.random_state.permutation(len(problem.codes)).astype(np.int32)
        greedy.grow(order, self.threshold * whole, bool(self.overshoot))
        large = np.bincount(greedy.labels) >= problem.k
        labels, _ = numbered(np.where(large[greedy.labels], greedy.labels, -1))
        small = np.flatnonzero(labels < 0)
        self.n_small_ = len(small)
        progress(
            problem.verbose,
            f"{large.sum()} clusters, and {len(small)} records in "
            f"{len(large) - large.sum()} clusters that are too small",
        )
        if not len(small):
            return labels
        return self._place(problem, labels, small, greedy.order)

    def _place(
        self, problem: Problem, labels: np.ndarray, small: np.ndarray, order: np.ndarray
    ) -> np.ndarray:
        """Suppress or reassign the records of small clusters."""
        budget = 0
        if self.small != "reassign":
            budget = may_suppress(problem, self.max_suppression)
        if len(small) <= budget:
            return labels
        if self.small == "delete":
            needed = np.ceil(100 * len(small) / len(labels)) / 100
            raise InfeasibleError(
                f"{len(small)} of {len(labels)} records are in clusters of fewer than "
                f"k={problem.k}, and max_suppression={self.max_suppression} allows to "
                f"delete {budget}. Set max_suppression to {needed:g} or more, or "
                "another threshold, or small='suppress', which reassigns the others."
            )
        if len(small) == len(labels):  # there is no cluster to go to
            return np.zeros(len(labels), dtype=np.int32)
        assignment = LeftoverAssignment(problem, labels, order)
        if budget:
            schema = problem.schema
            suppressed = schema.suppressed.sum(axis=0) + schema.penalty
            excess = assignment.rises(small) - suppressed[problem.sensitive[small]]
            small = np.delete(small, worst_first(excess, np.zeros_like(small))[:budget])
        assignment.take(small)
        return assignment.labels

"""The one-pass k-means algorithm, OKA (Lin & Wei 2008)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import TRUTH, at_least
from skanon._problem import Problem
from skanon._progress import progress
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._leftovers import check_may_suppress, may_suppress
from skanon.clustering._one_pass_run import Means


class OnePassKMeansAnonymizer(ClusteringAnonymizer):
    """k-anonymity by one pass of k-means (OKA): all clusters at once, fast.

    ``n // k`` random records are the first of as many clusters. The others come in
    sorted order, and each joins the cluster that it is closest to: its distance from
    the cluster's centroid, times the cluster's size. The centroid follows at once.
    Then the clusters are adjusted: those of more than k lose the records furthest from
    their centroids, and these join, in random order, the closest of the clusters that
    have fewer than k, and when there are no such any more, the closest of all.

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
        What generalization costs; see :mod:`skanon.losses`. The centroids
        and distances do not follow it in all; see the notes.
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
        where that lowers the loss; a suppressed record costs as much as can be.
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
        The first records are random, and so is the order of those that move.
    n_jobs : int or None
        Not used: one thread does the work.
    verbose : int, default=0
        1 tells each step on the error stream.
    n_passes : int, default=1
        The most passes over the records. From the second on, each record leaves its
        cluster, unless it is alone there, and joins the closest; a pass in which none
        ends up elsewhere is the last.
    suppress_small : bool, default=False
        Whether the records of a cluster that was small before the adjustment are
        suppressed, within ``max_suppression``, where that loses less than to fill it
        up.

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
    n_iter_ : int
        Passes over the records; of the second try, if records could be suppressed and
        there was one.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A fitted anonymizer holds the fitted records, so it is as confidential as the
    table; :meth:`forget` gives a copy without them.

    In a column of intervals the centroid is the mean of the values (dates and ordered
    categories have their places on a line, too), and a record's distance from it is
    their difference, as part of the column's range; where a missing value meets
    others, it is the whole range. In other columns the centroid is the closure, the
    lowest common ancestor in a tree, and the distance is by how much the closure of
    both costs the record more than its own value (section 2.1: the diversity of the
    two); where that is a fall, as may be with ``"entropy"`` and ``"pmi"``, 0. A range
    weighs as much as it costs on average to suppress the column. A class penalty has
    no part in the distances.

    Where the paper leaves a choice: records are sorted by the first column, then the
    second, and so on. Of equals the first cluster is the closest, and the first record
    the furthest. Records are sorted by their distance from the centroid once, as figure
    2 has it, before the first of them is removed; wherever else a centroid is asked
    for, it is that of the records that a cluster has at the time.

    Section 5 suggests more passes and to suppress small clusters, without saying how.
    With ``suppress_small``, the adjustment is done first. Then, for each cluster that
    was small, what it costs is compared with what it costs to suppress its first
    members and to move those that were added to the closest other clusters; the
    clusters where the loss falls most come first.

    References
    ----------
    Lin & Wei, "An efficient clustering method for k-anonymization", PAIS 2008, section
    3, figures 1 and 2, and section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> OnePassKMeansAnonymizer(k=2, random_state=0).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "one_pass_k_means"
    title = "One-pass k-means"
    summary = "Assigns each record to the nearest centre once."
    position = 9
    seconds, growth = 2.6, 1.5

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "n_passes": at_least(1),
        "suppress_small": TRUTH,
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
        n_passes=1,
        suppress_small=False,
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
        self.n_passes = n_passes
        self.suppress_small = suppress_small

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.suppress_small:
            check_may_suppress("suppress_small=True", self.max_suppression)

    def _cluster(self, problem: Problem) -> np.ndarray:
        n = len(problem.codes)
        seeds = problem.random_state.permutation(n)[: n // problem.k]
        means = Means(problem, seeds)
        self._pass(problem, means)
        small = means.small()
        removed = means.trim()
        progress(
            problem.verbose,
            f"{len(small)} clusters are small, {len(removed)} records leave others",
        )
        means.visit(problem.random_state.permutation(removed), fill=True)
        budget = may_suppress(problem, self.max_suppression)
        if self.suppress_small and budget:
            n_suppressed = means.suppress(small, removed, budget)
            progress(
                problem.verbose, f"{n_suppressed} records of small clusters suppressed"
            )
        return means.labels

    def _pass(self, problem: Problem, means: Means) -> None:
        """Pass over the records, in sorted order, until none moves any more."""
        records = np.lexsort(problem.codes.T[::-1])
        means.visit(records[means.labels[records] < 0])
        progress(problem.verbose, "pass 1: all records are in clusters")
        self.n_iter_ = 1
        n_moved = 1
        while n_moved and self.n_iter_ < self.n_passes:
            n_moved = means.visit(records)
            self.n_iter_ += 1
            progress(problem.verbose, f"pass {self.n_iter_}: {n_moved} records moved")

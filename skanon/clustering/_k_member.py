"""Greedy k-member clustering (Byun et al. 2007)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import one_of
from skanon._problem import Problem
from skanon._progress import progress
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._greedy_run import Greedy
from skanon.clustering._leftovers import LeftoverAssignment


class KMemberAnonymizer(ClusteringAnonymizer):
    """k-anonymity by k-member clustering: compact clusters of k, one after the other.

    The first cluster begins with a random record, each further one with the record
    that is furthest from the first record of the cluster before. A cluster takes in
    the record that raises the summed loss least, until it has k. The fewer than k
    records that are left at the end join the clusters whose summed loss they raise
    least, so that no cluster has more than 2k - 1.

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
        The first record is random, and so is the order of those that are left over.
    n_jobs : int or None
        Not used: one thread does the work.
    verbose : int, default=0
        1 tells each tenth of the records on the error stream.
    furthest_from : {"first", "last"}, default="first"
        Each cluster begins with the record that is furthest from the first record of
        the cluster before, as section 3.3 tells it; or from the record that was added
        last, and the first cluster with that furthest from a random one, as figure 5
        has it word for word.
    closest_to : {"cluster", "first"}, default="cluster"
        Each cluster takes in the record that raises its loss least, as in the paper; or
        the k - 1 records that are closest to its first one, as Goldberger & Tassa
        (2010, section 6.2.1, equation 21) tell it. That loses far more.

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
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A fitted anonymizer holds the fitted records, so it is as confidential as the
    table; :meth:`forget` gives a copy without them.

    The paper's loss is ``"byun"``. Any other will do: the distance of two records is
    the rise of the summed loss if they are united (for ``"byun"`` that is twice the
    paper's definition 4), and so is what a record adds to a cluster. Each record counts
    from what it costs alone, which is nothing but for ``"mi"`` and ``"pmi"``.

    Section 3.4 makes a record cost a class penalty where it joins a cluster whose
    majority has another class. That is what the loss ``IL() + w * ClassPenalty()``
    does: it lowers the classification metric at the price of some loss of the
    quasi-identifiers. As it is part of the loss, it is part of all distances here,
    while the paper changes the choice of the best record alone. Where two classes are
    equally frequent in a cluster, a record of either costs nothing.

    Where the paper leaves a choice: figure 5 overwrites the record r that the next
    cluster is to be furthest from by the last one taken in, and begins with the record
    furthest from a random one. The text of section 3.3 says that the first cluster is
    a random record's, and the next begins furthest from it; so do Lin & Wei (2008,
    section 2.2) tell it, and so it is done unless ``furthest_from="last"``. Of equals
    the first record in the table, or the first cluster, is taken.

    References
    ----------
    Byun et al., "Efficient k-anonymization using clustering techniques", DASFAA 2007,
    section 3.3, figure 5, and section 3.4.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> KMemberAnonymizer(k=2, random_state=0).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "k_member"
    title = "k-member"
    summary = "Fills one class after the other with the records that fit best."
    position = 5
    seconds, growth = 4, 1.5

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "furthest_from": one_of({"first", "last"}),
        "closest_to": one_of({"cluster", "first"}),
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
        furthest_from="first",
        closest_to="cluster",
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
        self.furthest_from = furthest_from
        self.closest_to = closest_to

    def _cluster(self, problem: Problem) -> np.ndarray:
        greedy = Greedy(problem)
        seed = problem.random_state.randint(len(problem.codes))
        greedy.fill(
            problem.k, seed, self.furthest_from == "last", self.closest_to == "first"
        )
        left = np.flatnonzero(greedy.labels < 0)
        progress(problem.verbose, f"{len(left)} records are left for the best clusters")
        if not len(left):
            return greedy.labels
        assignment = LeftoverAssignment(problem, greedy.labels, greedy.order)
        assignment.take(problem.random_state.permutation(left))
        return assignment.labels

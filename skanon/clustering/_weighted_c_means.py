"""Weighted feature C-means (Chiu & Tsai 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from skanon._parameters import at_least, from_below, one_of
from skanon._problem import Problem
from skanon._progress import progress
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._c_means_run import CMeans
from skanon.exceptions import ParameterError


class WeightedCMeansAnonymizer(ClusteringAnonymizer):
    """k-anonymity by weighted C-means: all clusters at once, to convergence.

    ``n // k`` random records are the first centroids. All records are assigned to the
    closest centroid; the centroids of the clusters are computed, and the weights that
    columns have in the distances are updated to lower the loss; and again, until no
    record changes its cluster. Then clusters of fewer than k records are merged with
    larger ones.

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
        The first centroids are random records.
    n_jobs : int or None
        The number of threads that assign records; None: one, -1: one for each core.
    verbose : int, default=0
        1 tells each pass on the error stream.
    weights : {"learned", "equal"} or mapping from column to float, default="learned"
        How much each quasi-identifier counts in the distances. ``"learned"``: equally
        in the first pass; then as loses least. A mapping gives fixed weights of at
        least 0, 1 where a column is not named. These weights are no part of the loss,
        which has its own.
    max_iter : int, default=100
        The most passes over the records.
    tol : float, default=0.0
        Stop after a pass in which no more than this part of the records has changed
        its cluster; with learned weights, after one such pass for each column.

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
    weights_ : dict from column to float
        The weights in the last pass, in sum 1.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A fitted anonymizer holds the fitted records, so it is as confidential as the
    table; :meth:`forget` gives a copy without them.

    This is the algorithm as Lin & Wei tell it: they give no formulas. What they leave
    open was decided as follows.

    *Centroids and distances.* In a column of intervals the centroid is the mean of the
    values that are there (of dates and ordered categories, too), or the missing value
    where most are missing; a record's distance from it is their difference, as part of
    the column's range, and the whole range between a missing value and others. In other
    columns the centroid is the most frequent value (of equals the first), and the
    distance is by how much the closure of both values costs the record more than its
    own; where that is a fall, as may be with ``"entropy"`` and ``"pmi"``, 0. A range
    weighs as much as it costs on average to suppress the column. Lin & Wei's own
    algorithm, :class:`~skanon.OnePassKMeansAnonymizer`, takes the lowest
    common ancestor for centroid. Here it would not do: what a cluster takes in widens
    it, all records leave it in the next pass, and most clusters end up empty.

    *Weights.* Lin & Wei: they are updated "to minimize information loss". It is taken
    at its word: in each pass after the first, all records are assigned three times,
    with the weight of one column as it is, doubled and halved (the columns take turns).
    Of these assignments the one that loses least, once small clusters are merged, is
    taken with its weights, if it loses less than the assignment that there is. It ends
    when no column's turn lowers the loss. Chiu & Tsai's own formula is not known here.
    The one that the same authors give for k-means (Tsai & Chiu 2008: half of a weight
    is what it was, half the column's share of the ratios of what is between clusters to
    what is within) does not look at the loss, and ends with nearly all weight in one or
    two columns: on 5,000 records of Adult with 8 quasi-identifiers (LM, k = 10) the
    loss is then 0.28, with equal weights 0.22 and with learned ones 0.18.
    ``weights="equal"`` is the k-means that Goldberger & Tassa (2010, section 6.3) name
    as an alternative to their sequential clustering.

    *Empty clusters.* A cluster that no record is closest to is gone; of equally close
    clusters the first is taken.

    *Merging.* Each small cluster, in the order of the first centroids, is united as a
    whole with that of at least k records whose summed loss with it rises least.

    A class penalty has no part in distances, only in the merging and in the choice of
    weights.

    References
    ----------
    Chiu & Tsai, "A k-anonymity clustering method for effective data privacy
    preservation", ADMA 2007, as described by Lin & Wei, "An efficient clustering method
    for k-anonymization", PAIS 2008, section 2.2.

    Tsai & Chiu, "Developing a feature weight self-adjustment mechanism for a K-means
    clustering algorithm", Computational Statistics & Data Analysis 52 (2008).

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bonn"]}
    ... )
    >>> anonymizer = WeightedCMeansAnonymizer(k=2, random_state=1)
    >>> anonymizer.fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]  Bonn
    3  [61, 64]  Bonn
    """

    word = "weighted_c_means"
    title = "Weighted c-means"
    summary = "Learns which columns matter, and clusters."
    position = 11
    seconds, growth = 60, 1.9

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "weights": [one_of({"learned", "equal"}), Mapping],
        "max_iter": at_least(1),
        "tol": from_below(0, 1),
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
        weights="learned",
        max_iter=100,
        tol=0.0,
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
        self.weights = weights
        self.max_iter = max_iter
        self.tol = tol

    def _cluster(self, problem: Problem) -> np.ndarray:
        n, names = len(problem.codes), problem.schema.names
        weights = _weights(self.weights, names)
        means = CMeans(
            problem, problem.random_state.permutation(n)[: n // problem.k], weights
        )
        self._iterate(problem, means)
        self.weights_ = dict(zip(names, means.weights.tolist(), strict=True))
        n_merged = means.merge()
        progress(problem.verbose, f"{n_merged} small clusters merged with larger ones")
        return means.labels

    def _iterate(self, problem: Problem, means: CMeans) -> None:
        """Assign all records again and again, until hardly any changes its cluster."""
        n, r = problem.codes.shape
        learns = self.weights == "learned"
        self.n_iter_, n_quiet = 0, 0
        while self.n_iter_ < self.max_iter and n_quiet < (r if learns else 1):
            if self.n_iter_:
                means.recenter()
            if self.n_iter_ and learns:
                n_moved = means.learn((self.n_iter_ - 1) % r)
            else:
                n_moved = means.assign()
            self.n_iter_ += 1
            n_quiet = n_quiet + 1 if n_moved <= self.tol * n else 0
            progress(
                problem.verbose,
                f"pass {self.n_iter_}: {n_moved} of {n} records changed their cluster",
            )


def _weights(given: str | Mapping[Any, float], columns: list) -> np.ndarray:
    """Check the weights that are given, and make their sum 1.

    Returns
    -------
    ndarray of float64, shape (r,)

    Raises
    ------
    ParameterError
        A weight is for a column that is no quasi-identifier, or is no finite number of
        at least 0, or all are 0.
    """
    named = {} if isinstance(given, str) else dict(given)
    for column, weight in named.items():
        if column not in columns:
            raise ParameterError(
                f"weights names {column!r}, which is not a quasi-identifier. The "
                f"quasi-identifiers are {columns}."
            )
        number = isinstance(weight, int | float | np.number)
        if not number or isinstance(weight, bool) or not 0 <= weight < np.inf:
            raise ParameterError(
                f"weights gives {column!r} the weight {weight!r}. Weights must be "
                "finite numbers of at least 0."
            )
    weights = np.array([float(named.get(column, 1.0)) for column in columns])
    if weights.sum() == 0:
        raise ParameterError(
            "weights gives all quasi-identifiers the weight 0. Give at least one of "
            "them a positive weight."
        )
    largest = weights / weights.max()  # lest the sum overflow
    return largest / largest.sum()

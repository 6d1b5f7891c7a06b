"""The least loss that there is, for tiny tables."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._problem import Problem
from skanon._release.suppression import max_suppressed
from skanon.clustering._base import ClusteringAnonymizer
from skanon.constraints._bound import broken
from skanon.exceptions import InfeasibleError

MOST_RECORDS = 16
"""Time grows as 3 ** n: a second for 15 records or so."""


class OptimalAnonymizer(ClusteringAnonymizer):
    """k-anonymity with the least loss that any clustering has, for up to 16 records.

    Finding it is NP-hard. This goes through all clusterings, by dynamic programming
    over the sets of records that are still to be clustered. It is there to be compared
    with: on small tables it tells how much the other algorithms leave on the table.

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
        What is emitted; see :class:`~skanon.KAnonymizer`.
    max_suppression : float, default=0.0
        The largest part of the records that may be suppressed (``*`` everywhere)
        where that lowers the loss; the best choice is made of those, too.
    suppressed : {"keep", "blank", "drop"}, default="keep"
        What becomes of suppressed records; see :class:`~skanon.KAnonymizer`.
    refine : int, default=0
        How often the refinement visits each cluster after the algorithm: it clusters
        pools of near clusters anew and keeps what loses less, under all constraints.
        0, as in the paper, leaves it out.
    on_interrupt : {"raise", "release"}, default="raise"
        What Ctrl+C does during the refinement: undo the fit, or take the best release
        so far, which is checked like any other.
    random_state, n_jobs : ignored
        Nothing is random.
    verbose : int, default=0

    Attributes
    ----------
    labels_, class_sizes_, n_classes_, generalizations_, suppressed_
        As in :class:`~skanon.KAnonymizer`.
    information_loss_ : float
        The least that there is for this k, these hierarchies and this loss.
    column_losses_, hierarchies_, unchanged_, feature_names_in_, n_features_in_
        As in :class:`~skanon.KAnonymizer`.

    Notes
    -----
    Where the loss only grows as subsets do and there are no constraints, a cluster of
    2 k records or more can be cut in two without loss, so that only clusters of k to
    2 k - 1 are looked at.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 6: the problem, and that it is NP-hard.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [23, 25, 29, 61, 64, 68, 90]})
    >>> OptimalAnonymizer(k=3, loss="ncp").fit_transform(people)["age"].tolist()
    ['[23, 29]', '[23, 29]', '[23, 29]', '[61, 90]', '[61, 90]', '[61, 90]', '[61, 90]']
    """

    word = "optimal"
    title = "Optimal (tiny tables)"
    summary = "Tries all there is."
    position = 12
    seconds, growth = 1, 0
    most_records = MOST_RECORDS

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules
    }

    def _cluster(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.optimal import best_partition, subset_costs

        n, k = len(problem.codes), problem.k
        if n > MOST_RECORDS:
            raise InfeasibleError(
                f"OptimalAnonymizer goes through all clusterings, which takes too long "
                f"for {n} records; {MOST_RECORDS} is the limit. Use another algorithm, "
                "and optimality_gap to see how far from the best it can be."
            )
        schema = problem.schema
        columns = schema.columns
        only_grows = columns.curve is None and not problem.bound_constraints
        costs = subset_costs(columns, problem.codes, problem.sensitive)
        sets = all_subsets(n) if problem.bound_constraints else []
        bad = np.append(False, broken(problem.bound_constraints, sets[1:]))
        if problem.bound_constraints:
            costs[bad] = np.inf
        largest = min(n, 2 * k - 1) if only_grows else n
        return best_partition(costs, self._hidden(problem, bad), n, k, largest)

    def _hidden(self, problem: Problem, bad: np.ndarray) -> np.ndarray:
        """Compute what each set costs if it is suppressed; infinite where it may not.

        Parameters
        ----------
        problem : Problem
        bad : ndarray of bool, shape (2 ** n,) or (1,)
            The sets that break a promise.
        """
        n, schema = len(problem.codes), problem.schema
        alone = schema.suppressed.sum(axis=0) + schema.penalty
        is_in = np.arange(2**n)[:, None] >> np.arange(n) & 1
        size = is_in.sum(axis=1)
        may_be = size <= max_suppressed(self.max_suppression, n)
        if self.suppressed == "keep":  # they have to hide among themselves
            may_be &= (size == 0) | (size >= problem.k) & ~bad
        return np.where(may_be, is_in @ alone[problem.sensitive], np.inf)


def all_subsets(n: int) -> list[np.ndarray]:
    """List all sets of n records: record i is in those whose bit i is 1."""
    bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    return [np.flatnonzero(row) for row in bits]

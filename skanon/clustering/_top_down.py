"""Top-down local recoding (Xu et al. 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import at_least
from skanon._problem import Problem
from skanon._progress import progress
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._halving import Groups
from skanon.clustering._sequential_run import selectivity_order

WORK = 1_000_000
"""So many pairs of groups are compared in one compiled call; Ctrl+C is heard."""


class TopDownAnonymizer(ClusteringAnonymizer):
    """k-anonymity by parting groups in two: fast.

    All records are one group at first. A group of more than k records is parted in
    two: around two records that are far from each other, where each other record, in
    random order, joins the group whose loss it raises less. So it goes on while one of
    both has k records. At last each group of fewer than k records either takes in as
    many as it lacks from a large one that is near, or it is united with the nearest
    group, whichever loses less.

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
        The first record of the search for seeds, and the order in which the others
        join them, are random.
    n_jobs : ignored
    verbose : int, default=0
        1 tells some levels of the parting on the error stream.
    n_rounds : int, default=3
        The most searches for the record that is furthest from another, each from what
        the one before has found.

    Attributes
    ----------
    labels_, class_sizes_, n_classes_, generalizations_, suppressed_
        As in :class:`~skanon.KAnonymizer`.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    The paper's NCP is any loss here. How far two records are from each other is what
    they pay on average for their closure. A record joins the group whose loss, summed
    over its records, rises less, and the smaller one if both rise the same; groups are
    the nearer to each other, the less the summed loss rises if they are united.

    What the paper leaves open: the searches stop when the two found last are no
    farther from each other than the two before. A group where both parts would have
    fewer than k records stays whole. Small groups are adjusted in the order in which
    parting has left them, each until it has k records. The group that gives records
    away is the nearest of those that have enough; it gives those first that raise the
    small group's loss least, one by one. If both lose the same, groups are united.
    Groups that grow to 2 k records thereby are not parted again.

    References
    ----------
    Xu, Wang, Pei, Wang, Shi & Fu, "Utility-based anonymization using local recoding",
    KDD 2006, the top-down greedy search.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> TopDownAnonymizer(k=2, random_state=0).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "top_down"
    title = "Top-down (a compromise)"
    summary = "Splits the table where two records differ most."
    position = 2
    seconds, growth = 5, 1.3

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "n_rounds": at_least(1),
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
        n_rounds=3,
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
        self.n_rounds = n_rounds

    def _cluster(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.top_down import make_rows

        groups = Groups(len(problem.codes), problem.random_state)
        rows = make_rows(problem.schema.columns)
        level = 0
        while True:
            chosen = np.flatnonzero((groups.sizes > problem.k) & ~groups.closed)
            if not len(chosen):
                break
            level += 1
            groups.halve(chosen, self._part(problem, groups, rows, chosen))
            if level & (level - 1) == 0:  # 1, 2, 4, ...: there may be thousands
                progress(
                    problem.verbose,
                    f"level {level}: {len(chosen)} groups parted, "
                    f"the largest has {groups.sizes.max()} records",
                )
        return _adjusted(problem, groups.labels, rows)

    def _part(
        self, problem: Problem, groups: Groups, rows: Any, chosen: np.ndarray
    ) -> np.ndarray:
        """Part some groups: 0 or 1 for each of their records."""
        from skanon.kernels.clustering.top_down import part

        half = np.zeros(len(problem.codes), dtype=np.int8)
        members, start = groups.shuffled()
        for some in groups.chunks(chosen):
            part(
                problem.schema.columns,
                problem.codes,
                problem.sensitive,
                rows,
                members,
                start,
                some,
                problem.k,
                self.n_rounds,
                half,
            )
        return half


def _adjusted(problem: Problem, labels: np.ndarray, rows: Any) -> np.ndarray:
    """Give each group at least k records."""
    from skanon.kernels.clustering.clusters import gather
    from skanon.kernels.clustering.top_down import adjust

    table = problem.schema.columns, problem.codes, problem.sensitive
    n_groups = int(labels.max()) + 1
    clusters = gather(*table, labels, n_groups, selectivity_order(*table))
    small = np.flatnonzero(clusters.size < problem.k)
    progress(
        problem.verbose,
        f"{len(small)} of {n_groups} groups have fewer than {problem.k} records",
    )
    chunk = max(1, WORK // n_groups)
    for at in range(0, len(small), chunk):
        adjust(*table, clusters, rows, small[at : at + chunk], problem.k)
    return clusters.label

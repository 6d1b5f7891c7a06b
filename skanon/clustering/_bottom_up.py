"""Bottom-up local recoding (Xu et al. 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import one_of
from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.schema import numbered
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._sequential_run import selectivity_order

WORK = 1_000_000
"""So many pairs of groups are compared in one compiled call; Ctrl+C is heard."""


class BottomUpAnonymizer(ClusteringAnonymizer):
    """k-anonymity by uniting groups: slow for large tables.

    Every record is a group at first. Each group of fewer than k records is united with
    the one whose union with it loses least, and the union is split if it has 2 k
    records, until all groups have k; they have at most 2 k - 1.

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
    random_state, n_jobs : ignored
        Nothing is random.
    verbose : int, default=0
        1 tells each round on the error stream.
    distance : {"union", "rise"}, default="union"
        Which groups are close: those whose records pay least if they are united, which
        is the paper's algorithm; or those where uniting them raises the summed loss
        least. The second makes it slower, and loses less.

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
    The paper's NCP is any loss here. With ``distance="union"`` groups are the closer,
    the less the records of their union pay, summed up.

    What the paper leaves open: small groups are visited in the order of their first
    places in the table, round after round; of equally close groups the first is taken,
    and the union stands where the visited group stood. A union of 2 k records or more
    is split at once, which keeps all groups below 3 k. It is split greedily: its first
    record takes in those that raise the loss of both least, one by one, until there
    are k; the furthest of the others does the same; and the fewer than k that are left
    go where the summed loss rises least.

    The time grows with the square of the number of records; losses that may fall as
    subsets grow (entropy, PMI) take about ten times as long as others.

    References
    ----------
    Xu, Wang, Pei, Wang, Shi & Fu, "Utility-based anonymization using local recoding",
    KDD 2006, the bottom-up search.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> BottomUpAnonymizer(k=2).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "bottom_up"
    title = "Bottom-up"
    summary = "Unites small classes with their best partners."
    position = 6
    seconds, growth = 27, 1.8

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "distance": one_of({"union", "rise"}),
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
        distance="union",
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
        self.distance = distance

    def _cluster(self, problem: Problem) -> np.ndarray:
        table = problem.schema.columns, problem.codes, problem.sensitive
        order = selectivity_order(*table)
        labels = np.arange(len(problem.codes), dtype=np.int32)
        sizes, n_round = np.ones(len(labels), dtype=int), 0
        while (sizes < problem.k).any():
            n_round += 1
            labels = _one_round(problem, labels, order, self.distance == "rise")
            sizes = np.bincount(labels)
            progress(
                problem.verbose,
                f"round {n_round}: {len(sizes)} groups, "
                f"{(sizes < problem.k).sum()} of fewer than {problem.k} records",
            )
        return labels


def _one_round(
    problem: Problem, labels: np.ndarray, order: np.ndarray, by_rise: bool
) -> np.ndarray:
    """Unite each small group once; return the labels."""
    from skanon.kernels.clustering.bottom_up import unite_small
    from skanon.kernels.clustering.clusters import gather

    table = problem.schema.columns, problem.codes, problem.sensitive
    n_groups = int(labels.max()) + 1
    clusters = gather(*table, labels, n_groups, order)
    chunk = max(1, WORK // n_groups)
    for at in range(0, n_groups, chunk):
        end = min(at + chunk, n_groups)
        unite_small(*table, clusters, at, end, problem.k, by_rise)
    return numbered(clusters.label)[0]

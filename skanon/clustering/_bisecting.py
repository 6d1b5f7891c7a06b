"""Clustering-based k-anonymity by repeated two-means (He et al. 2012)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from skanon._parameters import TRUTH, at_least
from skanon._problem import Problem
from skanon._progress import progress
from skanon._release.suppression import paid
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._halving import Groups
from skanon.clustering._one_pass_run import spans
from skanon.constraints._bound import BoundConstraint, broken, members_of, repair
from skanon.hierarchies._base import INTERVAL, TREE
from skanon.losses._terms import line

SLACK = 1e-9
"""Levels and sizes that differ by no more than this part are equal."""


class BisectingAnonymizer(ClusteringAnonymizer):
    """k-anonymity by two-means, again and again (CB): fast.

    All records are one group at first. A group of at least 2 k records is halved:
    around the centers of two halves, each record goes to the closer center. The first
    centers are two random records, later ones the means of the halves of the round
    before. A half of fewer than k records takes in those of the other that are
    relatively closest to its center. Of all rounds the halves that lose least are
    kept, and they are halved in turn. All clusters have k to 2 k - 1 records.

    With constraints, halves are only taken if both keep them. A group that cannot be
    halved so is split by its sensitive values where l-diversity by frequency is asked
    for: each value's records are dealt out in turn to as many parts as can be.

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
        The first centers, and the order in which records are visited, are random.
    n_jobs : ignored
    verbose : int, default=0
        1 tells each level of the halving on the error stream.
    n_rounds : int, default=15
        The rounds of two-means in each group (the paper's r).
    repair : bool, default=False
        With constraints: whether the table is, beside that, halved without them, and
        clusters that break them are united with others; what loses less is kept. This
        goes beyond the paper.

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
    What section 3 leaves open. The center of a column on a line (numbers, dates,
    ordered categories as intervals) is the mean, and a record is as far from it as
    the column's full range costs on average, times their distance over the range. The
    mean of other values is not defined: here the center is the shares of a half's
    values, and a record is as far from it as its joins with them cost it on average.
    So is a missing value, which on a line is a full range away from all others.

    Where text and figure differ, the figure is followed: distances are those to the
    centers in all rounds, and only the two first records are seeds. Records that are
    equally close to both centers go to the smaller half, as the text says, and to the
    second one of equal halves, as the figure says. To adjust a small half, those
    records of the other are taken whose distances to both centers differ least; the
    paper names none. Of halves that lose the same those of the first round are kept.

    For losses that may fall as subsets grow (entropy, PMI), clusters of 2 k and more
    could cost less; they are halved nevertheless.

    What section 4, on l-diversity, leaves open. Of the rounds whose halves both keep
    the constraints, the one that loses least is taken. The paper's parts have l records
    and know no k: here they have at least k and l. Where l does not divide the group,
    or k is larger, some part may have too much of a value: then one part fewer is
    tried, and so on. Values come in their order, a value's records in that of the
    table. (alpha, k)-anonymity for all values is the same promise, with alpha for 1 /
    l. Several sensitive attributes: records are dealt out by the one with the highest
    l, equals by the others. Groups of which other constraints are asked are halved, but
    not split. Where the columns tell the sensitive values, already the first halves may
    break the constraints; then this loses far more than ``repair=True`` (0.82 and 0.29
    for Adult, k = 10, l = 1.2).

    References
    ----------
    He, Chen, Chen, Dong, Wang & Huang, "Clustering-based k-anonymity", PAKDD 2012,
    sections 3 and 4, figures 4 and 5.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bonn"]}
    ... )
    >>> BisectingAnonymizer(k=2, random_state=0).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]  Bonn
    3  [61, 64]  Bonn
    """

    word = "bisecting"
    title = "Bisecting"
    summary = "Splits the worst class in two, again and again."
    position = 4
    seconds, growth = 2.5, 1

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "n_rounds": at_least(1),
        "repair": TRUTH,
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
        n_rounds=15,
        repair=False,
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
        self.repair = repair

    def _cluster(self, problem: Problem) -> np.ndarray:
        labels = self._halves(problem)
        if not (problem.bound_constraints and self.repair):
            return labels
        from skanon.kernels.core.columns import TOLERANCE

        table = problem.schema, problem.codes, problem.sensitive
        free = self._halves(replace(problem, bound_constraints=[]))
        mended = repair(*table, free, problem.bound_constraints)
        if mended is None:
            return labels
        losses = [paid(*table, tried).sum() for tried in (labels, mended)]
        progress(
            problem.verbose,
            "lost in sum, by halves that keep the constraints: "
            f"{losses[0]:.4f}, by a repair: {losses[1]:.4f}",
        )
        return mended if losses[1] < losses[0] - TOLERANCE else labels

    def _halves(self, problem: Problem) -> np.ndarray:
        """Halve groups as long as the halves keep the promises, and split the rest."""
        groups = Groups(len(problem.codes), problem.random_state)
        centers = _centers(problem)
        level = 0
        while True:
            chosen = np.flatnonzero((groups.sizes >= 2 * problem.k) & ~groups.closed)
            if not len(chosen):
                break
            level += 1
            groups.halve(chosen, self._bisect(problem, groups, centers, chosen))
            progress(
                problem.verbose,
                f"level {level}: {len(chosen)} groups halved, "
                f"the largest has {groups.sizes.max()} records",
            )
        return split_by_values(problem, groups)

    def _bisect(
        self, problem: Problem, groups: Groups, centers: Any, chosen: np.ndarray
    ) -> np.ndarray:
        """Find the best halves of some groups: 0 or 1 for each of their records.

        It is 0 for all records of a group that cannot be halved.
        """
        from skanon.kernels.clustering.bisecting import bisect
        from skanon.kernels.core.columns import TOLERANCE

        n = len(problem.codes)
        half, best = np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.int8)
        least = np.full(len(groups.sizes), np.inf)
        lost = least.copy()
        for at in range(self.n_rounds):
            members, start = groups.shuffled()
            for some in groups.chunks(chosen):
                bisect(
                    problem.schema.columns,
                    problem.codes,
                    problem.sensitive,
                    centers,
                    members,
                    start,
                    some,
                    problem.k,
                    at == 0,
                    half,
                    lost,
                )
            better = lost < least - TOLERANCE
            better[chosen] &= _halves_keep(problem, groups, chosen, half)
            least[better] = lost[better]
            taken = better[groups.labels]
            best[taken] = half[taken]
        return best


def _halves_keep(
    problem: Problem, groups: Groups, chosen: np.ndarray, half: np.ndarray
) -> np.ndarray:
    """Tell of which groups both halves keep the promises: shape (n_chosen,)."""
    if not problem.bound_constraints:
        return np.ones(len(chosen), dtype=bool)
    parts = members_of(2 * groups.labels + half, 2 * len(groups.sizes))
    sides = [[parts[2 * g + side] for g in chosen] for side in (0, 1)]
    return ~(
        broken(problem.bound_constraints, sides[0])
        | broken(problem.bound_constraints, sides[1])
    )


def split_by_values(problem: Problem, groups: Groups) -> np.ndarray:
    """Split groups that could not be halved, by their sensitive values.

    Returns
    -------
    ndarray of int32, shape (n,)
        All records' labels.
    """
    ranked = sorted(problem.bound_constraints, key=level_of, reverse=True)
    labels = groups.labels.copy()
    if not ranked or level_of(ranked[0]) == 0:
        return labels
    members = members_of(labels, len(groups.sizes))
    n_groups = len(members)
    for g in np.flatnonzero(groups.closed):
        codes = [
            bound_constraint.codes[members[g]] for bound_constraint in reversed(ranked)
        ]
        parts = _most_parts(problem, ranked, members[g][np.lexsort(codes)])
        for part in parts[1:]:
            labels[part] = n_groups
            n_groups += 1
    return labels


def _most_parts(
    problem: Problem, ranked: list[BoundConstraint], dealt: np.ndarray
) -> list[np.ndarray]:
    """Deal records out in turn to as many parts as keep the promises."""
    level = level_of(ranked[0])
    n, most = len(dealt), np.bincount(ranked[0].codes[dealt]).max()
    smallest = max(problem.k, int(np.ceil(level * (1 - SLACK))))
    for n_parts in range(n // smallest, 1, -1):
        if -(-most // n_parts) * level > -(-n // n_parts) * (1 + SLACK):
            continue  # some part has too much of that value, however large it is
        parts = [dealt[at::n_parts] for at in range(n_parts)]
        if not broken(ranked, parts).any():
            return parts
    return [dealt]


def level_of(bound_constraint: BoundConstraint) -> float:
    """Give l where no value may have more than a share of 1 / l, and 0 elsewhere."""
    caps = bound_constraint.caps
    if caps is None or (caps != caps[0]).any():
        return 0.0
    return float(1 / caps[0])


def _centers(problem: Problem) -> Any:
    """Place all values; there are no centers yet."""
    from skanon.kernels.clustering.bisecting import IN_PAIRS, IN_TREE, ON_LINE, Centers
    from skanon.kernels.core.columns import OFFSET, state_width
    from skanon.kernels.core.curve import sensitive_scratch

    columns, bounds = problem.schema.columns, problem.schema.bounds
    r, n_rows = len(bounds), len(columns.price)
    n_sensitive = sensitive_scratch(columns.curve).shape[1]
    form = np.full(r, IN_PAIRS, dtype=np.int8)
    place = np.full(n_rows, np.nan)
    for j, bound in enumerate(bounds):
        places = line(bound) if bound.form == INTERVAL else None
        if places is not None:
            form[j] = ON_LINE
            begin = columns.layout[j, OFFSET]
            place[begin : begin + len(places)] = places
        elif bound.form == TREE:
            form[j] = IN_TREE
    return Centers(
        form=form,
        span=spans(problem.schema),
        place=place,
        size=np.zeros(2, dtype=np.int64),
        mix=np.zeros((2, n_sensitive), dtype=np.int32),
        tally=np.zeros((2, n_rows), dtype=np.int32),
        seen=np.zeros((2, n_rows), dtype=np.int32),
        n_seen=np.zeros((2, r), dtype=np.int32),
        placed=np.zeros((2, r)),
        mean=np.zeros((2, r)),
        below=np.zeros((2, n_rows), dtype=np.int32),
        tilt=np.zeros(n_rows * n_sensitive),
        known=np.zeros(n_rows * n_sensitive, dtype=np.int64),
        clock=np.zeros(1, dtype=np.int64),
        state=np.zeros((2, state_width(columns.layout)), dtype=np.int64),
        cost=np.zeros((2, r)),
    )

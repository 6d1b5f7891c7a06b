"""Agglomerative clustering (Gionis, Mazza & Tassa 2008)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from skanon._parameters import TRUTH, at_least, one_of
from skanon._problem import Problem
from skanon._progress import progress
from skanon._table.schema import occurrences, tuple_ids
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._effort import AUTO
from skanon.clustering._sequential_run import selectivity_order

DISTANCES = ("rise", "difference", "scaled_difference", "ratio", "asymmetric")
"""In the order of the kernels' numbers."""

WORK = 2_000_000
"""So many comparisons are made in one compiled call, so that Ctrl+C is heard."""


class AgglomerativeAnonymizer(ClusteringAnonymizer):
    """k-anonymity by agglomerative clustering: very low loss, in quadratic time.

    Every record begins as a cluster of its own. The two closest clusters are united,
    again and again; a union that has reached k records is finished. Where it has got
    more (``modified``), those are released again without which the rest loses least.
    At last the fewer than k records that are left join the finished clusters that they
    are closest to.

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
        Nothing is random, and one thread does the work.
    verbose : int, default=0
        1 tells now and then on the error stream how many clusters still grow.
    distance : {"rise", "difference", "scaled_difference", "ratio", "asymmetric"}
        How far apart two clusters A and B are, where d is what a record of a cluster
        loses; the default is ``"scaled_difference"``.

        - ``"rise"``: ``|A u B| d(A u B) - |A| d(A) - |B| d(B)``, the paper's (8)
        - ``"difference"``: ``d(A u B) - d(A) - d(B)``, its (9)
        - ``"scaled_difference"``: the same over ``log |A u B|``, its (10)
        - ``"ratio"``: ``d(A u B) / (d(A) + d(B) + epsilon)``, its (11)
        - ``"asymmetric"``: ``d(A u B) - d(B)``, that of Nergiz & Clifton
    epsilon : float, default=0.1
        For ``"ratio"``, as two single records lose nothing.
    modified : bool, default=True
        Whether clusters are shrunk to k records (Algorithm 2).

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
    A record's loss counts from what it pays for its own values, which is nothing but
    for ``"mi"`` and ``"pmi"``. With ``"pmi"`` it may fall below that; then it counts as
    nothing below the line of ``"ratio"``.

    Where the paper leaves a choice: distances that differ by no more than rounding are
    equal, and of equally close pairs that of the first records in the table is taken.
    The asymmetric distance of two growing clusters is the lesser of both directions,
    and that of a record that is left over is ``d(A u B) - d(B)``, where B is the
    cluster that it joins. Those that are left over join one after the other, in the
    table's order, and later ones see the clusters that have grown by then. The record
    that Algorithm 2 releases is the first of those without which the rest loses least:
    that is what the greatest ``dist(S, S less the record)`` comes to for each of the
    distances, as long as no loss is negative.

    The default is what loses least on the whole of: the paper's artificial data, 5,000
    records, k = 5 to 20, and Adult with 8 quasi-identifiers, k = 10, by LM and by
    entropy. There it is about 3 % above the best choice for each, or less. With
    ``modified`` there are ``n // k`` clusters, all but a few of k records.

    Equal records are united before anything is compared. Each cluster remembers a few
    of its nearest, so that time grows with the square of the number of different
    records, and memory with their number. Where the loss depends on sensitive values
    (``"pmi"``, a class penalty), no records are equal, and it takes many times as
    long.

    References
    ----------
    Gionis, Mazza & Tassa, "k-Anonymization revisited", ICDE 2008, section V-A,
    Algorithms 1 and 2. The asymmetric distance is that of Nergiz & Clifton, "Thoughts
    on k-anonymization", ICDE Workshops 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> AgglomerativeAnonymizer(k=2).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "agglomerative"
    title = "Agglomerative"
    summary = "Unites the two nearest classes, again and again. Loses little."
    position = 7
    seconds, growth = AUTO

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "distance": one_of(DISTANCES),
        "epsilon": at_least(1e-9, Real),
        "modified": TRUTH,
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
        distance="scaled_difference",
        epsilon=0.1,
        modified=True,
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
        self.epsilon = epsilon
        self.modified = modified

    def _cluster(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.agglomerative import Rule, grow, place_rest
        from skanon.kernels.clustering.clusters import gather
        from skanon.kernels.clustering.growth import growth_of
        from skanon.kernels.clustering.joint import probe_of

        columns, codes, sensitive = (
            problem.schema.columns,
            problem.codes,
            problem.sensitive,
        )
        n = len(codes)
        order = selectivity_order(columns, codes, sensitive)
        clusters = gather(columns, codes, sensitive, equal_records(problem), n, order)
        probe = probe_of(columns, clusters)
        alone, given = alone_costs(problem), probe.names.given
        growth = growth_of(clusters, alone, problem.k, given, is_plain(problem))
        distance = DISTANCES.index(self.distance)
        rule = Rule(problem.k, distance, float(self.epsilon), bool(self.modified))
        given = columns, codes, clusters, growth, rule, probe
        told, every = 0, int(growth.clock[1]) ** 2 // 10
        while grow(*given, np.zeros_like(clusters.state[:1]), WORK):
            _, left, made, _ = growth.clock.tolist()
            if made >= told + every:
                told = made
                progress(
                    problem.verbose, f"{made} comparisons; {left} clusters still grow"
                )
        place_rest(*given)
        return clusters.label


def equal_records(problem: Problem) -> np.ndarray:
    """Put k equal records each into a cluster, and fewer where there are no more.

    Nothing is closer than equal records; so all distances would unite them first. Where
    costs depend on sensitive values, this need not be so, and each record is alone.

    Returns
    -------
    ndarray of int32, shape (n,)
        Each cluster has the number of its first record.
    """
    n = len(problem.codes)
    if not is_plain(problem):
        return np.arange(n, dtype=np.int32)
    ids = tuple_ids(problem.codes[:, problem.schema.shares > 0])
    batches = ids * n + occurrences(ids) // problem.k
    _, firsts, batch = np.unique(batches, return_index=True, return_inverse=True)
    return firsts[batch].astype(np.int32)


def is_plain(problem: Problem) -> bool:
    """Tell whether a closure costs all records the same, whoever they are."""
    curve = problem.schema.columns.curve
    return curve is None or (curve.whole.shape[1] == 2 and curve.penalty[0] == 0)


def alone_costs(problem: Problem) -> np.ndarray:
    """Compute what each record pays for its own values.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    from skanon.kernels.core.closures import close

    n = len(problem.codes)
    labels = np.arange(n, dtype=np.int32)
    columns = problem.schema.columns
    return close(columns, problem.codes, problem.sensitive, labels, n)[1].sum(axis=1)

"""Windows of k neighbours on rings of records, dealt out at random (Wong et al.)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from skanon._base import BaseAnonymizer
from skanon._problem import Problem
from skanon._progress import progress
from skanon._release.classes import one_label_each
from skanon._table.schema import numbered
from skanon.clustering import ClusteringAnonymizer, TopDownAnonymizer
from skanon.consistency._base import ConsistencyAnonymizer, adopted
from skanon.exceptions import ReleaseError

WORK = 20_000_000
"""So many records are looked at in one compiled call; Ctrl+C is heard in between."""

REACH = 32
"""A record is put next to at most so many others of its ring."""

EDGES = 2**24
"""The most edges of a ring's graph that are held in memory."""


class NonHomogeneousAnonymizer(ConsistencyAnonymizer):
    """Global (1, k)-anonymity by random windows on rings of records: fast.

    The records are put into partitions of at least k, and those of each partition onto
    a ring on which neighbours are alike. For each record there is a window: what
    covers it and the k - 1 records that follow. So each record is covered by k
    windows. Which one it is published as is drawn at random, each with probability
    1 / k, and so that no window is used twice. Where a partition has more than k
    records, this loses less than to publish what covers them all.

    Somebody who knows who is in the table, with all their quasi-identifiers, and how
    this works, finds each person behind k records with equal probability.

    Parameters
    ----------
    k : int, default=5
        The number of windows that cover an original, and of originals in a window.
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
    random_state : int, RandomState or None
        Who gets which window is random, and so may the partitions be. Whoever knows
        or guesses the number that is given here, or to ``numpy.random.seed``, can
        draw again and tell who is who: give None, and no seed, for what is published.
    n_jobs : int or None
        For ``algorithm``; the rest is done by one thread.
    verbose : int, default=0
        1 tells progress on the error stream.
    algorithm : anonymizer or None
        Makes the partitions: any algorithm of :mod:`skanon.clustering`, unfitted. The
        parameters that both have, k among them, are given here. None:
        :class:`~skanon.TopDownAnonymizer`.

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
    n_matches_ : ndarray of int, shape (n,)
        For each original, how many of the records that generalize it are matches: some
        perfect matching of all originals and released records gives it to them.
    n_partitions_ : int
        How many partitions, and so rings, there are.
    algorithm_ : ClusteringAnonymizer
        The algorithm that made them, with its parameters.
    information_loss_, column_losses_, hierarchies_, unchanged_
        As in :class:`~skanon.KAnonymizer`.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    This follows what others report of the paper, and may differ from it in details.
    Decided here:

    The partitions. The paper has a top-down method of its own, which He et al. (2012)
    call a special case of the one that is the default here.

    The ring. It begins with the record of the smallest values; of those left, that
    one follows which raises least what the last k / 2 records (at most 32) pay for
    their closure. In partitions of many records only the next 1000 are considered, in
    the order of their values. Equal records follow each other. Where costs look at
    sensitive values, so does this order.

    The draw. The graph of records and the windows that cover them is decomposed into k
    disjoint perfect matchings, one after the other, each by the random walks of Goel,
    Kapralov & Khanna; one of the k, drawn before, is the result. So each of the k
    windows of a record has probability 1 / k exactly. All perfect matchings of a ring
    can occur, but not equally often, and the windows of two records are not
    independent: whoever finds out which window some people have knows a little more
    about their neighbours. In partitions with more than 2 ** 24 such pairs (of
    thousands of records, and k in the thousands) some of the k shifts of the ring
    against itself are drawn at first, and only these pairs are used; then some
    matchings cannot occur.

    What is lost does not depend on the draw, unless the loss looks at sensitive values.

    The sensitive attribute is not looked at: the records that a person may be behind
    can all have the same value.

    References
    ----------
    W. K. Wong, N. Mamoulis, D. W. L. Cheung, "Non-homogeneous generalization in privacy
    preserving data publishing", SIGMOD 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [23, 25, 27]})
    >>> release = NonHomogeneousAnonymizer(k=2, random_state=0).fit_transform(people)
    >>> sorted(release["age"])
    ['[23, 25]', '[23, 27]', '[25, 27]']
    """

    _model = "global_one_k"

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ConsistencyAnonymizer._parameter_rules,
        "algorithm": [ClusteringAnonymizer, None],
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
        given = TopDownAnonymizer() if self.algorithm is None else self.algorithm
        what = "windows of its classes do"
        self.algorithm_ = adopted(given, self, _SHARED, "algorithm", what)

    def _generalize(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.halving import bucket
        from skanon.kernels.consistency.rings import (
            close_windows,
            draw_windows,
            order_rings,
        )

        columns, codes, k = problem.schema.columns, problem.codes, problem.k
        labels, self.n_partitions_ = self._partition(problem)
        line = np.lexsort(codes.T[::-1]).astype(np.int32)
        members, start = bucket(labels, line, self.n_partitions_)
        sizes = np.diff(start)
        progress(
            problem.verbose,
            f"{len(sizes)} partitions, the largest has {sizes.max()} records",
        )
        given = np.empty(len(codes), dtype=np.int64)
        words = problem.random_state.randint(0, 2**32, size=8, dtype=np.uint32)
        rng = np.random.default_rng(words)
        reach = min(max(k // 2, 1), REACH)
        for rings in _runs(sizes):
            order_rings(
                columns, codes, problem.sensitive, members, start, rings, k, reach
            )
            n_shifts = min(k, max(EDGES // sizes[rings].max(), 2))
            draw_windows(start, rings, k, n_shifts, rng, given)
        windows = close_windows(columns, codes, members, start, k)
        states = np.empty_like(windows)
        states[members] = windows[given]
        return states

    def _partition(self, problem: Problem) -> tuple[np.ndarray, int]:
        """Put the records into partitions of at least k."""
        labels = one_label_each(self.algorithm_._cluster(problem), len(problem.codes))
        renamed, n_partitions = numbered(labels)
        least = np.bincount(renamed[renamed >= 0]).min(initial=len(labels))
        if least < problem.k or (renamed < 0).any():
            raise ReleaseError(
                f"algorithm={self.algorithm!r} makes a partition of {least} records, "
                f"but k={problem.k}, or leaves records out. Nothing can be published: "
                "that algorithm is at fault."
            )
        return renamed, n_partitions

    def _check_reached(self) -> None:
        super()._check_reached()
        people = self.n_consistent_originals_
        if people.min() < self.k:
            raise ReleaseError(
                f"The release does not keep (k, k)-anonymity of k={self.k}: row "
                f"{np.argmin(people)} generalizes {people.min()} originals only. Do "
                "not publish it: the algorithm is at fault."
            )


def _runs(sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Cut rings into runs that are dealt with in one compiled call."""
    from skanon.kernels.consistency.rings import LOOK

    run = np.cumsum(sizes * np.minimum(sizes, LOOK)) // WORK
    yield from np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(run)) + 1)


_SHARED = list(BaseAnonymizer._parameter_rules)

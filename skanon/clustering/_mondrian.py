"""Mondrian multidimensional partitioning (LeFevre et al. 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from joblib import delayed

from skanon._parallel import in_threads
from skanon._parameters import TRUTH, one_of
from skanon._problem import Problem
from skanon.clustering._base import ClusteringAnonymizer

PART = 20_000
"""Regions of about so many records are cut in one compiled call, side by side."""


class MondrianAnonymizer(ClusteringAnonymizer):
    """k-anonymity by cutting the table into regions, the fastest way.

    Starts with all records in one region and cuts regions into parts of at least k
    records, until none can be cut. A column with an order (intervals, sets) is cut in
    two at one of its values. A taxonomy is cut along the tree: below the lowest node
    that covers the region, each child with at least k records becomes a part of its
    own, and the children with fewer stay together.

    Parameters
    ----------
    k : int, default=5
        The least number of records that share their generalized quasi-identifiers.
    quasi_identifiers, hierarchies, loss, constraints, sensitive, identifiers, \
encode, max_suppression, suppressed, refine, on_interrupt, random_state, n_jobs, verbose
        As in :class:`~skanon.KAnonymizer`. Nothing here is random. Regions are cut
        in all threads by default; results do not depend on their number.
    strict : bool, default=True
        Whether records with the same value in the column that is cut stay together.
        If not (relaxed), a median's records may fall on either side, so that more
        cuts are possible.
    cut : {"median", "best"}, default="median"
        ``"median"`` cuts the column that costs the region most (the widest), at the
        allowed place nearest to the median; if it allows none, the next. ``"best"``
        tries all columns and places and takes what lowers the loss most; it loses
        less and takes longer.
    ordered : bool, default=False
        Whether a taxonomy, too, is cut in two in the order of its values, as the
        original and Goldberger & Tassa have it: values up to one on one side, those
        after it on the other.

    Attributes
    ----------
    labels_, class_sizes_, n_classes_, generalizations_, suppressed_, \
information_loss_, column_losses_, hierarchies_, unchanged_, feature_names_in_, \
n_features_in_
        As in :class:`~skanon.KAnonymizer`.

    Notes
    -----
    The regions are published as the closures of their records, which are tighter than
    the regions. The original cuts at the median itself and gives the column up where
    that is not allowed; here the nearest allowed place is taken, which cuts further.
    How a taxonomy is cut along its tree, the papers leave open. Where its small
    children are fewer than k together, the smallest of the others joins them; in
    relaxed mode the largest lends them the records that they lack. Of equally wide
    columns the first is cut. Missing values count as larger than all others.

    References
    ----------
    LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006,
    as described by Goldberger & Tassa, "Efficient anonymizations with enhanced
    utility", Transactions on Data Privacy 3 (2010), section 6.2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> MondrianAnonymizer(k=2, loss="ncp").fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "mondrian"
    title = "Mondrian (fast)"
    summary = "Cuts the table in halves, again and again. A good first look."
    position = 0
    seconds, growth = 0.4, 1

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "strict": TRUTH,
        "cut": one_of({"median", "best"}),
        "ordered": TRUTH,
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
        strict=True,
        cut="median",
        ordered=False,
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
        self.strict = strict
        self.cut = cut
        self.ordered = ordered

    def _cluster(self, problem: Problem) -> np.ndarray:
        table = problem.schema.columns, problem.codes, problem.sensitive
        weighty = problem.schema.shares > 0
        return cut_regions(
            *table,
            weighty,
            problem.k,
            bool(self.strict),
            bool(self.ordered),
            self.cut == "best",
            n_jobs=problem.n_jobs,
        )


def cut_regions(
    columns: Any,
    codes: np.ndarray,
    sensitive: np.ndarray,
    weighty: np.ndarray,
    k: int,
    strict: bool,
    ordered: bool,
    best: bool,
    *,
    n_jobs: int | None = 1,
) -> np.ndarray:
    """Cut the table again and again; each uncut region is a cluster.

    Parameters
    ----------
    columns : Columns
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    weighty : ndarray of bool, shape (r,)
        Only these columns are cut.
    k : int
        At most n.
    strict : bool
        Whether records with equal values in the cut column stay together.
    ordered : bool
        Whether columns with a tree are cut in the order of their values, too.
    best : bool
        Whether to try all cuts, instead of the widest column's middle.
    n_jobs : int or None
        How many threads cut; the result does not depend on it.

    Returns
    -------
    ndarray of int32, shape (n,)
        Labels 0, 1, 2, ….
    """
    from skanon.kernels.clustering.mondrian import Cuts, cut_some

    n = len(codes)
    record, label = np.arange(n), np.empty(n, dtype=np.int32)
    table = columns, codes, sensitive, weighty, k, strict, ordered, best or None

    def cut(begin: int, end: int, once: bool) -> Cuts:
        waiting = np.zeros((end - begin, 2), dtype=np.int64)
        waiting[0] = begin, end
        cuts = Cuts(record, label, waiting, np.array([1, 0]))
        cut_some(*table, cuts, once)
        return cuts

    large, parts = [(0, n)], []  # the last in a list comes first in the table's order
    while large:
        begin, end = large.pop()
        if end - begin > PART:
            cuts = cut(begin, end, once=True)
            if cuts.number[0]:
                large.extend(map(tuple, cuts.waiting[: cuts.number[0]].tolist()))
                continue
        parts.append((begin, end))
    cut_all = in_threads((delayed(cut)(*part, once=False) for part in parts), n_jobs)
    before = 0
    for (begin, end), cuts in zip(parts, cut_all, strict=True):
        label[record[begin:end]] += before
        before += cuts.number[1]
    return label

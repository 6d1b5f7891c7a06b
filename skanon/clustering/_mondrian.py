"""Mondrian multidimensional partitioning (LeFevre et al. 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parallel import n_threads
from skanon._problem import Problem
from skanon._sklearn import one_of
from skanon.clustering._base import ClusteringAnonymizer


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
encode, max_suppression, refine, on_interrupt, random_state, n_jobs, verbose
        As in :class:`~skanon.KAnonymizer`. Nothing here is random, and one thread
        does the work.
    strict : bool, default=True
        Whether records with the same value in the column that is cut stay together.
        If not (relaxed), a median's records may fall on either side, so that more
        cuts are possible.
    cut : {"median", "best"}, default="median"
        ``"median"`` cuts the column that costs the region most (the widest), at the
        allowed place nearest to the median; if it allows none, the next. ``"best"``
        tries all columns and places and takes what lowers the loss most; it loses
        less and takes longer.

    Attributes
    ----------
    labels_, class_sizes_, n_classes_, generalizations_, suppressed_, \
information_loss_, column_losses_, hierarchies_, feature_names_in_, n_features_in_
        As in :class:`~skanon.KAnonymizer`.

    Notes
    -----
    The regions are published as the closures of their records, which are tighter than
    the regions. The original cuts at the median itself and gives the column up where
    that is not allowed; here the nearest allowed place is taken, which cuts further.
    How a taxonomy is cut, the papers leave open. Where its small children are fewer
    than k together, the smallest of the others joins them; in relaxed mode the
    largest lends them the records that they lack. Of equally wide columns the first
    is cut. Missing values count as larger than all others.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_constraints,
        "strict": ["boolean"],
        "cut": [one_of({"median", "best"})],
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
        refine=0,
        on_interrupt="raise",
        random_state=None,
        n_jobs=None,
        verbose=0,
        strict=True,
        cut="median",
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
            refine=refine,
            on_interrupt=on_interrupt,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.strict = strict
        self.cut = cut

    def _cluster(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.mondrian import cut_regions

        return cut_regions(
            problem.schema.columns,
            problem.codes,
            problem.sensitive,
            problem.schema.shares > 0,
            problem.k,
            bool(self.strict),
            self.cut == "best",
            n_threads(problem.n_jobs),
        )

"""The front door: any algorithm by its name."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import clone

from skanon._handing_on import hand_on
from skanon._parameters import at_least, one_of
from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import ALGORITHMS
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._effort import (
    EFFORTS,
    block_size_of,
    expected_seconds,
    visits_of,
)
from skanon.clustering._engine import cluster_in_blocks, planned
from skanon.clustering._optimal import OptimalAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses._named import as_loss
from skanon.metrics._bounds import METHODS, record_bounds
from skanon.metrics._dual import DualSearch, check_shares

_SHARED = list(inspect.signature(ClusteringAnonymizer).parameters)


class KAnonymizer(ClusteringAnonymizer):
    """Publish a table in which each person hides among at least k.

    A record's quasi-identifiers (what others may know: age, zip code, sex) are
    generalized until at least k records share them, at as little loss as the chosen
    algorithm finds. What the release promises is checked from its values alone after
    each fit.

    Parameters
    ----------
    k : int, default=5
        The least number of records that share their generalized quasi-identifiers.
    algorithm : str or anonymizer, default="auto"
        ``"auto"``: chosen by the size of the table, the hierarchies, the constraints
        and the effort, and above some size in blocks; ``algorithm_`` tells what was
        taken. Or the name of an algorithm (``"agglomerative"``, ``"bisecting"``,
        ``"bottom_up"``, ``"forest"``, ``"hilbert"``, ``"k_member"``, ``"mondrian"``,
        ``"one_pass_k_means"``, ``"optimal"``, ``"sequential"``, ``"threshold_greedy"``,
        ``"top_down"``, ``"weighted_c_means"``), or an unfitted anonymizer, whose own
        parameters grid searches reach as ``algorithm__alpha``. Parameters that both
        have are given here; another value inside is refused.
    effort : {"fast", "sweep", "default", "high"}, default="default"
        How much work is done: for 45,222 records with 8 quasi-identifiers some 3, 6 or
        15 seconds, or minutes, on two cores. ``"sweep"`` is for comparing many k, or
        other parameters, in a grid search: it loses some 2 % more than the default. An
        effort is a number of steps and no time, so that a seed gives the same release
        on any machine.
    refine : int or "auto", default="auto"
        How often the refinement visits each cluster after the algorithm, whichever it
        was: it clusters pools of near clusters anew and keeps what loses less, under
        all constraints. ``"auto"``: by the effort and the size of the table. 0: never,
        so that a named algorithm does what its paper says.
    block_size : int, "auto" or None, default="auto"
        A larger table is cut into blocks of about so many records, which are clustered
        side by side; the refinement then works across their borders. At least 2k. None:
        never. ``"auto"``: by the effort if the algorithm is ``"auto"``, else never.
    on_interrupt : {"raise", "release"}, default="raise"
        What Ctrl+C does during the refinement: undo the fit, or take the best release
        so far, which is checked like any other; and during ``certify="dual"``, where
        the bound so far is taken.
    certify : {"auto", "support", "neighbour", "dual"} or None, default=None
        Whether to compute ``optimality_gap_`` after the fit, and by which method; see
        :func:`~skanon.metrics.loss_lower_bound`. ``"dual"`` is the closest, and takes
        minutes for thousands of records.
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
        Sensitive attributes, which pass through unchanged; None: ``y`` is the sensitive
        attribute.
    identifiers : column, list of columns, or None
        Columns that name people, and levels of the index that do; they are dropped.
    encode : {"label", "representative", "bounds", "distribution"}, default="label"
        What is emitted. ``"label"``: text for people, such as ``[20, 29]``, a node's
        name, ``{a, b}`` or ``*``. ``"representative"``: a typical value of the
        column's own dtype. ``"bounds"``: the low and the high end of numbers and
        dates, text for other columns. ``"distribution"``: what a classifier can use
        best, expected shares of categories, and mean and width of ranges; in a
        pipeline, what comes next wants numbers, and fails with text.
    max_suppression : float, default=0.0
        The largest part of the records that may be suppressed (``*`` everywhere)
        where that lowers the loss; a suppressed record costs as much as can be.
    suppressed : {"keep", "blank", "drop"}, default="keep"
        What becomes of suppressed records. ``"keep"``: they stay, with all their other
        columns, so that they are none or at least k that keep all constraints, like any
        class; a few more are suppressed for that. ``"blank"``: there may be fewer, and
        their sensitive and unchanged columns are emptied, too. ``"drop"``: their rows
        are left out, of ``transform`` as well.
    random_state : int, RandomState or None
        An int makes the release reproducible.
    n_jobs : int or None
        How much may run side by side, where the algorithm has use for it. Blocks and
        the refinement take all processors by default; results do not depend on it.
    verbose : int, default=0
        1 tells progress on the error stream.

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
        The loss of the release; 0 for the original table. From 0 to 1 for ``"lm"``,
        ``"tree"``, ``"byun"`` and ``"ncp"``; of at least 0, in bits, for ``"entropy"``
        and ``"mi"``; in bits for ``"pmi"``, which may be negative, see there. A
        ``ClassPenalty`` adds up to its factor.
    column_losses_ : dict from column to float
        The same, by quasi-identifier and without weights.
    hierarchies_ : dict from column to Hierarchy
        The hierarchies that were used.
    unchanged_ : Unchanged
        What is published as it is, and how many records that singles out: its
        ``columns``, ``index``, ``records``, ``alone`` and ``together``.
    algorithm_ : ClusteringAnonymizer
        The algorithm with its parameters and what it tells about its run.
    optimality_gap_ : float
        How much less any k-anonymous release could lose, at most; if ``certify`` is
        given.
    feature_names_in_, n_features_in_
        As in scikit-learn.

    Notes
    -----
    A fitted anonymizer holds the fitted records, so it is as confidential as the
    table; :meth:`forget` gives a copy without them.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {
    ...         "age": [23, 25, 61, 64],
    ...         "town": ["Bern", "Bern", "Bonn", "Bern"],
    ...         "illness": ["flu", "none", "flu", "cold"],
    ...     }
    ... )
    >>> KAnonymizer(k=2, sensitive="illness", random_state=0).fit_transform(people)
            age  town illness
    0  [23, 25]  Bern     flu
    1  [23, 25]  Bern    none
    2  [61, 64]     *     flu
    3  [61, 64]     *    cold
    """

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "algorithm": [one_of({"auto"}), one_of(ALGORITHMS), ClusteringAnonymizer],
        "effort": one_of(EFFORTS),
        "refine": [at_least(0), one_of({"auto"})],
        "block_size": [at_least(2), one_of({"auto"}), None],
        "certify": [one_of(METHODS), None],
    }

    def __init__(
        self,
        k=5,
        *,
        algorithm="auto",
        effort="default",
        refine="auto",
        block_size="auto",
        on_interrupt="raise",
        certify=None,
        quasi_identifiers=None,
        hierarchies=None,
        loss="lm",
        constraints=(),
        sensitive=None,
        identifiers=None,
        encode="label",
        max_suppression=0.0,
        suppressed="keep",
        random_state=None,
        n_jobs=None,
        verbose=0,
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
        self.algorithm = algorithm
        self.effort = effort
        self.block_size = block_size
        self.certify = certify

    def _learn(
        self,
        table: pd.DataFrame,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
    ) -> None:
        if self.certify == "dual":
            check_shares(schema, codes)
        super()._learn(table, schema, codes, sensitive)
        if self.certify is None:
            return
        search = DualSearch(
            on_interrupt="return" if self.on_interrupt == "release" else "raise",
            verbose=self.verbose,
        )
        bounds = record_bounds(schema, codes, sensitive, self.k, self.certify, search)
        self.optimality_gap_ = self.information_loss_ - float(bounds.mean())

    def _cluster(self, problem: Problem) -> np.ndarray:
        block_size = self.block_size
        if self.algorithm == "auto":
            algorithm, wanted = planned(problem, self.effort)
            self.algorithm_ = self._configured(algorithm)
            block_size = wanted if block_size == "auto" else block_size
        if block_size is None or block_size == "auto":
            return self.algorithm_._cluster(problem)
        return cluster_in_blocks(problem, self.algorithm_, block_size)

    def _visits(self, n: int, r: int) -> int:
        if self.refine != "auto":
            return int(self.refine)
        chosen = getattr(self, "algorithm_", None)
        if isinstance(chosen, OptimalAnonymizer):
            return 0
        return visits_of(n, self.k, r, self.effort)

    def _expected_seconds(self, n: int, r: int) -> float:
        block_size = self.block_size
        if block_size == "auto":
            auto = self.algorithm == "auto"
            block_size = block_size_of(self.k, self.effort) if auto else None
        given, visits = self._given(), self._visits(n, r)
        return expected_seconds(
            given.seconds,
            given.growth,
            n,
            r,
            block_size=block_size,
            visits=visits,
            k=self.k,
            slowness=as_loss(self.loss).slowness,
        )

    def _given(self) -> ClusteringAnonymizer:
        """Make the given algorithm; one that it may be where it is left open."""
        given = self.algorithm
        if not isinstance(given, str):
            return clone(given)
        return ALGORITHMS["agglomerative" if given == "auto" else given]()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        size = self.block_size
        if not isinstance(size, str) and size is not None and size < 2 * self.k:
            raise ParameterError(
                f"block_size is {size}, but blocks need at least 2k = {2 * self.k} "
                "records. Raise it, or give None for no blocks."
            )
        self.algorithm_ = self._configured(self._given())

    def _configured(self, algorithm: ClusteringAnonymizer) -> ClusteringAnonymizer:
        """Hand on the parameters that both have, and check all."""
        hand_on(self, algorithm, _SHARED)
        algorithm.set_params(refine=0)  # that is done here, afterwards
        algorithm._check_parameters()
        return algorithm

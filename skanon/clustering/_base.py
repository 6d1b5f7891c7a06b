"""Anonymizers that put records into equivalence classes, written once."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from skanon._base import BaseAnonymizer
from skanon._parameters import ANYTHING, at_least, from_to, one_of, own_names
from skanon._problem import Problem
from skanon._release.classes import Classes, one_label_each, published_values
from skanon._release.suppression import (
    SUPPRESSIONS,
    max_suppressed,
    paid,
    suppress,
)
from skanon._table.containers import check_may_be_missing
from skanon._table.schema import Schema
from skanon.clustering._effort import announce, expected_seconds
from skanon.clustering._leftovers import readmitted
from skanon.clustering._refinement import refined
from skanon.constraints import SensitiveAttribute
from skanon.constraints._bound import (
    BoundConstraint,
    bind_constraints,
    of_records,
    repair,
)
from skanon.exceptions import ColumnError, ReleaseError
from skanon.losses._named import as_loss


class ClusteringAnonymizer(BaseAnonymizer):
    """Learn and check equivalence classes; what is left to an algorithm is to cluster.

    A subclass writes ``_cluster(problem)``, which returns a label for each record,
    with at least k records to a label, and names its own parameters in
    ``_parameter_rules``. By its ``word`` it is known to ``KAnonymizer`` and the
    studio.

    Attributes
    ----------
    word, title, summary : str
        What it is called in a call and for people, and what it does, in a sentence.
    position : int
        Where it stands when algorithms are offered.
    seconds, growth : float
        What Adult, 45,222 x 8, takes at k = 5 on one core, and the power of the number
        of records that this grows with; NaN where not measured.
    most_records : int or None
        It refuses more.
    """

    word: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    position: ClassVar[int] = 1000
    seconds: ClassVar[float] = math.nan
    growth: ClassVar[float] = 1
    most_records: ClassVar[int | None] = None

    _model = "k"

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **BaseAnonymizer._parameter_rules,
        # checked with the sensitive attributes at hand
        "constraints": ANYTHING,
        "max_suppression": from_to(0, 1),
        "suppressed": one_of(SUPPRESSIONS),
        "refine": at_least(0),
        "on_interrupt": one_of({"raise", "release"}),
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
        self.constraints = constraints
        self.max_suppression = max_suppression
        self.suppressed = suppressed
        self.refine = refine
        self.on_interrupt = on_interrupt

    @classmethod
    def _own_names(cls) -> list[str]:
        return own_names(cls, ClusteringAnonymizer)

    @abstractmethod
    def _cluster(self, problem: Problem) -> np.ndarray:
        """Put the records into clusters of at least k.

        Returns
        -------
        ndarray of int, shape (n,)
            Labels; records of equal labels form a cluster.
        """

    def _learn(
        self,
        table: pd.DataFrame,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
    ) -> None:
        bound_constraints = bind_constraints(self.constraints, self._sensitive)
        n, r = codes.shape
        seconds, slowness = self._expected_seconds(n, r), as_loss(self.loss).slowness
        announce(seconds, n, r, self.k, slowness)

        def cluster(rows: np.ndarray) -> np.ndarray | None:
            own = of_records(bound_constraints, rows)
            return self._clusters(schema, codes[rows], sensitive[rows], own)

        def republished(labels: np.ndarray) -> list[BoundConstraint]:
            return self._republished(bound_constraints, labels)

        labels = cluster(np.arange(len(codes)))
        assert labels is not None  # one class of all records keeps all promises
        suppressing = (
            self.k,
            self._outliers_allowed(),
            cluster,
            bound_constraints,
            None if self.suppressed == "keep" else republished,
        )
        found = suppress(schema, codes, sensitive, labels, *suppressing)
        if found is None:
            labels = self._readmitted(
                self._problem(schema, codes, sensitive, bound_constraints), labels
            )
            found = suppress(schema, codes, sensitive, labels, *suppressing)
        assert found is not None  # as nobody is suppressed
        classes, labels = Classes.of_clusters(schema, codes, found)
        self._publish(classes, labels, paid(schema, codes, sensitive, labels))
        self.suppressed_ = labels < 0
        self.n_classes_ = len(classes)
        self.class_sizes_ = np.bincount(
            labels[~self.suppressed_], minlength=self.n_classes_
        )
        self._check(bound_constraints)

    def _clusters(
        self,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
        bound_constraints: list[BoundConstraint],
    ) -> np.ndarray | None:
        """Cluster records; None where no clusters of them keep the promises."""
        if self.k == 1:
            if not bound_constraints:
                self._warn_of_one()
            labels = np.arange(len(codes))
        else:
            problem = self._problem(schema, codes, sensitive, bound_constraints)
            labels = one_label_each(self._cluster(problem), len(codes))
        kept = keeping_constraints(schema, codes, sensitive, labels, bound_constraints)
        if kept is None or self.k == 1:
            return kept
        return refined(problem, kept, self._visits(*codes.shape), self.on_interrupt)

    def _outliers_allowed(self) -> float:
        """Say what part of the records may be suppressed after the algorithm."""
        return float(self.max_suppression)

    def _visits(self, n: int, r: int) -> int:
        """Say how often the refinement visits each cluster."""
        return int(self.refine)

    def _expected_seconds(self, n: int, r: int) -> float:
        """Guess how long a fit of n records by r quasi-identifiers takes."""
        return expected_seconds(
            self.seconds,
            self.growth,
            n,
            r,
            visits=self._visits(n, r),
            k=self.k,
            slowness=as_loss(self.loss).slowness,
        )

    def _republished(
        self, bound_constraints: list[BoundConstraint], labels: np.ndarray
    ) -> list[BoundConstraint]:
        """Give the promises for a table whose suppressed records are not published."""
        if (labels >= 0).all() or (labels < 0).all():
            return bound_constraints
        found = []
        for bound_constraint in bound_constraints:
            name = bound_constraint.attribute.name
            column = published_values(self._sensitive[name], labels, self.suppressed)
            attribute, some = SensitiveAttribute.learn(column, name)
            codes = np.zeros(len(labels), dtype=np.int64)
            codes[column.index] = some
            found.append(BoundConstraint(bound_constraint.constraint, attribute, codes))
        return found

    def _readmitted(self, problem: Problem, labels: np.ndarray) -> np.ndarray:
        """Put suppressed records that cannot hide among themselves into clusters."""
        labels = readmitted(problem, labels, labels < 0)
        kept = keeping_constraints(
            problem.schema,
            problem.codes,
            problem.sensitive,
            labels,
            problem.bound_constraints,
        )
        assert kept is not None  # one class of all records keeps all promises
        return kept

    def _check_may_be_missing(self, frame: pd.DataFrame) -> None:
        """Check that columns can hold what suppressed records are published as."""
        if not max_suppressed(self.max_suppression, len(frame)):
            return
        if self.suppressed == "blank":
            apart = [c for c in self._sensitive if c not in self._roles.sensitive]
            if apart:
                raise ColumnError(
                    "suppressed='blank' empties cells of the table, but the sensitive "
                    f"attribute {apart[0]!r} was given beside it. Make it a column of "
                    "the table, or use suppressed='keep' or 'drop'."
                )
            for name in self._unchanged():
                check_may_be_missing(frame[name], "or use suppressed='keep' or 'drop'")
        if self.suppressed != "drop" and self.encode in ("representative", "bounds"):
            for name in self._roles.quasi_identifiers:
                remedy = "or use suppressed='drop' or encode='label'"
                check_may_be_missing(frame[name], remedy)

    def _check(self, bound_constraints: list[BoundConstraint]) -> None:
        allowed = max_suppressed(self.max_suppression, len(self.labels_))
        n_suppressed = int(self.suppressed_.sum())
        if n_suppressed > allowed:
            raise ReleaseError(
                f"The release suppresses {n_suppressed} records, but max_suppression "
                f"allows {allowed}. Do not publish it: the algorithm is at fault."
            )
        self._classes.check_coverage(self._codes, self.labels_)
        constraints = [
            (p.constraint, self._sensitive[p.attribute.name]) for p in bound_constraints
        ]
        self._classes.check(
            self.labels_, self.encode, self.k, self.suppressed, constraints
        )

    def _linked(self) -> np.ndarray:
        linked = self.class_sizes_[self.labels_[~self.suppressed_]]
        if self.suppressed != "keep":
            return linked
        n_suppressed = int(self.suppressed_.sum())  # who hide among themselves
        return np.append(linked, np.full(n_suppressed, n_suppressed))


def keeping_constraints(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    labels: np.ndarray,
    bound_constraints: list[BoundConstraint],
) -> np.ndarray | None:
    """Unite clusters that break a promise, with suppressed records where need be.

    Returns
    -------
    ndarray of int, shape (n,), or None
        None where even one cluster of all records breaks a promise.
    """
    mended = repair(schema, codes, sensitive, labels, bound_constraints)
    if mended is None and (labels < 0).any():  # the rest cannot keep them alone
        labels = np.where(labels < 0, labels.max() + 1, labels)
        mended = repair(schema, codes, sensitive, labels, bound_constraints)
    return mended

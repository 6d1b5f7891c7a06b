"""Making anybody's release better."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from skanon._parameters import check_option
from skanon._problem import Problem
from skanon._release.suppression import paid
from skanon._table.roles import assign_roles
from skanon.clustering._agglomerative import AgglomerativeAnonymizer
from skanon.clustering._base import ClusteringAnonymizer, keeping_constraints
from skanon.clustering._effort import EFFORTS, block_size_of, visits_of
from skanon.clustering._engine import cluster_in_blocks
from skanon.clustering._leftovers import readmitted
from skanon.constraints._bound import broken, members_of
from skanon.exceptions import ParameterError, ReleaseError, in_short
from skanon.metrics._reading import check_columns, same_rows
from skanon.privacy._classes import Classes, classify

NAMED = 3
"""So many classes an error names."""


def refine(
    original: Any,
    released: Any,
    k: int,
    *,
    quasi_identifiers: Any = None,
    hierarchies: Any = None,
    loss: Any = "lm",
    constraints: Any = (),
    sensitive: Any = None,
    identifiers: Any = None,
    encode: str = "label",
    suppressed: str = "keep",
    effort: str = "default",
    visits: int | None = None,
    repair: bool = False,
    on_interrupt: str = "raise",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Any:
    """Make a better release of one that ARX, sdcMicro or skanon has made.

    Records that the release makes alike are its classes. Those of 2k records and more
    are parted; then pools of near classes are clustered anew, again and again, where
    that loses less, as ``KAnonymizer`` does by default. Each class is then published as
    the least that covers it. What the given release promises is promised by the new
    one, and checked.

    Parameters
    ----------
    original : DataFrame of shape (n, n_columns)
        The raw table.
    released : DataFrame of shape (n, n_columns_out)
        Its release: the same records in the same order, with a column for each
        quasi-identifier. How it writes generalized values does not matter. Fewer than
        k records with ``*`` in all quasi-identifiers are suppressed (see there).
    k : int
        The least number of records that share their generalized quasi-identifiers.
    quasi_identifiers, hierarchies, loss, constraints, sensitive, identifiers, encode
        As in :class:`~skanon.KAnonymizer`. With other hierarchies than the given
        release has used, classes may lose more than they did there.
    suppressed : {"keep", "blank", "drop"}, default="keep"
        What becomes of fewer than k suppressed records: ``"keep"`` puts them into the
        classes where they cost least; otherwise they stay suppressed, and are published
        as in :class:`~skanon.KAnonymizer`.
    effort : {"fast", "default", "high"}, default="default"
        How much work is done.
    visits : int, default=None
        How often each class is visited; None: by the effort and the size of the table.
        0: the classes stay as they are.
    repair : bool, default=False
        Whether records of classes that break a promise may be put elsewhere first,
        instead of an error.
    on_interrupt, random_state, n_jobs, verbose
        As in :class:`~skanon.KAnonymizer`.

    Returns
    -------
    DataFrame of shape (n, n_columns_out)
        As ``KAnonymizer.fit_transform`` gives it.

    Raises
    ------
    ReleaseError
        A class has fewer than k records or breaks a constraint, and ``repair`` is
        False.
    AnonymizationError
        The tables do not fit together, or a parameter is unfit.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 61, 23, 64, 21, 66]})
    >>> coarse = pd.DataFrame({"age": ["20-70"] * 6})
    >>> refine(people, coarse, 3)["age"].tolist()
    ['[20, 23]', '[61, 66]', '[20, 23]', '[61, 66]', '[20, 23]', '[61, 66]']
    """
    given = _Given(
        k,
        quasi_identifiers=quasi_identifiers,
        hierarchies=hierarchies,
        loss=loss,
        constraints=constraints,
        sensitive=sensitive,
        identifiers=identifiers,
        encode=encode,
        suppressed=suppressed,
        on_interrupt=on_interrupt,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    check_option("effort", effort, tuple(EFFORTS))
    if visits is not None and not (isinstance(visits, Integral) and visits >= 0):
        raise ParameterError(
            f"visits is {in_short(visits)}. Give a whole number from 0, or None."
        )
    given._check_parameters()
    frame, published = same_rows(original, released)
    names = assign_roles(
        frame.columns, quasi_identifiers, sensitive, identifiers, frame.index.names
    ).quasi_identifiers
    check_columns(names, published)
    classes = classify(published[list(names)], None, "*")
    hidden = int((classes.of_row < 0).sum())
    if visits is None:
        visits = visits_of(len(frame), k, len(names), effort)
    stay = suppressed != "keep" and hidden < k
    share = hidden / len(frame) if stay else 0.0
    given.set_params(refine=visits, max_suppression=share)
    given.take(classes, repair)
    return given.fit_transform(original)


class _Given(ClusteringAnonymizer):
    """Classes that somebody else has made."""

    _called: ClassVar[str] = "refine"

    def take(self, classes: Classes, repair: bool) -> None:
        """Begin with these classes."""
        self._given, self._repair = classes, repair

    def _cluster(self, problem: Problem) -> np.ndarray:
        if len(problem.codes) != len(self._given.of_row):
            return np.zeros(len(problem.codes), dtype=np.int64)  # a second try
        labels = self._given.of_row
        n_hidden = int((labels < 0).sum())
        if n_hidden >= self.k:  # they hide among themselves
            labels = np.where(labels < 0, len(self._given.sizes), labels)
        elif n_hidden and self.suppressed == "keep":
            labels = readmitted(problem, labels, labels < 0)
        small = np.bincount(labels[labels >= 0]) < self.k
        if small.any():
            if not self._repair:
                raise ReleaseError(_too_small(self._given, self.k))
            labels = readmitted(problem, labels, (labels >= 0) & small[labels])
        clusters = members_of(labels, int(labels.max()) + 1)
        bad = np.flatnonzero(broken(problem.bound_constraints, clusters))
        if len(bad) and not self._repair:
            raise ReleaseError(_broken(self._given, bad))
        return labels if self.refine == 0 else _parted(problem, labels, clusters)


def _parted(
    problem: Problem, labels: np.ndarray, clusters: list[np.ndarray]
) -> np.ndarray:
    """Cluster the records of each class of 2k and more by themselves, if that pays."""
    labels = labels.copy()
    last = len(clusters)
    size = block_size_of(problem.k, "default")
    for part in clusters:
        if len(part) < 2 * problem.k:
            continue
        own = problem.part(part)
        found = cluster_in_blocks(own, AgglomerativeAnonymizer(problem.k), size)
        kept = keeping_constraints(
            own.schema, own.codes, own.sensitive, found, own.bound_constraints
        )
        whole = np.zeros(len(part), dtype=np.int64)
        table = own.schema, own.codes, own.sensitive
        if kept is not None and paid(*table, kept).sum() < paid(*table, whole).sum():
            labels[part] = last + kept
            last += kept.max() + 1
    return labels


def _too_small(classes: Classes, k: int) -> str:
    small = classes.too_small(k)
    return (
        f"{len(small)} of {len(classes.sizes)} classes of the release have fewer than "
        f"k={k} records: {_named(classes, small)}. Give repair=True to put their "
        "records elsewhere, or the k that the release keeps."
    )


def _broken(classes: Classes, bad: np.ndarray) -> str:
    return (
        f"{len(bad)} of {len(classes.sizes)} classes of the release break a "
        f"constraint: {_named(classes, bad)}. Give repair=True to unite them with "
        "others, or leave the constraint out."
    )


def _named(classes: Classes, numbers: np.ndarray) -> str:
    some = [number for number in numbers[:NAMED] if number < len(classes.sizes)]
    told = []
    for number, rows in zip(some, classes.rows_of(np.array(some)), strict=True):
        row = classes.published.iloc[rows[0]]
        values = ", ".join(f"{name}={value}" for name, value in row.items())
        told.append(f"{classes.sizes[number]} records of {values}")
    more = len(numbers) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")

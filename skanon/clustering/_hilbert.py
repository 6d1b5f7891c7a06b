"""Clusters along a Hilbert curve, improved as Goldberger & Tassa (2010) propose."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from skanon._parameters import TRUTH
from skanon._problem import Problem
from skanon._table.domain import ON_A_LINE
from skanon.clustering._base import ClusteringAnonymizer
from skanon.hierarchies import BoundHierarchy

CHUNK = 2_000_000
"""So many records are added to clusters in one compiled call; Ctrl+C is heard."""

MAX_BITS = 31


class HilbertAnonymizer(ClusteringAnonymizer):
    """k-anonymity along a space-filling curve: very fast.

    The quasi-identifiers are coordinates, and the records are ordered by their places
    on a Hilbert curve, where records that are near to each other have near places. That
    line is then cut into clusters of k to 2 k - 1 records, in the best of all ways, by
    dynamic programming.

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
    rescale : bool, default=True
        Whether all quasi-identifiers are stretched to the same range before (the
        improved algorithm); else the curve fills the smallest box first, and tears
        records apart that differ in a column of large numbers only.

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
    What the paper leaves open: whole numbers are coordinates as they are, less the
    smallest; other numbers, dates and ordered categories by their rank; categories in
    the order of their taxonomy's leaves, or of the alphabet. A missing value lies
    beyond the largest. Coordinates are limited to 31 bits, to which larger ranges are
    shrunk. The curve is Skilling's. Stretching goes to the largest column's range, in
    proportion to the numbers' distances. Records with equal places keep the table's
    order.

    For losses that may fall as subsets grow (entropy, PMI), clusters of 2 k and more
    could cost less; they are not looked at.

    References
    ----------
    Goldberger & Tassa, "Efficient anonymizations with enhanced utility", Transactions
    on Data Privacy 3 (2010), section 6.2.3; the algorithm is that of Ghinita et al.,
    "Fast data anonymization with low information loss", VLDB 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [23, 25, 61, 64], "town": ["Bern", "Bern", "Bonn", "Bern"]}
    ... )
    >>> HilbertAnonymizer(k=2).fit_transform(people)
            age  town
    0  [23, 25]  Bern
    1  [23, 25]  Bern
    2  [61, 64]     *
    3  [61, 64]     *
    """

    word = "hilbert"
    title = "Hilbert (fast)"
    summary = "Sorts the records along a curve and cuts it into pieces."
    position = 1
    seconds, growth = 0.3, 1

    _parameter_rules: ClassVar[dict[str, Any]] = {
        **ClusteringAnonymizer._parameter_rules,
        "rescale": TRUTH,
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
        rescale=True,
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
        self.rescale = rescale

    def _cluster(self, problem: Problem) -> np.ndarray:
        from skanon.kernels.clustering.hilbert import RUN, cut_line
        from skanon.kernels.core.closures import states_of

        places = [coordinates(bound) for bound in problem.schema.bounds]
        points = to_box(places, bool(self.rescale))
        placed = zip(points, problem.codes.T, strict=True)
        line = along_curve(np.stack([at[codes] for at, codes in placed], axis=1))
        n, k = len(line), problem.k
        least, size = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
        least[0] = 0.0
        columns = problem.schema.columns
        run = np.arange(n) // RUN
        runs = states_of(
            columns.layout, columns.tree, problem.codes[line], run, int(run[-1]) + 1
        )
        step = max(CHUNK // (2 * k), 1)
        for begin in range(0, n, step):
            cut_line(
                columns,
                problem.codes,
                problem.sensitive,
                line,
                runs,
                k,
                least,
                size,
                begin,
                min(begin + step, n),
            )
        return labels_of_cuts(line, size)


def coordinates(bound: BoundHierarchy) -> np.ndarray:
    """Place a column's values on an axis, from 0 on.

    Returns
    -------
    ndarray of float64, shape (n_codes,)
    """
    m = bound.n_codes - (bound.missing >= 0)
    places = np.arange(bound.n_codes, dtype=np.float64)
    if bound.domain.kind in ON_A_LINE and m and bound.placed[:m].all():
        line = bound.line[:m]
        if (line == np.round(line)).all():
            places[:m] = bound.offsets()[:m]
        else:
            places[:m] = np.argsort(np.argsort(line, kind="stable"))
        places[m:] = places[:m].max() + 1
    return places


def to_box(places: list[np.ndarray], rescale: bool) -> list[np.ndarray]:
    """Round coordinates to whole numbers in a box of equal sides, at most 31 bits.

    Returns
    -------
    list of ndarray of int64, each of shape (n_codes,)
    """
    longest = max(float(at.max()) for at in places)
    side = min(max(longest, 1.0), 2.0**MAX_BITS - 1)
    box = []
    for at in places:
        own = float(at.max()) if rescale else longest
        factor = side / own if own and (rescale or own > side) else 1.0
        box.append(np.round(at * factor).astype(np.int64))
    return box


def along_curve(points: np.ndarray) -> np.ndarray:
    """Order points along a Hilbert curve.

    Parameters
    ----------
    points : ndarray of int64, shape (n, r)
        Coordinates of at least 0.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    from skanon.kernels.clustering.hilbert import hilbert_planes

    n_bits = max(int(points.max()).bit_length(), 1)
    digits = points.copy()
    hilbert_planes(digits, n_bits)
    keys = []
    for bit in range(n_bits):  # lexsort takes the least telling key first
        plane = (digits >> bit) & 1
        for first in range(-(-plane.shape[1] // 62) * 62 - 62, -1, -62):
            part = plane[:, first : first + 62]
            powers = np.int64(1) << np.arange(part.shape[1] - 1, -1, -1)
            keys.append(part @ powers)
    return np.lexsort(keys)


def labels_of_cuts(line: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Label records by the clusters that a line was cut into.

    Parameters
    ----------
    line : ndarray of int, shape (n,)
    size : ndarray of int, shape (n + 1,)
        The size of the last cluster of the first m records.
    """
    labels = np.empty(len(line), dtype=np.int64)
    end, label = len(line), 0
    while end > 0:
        labels[line[end - size[end] : end]] = label
        end, label = end - size[end], label + 1
    return labels

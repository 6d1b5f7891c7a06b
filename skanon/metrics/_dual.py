"""The lower bound that looks at whole classes, by linear programming.

Every record i gets a *share* s_i. Say that any k records together cost at least the sum
of their shares, were they one class::

    sum of s_i over T  <=  k c(T)    for every group T of k records,    (1)

where c(T) is the least that the closure of T, and whatever covers it, costs a record;
and that no share is more than a suppressed record pays. Then no k-anonymous release
costs less than the sum of all shares. For let S be a class, of k records or more. The
average of the shares over S is the average, over all groups T of k of its records, of
the averages over T, each of which is at most c(T) <= c(S) by (1). So S pays at least
its shares; so does each suppressed record; and these are all records.

The best shares are the solution of a linear program with the rows (1): the dual of the
relaxed set partition that Aloise, Hansen and Rocha solve for microaggregation. Rows are
too many to write down, so they are searched for (``kernels.bounds.groups``), and added:
cutting planes. In between shares may only move inside of a box around the best ones so
far, for solutions of few rows lie far apart.

Shares that exceed some rows still give a bound. Let the records have an order, and take
from each record i the greatest excess of a group whose first record is i. Then (1)
holds: a group lost at least its own excess with its first record, and gained nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import coo_array

from skanon._parallel import n_threads
from skanon._parameters import check_option
from skanon._progress import progress
from skanon._table.schema import Schema, tuple_ids
from skanon.exceptions import AnonymizationError, ParameterError, in_short

MOST_RECORDS = 6_000
"""Of so many different records all pairs are kept: 12 bytes for each."""

BRANCHES = 2_000
"""A search from one record enters so many branches, then says what is possible."""

ROUNDING = 1e-9
"""By so much shares may exceed a row in a linear program; it is taken off again."""

CLOSE = 1e-3
"""The search ends where no shares at all can raise the bound by this part of it."""


@dataclass(frozen=True)
class DualSearch:
    """How the search for shares goes.

    Attributes
    ----------
    max_iter : int
        So many linear programs are solved at most.
    on_interrupt : {"raise", "return"}
        What Ctrl+C does: any shares so far are a bound, too.
    verbose : int
    """

    max_iter: int = 50
    on_interrupt: str = "raise"
    verbose: int = 0

    def __post_init__(self) -> None:
        """Check the options as users give them."""
        most = self.max_iter
        if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
            raise ParameterError(
                f"max_iter is {in_short(most)}, but must be an integer of at least 1."
            )
        check_option("on_interrupt", self.on_interrupt, ("raise", "return"))


class _Rows:
    """The rows of the linear program that are known: groups, and what they cost."""

    def __init__(self, n: int, k: int, most: float) -> None:
        self.n, self.k, self.most = n, k, most
        self.costs: dict[bytes, float] = {}  # by the group's bytes

    def add(self, groups: np.ndarray, costs: np.ndarray) -> None:
        """Add those that are new."""
        for group, cost in zip(np.sort(groups, axis=1), costs, strict=True):
            self.costs.setdefault(group.tobytes(), float(cost))

    def solve(self, weight: np.ndarray, center: np.ndarray, box: float) -> np.ndarray:
        """Find the shares of the greatest sum that keep to all rows, in the box."""
        from scipy.optimize import linprog

        n_rows = len(self.costs)
        columns = np.frombuffer(b"".join(self.costs), dtype=np.int64)
        at = np.repeat(np.arange(n_rows), self.k), columns
        rows = coo_array((np.ones(len(columns)), at), (n_rows, self.n))
        solved = linprog(
            -weight.astype(float),
            A_ub=rows.tocsr(),  # records that are in a group twice count twice
            b_ub=np.array([*self.costs.values()]) + ROUNDING,
            bounds=np.column_stack([center - box, np.minimum(center + box, self.most)]),
            method="highs",
        )
        if solved.x is None:  # the center keeps to all rows, but for rounding
            raise AnonymizationError(
                f"The linear program was not solved: {solved.message} Use "
                "method='support'."
            )
        return np.asarray(solved.x)


class _Groups:
    """The search for groups of records whose shares exceed what they cost."""

    def __init__(
        self, schema: Schema, codes: np.ndarray, weight: np.ndarray, k: int
    ) -> None:
        from skanon.kernels.bounds.groups import open_branches, pairs_of

        n, r = codes.shape
        self.columns, self.k = schema.columns, k
        self.pairs = pairs_of(self.columns, codes, weight)
        width = schema.parts()[-1].stop
        self.rooms = [open_branches(n, r, width, k) for _ in range(n_threads(None))]
        self.random_state = np.random.RandomState(0)

    def search(
        self, shares: np.ndarray, slack: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Search from every record, in a random order.

        Returns
        -------
        groups : ndarray of int64, shape (n_groups, k)
        costs : ndarray of float64, shape (n_groups,)
            What all k records of each pay at least.
        taken : ndarray of float64, shape (n,)
            Less that, the shares are a bound.
        """
        from skanon.kernels.bounds.groups import worst_groups

        n = len(shares)
        rank = self.random_state.permutation(n)
        group = np.full((n, self.k), -1, dtype=np.int64)
        excess = np.zeros((n, 2))
        Parallel(n_jobs=len(self.rooms), prefer="threads")(
            delayed(worst_groups)(
                self.columns,
                self.columns.curve,
                self.pairs,
                shares,
                rank,
                np.arange(first, n, len(self.rooms)),
                slack,
                BRANCHES,
                room,
                group,
                excess,
            )
            for first, room in enumerate(self.rooms)
        )
        found = group[:, 0] >= 0
        groups = group[found]
        return groups, shares[groups].sum(axis=1) - excess[found, 0], excess[:, 1]


def check_shares(schema: Schema, codes: np.ndarray) -> None:
    """Refuse what :func:`share_bounds` is not for, before other work is done.

    Raises
    ------
    ParameterError
        There are too many different records, or costs look at the sensitive attribute.
    """
    curve = schema.columns.curve
    if curve is not None and curve.whole.shape[1] > 2:
        raise ParameterError(
            'method="dual" needs costs that are the same for all records of a class, '
            "but this loss looks at the sensitive attribute. Use method='support'."
        )
    n = int(tuple_ids(codes).max()) + 1
    if n > MOST_RECORDS:
        raise ParameterError(
            f'method="dual" compares all pairs of different records: {MOST_RECORDS:,} '
            f"at most, but the table has {n:,}. Use method='support'."
        )


def share_bounds(
    schema: Schema,
    codes: np.ndarray,
    floors: np.ndarray,
    own: float,
    k: int,
    search: DualSearch,
) -> np.ndarray:
    """Find shares whose sum no k-anonymous release falls below; see the module.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
        Both are fit for it by :func:`check_shares`.
    floors : ndarray of float64, shape (n,)
        What each record pays at least: the shares to begin with.
    own : float
        What they pay for their own values, on average: not told as loss.
    k : int
        At least 2.
    search : DualSearch

    Returns
    -------
    ndarray of float64, shape (n,)
        Only their sum is a bound; single ones are not.
    """
    different, row, weight = np.unique(
        codes, axis=0, return_inverse=True, return_counts=True
    )
    row = row.reshape(-1)
    best = np.full(len(weight), np.inf)
    np.minimum.at(best, row, floors)
    whole = float(schema.suppressed.min(axis=1).sum())
    groups = _Groups(schema, different, weight, k)
    rows = _Rows(len(weight), k, whole)
    highest = float(weight @ best)
    gap, box = whole * len(codes), whole / 50
    for n_solved in range(1, search.max_iter + 1):
        # what is hardly above a row is not worth a search
        slack = min(max(gap / len(codes) / 20, 1e-6 * whole), 1e-3 * whole)
        try:
            shares = rows.solve(weight, best, box)
            found, costs, taken = groups.search(shares, slack)
        except KeyboardInterrupt:
            if search.on_interrupt == "raise":
                raise
            break
        rows.add(found, costs)
        reached = float(weight @ (shares - taken))
        gap = float(weight @ shares) - max(reached, highest)
        if reached > highest:
            best, highest = shares - taken, reached
        else:
            box *= 0.7
        progress(
            search.verbose,
            f"{n_solved} linear programs: the loss is at least "
            f"{highest / len(codes) - own:.5f}",
        )
        close = gap <= CLOSE * highest
        if close and box >= whole:
            break
        if close:  # nearby
            box *= 4
    return best[row]

"""How little any k-anonymous release of a table can lose: certified lower bounds."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skanon._contract import Anonymizer
from skanon._parameters import check_option
from skanon._release.classes import check_feasible
from skanon._table.containers import as_frame
from skanon._table.roles import assign_roles, check_beside, check_hierarchies
from skanon._table.schema import Schema
from skanon._table.sensitive import sensitive_numbers
from skanon.exceptions import ColumnError, ParameterError, in_short
from skanon.losses import Loss
from skanon.losses._named import as_loss
from skanon.losses._terms import Ground
from skanon.metrics._dual import DualSearch, check_shares, share_bounds
from skanon.metrics._nested import ColumnLevels, build_levels, pack
from skanon.privacy._sensitive import is_label

METHODS = ("auto", "support", "neighbour", "dual")

QUOTA = 20_000_000
"""So many records are looked at in one compiled call, so that Ctrl+C is heard."""

MOST = 500_000_000
"""After so many, ``"auto"`` goes on to the next."""


def loss_lower_bound(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    k: int,
    loss: str | Loss = "lm",
    hierarchies: Any = None,
    sensitive: Any = None,
    method: str = "auto",
    per_record: bool = False,
    max_iter: int = 50,
    on_interrupt: str = "raise",
    verbose: int = 0,
) -> Any:
    """Certified lower bound of the information loss of every k-anonymous release.

    Whatever algorithm makes a release of this table, with these hierarchies and in
    equivalence classes of at least k records: its ``information_loss_`` is not below
    the bound, however many records it suppresses. How far the best release is above the
    bound is not known.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, n_columns)
        The table.
    quasi_identifiers : list of columns, or None
        None: all columns but the sensitive one.
    k : int
        The least number of records in a class.
    loss : str or Loss, default="lm"
        What generalization costs.
    hierarchies : mapping from column to hierarchy, or None
        What values may become, as anonymizers take it.
    sensitive : column label, array-like of shape (n,) or (n, n_sensitive), or None
        The sensitive attribute, where the loss looks at it.
    method : {"auto", "support", "neighbour", "dual"}, default="auto"
        How the bound is found; see the notes. ``"auto"``: by support, unless that is
        much work. ``"dual"`` is the highest, and takes minutes for thousands of
        records.
    per_record : bool, default=False
        Whether to return what each record loses at least, instead of the average.
    max_iter : int, default=50
        Of ``"dual"``: it solves so many linear programs at most. Fewer give a lower
        bound, which holds as well.
    on_interrupt : {"raise", "return"}, default="raise"
        What Ctrl+C does during ``"dual"``; its bound so far holds as well.
    verbose : int, default=0
        From 1 on, ``"dual"`` writes the bound after each linear program to the error
        stream.

    Returns
    -------
    float or ndarray of shape (n,)
        0 stands for the original table, as in ``information_loss_``. The single bounds
        do not hold all at once for one release any better than their average. Those of
        ``"dual"`` hold in their sum only.

    Raises
    ------
    ColumnError, HierarchyError
        The table, a hierarchy or the sensitive attribute is unfit.
    ParameterError
        k, the loss or an option is unfit; or ``"dual"`` is not for this
        loss, or not for so many records.
    InfeasibleError
        The table has fewer than k records.

    Notes
    -----
    ``"support"``: a record's class lies inside of some generalized record that covers
    it and at least k records, so that it pays at least what the cheapest of these
    costs. All of them are looked at, save those that cannot be the cheapest. Where all
    hierarchies are trees (:class:`~skanon.hierarchies.Taxonomy`,
    :class:`~skanon.hierarchies.Suppression`) the result is exactly this minimum, which
    is what an optimal (k,1)-anonymization loses. Intervals and sets are too many to
    look at. Of these it is only considered whether they are single values, and if not,
    what the others cost at least: a subset of one column that covers k of the records
    in question; and with all these columns together, the k nearest of the records, as
    below. The time may grow exponentially with the number of columns; Adult's 45,222
    records with 14 attributes that can be suppressed take about a second.

    ``"neighbour"``: a class holds k - 1 other records, so that a record pays at least
    what the generalized record costs that covers it and the (k-1)-th nearest other.
    Here the nearest are those whose closure with the record costs least, where each
    column counts at least what a subset with k records of the whole table costs. The
    time grows with the square of the number of records, at worst; the result is never
    above that of ``"support"``.

    ``"dual"``: all records of a class pay for its closure, so that the k records that
    one of them would like best must suit each other. The bound is that of the linear
    relaxation of the partition into classes, by cutting planes; the proof is in
    ``docs/metrics.md``. It begins with that of ``"auto"`` and is never below. It is for
    tables of up to 6,000 different records and for small k; of large k less is found,
    since a search from one record ends after 2,000 branches. Not for losses that look
    at the sensitive attribute. What is computed is the same on all machines that solve
    linear programs alike, for any number of processors.

    ``"auto"`` looks at 500 million records at most before it gives a method up
    (some 20 seconds). After ``"support"`` it tries the same with intervals and
    sets left out of the walk, then ``"neighbour"``, and at last columns one by one.

    Suppressed records pay at least as much as one that is published as ``*`` in every
    column, which covers all records; so suppression cannot lead below the bound. Of a
    :class:`~skanon.losses.ClassPenalty`, nothing is counted. Where costs may fall as
    subsets grow (entropy, private mutual information), trees are still exact; of
    intervals and sets the least that they and all larger ones cost is taken.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), for
    (k,1)-anonymity.

    D. Aloise, P. Hansen, C. Rocha, A column generation algorithm for microaggregation
    (2014), for the relaxed partition.

    See Also
    --------
    optimality_gap : How far a fitted anonymizer is above the bound.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.metrics import loss_lower_bound
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64], "sex": list("ffmf")})
    >>> round(loss_lower_bound(people, k=2), 4)
    0.3333
    >>> loss_lower_bound(people, k=2, per_record=True).round(3).tolist()
    [0.167, 0.167, 0.667, 0.333]
    """
    check_option("method", method, METHODS)
    search = DualSearch(max_iter, on_interrupt, verbose)
    if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
        raise ParameterError(
            f"k is {in_short(k)}, but must be an integer of at least 1."
        )
    frame = as_frame(X)
    label = [sensitive] if is_label(sensitive, frame) else []
    roles = assign_roles(frame.columns, quasi_identifiers, label, None)
    values = None if label else sensitive
    check_beside(X, len(frame), sensitive=values)
    given = check_hierarchies(frame.columns, hierarchies)
    check_feasible(int(k), len(frame))
    wanted = as_loss(loss)
    numbers = sensitive_numbers(wanted, values, frame[label])
    table = frame[roles.quasi_identifiers]
    schema, codes = Schema.learn(table, given, wanted, numbers)
    bounds = record_bounds(schema, codes, numbers, int(k), method, search)
    return bounds if per_record else float(bounds.mean())


def optimality_gap(
    anonymizer: Anonymizer,
    X: Any,
    y: Any = None,
    *,
    method: str = "auto",
    max_iter: int = 50,
    on_interrupt: str = "raise",
    verbose: int = 0,
) -> float:
    """How much of an anonymizer's information loss might be avoided, at most.

    Its ``information_loss_`` less the lower bound of :func:`loss_lower_bound` for the
    same table, k, loss and hierarchies: no other k-anonymous release of the table
    loses less by more than that.

    Parameters
    ----------
    anonymizer : Anonymizer
        Fitted.
    X : DataFrame or array-like of shape (n, n_columns)
        The table that it was fitted on.
    y : array-like of shape (n,), or None
        The sensitive attribute that it was fitted with, where its loss looks at it.
    method : {"auto", "support", "neighbour", "dual"}, default="auto"
    max_iter : int, default=50
    on_interrupt : {"raise", "return"}, default="raise"
    verbose : int, default=0
        See :func:`loss_lower_bound`.

    Returns
    -------
    float
        At least 0, and 0 only for a release that loses no more than necessary.

    Raises
    ------
    NotFittedError
    ColumnError
        ``X`` is not what the anonymizer was fitted on.
    ParameterError
        An option is unfit, or the anonymizer has forgotten its records.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> from skanon.metrics import optimality_gap
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64], "sex": list("ffmf")})
    >>> anonymizer = KAnonymizer(k=2, random_state=0).fit(people)
    >>> gap = optimality_gap(anonymizer, people)
    >>> round(gap, 4), round(gap / anonymizer.information_loss_, 2)
    (0.0833, 0.2)
    """
    check_option("method", method, METHODS)
    search = DualSearch(max_iter, on_interrupt, verbose)
    check_is_fitted(anonymizer)
    if not hasattr(anonymizer, "_codes"):
        raise ParameterError(
            "The anonymizer has forgotten the records that it was fitted on, so that "
            "nothing tells whether X is the same table. Use the one that forget() was "
            "called on."
        )
    frame = anonymizer._read(X, reset=False)
    check_beside(X, len(frame), y=y)
    schema, codes = anonymizer._classes.schema, anonymizer._codes
    given, _ = schema.encode(frame[schema.names])
    sensitive = sensitive_numbers(
        as_loss(anonymizer.loss), y, frame[anonymizer._roles.sensitive]
    )
    if not (np.array_equal(given, codes) and _are_fitted(sensitive, schema, codes)):
        raise ColumnError(
            "X and y are not what the anonymizer was fitted on. Give the same table, "
            "with its rows in their order."
        )
    bounds = record_bounds(schema, codes, sensitive, anonymizer.k, method, search)
    return float(anonymizer.information_loss_ - bounds.mean())


def _are_fitted(sensitive: np.ndarray, schema: Schema, codes: np.ndarray) -> bool:
    """Tell whether sensitive values are spread as those that were fitted."""
    return all(
        np.array_equal(
            Ground.learn(cost.ground.bound, column, sensitive).by_sensitive,
            cost.ground.by_sensitive,
        )
        for cost, column in zip(schema.costs, codes.T, strict=True)
    )


def record_bounds(
    schema: Schema,
    codes: np.ndarray,
    sensitive: np.ndarray,
    k: int,
    method: str,
    search: DualSearch,
) -> np.ndarray:
    """Bound what each record pays, less what it pays for its own values.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, r)
    sensitive : ndarray of int32, shape (n,)
    k : int
    method : {"auto", "support", "neighbour", "dual"}
    search : DualSearch

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    by_shares = method == "dual" and k > 1
    if by_shares:
        check_shares(schema, codes)
    levels = [build_levels(schema, codes, sensitive, j, k) for j in range(len(codes.T))]
    own = np.sum([column_levels.own for column_levels in levels], axis=0)
    base = np.zeros(len(codes))
    for column_levels in levels:
        if not column_levels.matters:
            base += column_levels.least[column_levels.item]
    levels = [column_levels for column_levels in levels if column_levels.matters]
    if not levels:
        return base - own
    base += _floors(schema, levels, k, method)
    if by_shares:
        base = share_bounds(schema, codes, base, float(own.mean()), k, search)
    return base - own


def _floors(
    schema: Schema, levels: list[ColumnLevels], k: int, method: str
) -> np.ndarray:
    """Find what the records pay at least in columns that matter."""
    # many values first: they leave few sets of k records
    levels = sorted(levels, key=lambda column_levels: -len(column_levels.code))
    most = MOST if method in ("auto", "dual") else None
    for chosen in _choices(levels, method):
        found = _walk(schema, chosen, k, most)
        if found is not None:
            break
    assert found is not None  # the last, all columns open, does not give up
    return found


def _choices(levels: list[ColumnLevels], method: str) -> list[list[ColumnLevels]]:
    """List what is tried in turn: levels, some of which are opened."""
    opened = [column_levels.opened() for column_levels in levels]
    trees = [x if x.is_tree else y for x, y in zip(levels, opened, strict=True)]
    if method == "neighbour":
        return [opened]
    if method == "support":
        return [levels]
    n_trees = sum(column_levels.is_tree for column_levels in levels)
    return [levels, *([trees] if 0 < n_trees < len(levels) else []), opened]


def _walk(
    schema: Schema, levels: list[ColumnLevels], k: int, most: int | None
) -> np.ndarray | None:
    """Find what the records pay at least in the levels' columns.

    Parameters
    ----------
    schema : Schema
    levels : list of ColumnLevels
    k : int
    most : int or None
        After looking at so many records, give up; or, where all columns are open,
        search no more neighbours.

    Returns
    -------
    ndarray of float64, shape (n,), or None
        None where it was given up.
    """
    from skanon.kernels.bounds.neighbours import make_nearest, make_trie
    from skanon.kernels.bounds.support import resume, start_walk
    from skanon.kernels.bounds.windows import make_counts

    # open columns first: they bound each set by themselves
    levels = sorted(levels, key=lambda column_levels: column_levels.opens > 0)
    packed, item = pack(levels)
    rows, row, weights = np.unique(
        item, axis=0, return_inverse=True, return_counts=True
    )
    n, r = rows.shape
    rest = np.zeros((n, r + 1))  # what columns from the given one on cost at least
    rest[:, :-1] = np.cumsum(packed.least[rows][:, ::-1], axis=1)[:, ::-1]
    n_open = sum(not column_levels.is_tree for column_levels in levels)
    n_items, width = len(packed.code), schema.parts()[-1].stop
    walk, scratch = start_walk(weights, r, n_open)
    nearby = (
        make_trie(n, n_open, n_items),
        make_nearest(k, n_open, n_items, width),
        make_counts(n, width),
    )
    table = schema.columns, packed, rows, rest
    done, search = 0, True
    while walk.depth[0] >= 0:
        done += resume(*table, walk, scratch, nearby, k, QUOTA, search)
        if most is not None and done > most:
            if any(column_levels.opens for column_levels in levels):
                return None
            search = False
    return walk.found[0][row.reshape(-1)]

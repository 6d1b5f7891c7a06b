"""Algorithms 3, 4 and 5 in compiled calls that are over soon."""

from __future__ import annotations

import numpy as np

from skanon._problem import Problem
from skanon._progress import progress
from skanon.consistency._cheapest import find_cheapest
from skanon.consistency._chunks import chunks, run_chunks
from skanon.consistency._kinds import kinds_of

METHODS = ("expansion", "neighbours", "optimal")


def join_others(problem: Problem, method: str) -> np.ndarray:
    """Join each record with k - 1 others: (k, 1)-anonymity.

    Parameters
    ----------
    problem : Problem
    method : {"expansion", "neighbours", "optimal"}
        Algorithm 4, Algorithm 3 or :func:`find_cheapest`.

    Returns
    -------
    ndarray of int64, shape (n, width)
        The states of each record.
    """
    if method == "optimal":
        return find_cheapest(problem)
    from skanon.kernels.consistency.expansion import expand, join_neighbours, make_table
    from skanon.kernels.core.columns import state_width

    columns, codes, sensitive = problem.schema.columns, problem.codes, problem.sensitive
    kinds = kinds_of(problem)
    width = state_width(columns.layout)
    state = np.zeros((len(kinds.seed), width), dtype=np.int64)
    visit = expand if method == "expansion" else join_neighbours
    rounds = problem.k if method == "expansion" else 3

    def run(start: int, stop: int) -> None:
        table = make_table(columns, kinds)
        visit(columns, codes, sensitive, kinds, problem.k, state, start, stop, table)

    progress(
        problem.verbose, f"{len(state)} different records, each joined by {method}"
    )
    run_chunks(run, len(state), rounds * len(kinds.first), problem.n_jobs)
    return state[kinds.of_record]


def widen_others(problem: Problem, state: np.ndarray) -> int:
    """Widen released records until each original is consistent with k: Algorithm 5.

    Parameters
    ----------
    problem : Problem
    state : ndarray of int64, shape (n, width)
        States that cover the records; changed in place.

    Returns
    -------
    int
        How many times one was widened.
    """
    from skanon.kernels.consistency.widening import price_rows, upgrade

    columns, codes, sensitive = problem.schema.columns, problem.codes, problem.sensitive
    kinds = kinds_of(problem)
    rows = price_rows(columns, sensitive, kinds.order, state)
    n_widened = 0
    for start, stop in chunks(len(kinds.first), len(codes)):
        n_widened += upgrade(
            columns, codes, sensitive, kinds, problem.k, state, rows, start, stop
        )
    progress(problem.verbose, f"{n_widened} times a record was widened for another")
    return n_widened

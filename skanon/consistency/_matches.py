"""Algorithm 6 of k-Anonymization Revisited, from codes to codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from skanon._problem import Problem
from skanon._progress import progress
from skanon.consistency._kinds import kinds_of
from skanon.exceptions import ReleaseError

WORK = 5_000_000
"""So many rows are compared in one compiled call, so that Ctrl+C is heard."""


def to_global(problem: Problem, state: np.ndarray) -> int:
    """Widen released records until each original has k matches among them: Algorithm 6.

    A match of an original is a released record that some perfect matching of originals
    and consistent released records gives it.

    Parameters
    ----------
    problem : Problem
        Its values are all known.
    state : ndarray of int64, shape (n, width)
        A released record for each original, which it generalizes. Each original must
        be consistent with at least k of them. Changed in place.

    Returns
    -------
    int
        How many times one was widened.

    Raises
    ------
    ReleaseError
        A released record does not generalize its original, or an original is
        consistent with fewer than k.

    Notes
    -----
    Time grows with the number of different originals times that of different released
    records, and with the former times how often one is widened. Memory holds some
    dozens of bytes for each pair of a different original and a different released
    record that are consistent, and as much for the arcs between components.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), section V-C,
    Algorithm 6.
    """
    from skanon.kernels.consistency.components import with_room
    from skanon.kernels.consistency.matches import make_global
    from skanon.kernels.consistency.widening import price_rows

    cols, codes, sensitive = problem.schema.columns, problem.codes, problem.sensitive
    kinds: Any = kinds_of(problem)
    neighbours, components = read_rows(cols, codes, kinds, problem.k, state)
    rows = price_rows(cols, sensitive, kinds.order, state)
    given = cols, codes, sensitive, kinds, problem.k, state, rows, neighbours
    n_kinds = len(kinds.first)
    start = told = n_widened = 0
    while start < n_kinds:
        components = with_room(components)
        start, more = make_global(*given, components, start, WORK)
        n_widened += more
        if start >= told + n_kinds // 10:
            told = start
            progress(problem.verbose, f"{start} of {n_kinds} kinds have enough matches")
    progress(problem.verbose, f"{n_widened} times a record was widened for a match")
    return n_widened


def read_rows(
    cols: Any, codes: np.ndarray, kinds: Any, k: int, state: np.ndarray
) -> tuple[Any, Any]:
    """Find what is consistent with what, and the components of it.

    Returns
    -------
    neighbours : Neighbours
    components : Components

    Raises
    ------
    ReleaseError
        As in :func:`to_global`.
    """
    from skanon.kernels.consistency.components import components_of
    from skanon.kernels.consistency.matches import Neighbours

    shape, of_row, size = np.unique(
        state, axis=0, return_inverse=True, return_counts=True
    )
    of_row = of_row.reshape(-1)
    of_record = kinds.of_seed[kinds.of_record].astype(np.int64)
    n_kinds, n_classes = len(kinds.first), len(shape)
    pairs, row = np.unique(of_row * n_kinds + of_record, return_index=True)
    owner, kind = np.divmod(pairs, n_kinds)
    near = _edges(cols, codes, kinds, shape)
    _check(near, size, of_row, of_record, k)
    ones = np.ones(len(pairs), dtype=np.int8)
    held = coo_array((ones, (owner, kind)), shape=(n_classes, n_kinds))
    node, of_class, n_components = _components(near, held.tocsr())
    kinds_near = np.repeat(np.arange(n_kinds), np.diff(near.indptr))
    neighbours = Neighbours(
        shape=shape,
        size=size,
        start=np.searchsorted(owner, np.arange(n_classes + 1)),
        kind=kind.astype(np.int32),
        row=row.astype(np.int32),
        own=of_row[kinds.first].astype(np.int32),
        first=near.indptr.astype(np.int64),
        near=near.indices,
        node=node,
        widened=np.zeros(n_kinds, dtype=np.int32),
        more=np.zeros(n_kinds, dtype=np.int32),
        number=np.zeros(2, dtype=np.int64),
        seen=np.full(n_components, -1, dtype=np.int32),
        old=np.zeros((1, state.shape[1]), dtype=np.int64),
    )
    parent = np.arange(n_components, dtype=np.int32)
    arcs = node[kinds_near], of_class[near.indices]
    return neighbours, components_of(parent, *arcs)


def _edges(cols: Any, codes: np.ndarray, kinds: Any, shape: np.ndarray) -> csr_array:
    """Find the classes that each kind is consistent with: the columns of its row."""
    from skanon.kernels.consistency.matches import list_edges

    found, start = [], 0
    room = np.zeros((max(len(kinds.first), WORK // 20), 2), dtype=np.int32)
    while start < len(shape):
        start, n_edges = list_edges(cols, codes, kinds, shape, start, WORK, room)
        found.append(room[:n_edges].copy())
    edges = np.concatenate(found)
    ones = np.ones(len(edges), dtype=np.int8)
    at = edges[:, 1], edges[:, 0]
    return coo_array((ones, at), shape=(len(kinds.first), len(shape))).tocsr()


def _check(
    near: csr_array, size: np.ndarray, of_row: np.ndarray, of_record: np.ndarray, k: int
) -> None:
    """Refuse what the algorithm cannot start from."""
    n_kinds, n_classes = near.shape
    kinds = np.repeat(np.arange(n_kinds), np.diff(near.indptr))
    edges = kinds * n_classes + near.indices
    (strange,) = np.nonzero(np.isin(of_record * n_classes + of_row, edges, invert=True))
    if len(strange):
        raise ReleaseError(
            f"The released record in row {strange[0]} does not generalize its own "
            f"original ({len(strange)} of {len(of_row)} do not). Each released record "
            "must be a generalization of the original in the same row."
        )
    reached = (near @ size)[of_record]
    (short,) = np.nonzero(reached < k)
    if len(short):
        raise ReleaseError(
            f"The original in row {short[0]} is consistent with {reached[short[0]]} "
            f"released records only, and {len(short)} originals with fewer than k = "
            f"{k}: they cannot get {k} matches. Make the release (1, k)-anonymous "
            "first."
        )


def _components(near: csr_array, held: csr_array) -> tuple[np.ndarray, np.ndarray, int]:
    """Find the components of kinds, of classes, and how many there are."""
    digraph = block_array([[None, near], [held, None]], format="csr")
    n_components, component = connected_components(digraph, connection="strong")
    component = component.astype(np.int32)
    return component[: near.shape[0]], component[near.shape[0] :], n_components

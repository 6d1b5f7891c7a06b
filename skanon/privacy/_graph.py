"""Who is consistent with whom: raw records, and the classes of a release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components, maximum_flow

from skanon.exceptions import ReleaseError
from skanon.privacy._codes import combine
from skanon.privacy._tables import Column

CHUNK = 2**25
"""Pairs of a record and a class, or a sensitive value, that are held at a time."""


class Graph(NamedTuple):
    """Which originals and released records are consistent, each kind of them once.

    Originals that are consistent with the same records are of one kind, and so are
    released records that read the same. What is true of an edge between two kinds is
    true of all edges between their members, as these can be exchanged for one another.

    Attributes
    ----------
    sets : csr_array of int64, shape (n_kinds, n_classes)
        1 where they are consistent; the columns of each row in order.
    of_original : ndarray of int64, shape (n,)
        The kind of each original.
    of_release : ndarray of int64, shape (n,)
        The class of each released record.
    """

    sets: csr_array
    of_original: np.ndarray
    of_release: np.ndarray

    def releases(self, sets: csr_array) -> np.ndarray:
        """Count the released records of each original; ``sets`` has the edges."""
        sizes = np.bincount(self.of_release, minlength=sets.shape[1])
        return (sets @ sizes)[self.of_original]

    def originals(self) -> np.ndarray:
        """Count the originals that are consistent with each released record."""
        people = np.bincount(self.of_original, minlength=self.sets.shape[0])
        return (self.sets.T @ people)[self.of_release]

    def misfits(self) -> np.ndarray:
        """Give the rows whose released record is not consistent with the original."""
        n_kinds, n_classes = self.sets.shape
        kinds = np.repeat(np.arange(n_kinds), np.diff(self.sets.indptr))
        edges = kinds * n_classes + self.sets.indices
        edges = np.append(edges, n_kinds * n_classes)
        own = self.of_original * n_classes + self.of_release
        at = np.searchsorted(edges, own)
        return np.flatnonzero(edges[at] != own)

    def own_matching(self) -> csr_array:
        """Count how often each kind has its own record in each class."""
        ones = np.ones(len(self.of_original), dtype=np.int64)
        pairs = self.of_original, self.of_release
        return coo_array((ones, pairs), shape=self.sets.shape).tocsr()

    def matches(self, matching: csr_array) -> csr_array:
        """Find the edges that some perfect matching contains.

        Parameters
        ----------
        matching : csr_array of int64, shape (n_kinds, n_classes)
            Any perfect matching: how many originals of each kind it gives records of
            each class. Its rows add up to the originals of the kinds, its columns to
            the records of the classes.

        Returns
        -------
        csr_array of int64, shape (n_kinds, n_classes)
            ``sets`` without the other edges.

        Notes
        -----
        With kinds, perfect matchings are what a transport problem allows that has no
        capacities on its edges. The difference of two of them is a sum of circles that
        follow edges from kind to class, and edges that the first one uses from class
        to kind. Thus an edge is in another one if and only if a circle leads over it:
        if its ends are in one strongly connected component of the digraph with all
        edges forward and those in use backward. It takes time linear in the edges.
        """
        sets = self.sets
        n_kinds = sets.shape[0]
        digraph = block_array([[None, sets], [matching.T, None]], format="csr")
        _, component = connected_components(digraph, connection="strong")
        kinds = np.repeat(np.arange(n_kinds), np.diff(sets.indptr))
        kept = component[kinds] == component[n_kinds + sets.indices]
        starts = np.append(0, np.cumsum(kept))[sets.indptr]
        return csr_array((sets.data[kept], sets.indices[kept], starts), sets.shape)


def read_graph(columns: list[Column], of_release: np.ndarray) -> Graph:
    """Find which originals and released records are consistent.

    Parameters
    ----------
    columns : list of Column
        Their raw rows are the originals.
    of_release : ndarray of int64, shape (n,)
        The class of each released record.

    Returns
    -------
    Graph
    """
    records, of_row = distinct_records(columns, slice(None))
    parts, kinds, n_kinds = [], [], 0
    for of_record, sets in match(columns, records):
        parts.append(sets)
        kinds.append(of_record + n_kinds)
        n_kinds += sets.shape[0]
    sets = parts[0] if len(parts) == 1 else vstack(parts, format="csr")
    return Graph(sets, np.concatenate(kinds)[of_row], of_release)


def find_matching(graph: Graph) -> csr_array:
    """Find any perfect matching.

    Returns
    -------
    csr_array of int64, shape (n_kinds, n_classes)
        As :meth:`Graph.matches` takes it.

    Raises
    ------
    ReleaseError
        There is none.
    """
    if not len(graph.misfits()):
        return graph.own_matching()
    n_kinds, n_classes = graph.sets.shape
    people = np.bincount(graph.of_original, minlength=n_kinds)
    sizes = np.bincount(graph.of_release, minlength=n_classes)
    kinds, classes = graph.sets.tocoo().coords
    source, sink = n_kinds + n_classes, n_kinds + n_classes + 1
    starts = [np.full(n_kinds, source), kinds, np.arange(n_classes) + n_kinds]
    ends = [np.arange(n_kinds), classes + n_kinds, np.full(n_classes, sink)]
    room = [people, np.minimum(people[kinds], sizes[classes]), sizes]
    pairs = np.concatenate(starts), np.concatenate(ends)
    network = coo_array(
        (np.concatenate(room).astype(np.int32), pairs), shape=(sink + 1, sink + 1)
    ).tocsr()
    # older scipy finds flows with indices of 32 bits only
    network.indices = network.indices.astype(np.int32)
    network.indptr = network.indptr.astype(np.int32)
    found = maximum_flow(network, source, sink)
    n = len(graph.of_original)
    if found.flow_value < n:
        raise ReleaseError(
            f"original cannot be the people of the release: at most {found.flow_value} "
            f"of the {n} can have consistent records of their own. Give exactly the "
            "people of the release, in any order; linkage_attack takes any people."
        )
    flow = csr_array(found.flow)[:n_kinds, n_kinds:source].astype(np.int64)
    flow.eliminate_zeros()
    return flow


def distinct_records(
    columns: list[Column], rows: slice
) -> tuple[list[np.ndarray], np.ndarray]:
    """Find the distinct raw records.

    Returns
    -------
    records : list of ndarray of int64, shape (n_distinct,)
        The values of each, column by column.
    of_row : ndarray of int64, shape (n_rows,)
        Which of them each row is.
    """
    joint = np.zeros(len(columns[0].of_row[rows]), dtype=np.int64), 1
    for column in columns:
        joint = combine(joint, (column.of_row[rows], len(column.values)))
    _, first, of_row = np.unique(joint[0], return_index=True, return_inverse=True)
    return [column.of_row[rows][first] for column in columns], of_row


def match(
    columns: list[Column], records: list[np.ndarray]
) -> Iterator[tuple[np.ndarray, csr_array]]:
    """Find the classes that are consistent with each record.

    They are those whose label stands for the record's value in each column. Many
    records have the same ones.

    Parameters
    ----------
    columns : list of Column
    records : list of ndarray of int64, shape (n_records,)
        Their values, column by column.

    Yields
    ------
    of_record : ndarray of int64, shape (n_part,)
        For each of the next records, which of the sets its classes are.
    sets : csr_array of int64, shape (n_sets, n_classes)
        1 where a class belongs to a set.
    """
    n_classes = len(columns[0].of_class)
    step = max(CHUNK // n_classes, 1)
    testers = [_Tester(column) for column in columns]
    for start in range(0, len(records[0]), step):
        part = slice(start, start + step)
        fits = testers[0].bits(records[0][part])
        for tester, values in zip(testers[1:], records[1:], strict=True):
            fits &= tester.bits(values[part])
        rows = np.ascontiguousarray(fits).view(f"V{fits.shape[1]}").reshape(-1)
        _, first, of_record = np.unique(rows, return_index=True, return_inverse=True)
        yield of_record, _sparse(fits[first], n_classes)


class _Tester:
    """Tells which classes fit the values of one column, eight classes a byte."""

    def __init__(self, column: Column) -> None:
        self._of_class = column.of_class
        n_values = len(column.values)
        lengths = [len(codes) for codes in column.labels]
        self._label: np.ndarray | None = None
        self._bits: np.ndarray | None = None
        if sum(lengths) <= n_values:
            listed = np.concatenate(column.labels)
            if (np.bincount(listed, minlength=n_values) <= 1).all():
                self._label = np.full(n_values, -1)
                self._label[listed] = np.repeat(np.arange(len(lengths)), lengths)
                return
        self._bits = np.zeros((len(lengths), -(-n_values // 8)), dtype=np.uint8)
        for row, codes in zip(self._bits, column.labels, strict=True):
            fits = np.zeros(n_values, dtype=bool)
            fits[codes] = True
            row[:] = np.packbits(fits)

    def bits(self, values: np.ndarray) -> np.ndarray:
        """Tell which classes fit each value: uint8, shape (n_records, n_bytes)."""
        distinct, of_record = np.unique(values, return_inverse=True)
        if self._label is not None:
            packed = np.packbits(
                self._label[distinct][:, None] == self._of_class, axis=1
            )
        else:
            assert self._bits is not None
            by_label = np.take(self._bits, distinct >> 3, axis=1)
            by_label &= (128 >> (distinct & 7)).astype(np.uint8)
            packed = np.packbits(by_label[self._of_class], axis=0).T
        missing = -packed.shape[1] % 8
        return np.pad(packed, ((0, 0), (0, missing)))[of_record]


def _sparse(fits: np.ndarray, n_classes: int) -> csr_array:
    """List the bits that are set, looking into words that have any only."""
    words = fits.view(np.uint64)
    rows, at = np.nonzero(words)
    inside = np.unpackbits(words[rows, at][:, None].view(np.uint8), axis=1)
    which, bit = np.nonzero(inside)
    starts = np.zeros(len(fits) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows[which], minlength=len(fits)), out=starts[1:])
    ones = np.ones(len(which), dtype=np.int64)
    classes = at[which] * 64 + bit
    return csr_array((ones, classes, starts), shape=(len(fits), n_classes))

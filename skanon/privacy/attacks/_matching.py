"""Which classes of a release are consistent with raw records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from skanon.privacy._codes import combine
from skanon.privacy.attacks._tables import Column

CHUNK = 2**25
"""Pairs of a record and a class, or a private value, that are held at a time."""


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

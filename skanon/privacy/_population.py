"""How many people of a population each class of a release may stand for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError
from skanon.privacy._classes import Classes
from skanon.privacy._codes import combine
from skanon.privacy._labels import read_labels
from skanon.privacy._published import read_published, to_pandas
from skanon.privacy._sensitive import Attribute, read_attribute
from skanon.privacy._trees import read_trees
from skanon.privacy._wildcards import open_wildcards

_CHUNK = 2**26
"""Bytes that are compared at a time."""

_SAME = " If the population is generalized in the same way, say generalized=True."


class Matches(NamedTuple):
    """Who of a population may be behind each class.

    ``counts`` has the number of people for each class, ``covered`` tells who fits any
    class; ``overlap`` whether somebody fits several.
    """

    counts: np.ndarray
    covered: np.ndarray
    overlap: bool


class _Column(NamedTuple):
    """A column of both tables.

    ``of_class`` has each class's label, ``of_person`` each person's value; ``values``
    the values that each label stands for.
    """

    of_class: np.ndarray
    of_person: np.ndarray
    values: list[np.ndarray]

    def labels(self) -> np.ndarray | None:
        """Give each person's only label, -1 where there is none; None if several."""
        n_values = int(self.of_person.max()) + 1
        listed = np.concatenate([*self.values, np.zeros(0, dtype=np.int64)])
        if (np.bincount(listed, minlength=n_values) > 1).any():
            return None
        label = np.full(n_values, -1)
        lengths = [len(codes) for codes in self.values]
        label[listed] = np.repeat(np.arange(len(lengths)), lengths)
        return label[self.of_person]

    def bits(self) -> np.ndarray:
        """Tell, for each label and person, whether they fit: eight people a byte."""
        n_values = int(self.of_person.max()) + 1
        rows = []
        for codes in self.values:
            fits = np.zeros(n_values, dtype=bool)
            fits[codes] = True
            rows.append(np.packbits(fits[self.of_person]))
        return np.array(rows)


def match_population(
    classes: Classes,
    population: Any,
    hierarchies: Any,
    suppressed: Any,
    generalized: bool,
) -> Matches:
    """Find who of a population may be behind each class of a release.

    Parameters
    ----------
    classes : Classes
    population : DataFrame (pandas or polars) or ndarray
        Has the quasi-identifiers of the release.
    hierarchies : mapping from column to hierarchy, or None
        For labels that are names of nodes.
    suppressed : scalar or None
    generalized : bool
        Whether the population is generalized like the release, so that labels fit only
        themselves.

    Returns
    -------
    Matches

    Raises
    ------
    ColumnError
        The population has no rows, lacks a quasi-identifier, or a label cannot be read.
    HierarchyError, ParameterError
        As in :func:`skanon.privacy._trees.read_trees`.
    """
    published = classes.published
    people = read_published(_check_columns(population, published), published.columns)
    if not len(classes.sizes):
        everybody = np.ones(len(people), dtype=bool)
        return Matches(np.array([len(people)]), everybody, False)
    known = [*published.columns, *to_pandas(population).columns]
    trees = read_trees(hierarchies, published.columns, known)
    first = classes.first_rows()
    columns = []
    for j, name in enumerate(published.columns):
        labels = read_attribute(published.iloc[:, j].iloc[first], name)
        persons = read_attribute(people.iloc[:, j], name)
        if generalized:
            values = _same_text(labels, persons)
        else:
            tree, raw = trees.get(name), persons.values
            values = read_labels(labels, first, raw, tree, suppressed, name, _SAME)
        if classes.neighbours is not None:
            values = open_wildcards(
                values, labels.values, persons.values, suppressed, generalized
            )
        columns.append(_Column(labels.codes, persons.codes, values))
    labels_of_people = [column.labels() for column in columns]
    if any(labels is None for labels in labels_of_people):
        return _match_by_bits(columns)
    return _match_by_codes(columns, labels_of_people)


def _match_by_codes(columns: list[_Column], labels: list[Any]) -> Matches:
    """Find each person's class, where a value has one label at most."""
    n_classes, n = len(columns[0].of_class), len(labels[0])
    joint = np.zeros(n_classes + n, dtype=np.int64), 1
    for column, label in zip(columns, labels, strict=True):
        # whoever has no label has the code 0, which no class has
        codes = np.concatenate([column.of_class, label]) + 1
        joint = combine(joint, (codes, len(column.values) + 1))
    of_class, of_person = joint[0][:n_classes], joint[0][n_classes:]
    keys, of_key = np.unique(of_class, return_inverse=True)
    at = np.minimum(np.searchsorted(keys, of_person), len(keys) - 1)
    covered = keys[at] == of_person
    counts = np.bincount(at[covered], minlength=len(keys))[of_key]
    return Matches(counts, covered, bool(counts.sum() > covered.sum()))


def _match_by_bits(columns: list[_Column]) -> Matches:
    """Compare each class with each person."""
    bits = [column.bits() for column in columns]
    n_bytes = bits[0].shape[1]
    n_classes, n = len(columns[0].of_class), len(columns[0].of_person)
    counts = np.empty(n_classes, dtype=np.int64)
    covered = np.zeros(n_bytes, dtype=np.uint8)
    step = max(_CHUNK // n_bytes, 1)
    for start in range(0, n_classes, step):
        part = slice(start, start + step)
        fits = bits[0][columns[0].of_class[part]]
        for column, of_label in zip(columns[1:], bits[1:], strict=True):
            fits &= of_label[column.of_class[part]]
        counts[part] = np.bitwise_count(fits).sum(axis=1, dtype=np.int64)
        covered |= np.bitwise_or.reduce(fits, axis=0)
    people = np.unpackbits(covered, count=n).astype(bool)
    return Matches(counts, people, bool(counts.sum() > people.sum()))


def _same_text(labels: Attribute, persons: Attribute) -> list[np.ndarray]:
    missing = persons.values.isna().to_numpy()
    found: dict[str | None, list[int]] = {}
    for code, value in enumerate(persons.values.tolist()):
        found.setdefault(None if missing[code] else str(value), []).append(code)
    gone = labels.values.isna().to_numpy()
    return [
        np.array(found.get(None if gone[i] else str(label), []), dtype=np.int64)
        for i, label in enumerate(labels.values.tolist())
    ]


def _check_columns(population: Any, published: pd.DataFrame) -> pd.DataFrame:
    table = to_pandas(population)
    lacking = [name for name in published.columns if name not in table.columns]
    if lacking:
        raise ColumnError(
            f"The population has no column {lacking[0]!r}, which is a quasi-identifier "
            f"of the release. Its columns are "
            f"{', '.join(map(repr, table.columns[:10]))}. Add the column, or name the "
            "quasi-identifiers that both tables have."
        )
    if not len(table):
        raise ColumnError("The population has no rows. Give at least one person.")
    return table

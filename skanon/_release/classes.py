"""Equivalence classes as they are published, written and checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed

from skanon._parallel import in_threads
from skanon._release.emission import Emitter
from skanon._table.domain import SUPPRESSED
from skanon._table.schema import Schema, numbered, tuple_ids
from skanon.exceptions import InfeasibleError, ReleaseError
from skanon.privacy import check_release

PAIRS, FEWEST = 20_000_000, 200
"""So many pairs of a record and a class are looked at in one compiled call, but of no
fewer records; Ctrl+C is heard in between."""


@dataclass(frozen=True)
class Classes:
    """What the equivalence classes publish; it holds no records.

    Attributes
    ----------
    schema : Schema
    states : ndarray of int64, shape (n_classes, width)
        What each class publishes.
    emitters : dict from quasi-identifier to Emitter
    """

    schema: Schema
    states: np.ndarray
    emitters: dict[Any, Emitter]

    @classmethod
    def of_clusters(
        cls, schema: Schema, codes: np.ndarray, labels: np.ndarray
    ) -> tuple[Classes, np.ndarray]:
        """Publish clusters; those with the same closure are one class.

        Parameters
        ----------
        schema : Schema
        codes : ndarray of int32, shape (n, r)
        labels : ndarray of int, shape (n,)
            The clusters; -1 where a record is suppressed.

        Returns
        -------
        classes : Classes
        labels : ndarray of int64, shape (n,)
            Each record's class, numbered in the order in which they appear among the
            records; -1 where it is suppressed.
        """
        from skanon.kernels.core.closures import states_of

        renamed, n_clusters = numbered(labels)
        layout, tree = schema.columns.layout, schema.columns.tree
        states = states_of(layout, tree, codes, renamed, n_clusters)
        return cls.of_states(schema, states, renamed, codes[renamed >= 0])

    @classmethod
    def of_states(
        cls,
        schema: Schema,
        states: np.ndarray,
        labels: np.ndarray,
        published: np.ndarray,
    ) -> tuple[Classes, np.ndarray]:
        """Publish states; equal ones are one class.

        Parameters
        ----------
        schema : Schema
        states : ndarray of int64, shape (n_states, width)
        labels : ndarray of int, shape (n,)
            Which of them each record is published as; -1 where it is suppressed.
        published : ndarray of int32, shape (n_published, r)
            The records that are not suppressed.

        Returns
        -------
        classes, labels
            As in :meth:`of_clusters`.
        """
        labels, states = _distinct(states, labels)
        emitters = {
            name: Emitter(
                bound, states[:, at], np.bincount(column, minlength=bound.n_codes)
            )
            for name, bound, at, column in zip(
                schema.names, schema.bounds, schema.parts(), published.T, strict=True
            )
        }
        return cls(schema, states, emitters), labels

    def without_sensitive(self) -> Classes:
        """Give the same classes, without what is known of sensitive values."""
        return replace(self, schema=self.schema.without_sensitive())

    def __len__(self) -> int:
        """Count the classes."""
        return len(self.states)

    def texts(self) -> pd.DataFrame:
        """Write what the classes publish, a row for each."""
        return pd.DataFrame(
            {name: emitter.texts() for name, emitter in self.emitters.items()}
        )

    def assign(self, codes: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Find the class that costs each record least; -1 where there is none.

        Parameters
        ----------
        codes : ndarray of int32, shape (n, r)
            At least one record.
        n_jobs : int or None

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        if not len(self):  # all fitted records were suppressed
            return np.full(len(codes), -1)
        from skanon.kernels.clustering.assignment import assign

        columns = self.schema.columns
        different, row = np.unique(codes, axis=0, return_inverse=True)
        step = max(PAIRS // len(self), FEWEST)
        parts = np.array_split(different, -(-len(different) // step))
        calls = (
            delayed(assign)(columns, columns.curve, part, self.states) for part in parts
        )
        return np.concatenate(in_threads(calls, n_jobs))[row.reshape(-1)]

    def suffixes(self, column: Any, encode: str) -> list[str]:
        """List what a column's name is followed by in the release."""
        if column in self.emitters:
            return self.emitters[column].suffixes(encode)
        return [""]

    def write(self, columns: list, encode: str, labels: np.ndarray) -> dict[Any, Any]:
        """Write quasi-identifiers of records of some classes.

        Returns
        -------
        dict from column name to array of shape (n,)
        """
        written = {}
        for column in columns:
            for suffix, values in self.emitters[column].emit(encode, labels).items():
                written[f"{column}{suffix}" if suffix else column] = values
        return written

    def check_coverage(self, codes: np.ndarray, labels: np.ndarray) -> None:
        """Check that each record is published as something that it may stand for.

        Parameters
        ----------
        codes : ndarray of int32, shape (n, r)
        labels : ndarray of int, shape (n,)

        Raises
        ------
        ReleaseError
            A record's class does not cover it.
        """
        rows = np.flatnonzero(labels >= 0)
        states = self.states[labels[rows]]
        parts = zip(self.schema.bounds, self.schema.parts(), codes[rows].T, strict=True)
        for bound, at, column in parts:
            covered = bound.covers(states[:, at], column)
            if not covered.all():
                raise ReleaseError(
                    f"In column {bound.domain.name!r}, {(~covered).sum()} records "
                    "would be published as what they are not, the first at row "
                    f"{rows[np.argmin(covered)]}. Do not publish it: the algorithm is "
                    "at fault."
                )

    def check(
        self,
        labels: np.ndarray,
        encode: str,
        k: int,
        suppressed: str = "keep",
        constraints: Iterable[tuple[Any, pd.Series]] = (),
    ) -> None:
        """Check the release from its values alone, as its recipients see it.

        Parameters
        ----------
        labels : ndarray of int, shape (n,)
        encode : str
        k : int
        suppressed : {"keep", "blank", "drop"}
            Where they are kept, suppressed records are rows like others.
        constraints : iterable of (Constraint, sensitive attribute of shape (n,))

        Raises
        ------
        ReleaseError
            It is not k-anonymous, or does not keep a constraint.
        """
        kept = labels >= 0
        rows = slice(None) if suppressed == "keep" else np.flatnonzero(kept)
        if not len(labels[rows]):
            return
        promised = [
            (constraint, published_values(values, labels, suppressed))
            for constraint, values in constraints
        ]
        for form in dict.fromkeys(["label", encode]):
            columns = self.write(self.schema.names, form, labels[rows])
            release = pd.DataFrame(columns)
            check_release(release, list(columns), k=k, suppressed=None)
            release = pd.DataFrame(dict(enumerate(columns.values())))
            sign = None
            if suppressed == "blank":  # their empty cells count for the whole table
                sign = SUPPRESSED
                release = release.astype(object).set_axis(np.flatnonzero(kept))
                release = release.reindex(np.arange(len(kept)), fill_value=sign)
                release["of a class"] = np.where(kept, "", sign)
            quasi = list(release.columns)
            for constraint, values in promised:
                release["sensitive"] = values.array
                if not constraint.kept_by(release, quasi, "sensitive", suppressed=sign):
                    raise ReleaseError(
                        f"The release does not keep {constraint!r} in the sensitive "
                        f"attribute {values.name!r}. Do not publish it: the algorithm "
                        "is at fault, or the constraint is not monotone."
                    )


def published_values(
    values: pd.Series, labels: np.ndarray, suppressed: str
) -> pd.Series:
    """Give what becomes of a sensitive attribute.

    Parameters
    ----------
    values : Series of shape (n,)
    labels : ndarray of int, shape (n,)
        -1 for suppressed records.
    suppressed : {"keep", "blank", "drop"}
    """
    if suppressed == "drop":
        return values[labels >= 0]
    return values.mask(labels < 0) if suppressed == "blank" else values


def check_feasible(k: int, n: int) -> None:
    """Check that n records can make a class of k.

    Raises
    ------
    InfeasibleError
        They cannot.
    """
    if k > n:
        raise InfeasibleError(
            f"k={k} asks for at least {k} records, but the table has "
            f"n_samples={n}. Choose k of at most {n}."
        )


def one_label_each(labels: np.ndarray, n: int) -> np.ndarray:
    """Check that an algorithm has put each of n records somewhere.

    Raises
    ------
    ReleaseError
        It has not.
    """
    if np.shape(labels) != (n,):
        raise ReleaseError(
            f"The algorithm gives {np.size(labels)} labels for {n} records. Nothing "
            "can be published: the algorithm is at fault."
        )
    return labels


def _distinct(states: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep each state once, in the order in which they appear among the records."""
    kept = labels >= 0
    same = tuple_ids(states)
    order = pd.unique(same[labels[kept]])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    first = np.full(len(order), len(states))
    np.minimum.at(first, rank[same], np.arange(len(states)))
    result = np.full(len(labels), -1, dtype=np.int64)
    result[kept] = rank[same[labels[kept]]]
    return result, states[first]

"""Anonymizers that generalize each record by itself, written once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from skanon._base import BaseAnonymizer
from skanon._handing_on import hand_on
from skanon._parameters import own_names
from skanon._problem import Problem
from skanon._release.classes import Classes
from skanon._table.schema import Schema, numbered, tuple_ids
from skanon._warn import warn
from skanon.exceptions import ParameterError, PrivacyWarning, ReleaseError
from skanon.losses._named import as_loss
from skanon.privacy._consistency import Counts, count_consistent


class ConsistencyAnonymizer(BaseAnonymizer):
    """Learn and check generalized records; what is left is to generalize them.

    A subclass writes ``_generalize(problem)``, which returns a row of states for each
    record, and says in ``_model`` what they keep.

    There are no equivalence classes, so there are neither ``constraints`` on them nor
    a ``max_suppression``: a suppressed record would be consistent with everybody, and
    count for the k of all others while it hides nobody.
    """

    @classmethod
    def _own_names(cls) -> list[str]:
        return own_names(cls, ConsistencyAnonymizer)

    @abstractmethod
    def _generalize(self, problem: Problem) -> np.ndarray:
        """Generalize each record.

        Returns
        -------
        ndarray of int64, shape (n, width)
            States that cover the records.
        """

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if as_loss(self.loss).penalty:
            raise ParameterError(
                f"loss={self.loss!r} has a ClassPenalty, but records that are "
                "generalized one by one are in no classes. Leave the penalty out."
            )

    def _learn(
        self,
        table: pd.DataFrame,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
    ) -> None:
        from skanon.kernels.consistency.widening import price_rows

        problem = self._problem(schema, codes, sensitive)
        if self.k == 1:
            self._warn_of_one()
            states = unchanged(problem)
        else:
            states = self._generalize(problem)
        classes, labels = Classes.of_states(
            schema, states, np.arange(len(codes)), codes
        )
        order = np.arange(codes.shape[1], dtype=np.int32)
        costs = price_rows(schema.columns, sensitive, order, states).cost
        self._publish(classes, labels, np.append(costs.sum(axis=0), 0.0))
        self._check(table)

    def _check(self, table: pd.DataFrame) -> None:
        """Check the release from its values alone, as its recipients see it."""
        self._classes.check_coverage(self._codes, self.labels_)
        released = self._labelled(table.index)
        counts = self._count(table, released, matches=self._model == "global_one_k")
        self.n_consistent_releases_ = counts.releases
        self.n_consistent_originals_ = counts.originals
        if counts.matches is not None:
            self.n_matches_ = counts.matches
        self._check_reached()
        self._check_encoding(released)
        self._warn_if_unsafe()

    def _labelled(self, index: pd.Index) -> pd.DataFrame:
        """Write the release as text, its columns named by their places."""
        names = self._classes.schema.names
        written = self._classes.write(names, "label", self.labels_)
        return pd.DataFrame(dict(enumerate(written.values())), index=index)

    def _count(
        self, table: pd.DataFrame, released: pd.DataFrame, matches: bool = False
    ) -> Counts:
        """Count what is consistent in columns by place, as names of any kind are fine.

        Parameters
        ----------
        table, released : DataFrame of shape (n, n_columns)
            The second one's columns are named by their places.
        matches : bool, optional
            Whether perfect matchings are counted.
        """
        names = self._classes.schema.names
        return count_consistent(
            table.set_axis(range(table.shape[1]), axis=1),
            released,
            hierarchies={
                names.index(name): tree for name, tree in self.hierarchies_.items()
            },
            matches=matches,
        )

    def _alone_with(
        self, published: pd.DataFrame, rows: np.ndarray, known: np.ndarray
    ) -> int:
        """Count the records whose person finds no other with what is known of them."""
        names = self._classes.schema.names
        original = published[names].reset_index(drop=True)
        released = self._labelled(original.index).assign(known=known)
        released = released.set_axis(range(len(names) + 1), axis=1)
        counts = self._count(pd.concat([original, pd.Series(known)], axis=1), released)
        return int((counts.releases == 1).sum())

    def _check_reached(self) -> None:
        reached = {
            "one_k": self.n_consistent_releases_,
            "k_one": self.n_consistent_originals_,
            "kk": np.minimum(self.n_consistent_releases_, self.n_consistent_originals_),
            "global_one_k": getattr(self, "n_matches_", self.n_consistent_releases_),
        }[self._model]
        if reached.min() < self.k:
            raise ReleaseError(
                f"The release does not keep {self._model} anonymity of k={self.k}: "
                f"row {np.argmin(reached)} reaches {reached.min()}. Do not publish "
                "it: the algorithm is at fault."
            )

    def _warn_if_unsafe(self) -> None:
        """Warn where half of (k, k)-anonymity is all that there is."""
        people, records = self.n_consistent_originals_, self.n_consistent_releases_
        if self._model == "one_k" and people.min() < self.k:
            said = f"row {np.argmin(people)} of it may be of {people.min()} only"
        elif self._model == "k_one" and records.min() < self.k:
            said = f"the person of row {np.argmin(records)} finds {records.min()} only"
        else:
            return
        warn(
            f"The release is not safe by itself: each {_HALVES[self._model]}, but "
            f"{said}. Use KKAnonymizer.",
            PrivacyWarning,
        )

    def _check_encoding(self, released: pd.DataFrame) -> None:
        """Check that an encoding tells no two records apart that read the same."""
        if self.encode == "label":
            return
        names = self._classes.schema.names
        written = self._classes.write(names, self.encode, self.labels_)
        read = tuple_ids(_as_codes(released))
        told = tuple_ids(_as_codes(pd.DataFrame(dict(enumerate(written.values())))))
        if len(set(zip(read.tolist(), told.tolist(), strict=True))) > read.max() + 1:
            raise ReleaseError(
                f"encode={self.encode!r} tells records apart that read the same. Do "
                "not publish it: the encoding is at fault."
            )

    def _linked(self) -> np.ndarray:
        return getattr(self, "n_matches_", self.n_consistent_releases_)


def adopted(
    given: BaseAnonymizer,
    host: BaseAnonymizer,
    shared: list[str],
    who: str,
    what: str,
) -> Any:
    """Make an inner anonymizer of one that was given, and check it.

    Parameters
    ----------
    given : BaseAnonymizer
        Unfitted; it is left as it is.
    host : BaseAnonymizer
        What it is a part of.
    shared : list of str
        The parameters that are taken from the host.
    who, what : str
        What it is called, and what would break promises of its classes.

    Raises
    ------
    ParameterError
        It has constraints, suppresses records, has an unfit parameter, or another
        value of one that is taken from the host.
    """
    inner = clone(given)
    own = inner.get_params(deep=False)
    for name in ("constraints", "max_suppression"):
        if own.get(name):
            raise ParameterError(
                f"{who} has {name}={own[name]!r}, which {what} not keep. Leave {name} "
                "out."
            )
    hand_on(host, inner, shared)
    inner._check_parameters()
    return inner


_HALVES = {
    "one_k": "person finds k released records",
    "k_one": "released record may be of k people",
}


def unchanged(problem: Problem) -> np.ndarray:
    """Publish each record as it is.

    Returns
    -------
    ndarray of int64, shape (n, width)
    """
    n = len(problem.codes)
    return closed(problem, np.arange(n, dtype=np.int32))


def closed(problem: Problem, labels: np.ndarray) -> np.ndarray:
    """Publish each record as the closure of its cluster.

    Returns
    -------
    ndarray of int64, shape (n, width)
    """
    from skanon.kernels.core.closures import states_of

    renamed, n_clusters = numbered(labels)
    columns = problem.schema.columns
    states = states_of(columns.layout, columns.tree, problem.codes, renamed, n_clusters)
    return states[renamed]


def _as_codes(frame: pd.DataFrame) -> np.ndarray:
    return np.stack(
        [pd.factorize(frame[name], use_na_sentinel=False)[0] for name in frame], axis=1
    )

"""The contract of every anonymizer, written once."""

from __future__ import annotations

import copy
import numbers
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from skanon._sklearn import at_least, between, check_parameters, one_of
from skanon.emission import ENCODINGS, Emitter
from skanon.exceptions import (
    ColumnError,
    InfeasibleError,
    ParameterError,
    PrivacyWarning,
)
from skanon.losses import LOSSES, Loss, as_loss
from skanon.privacy import check_release
from skanon.roles import Roles, as_frame, assign_roles, check_hierarchies
from skanon.suppression import suppress
from skanon.table import Schema, occurrences, tuple_ids


@dataclass(frozen=True)
class Problem:
    """What a clustering algorithm is given.

    Attributes
    ----------
    schema : Schema
        The quasi-identifiers' permissible subsets and costs.
    codes : ndarray of int32, shape (n, r)
        The records.
    k : int
        At least 2 and at most n.
    random_state : RandomState
    n_jobs : int or None
    verbose : int
    """

    schema: Schema
    codes: np.ndarray
    k: int
    random_state: np.random.RandomState
    n_jobs: int | None
    verbose: int


class BaseAnonymizer(TransformerMixin, BaseEstimator):
    """Fit, check and emit; what is left to an algorithm is to cluster.

    A subclass writes ``_cluster(problem)``, which returns a label for each record,
    with at least k records to a label, and names its own parameters in
    ``_parameter_constraints``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "k": [at_least(1)],
        # these three are checked column by column, with the table at hand
        "quasi_identifiers": "no_validation",
        "hierarchies": [Mapping, None],
        "loss": [one_of(LOSSES), Loss],
        "sensitive": "no_validation",
        "identifiers": "no_validation",
        "encode": [one_of(ENCODINGS)],
        "max_suppression": [between(0, 1, closed="both")],
        "random_state": ["random_state"],
        "n_jobs": [None, numbers.Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        k=5,
        *,
        quasi_identifiers=None,
        hierarchies=None,
        loss="lm",
        sensitive=None,
        identifiers=None,
        encode="label",
        max_suppression=0.0,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.k = k
        self.quasi_identifiers = quasi_identifiers
        self.hierarchies = hierarchies
        self.loss = loss
        self.sensitive = sensitive
        self.identifiers = identifiers
        self.encode = encode
        self.max_suppression = max_suppression
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _cluster(self, problem: Problem) -> np.ndarray:
        """Put the records into clusters of at least k.

        Returns
        -------
        ndarray of int, shape (n,)
            Labels; records of equal labels form a cluster.
        """

    def fit(self, X, y=None, *, sensitive=None) -> Self:
        """Learn the equivalence classes of a table, and check their release.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, n_columns)
            The table.
        y : array-like of shape (n,), or None
            The private attribute, where it is not a column of ``X``.
        sensitive : array-like of shape (n,) or (n, n_private), or None
            Further private attributes that are not columns of ``X``; request it with
            ``set_fit_request(sensitive=True)`` to route it through a pipeline.

        Returns
        -------
        self

        Raises
        ------
        AnonymizationError
            The table, a hierarchy or a parameter is unfit, or k cannot be kept; the
            message names what, where and the remedy.
        ReleaseError
            The release, checked from its values alone, does not keep its promise.
        """
        self._check_parameters()
        frame = self._read(X, reset=True)
        _check_lengths(len(frame), y=y, sensitive=sensitive)
        self._roles = assign_roles(
            frame.columns, self.quasi_identifiers, self.sensitive, self.identifiers
        )
        hierarchies = check_hierarchies(frame.columns, self.hierarchies)
        _check_feasible(self.k, len(frame))
        table = frame[self._roles.quasi_identifiers]
        schema, codes = Schema.learn(table, hierarchies, as_loss(self.loss))
        self._learn_classes(schema, codes)
        self._check(frame)
        return self

    def fit_transform(self, X, y=None, *, sensitive=None):
        """Fit, and return the release: the same rows, in the same order.

        Parameters and errors are those of :meth:`fit`, the result is that of
        :meth:`transform`.
        """
        self.fit(X, y, sensitive=sensitive)
        return self._emit(X, self._read(X, reset=False), self.labels_)

    def transform(self, X):
        """Generalize records.

        The fitted records get what the release gives them, in whatever order they
        come: the q-th occurrence of a tuple takes the class of its q-th fitted
        occurrence. Any other record takes the published class that costs it least,
        which need not cover it.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, n_columns)
            Records with the columns that were fitted, in the same order.

        Returns
        -------
        DataFrame or ndarray of shape (n, n_features_out)
            With the index of ``X``. A pandas or polars frame gives such a frame,
            anything else an array, unless ``set_output`` says otherwise.
        """
        check_is_fitted(self)
        frame = self._read(X, reset=False)
        codes, nearest = self._schema.encode(frame[self._roles.quasi_identifiers])
        labels = self._fitted_labels(codes)
        unseen = labels == _UNSEEN
        if unseen.any():
            labels[unseen] = self._assign(nearest[unseen])
        return self._emit(X, frame, labels)

    def forget(self) -> Self:
        """Return a copy that does not hold the fitted records any more.

        It keeps the published classes and the columns' domains, so that it can be
        shipped with a model. Its ``transform`` sends every record, fitted or not, to
        the class that costs it least.

        Returns
        -------
        BaseAnonymizer
            Without ``labels_`` and ``suppressed_``.
        """
        check_is_fitted(self)
        forgetful = copy.copy(self)
        for name in ("_codes", "labels_", "suppressed_"):
            forgetful.__dict__.pop(name, None)
        return forgetful

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Name the columns of the release.

        Parameters
        ----------
        input_features : array-like of str, or None
            Only to be compared with the names that were fitted.

        Returns
        -------
        ndarray of str objects, shape (n_features_out,)
        """
        check_is_fitted(self)
        names = _input_names(self, input_features)
        written: list[str] = []
        for column, name in zip(self._column_names, names, strict=True):
            if column in self._roles.identifiers:
                continue
            written += [f"{name}{suffix}" for suffix in self._suffixes(column)]
        return np.asarray(written, dtype=object)

    def __sklearn_tags__(self):
        """Say what the input may be: missing values, text and categories are fine."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether ``fit`` came to its end."""
        return hasattr(self, "information_loss_")

    # ------------------------------------------------------------------ reading

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _read(self, X: Any, *, reset: bool) -> pd.DataFrame:
        frame = as_frame(X)
        named = frame if isinstance(X, pd.DataFrame) or hasattr(X, "columns") else X
        if named is X and not hasattr(X, "shape"):
            named = frame.to_numpy()
        try:
            validate_data(self, named, reset=reset, skip_check_array=True)
        except (ValueError, TypeError) as error:
            raise ColumnError(str(error)) from error
        if reset:
            self._column_names = list(frame.columns)
        elif list(frame.columns) != self._column_names:
            # an array where a frame was fitted: the columns go by position
            frame = frame.set_axis(self._column_names, axis=1)
        return frame

    # ----------------------------------------------------------------- learning

    def _learn_classes(self, schema: Schema, codes: np.ndarray) -> None:
        labels = self._clusters(schema, codes)
        labels = suppress(schema, codes, labels, self.k, self.max_suppression)
        labels, states, costs = _published(schema, codes, labels)
        kept = labels >= 0
        self._schema, self._codes = schema, codes
        self._states, self._costs = states, costs
        self.labels_ = labels
        self.suppressed_ = ~kept
        self.class_sizes_ = np.bincount(labels[kept], minlength=len(states))
        self.n_classes_ = len(states)
        self._emitters = {
            name: Emitter(bound, states[:, at])
            for name, bound, at in zip(
                schema.names, schema.bounds, schema.parts(), strict=True
            )
        }
        self.generalizations_ = pd.DataFrame(
            {name: emitter.texts() for name, emitter in self._emitters.items()}
        )
        self.hierarchies_ = schema.hierarchies
        n_suppressed = int((~kept).sum())
        spent = self.class_sizes_ @ costs + n_suppressed * schema.shares
        losses = spent / len(codes)
        self.column_losses_ = {
            name: float(loss / share) if share else 0.0
            for name, loss, share in zip(
                schema.names, losses, schema.shares, strict=True
            )
        }
        self.information_loss_ = float(losses.sum())

    def _clusters(self, schema: Schema, codes: np.ndarray) -> np.ndarray:
        if self.k == 1:
            warnings.warn(
                "k=1 hides nobody: the table is released as it is.",
                PrivacyWarning,
                stacklevel=4,
            )
            return np.arange(len(codes))
        random_state = check_random_state(self.random_state)
        problem = Problem(
            schema, codes, self.k, random_state, self.n_jobs, self.verbose
        )
        return self._cluster(problem)

    def _check(self, frame: pd.DataFrame) -> None:
        """Check the release from its values alone, as its recipients see it."""
        quasi_identifiers = self._roles.quasi_identifiers
        for encode in dict.fromkeys(["label", self.encode]):
            columns = self._written(quasi_identifiers, encode, self.labels_)
            release = pd.DataFrame(columns)
            if encode != "label":  # here nothing but its label tells that it is one
                release = release[self.labels_ >= 0]
            if len(release):
                check_release(release, list(release.columns), self.k)

    # ----------------------------------------------------------------- emission

    def _fitted_labels(self, codes: np.ndarray) -> np.ndarray:
        """Find the fitted records' own classes, ``_UNSEEN`` for other records."""
        labels = np.full(len(codes), _UNSEEN)
        if not hasattr(self, "_codes"):
            return labels
        n = len(self._codes)
        ids = tuple_ids(np.concatenate([self._codes, codes]))
        # the same tuple's occurrences are counted apart in the fitted and new records
        most = len(ids)
        fitted = ids[:n] * most + occurrences(ids[:n])
        new = ids[n:] * most + occurrences(ids[n:])
        at = pd.Index(fitted).get_indexer(pd.Index(new))
        labels[at >= 0] = self.labels_[at[at >= 0]]
        return labels

    def _assign(self, codes: np.ndarray) -> np.ndarray:
        if not len(self._states):  # all fitted records were suppressed
            return np.full(len(codes), -1)
        from skanon.kernels.assignment import assign

        return assign(self._schema.columns, codes, self._states, self._costs)

    def _suffixes(self, column: Any) -> list[str]:
        if column in self._emitters:
            return self._emitters[column].suffixes(self.encode)
        return [""]

    def _written(self, columns: list, encode: str, labels: np.ndarray) -> dict:
        written = {}
        for column in columns:
            for suffix, values in self._emitters[column].emit(encode, labels).items():
                written[f"{column}{suffix}" if suffix else column] = values
        return written

    def _emit(self, X: Any, frame: pd.DataFrame, labels: np.ndarray) -> Any:
        columns: dict = {}
        for column in frame.columns:
            if column in self._emitters:
                columns |= self._written([column], self.encode, labels)
            elif column not in self._roles.identifiers:
                columns[column] = frame[column].array
        release = pd.DataFrame(columns, index=frame.index, copy=True)
        if isinstance(X, pd.DataFrame):
            return release
        if hasattr(X, "to_pandas"):
            return type(X)(release)
        return release.to_numpy()


_UNSEEN = -2


def _check_lengths(n: int, **others: Any) -> None:
    for name, values in others.items():
        if values is not None and len(values) != n:
            raise ColumnError(
                f"X has {n} rows, but {name} has {len(values)}. Give one value per row."
            )


def _check_feasible(k: int, n: int) -> None:
    if k > n:
        raise InfeasibleError(
            f"k={k} asks for at least {k} records, but the table has "
            f"n_samples={n}. Choose k of at most {n}."
        )


def _published(
    schema: Schema, codes: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Close the clusters; those with the same closure are one equivalence class."""
    from skanon.kernels.columns import close

    kept = labels >= 0
    clusters, compact = np.unique(labels[kept], return_inverse=True)
    renamed = np.full(len(labels), -1, dtype=np.int32)
    renamed[kept] = compact
    states, costs = close(schema.columns, codes, renamed, len(clusters))
    same = tuple_ids(states)
    # in the order in which the classes appear among the records
    order = pd.unique(same[renamed[kept]])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    first = np.full(len(order), len(states))
    np.minimum.at(first, rank[same], np.arange(len(states)))
    result = np.full(len(labels), -1, dtype=np.int64)
    result[kept] = rank[same[renamed[kept]]]
    return result, states[first], costs[first]


def _input_names(estimator: BaseAnonymizer, input_features: Any) -> list[str]:
    fitted = getattr(estimator, "feature_names_in_", None)
    if input_features is None:
        if fitted is not None:
            return list(fitted)
        return [f"x{j}" for j in range(estimator.n_features_in_)]
    given = [str(name) for name in input_features]
    if fitted is not None and given != list(fitted):
        raise ParameterError("input_features is not equal to feature_names_in_")
    if len(given) != estimator.n_features_in_:
        raise ParameterError(
            "input_features should have length equal to number of features "
            f"({estimator.n_features_in_}), got {len(given)}"
        )
    return given


__all__ = ["BaseAnonymizer", "Problem", "Roles"]

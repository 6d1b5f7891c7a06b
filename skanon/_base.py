"""The contract of every anonymizer, written once."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Number
from time import perf_counter
from types import FunctionType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from skanon._contract import Anonymizer
from skanon._parameters import (
    ANYTHING,
    RANDOM_STATE,
    VERBOSITY,
    at_least,
    at_most,
    check_parameters,
    one_of,
)
from skanon._problem import Problem
from skanon._progress import progress
from skanon._release.classes import Classes, check_feasible
from skanon._release.emission import ENCODINGS
from skanon._release.unchanged import Unchanged, alone
from skanon._table.containers import (
    as_container,
    as_frame,
    as_release,
    blanked,
    check_distinct,
    input_names,
    is_polars,
    names_its_columns,
    one_zero,
    output_container,
    rename,
)
from skanon._table.roles import (
    assign_roles,
    check_beside,
    check_hierarchies,
    without_levels,
)
from skanon._table.schema import Schema, same_tuples, tuple_ids
from skanon._table.sensitive import sensitive_numbers, sensitive_table
from skanon._warn import warn
from skanon.constraints._bound import BoundConstraint
from skanon.exceptions import ColumnError, ColumnTypeError, PrivacyWarning
from skanon.losses import Loss
from skanon.losses._named import LOSSES, as_loss
from skanon.privacy._codes import code_column


class BaseAnonymizer(Anonymizer):
    """Read, encode and emit; what is left to a subclass is what to release.

    A subclass writes ``_learn`` and names its own parameters in
    ``_parameter_rules``. Most are better off as a
    :class:`~skanon.clustering.ClusteringAnonymizer`, which asks for clusters only, or
    as a :class:`~skanon.consistency.ConsistencyAnonymizer`.
    """

    _parameter_rules: ClassVar[dict[str, Any]] = {
        "k": at_least(1),
        # these are checked column by column, with the table at hand
        "quasi_identifiers": ANYTHING,
        "hierarchies": [Mapping, None],
        "loss": [one_of(LOSSES), Loss],
        "sensitive": ANYTHING,
        "identifiers": ANYTHING,
        "encode": one_of(ENCODINGS),
        "random_state": RANDOM_STATE,
        "n_jobs": [None, at_least(1), at_most(-1)],
        "verbose": VERBOSITY,
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let an inherited ``__init__`` name the class itself in Python's errors."""
        super().__init_subclass__(**kwargs)
        if "__init__" not in vars(cls):
            given: Any = cls.__init__
            parts = given.__code__, given.__globals__, given.__name__
            own: Any = FunctionType(*parts, given.__defaults__, given.__closure__)
            own.__kwdefaults__ = given.__kwdefaults__
            own.__qualname__ = f"{cls.__qualname__}.__init__"
            cls.__init__ = own  # type: ignore[method-assign]

    @abstractmethod
    def _learn(
        self,
        table: pd.DataFrame,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
    ) -> None:
        """Learn a release, hand it to ``_publish``, and check it.

        Parameters
        ----------
        table : DataFrame of shape (n, r)
            The quasi-identifiers.
        schema : Schema
        codes : ndarray of int32, shape (n, r)
            The records.
        sensitive : ndarray of int32, shape (n,)
            The numbers of their sensitive values; all 0 where the loss looks at none.
        """

    def fit(self, X, y=None, *, sensitive=None) -> Self:
        """Learn the equivalence classes of a table, and check their release.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, n_columns)
            The table.
        y : array-like of shape (n,) or (n, n_outputs), or None
            The sensitive attribute, where it is not a column of ``X``. A Series or
            DataFrame with the index of ``X`` in another order is refused; with any
            other index it goes by position, as in scikit-learn.
        sensitive : array-like of shape (n,) or (n, n_sensitive), or None
            Further sensitive attributes that are not columns of ``X``; request it with
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

        Notes
        -----
        After any error, also Ctrl+C, the anonymizer is not fitted, even if it was.
        """
        self._unfit()
        try:
            self._fit(X, y, sensitive)
        except BaseException:  # also Ctrl+C: half a fit must not look like one
            self._unfit()
            raise
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
        come. Where all records of ``X`` are those of the fitted table with the same
        index, the index tells which is which; else the q-th occurrence of a tuple takes
        the class of its q-th fitted occurrence; where there are constraints, of a tuple
        and its private values. Any other record takes the published class that costs it
        least, which need not cover it.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, n_columns)
            Records with the columns that were fitted, in the same order. A frame need
            not have the sensitive columns and the identifiers.

        Returns
        -------
        DataFrame or ndarray of shape (n, n_features_out)
            With the index of ``X``. A pandas or polars frame gives such a frame,
            anything else an array, unless ``set_output`` says otherwise.

        Raises
        ------
        ColumnError
            A column is absent, unknown or out of order; or it is the fitted table in
            another order, whose sensitive attribute was given beside it, and equal
            tuples could trade their private values.
        """
        check_is_fitted(self)
        frame = self._read(X, reset=False)
        table = frame[self._roles.quasi_identifiers]
        codes, nearest = self._classes.schema.encode(table)
        labels = self._fitted_labels(frame, codes)
        unseen = labels == _UNSEEN
        if unseen.any():
            labels[unseen] = self._classes.assign(nearest[unseen], self.n_jobs)
        return self._emit(X, frame, labels)

    def score(self, X, y=None) -> float:
        """Give the negated information loss of the release that was fitted.

        It lets searches without a ``scoring`` prefer what loses less.
        :func:`~skanon.metrics.make_release_scorer` makes scorers of other losses and
        of risks; a pipeline that ends in a model has the model's score.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, n_columns)
            A table with the fitted columns. What is measured is the fitted release, not
            what becomes of this table.
        y : ignored

        Returns
        -------
        float
            ``-information_loss_``: higher is better.
        """
        check_is_fitted(self)
        self._read(X, reset=False)
        return -self.information_loss_

    def forget(self) -> Self:
        """Return a copy that does not hold the fitted records any more.

        It can be shipped with a model. Its ``transform`` sends every record, fitted or
        not, to the class that costs it least; of a loss that looks at sensitive values
        only the rest counts, or LM where there is none.

        It holds the parameters as they were given; the names and roles of the columns;
        what each class publishes, and the number of its records; the hierarchies; of
        each quasi-identifier by itself the values and how often each occurs; and
        figures such as the loss. It holds no combination of values of a record, and no
        sensitive value.

        Returns
        -------
        BaseAnonymizer
            Without ``labels_`` and what else there is of each record.
        """
        check_is_fitted(self)
        forgetful = copy.copy(self)
        held: dict[str, Any] = forgetful.__dict__
        parameters = self.get_params(deep=False)
        for name, value in list(held.items()):
            if isinstance(value, BaseAnonymizer):  # which may itself be fitted
                held[name] = clone(value)
            elif name not in parameters and name not in _OF_THE_TABLE:
                if not isinstance(value, str | Number | None):
                    del held[name]
        forgetful._classes = self._classes.without_sensitive()
        return forgetful

    def report(self, sensitive=None):
        """Measure the release, and give a :class:`skanon.report.Report`.

        Parameters
        ----------
        sensitive : array-like of shape (n,), or None
            A sensitive attribute instead of those that were fitted.
        """
        from skanon.report import make_report

        return make_report(self, sensitive)

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
        fitted = getattr(self, "feature_names_in_", None)
        names = input_names(input_features, fitted, self.n_features_in_)
        written: list[str] = []
        for column, name in zip(self._column_names, names, strict=True):
            if column in self._roles.identifiers:
                continue
            suffixes = self._classes.suffixes(column, self.encode)
            written += [f"{name}{suffix}" for suffix in suffixes]
        return np.asarray(written, dtype=object)

    def __sklearn_tags__(self):
        """Say what the input may be: missing values, text and categories are fine."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        # Categories are fine, too, but where that is said, scikit-learn's checks repeat
        # tuples and transform them one by one; then each is a first occurrence.
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
        if not reset and self._lacks_private(frame, X):
            return frame
        try:
            validate_data(self, frame, reset=reset, skip_check_array=True)
        except TypeError as error:
            kinds = sorted({type(name).__name__ for name in frame.columns})
            raise ColumnTypeError(
                f"The columns' names are of several types ({', '.join(kinds)}): "
                "Feature names are only supported if all input features have string "
                "names. Use X.columns = X.columns.astype(str)."
            ) from error
        except ValueError as error:
            remedy = "" if reset else " Give the fitted columns, in their order."
            raise ColumnError(f"{str(error).rstrip()}{remedy}") from error
        if reset:
            self._column_names = list(frame.columns)
            self._is_named = names_its_columns(X)
        elif list(frame.columns) != self._column_names:
            texts = hasattr(self, "feature_names_in_")
            frame = rename(frame, self._column_names, X, texts)
        return frame

    def _lacks_private(self, frame: pd.DataFrame, X: Any) -> bool:
        """Tell whether a table is the fitted one but for columns that stay private."""
        if not (self._is_named and names_its_columns(X)):
            return False
        private = {*self._roles.sensitive, *self._roles.identifiers}
        present = set(frame.columns)
        expected = [c for c in self._column_names if c in present or c not in private]
        return len(expected) < len(self._column_names) and expected == [*frame.columns]

    # ----------------------------------------------------------------- learning

    def _check_may_be_missing(self, frame: pd.DataFrame) -> None:
        """Check that columns can hold what suppressed records are published as."""

    def _fit(self, X: Any, y: Any, sensitive: Any) -> None:
        started = perf_counter()
        self._check_parameters()
        frame = self._read(X, reset=True)
        check_beside(X, len(frame), y=y, sensitive=sensitive)
        self._roles = assign_roles(
            frame.columns,
            self.quasi_identifiers,
            self.sensitive,
            self.identifiers,
            frame.index.names,
        )
        hierarchies = check_hierarchies(frame.columns, self.hierarchies)
        check_feasible(self.k, len(frame))
        table = frame[self._roles.quasi_identifiers]
        loss = as_loss(self.loss)
        coded = sensitive_numbers(loss, y, frame[self._roles.sensitive])
        self._sensitive = sensitive_table(frame[self._roles.sensitive], y, sensitive)
        self._looked_at = self._roles.sensitive
        if y is not None:
            self._looked_at = list(sensitive_table(frame[[]], y, None).columns)
        self._check_may_be_missing(frame)
        schema, codes = Schema.learn(table, hierarchies, loss, coded)
        self._codes, self._index = codes, frame.index
        self._learn(table, schema, codes, coded)
        progress(
            self.verbose,
            f"{type(self).__name__}: {len(frame):,} records, information loss "
            f"{self.information_loss_:.4g}, {perf_counter() - started:.1f} s",
        )
        self._look_at_unchanged(frame)

    def _unfit(self) -> None:
        parameters = self.get_params(deep=False)
        for name in list(vars(self)):
            is_public = name.endswith("_") and not name.startswith("_")
            if name not in parameters and (is_public or name in _LEARNED):
                delattr(self, name)

    def _problem(
        self,
        schema: Schema,
        codes: np.ndarray,
        sensitive: np.ndarray,
        bound_constraints: Sequence[BoundConstraint] = (),
    ) -> Problem:
        """Put together what an algorithm is given."""
        random_state = check_random_state(self.random_state)
        return Problem(
            schema,
            codes,
            sensitive,
            self.k,
            random_state,
            self.n_jobs,
            self.verbose,
            list(bound_constraints),
        )

    def _warn_of_one(self) -> None:
        warn("k=1 hides nobody: the table is released as it is.", PrivacyWarning)

    def _is_published(self) -> np.ndarray:
        """Tell of each fitted record whether columns that are not generalized stay."""
        kept = getattr(self, "suppressed", "keep") == "keep"
        return np.full(len(self.labels_), True) if kept else self.labels_ >= 0

    def _look_at_unchanged(self, frame: pd.DataFrame) -> None:
        """Count what passes through as it is; warn where that singles out records."""
        rows = np.flatnonzero(self._is_published())
        published = frame.iloc[rows]
        self.unchanged_ = Unchanged.of(
            published,
            self._roles.others,
            self._roles.levels,
            lambda known: self._alone_with(published, rows, known),
        )
        if self.unchanged_.singles_out():
            warn(
                f"{self.unchanged_.told()} Whoever knows such values finds the record, "
                "however large its class is. Make such a column a quasi-identifier, "
                "drop it as one of the identifiers, or reset the index.",
                PrivacyWarning,
            )

    def _alone_with(
        self, published: pd.DataFrame, rows: np.ndarray, known: np.ndarray
    ) -> int:
        """Count the records that are alone in their class with what is known of them.

        Parameters
        ----------
        published : DataFrame of shape (n_published, n_columns)
        rows : ndarray of int, shape (n_published,)
            Where they are among the fitted ones.
        known : ndarray of int, shape (n_published,)
        """
        return alone(known, self.labels_[rows])

    def _publish(
        self, classes: Classes, labels: np.ndarray, losses: np.ndarray
    ) -> None:
        """Set what all releases have.

        Parameters
        ----------
        classes : Classes
        labels : ndarray of int, shape (n,)
            What each record is published as; -1 where it is suppressed.
        losses : ndarray of float64, shape (r + 1,)
            What all records pay, by column, and at last the penalty. What origins
            take off is still in it.
        """
        schema = classes.schema
        self._classes, self.labels_ = classes, labels
        self.generalizations_ = classes.texts()
        self.hierarchies_ = schema.hierarchies
        losses = losses / len(labels)
        losses[:-1] -= schema.origins
        self.column_losses_ = {
            name: float(loss / share) if share else 0.0
            for name, loss, share in zip(
                schema.names, losses[:-1], schema.shares, strict=True
            )
        }
        self.information_loss_ = float(losses.sum())
        check_distinct(self.get_feature_names_out())

    # ----------------------------------------------------------------- emission

    def _fitted_labels(self, frame: pd.DataFrame, codes: np.ndarray) -> np.ndarray:
        """Find the fitted records' own classes, ``_UNSEEN`` for other records."""
        labels = np.full(len(codes), _UNSEEN)
        if not hasattr(self, "_codes"):
            return labels
        if getattr(self, "constraints", ()):
            # equal tuples must not trade classes, which would trade private values
            at = self._with_private_values(frame, codes)
        else:
            found = self._at_index(frame, self._codes, codes)
            at = same_tuples(self._codes, codes) if found is None else found
        labels[at >= 0] = self.labels_[at[at >= 0]]
        return labels

    def _at_index(
        self, frame: pd.DataFrame, fitted: np.ndarray, new: np.ndarray
    ) -> np.ndarray | None:
        """Find fitted records by the index; None where it leads to other ones.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
        fitted, new : ndarray of int, shape (n_fitted, r) and (n, r)
            What has to be the same.
        """
        if not (self._index.is_unique and frame.index.is_unique):
            return None
        try:
            rows = self._index.get_indexer(frame.index)
        except (TypeError, ValueError, pd.errors.InvalidIndexError):
            return None  # an index of another type
        found = not (rows < 0).any() and np.array_equal(fitted[rows], new)
        return rows if found else None

    def _with_private_values(
        self, frame: pd.DataFrame, codes: np.ndarray
    ) -> np.ndarray:
        """Find the fitted records with the same private values, too, where possible.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
        codes : ndarray of int32, shape (n, r)

        Returns
        -------
        ndarray of int, shape (n,)
            -1 for records that were not fitted.

        Raises
        ------
        ColumnError
            The fitted table comes in another order, and nothing tells which of its
            records have which private values.
        """
        both = [self._codes, codes]
        for name in self._roles.sensitive:
            if name in frame.columns:
                pair = [self._sensitive[name], frame[name]]
                numbers, _ = code_column(pd.concat(pair, ignore_index=True), name)
                parts = np.split(numbers, [len(self._codes)])
                both = [np.column_stack(x) for x in zip(both, parts, strict=True)]
        at_index = self._at_index(frame, *both)
        if at_index is not None:
            return at_index
        at, closest = same_tuples(self._codes, codes), same_tuples(*both)
        at = np.where(closest < 0, at, closest)
        apart = len(self._sensitive.columns) > len(self._roles.sensitive)
        if not apart or not np.array_equal(np.sort(at), np.arange(len(self._codes))):
            return at
        # the whole table, whose private values were given beside it
        if np.array_equal(self._codes, codes):
            return np.arange(len(codes))
        tuples = tuple_ids(self._codes)
        if len(np.unique(tuples)) == len(
            np.unique(np.column_stack([tuples, self.labels_]), axis=0)
        ):
            return at
        raise ColumnError(
            "This is the fitted table in another order, and its sensitive attribute "
            "was given beside it: records that are equal otherwise could trade their "
            "private values, and break the constraints. Give the table in the fitted "
            "order or with the fitted index, or make the attribute one of its columns."
        )

    def _emit(self, X: Any, frame: pd.DataFrame, labels: np.ndarray) -> Any:
        hidden = labels < 0
        becomes = getattr(self, "suppressed", "keep") if hidden.any() else "keep"
        if becomes == "drop":
            frame, labels = frame[~hidden], labels[~hidden]
            X = X.filter(~hidden) if is_polars(X) else X
        columns: dict = {}
        untouched: list = []
        for column in frame.columns:
            if column in self._classes.emitters:
                columns |= self._classes.write([column], self.encode, labels)
            elif column not in self._roles.identifiers:
                given = frame[column]
                kept = one_zero(given)
                if kept is given:
                    untouched.append(column)
                kept = blanked(kept, hidden) if becomes == "blank" else kept
                columns[column] = kept.array
        index = without_levels(frame.index, self._roles.levels)
        release = as_release(columns, index)
        wanted = output_container(self)
        if self._is_named:
            untouched = [] if becomes == "blank" else untouched
            return as_container(release, X, wanted, untouched)
        release.columns = self.get_feature_names_out()
        return as_container(release, X, wanted, [])

    def _unchanged(self) -> list:
        return [*self._roles.sensitive, *self._roles.others]

    def _html_note(self) -> str:
        notes = []
        if self.encode == "label":
            notes.append(
                "It emits text for people; encode='distribution' emits numbers, for a "
                "model that comes after it."
            )
        if hasattr(self, "_codes"):
            notes.append(_CONFIDENTIAL)
        return " ".join(notes)


_CONFIDENTIAL = (
    "It holds the records that it was fitted on, so it is as confidential as "
    "they are; forget() gives a copy without them."
)


_UNSEEN = -2

_LEARNED = (
    "_column_names",
    "_is_named",
    "_roles",
    "_codes",
    "_index",
    "_sensitive",
    "_looked_at",
    "_classes",
)
"""What ``fit`` sets, beside the public attributes."""

_OF_THE_TABLE = (
    "feature_names_in_",
    "_column_names",
    "_roles",
    "_looked_at",
    "_classes",
    "generalizations_",
    "class_sizes_",
    "hierarchies_",
    "column_losses_",
)
"""What a forgetful copy keeps of what a fit has set, beside numbers and text."""

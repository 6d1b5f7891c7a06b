"""Everything that a report tells, measured on a release that is read once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.base import BaseAnonymizer
from skanon.exceptions import AnonymizationError, ColumnError
from skanon.losses import IL, LM, MI, NCP, PMI, Entropy, Loss, TreeMeasure, as_loss
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._ambiguity import ambiguity
from skanon.metrics._classes import (
    class_size,
    discernibility,
    entropy_diversity,
    misclassification,
)
from skanon.metrics._distributions import column_distances, pair_differences
from skanon.metrics._divergence import Estimate, divergence
from skanon.metrics._fitted import fitted_tables
from skanon.metrics._inputs import private_codes
from skanon.metrics._reading import Reading, read_release
from skanon.privacy import (
    beta_likeness,
    delta_disclosure,
    k_anonymity,
    l_diversity,
    t_closeness,
)
from skanon.privacy.attacks import linkage_attack
from skanon.private import MOST_VALUES, private_table
from skanon.report._settings import (
    describe,
    described,
    names,
    plain_name,
    settings,
    versions,
)
from skanon.roles import check_lengths

THRESHOLDS = (0.5, 0.2, 0.1, 0.05)
"""Risks of being found above which records are counted."""

MOST_PAIRS, MOST_CLASSES, DRAWN = 20_000_000, 50_000, 1000
"""What the divergence may take: some 0.5 s where it is exact, 2 s where estimated."""


class _Additive(NamedTuple):
    """A loss, and whether its metric is a sum over the entries, not the average."""

    loss: Loss
    summed: bool = False


_LOSSES = {
    "loss_metric": _Additive(LM()),
    "tree_measure": _Additive(TreeMeasure()),
    "byun_information_loss": _Additive(IL(), summed=True),
    "normalized_certainty_penalty": _Additive(NCP(), summed=True),
    "global_certainty_penalty": _Additive(NCP()),
    "entropy_loss": _Additive(Entropy()),
    "mutual_information_loss": _Additive(MI()),
}
"""By the name of the function of :mod:`skanon.metrics`."""


def measure(anonymizer: BaseAnonymizer, y: Any = None) -> dict[str, Any]:
    """Measure a fitted anonymizer's release from all sides.

    Parameters
    ----------
    anonymizer : BaseAnonymizer
    y : array-like of shape (n,) or (n, n_private), or None
        Private attributes, instead of those that the fit was given.

    Returns
    -------
    dict
        Of types that JSON knows; None where a value could not be measured.

    Raises
    ------
    NotFittedError, ParameterError, ColumnError
        As in :func:`skanon.report.make_report`.
    """
    original, released = fitted_tables(anonymizer)
    private = anonymizer._private if y is None else _given(y, len(original))
    reading = read_release(original, released, anonymizer.hierarchies_)
    tables = original, released
    return _Measurement(anonymizer, private, reading, *tables).contents()


def _given(y: Any, n: int) -> pd.DataFrame:
    check_lengths(n, y=y)
    if not hasattr(y, "shape"):  # so that None beside text stays a missing value
        y = np.asarray(y, dtype=object)
    if len(y.shape) > 2:
        raise ColumnError(
            f"y has the shape {y.shape}. Give one private attribute, or a table with a "
            "column for each."
        )
    return private_table(pd.DataFrame(index=range(n)), y, None)


class _Measurement:
    """One release, while it is measured."""

    def __init__(
        self,
        anonymizer: BaseAnonymizer,
        private: pd.DataFrame,
        reading: Reading,
        original: pd.DataFrame,
        released: pd.DataFrame,
    ) -> None:
        self._anonymizer = anonymizer
        self._private = private
        self._reading = reading
        self._original = original
        self._released = released
        self._ones = np.ones(len(reading))
        self._engine = AdditiveLosses(reading, self._ones)
        self._gaps: list[dict[str, Any]] = []

    def contents(self) -> dict[str, Any]:
        """Measure all parts; see :class:`skanon.report.Report`."""
        distances = column_distances(self._reading, self._ones, "uniform")
        return {
            "versions": versions(),
            "parameters": settings(self._anonymizer),
            "table": self._table(),
            "classes": self._classes(),
            "losses": self._losses(),
            "columns": self._columns(distances),
            "metrics": self._metrics(distances),
            "private": [self._private_part(j) for j in range(self._private.shape[1])],
            "risk": self._risk(),
            "not_measured": self._gaps,
        }

    # -------------------------------------------------------------------- gaps

    def _miss(
        self, part: str, what: str, why: str, of: str | int | None = None
    ) -> None:
        self._gaps.append({"part": part, "of": of, "what": what, "why": why})

    def _finite(
        self, part: str, what: str, value: float, of: str | int | None = None
    ) -> float | None:
        if np.isfinite(value):
            return float(value)
        why = "It is beyond the range of floating-point numbers."
        self._miss(part, what, why if np.isinf(value) else "It is undefined.", of)
        return None

    # ------------------------------------------------------- records and classes

    def _table(self) -> dict[str, Any]:
        roles = self._anonymizer._roles
        n = len(self._reading)
        suppressed = int(self._anonymizer.suppressed_.sum())
        return {
            "records": n,
            "released": n - suppressed,
            "suppressed": suppressed,
            "reads_as_suppressed": int(self._reading.suppressed.sum()),
            "quasi_identifiers": names(roles.quasi_identifiers),
            "private": names(self._private.columns),
            "unchanged": names(roles.others),
            "dropped": names(roles.identifiers),
        }

    def _classes(self) -> dict[str, Any]:
        sizes = self._anonymizer.class_sizes_
        distinct, counts = np.unique(sizes, return_counts=True)
        summary: dict[str, Any] = {"number": len(sizes)}
        if len(sizes):
            summary |= {
                "smallest": int(sizes.min()),
                "largest": int(sizes.max()),
                "mean": float(sizes.mean()),
                "median": float(np.median(sizes)),
            }
        else:
            for what in ("smallest", "largest", "mean", "median"):
                summary[what] = None
                self._miss("classes", what, "All records are suppressed.")
        summary["sizes"] = [
            {"size": size, "classes": count}
            for size, count in zip(distinct.tolist(), counts.tolist(), strict=True)
        ]
        return summary

    def _risk(self) -> dict[str, Any]:
        sizes = self._anonymizer.class_sizes_
        n, published = len(self._reading), int(sizes.sum())
        above = [int(sizes[1.0 / sizes > risk].sum()) for risk in THRESHOLDS]
        return {
            "asked_k": int(self._anonymizer.k),
            "achieved_k": k_anonymity(self._released),
            "highest": 1.0 / float(sizes.min()) if published else 0.0,
            "average": len(sizes) / published if published else 0.0,
            "records_above": [
                {"risk": risk, "records": records, "share": records / n}
                for risk, records in zip(THRESHOLDS, above, strict=True)
            ],
            "share_suppressed": (n - published) / n,
        }

    # ------------------------------------------------------------------- losses

    def _losses(self) -> dict[str, Any]:
        objective = {
            "loss": described(as_loss(self._anonymizer.loss)),
            "value": float(self._anonymizer.information_loss_),
        }
        figures = {
            name: self._engine.figure(self._averages(name), name, total=metric.summed)
            for name, metric in _LOSSES.items()
        }
        return {"objective": objective} | figures

    def _averages(self, name: str) -> np.ndarray:
        factor = self._engine.n_records if _LOSSES[name].summed else 1.0
        return self._engine.averages(_LOSSES[name].loss) * factor

    def _columns(self, distances: pd.Series) -> list[dict[str, Any]]:
        by_loss = {name: self._averages(name).tolist() for name in _LOSSES}
        anonymizer = self._anonymizer
        return [
            {
                "name": plain_name(column.name),
                "hierarchy": describe(anonymizer.hierarchies_[column.name]),
                "values": int((column.bound.counts > 0).sum()),
                "published": column.n_subsets,
                "losses": {"objective": float(anonymizer.column_losses_[column.name])}
                | {name: values[j] for name, values in by_loss.items()},
                "distribution_distance": float(distances.iloc[j]),
            }
            for j, column in enumerate(self._reading.columns)
        ]

    # ------------------------------------------------------------------ metrics

    def _metrics(self, distances: pd.Series) -> dict[str, Any]:
        reading, ones = self._reading, self._ones
        average = class_size(reading, ones)
        estimate = self._divergence()
        return {
            "ambiguity_metric": self._finite(
                "metrics", "ambiguity_metric", ambiguity(reading, ones)
            ),
            "discernibility_metric": discernibility(reading, ones),
            "average_class_size": average,
            "average_class_size_over_k": average / self._anonymizer.k,
            "kl_divergence": None if estimate is None else estimate.value,
            "kl_divergence_error": None if estimate is None else estimate.error,
            "distribution_distance": float(distances.mean()),
            "correlation_difference": self._correlation_difference(),
        }

    def _divergence(self) -> Estimate | None:
        reading = self._reading
        n_boxes = int(reading.classes.max()) + 1 + bool(reading.suppressed.any())
        if n_boxes > MOST_CLASSES:
            self._miss(
                "metrics",
                "kl_divergence",
                f"With more than {MOST_CLASSES:,} classes it takes long. "
                "skanon.metrics.kl_divergence computes it.",
            )
            return None
        rng = np.random.RandomState(0)  # where it is estimated, two reports agree
        return divergence(reading, self._ones, "uniform", MOST_PAIRS, DRAWN, rng)

    def _correlation_difference(self) -> float | None:
        try:
            pairs = pair_differences(self._reading, self._ones, "uniform")
        except ColumnError:
            self._miss(
                "metrics",
                "correlation_difference",
                "It takes two quasi-identifiers of numbers, dates or ordered "
                "categories that are not constant.",
            )
            return None
        return float(np.nanmean(pairs.to_numpy()))

    # -------------------------------------------------------- private attributes

    def _private_part(self, j: int) -> dict[str, Any]:
        name = plain_name(self._private.columns[j])
        values = self._private.iloc[:, j]
        part: dict[str, Any] = {"name": name, "values": None}
        part |= dict.fromkeys([*_PRIVATE, "levels", "linkage"])
        missing = int(values.isna().sum())
        if missing:
            why = f"{missing:,} of {len(values):,} private values are missing."
            self._miss("private", "everything", why, name)
            return part
        try:
            codes = private_codes(values, self._reading)
        except AnonymizationError:
            why = "Its values cannot be compared with each other."
            self._miss("private", "everything", why, name)
            return part
        part["values"] = int(codes.max()) + 1
        if part["values"] > MOST_VALUES:
            why = f"It has more than {MOST_VALUES:,} different values."
            self._miss("private", "everything", why, name)
            return part
        return part | self._of_private(codes) | self._guarded(values, name)

    def _of_private(self, codes: np.ndarray) -> dict[str, Any]:
        reading, ones = self._reading, self._ones
        engine = AdditiveLosses(reading, ones, codes)
        told = engine.private_information()
        losses = engine.averages(PMI())
        alike = self._alike(codes)
        measured = {
            "classification_metric": misclassification(reading, codes, ones),
            "class_entropy_diversity": entropy_diversity(reading, codes, ones),
            "private_mutual_information_loss": engine.figure(losses, "loss"),
            "private_mutual_information_scores": {
                "l1": float(told.mean()),
                "l2": float(np.sqrt((told**2).sum()) / len(told)),
                "max": float(told.max()),
            },
            "classes_of_one_value": int(alike.sum()),
            "records_in_them": int(self._anonymizer.class_sizes_[alike].sum()),
            "columns": [
                {
                    "name": plain_name(column.name),
                    "private_mutual_information_loss": float(losses[at]),
                    "private_mutual_information_score": float(told[at]),
                }
                for at, column in enumerate(reading.columns)
            ],
        }
        assert set(measured) == set(_PRIVATE)
        return measured

    def _guarded(self, values: pd.Series, name: str | int) -> dict[str, Any]:
        """Measure what the release promises of a private attribute, and attack it."""
        if self._reading.suppressed.all():
            return {}
        quasi = list(self._released.columns)
        table = self._released, quasi, values
        levels = {
            "l_frequency": l_diversity(*table),
            "l_distinct": l_diversity(*table, kind="distinct"),
            "l_entropy": l_diversity(*table, kind="entropy"),
            "t": t_closeness(*table),
            "beta": beta_likeness(*table),
        }
        delta = delta_disclosure(*table)
        if np.isinf(delta):
            why = "A class lacks one of the private values."
            self._miss("private", "delta", why, name)
        levels = {key: float(level) for key, level in levels.items()}
        linkage = self._linked(values, name)
        return {
            "levels": levels | {"delta": None if np.isinf(delta) else float(delta)},
            "linkage": linkage,
        }

    def _linked(self, values: pd.Series, name: str | int) -> dict[str, Any] | None:
        """Let an adversary who knows all quasi-identifiers link everybody."""
        try:
            found = linkage_attack(
                self._original,
                self._released,
                list(self._released.columns),
                values,
                hierarchies=self._anonymizer.hierarchies_,
            )
        except AnonymizationError as error:
            self._miss("private", "linkage", str(error), name)
            return None
        return {
            "fewest_records": found.fewest_records,
            "homogeneous_share": found.homogeneous_share,
            "highest_share": found.highest_share,
            "largest_gain": found.largest_gain,
        }

    def _alike(self, codes: np.ndarray) -> np.ndarray:
        """Tell which classes hold a single private value: shape (n_classes,)."""
        kept = ~self._anonymizer.suppressed_
        labels = self._anonymizer.labels_[kept]
        pairs = np.unique(labels * (int(codes.max()) + 1) + codes[kept])
        owners = pairs // (int(codes.max()) + 1)
        return np.bincount(owners) == 1


_PRIVATE = (
    "classification_metric",
    "class_entropy_diversity",
    "private_mutual_information_loss",
    "private_mutual_information_scores",
    "classes_of_one_value",
    "records_in_them",
    "columns",
)
"""What is measured of a private attribute."""

"""Everything that a report tells, measured on a release that is read once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from skanon._contract import Anonymizer
from skanon._table.roles import check_beside
from skanon._table.sensitive import sensitive_table
from skanon.exceptions import ColumnError
from skanon.losses._base import Measure
from skanon.losses._named import LOSSES, as_loss
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._ambiguity import ambiguity
from skanon.metrics._classes import (
    class_size,
    discernibility,
)
from skanon.metrics._distributions import column_distances, pair_differences
from skanon.metrics._divergence import Estimate, divergence
from skanon.metrics._fitted import fitted_tables
from skanon.metrics._reading import Reading, read_release
from skanon.privacy import (
    global_one_k_anonymity,
    k_anonymity,
    k_one_anonymity,
    kk_anonymity,
    one_k_anonymity,
)
from skanon.report._attributes import NO_CLASSES, Attributes
from skanon.report._settings import (
    describe,
    described,
    names,
    plain_name,
    settings,
    versions,
)

THRESHOLDS = (0.5, 0.2, 0.1, 0.05)
"""Risks of being found above which records are counted."""

MOST_PAIRS, MOST_CLASSES, DRAWN = 20_000_000, 50_000, 1000
"""What the divergence may take: some 0.5 s where it is exact, 2 s where estimated."""


MODELS = {
    "one_k": one_k_anonymity,
    "k_one": k_one_anonymity,
    "kk": kk_anonymity,
    "global_one_k": global_one_k_anonymity,
}
"""What measures the k of releases whose records are generalized one by one."""

_IN_CLASSES = (
    "discernibility_metric",
    "average_class_size",
    "average_class_size_over_k",
)


def measure(anonymizer: Anonymizer, sensitive: Any = None) -> dict[str, Any]:
    """Measure a fitted anonymizer's release from all sides.

    Parameters
    ----------
    anonymizer : Anonymizer
    sensitive : array-like of shape (n,) or (n, n_sensitive), or None
        Sensitive attributes, instead of those that the fit was given.

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
    if sensitive is None:
        attributes = anonymizer._sensitive
    else:
        attributes = _given(sensitive, original)
    reading = read_release(original, released, None, anonymizer.hierarchies_)
    tables = original, released
    return _Measurement(anonymizer, attributes, reading, *tables).contents()


def _given(sensitive: Any, original: pd.DataFrame) -> pd.DataFrame:
    check_beside(original, len(original), sensitive=sensitive)
    if not hasattr(sensitive, "shape"):  # in a list of text, None stays a missing value
        sensitive = np.asarray(sensitive, dtype=object)
    if len(sensitive.shape) > 2:
        raise ColumnError(
            f"sensitive has the shape {sensitive.shape}. Give one sensitive attribute, "
            "or a table with a column for each."
        )
    return sensitive_table(pd.DataFrame(index=range(len(original))), None, sensitive)


class _Measurement:
    """One release, while it is measured."""

    def __init__(
        self,
        anonymizer: Anonymizer,
        sensitive: pd.DataFrame,
        reading: Reading,
        original: pd.DataFrame,
        released: pd.DataFrame,
    ) -> None:
        self._anonymizer = anonymizer
        self._sensitive = sensitive
        self._reading = reading
        self._original = original
        self._released = released
        self._ones = np.ones(len(reading))
        self._engine = AdditiveLosses(reading, self._ones)
        self._gaps: list[dict[str, Any]] = []
        self._attributes = Attributes(
            anonymizer, sensitive, reading, original, released, self._miss
        )

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
            "sensitive": self._attributes.contents(),
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
        suppressed = int((self._anonymizer.labels_ < 0).sum())
        unchanged = self._anonymizer.unchanged_
        return {
            "records": n,
            "released": n - suppressed,
            "suppressed": suppressed,
            "suppressed_are": getattr(self._anonymizer, "suppressed", "keep"),
            "reads_as_suppressed": int(self._reading.suppressed.sum()),
            "quasi_identifiers": names(roles.quasi_identifiers),
            "sensitive": names(self._sensitive.columns),
            "unchanged": names(roles.others),
            "unchanged_alone": unchanged.alone,
            "unchanged_together": unchanged.together,
            "dropped": names(roles.identifiers),
        }

    def _classes(self) -> dict[str, Any]:
        labels = self._anonymizer.labels_
        sizes = np.bincount(labels[labels >= 0])
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
        risks = 1.0 / self._anonymizer._linked()
        n, published = len(self._reading), len(risks)
        above = [int((risks > risk).sum()) for risk in THRESHOLDS]
        return {
            "model": self._anonymizer._model,
            "asked_k": int(self._anonymizer.k),
            "achieved_k": self._achieved(),
            "highest": float(risks.max()) if published else 0.0,
            "average": float(risks.mean()) if published else 0.0,
            "records_above": [
                {"risk": risk, "records": records, "share": records / n}
                for risk, records in zip(THRESHOLDS, above, strict=True)
            ],
            "share_suppressed": int((self._anonymizer.labels_ < 0).sum()) / n,
        }

    def _achieved(self) -> int:
        if self._anonymizer._model == "k":
            return k_anonymity(self._released)
        measure = MODELS[self._anonymizer._model]
        hierarchies = self._anonymizer.hierarchies_
        return measure(self._original, self._released, hierarchies=hierarchies)

    # ------------------------------------------------------------------- losses

    def _losses(self) -> dict[str, Any]:
        objective = {
            "loss": described(as_loss(self._anonymizer.loss)),
            "value": float(self._anonymizer.information_loss_),
        }
        figures = {
            one.name: self._engine.figure(values, one.name, total=one.summed)
            for one, values in self._by_column()
        }
        return {"objective": objective} | figures

    def _by_column(self) -> Iterator[tuple[Measure, np.ndarray]]:
        """Measure each column by all losses that need no sensitive attribute."""
        for kind in LOSSES.offered():
            if kind.measures and not kind.uses_sensitive:
                averages = self._engine.averages(kind())
                for one in kind.measures:
                    yield one, averages * (self._engine.n_records if one.summed else 1)

    def _columns(self, distances: pd.Series) -> list[dict[str, Any]]:
        by_loss = {one.name: values.tolist() for one, values in self._by_column()}
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
        estimate = self._divergence()
        return {
            "ambiguity_metric": self._finite(
                "metrics", "ambiguity_metric", ambiguity(self._reading, self._ones)
            ),
            **self._in_classes(),
            "kl_divergence": None if estimate is None else estimate.value,
            "kl_divergence_error": None if estimate is None else estimate.error,
            "distribution_distance": float(distances.mean()),
            "correlation_difference": self._correlation_difference(),
        }

    def _in_classes(self) -> dict[str, Any]:
        if self._anonymizer._model != "k":
            for what in _IN_CLASSES:
                self._miss("metrics", what, NO_CLASSES)
            return dict.fromkeys(_IN_CLASSES)
        average = class_size(self._reading, self._ones)
        return {
            "discernibility_metric": discernibility(self._reading, self._ones),
            "average_class_size": average,
            "average_class_size_over_k": average / self._anonymizer.k,
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

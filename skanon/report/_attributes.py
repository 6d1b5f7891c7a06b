"""What a release tells of sensitive attributes, measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from skanon._contract import Anonymizer
from skanon._table.sensitive import MOST_VALUES
from skanon.exceptions import AnonymizationError
from skanon.losses import PMI
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._classes import entropy_diversity, misclassification
from skanon.metrics._inputs import sensitive_codes
from skanon.metrics._reading import Reading
from skanon.privacy import (
    beta_likeness,
    delta_disclosure,
    l_diversity,
    t_closeness,
)
from skanon.privacy.attacks import linkage_attack
from skanon.report._settings import plain_name

NO_CLASSES = "Records that are generalized one by one are in no classes."


class Attributes:
    """The sensitive attributes of a release, while they are measured.

    Parameters
    ----------
    anonymizer : Anonymizer
        Fitted.
    sensitive : DataFrame of shape (n, n_sensitive)
    reading : Reading
    original, released : DataFrame of shape (n, r)
    miss : callable
        Is told of what cannot be measured: part, what, why, and of which attribute.
    """

    def __init__(
        self,
        anonymizer: Anonymizer,
        sensitive: pd.DataFrame,
        reading: Reading,
        original: pd.DataFrame,
        released: pd.DataFrame,
        miss: Callable[..., None],
    ) -> None:
        self._anonymizer = anonymizer
        self._sensitive = sensitive
        self._reading = reading
        self._original = original
        self._released = released
        self._ones = np.ones(len(reading))
        self._miss = miss

    def contents(self) -> list[dict[str, Any]]:
        """Measure them one after the other."""
        return [self._sensitive_part(j) for j in range(self._sensitive.shape[1])]

    def _sensitive_part(self, j: int) -> dict[str, Any]:
        name = plain_name(self._sensitive.columns[j])
        values = self._sensitive.iloc[:, j]
        part: dict[str, Any] = {"name": name, "values": None}
        part |= dict.fromkeys([*_SENSITIVE, "levels", "linkage"])
        missing = int(values.isna().sum())
        if missing:
            why = f"{missing:,} of {len(values):,} sensitive values are missing."
            self._miss("sensitive", "everything", why, name)
            return part
        try:
            codes = sensitive_codes(values, self._reading)
        except AnonymizationError:
            why = "Its values cannot be compared with each other."
            self._miss("sensitive", "everything", why, name)
            return part
        part["values"] = int(codes.max()) + 1
        if part["values"] > MOST_VALUES:
            why = f"It has more than {MOST_VALUES:,} different values."
            self._miss("sensitive", "everything", why, name)
            return part
        return part | self._of_sensitive(codes, name) | self._guarded(values, name)

    def _of_sensitive(self, codes: np.ndarray, name: str | int) -> dict[str, Any]:
        reading, ones = self._reading, self._ones
        engine = AdditiveLosses(reading, ones, codes)
        told = engine.sensitive_information()
        losses = engine.averages(PMI())
        measured: dict[str, Any] = {
            "private_mutual_information_loss": engine.figure(losses, "loss"),
            "private_mutual_information_scores": {
                "l1": float(told.mean()),
                "l2": float(np.sqrt((told**2).sum()) / len(told)),
                "max": float(told.max()),
            },
            "columns": [
                {
                    "name": plain_name(column.name),
                    "private_mutual_information_loss": float(losses[at]),
                    "private_mutual_information_score": float(told[at]),
                }
                for at, column in enumerate(reading.columns)
            ],
        }
        measured |= self._in_classes(codes, name)
        assert set(measured) == set(_SENSITIVE)
        return measured

    def _in_classes(self, codes: np.ndarray, name: str | int) -> dict[str, Any]:
        if self._anonymizer._model != "k":
            for what in _IN_CLASSES:
                self._miss("sensitive", what, NO_CLASSES, name)
            return dict.fromkeys(_IN_CLASSES)
        reading, ones = self._reading, self._ones
        labels = self._anonymizer.labels_[self._anonymizer.labels_ >= 0]
        alike = self._alike(codes)
        return {
            "classification_metric": misclassification(reading, codes, ones),
            "class_entropy_diversity": entropy_diversity(reading, codes, ones),
            "classes_of_one_value": int(alike.sum()),
            "records_in_them": int(alike[labels].sum()),
        }

    def _guarded(self, values: pd.Series, name: str | int) -> dict[str, Any]:
        """Measure what the release promises of a sensitive attribute, and attack it."""
        if self._reading.suppressed.all():
            return {}
        linkage = self._linked(values, name)
        return {"levels": self._levels(values, name), "linkage": linkage}

    def _levels(self, values: pd.Series, name: str | int) -> dict[str, Any] | None:
        if self._anonymizer._model != "k":
            self._miss("sensitive", "levels", NO_CLASSES, name)
            return None
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
            why = "A class lacks one of the sensitive values."
            self._miss("sensitive", "delta", why, name)
        found = {key: float(level) for key, level in levels.items()}
        return found | {"delta": None if np.isinf(delta) else float(delta)}

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
            self._miss("sensitive", "linkage", str(error), name)
            return None
        return {
            "fewest_records": found.fewest_records,
            "homogeneous_share": found.homogeneous_share,
            "highest_share": found.highest_share,
            "largest_gain": found.largest_gain,
        }

    def _alike(self, codes: np.ndarray) -> np.ndarray:
        """Tell which classes hold a single sensitive value: shape (n_classes,)."""
        kept = self._anonymizer.labels_ >= 0
        labels = self._anonymizer.labels_[kept]
        pairs = np.unique(labels * (int(codes.max()) + 1) + codes[kept])
        owners = pairs // (int(codes.max()) + 1)
        return np.bincount(owners) == 1


_IN_CLASSES = (
    "classification_metric",
    "class_entropy_diversity",
    "classes_of_one_value",
    "records_in_them",
)

_SENSITIVE = (
    *_IN_CLASSES,
    "private_mutual_information_loss",
    "private_mutual_information_scores",
    "columns",
)
"""What is measured of a sensitive attribute."""

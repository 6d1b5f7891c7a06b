"""What each equivalence class of a release costs, and what is told of a single one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon.losses import Loss
from skanon.losses._terms import N_TERMS, NONUNIFORM, SENSITIVE, Ground
from skanon.metrics._additive import _Pairs, _sensitive_weights, pair_terms
from skanon.metrics._columns import ReadColumn
from skanon.metrics._reading import Reading
from skanon.report._settings import plain_name
from skanon_widgets._metric_inspector.releases import InspectedRelease, shortened

COSTLIEST, MOST_SHARES = 10, 8
"""So many classes are listed, and so many sensitive values of one."""


class ClassCosts:
    """What the classes of a release cost, and what is told of one of them.

    Parameters
    ----------
    release : InspectedRelease
    """

    def __init__(self, release: InspectedRelease) -> None:
        self._release = release
        self._reading = release.reading
        classes = self._reading.classes
        self.sizes = np.bincount(classes[classes >= 0])
        self._first = pd.Series(np.arange(len(classes))).groupby(classes).first()
        sensitive = release.sensitive_numbers.astype(np.int64)
        self._costs = class_costs(self._reading, release.settled_loss, sensitive)
        self._means = self._costs.sum(axis=1)
        total = float(release.information_loss()) * len(release)
        # what little rounding leaves of a loss of 0 has no shares
        self._total = total if total > 1e-12 * len(release) else None

    def of_records(self) -> np.ndarray:
        """Give what each record loses: shape (n,), NaN where it is suppressed."""
        classes = self._reading.classes
        return np.where(classes < 0, np.nan, self._means[classes])

    def costliest(self) -> dict[str, list[dict[str, Any]]]:
        """List the classes that cost most, in all and by record."""
        orders = {"share": self.sizes * self._means, "record": self._means}
        return {
            name: [
                self._line(int(number))
                for number in np.argsort(-cost, kind="stable")[:COSTLIEST]
            ]
            for name, cost in orders.items()
        }

    def _line(self, number: int) -> dict[str, Any]:
        size, mean = int(self.sizes[number]), float(self._means[number])
        return {
            "number": number,
            "size": size,
            "loss": mean,
            "share": None if self._total is None else size * mean / self._total,
            "publishes": self._published(number),
            "why": self._kept_back(number),
        }

    def _kept_back(self, number: int) -> str | None:
        """Say why the values of a class are not told: they would be a record's."""
        least = self._release.least
        if self.sizes[number] >= least:
            return None
        return f"The class has fewer than {least} records."

    def _published(self, number: int) -> list[str] | None:
        """List what a class publishes; None if that is told of too few records."""
        if self._kept_back(number) is not None:
            return None
        row = self._release.released.iloc[self._first[number]]
        return ["missing" if pd.isna(text) else shortened(text) for text in row]

    def details(self, number: int) -> dict[str, Any]:
        """Tell of one class what it publishes, what that costs, and who is in it.

        Raises
        ------
        LookupError
            There is no such class.
        """
        if not 0 <= number < len(self.sizes):
            raise LookupError(f"there is no class {number}")
        row = self._first[number]
        line = self._line(number)
        texts = line["publishes"] or [None] * len(self._reading.columns)
        names = list(self._release.original.columns)
        shares = self._release.settled_loss.relative_weights(names)
        columns = [
            {
                "name": shortened(plain_name(column.name)),
                "publishes": text,
                "covers": int(column.sizes[column.subset[row]]),
                "of": column.bound.n_codes,
                "loss": float(cost / share) if share else 0.0,
            }
            for column, text, cost, share in zip(
                self._reading.columns,
                texts,
                self._costs[number],
                shares,
                strict=True,
            )
        ]
        sensitive = [
            self._shares(number, name) for name in self._release.sensitive.columns
        ]
        return line | {
            "risk": 1 / line["size"],
            "columns": columns,
            "sensitive": sensitive,
        }

    def _shares(self, number: int, name: Any) -> dict[str, Any]:
        part: dict[str, Any] = {"name": shortened(plain_name(name)), "why": None}
        part |= {"shares": [], "others": 0.0}
        if name not in self._release.published:
            return part | {
                "why": "It is no column of the release, so its shares are not shown."
            }
        if (why := self._kept_back(number)) is not None:
            return part | {"why": why}
        values = self._release.sensitive[name].astype(object)
        values = values.where(values.notna(), "missing").astype(str)
        inside = values[self._reading.classes == number].value_counts(normalize=True)
        overall = values.value_counts(normalize=True)
        few = inside.iloc[:MOST_SHARES]
        return part | {
            "shares": [
                {"value": shortened(x), "share": float(y), "overall": float(overall[x])}
                for x, y in few.items()
            ],
            "others": float(max(1 - few.sum(), 0.0)) if len(inside) > len(few) else 0.0,
        }


def class_costs(reading: Reading, loss: Loss, sensitive: np.ndarray) -> np.ndarray:
    """Compute what a record of each class pays on average, weighted as in the loss.

    Parameters
    ----------
    reading : Reading
    loss : Loss
        A penalty of it is left out: it belongs to no column.
    sensitive : ndarray of int64, shape (n,)

    Returns
    -------
    ndarray of float64, shape (n_classes, r)
        The records' average, suppressed ones included, is the loss.
    """
    kept = ~reading.suppressed
    classes = reading.classes[kept]
    sizes = np.bincount(classes)
    blends = column_blends(reading, loss)
    costs = [
        np.bincount(classes, _record_costs(column, sensitive, blend)[kept]) / sizes
        for column, blend in zip(reading.columns, blends, strict=True)
    ]
    return np.stack(costs, axis=1)


def column_blends(reading: Reading, loss: Loss) -> np.ndarray:
    """Give how much of each term each column has in a loss, by its share.

    Returns
    -------
    ndarray of float64, shape (r, N_TERMS)
    """
    names = [column.name for column in reading.columns]
    blends = np.zeros((len(names), N_TERMS))
    for factor, part in loss.parts:
        if factor:
            own = np.stack([part.blend(column.bound) for column in reading.columns])
            blends += factor * part.relative_weights(names)[:, None] * own
    return blends


def _record_costs(
    column: ReadColumn, sensitive: np.ndarray, blend: np.ndarray
) -> np.ndarray:
    """Compute what each record pays in one column that isn't suppressed: shape (n,)."""
    ones = np.ones(len(sensitive))
    counts = np.bincount(column.codes, minlength=column.bound.n_codes).astype(float)
    ground = Ground(column.bound, counts[:, None])
    pairs = _Pairs.of(column, sensitive)
    own, same = _sensitive_weights(column, pairs, sensitive, ones)
    terms = pair_terms(column, ground, pairs, same)
    logs = np.log2(np.maximum(counts, 1))[column.codes]
    paid = (terms @ blend)[pairs.of_row]
    # these two are counted from what the record's own value costs
    paid -= blend[NONUNIFORM] * logs
    paid -= blend[SENSITIVE] * (logs - np.log2(np.maximum(own, 1)))
    return paid

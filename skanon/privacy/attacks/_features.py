"""Raw and released records as numbers that a classifier can learn from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skanon.privacy._tables import Column

MOST_VALUES = 256
"""Unordered columns of more values are one feature, not one for each value."""


def encode(columns: list[Column]) -> tuple[np.ndarray, np.ndarray]:
    """Write the classes of a release, and raw records in the same form, as numbers.

    Returns
    -------
    released : ndarray of float64, shape (n_classes, n_features)
    raw : ndarray of float64, shape (n_raw, n_features)
    """
    released, raw = [], []
    for column in columns:
        exact = _features(column, list(np.arange(len(column.values))[:, None]))
        released.append(_features(column, column.labels)[column.of_class])
        raw.append(exact[column.of_row])
    return np.concatenate(released, axis=1), np.concatenate(raw, axis=1)


def _features(column: Column, subsets: list[np.ndarray]) -> np.ndarray:
    """Describe sets of values, each of which is as likely as the others in its set."""
    values = column.values
    missing = values.isna().to_numpy(dtype=bool)
    ordered = isinstance(values.dtype, pd.CategoricalDtype) and values.cat.ordered
    line = ordered or values.dtype.kind in "iufMm"
    if not line and len(values) <= MOST_VALUES:
        shares = np.zeros((len(subsets), len(values)))
        for row, codes in zip(shares, subsets, strict=True):
            row[codes] = 1 / max(len(codes), 1)
        return shares
    ranks = (values if line else values.astype(str)).rank(method="dense")
    places = ranks.to_numpy(dtype=np.float64, na_value=np.nan) - 1
    places[missing] = 0
    places /= max(places.max(), 1)
    features = np.zeros((len(subsets), 2))
    for row, codes in zip(features, subsets, strict=True):
        gone = missing[codes]
        present = codes[~gone]
        row[0] = places[present].mean() if len(present) else 0.5
        row[1] = gone.mean() if len(codes) else 0.0
    return features if missing.any() else features[:, :1]

"""A few rows before and after, for the eyes of whoever makes the release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon import KAnonymizer
from skanon._table.containers import as_frame

ROWS = 8
"""Rows of a page."""

ORDERS = ("table", "most", "least")

_MOST_COLUMNS = 3
"""Columns that are shown of one that is written as many."""

_TEXT = 60


def preview_of(
    anonymizer: KAnonymizer,
    release: Any,
    table: pd.DataFrame,
    losses: np.ndarray,
    order: str,
    start: int,
) -> dict[str, Any]:
    """Put rows of a table and of its release side by side.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Fitted.
    release : DataFrame of shape (n_published, n_features_out)
    table : DataFrame of shape (n, n_columns)
    losses : ndarray of float, shape (n,)
        Of each record; NaN where it is suppressed.
    order : {"table", "most", "least"}
        As they stand, or by what they lose; suppressed ones lose most.
    start : int
        How many rows come before.

    Returns
    -------
    dict
        ``"columns"``, ``"start"``, ``"total"`` and ``"rows"``, as JSON knows it. Each
        row has its number in the table, its loss, whether it is suppressed, and of each
        column the texts before and after and whether they differ; after is None where
        nothing is published.
    """
    n = len(table)
    costs = np.where(np.isnan(losses), np.inf, losses)
    by = {"table": np.arange(n), "most": -costs, "least": costs}[order]
    rows = np.argsort(by, kind="stable")
    start = min(max(int(start), 0), max(n - 1, 0))
    shown = rows[start : start + ROWS]
    hidden = anonymizer.labels_ < 0
    is_dropped = hidden & (anonymizer.suppressed == "drop")
    places = np.cumsum(~is_dropped) - 1
    published = as_frame(release)
    names = {name: _released(anonymizer, name) for name in table.columns}
    return {
        "columns": [str(name) for name in table.columns],
        "start": start,
        "page": ROWS,
        "total": n,
        "rows": [
            {
                "row": int(at),
                "loss": None if np.isnan(losses[at]) else float(losses[at]),
                "suppressed": bool(hidden[at]),
                "cells": [
                    _cell(
                        table[name].iloc[at],
                        None
                        if is_dropped[at]
                        else [published[x].iloc[places[at]] for x in names[name]],
                    )
                    for name in table.columns
                ],
            }
            for at in shown
        ],
    }


def _released(anonymizer: KAnonymizer, name: Any) -> list[Any]:
    """Name the released columns that a column has become."""
    if name in anonymizer._roles.identifiers:
        return []
    emitter = anonymizer._classes.emitters.get(name)
    if emitter is None:
        return [name]
    suffixes = emitter.suffixes(anonymizer.encode)
    return [f"{name}{suffix}" if suffix else name for suffix in suffixes]


def _cell(before: Any, after: list[Any] | None) -> list[Any]:
    text = _text(before)
    if not after:
        return [text, None, True]
    parts = [_text(value) for value in after[:_MOST_COLUMNS]]
    published = " | ".join(parts) + (" | …" if len(after) > _MOST_COLUMNS else "")
    return [text, published, text != published]


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | set | dict | np.ndarray):
        return _short(str(value))
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    if isinstance(value, float):
        return f"{value:.6g}"
    return _short(str(value))


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"

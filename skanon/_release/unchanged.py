"""What a release publishes as it is, and which records that singles out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.roles import without_levels
from skanon._table.schema import tuple_ids

MOST_NAMED = 10
"""Columns that are named in a sentence."""


@dataclass(frozen=True)
class Unchanged:
    """What a release publishes as it is, and how many records that singles out.

    Sensitive attributes do not count: constraints are there to protect them.

    Attributes
    ----------
    columns : dict from column to int
        The columns without a role, with the published records that are alone with
        their value in each; missing values are one value.
    index : bool
        Whether the index, which is published, too, holds texts that all differ.
    records : int
        Those that are published with these columns.
    alone : int
        Records that nobody shares the values of in all these columns together.
    together : int
        Those that who knows these columns and the quasi-identifiers finds alone.
    """

    columns: dict[Any, int]
    index: bool
    records: int
    alone: int
    together: int

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        others: list,
        levels: list,
        alone_with: Callable[[np.ndarray], int],
    ) -> Unchanged:
        """Count what a release singles out.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
            The records that are published with these columns.
        others : list
            The columns without a role.
        levels : list
            Levels of its index that are dropped.
        alone_with : callable
            Counts the records that are alone by what is published of them and by a
            number that is known of each.
        """
        index = without_levels(frame.index, levels)
        texts = any(
            pd.api.types.is_string_dtype(index.get_level_values(at).dtype)
            for at in range(index.nlevels)
        )
        codes = [_numbers(frame[name]) for name in others]
        known = tuple_ids(np.column_stack(codes)) if codes and len(frame) else None
        return cls(
            columns={x: alone(own) for x, own in zip(others, codes, strict=True)},
            index=bool(texts and index.is_unique),
            records=len(frame),
            alone=0 if known is None else alone(known),
            together=0 if known is None else alone_with(known),
        )

    def singles_out(self) -> bool:
        """Tell whether any record can be found by what is published as it is."""
        return self.index or self.together > 0

    def told(self) -> str:
        """Say what is published as it is, and what that does; "" for nothing."""
        parts = []
        if self.columns:
            parts.append(_listed(self.columns, self.records))
        if self.index:
            parts.append("the index, whose texts are all different")
        if not parts:
            return ""
        text = f"Published as it is: {'; '.join(parts)}."
        if self.columns:
            text += (
                f" By these columns together {self.alone:,} of {self.records:,} "
                f"records are alone, with the generalized columns {self.together:,}."
            )
        return text


def _listed(columns: dict[Any, int], n: int) -> str:
    worst = sorted(columns.items(), key=lambda x: -x[1])  # among equals as they stand
    named = [
        f"{name!r} ({count:,} of {n:,} records are alone with their value)"
        if count
        else repr(name)
        for name, count in worst[:MOST_NAMED]
    ]
    if len(worst) > MOST_NAMED:
        named.append(f"and {len(worst) - MOST_NAMED:,} more")
    return f"column{'s' if len(worst) > 1 else ''} {', '.join(named)}"


def _numbers(column: pd.Series) -> np.ndarray:
    """Give a number to each value of a column; missing ones are one value."""
    try:
        return pd.factorize(column, use_na_sentinel=False)[0]
    except (TypeError, ValueError, NotImplementedError):  # lists
        return pd.factorize(column.astype(str), use_na_sentinel=False)[0]


def alone(*columns: np.ndarray) -> int:
    """Count the records that nobody shares the numbers of, in all columns together."""
    return int((np.bincount(tuple_ids(np.column_stack(columns))) == 1).sum())

"""Kinds of objects that are read as plainer values, and given back as they were.

Dates are read as times, decimals as numbers; times of day, periods and intervals as
categories in the order that they have.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnTypeError

ORDERED = ("time", "period", "interval")
"""Those that are read as the texts of categories."""


class Element(NamedTuple):
    """What a column's values were read from.

    Attributes
    ----------
    word : {"date", "decimal", "time", "period", "interval"}
    objects : dict from str to object
        The objects by their texts, in their order; empty for dates and decimals.
    """

    word: str
    objects: dict[str, Any]

    def give_back(self, values: list, dtype: Any) -> list:
        """Make the objects again.

        Parameters
        ----------
        values : list
            None where one is missing.
        dtype : dtype
            The column's.
        """
        if self.word == "date":
            return [x if x is None else x.date() for x in values]
        if self.word != "decimal":
            return [x if x is None else self.objects[x] for x in values]
        scale = getattr(getattr(dtype, "pyarrow_dtype", None), "scale", None)
        made = [x if x is None else Decimal(str(x)) for x in values]
        if scale is None:
            return made
        return [x if x is None else round(x, scale) for x in made]


def in_order(present: pd.Series, word: str, name: object) -> Element:
    """Read times of day, periods or intervals, which must be comparable.

    Parameters
    ----------
    present : Series
        Without missing values.
    word : {"time", "period", "interval"}
    name : hashable
        The column.

    Raises
    ------
    ColumnTypeError
        They cannot be compared: times in zones, periods of several lengths, intervals
        of numbers and of times.
    """
    values = list(dict.fromkeys(present))
    kinds = {_comparable(value, word): value for value in values}
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise ColumnTypeError(
            f"Column {name!r} mixes {word}s that cannot be compared, such as {one} and "
            f"{other}. Convert them to one kind, or to text with .astype(str)."
        )
    keys = [(x.left, x.right) if word == "interval" else x for x in values]
    order = sorted(range(len(values)), key=keys.__getitem__)
    return Element(word, {str(values[at]): values[at] for at in order})


def _comparable(value: Any, word: str) -> Any:
    """Give what values must share to be compared with each other."""
    if word == "time":
        return value.tzinfo
    if word == "period":
        return value.freqstr
    is_number = isinstance(value.left, int | float | np.number)
    zone = str(getattr(value.left, "tzinfo", None))
    return value.closed, "number" if is_number else type(value.left), zone


def exact_numbers(present: pd.Series, name: object) -> np.ndarray:
    """Read decimals as integers where all are whole, else as floats.

    Raises
    ------
    ColumnTypeError
        One has more digits than a float holds.
    """
    values = list(present)
    finite = [value for value in values if value.is_finite()]
    if len(finite) == len(values) and all(x == int(x) for x in values):
        whole = [int(value) for value in values]
        if all(abs(x) < 2**63 for x in whole):
            return np.array(whole, dtype=np.int64)
    for value in finite:
        if Decimal(repr(float(value))) != value:
            raise ColumnTypeError(
                f"Column {name!r} holds the decimal {value}, which has more digits "
                "than a float. Round it, or convert the column with .astype(float)."
            )
    return np.array([float(value) for value in values], dtype=np.float64)

"""What readers of a file take for one sensitive value, or for two.

To keep apart what reads alike would overstate how diverse a class is.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pandas as pd

from skanon._warn import warn
from skanon.exceptions import PrivacyWarning


def as_printed(values: list) -> np.ndarray:
    """Give numbers to values by what a file shows of them.

    Parameters
    ----------
    values : list of length m

    Returns
    -------
    ndarray of int64, shape (m,)
        In the order of their first appearance.

    Examples
    --------
    >>> as_printed([1, "1", None, "", True, -0.0, "0.0"]).tolist()
    [0, 0, 1, 1, 2, 3, 3]
    """
    printed = np.array([_printed(value) for value in values], dtype=object)
    return pd.factorize(printed)[0]


def _printed(value: Any) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, float | np.floating) and not value:
        return "0.0"  # as it is written, whatever its sign
    return str(value)


def lookalikes(values: list) -> tuple[str, str] | None:
    """Find two texts that differ in blanks, invisible or composed letters only.

    Examples
    --------
    >>> lookalikes(["flu", "cold", "flu "])
    ('flu', 'flu ')
    """
    seen: dict[str, str] = {}
    for value in values:
        if not isinstance(value, str):
            continue
        normal = unicodedata.normalize("NFKC", value)
        visible = "".join(c for c in normal if unicodedata.category(c) != "Cf")
        key = " ".join(visible.split())
        if seen.setdefault(key, value) != value:
            return seen[key], value
    return None


def warn_of_lookalikes(values: list, name: Any) -> None:
    """Warn of two sensitive values that a reader takes for one."""
    pair = lookalikes(values)
    if pair is not None:
        warn(
            f"Column {name!r} has the values {pair[0]!r} and {pair[1]!r}, which count "
            "as two, though a reader may take them for one: a class of both is not "
            "diverse. Make them one.",
            PrivacyWarning,
        )

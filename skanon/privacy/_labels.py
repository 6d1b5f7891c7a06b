"""Read a released label: which values of a raw column it stands for.

A value's own text comes first, then a node of the hierarchy, then a set ``{a, b}``, a
range (``[20, 29]``, ``[20, 30)``, ``20-29``, ``< 20``, ``>= 60``) or a number that is
written in another way.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError
from skanon.privacy._codes import equals
from skanon.privacy._trees import Tree

_DIGITS = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf"
_NUMBER = re.compile(_DIGITS)
_DASHED = re.compile(rf"({_DIGITS})\s*[-\u2013]\s*({_DIGITS})")
_SPACED = re.compile(r"(\S.*?)\s+[-\u2013]\s+(\S.*)")
_ONE_SIDED = re.compile(r"([<>]=?)\s*(\S.*)")
_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^",]*[^",\s])\s*(?:,|$)')


class Reader:
    """Reads the labels of a column.

    Parameters
    ----------
    values : Series of shape (n_values,)
        The distinct values of the raw column, a missing one among them.
    tree : Tree or None
        The hierarchy, for the names of its nodes.
    """

    def __init__(self, values: pd.Series, tree: Tree | None) -> None:
        if values.dtype in (np.float16, np.float32):
            # what is written as 0.1 is the double 0.1 to a label
            values = pd.Series([float(str(x)) for x in values.to_numpy()])
        missing = values.isna().to_numpy()
        self._missing = np.flatnonzero(missing)
        self._codes: dict[str, list[int]] = {}
        for code, value in enumerate(values.tolist()):
            if not missing[code]:
                self._codes.setdefault(str(value), []).append(code)
        self._values = _typed(values, missing)
        self._line, self._order = _line(self._values, self._missing)
        self._nodes = self._read_nodes(tree)

    def read(self, label: Any) -> np.ndarray | None:
        """Find the values that a label stands for.

        Returns
        -------
        ndarray of int64 or None
            Their codes, maybe none; None where the label cannot be read.
        """
        try:
            return self._read(label)
        except TypeError:  # ends that cannot be compared with the values
            return None

    def _read(self, label: Any) -> np.ndarray | None:
        if isinstance(label, pd.Interval):
            if self._line is None:
                return None
            return self._between(
                label.left, label.right, label.closed_left, label.closed_right
            )
        if pd.api.types.is_scalar(label) and pd.isna(label):
            return self._missing
        text = str(label)
        if text in self._codes:
            return np.array(self._codes[text])
        if text in self._nodes:
            return np.array(self._nodes[text], dtype=np.int64)
        for form in (self._set, self._bracketed, self._dashed, self._one_sided):
            found = form(text.strip())
            if found is not None:
                return found
        value = self._scalar(text.strip())
        return None if value is None else self._between(value, value, True, True)

    def _read_nodes(self, tree: Tree | None) -> dict[str, list[int]]:
        if tree is None:
            return {}
        nodes: dict[str, list[int]] = {}
        for value, above in tree.above.items():
            for node in {*above, tree.root, value}:
                nodes.setdefault(node, []).extend(self._written(value))
        return nodes

    def _written(self, text: str) -> list[int]:
        """Find the values that a text stands for; none if the raw column lacks it."""
        if text in self._codes:
            return self._codes[text]
        value = self._scalar(text)
        return [] if value is None else self._between(value, value, True, True).tolist()

    def _set(self, text: str) -> np.ndarray | None:
        if len(text) < 2 or text[0] != "{" or text[-1] != "}":
            return None
        items = _items(text[1:-1])
        if items is None:
            return None
        found: list[int] = []
        for item in items:
            found += self._written(item)
        return np.unique(np.array(found, dtype=np.int64))

    def _bracketed(self, text: str) -> np.ndarray | None:
        if len(text) < 2 or text[0] not in "[(" or text[-1] not in "])":
            return None
        ends = _items(text[1:-1])
        if ends is None or len(ends) != 2:
            return None
        low, high = map(self._scalar, ends)
        if low is None or high is None:
            return None
        return self._between(low, high, text[0] == "[", text[-1] == "]")

    def _dashed(self, text: str) -> np.ndarray | None:
        found = _DASHED.fullmatch(text) or _SPACED.fullmatch(text)
        if found is None:
            return None
        low, high = map(self._scalar, found.groups())
        if low is None or high is None:
            return None
        return self._between(low, high, True, True)

    def _one_sided(self, text: str) -> np.ndarray | None:
        found = _ONE_SIDED.fullmatch(text)
        end = self._scalar(found[2]) if found else None
        if found is None or end is None:
            return None
        closed = found[1].endswith("=")
        if found[1].startswith("<"):
            return self._between(None, end, True, closed)
        return self._between(end, None, closed, True)

    def _scalar(self, text: str) -> Any:
        """Read a number, a date or an ordered category; None where it is none."""
        if self._line is None:
            return None
        if isinstance(self._values.dtype, pd.CategoricalDtype):
            texts = [str(x) for x in self._values.cat.categories]
            return texts.index(text) if text in texts else None
        if self._values.dtype.kind in "iuf":
            return _number(text)
        try:
            read = pd.Timestamp if self._values.dtype.kind == "M" else pd.Timedelta
            value = read(text)
        except ValueError:
            return None
        return None if value is pd.NaT else value

    def _between(
        self, low: Any, high: Any, with_low: bool, with_high: bool
    ) -> np.ndarray:
        start, stop = 0, len(self._line)
        if low is not None:
            start = int(self._line.searchsorted(low, "left" if with_low else "right"))
        if high is not None:
            stop = int(self._line.searchsorted(high, "right" if with_high else "left"))
        return self._order[start:stop]


def read_labels(
    labels: pd.Series, values: pd.Series, tree: Tree | None, suppressed: Any, name: Any
) -> list[np.ndarray]:
    """Find the values that each distinct label of a column stands for.

    Raises
    ------
    ColumnError
        A label cannot be read.
    """
    reader = Reader(values, tree)
    hidden = np.zeros(len(labels), dtype=bool)
    if suppressed is not None:
        hidden = equals(labels, suppressed)
    found = []
    for label, everything in zip(labels.tolist(), hidden, strict=True):
        codes = np.arange(len(values)) if everything else reader.read(label)
        if codes is None:
            raise ColumnError(
                f"Column {name!r}: the release has {label!r}, which is no value of the "
                "population, no '*', range or set, and no node of a hierarchy. Give "
                "the hierarchy that it comes from in hierarchies, or generalize the "
                "population in the same way and say generalized=True."
            )
        found.append(codes)
    return found


def _typed(values: pd.Series, missing: np.ndarray) -> pd.Series:
    """Give objects that are all numbers, or all dates, a dtype that says so."""
    if values.dtype != object:
        return values
    present = values[~missing].infer_objects()
    if pd.api.types.infer_dtype(present) == "date":
        present = pd.to_datetime(present)
    if present.dtype.kind in "iu":
        present = present.convert_dtypes()  # whole numbers stay exact beside a gap
    return present.reindex(values.index)


def _line(values: pd.Series, missing: np.ndarray) -> tuple[Any, np.ndarray]:
    """Sort the values that have an order; None where they have none."""
    ordered = isinstance(values.dtype, pd.CategoricalDtype) and values.cat.ordered
    if not ordered and values.dtype.kind not in "iufMm":
        return None, np.zeros(0, dtype=np.int64)
    order = np.asarray(values.array.argsort(na_position="last"), dtype=np.int64)
    order = order[: len(order) - len(missing)]
    line = values.iloc[order]
    if ordered:
        return line.cat.codes.to_numpy(), order
    if values.dtype.kind in "iuf":
        return np.array(line.tolist()), order
    return pd.Index(line), order


def _items(text: str) -> list[str] | None:
    """Split at commas, but not at those in quotes; None where an item is empty."""
    items: list[str] = []
    at = 0
    while at < len(text) or not items:
        found = _ITEM.match(text, at)
        if not found:
            return None
        item, at = found[1], found.end()
        items.append(json.loads(item) if item[0] == '"' else item)
    return None if text.rstrip().endswith(",") else items


def _number(text: str) -> float | int | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)

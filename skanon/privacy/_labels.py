"""Read a published label: which values of a raw column it stands for.

This is the only reader of labels; ``docs/privacy.md`` has the table of all forms. A
value's own text comes first, then a node of the hierarchy, then the forms: a set, a
range, a number or time that is written in another way, a mask.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from skanon.exceptions import ColumnError
from skanon.privacy._codes import equals
from skanon.privacy._line import Cut, Place, interval_cuts, joined, kind_of, put_on_line
from skanon.privacy._sensitive import Attribute
from skanon.privacy._trees import Tree


class Span(NamedTuple):
    """The codes from ``first`` to ``last``; none where ``last`` is the smaller."""

    first: int
    last: int


Subset = Span | np.ndarray
"""Codes: as a span where they follow each other, else listed in ascending order."""


class Reader:
    """Reads the labels of a column.

    Parameters
    ----------
    values : Series of shape (n_values,)
        The distinct values of the raw column by code, a missing one among them.
    kind : {"number", "datetime", "timedelta", "bool", "text"}
    order : list or None
        The categories in their order, where the column is an ordered categorical.
    complete : bool, default=False
        Whether no label can mean other values: a set that names one is then not read.

    Attributes
    ----------
    nodes : dict from str to Subset
        What the names of the hierarchy's nodes stand for; empty at first.
    missing, everything : Subset
        The missing value, if there is one; all values, it among them.

    Examples
    --------
    >>> reader = Reader(pd.Series([20, 25, 31, None]), "number")
    >>> reader.read("20-29"), reader.read("2*"), reader.read("90+")
    (Span(first=0, last=1), Span(first=0, last=1), Span(first=0, last=-1))
    >>> reader.read("{20, 31}"), reader.read("[29, 20]")
    (array([0, 2]), None)
    """

    def __init__(
        self,
        values: pd.Series,
        kind: str,
        order: list[Any] | None = None,
        complete: bool = False,
    ) -> None:
        self.nodes: dict[str, Subset] = {}
        self._complete = complete
        missing = np.flatnonzero(values.isna().to_numpy(bool, na_value=True))
        self.missing = compact(missing)
        self.everything = Span(0, len(values) - 1)
        self._values = dict(enumerate(_listed(values)))
        for code in missing.tolist():
            del self._values[code]
        self._codes: dict[str, list[int]] = {}
        for code, value in self._values.items():
            if isinstance(value, Decimal):  # 1.10 and 1.1 are one number
                self._values[code] = value = float(value)
            self._codes.setdefault(str(value), []).append(code)
            if isinstance(value, np.float32):  # may be published as a wide number, too
                self._values[code] = _written(value)
                self._codes[str(float(value))] = [code]
        self._masked = kind in ("number", "text")
        self._end, points = put_on_line(self._values, kind, order)
        self._order = order if kind == "text" else None
        self._sorted = np.array(sorted(points, key=points.__getitem__), dtype=np.int64)
        self._points = sorted(points.values())
        self._in_order = bool((np.diff(self._sorted) == 1).all())

    def read(self, label: Any) -> Subset | None:
        """Find the values that a label stands for.

        Returns
        -------
        Subset or None
            Their codes, maybe none; None where the label cannot be read.
        """
        if isinstance(label, pd.Interval) and str(label) not in self._codes:
            ends = interval_cuts(self._end, label)
            return None if ends is None else self._between(*ends)
        if types.is_scalar(label) and pd.isna(label):
            return self.missing
        return self._read(str(label))

    def read_all(
        self,
        labels: pd.Series,
        rows: np.ndarray,
        suppressed: Any,
        name: Any,
        remedy: str = "",
    ) -> list[Subset]:
        """Read each different label of a column.

        Parameters
        ----------
        labels : Series of shape (n_labels,)
        rows : ndarray of int64, shape (n_labels,)
            Where each of them stands, for error messages.
        suppressed : scalar or None
            What stands for every value.
        name : hashable
            The column.
        remedy : str
            What else helps where a label cannot be read.

        Raises
        ------
        ColumnError
            A label cannot be read.
        """
        hidden = np.zeros(len(labels), dtype=bool)
        if suppressed is not None:
            hidden = equals(labels, suppressed)
        found = []
        for at, label in enumerate(entries(labels)):
            subset = self.everything if hidden[at] else self.read(label)
            if subset is None:
                raise _unreadable(name, label, int(rows[at]), remedy)
            found.append(subset)
        return found

    def value(self, text: str) -> Subset | None:
        """Find the values that are written so; None where the text is no value."""
        if text in self._codes:
            codes = self._codes[text]
            single = len(codes) == 1
            return Span(*codes, *codes) if single else compact(np.array(codes))
        place = self._place(text)
        if place is None or place.first[0] in _INFINITE:  # as 1e400 is read
            return None
        return self._between(*place)

    def _read(self, text: str) -> Subset | None:
        if text in self.nodes and text not in self._codes:
            return self.nodes[text]
        text = text if text in self._codes else text.strip()
        forms = self.value, self._set, self._bracketed, self._dashed, self._one_sided
        for form in (*forms, self._mask):
            subset = form(text)
            if subset is not None:
                return subset
        return None

    def _set(self, text: str) -> Subset | None:
        items = _items(text[1:-1]) if text[:1] == "{" and text[-1:] == "}" else None
        subsets = [self._read(item) for item in items or []]
        known = [subset for subset in subsets if subset is not None]
        # a text that nobody here has may be a value of others, if the rest is known
        lenient = not (self._end or self._complete or self.nodes)
        if not known or (len(known) < len(subsets) and not lenient):
            return None
        listed = [members(subset) for subset in known]
        if self._complete and not all(map(len, listed)):
            return None
        return compact(np.unique(np.concatenate(listed)))

    def _bracketed(self, text: str) -> Subset | None:
        if text[:1] not in ("[", "(", "]") or text[-1:] not in ("]", ")", "["):
            return None
        cuts = joined(self._order, text)
        if cuts is not None:
            return self._between(*cuts)
        places = [self._place(item) for item in _items(text[1:-1]) or []]
        if len(places) != 2 or places[0] is None or places[1] is None:
            return None
        low, high = places[0], places[1]
        lower = low.first if text[0] == "[" else low.after
        return self._between(lower, high.after if text[-1] == "]" else high.first)

    def _dashed(self, text: str) -> Subset | None:
        """Read a range with a dash; which of several dashes it is must be clear."""
        dashes = [at for at, sign in enumerate(text) if sign in "-\u2013"]
        if len(dashes) > MOST_DASHES:
            return None
        found = []
        for dash in dashes:
            low = self._place(text[:dash].rstrip())
            high = self._place(text[dash + 1 :].lstrip())
            if low and high:
                found.append(self._between(low.first, high.after))
        return found[0] if len(found) == 1 else None

    def _one_sided(self, text: str) -> Subset | None:
        if text[-1:] == "+":  # the form 90+
            sign, end = ">=", text[:-1].rstrip()
        else:
            sign = text[: 2 if text[1:2] == "=" else 1]
            end = text[len(sign) :].lstrip()
        if sign not in _SIDES or not end:
            return None
        place = self._place(end)
        if place is None:
            return None
        if sign in ("<", "<=", "\u2264"):
            return self._between(None, place.first if sign == "<" else place.after)
        return self._between(place.after if sign == ">" else place.first, None)

    def _mask(self, text: str) -> Subset | None:
        """Read a mask; that none has such a text may also be due to another length."""
        if not self._masked or len(text) < 2 or len(text) not in self._characters:
            return None
        codes, characters = self._characters[len(text)]
        kept = [at for at, sign in enumerate(text) if sign != "*"]
        if len(kept) == len(text):
            return None
        wanted = np.array([text[at] for at in kept], dtype="U1")
        codes = codes[(characters[:, kept] == wanted).all(axis=1)]
        return compact(codes) if len(codes) else None

    @cached_property
    def _characters(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """The codes of all texts of a length, and a row of characters for each."""
        groups: dict[int, tuple[list[int], list[str]]] = {}
        for code, value in self._values.items():
            whole = isinstance(value, float) and value.is_integer()
            text = str(int(value)) if whole else str(value)  # 43.0 beside a gap is 43
            codes, texts = groups.setdefault(len(text), ([], []))
            codes.append(code)
            texts.append(text)
        return {
            length: (np.array(codes), np.array([list(text) for text in texts], "U1"))
            for length, (codes, texts) in groups.items()
        }

    def _place(self, text: str) -> Place | None:
        """Read a number, a time or a category; None where it is none."""
        try:
            return self._end(text) if self._end else None
        except (ValueError, OverflowError):
            return None

    def _between(self, lower: Cut | None, upper: Cut | None) -> Subset | None:
        """Collect the values between two cuts; None where there is no such range."""
        if lower is not None and upper is not None and lower >= upper:
            return None
        start = 0 if lower is None else self._below(lower)
        stop = len(self._points) if upper is None else self._below(upper)
        if start >= stop:
            return NONE
        if self._in_order:
            return Span(int(self._sorted[start]), int(self._sorted[stop - 1]))
        return compact(np.sort(self._sorted[start:stop]))

    def _below(self, cut: Cut) -> int:
        point, above = cut
        return (bisect_right if above else bisect_left)(self._points, point)


def read_labels(
    labels: Attribute,
    first: np.ndarray,
    values: pd.Series,
    tree: Tree | None,
    suppressed: Any,
    name: Any,
    remedy: str,
) -> list[np.ndarray]:
    """Find the values that each distinct label of a column stands for.

    Parameters
    ----------
    labels : Attribute
        One label per class.
    first : ndarray of int64, shape (n_classes,)
        A row of each class, for error messages.
    values : Series of shape (n_values,)
        The distinct values of the raw column, a missing one among them.
    tree : Tree or None
        The hierarchy, for the names of its nodes.
    suppressed, name, remedy
        As in :meth:`Reader.read_all`.

    Returns
    -------
    list of ndarray of int64
        The codes, in ascending order.

    Raises
    ------
    ColumnError
        A label cannot be read.
    """
    reader = Reader(values, *kind_of(values))
    if tree is not None:
        reader.nodes = _node_codes(tree, reader)
    rows = first[np.unique(labels.codes, return_index=True)[1]]
    found = reader.read_all(labels.values, rows, suppressed, name, remedy)
    return [members(subset) for subset in found]


def _unreadable(name: Any, label: Any, row: int, remedy: str) -> ColumnError:
    return ColumnError(
        f"Column {name!r}: the release has {shown(label)} at row {row}, which is no "
        "value of the raw column, no node of its hierarchy, and no '*', range, "
        "set or mask of its values. Give the hierarchy that the label comes from in "
        f"hierarchies, or correct the label.{remedy}"
    )


def shown(value: Any) -> str:
    """Write a value for an error message, numpy's scalars as plain ones."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 200 else f"{text[:150]}… ({len(text):,} characters)"


def entries(column: pd.Series) -> list[Any]:
    """List a column; of narrow floats, the numbers that are written for them."""
    return [_written(value) for value in _listed(column)]


def _listed(column: pd.Series) -> list[Any]:
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):  # whose integers a gap makes floats of
        categories = [*_listed(pd.Series(dtype.categories)), np.nan]
        return [categories[code] for code in column.cat.codes]
    narrow = types.is_float_dtype(dtype) and getattr(dtype, "itemsize", 8) < 8
    if narrow:
        return list(column.to_numpy(np.float32, na_value=np.nan))
    return column.tolist()


def _written(value: Any) -> Any:
    return float(str(value)) if isinstance(value, np.float32) else value


def compact(codes: np.ndarray) -> Subset:
    """Turn ascending codes that follow each other into a span."""
    if len(codes) and codes[-1] - codes[0] + 1 == len(codes):
        return Span(int(codes[0]), int(codes[-1]))
    return codes if len(codes) else NONE


def members(subset: Subset) -> np.ndarray:
    """List the codes of a subset."""
    if isinstance(subset, Span):
        return np.arange(subset.first, subset.last + 1)
    return subset


NONE = Span(0, -1)


def _node_codes(tree: Tree, reader: Reader) -> dict[str, Subset]:
    """Find what each node's name stands for: the root for the missing value, too."""
    nodes: dict[str, list[int]] = {tree.root: members(reader.missing).tolist()}
    for value, above in tree.above.items():
        own = reader.value(value)
        codes = [] if own is None else members(own).tolist()
        for node in {*above, tree.root, value}:
            nodes.setdefault(node, []).extend(codes)
    return {
        node: compact(np.unique(np.array(codes, dtype=np.int64)))
        for node, codes in nodes.items()
    }


def _items(text: str) -> list[str] | None:
    """Split at commas, but not at those in quotes; None where an item is empty."""
    items: list[str] = []
    at = 0
    while at <= len(text):
        rest = text[at : at + 1]
        if rest.isspace():
            at += 1
            continue
        if rest == '"':
            try:
                item, at = _QUOTED.raw_decode(text, at)
            except ValueError:
                return None
            stop = text.find(",", at)
            stop = len(text) if stop < 0 else stop
            if text[at:stop].strip():
                return None
        else:
            stop = text.find(",", at)
            stop = len(text) if stop < 0 else stop
            item = text[at:stop].rstrip()
            if not item or any(sign in item for sign in '"{}[]'):
                return None
        items.append(item)
        at = stop + 1
    return items


MOST_DASHES = 20
"""Two numbers or times, however they are written, have fewer between and in them."""

_QUOTED = json.JSONDecoder()
_SIDES = ("<", "<=", "\u2264", ">", ">=", "\u2265")
_INFINITE = (float("inf"), float("-inf"))

"""From permissible subsets to the columns of a release."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon._table.domain import ON_A_LINE, SUPPRESSED
from skanon._table.elements import Element
from skanon._table.line import WHOLE, steps
from skanon.exceptions import AnonymizationError, HierarchyError
from skanon.hierarchies import BoundHierarchy
from skanon.hierarchies._base import SUBSET

ENCODINGS = ("label", "representative", "bounds", "distribution")

MAX_SHARES = 1000
"""``encode="distribution"`` makes at most so many columns out of one."""


class Emitter:
    """Writes one quasi-identifier's published subsets in one of the four forms.

    What it writes comes from what is published: values that suppressed records alone
    hold are in no end, mean, share or heading.

    Parameters
    ----------
    bound : BoundHierarchy
    states : ndarray of int64, shape (n_classes, width)
        What each class publishes for the column.
    counts : ndarray of int64, shape (n_codes,), or None
        How often the published records hold each value; None: all are published.
    """

    def __init__(
        self,
        bound: BoundHierarchy,
        states: np.ndarray,
        counts: np.ndarray | None = None,
    ) -> None:
        self.bound = bound
        self.counts = bound.counts if counts is None else counts
        # the leaves of a hierarchy that no record holds are known from it
        self._shown = (self.counts > 0) | (bound.counts == 0)
        self._states, self._of_class = np.unique(states, axis=0, return_inverse=True)
        self._of_class = self._of_class.reshape(-1)

    def emit(self, encode: str, labels: np.ndarray) -> dict[str, Any]:
        """Write the column for some records.

        Parameters
        ----------
        encode : {"label", "representative", "bounds", "distribution"}
        labels : ndarray of int, shape (n,)
            The records' classes; -1 for suppressed ones.

        Returns
        -------
        dict from suffix to array of shape (n,)
            ``""`` where the column keeps its name. Of suppressed records it is missing,
            but ``"*"`` where all is text.
        """
        subset = np.append(self._of_class, len(self._states))[labels]
        # only what these records need: a single record must not cost all classes
        which, at = np.unique(subset, return_inverse=True)
        written = getattr(self, f"_{encode}")(which)
        return {suffix: column.take(at) for suffix, column in written.items()}

    def suffixes(self, encode: str) -> list[str]:
        """List what the column's name is followed by in a form's columns."""
        ordered = self.bound.domain.kind in ON_A_LINE
        if encode == "bounds" and ordered:
            return ["_low", "_high"]
        if encode == "distribution":
            if ordered:
                return ["_mean", "_width"] + ["_missing"] * (self.bound.missing >= 0)
            return [f"_{name}" for name in self._parts.names]
        return [""]

    def texts(self) -> list[str | float]:
        """Write what each class publishes.

        Returns
        -------
        list of length n_classes
        """
        return [*self._texts(np.arange(len(self._states))).take(self._of_class)]

    @cached_property
    def _values(self) -> Any:
        return self.bound.values  # which a taxonomy puts together anew each time

    def _members(self, which: np.ndarray) -> Iterator[np.ndarray]:
        """List the codes of some subsets, one by one: together they may be too many.

        A suppressed record has none.
        """
        for at in which:
            yield _NONE if at == len(self._states) else self._shown_members(at)

    def _shown_members(self, at: int) -> np.ndarray:
        members = self.bound.members(self._states[at])
        shown = self._shown[_as_slice(members)]
        return members if shown.all() else members[shown]

    def _texts(self, which: np.ndarray) -> Any:
        texts = [
            SUPPRESSED if at == len(self._states) else self.bound.text(self._states[at])
            for at in which
        ]
        self._refuse_own_texts(texts, which)
        published = zip(texts, which, strict=True)
        named = [text for text, at in published if at < len(self._states)]
        named = [text for text in named if isinstance(text, str)]
        if len(set(named)) < len(named):
            twice = next(text for text in named if named.count(text) > 1)
            raise HierarchyError(
                f"Column {self.bound.domain.name!r}: two different sets of values "
                f"would both be published as {twice!r}. Rename the value or the node "
                "of that name."
            )
        return pd.array(np.array(texts, dtype=object), dtype="str")

    def _refuse_own_texts(self, texts: list, which: np.ndarray) -> None:
        """Refuse a label that a reader would take for a single value of that text."""
        if self.bound.domain.kind != "text":
            return
        for text, at in zip(texts, which, strict=True):
            if text not in self._own_texts or at == len(self._states):
                continue
            members = self.bound.members(self._states[at])
            own = self._own_texts[text]
            if len(members) > 1 or members[0] != own:
                raise HierarchyError(
                    f"Column {self.bound.domain.name!r}: a set of values would be "
                    f"published as {text!r}, which is also the text of a value. Rename "
                    "that value."
                )

    @cached_property
    def _own_texts(self) -> dict[str, int]:
        codes = range(self.bound.n_codes - (self.bound.missing >= 0))
        return {str(self.bound.text_of_code(code)): code for code in codes}

    def _label(self, which: np.ndarray) -> dict[str, Any]:
        return {"": self._texts(which)}

    def _representative(self, which: np.ndarray) -> dict[str, Any]:
        domain = self.bound.domain
        # what lies in the middle of two categories need not be one
        is_categorical = isinstance(domain.dtype, pd.CategoricalDtype)
        typical = self._most_frequent
        if domain.kind in ON_A_LINE and not is_categorical:
            typical = self._middle
        values = [typical(members) for members in self._members(which)]
        return {"": restore(values, domain.dtype, domain.element)}

    def _bounds(self, which: np.ndarray) -> dict[str, Any]:
        domain = self.bound.domain
        if domain.kind not in ON_A_LINE:
            return self._label(which)
        dtype = domain.dtype
        plain = isinstance(dtype, pd.CategoricalDtype) or dtype == np.dtype(object)
        if plain and domain.element is None:
            dtype = domain.values.dtype  # the ends are numbers, whatever held them
        elif plain:
            dtype = np.dtype(object)
        ends = [self._ends(members) for members in self._members(which)]
        low, high = ([pair[side] for pair in ends] for side in (0, 1))
        return {
            "_low": restore(low, dtype, domain.element),
            "_high": restore(high, dtype, domain.element),
        }

    def _distribution(self, which: np.ndarray) -> dict[str, Any]:
        if self.bound.domain.kind in ON_A_LINE:
            columns = self._mean_and_width(which)
        else:
            columns = self._shares(which)
        names = self.suffixes("distribution")
        return dict(zip(names, columns, strict=True))

    def _mean_and_width(self, which: np.ndarray) -> list[np.ndarray]:
        bound, missing, counts = self.bound, self.bound.missing, self.counts
        known = bound.placed & self._shown
        line = np.where(known, bound.numbers, 0.0)
        weights = counts * known / max(int((counts * known).sum()), 1)
        exact = bound.line.dtype.kind != "f" and (
            bound.step != 1 or np.abs(line).max(initial=0.0) >= WHOLE
        )
        columns = np.zeros((3, len(which)))
        for at, members in enumerate(self._members(which)):
            if not len(members):
                columns[:, at] = np.nan
                continue
            inside = _as_slice(members)
            # of a value that is missing, no more is known than of any other
            inside = inside if known[inside].any() else self._all_shown
            if exact:
                columns[:2, at] = self._exact_mean_and_width(inside)
            elif known.any():
                low = float(np.nanmin(bound.numbers[inside]))
                high = float(np.nanmax(bound.numbers[inside]))
                mean = weights[inside] @ line[inside] / weights[inside].sum()
                columns[0, at] = min(max(mean, low), high)  # as rounding may miss it
                columns[1, at] = min(high - low, _LARGEST)
            if missing >= 0 and members[-1] == missing:
                columns[2, at] = counts[missing] / counts[members].sum()
        return list(columns if missing >= 0 else columns[:2])

    def _exact_mean_and_width(self, inside: Any) -> tuple[float, float]:
        """Compute them for integers that floats might not hold; round at the end."""
        bound, known = self.bound, (self.bound.placed & self._shown)[inside]
        line = bound.line[inside][known]
        counts = self.counts[inside][known].astype(np.uint64)
        above, low, n = steps(line), int(line.min()), int(counts.sum())
        # in halves, whose sums fit into 64 bits
        total = int(counts @ (above >> 32)) << 32
        total += int(counts @ (above & 0xFFFFFFFF))
        mean = Fraction(low * n + total, n) * bound.step
        return float(mean), float(int(above.max()) * bound.step)

    def _shares(self, which: np.ndarray) -> list[np.ndarray]:
        parts, counts = self._parts, self.counts.astype(float)
        shares = np.full((len(which), len(parts.names)), np.nan)
        for row, members in zip(shares, self._members(which), strict=True):
            if len(members):
                held = counts[members] / counts[members].sum()
                row[:] = np.bincount(parts.of_code[members], held, len(row))
        return list(shares.T)

    @cached_property
    def _parts(self) -> _Parts:
        """Part the values into as few parts as tell the published subsets apart.

        So no heading names a value that is published as a part of something else only.
        """
        n_codes, n_states = self.bound.n_codes, len(self._states)
        part = np.full(n_codes, -1)
        smallest = np.full(n_codes, -1)
        size = np.full(n_codes, n_codes + 1)
        last = 0
        for at in range(n_states):
            members = self._shown_members(at)
            _, split = np.unique(part[members], return_inverse=True)
            part[members] = last + split
            last += int(split.max()) + 1
            smaller = members[size[members] > len(members)]
            smallest[smaller], size[smaller] = at, len(members)
        codes = np.flatnonzero(part >= 0)
        of_code = np.full(n_codes, -1)
        # numbered in the order of the values
        of_code[codes] = pd.factorize(part[codes])[0]
        n_parts = int(of_code.max(initial=-1)) + 1
        if n_parts > MAX_SHARES:
            raise AnonymizationError(
                f"Column {self.bound.domain.name!r} is published in {n_parts} parts, "
                f"and encode='distribution' would make a column of each; {MAX_SHARES} "
                "is the limit. Use encode='representative', leave the column out, or "
                "group its values before."
            )
        names: list[str] = []
        for one in range(n_parts):
            members = np.flatnonzero(of_code == one)
            names.append(self._part_name(members, int(smallest[members[0]]), names))
        return _Parts(of_code, names or [SUPPRESSED])

    def _part_name(self, members: np.ndarray, smallest: int, taken: list[str]) -> str:
        bound, state = self.bound, self._states[smallest]
        whole = bound.text(state)
        text = whole if isinstance(whole, str) else "missing"
        if len(members) == len(self._shown_members(smallest)):
            return text
        if bound.form == SUBSET and text != SUPPRESSED:  # whose values are all printed
            texts = [str(bound.text_of_code(code)) for code in members]
            return texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}"
        name = "other" if text == SUPPRESSED else f"other {text}"
        n_alike = sum(other.split(" #")[0] == name for other in taken)
        return f"{name} #{n_alike + 1}" if n_alike else name

    def _ends(self, members: np.ndarray) -> tuple[Any, Any]:
        if len(members):
            placed = self.bound.placed[_as_slice(members)]
            members = members if placed.all() else members[placed]
        if not len(members):
            return None, None
        line = self.bound.line[_as_slice(members)]
        low, high = members[line.argmin()], members[line.argmax()]
        return self._values[low], self._values[high]

    def _middle(self, members: np.ndarray) -> Any:
        low, high = self._ends(members)
        if low is None or low == high:
            return low
        if isinstance(low, pd.Timestamp | pd.Timedelta):
            return _half_way(low, high)
        if isinstance(low, int | np.integer) and isinstance(high, int | np.integer):
            return (int(low) + int(high)) // 2
        return min(max(low / 2 + high / 2, low), high)  # the sum might overflow

    def _most_frequent(self, members: np.ndarray) -> Any:
        inner = members[members != self.bound.missing]
        if not len(inner):
            return None
        return self._values[inner[np.argmax(self.counts[inner])]]

    @cached_property
    def _all_shown(self) -> np.ndarray:
        return np.flatnonzero(self._shown)


_NONE = np.arange(0)


class _Parts(NamedTuple):
    """Values in parts: each code's part, or -1, and the parts' names."""

    of_code: np.ndarray
    names: list[str]


def _as_slice(members: np.ndarray) -> Any:
    """Give a run of codes as a slice, which is read many times faster."""
    is_run = members[-1] - members[0] + 1 == len(members)
    return slice(members[0], members[-1] + 1) if is_run else members


def _half_way(low: Any, high: Any) -> Any:
    """Find the time between two; their difference might not fit into 64 bits."""
    pair = np.array([low.to_numpy(), high.to_numpy()])
    ends: list[int] = pair.astype(np.int64).tolist()
    middle: Any = np.array(sum(ends) // 2).astype(pair.dtype)[()]
    if isinstance(low, pd.Timedelta):
        return pd.Timedelta(middle)
    stamp = pd.Timestamp(middle)
    if low.tz is not None:
        return stamp.tz_localize("UTC").tz_convert(low.tz)
    days = low == low.normalize() and high == high.normalize()
    return stamp.floor("D") if days else stamp


def restore(values: list, dtype: Any, element: Element | None = None) -> Any:
    """Give values a column's dtype.

    Parameters
    ----------
    values : list of length n
        None where a value is missing.
    dtype : dtype
    element : Element or None
        What the column's values were read from.

    Returns
    -------
    array of shape (n,)
    """
    if element is not None:
        values = element.give_back(values, dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and None in values:
        nullable: Any = str(dtype).replace("i", "I").replace("u", "U")
        return pd.array(values, dtype=nullable)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        if any(value != int(value) for value in values):
            dtype = np.dtype(np.float64)  # a hierarchy's leaf that the column lacks
    if isinstance(dtype, np.dtype) and dtype.kind == "b" and None in values:
        dtype = np.dtype(object)
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        return np.array([np.nan if v is None else v for v in values], dtype=dtype)
    if isinstance(dtype, np.dtype) and dtype.kind not in "Mm":
        restored = np.empty(len(values), dtype=dtype)
        restored[:] = values
        return restored
    return pd.Series(values, dtype=object).astype(dtype).array


_LARGEST = float(np.finfo(np.float64).max)

"""From permissible subsets to the columns of a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon.domain import SUPPRESSED
from skanon.exceptions import AnonymizationError, HierarchyError
from skanon.hierarchies import BoundHierarchy

ENCODINGS = ("label", "representative", "bounds", "distribution")

MAX_SHARES = 1000
"""``encode="distribution"`` makes at most so many columns out of one."""


class Emitter:
    """Writes one quasi-identifier's published subsets in one of the four forms.

    Parameters
    ----------
    bound : BoundHierarchy
    states : ndarray of int64, shape (n_classes, width)
        What each class publishes for the column.
    """

    def __init__(self, bound: BoundHierarchy, states: np.ndarray) -> None:
        self.bound = bound
        self._states, self._of_class = np.unique(states, axis=0, return_inverse=True)
        self._of_class = self._of_class.reshape(-1)
        self._members = [bound.members(state) for state in self._states]
        self._members.append(np.arange(bound.n_codes))  # a suppressed record

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
            ``""`` where the column keeps its name.
        """
        subset = np.append(self._of_class, len(self._states))[labels]
        written = getattr(self, f"_{encode}")()
        return {suffix: column.take(subset) for suffix, column in written.items()}

    def suffixes(self, encode: str) -> list[str]:
        """List what the column's name is followed by in a form's columns."""
        ordered = self.bound.domain.kind in _ON_A_LINE
        if encode == "bounds" and ordered:
            return ["_low", "_high"]
        if encode == "distribution":
            if ordered:
                return ["_mean", "_width"] + ["_missing"] * (self.bound.missing >= 0)
            self._check_shares()
            return [f"_{self._value_name(code)}" for code in range(self.bound.n_codes)]
        return [""]

    def texts(self) -> list[str | float]:
        """Write what each class publishes.

        Returns
        -------
        list of length n_classes
        """
        written = self._label()[""]
        return list(written.take(self._of_class))

    def _label(self) -> dict[str, Any]:
        texts = [self.bound.text(state) for state in self._states]
        named = [text for text in texts if isinstance(text, str)]
        if len(set(named)) < len(named):
            twice = next(text for text in named if named.count(text) > 1)
            raise HierarchyError(
                f"Column {self.bound.domain.name!r}: two different sets of values "
                f"would both be published as {twice!r}. Rename the value or the node "
                "of that name."
            )
        return {"": pd.array(np.array([*texts, SUPPRESSED], dtype=object), dtype="str")}

    def _representative(self) -> dict[str, Any]:
        domain = self.bound.domain
        if domain.kind in _ON_A_LINE:
            values = [self._middle(members) for members in self._members]
        else:
            values = [self._most_frequent(members) for members in self._members]
        return {"": self._restore(values)}

    def _bounds(self) -> dict[str, Any]:
        if self.bound.domain.kind not in _ON_A_LINE:
            return self._label()
        ends = [self._ends(members) for members in self._members]
        low = self._restore([low for low, _ in ends])
        return {"_low": low, "_high": self._restore([high for _, high in ends])}

    def _distribution(self) -> dict[str, Any]:
        if self.bound.domain.kind in _ON_A_LINE:
            columns = self._mean_and_width()
        else:
            columns = self._shares()
        return dict(zip(self.suffixes("distribution"), columns, strict=True))

    def _mean_and_width(self) -> list[np.ndarray]:
        numbers, counts = self.bound.numbers, self.bound.counts
        missing = self.bound.missing
        mean, width, share = [], [], []
        for members in self._members:
            weights = counts[members] * (members != missing)
            alone = weights.sum() == 0
            inner = np.flatnonzero(counts * ~np.isnan(numbers)) if alone else members
            inner = inner[inner != missing]
            seen = counts[inner] > 0
            known = bool(seen.any())
            mean.append(
                np.average(numbers[inner[seen]], weights=counts[inner[seen]])
                if known
                else 0.0
            )
            width.append(np.ptp(numbers[inner]) if len(inner) else 0.0)
            total = counts[members].sum()
            share.append(counts[missing] / total if missing in members else 0.0)
        columns = [np.array(mean), np.array(width), np.array(share)]
        return columns if missing >= 0 else columns[:2]

    def _shares(self) -> list[np.ndarray]:
        self._check_shares()
        counts = self.bound.counts.astype(float)
        shares = np.zeros((len(self._members), self.bound.n_codes))
        for row, members in zip(shares, self._members, strict=True):
            row[members] = counts[members] / counts[members].sum()
        return list(shares.T)

    def _check_shares(self) -> None:
        if self.bound.n_codes > MAX_SHARES:
            raise AnonymizationError(
                f"Column {self.bound.domain.name!r} has {self.bound.n_codes} values, "
                f"and encode='distribution' would make a column of each; {MAX_SHARES} "
                "is the limit. Use encode='representative', leave the column out, or "
                "group its values before."
            )

    def _value_name(self, code: int) -> str:
        text = self.bound.text_of_code(code)
        return text if isinstance(text, str) else "missing"

    def _present(self, members: np.ndarray) -> np.ndarray:
        return members[members != self.bound.missing]

    def _ends(self, members: np.ndarray) -> tuple[Any, Any]:
        inner = self._present(members)
        if not len(inner):
            return None, None
        at = self.bound.numbers[inner]
        values = self.bound.values
        return values[inner[np.argmin(at)]], values[inner[np.argmax(at)]]

    def _middle(self, members: np.ndarray) -> Any:
        low, high = self._ends(members)
        if low is None or low == high:
            return low
        if isinstance(low, int | np.integer):
            return (int(low) + int(high)) // 2
        return low + (high - low) / 2

    def _most_frequent(self, members: np.ndarray) -> Any:
        inner = self._present(members)
        if not len(inner):
            return None
        return self.bound.values[inner[np.argmax(self.bound.counts[inner])]]

    def _restore(self, values: list) -> Any:
        """Give values the dtype that the fitted column had."""
        dtype = self.bound.domain.dtype
        if isinstance(dtype, np.dtype) and dtype.kind in "iub" and None in values:
            # only a suppressed record of a column without missing values comes here
            dtype = np.dtype(object)
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            return np.array([np.nan if v is None else v for v in values], dtype=dtype)
        if isinstance(dtype, np.dtype) and dtype.kind != "M" and dtype.kind != "m":
            restored = np.empty(len(values), dtype=dtype)
            restored[:] = values
            return restored
        return pd.Series(values, dtype=object).astype(dtype).array


_ON_A_LINE = ("number", "datetime", "timedelta")

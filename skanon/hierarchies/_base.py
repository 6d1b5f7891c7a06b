"""What a hierarchy is, and what it becomes once it meets a column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from skanon._registry import Registry
from skanon._table.domain import SUPPRESSED, UNKNOWN, Domain
from skanon._table.line import offsets
from skanon.exceptions import HierarchyError

TREE, INTERVAL, SUBSET = 0, 1, 2
"""The three forms in which kernels know a permissible subset."""


class Hierarchy(ABC):
    """The permissible subsets of a column's values, closed under join.

    A hierarchy is a description; :meth:`bind` fits it to the values of a column.

    Attributes
    ----------
    word : str
        What the class is called in a description, and in ``hierarchies={...}``.
    """

    word: ClassVar[str]

    @abstractmethod
    def bind(self, domain: Domain) -> BoundHierarchy:
        """Fit the hierarchy to a column.

        Parameters
        ----------
        domain : Domain
            The column's distinct values.

        Raises
        ------
        HierarchyError
            The hierarchy does not cover a value, or makes no sense for the column.
        """

    def to_dict(self) -> dict[str, Any]:
        """Describe the hierarchy in types that JSON knows."""
        return {"type": self.word}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Hierarchy:
        """Rebuild a hierarchy from what :meth:`to_dict` described.

        Parameters
        ----------
        plain : dict
            With the key ``"type"``, and for a taxonomy ``"values"`` and ``"levels"``.

        Returns
        -------
        Hierarchy

        Raises
        ------
        HierarchyError
            The type is absent or unknown, or the rest does not describe it.

        Examples
        --------
        >>> from skanon.hierarchies import Hierarchy
        >>> Hierarchy.from_dict({"type": "intervals"})
        Intervals()
        """
        types = ", ".join(map(repr, HIERARCHIES))
        if not isinstance(plain, Mapping) or "type" not in plain:
            raise HierarchyError(
                f"{str(plain)[:60]!r} does not describe a hierarchy: it needs a "
                f"'type', one of {types}."
            )
        kind, rest = plain["type"], {k: v for k, v in plain.items() if k != "type"}
        if not isinstance(kind, str) or kind not in HIERARCHIES:
            raise HierarchyError(
                f"the hierarchy type {kind!r} is unknown. It must be one of {types}."
            )
        return HIERARCHIES[kind]._from_rest(rest)

    @classmethod
    def _from_rest(cls, rest: dict[str, Any]) -> Hierarchy:
        check_keys(cls.word, rest, set())
        return cls()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        """Tell whether two hierarchies are the same description."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(type(self))


HIERARCHIES: Registry[Hierarchy] = Registry(Hierarchy)
"""The classes of hierarchies by their words."""


def check_keys(word: str, rest: Mapping[Any, Any], allowed: set[str]) -> None:
    """Check what a description holds beside its type.

    Raises
    ------
    HierarchyError
        A key is absent or unknown.
    """
    if set(rest) != allowed:
        odd = sorted(str(key) for key in set(rest) ^ allowed)
        raise HierarchyError(
            f"the description of a hierarchy of type {word!r} must have the keys "
            f"{sorted(allowed | {'type'})}; {odd} is absent or unknown."
        )


class BoundHierarchy(ABC):
    """A hierarchy that knows its column: codes for values, states for subsets.

    A value is a *code*, ``0 .. n_codes - 1``; the missing value, where the column has
    one, is the last of them. A permissible subset is a *state*: ``width`` integers
    that kernels read and write.

    Attributes
    ----------
    form : {TREE, INTERVAL, SUBSET}
    domain : Domain
    n_codes : int
        The number of values that the root covers, the missing one included.
    missing : int
        The code of the missing value, or -1.
    width : int
        How many integers a state takes.
    counts : ndarray of int64, shape (n_codes,)
        How often each value occurs in the fitted column.
    placed : ndarray of bool, shape (n_codes,)
        Which values have a position on a line.
    line : ndarray of int64, uint64 or float64, shape (n_codes,)
        These positions, exactly; 0 where there is none.
    step : Fraction
        How many of the column's own units one step of ``line`` is; 1 but for times
        whose hierarchy counts in another unit.
    numbers : ndarray of float64, shape (n_codes,)
        The positions in the column's units, rounded; NaN where there is none.
    """

    form: ClassVar[int]
    width = 1
    step = Fraction(1)

    def __init__(self, domain: Domain, n_values: int) -> None:
        self.domain = domain
        self.missing = n_values if domain.n_missing else -1
        self.n_codes = n_values + (domain.n_missing > 0)
        self.counts = np.zeros(self.n_codes, dtype=np.int64)
        self.counts[self.codes(np.arange(len(domain)))] = domain.counts
        if domain.n_missing:
            self.counts[-1] = domain.n_missing
        self.placed = np.zeros(self.n_codes, dtype=bool)
        codes, numbers = self._numbers()
        self.placed[codes] = True
        self.line = np.zeros(self.n_codes, dtype=numbers.dtype)
        self.line[codes] = numbers
        self.numbers = np.where(self.placed, self._in_units(self.line), np.nan)

    def _numbers(self) -> tuple[Any, np.ndarray]:
        """Give the codes that have a place on a line, and their places, exactly."""
        return slice(len(self.domain)), self.domain.numbers()

    def _in_units(self, line: np.ndarray) -> np.ndarray:
        return line.astype(np.float64) * self.step.numerator / self.step.denominator

    def offsets(self) -> np.ndarray:
        """Measure how far values are from the least one, in the column's units.

        Returns
        -------
        ndarray of float64, shape (n_codes,)
            As :func:`skanon._table.line.offsets` does it; NaN for values without a
            place.
        """
        result = np.full(self.n_codes, np.nan)
        result[self.placed] = self._in_units(offsets(self.line[self.placed]))
        return result

    def codes(self, positions: np.ndarray) -> np.ndarray:
        """Turn positions in the domain into codes.

        Parameters
        ----------
        positions : ndarray of int, shape (n,)
            As :meth:`Domain.encode` gives them.

        Returns
        -------
        ndarray of int32, shape (n,)
            ``UNKNOWN`` stays; so becomes a missing value that the fitted column
            did not have.
        """
        size = len(self.domain)
        table = np.append(self._code_of_position(), [self.missing, UNKNOWN])
        return table[np.where(positions == UNKNOWN, size + 1, positions)].astype(
            np.int32
        )

    def _code_of_position(self) -> np.ndarray:
        return np.arange(len(self.domain), dtype=np.int32)

    def encode(self, column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
        """Code a column of other records.

        Returns
        -------
        codes : ndarray of int32, shape (n,)
            ``UNKNOWN`` where the fitted column does not hold the value.
        nearest : ndarray of int32, shape (n,)
            The same, but an unknown value of an ordered column counts as the fitted
            one that is nearest to it.
        """
        exact, nearest = self.domain.encode(column)
        return self.codes(exact), self.codes(nearest)

    @property
    def values(self) -> Any:
        """The present values by code: an array or Index of length m."""
        return self.domain.values

    @abstractmethod
    def members(self, state: np.ndarray) -> np.ndarray:
        """List the codes that a state covers.

        Parameters
        ----------
        state : ndarray of int64, shape (width,)

        Returns
        -------
        ndarray of int, shape (n_members,)
        """

    @abstractmethod
    def covers(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Tell, row by row, whether a state covers a code.

        Parameters
        ----------
        states : ndarray of int64, shape (n, width)
        codes : ndarray of int32, shape (n,)

        Returns
        -------
        ndarray of bool, shape (n,)
        """

    @abstractmethod
    def _name(self, state: np.ndarray, members: np.ndarray) -> str:
        """Name a subset of two or more values that is not everything."""

    def text(self, state: np.ndarray) -> str | float:
        """Write a permissible subset as it is published.

        Returns
        -------
        str or NaN
            The value's own text where it stayed whole, ``"*"`` for everything, NaN
            where only missing values are covered.
        """
        members = self.members(state)
        if len(members) == 1:
            return self.text_of_code(int(members[0]))
        if len(members) == self.n_codes:
            return SUPPRESSED
        return self._name(state, members)

    def text_of_code(self, code: int) -> str | float:
        """Write one value: its own text, or NaN for the missing one."""
        return np.nan if code == self.missing else self._texts[code]

    @property
    def _texts(self) -> np.ndarray:
        if not hasattr(self, "_texts_cache"):
            self._texts_cache = self.domain.text()
        return self._texts_cache

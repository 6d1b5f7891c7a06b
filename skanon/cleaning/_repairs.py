"""Repairs of a table's types: rules, so that they fit next month's table, too."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.containers import as_frame
from skanon.exceptions import ColumnError, ParameterError, in_short


@dataclass(frozen=True)
class Repair(ABC):
    """One repair of one column, or of all their names."""

    @abstractmethod
    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Repair a table.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
            It is left as it is.

        Returns
        -------
        DataFrame of shape (n, n_columns)

        Raises
        ------
        ColumnError
            The column is not there, or holds what the rule is not for; the message
            names the value and its row.
        """

    @abstractmethod
    def told(self) -> str:
        """Say in words what it does."""

    def to_dict(self) -> dict[str, Any]:
        """Write it in types that JSON knows."""
        plain = {"repair": type(self).__name__, **asdict(self)}
        return {
            name: list(x) if isinstance(x, tuple) else x for name, x in plain.items()
        }


@dataclass(frozen=True)
class ColumnRepair(Repair):
    """One repair of one column."""

    column: Any

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Repair the column; raises ColumnError as all repairs do."""
        if self.column not in frame.columns:
            raise ColumnError(
                f"{self!r} is for the column {self.column!r}, but there are "
                f"{list(frame.columns)}."
            )
        repaired = frame.copy(deep=False)
        repaired[self.column] = self._repaired(frame[self.column])
        return repaired

    @abstractmethod
    def _repaired(self, column: pd.Series) -> pd.Series:
        """Give the column, repaired."""


@dataclass(frozen=True)
class MarksAsMissing(ColumnRepair):
    """Take marks such as ``?`` for missing values.

    Parameters
    ----------
    column : column label
    marks : sequence of str
        Texts that mean that a value is missing, blanks around them apart; ``""`` is a
        cell of blanks only.

    Examples
    --------
    >>> repair = MarksAsMissing("job", ["?"])
    >>> clean(pd.DataFrame({"job": ["clerk", " ? "]}), [repair])["job"].isna().tolist()
    [False, True]
    """

    marks: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the marks."""
        marks = [self.marks] if isinstance(self.marks, str) else list(self.marks)
        if not marks or not all(isinstance(mark, str) for mark in marks):
            raise ParameterError(f"marks is {self.marks!r}. Give a list of texts.")
        object.__setattr__(self, "marks", tuple(mark.strip() for mark in marks))

    def _repaired(self, column: pd.Series) -> pd.Series:
        def is_mark(value: Any) -> bool:
            return isinstance(value, str) and value.strip() in self.marks

        return column.mask(_by_value(column, is_mark, False).astype(bool))

    def told(self) -> str:
        """Say in words what it does."""
        return f"{self.named_marks()} become missing"

    def named_marks(self) -> str:
        """List the marks in words."""
        return ", ".join(f"“{mark}”" if mark else "blanks" for mark in self.marks)


@dataclass(frozen=True)
class TextAsNumbers(ColumnRepair):
    """Read numbers that are stored as text.

    Parameters
    ----------
    column : column label
    decimal : {".", ","}, default="."
    thousands : {"", ",", ".", " ", "'"}, default=""
        The sign between groups of three digits, if there is one; a blank stands for
        all kinds of blanks.

    Examples
    --------
    >>> repair = TextAsNumbers("pay", thousands=",")
    >>> clean(pd.DataFrame({"pay": ["1,200", "980.50"]}), [repair])["pay"].tolist()
    [1200.0, 980.5]
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        """Check the signs."""
        if self.decimal not in (".", ",") or self.thousands not in ("", *",. '"):
            raise ParameterError(
                f"decimal={self.decimal!r} and thousands={self.thousands!r} are no "
                "signs of numbers. Give '.' or ',', and '' or one of , . ' or a blank."
            )
        if self.decimal == self.thousands:
            raise ParameterError("decimal and thousands are the same sign.")

    def _repaired(self, column: pd.Series) -> pd.Series:
        def read(value: Any) -> float | int | None:
            return value if not isinstance(value, str) else self.number(value)

        numbers = _by_value(column, read, None)
        _refuse(column, numbers, "is no number", self)
        found = pd.to_numeric(numbers)
        whole = all(isinstance(x, int | np.integer) for x in numbers.dropna())
        return (
            found.astype("Int64" if column.isna().any() else "int64")
            if (whole and len(numbers.dropna()))
            else found
        )

    def number(self, text: str) -> float | int | None:
        """Read a text; None where it is no number."""
        text = "".join(text.split()) if self.thousands == " " else text.strip()
        sign, digits = text[:1] if text[:1] in ("+", "-") else "", text.lstrip("+-")
        whole, point, part = digits.partition(self.decimal)
        if self.thousands not in ("", " ") and self.thousands in whole:
            first, *groups = whole.split(self.thousands)
            if not 1 <= len(first) <= 3 or any(len(group) != 3 for group in groups):
                return None
            whole = first + "".join(groups)
        if not whole.isascii() or not whole.isdigit():
            return None
        if point and not (part.isascii() and part.isdigit()):
            return None
        if len(text) - len(digits) != len(sign):
            return None
        if not point:
            value = int(sign + whole)
            return value if abs(value) < 2**53 else None
        return float(f"{sign}{whole}.{part}")

    def told(self) -> str:
        """Say in words what it does."""
        signs = [f"decimal {'comma' if self.decimal == ',' else 'point'}"]
        if self.thousands:
            named = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}
            signs.append(f"{named[self.thousands]} between thousands")
        return f"text becomes numbers ({', '.join(signs)})"


@dataclass(frozen=True)
class TextAsDates(ColumnRepair):
    """Read dates that are stored as text.

    Parameters
    ----------
    column : column label
    format : str
        As of :meth:`datetime.datetime.strptime`, such as ``"%d.%m.%Y"``.

    Examples
    --------
    >>> repair = TextAsDates("born", "%d.%m.%Y")
    >>> clean(pd.DataFrame({"born": ["24.12.1980"]}), [repair])["born"].dt.year.tolist()
    [1980]
    """

    format: str

    def __post_init__(self) -> None:
        """Check the format."""
        if not isinstance(self.format, str) or "%" not in self.format:
            raise ParameterError(
                f"format is {self.format!r}. Give one such as '%d.%m.%Y'."
            )

    def _repaired(self, column: pd.Series) -> pd.Series:
        given = column.dropna()
        texts = given.map(lambda x: x.strip() if isinstance(x, str) else x)
        distinct = pd.Series(texts.unique())
        try:
            read = pd.to_datetime(distinct, format=self.format, errors="coerce")
        except ValueError as error:
            raise ParameterError(f"format is {self.format!r}: {error}") from error
        known = dict(zip(distinct, read, strict=True))
        dates = texts.map(known).reindex(column.index)
        _refuse(column, dates, f"is no date as in {self.format!r}", self)
        return pd.to_datetime(dates)

    def told(self) -> str:
        """Say in words what it does."""
        return f"text becomes dates ({in_words(self.format)})"


def in_words(format: str) -> str:
    """Write a format of dates for people.

    Examples
    --------
    >>> in_words("%d.%m.%Y")
    'day.month.year'
    """
    for sign, word in _WORDS.items():
        format = format.replace(sign, word)
    return format


_WORDS = {
    "%d": "day",
    "%m": "month",
    "%Y": "year",
    "%y": "year of two digits",
    "%b": "month's short name",
    "%B": "month's name",
    "%H": "hours",
    "%M": "minutes",
    "%S": "seconds",
}


@dataclass(frozen=True)
class NumbersAsText(ColumnRepair):
    """Take numbers for codes, such as zip codes.

    Parameters
    ----------
    column : column label
    width : int, default=0
        Shorter ones get leading zeros, up to so many digits; 0: none.

    Examples
    --------
    >>> repair = NumbersAsText("zip", width=5)
    >>> clean(pd.DataFrame({"zip": [1067, 10115]}), [repair])["zip"].tolist()
    ['01067', '10115']
    """

    width: int = 0

    def __post_init__(self) -> None:
        """Check the width."""
        if isinstance(self.width, bool) or not isinstance(self.width, int):
            raise ParameterError(f"width is {self.width!r}. Give a whole number.")
        if not 0 <= self.width <= 100:
            raise ParameterError(f"width is {self.width!r}. Give 0 to 100.")

    def _repaired(self, column: pd.Series) -> pd.Series:
        def text(value: Any) -> str | None:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, float):
                return None
            return str(value).zfill(self.width)

        texts = _by_value(column, text, None)
        _refuse(column, texts, "is no whole number", self)
        return texts.astype("str")

    def told(self) -> str:
        """Say in words what it does."""
        zeros = f", with leading zeros up to {self.width} digits" if self.width else ""
        return f"numbers become codes{zeros}"


CASES = {
    None: lambda text: text,
    "lower": str.lower,
    "upper": str.upper,
    "capital": lambda text: text[:1].upper() + text[1:].lower(),
}


@dataclass(frozen=True)
class OneSpelling(ColumnRepair):
    """Spell the same value in one way.

    Blanks around a text go, several in it become one, and composed and decomposed
    letters are the same.

    Parameters
    ----------
    column : column label
    case : {"lower", "upper", "capital"} or None, default=None
        How letters are written: all small, all capital, or the first one capital. None:
        as they are.

    Examples
    --------
    >>> repair = OneSpelling("sex", case="lower")
    >>> table = pd.DataFrame({"sex": ["male", "Male", "MALE "]})
    >>> clean(table, [repair])["sex"].tolist()
    ['male', 'male', 'male']
    """

    case: str | None = None

    def __post_init__(self) -> None:
        """Check the case."""
        if self.case not in CASES:
            raise ParameterError(
                f"case is {self.case!r}. Choose one of {', '.join(map(repr, CASES))}."
            )

    def spelled(self, text: str) -> str:
        """Spell a text."""
        plain = " ".join(unicodedata.normalize("NFC", text).split())
        return CASES[self.case](plain)

    def _repaired(self, column: pd.Series) -> pd.Series:
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(column.cat.categories.dtype)
        return _by_value(
            column, lambda x: self.spelled(x) if isinstance(x, str) else x, None
        ).astype(column.dtype)

    def told(self) -> str:
        """Say in words what it does."""
        cases = {
            "lower": " and small letters",
            "upper": " and capital letters",
            "capital": ", the first letter a capital",
            None: "",
        }
        return f"one spelling: no needless blanks{cases[self.case]}"


@dataclass(frozen=True)
class NamesAsText(Repair):
    """Make texts of the columns' names, without blanks around them.

    Examples
    --------
    >>> list(clean(pd.DataFrame({0: [1], "age ": [2]}), [NamesAsText()]))
    ['0', 'age']
    """

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rename the columns; raises ColumnError where two would be called the same."""
        names = pd.Index([str(name).strip() for name in frame.columns])
        if not names.is_unique:
            twice = list(names[names.duplicated()].unique())
            raise ColumnError(
                f"As text, several columns would be called {twice}. Rename them first."
            )
        return frame.set_axis(names, axis=1)

    def told(self) -> str:
        """Say in words what it does."""
        return "the columns' names become texts, without blanks around them"


REPAIRS: dict[str, type[Repair]] = {
    kind.__name__: kind
    for kind in (
        NamesAsText,
        MarksAsMissing,
        OneSpelling,
        TextAsNumbers,
        TextAsDates,
        NumbersAsText,
    )
}


def clean(table: Any, repairs: Iterable[Repair]) -> pd.DataFrame:
    """Repair a table, one repair after the other.

    Parameters
    ----------
    table : DataFrame of shape (n, n_columns)
        It is left as it is.
    repairs : iterable of Repair
        As :func:`suggest_repairs` suggests them.

    Returns
    -------
    DataFrame of shape (n, n_columns)
        A pandas one. Without repairs it holds what the table holds.

    Raises
    ------
    ColumnError
        A value is not what a repair is for: nothing is made missing that no repair
        names. The message names column, value and row.

    Examples
    --------
    >>> table = pd.DataFrame({"born": ["24.12.1980", "?"]})
    >>> repairs = [MarksAsMissing("born", ["?"]), TextAsDates("born", "%d.%m.%Y")]
    >>> clean(table, repairs)["born"].dt.year.tolist()
    [1980.0, nan]
    """
    frame = as_frame(table)
    for repair in repairs:
        if not isinstance(repair, Repair):
            raise ParameterError(f"{repair!r} is no repair.")
        frame = repair.apply(frame)
    return frame


def repair_from_dict(plain: Mapping[str, Any]) -> Repair:
    """Make a repair of what its ``to_dict`` gave.

    Raises
    ------
    ParameterError
        It is none.

    Examples
    --------
    >>> repair_from_dict({"repair": "TextAsDates", "column": "born", "format": "%Y"})
    TextAsDates(column='born', format='%Y')
    """
    if not isinstance(plain, Mapping) or plain.get("repair") not in REPAIRS:
        raise ParameterError(f"{plain!r} is no repair. There are {', '.join(REPAIRS)}.")
    given = {name: x for name, x in plain.items() if name != "repair"}
    try:
        return REPAIRS[plain["repair"]](**given)
    except TypeError as error:
        raise ParameterError(f"{plain!r} is no repair: {error}") from error


def _by_value(column: pd.Series, rule: Any, missing: Any) -> pd.Series:
    """Apply a rule once to each distinct value."""
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    made = np.empty(len(values) + 1, dtype=object)
    for at, value in enumerate(values):
        made[at] = rule(value)
    made[-1] = missing  # which the code -1 takes
    return pd.Series(made[codes], index=column.index, name=column.name, dtype=object)


def _refuse(column: pd.Series, made: pd.Series, what: str, repair: Repair) -> None:
    lost = made.isna() & column.notna()
    if lost.any():
        row = int(np.flatnonzero(lost.to_numpy())[0])
        value = in_short(column.iloc[[row]].tolist()[0])
        raise ColumnError(
            f"{value} in row {row} of column {column.name!r} {what} "
            f"({int(lost.sum()):,} such values in all). Mend it, name it as a mark of "
            f"missing values before, or leave out {type(repair).__name__}."
        )

"""Which repairs a table needs: counted and told, never done by itself."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from skanon._table.containers import as_frame
from skanon.cleaning._repairs import (
    CASES,
    MarksAsMissing,
    NamesAsText,
    NumbersAsText,
    OneSpelling,
    Repair,
    TextAsDates,
    TextAsNumbers,
    in_words,
)

MARKS = frozenset(
    """? ?? - -- --- . .. / n/a n.a. na nan null none nil missing unknown unk
    #n/a #na #null! #value! #div/0! <na> k.a. keine angabe k/a sans objet s.o. n.d. nd
    sin dato s/d""".split()
) | {"", "keine angabe", "sans objet", "sin dato", "no answer", "not available"}
"""What often means that a value is missing, in small letters."""

AMBIGUOUS = ("none", "unknown", "unk", "na", "nd", "-", ".", "/")
"""Marks that may be values as well; "None" of allergies is an answer."""

FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M",
)
_CODES = re.compile(r"zip|plz|postal|post.?code|postleitzahl|\bcap\b|icd|code", re.I)


@dataclass(frozen=True)
class Suggestion:
    """A repair that a table seems to need.

    Attributes
    ----------
    repair : Repair
    count : int
        How many cells it changes, or columns in the case of names.
    reason : str
        What was found; it holds no value of the table but marks of missing values.
    safe : bool
        Whether it may be accepted blindly. It may not where another reading is as
        likely, such as day and month, or a mark that may be an answer.
    """

    repair: Repair
    count: int
    reason: str
    safe: bool = True


def suggest_repairs(table: Any) -> list[Suggestion]:
    """Look for values of the wrong type, and suggest repairs, in their order.

    Looked for are marks of missing values, numbers and dates that are stored as text,
    different spellings of a value, codes that are stored as numbers, and names of
    columns that are no text.

    Parameters
    ----------
    table : DataFrame of shape (n, n_columns)

    Returns
    -------
    list of Suggestion
        Where two readings are as likely there is one of each, neither of them safe.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"sex": ["male", "Male", "?"], "pay": ["1,200.5", "8", "0"]}
    ... )
    >>> for found in suggest_repairs(table):
    ...     print(found.repair)
    MarksAsMissing(column='sex', marks=('?',))
    OneSpelling(column='sex', case='lower')
    TextAsNumbers(column='pay', decimal='.', thousands=',')
    """
    frame = as_frame(table)
    found = list(_names(frame))
    named = frame
    for suggestion in found:
        named = suggestion.repair.apply(frame)
    for name in named.columns:
        found += _of_column(named[name], name)
    return found


def _names(frame: pd.DataFrame) -> Iterator[Suggestion]:
    odd = [x for x in frame.columns if not isinstance(x, str) or x != x.strip()]
    texts = {str(x).strip() for x in frame.columns}
    if odd and len(texts) == frame.shape[1]:
        reason = (
            f"{len(odd):,} of {frame.shape[1]:,} columns have names that are no text, "
            "or with blanks around them."
        )
        yield Suggestion(NamesAsText(), len(odd), reason)


def _of_column(column: pd.Series, name: Any) -> list[Suggestion]:
    if column.dtype.kind in "iuf" or str(column.dtype) in ("Int64", "Float64"):
        return list(_codes(column, name))
    if column.dtype.kind in "bMmc":
        return []
    values = Counter(column.dropna().tolist()) if _hashable(column) else Counter()
    counts = Counter({x: n for x, n in values.items() if isinstance(x, str)})
    numbers = len(values) - len(counts)
    if not counts or not all(isinstance(x, str | int | float) for x in values):
        return []
    found = list(_marks(counts, name, numbers > 0))
    marks = {mark for x in found if x.safe for mark in x.repair.marks}  # type: ignore[attr-defined]
    every = {mark for x in found for mark in x.repair.marks}  # type: ignore[attr-defined]
    for left_out in (marks, every):  # "-" among numbers is no answer
        left = {x: n for x, n in counts.items() if x.strip() not in left_out}
        typed = [*_numbers(left, name)] or ([] if numbers else [*_dates(left, name)])
        if left and typed:
            if left_out != marks:
                found = [Suggestion(x.repair, x.count, x.reason) for x in found]
            return [*found, *typed]
    if numbers:  # beside texts: a column of mixed types, which only its owner can mend
        return found
    left = {x: n for x, n in counts.items() if x.strip() not in marks}
    return [*found, *_spellings(left, name)]


def _hashable(column: pd.Series) -> bool:
    return all(isinstance(x, str | int | float | bool) for x in column.dropna().array)


def _marks(
    counts: Counter[str], name: Any, beside_numbers: bool
) -> Iterator[Suggestion]:
    for safe in (True, False):
        marks: Counter[str] = Counter()
        for text, often in counts.items():
            plain = text.strip().lower()
            if plain in MARKS and (plain not in AMBIGUOUS) == safe:
                marks[text.strip()] += often
        if not marks or (len(counts) == len(marks) and not beside_numbers):
            continue
        if beside_numbers and len({x.strip() for x in counts}) == len(marks):
            safe = True  # the rest are numbers, so it is no answer
        repair, often = MarksAsMissing(name, tuple(sorted(marks))), marks.total()
        reason = f"{often:,} cells hold {repair.named_marks()}: taken for missing."
        if not safe:
            reason += " It may be an answer, too: look at it."
        yield Suggestion(repair, often, reason, safe)


_LEADING = re.compile(r"\s*[+-]?0\d")


def _numbers(counts: dict[str, int], name: Any) -> Iterator[Suggestion]:
    if not counts or any(_LEADING.match(x) for x in counts) or _CODES.search(str(name)):
        return  # codes
    readings = [
        TextAsNumbers(name, decimal, thousands)
        for decimal, thousands in (
            (".", ""),
            (",", ""),
            (".", ","),
            (",", "."),
            (".", " "),
            (",", " "),
            (".", "'"),
        )
    ]
    fit = [x for x in readings if all(x.number(text) is not None for text in counts)]
    if not fit:
        return
    n = sum(counts.values())
    values: dict[tuple, TextAsNumbers] = {}
    for reading in fit:  # several may read the same
        values.setdefault(tuple(reading.number(text) for text in counts), reading)
    safe = len(values) == 1
    for reading in values.values():
        reason = f"{n:,} numbers are stored as text."
        if not safe:
            reason += (
                f" They can be read in {len(values)} ways; with this one “1,200” is "
                f"{_example(reading)}."
            )
        yield Suggestion(reading, n, reason, safe)


def _example(reading: TextAsNumbers) -> str:
    number = reading.number("1,200")
    return "1.2" if number == 1.2 else "1200" if number == 1200 else "no number"


def _dates(counts: dict[str, int], name: Any) -> Iterator[Suggestion]:
    texts = pd.Series([x.strip() for x in counts])
    if not len(texts) or not texts.str.contains(r"\d", regex=True).all():
        return
    few = texts[:100]
    fit = [x for x in FORMATS if _parsed(few, x) is not None]
    values: dict[bytes, str] = {}
    for format in fit:
        read = _parsed(texts, format)
        if read is not None:
            values.setdefault(read.to_numpy().tobytes(), format)
    n = sum(counts.values())
    for format in values.values():
        reason = f"{n:,} dates are stored as text."
        if len(values) > 1:
            reason += (
                f" They can be read in {len(values)} ways; this one is "
                f"{in_words(format)}."
            )
        yield Suggestion(TextAsDates(name, format), n, reason, len(values) == 1)


def _parsed(texts: pd.Series, format: str) -> pd.Series | None:
    read = pd.to_datetime(texts, format=format, errors="coerce")
    return None if read.isna().any() else read


def _spellings(counts: dict[str, int], name: Any) -> Iterator[Suggestion]:
    plain = OneSpelling(name)
    spelled = {text: plain.spelled(text) for text in counts}
    folded = {
        text: unicodedata.normalize("NFC", x.casefold()) for text, x in spelled.items()
    }
    by_case = len(set(folded.values())) < len(set(spelled.values()))
    if by_case:
        often = {
            case: sum(n for x, n in counts.items() if rule(spelled[x]) == spelled[x])
            for case, rule in CASES.items()
            if case is not None
        }
        plain = OneSpelling(name, max(often, key=lambda case: often[case]))
    changed = sum(n for text, n in counts.items() if plain.spelled(text) != text)
    if not changed:
        return
    fewer = len(counts) - len({plain.spelled(text) for text in counts})
    reason = f"{changed:,} cells are spelled in another way than the rest"
    reason += (
        f"; there are {fewer:,} values less without that."
        if fewer
        else ", by needless blanks."
    )
    yield Suggestion(plain, changed, reason)


def _codes(column: pd.Series, name: Any) -> Iterator[Suggestion]:
    if not _CODES.search(str(name)):
        return
    present = column.dropna()
    if (
        not len(present)
        or not (present == present.round()).all()
        or (present < 0).any()
    ):
        return
    width = len(str(int(present.max())))
    reason = (
        f"By its name it holds codes, not numbers; shorter ones have lost zeros before "
        f"the first of {width} digits."
    )
    shorter = int((present < 10 ** (width - 1)).sum()) if width > 1 else 0
    if not shorter:
        reason = "By its name it holds codes, not numbers."
    yield Suggestion(
        NumbersAsText(name, width if shorter else 0), len(present), reason, False
    )

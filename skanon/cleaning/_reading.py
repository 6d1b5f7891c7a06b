"""Tables from files: their format recognized, their values left as they are."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError, ParameterError

ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
}
"""Which files are read, by how their names end."""

_DELIMITERS = ",;\t|"
_SAMPLE = 1 << 18
_MOST_LINES = 200
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


@dataclass(frozen=True)
class FileFormat:
    """How a table stands in a file.

    Parameters
    ----------
    kind : {"csv", "parquet", "excel"}
    delimiter : str, default=","
        Between the cells of a line; like the next two of CSV only.
    decimal : {".", ","}, default="."
        Of numbers.
    encoding : str, default="utf-8"

    Examples
    --------
    >>> print(FileFormat("csv", delimiter=";", decimal=","))
    CSV, cells parted by semicolons, decimal comma, utf-8
    """

    kind: str
    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def __str__(self) -> str:
        """Say it in words."""
        if self.kind != "csv":
            return {"parquet": "Parquet", "excel": "Excel, the first sheet"}[self.kind]
        parted = _NAMES.get(self.delimiter, repr(self.delimiter))
        decimal = "comma" if self.decimal == "," else "point"
        return f"CSV, cells parted by {parted}s, decimal {decimal}, {self.encoding}"


def read_table(
    path: str | os.PathLike[str] | io.BytesIO,
    format: FileFormat | None = None,
    *,
    name: str | None = None,
) -> pd.DataFrame:
    r"""Read a table from a file, so that no value changes on the way.

    In CSV a column becomes numbers only where each of its cells is one, written as
    numbers are: with leading zeros, as in zip codes, or beside any other text it stays
    text. Empty cells are missing; other signs for it, such as ``?``, stay text, and
    :func:`suggest_repairs` counts them.

    Parameters
    ----------
    path : str, path or BytesIO
        A file whose name ends in ``.csv``, ``.tsv``, ``.txt``, ``.parquet``, ``.pq`` or
        ``.xlsx`` (which needs the package openpyxl), or its content.
    format : FileFormat, default=None
        None: as :func:`recognize_format` finds it.
    name : str, default=None
        What the file is called, where its content is given.

    Returns
    -------
    DataFrame of shape (n, n_columns)

    Raises
    ------
    ColumnError
        The file is no table: lines of different length, columns of the same name, no
        rows; the message names the line.
    ParameterError
        It is none of these kinds of files, or a package is missing that reads it.
    OSError
        It cannot be read.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"zip;height;seen\n01067;1,72;?\n10115;1,80;yes\n")
    >>> read_table(file, name="people.csv")
         zip  height seen
    0  01067    1.72    ?
    1  10115    1.80  yes
    """
    content, called = _content(path, name)
    found = recognize_format(io.BytesIO(content), name=called)
    wanted = found if format is None else format
    try:
        if wanted.kind == "parquet":
            frame = pd.read_parquet(io.BytesIO(content))
        elif wanted.kind == "excel":
            frame = _of_excel(pd.read_excel(io.BytesIO(content), engine="openpyxl"))
        else:
            frame = _read_csv(content, wanted, called)
    except ImportError as error:
        raise ParameterError(
            f"{called} needs a package that is not installed: {error}"
        ) from error
    if not len(frame) or not frame.shape[1]:
        raise ColumnError(f"{called} has no rows, so there is no table in it.")
    return frame


def recognize_format(
    path: str | os.PathLike[str] | io.BytesIO, *, name: str | None = None
) -> FileFormat:
    """Find out how a table stands in a file.

    Parameters
    ----------
    path, name
        As in :func:`read_table`.

    Returns
    -------
    FileFormat
        By the name's ending; in CSV the delimiter is the one of comma, semicolon, tab
        and bar that gives all lines the same number of cells, more than one. The
        decimal sign is a comma where cells are not parted by it, and a column holds
        numbers with a comma, not all before three digits, and none holds one with a
        point. The encoding is told by the byte order mark, else it is UTF-8 where that
        fits, else Windows' Western European.

    Raises
    ------
    ParameterError
        The name's ending is none of those of :func:`read_table`.
    ColumnError
        It is no text.
    """
    content, called = _content(path, name)
    ending = Path(called).suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError(
            f"{called!r} is no file that can be read. Its name has to end in one of "
            f"{', '.join(ENDINGS)}."
        )
    if ENDINGS[ending] != "csv":
        return FileFormat(ENDINGS[ending])
    encoding = _encoding(content, called)
    lines = _rows(content, encoding, None)
    if not lines:
        raise ColumnError(f"{called} is empty.")
    delimiter = _delimiter(content, encoding)
    cells = _rows(content, encoding, delimiter)
    return FileFormat("csv", delimiter, _decimal(cells, delimiter), encoding)


# ------------------------------------------------------------------------- recognizing


def _content(path: Any, name: str | None) -> tuple[bytes, str]:
    if isinstance(path, io.BytesIO):
        if name is None:
            raise ParameterError("Say what the file is called: name='people.csv'.")
        return path.getvalue(), name
    return Path(path).read_bytes(), name or Path(path).name


def _encoding(content: bytes, called: str) -> str:
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if content.startswith(mark):
            return encoding
    if b"\0" in content:
        raise ColumnError(f"{called} holds NUL bytes, so it is no text.")
    for encoding in ("utf-8", "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _rows(content: bytes, encoding: str, delimiter: str | None) -> list[Any]:
    """Read the first lines, as texts or as lists of cells."""
    text = content[:_SAMPLE].decode(encoding, errors="ignore")
    lines = text.splitlines(keepends=True)
    if len(content) > _SAMPLE:
        lines = lines[:-1]  # it may be cut off
    if delimiter is None:
        return [line for line in lines[:_MOST_LINES] if line.strip()]
    try:
        found = list(csv.reader(lines[:_MOST_LINES], delimiter=delimiter))
    except csv.Error:
        return []
    return [row for row in found if row]


def _delimiter(content: bytes, encoding: str) -> str:
    best, most = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in _rows(content, encoding, delimiter))
        if not widths:
            continue
        width, often = widths.most_common(1)[0]
        if width > 1 and (often / widths.total(), width) > most:
            best, most = delimiter, (often / widths.total(), width)
    return best


_WITH_COMMA = re.compile(r"[+-]?\d+(,\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d+(\.\d+)?")


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = list(zip(*whole, strict=True))
    return "," if _has(columns, _WITH_COMMA) and not _has(columns, _WITH_POINT) else "."


def _has(columns: list[tuple[str, ...]], pattern: re.Pattern[str]) -> bool:
    """Tell whether a column holds decimals; 1,200 and 3,400 alone may be thousands."""
    for column in columns:
        cells = [cell.strip() for cell in column if cell.strip()]
        found = [pattern.fullmatch(cell) for cell in cells]
        if not cells or not all(found):
            continue
        parts = [match[1] for match in found if match and match[1]]
        if any(len(part) != 4 for part in parts):
            return True
    return False


# ----------------------------------------------------------------------------- reading


def _read_csv(content: bytes, format: FileFormat, called: str) -> pd.DataFrame:
    try:
        text = content.decode(format.encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ColumnError(f"{called} is not in {format.encoding}: {error}") from error
    names = _check_lines(text, format, called)
    frame = pd.read_csv(
        io.StringIO(text),
        sep=format.delimiter,
        dtype=str,
        keep_default_na=False,
        na_values=[""],
        index_col=False,
        header=0,
        names=names,
        skip_blank_lines=True,
    )
    return pd.DataFrame({name: _typed(frame[name], format) for name in frame.columns})


def _check_lines(text: str, format: FileFormat, called: str) -> list[str]:
    """Check that all lines are as long as the first; else pandas would fill them up."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=format.delimiter)
    try:
        names = next((row for row in reader if row), [])
        for row in reader:
            if row and len(row) != len(names):
                raise ColumnError(
                    f"Line {reader.line_num:,} of {called} has {len(row)} cells, but "
                    f"the first line has {len(names)} (parted by "
                    f"{format.delimiter!r}). Mend the line, or name the delimiter: "
                    "FileFormat('csv', delimiter=...)."
                )
    except csv.Error as error:
        raise ColumnError(
            f"Line {reader.line_num:,} of {called} cannot be read: {error}."
        ) from error
    named = [name or f"unnamed {at}" for at, name in enumerate(names, 1)]
    twice = [name for name, often in Counter(named).items() if often > 1]
    if twice:
        raise ColumnError(
            f"Columns {twice} stand twice in the first line of {called}. Rename them."
        )
    return named


_PLAIN = {
    ".": re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?(0|[1-9]\d*)(,\d+)?([eE][+-]?\d+)?"),
}


def _typed(column: pd.Series, format: FileFormat) -> pd.Series:
    """Make numbers of a column where all its cells are plain ones."""
    given = column.dropna()
    plain = _PLAIN[format.decimal]
    distinct = given.unique()
    if not len(given) or not all(plain.fullmatch(cell) for cell in distinct):
        return column
    numbers = pd.to_numeric(given.str.replace(",", ".", regex=False))
    whole = numbers.dtype.kind == "i"
    if not whole and (
        numbers.dtype.kind != "f"
        or not np.isfinite(numbers).all()
        or any(cell.lstrip("+-").isdigit() and len(cell) > 15 for cell in distinct)
    ):
        return column  # so long that digits would be lost
    if whole and len(given) < len(column):
        return numbers.reindex(column.index).astype("Int64")
    return numbers.reindex(column.index)


def _of_excel(frame: pd.DataFrame) -> pd.DataFrame:
    names = [str(name) for name in frame.columns]
    return frame.set_axis(names, axis=1)

"""Hierarchies as files: ARX's CSV for taxonomies, JSON for all of them."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skanon._files import write_whole
from skanon.exceptions import HierarchyError
from skanon.hierarchies._base import HIERARCHIES, Hierarchy
from skanon.hierarchies._builders import from_nested
from skanon.hierarchies._taxonomy import Taxonomy
from skanon.hierarchies._text import leaf_texts


def read_arx(
    path: str | os.PathLike[str], *, sep: str = ";", encoding: str = "utf-8-sig"
) -> Taxonomy:
    r"""Read a hierarchy from ARX's CSV.

    The file has no header and one row per value: the value first, then its label at
    each level, the root last. Fields may stand in double quotes, a quote inside them
    is doubled. All rows are equally wide; of several rows with the same value the last
    one holds, as in ARX.

    Parameters
    ----------
    path : str or path
    sep : str, default=";"
    encoding : str, default="utf-8-sig"
        The default reads UTF-8 with and without a byte order mark.

    Returns
    -------
    Taxonomy
        Its values are text. A column of numbers, dates or truth values reads them as
        its own kind when the taxonomy is bound to it.

    Raises
    ------
    HierarchyError
        The file is empty, is not text in this encoding, or has a row of another
        width or with broken quotes (the error names the line), or its table is no
        valid :class:`Taxonomy`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "town_hierarchy_home.csv")
    >>> _ = path.write_text("Bern;CH;*\nBasel;CH;*\nBonn;DE;*\n")
    >>> read_arx(path)
    Taxonomy(3 values, height 2, root '*')
    """
    _check_sep(sep)
    try:
        text = _content(path).decode(encoding)
    except UnicodeDecodeError as error:
        raise HierarchyError(
            f"{path} is not text in {encoding}: {error}. Give its encoding, for "
            "example encoding='latin-1'."
        ) from error
    except LookupError as error:
        raise HierarchyError(_UNKNOWN.format(encoding)) from error
    rows = _read_rows(text, path, sep)
    try:
        return Taxonomy(list(rows), list(zip(*rows.values(), strict=True)))
    except HierarchyError as error:
        raise HierarchyError(f"{path}: {error}") from error


def _read_rows(text: str, path: Any, sep: str) -> dict[str, list[str]]:
    text = text.rstrip("\r\n")  # lines after the last row say nothing
    if not text:
        raise HierarchyError(
            f"{path} is empty. Write one row per value: the value, its label at each "
            f"level, and '*', separated by {sep!r}."
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, strict=True)
    rows: dict[str, list[str]] = {}
    width, line = 0, 1
    try:
        for value, *labels in (row or [""] for row in reader):
            width = width or len(labels) + 1
            _check_width(len(labels) + 1, width, f"{path}, line {line}", text, sep)
            rows[value] = labels
            line = reader.line_num + 1
    except csv.Error as error:
        raise HierarchyError(
            f"{path}, line {line}: {error}. Put a field that holds a quote into quotes "
            "and double the quote inside."
        ) from error
    return rows


def _check_width(found: int, width: int, where: str, text: str, sep: str) -> None:
    if found != width:
        raise HierarchyError(
            f"{where} has {found} field(s), but the first line has {width}. Every row "
            f"needs the same number of fields, separated by {sep!r}."
        )
    if width == 1:
        first = text.splitlines()[0]
        others = [sign for sign in (";", ",", "\t", "|") if sign in first]
        hint = f"Its separator may be {others[0]!r}: give sep. " if others else ""
        raise HierarchyError(
            f"{where} has one field only, so there is no level above the values. "
            f"{hint}Every row needs the value and at least '*', separated by {sep!r}."
        )


def write_arx(
    taxonomy: Taxonomy,
    path: str | os.PathLike[str],
    *,
    sep: str = ";",
    encoding: str = "utf-8",
) -> None:
    """Write a taxonomy as ARX's CSV.

    Values are written as text, in the order of ``taxonomy.values``; a taxonomy of text
    reads back as an equal one. :func:`write_json` keeps the values' types as well.

    Parameters
    ----------
    taxonomy : Taxonomy
    path : str or path
    sep : str, default=";"
    encoding : str, default="utf-8"

    Raises
    ------
    HierarchyError
        The hierarchy is no taxonomy, or two of its values have the same text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "town_hierarchy_home.csv")
    >>> town = Taxonomy(["Bern", "St; Gall"], [["CH", "CH"], ["*", "*"]])
    >>> write_arx(town, path)
    >>> print(path.read_text(), end="")
    Bern;CH;*
    "St; Gall";CH;*
    >>> read_arx(path) == town
    True
    """
    _check_sep(sep)
    if not isinstance(taxonomy, Taxonomy):
        raise HierarchyError(
            f"{taxonomy!r} has no table of levels that ARX's CSV could hold. Write it "
            "with write_json."
        )
    texts = leaf_texts(taxonomy.values)
    seen: dict[str, Any] = {}
    for value, text in zip(taxonomy.values, texts, strict=True):
        if text in seen:
            raise HierarchyError(
                f"the values {seen[text]!r} and {value!r} have the same text {text!r}, "
                "and ARX's CSV holds text only. Rename one, or use write_json."
            )
        seen[text] = value
    rows = zip(texts, *taxonomy.levels, strict=True)
    lines = [sep.join(_field(text, sep) for text in row) + "\n" for row in rows]
    try:
        content = "".join(lines).encode(encoding)
    except LookupError as error:
        raise HierarchyError(_UNKNOWN.format(encoding)) from error
    except UnicodeEncodeError as error:
        raise HierarchyError(
            f"the hierarchy has text that {encoding} cannot hold: {error}. Give "
            "another encoding, or correct the text."
        ) from error
    write_whole(path, content)


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except ValueError as error:  # it has a NUL
        raise HierarchyError(f"{str(path)!r} is no path: {error}.") from error


_UNKNOWN = "the encoding {!r} is unknown. Give one such as 'utf-8' or 'latin-1'."


def _check_sep(sep: Any) -> None:
    if not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise HierarchyError(f"sep must be one character, such as ';', got {sep!r}.")


def _field(text: str, sep: str) -> str:
    # Python's csv module leaves a lone carriage return bare, and reads it as a new line
    if any(sign in text for sign in (sep, '"', "\r", "\n", "\ufeff")):
        return '"' + text.replace('"', '""') + '"'
    return text


def read_json(path: str | os.PathLike[str]) -> Hierarchy:
    """Read a hierarchy of any class from JSON.

    Parameters
    ----------
    path : str or path
        A file that :func:`write_json` wrote.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        The file is no JSON, or does not describe a hierarchy.
    """
    try:
        plain = json.loads(_content(path).decode("utf-8-sig"))
    except RecursionError as error:
        raise HierarchyError(
            f"{path} is nested too deep to be a hierarchy. Write it with write_json."
        ) from error
    except ValueError as error:
        raise HierarchyError(
            f"{path} is no JSON: {error}. Write it with write_json, or read ARX's CSV "
            "with read_arx."
        ) from error
    try:
        return Hierarchy.from_dict(plain)
    except HierarchyError as error:
        raise HierarchyError(f"{path}: {error}") from error


def write_json(hierarchy: Hierarchy, path: str | os.PathLike[str]) -> None:
    """Write a hierarchy of any class as JSON, with its values' types.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : str or path

    Raises
    ------
    HierarchyError
        A value is of a type that JSON cannot hold.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "age.json")
    >>> age = Taxonomy([1, 2, 30], [["young", "young", "old"], ["*", "*", "*"]])
    >>> write_json(age, path)
    >>> read_json(path) == age
    True
    """
    try:
        text = json.dumps(
            hierarchy.to_dict(), ensure_ascii=False, allow_nan=False, indent=1
        )
        content = (text + "\n").encode("utf-8")
    except (TypeError, ValueError) as error:
        raise HierarchyError(
            f"{hierarchy!r} cannot be written as JSON: {error}. Build it from text, "
            "finite numbers, dates or truth values."
        ) from error
    write_whole(path, content)


def as_hierarchy(spec: Any) -> Hierarchy:
    """Turn whatever describes a hierarchy into one.

    Parameters
    ----------
    spec : Hierarchy, dict, str or path
        A hierarchy; a nested dict as for :func:`from_nested`; what ``to_dict`` gave; a
        file that ends with ``.csv`` (ARX's format) or ``.json``; or one of the words
        ``"intervals"``, ``"subsets"`` and ``"suppression"``.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        It is none of these, or describes no valid hierarchy.

    Examples
    --------
    >>> as_hierarchy("subsets")
    Subsets()
    >>> as_hierarchy({"*": {"north": ["Kiel", "Bremen"], "south": ["Ulm"]}})
    Taxonomy(3 values, height 2, root '*')
    """
    if isinstance(spec, Hierarchy):
        return spec
    if isinstance(spec, Mapping):
        # a nested dict never has text below a key, so the two cannot be confused
        described = isinstance(spec.get("type"), str)
        if not described and spec and all(isinstance(x, str) for x in spec.values()):
            raise HierarchyError(
                "the dict maps each value to one text, as if to its parent. Use "
                "from_parents for that; a nested dict maps nodes to lists of values or "
                "to dicts of nodes."
            )
        return Hierarchy.from_dict(spec) if described else from_nested(spec)
    words = [word for word in HIERARCHIES if word != Taxonomy.word]
    if isinstance(spec, str) and spec in words:
        return Hierarchy.from_dict({"type": spec})
    if isinstance(spec, str | os.PathLike):
        suffix = Path(spec).suffix.lower()
        if suffix == ".csv":
            return read_arx(spec)
        if suffix == ".json":
            return read_json(spec)
    told = repr(spec)
    if len(told) > 60 or "\n" in told:
        told = f"the {type(spec).__name__}"
    raise HierarchyError(
        f"{told} is no hierarchy. Give a Hierarchy, a nested dict, a path that ends "
        f"with .csv or .json, or one of the words {', '.join(map(repr, words))}; a "
        "table of levels goes through from_levels."
    )

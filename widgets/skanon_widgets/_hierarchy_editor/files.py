"""Hierarchies from the content of files, and the content to write."""

from __future__ import annotations

import tempfile
from pathlib import Path

from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, read_arx, read_json, write_arx, write_json

SEPARATORS = ";,\t|"
MOST_BYTES = 20_000_000


def read_content(name: str, content: bytes) -> Hierarchy:
    r"""Read a hierarchy from a file's content.

    Parameters
    ----------
    name : str
        The file's name; what doesn't end with ``.json`` is ARX's CSV, between
        whatever separates its first line, in UTF-8 or else Latin-1.
    content : bytes

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        It is too large, or no hierarchy; the error names the file and the line.

    Examples
    --------
    >>> read_content("town.csv", b"Bern,CH,*\nBonn,DE,*\n")
    Taxonomy(2 values, height 2, root '*')
    """
    if len(content) > MOST_BYTES:
        raise HierarchyError(f"{name} has {len(content):,} bytes: too many for one.")
    short = Path(name.replace("\\", "/")).name or "file"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hierarchy")
        path.write_bytes(content)
        try:
            if short.lower().endswith(".json"):
                return read_json(path)
            first = content.split(b"\n", 1)[0].decode("latin-1")
            sep = next((sign for sign in SEPARATORS if sign in first), ";")
            return read_arx(path, sep=sep, encoding=_encoding(content))
        except HierarchyError as error:
            raise HierarchyError(str(error).replace(str(path), short)) from error


def _encoding(content: bytes) -> str:
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8-sig"


def written_content(hierarchy: Hierarchy, form: str) -> str:
    """Write a hierarchy as the content of a file.

    Parameters
    ----------
    hierarchy : Hierarchy
    form : {"csv", "json"}
        ARX's CSV, which holds trees only, or JSON.

    Raises
    ------
    HierarchyError
        The form cannot hold the hierarchy.
    """
    if form not in ("csv", "json"):
        raise HierarchyError(f"form must be 'csv' or 'json', got {form!r}.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hierarchy")
        if form == "csv":
            write_arx(hierarchy, path)  # type: ignore[arg-type]
        else:
            write_json(hierarchy, path)
        return path.read_bytes().decode("utf-8")

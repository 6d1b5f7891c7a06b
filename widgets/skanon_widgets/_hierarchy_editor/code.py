"""Python code that rebuilds a hierarchy."""

from __future__ import annotations

import datetime
import keyword
import re
from typing import Any

import pandas as pd

from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Taxonomy, from_nested

WIDTH = 88


def code_of(hierarchy: Hierarchy, name: object = None) -> str:
    """Write Python that rebuilds a hierarchy.

    Parameters
    ----------
    hierarchy : Hierarchy
    name : object
        The column, after which the variable is called.

    Returns
    -------
    str
        Imports and one assignment. A taxonomy is written as nested dicts where these
        give the same one, else as its table of levels.

    Examples
    --------
    >>> print(code_of(from_nested({"*": {"CH": ["Bern", "Basel"]}}), "home town"))
    from skanon.hierarchies import from_nested
    <BLANKLINE>
    home_town = from_nested({'*': {'CH': ['Bern', 'Basel']}})
    """
    variable = variable_of(name)
    if not isinstance(hierarchy, Taxonomy):
        kind = type(hierarchy).__name__
        return f"from skanon.hierarchies import {kind}\n\n{variable} = {kind}()"
    nested = _nested(hierarchy)
    parts: list[Any]
    if nested is not None:
        maker, parts = "from_nested", [nested]
    else:
        maker, parts = "Taxonomy", [list(hierarchy.values), hierarchy.levels]
    lines = [*_imports(hierarchy.values), f"from skanon.hierarchies import {maker}"]
    body = ", ".join(repr(part) for part in parts)
    if len(variable) + len(maker) + len(body) + 5 > WIDTH:
        body = "".join(f"\n    {_written(part, 4)}," for part in parts) + "\n"
    return "\n".join([*lines, "", f"{variable} = {maker}({body})"])


def variable_of(name: object) -> str:
    """Make a Python name of a column's name.

    Examples
    --------
    >>> variable_of("home town"), variable_of(None), variable_of("class")
    ('home_town', 'hierarchy', 'class_')
    """
    word = re.sub(r"\W+", "_", "" if name is None else str(name)).strip("_")
    if not word or not word.isidentifier():
        return f"hierarchy_{word}" if word else "hierarchy"
    return word + "_" if keyword.iskeyword(word) else word


def _written(thing: Any, indent: int, room: int = 1) -> str:
    """Write nested dicts and lists in lines of at most ``WIDTH`` signs if possible."""
    line = repr(thing)
    if indent + len(line) + room <= WIDTH or not isinstance(thing, dict | list):
        return line
    inner = " " * (indent + 4)
    if isinstance(thing, dict):
        parts = [
            f"{inner}{key!r}: {_written(below, indent + 4, len(repr(key)) + 3)},"
            for key, below in thing.items()
        ]
    elif isinstance(thing[0], list):
        parts = [f"{inner}{_written(item, indent + 4)}," for item in thing]
    else:
        parts = _filled([f"{item!r}," for item in thing], inner)
    opening, closing = "{}" if isinstance(thing, dict) else "[]"
    return "\n".join([opening, *parts, " " * indent + closing])


def _filled(items: list[str], inner: str) -> list[str]:
    lines = [inner + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + 1 + len(item) > WIDTH:
            lines.append(inner + item)
        else:
            lines[-1] += " " + item
    return lines


def _imports(values: tuple[Any, ...]) -> list[str]:
    lines = set()
    for value in values:
        kind = type(value).__name__
        if isinstance(value, pd.Timestamp | pd.Timedelta):
            lines.add(f"from pandas import {kind}")
        elif isinstance(value, datetime.date | datetime.timedelta):
            lines.add("import datetime")
    return sorted(lines)


def _nested(taxonomy: Taxonomy) -> dict[str, Any] | None:
    """Write a taxonomy as nested dicts; None where these would give another one."""
    tree: dict[Any, Any] = {}
    levels = taxonomy.levels
    for row, value in enumerate(taxonomy.values):
        at, last = tree.setdefault(taxonomy.root, {}), taxonomy.root
        for level in reversed(levels[:-1]):
            label = level[row]
            if label not in (last, str(value)):
                at, last = at.setdefault(label, {}), label
            if not isinstance(at, dict):
                return None
        if value in at:
            return None
        at[value] = None
    nested = _listed(tree)
    try:
        return nested if from_nested(nested) == taxonomy else None
    except HierarchyError:
        return None


def _listed(tree: dict[Any, Any]) -> Any:
    """Write nodes that hold values only as lists."""
    if all(below is None for below in tree.values()):
        return list(tree)
    return {x: None if below is None else _listed(below) for x, below in tree.items()}

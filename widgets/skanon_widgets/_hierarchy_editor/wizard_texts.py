"""Text that people type into the wizards, and what it means."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from skanon._table.domain import SUPPRESSED, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Taxonomy
from skanon.hierarchies._leaves import _PARSERS
from skanon.hierarchies._text import leaf_texts

MOST_LINES = 2000
"""A suggestion of more lines than that is no help."""


def numbers(text: str, what: str) -> list[Any]:
    """Read numbers that stand between commas or blanks.

    Examples
    --------
    >>> numbers("5, 10; 2.5", "width")
    [5, 10, 2.5]
    """
    found = [part for part in re.split(r"[,;\s]+", text) if part]
    if not found:
        raise HierarchyError(f"Type at least one {what}.")
    try:
        return [_PARSERS["number"](part) for part in found]
    except ValueError as error:
        raise HierarchyError(f"A {what} must be a number: {error}.") from error


def lines_of(text: str) -> list[str]:
    """Give the lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


class OwnValues:
    """The column's values by their texts."""

    def __init__(self, domain: Domain) -> None:
        values = domain.values.tolist()
        self.kind = domain.kind
        self._by_text: dict[str, Any] = {}
        for texts in (domain.text(), leaf_texts(values), map(str, values)):
            for text, value in zip(texts, values, strict=True):
                self._by_text.setdefault(text, value)

    def read(self, text: str) -> Any:
        """Find a value by its text; one that the column lacks is read as its kind."""
        if text in self._by_text:
            return self._by_text[text]
        if self.kind == "text":
            return text
        try:
            return _PARSERS[self.kind](text)
        except (ValueError, KeyError) as error:
            raise HierarchyError(
                f"The column holds {self.kind}s, and {text!r} is none."
            ) from error


def read_outline(text: str, own: OwnValues) -> dict[Any, Any]:
    r"""Turn an outline into nested dicts: what is indented belongs to what is above.

    Examples
    --------
    >>> import pandas as pd
    >>> domain, _ = Domain.learn(pd.Series(["Bern", "Bonn"]), "town")
    >>> read_outline("CH\n  Bern\nDE\n  Bonn", OwnValues(domain))
    {'*': {'CH': {'Bern': None}, 'DE': {'Bonn': None}}}
    """
    top: dict[Any, Any] = {}
    stack: list[tuple[int, dict[Any, Any]]] = [(-1, top)]
    lines = [line.expandtabs(4) for line in lines_of(text)]
    if not lines:
        raise HierarchyError("Write at least one value.")
    depths = [len(line) - len(line.lstrip()) for line in lines]
    for line, depth, after in zip(lines, depths, [*depths[1:], 0], strict=False):
        while depth <= stack[-1][0]:
            stack.pop()
        group = after > depth
        name = line.strip() if group else own.read(line.strip())
        if name in stack[-1][1]:
            raise HierarchyError(f"{name!r} stands twice in one group.")
        inside: dict[Any, Any] = {}
        stack[-1][1][name] = inside if group else None
        if group:
            stack.append((depth, inside))
    alone = len(top) == 1 and next(iter(top.values())) is not None
    return top if alone else {SUPPRESSED: top}


def outline(taxonomy: Taxonomy) -> str:
    """Write a taxonomy as an outline."""
    lines: list[str] = []
    above: list[str] = []
    texts = leaf_texts(taxonomy.values)
    by_path = sorted(
        range(len(texts)), key=lambda row: [x[row] for x in taxonomy.levels[::-1]]
    )
    for row in by_path:
        labels = [level[row] for level in taxonomy.levels[::-1]]
        path = [x for x in dict.fromkeys(labels) if x != texts[row]]
        same = next(
            (i for i, x in enumerate(path) if i >= len(above) or above[i] != x),
            len(path),
        )
        lines += ["  " * i + path[i] for i in range(same, len(path))]
        lines.append("  " * len(path) + texts[row])
        above = path
    return "\n".join(lines)


def read_rows(text: str) -> list[list[str]]:
    """Read lines of fields between semicolons, or tabs, or commas."""
    first = text.split("\n", 1)[0]
    sep = next((sign for sign in ";\t," if sign in first), ";")
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=sep, strict=True))
    except csv.Error as error:
        raise HierarchyError(f"The lines cannot be read: {error}.") from error
    return [[field.strip() for field in row] for row in rows if any(row)]


def written_rows(rows: Iterable[Iterable[str]]) -> str:
    """Write lines of fields between semicolons."""
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(rows)
    return out.getvalue()

"""A report as Markdown, in the dialect of GitHub and of notebooks."""

from __future__ import annotations

import re
from typing import Any

from skanon.report._sections import sections, title
from skanon.report._words import Bin, Cell, Section, Table, printable, shown

_SPECIAL = re.compile(r"[\\`*_\[\]{}#!|~$@]|:(?=//)|(?<=[wW]{3})\.")


def markdown(contents: dict[str, Any]) -> str:
    """Write a report as Markdown.

    Parameters
    ----------
    contents : dict
        As :meth:`skanon.report.Report.to_dict` gives it.
    """
    parts = [f"# {escape(title(contents))}"]
    for section in sections(contents):
        parts += _section(section)
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Write text so that Markdown shows it as it is, on one line."""
    text = printable(text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\g<0>", text)


def _section(section: Section) -> list[str]:
    parts = [f"## {escape(section.title)}"]
    parts += [escape(text) for text in section.paragraphs]
    if section.bins:
        parts.append(_table(_histogram(section.bins)))
    return parts + [_table(table) for table in section.tables]


def _histogram(bins: list[Bin]) -> Table:
    rows: list[list[Cell]] = [[part.label, part.classes] for part in bins]
    return Table("How many classes have how many records", ["records", "classes"], rows)


def _table(table: Table) -> str:
    columns = range(len(table.heads))
    heads = [escape(head) for head in table.heads]
    rule = ["---" if table.is_text(j) else "--:" for j in columns]
    rows = [[escape(shown(cell)) for cell in row] for row in table.rows]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    return "\n".join([f"*{escape(table.caption)}*", "", *lines])

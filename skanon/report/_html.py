"""A report as HTML that needs nothing from elsewhere: no script, no font, no image."""

from __future__ import annotations

import html
from typing import Any

from skanon.report._sections import sections, title
from skanon.report._style import STYLE
from skanon.report._words import (
    Bar,
    Bin,
    Cell,
    Section,
    Table,
    counted,
    printable,
    shown,
)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Should anything get past the escaping, no browser runs or loads it."""

_ROW, _BARS, _END = 22, 60, 85
"""A histogram's row in pixels, its longest bar and where that ends at most, in
percent of the width."""


def page(contents: dict[str, Any]) -> str:
    """Write a report as a page.

    Parameters
    ----------
    contents : dict
        As :meth:`skanon.report.Report.to_dict` gives it.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title(contents))}</title>\n"
        f"<style>\n{STYLE}</style>\n</head>\n"
        '<body class="skanon-report-page">\n'
        f'<main class="skanon-report">\n{_body(contents, 1)}</main>\n'
        "</body>\n</html>\n"
    )


def fragment(contents: dict[str, Any]) -> str:
    """Write a report for a notebook, as a part of a page with a style of its own."""
    return (
        f"<style>\n{STYLE}</style>\n"
        f'<div class="skanon-report" lang="en">\n{_body(contents, 2)}</div>\n'
    )


def escape(text: str) -> str:
    """Write text so that HTML shows it as it is, also inside an attribute."""
    return html.escape(printable(text), quote=True)


def _body(contents: dict[str, Any], level: int) -> str:
    parts = [f"<h{level}>{escape(title(contents))}</h{level}>\n"]
    parts += [_section(section, level + 1) for section in sections(contents)]
    return "".join(parts)


def _section(section: Section, level: int) -> str:
    parts = [f"<h{level}>{escape(section.title)}</h{level}>\n"]
    parts += [f"<p>{escape(text)}</p>\n" for text in section.paragraphs]
    if section.bins:
        parts.append(_histogram(section.bins))
    parts += [_table(table) for table in section.tables]
    return f"<section>\n{''.join(parts)}</section>\n"


def _table(table: Table) -> str:
    numeric = [not table.is_text(j) for j in range(len(table.heads))]
    heads = "".join(
        f'<th scope="col"{_kind(n)}>{escape(head)}</th>' if head else "<td></td>"
        for head, n in zip(table.heads, numeric, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row"{_kind(numeric[0])}>{_cell(row[0])}</th>'
        + "".join(
            f"<td{_kind(n)}>{_cell(cell)}</td>"
            for cell, n in zip(row[1:], numeric[1:], strict=True)
        )
        + "</tr>\n"
        for row in table.rows
    )
    caption = escape(table.caption)
    return (  # a wide table is scrolled by itself, also with the keyboard
        f'<div class="scroll" role="region" aria-label="{caption}" tabindex="0">\n'
        f"<table>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )


def _kind(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _cell(cell: Cell) -> str:
    text = escape(shown(cell))
    if not isinstance(cell, Bar):
        return text
    return (
        '<span class="drawn"><span class="track"><span class="bar" '
        f'style="width:{cell.percent:.1f}%"></span></span>{text}</span>'
    )


def _histogram(bins: list[Bin]) -> str:
    """Draw how many classes have how many records, a row for each bin."""
    most = max(part.classes for part in bins)
    told = ", ".join(
        f"{counted(x.classes, 'class', 'classes')} of {x.label}"
        for x in bins
        if x.classes
    )
    labels = 4 + 2 * max(len(part.label) for part in bins)
    longest = min(_BARS, _END - labels)
    rows = "".join(
        _bar(part, labels, longest * part.classes / most, at * _ROW)
        for at, part in enumerate(bins)
    )
    return (
        "<figure>\n<figcaption>How many classes have how many records</figcaption>\n"
        f'<svg role="img" aria-label="{escape(f"Classes by records: {told}.")}" '
        f'width="100%" height="{_ROW * len(bins)}">\n{rows}</svg>\n</figure>\n'
    )


def _bar(part: Bin, start: int, width: float, top: int) -> str:
    middle = top + _ROW // 2
    return (
        f'<text x="{start - 1}%" y="{middle}" text-anchor="end">'
        f"{escape(part.label)}</text>"
        f'<rect class="bar" x="{start}%" y="{top + 3}" width="{width:.2f}%" '
        f'height="{_ROW - 6}"></rect>'
        f'<text x="{start + 1 + width:.2f}%" y="{middle}">{part.classes:,}</text>\n'
    )

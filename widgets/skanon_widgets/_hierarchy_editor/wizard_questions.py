"""What the wizards ask, what they suggest, and which call the answers mean."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from skanon._table.domain import ON_A_LINE, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Taxonomy
from skanon.hierarchies._calendar import _UNITS, _days
from skanon.hierarchies._masks import _codes
from skanon.hierarchies._ranges import _exact, _number_text, _point_texts
from skanon.hierarchies._text import leaf_texts
from skanon_widgets._hierarchy_editor.axis import Axis
from skanon_widgets._hierarchy_editor.wizard_texts import (
    MOST_LINES,
    OwnValues,
    lines_of,
    numbers,
    outline,
    read_outline,
    read_rows,
    written_rows,
)
from skanon_widgets._shared.round_step import round_step

Answers = dict[str, Any]
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""The builder's first argument (None: the column), the others, the keywords."""


class Wizard(NamedTuple):
    """What is asked before a builder is called.

    Attributes
    ----------
    maker : str
        The builder's name.
    title, hint : str
    fits : callable
        Whether the builder makes sense for a domain.
    fields : callable
        From the domain and the present hierarchy to the questions.
    call : callable
        From the domain and the answers to the builder's arguments.
    """

    maker: str
    title: str
    hint: str
    fits: Callable[[Domain], bool]
    fields: Callable[[Domain, Hierarchy | None], list[dict[str, Any]]]
    call: Callable[[Domain, Answers], Call]


def _field(name: str, label: str, value: Any, **rest: Any) -> dict[str, Any]:
    return {"name": name, "label": label, "value": value, "form": "text"} | rest


def _any(domain: Domain) -> bool:
    return True


def _on_a_line(domain: Domain) -> bool:
    return domain.kind in ON_A_LINE


def _no_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    return []


def _no_call(domain: Domain, answers: Answers) -> Call:
    return None, (), {}


def _cut_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    axis = Axis(domain)
    records = np.cumsum(domain.counts)
    shares = np.arange(1, 10) / 10 * records[-1]
    at = np.unique(np.searchsorted(records, shares, side="right"))
    points = [axis.line[i] for i in at if 0 < i < len(axis.line)]
    cuts = [points, points[1::2], points[3::4]]
    text = "\n".join(", ".join(_point_texts(x)) for x in cuts if x)
    label = "Cut points, one line for each level, the finest first"
    hint = "Suggested: about as many records in each range."
    return [_field("cuts", label, text, form="area", hint=hint)]


def _cut_call(domain: Domain, answers: Answers) -> Call:
    axis = Axis(domain)
    cuts = []
    for line in lines_of(answers["cuts"]):
        parts = line.replace(";", ",").split(",")
        cuts.append([axis.read(part) for part in parts if part.strip()])
    return None, tuple(cuts), {}


def _width_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    low, high = domain.values[[0, -1]].tolist()  # whole ones subtract exactly
    width = _exact(round_step((high - low) / 12))
    if all(float(x).is_integer() for x in domain.values):
        width = max(width, _exact(1))
    text = ", ".join(_number_text(width * times) for times in (1, 2, 4))
    label = "Width of each level's ranges, the finest first"
    hint = "Each must be a whole multiple of the one before."
    return [
        _field("widths", label, text, hint=hint),
        _field("origin", "Where one of the ranges begins", "0"),
    ]


def _width_call(domain: Domain, answers: Answers) -> Call:
    (origin,) = numbers(answers.get("origin") or "0", "beginning")[:1]
    kwargs = {"origin": origin} if origin else {}
    return None, tuple(numbers(answers["widths"], "width")), kwargs


def _is_calendar(domain: Domain) -> bool:
    try:
        _days(domain)
    except HierarchyError:
        return False
    return True


def _calendar_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    days = _days(domain)
    years = (days.max() - days.min()).astype(int) / 365.25
    units = ["month", "quarter", "year"] if years < 40 else ["year"]
    units += ["decade"] if years > 8 else []
    units += ["century"] if years > 150 else []
    label = "A level for each"
    field = _field("units", label, units, form="checks", options=list(_UNITS))
    return [field]


def _calendar_call(domain: Domain, answers: Answers) -> Call:
    chosen = [unit for unit in _UNITS if unit in answers["units"]]
    if not chosen:
        raise HierarchyError("Choose at least one unit.")
    return None, (chosen,), {}


def _is_code(domain: Domain) -> bool:
    try:
        return max(len(str(x)) for x in _codes(domain)) > 1
    except HierarchyError:
        return False


def _mask_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    lengths = {len(str(x)) for x in _codes(domain)}
    digits = all(str(x).isdigit() for x in domain.values)
    pad = "" if len(lengths) == 1 else "0" if digits else " "
    sides = ["right", "left"]
    hint = "Such as 1, 3. Nothing: one more at each level."
    pad_hint = "Nothing: all values are equally long."
    return [
        _field("side", "Mask from the", "right", form="choice", options=sides),
        _field("levels", "How many characters each level masks", "", hint=hint),
        _field("sign", "What stands for a masked character", "*"),
        _field("pad", "Fill shorter values up with", pad, hint=pad_hint),
        _field("pad_side", "at the", "left", form="choice", options=sides[::-1]),
    ]


def _mask_call(domain: Domain, answers: Answers) -> Call:
    kwargs: dict[str, Any] = {"side": answers.get("side", "right")}
    if answers.get("sign", "*") != "*":
        kwargs["sign"] = answers["sign"]
    if str(answers.get("levels", "")).strip():
        kwargs["levels"] = numbers(answers["levels"], "number of characters")
    if answers.get("pad"):
        kwargs |= {"pad": answers["pad"], "pad_side": answers.get("pad_side", "left")}
    return None, (), kwargs


def _frequency_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    joining = [x for x in (5, 10, 50, 100, 1000) if (domain.counts < x).sum() > 1]
    apart = [x for x in joining if (domain.counts >= x).any()]
    text = ", ".join(str(x) for x in apart[:2]) or "10"
    label = "Join values of fewer records than this, level by level"
    return [_field("thresholds", label, text)]


def _frequency_call(domain: Domain, answers: Answers) -> Call:
    return None, tuple(numbers(answers["thresholds"], "threshold")), {}


def _table(domain: Domain, now: Hierarchy | None) -> list[list[str]]:
    """Write the present hierarchy as a table, or a flat one."""
    if isinstance(now, Taxonomy):
        return list(zip(leaf_texts(now.values), *now.levels, strict=True))  # type: ignore
    return [[text, "*"] for text in leaf_texts(domain.values.tolist())]


def _area(name: str, label: str, lines: list[str], hint: str) -> list[dict[str, Any]]:
    text = "\n".join(lines) if len(lines) <= MOST_LINES else ""
    return [_field(name, label, text, form="area", hint=hint)]


def _nested_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    taxonomy = now if isinstance(now, Taxonomy) else None
    flat = ["*", *(f"  {x}" for x in leaf_texts(domain.values.tolist()))]
    lines = outline(taxonomy).split("\n") if taxonomy else flat
    hint = "What is indented belongs to the line above it."
    return _area("outline", "Groups and values", lines, hint)


def _nested_call(domain: Domain, answers: Answers) -> Call:
    return read_outline(answers["outline"], OwnValues(domain)), (), {}


def _parent_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    pairs: dict[str, str] = {}
    for row in _table(domain, now):
        steps = list(dict.fromkeys(row))
        pairs |= dict(pairwise(steps))
    lines = written_rows(pairs.items()).split("\n")[:-1]
    hint = "A value or group; the group just above it."
    return _area("parents", "One line for each", lines, hint)


def _parent_call(domain: Domain, answers: Answers) -> Call:
    rows = read_rows(answers["parents"])
    for row in rows:
        if len(row) != 2:
            raise HierarchyError(f"The line {'; '.join(row)!r} needs two fields.")
    groups, own = {up for _, up in rows}, OwnValues(domain)
    parents: dict[Any, Any] = {}
    for name, up in rows:
        node = name if name in groups else own.read(name)
        if parents.setdefault(node, up) != up:
            raise HierarchyError(
                f"{name!r} has two parents: {parents[node]!r} and {up!r}."
            )
    return parents, (), {}


def _level_fields(domain: Domain, now: Hierarchy | None) -> list[dict[str, Any]]:
    lines = written_rows(_table(domain, now)).split("\n")[:-1]
    hint = "The value; its label at each level; * at the last one."
    return _area("table", "One line for each value", lines, hint)


def _level_call(domain: Domain, answers: Answers) -> Call:
    own = OwnValues(domain)
    rows = read_rows(answers["table"])
    return [[own.read(row[0]), *row[1:]] for row in rows], (), {}


def _ordered(domain: Domain) -> bool:
    return domain.ordered


def _is_number(domain: Domain) -> bool:
    return domain.kind == "number"


WIZARDS = [
    Wizard(
        "Intervals",
        "Any range",
        "The finest choice for numbers and dates: no groups, any range of values.",
        _ordered,
        _no_fields,
        _no_call,
    ),
    Wizard(
        "from_cut_points",
        "Cut points",
        "Ranges between cut points, in one or more levels.",
        _on_a_line,
        _cut_fields,
        _cut_call,
    ),
    Wizard(
        "from_widths",
        "Fixed widths",
        "Ranges of the same width at each level.",
        _is_number,
        _width_fields,
        _width_call,
    ),
    Wizard(
        "from_calendar",
        "Calendar units",
        "Months, quarters, years and so on, as levels.",
        _is_calendar,
        _calendar_fields,
        _calendar_call,
    ),
    Wizard(
        "from_mask",
        "Masked characters",
        "For codes such as zip codes: 8001, 80**, 8***.",
        _is_code,
        _mask_fields,
        _mask_call,
    ),
    Wizard(
        "from_frequency",
        "Rare values together",
        "Values of few records become one group.",
        _any,
        _frequency_fields,
        _frequency_call,
    ),
    Wizard(
        "from_nested",
        "Outline",
        "Groups and values as an indented list.",
        _any,
        _nested_fields,
        _nested_call,
    ),
    Wizard(
        "from_parents",
        "List of parents",
        "For each value and group, the group above it.",
        _any,
        _parent_fields,
        _parent_call,
    ),
    Wizard(
        "from_levels",
        "Table of levels",
        "For each value, its label at each level.",
        _any,
        _level_fields,
        _level_call,
    ),
    Wizard(
        "Subsets",
        "Any set",
        "No groups, any set of values.",
        _any,
        _no_fields,
        _no_call,
    ),
    Wizard(
        "Suppression",
        "Keep or suppress",
        "A value stays as it is or becomes *.",
        _any,
        _no_fields,
        _no_call,
    ),
]
"""In the order in which they are offered."""

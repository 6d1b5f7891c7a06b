"""What a front end is told of a sweep: aggregates, and words."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import numpy as np

from skanon.exceptions import ParameterError
from skanon_widgets._risk_utility_explorer.plan import check_k
from skanon_widgets._risk_utility_explorer.sweep import Sweep, summarize

_MOST_ROWS = 60
"""A static summary is for reading."""


def curves_of(sweep: Sweep) -> dict[str, Any]:
    """Give measures, lines and points, fit for a trait that is saved in a notebook.

    Returns
    -------
    dict
        ``measures`` (``name``, ``title``, ``lower``), ``lines`` (texts), ``points``
        (see :func:`_point`) and ``folds``.
    """
    plan = sweep.plan
    return {
        "measures": [
            {"name": m.name, "title": m.title, "lower": m.lower_is_better}
            for m in plan.measures
        ],
        "lines": list(plan.lines),
        "points": [_point(sweep, at) for at in range(len(plan.points))],
        "folds": len(plan.splits),
    }


def _point(sweep: Sweep, at: int) -> dict[str, Any]:
    point = sweep.plan.points[at]
    found = [sweep.values(at, j) for j in range(len(sweep.plan.measures))]
    pairs = [summarize(values) for values in found]
    return {
        "id": at,
        "k": point.k,
        "line": point.line,
        "state": sweep.state_of(at),
        "good": sum(bool(fold and not fold.error) for fold in sweep.folds[at]),
        "means": [_json(mean) for mean, _ in pairs],
        "deviations": [_json(deviation) for _, deviation in pairs],
    }


def _json(number: float) -> float | None:
    """JSON knows neither NaN nor infinity."""
    return float(number) if np.isfinite(number) else None


def state_of(sweep: Sweep) -> dict[str, Any]:
    """Give all that a view shows. The words are for messages only, never for traits.

    Returns
    -------
    dict
        ``curves``, ``problems`` (texts by point) and ``progress``.
    """
    found = {str(at): sweep.problems(at) for at in range(len(sweep.plan.points))}
    return {
        "curves": curves_of(sweep),
        "problems": {at: texts for at, texts in found.items() if texts},
        "progress": _progress(sweep),
    }


def news_of(sweep: Sweep, at: int) -> dict[str, Any]:
    """Give what one more fit of a point changes.

    Returns
    -------
    dict
        ``point``, ``problems`` (its own) and ``progress``.
    """
    return {
        "point": _point(sweep, at),
        "problems": sweep.problems(at),
        "progress": _progress(sweep),
    }


def _progress(sweep: Sweep) -> dict[str, Any]:
    return {
        "state": sweep.state,
        "done": sweep.n_done,
        "total": sweep.n_fits,
        "seconds_left": sweep.seconds_left(),
    }


def read_k(text: str) -> list[int]:
    """Read values of k that somebody typed, such as ``2, 5, 10``.

    Raises
    ------
    ParameterError
        Something is no whole number of at least 1.
    """
    words = re.split(r"[\s,;]+", text.strip(" \t\n,;"))
    if not words[0]:
        raise ParameterError("There is no k to try. Type some, such as 2, 5, 10.")
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise ParameterError(
                f"{word!r} is no k. Type whole numbers with commas between them, such "
                "as 2, 5, 10."
            )
    return check_k([int(word) for word in words])


def summary_of(curves: dict[str, Any], selected: int) -> str:
    """Write a table of the points, for where no front end runs.

    Parameters
    ----------
    curves : dict
        As from `curves_of`.
    selected : int

    Returns
    -------
    str
        HTML.
    """
    named = any(curves["lines"])
    titles = ["k", *(["variant"] if named else [])]
    titles += [measure["title"] for measure in curves["measures"]]
    heads = "".join(f"<th>{escape(title)}</th>" for title in titles)
    done = [point for point in curves["points"] if point["state"] == "done"]
    shown = "".join(
        _summary_row(point, curves["lines"] if named else [], point["id"] == selected)
        for point in done[:_MOST_ROWS]
    )
    left = len(done) - _MOST_ROWS
    more = f" The first {_MOST_ROWS} are shown." if left > 0 else ""
    return (
        f"<p><b>Risk and utility</b>: {len(done)} of {len(curves['points'])} points "
        f"are done, each the mean &plusmn; the standard deviation of "
        f"{curves['folds']} folds.{more}</p>"
        + (f"<table><tr>{heads}</tr>{shown}</table>" if done else "")
    )


def _summary_row(point: dict[str, Any], lines: list[str], selected: bool) -> str:
    k = f"{point['k']}" + (" (selected)" if selected else "")
    cells = [k, *([escape(lines[point["line"]])] if lines else [])]
    cells += [
        "&ndash;" if mean is None else f"{mean:.3g} &plusmn; {deviation:.2g}"
        for mean, deviation in zip(point["means"], point["deviations"], strict=True)
    ]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

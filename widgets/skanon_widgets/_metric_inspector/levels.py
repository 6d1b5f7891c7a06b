"""How bad the figures of a release are."""

from __future__ import annotations

from typing import Any

FEW = 5
"""Fewer records than this that a person hides among are to be looked at: a risk above
20 % is more than most publishers of health data accept."""

FAR = 0.2
"""A class whose sensitive values are further than this from the table's tells something
about its people."""


def levels(figures: dict[str, Any]) -> dict[str, str]:
    """Judge k, l, t, the highest risk, and what is published unchanged.

    Parameters
    ----------
    figures : dict
        As :mod:`skanon_widgets._metric_inspector.aggregates` gives them.

    Returns
    -------
    dict from "k", "l", "t", "risk" and "unchanged" to {"good", "look", "danger"}
        What was not measured is not in it.
    """
    hidden = "danger" if figures["unchanged"]["singles_out"] else _hidden(figures)
    found = {"k": hidden, "risk": hidden}
    known = [x for x in figures["sensitive"] if x["l_distinct"] is not None]
    if known:
        found["l"] = _worst_of(
            min(x["l_distinct"] for x in known) <= 1,
            min(x["l_frequency"] for x in known) < 2,
        )
    moved = [x["t"] for x in figures["sensitive"] if x["t"] is not None]
    if moved:
        found["t"] = _worst_of(False, max(moved) > FAR)
    if figures["unchanged"]["told"]:
        found["unchanged"] = _worst_of(figures["unchanged"]["singles_out"], True)
    return found


def _hidden(figures: dict[str, Any]) -> str:
    if figures["suppressed"] == figures["records"]:
        return "good"
    fewest, asked = figures["risk"]["fewest"], figures["asked_k"] or 1
    return _worst_of(fewest < max(2, asked), fewest < FEW)


def _worst_of(danger: bool, look: bool) -> str:
    return "danger" if danger else "look" if look else "good"

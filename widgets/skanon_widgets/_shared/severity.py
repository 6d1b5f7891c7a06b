"""How bad something is; each level has a colour, a sign and a word on the page."""

from __future__ import annotations

from collections.abc import Iterable

LEVELS = ("good", "look", "danger", "error")
"""From nothing to worry about to what forbids going on."""

WORDS = {"good": "Good", "look": "Look", "danger": "Danger", "error": "Error"}


def worst(levels: Iterable[str]) -> str:
    """Find the worst of some levels.

    Examples
    --------
    >>> worst(["good", "danger", "look"])
    'danger'
    >>> worst([])
    'good'
    """
    return max(levels, key=LEVELS.index, default="good")

"""What people choose a constraint by: its name, its sentence, its level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Offer:
    """A constraint with one level to choose.

    Attributes
    ----------
    kind, title, summary : str
        What it is called by programs and people, and what it promises, in a sentence.
    level : str
        The parameter that is to be chosen.
    start : float
        Where the level begins.
    feasible : str or None
        The level's name in :func:`skanon.privacy.feasible_range`, if it is there.
    high : bool
        Whether higher levels are stricter.
    whole : bool
        Whether levels are whole numbers.
    options : dict
        Its other parameters.
    position : int
        Where it stands among those that are offered.
    note : str
        Said instead of what the table can reach.
    """

    kind: str
    title: str
    summary: str
    level: str
    start: float
    feasible: str | None = None
    high: bool = False
    whole: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    position: int = 1000
    note: str = ""

    def possible(self, strict: float, loose: float, value: Any, share: float) -> str:
        """Say which levels the table can reach."""
        name = self.level
        if self.note:
            return self.note
        if self.high:
            text = f"{name} can be at most {_floor(strict)}"
        elif strict >= loose:
            text = f"{name} makes no difference here"
        else:
            text = f"{name} can be from {_ceil(strict)} (strictest) to {_floor(loose)}"
        if self.feasible in ("l", "alpha"):
            text += f": {share:.0%} of the records have the value “{value}”"
        return f"{text}."


def _floor(x: float) -> str:
    return f"{int(x * 1000) / 1000:,g}"


def _ceil(x: float) -> str:
    return f"{-int(-x * 1000 - 0.999999) / 1000:,g}"

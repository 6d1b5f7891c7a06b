"""What the studio offers, in words."""

from __future__ import annotations

import math

from skanon.clustering import ALGORITHMS

PATIENCE = 3
"""So many seconds the default algorithm may take."""


def default_algorithm(n: int) -> str:
    """Choose the algorithm that gives a first release of n records within seconds."""
    by_loss = ("sequential", "top_down", "mondrian")
    quick = [name for name in by_loss if seconds_of(name, n) <= PATIENCE]
    return [*quick, "mondrian"][0]


def seconds_of(algorithm: str, n: int) -> float:
    """Guess how long a fit of n records will take."""
    kind = ALGORITHMS[algorithm]
    return kind.seconds * (n / 45_222) ** kind.growth


def expected(algorithm: str, n: int) -> str:
    """Say how long a fit of n records will take, roughly."""
    seconds = seconds_of(algorithm, n)
    if math.isnan(seconds):
        return "How long it takes is not known."
    if seconds < 2:
        return "It takes a second or two."
    if seconds < 90:
        return f"Roughly {_rounded(seconds)} seconds; more with many columns."
    return f"Roughly {_rounded(seconds / 60)} minutes; more with many columns."


def _rounded(x: float) -> int:
    return round(x) if x < 10 else 5 * round(x / 5)


ENCODINGS = {
    "label": "Text for people: [20, 29], a group's name, *",
    "representative": "A typical value of the column's own type",
    "bounds": "Two columns for numbers: low and high",
    "distribution": "For classifiers: shares of categories, mean and width",
}

ROLE_WORDS = {
    "identifier": "names a person; it is dropped",
    "quasi-identifier": "others may know it; it is generalized",
    "sensitive": "sensitive; it is published as it is, and constraints protect it",
    "other": "neither; it is published as it is",
}

KINDS = {
    "number": "numbers",
    "datetime": "dates",
    "timedelta": "time spans",
    "bool": "yes or no",
    "text": "text",
    None: "unreadable",
}

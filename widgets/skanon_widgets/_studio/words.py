"""What the studio offers, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class OfferedAlgorithm:
    """An algorithm.

    Attributes
    ----------
    label, words : str
    seconds : float
        What Adult, 45,222 x 8, takes at k = 5, as measured on one core.
    power : float
        How time grows with the records.
    most : int or None
        More records are refused.
    """

    label: str
    words: str
    seconds: float
    power: float
    most: int | None = None


ALGORITHMS = {
    "mondrian": OfferedAlgorithm(
        "Mondrian (fast)",
        "Cuts the table in halves, again and again. A good first look.",
        0.4,
        1,
    ),
    "hilbert": OfferedAlgorithm(
        "Hilbert (fast)",
        "Sorts the records along a curve and cuts it into pieces.",
        0.3,
        1,
    ),
    "top_down": OfferedAlgorithm(
        "Top-down (a compromise)",
        "Splits the table where two records differ most.",
        5,
        1.3,
    ),
    "sequential": OfferedAlgorithm(
        "Sequential (loses least)",
        "Moves records between classes until nothing gets better. Worth the wait for "
        "the final release.",
        45,
        1.7,
    ),
    "bisecting": OfferedAlgorithm(
        "Bisecting", "Splits the worst class in two, again and again.", 2.5, 1
    ),
    "k_member": OfferedAlgorithm(
        "k-member",
        "Fills one class after the other with the records that fit best.",
        4,
        1.5,
    ),
    "bottom_up": OfferedAlgorithm(
        "Bottom-up", "Unites small classes with their best partners.", 27, 1.8
    ),
    "agglomerative": OfferedAlgorithm(
        "Agglomerative",
        "Unites the two nearest classes, again and again. Loses little.",
        9.5,
        1.5,
    ),
    "forest": OfferedAlgorithm(
        "Forest", "Connects near records to trees and cuts these.", 6, 1.5
    ),
    "one_pass_k_means": OfferedAlgorithm(
        "One-pass k-means", "Assigns each record to the nearest centre once.", 2.6, 1.5
    ),
    "threshold_greedy": OfferedAlgorithm(
        "Threshold greedy", "Grows classes of records that are near enough.", 5.5, 1.5
    ),
    "weighted_c_means": OfferedAlgorithm(
        "Weighted c-means", "Learns which columns matter, and clusters.", 30, 1.9
    ),
    "optimal": OfferedAlgorithm(
        "Optimal (tiny tables)", "Tries all there is.", 1, 0, most=16
    ),
}
"""In the order in which they are offered."""


PATIENCE = 3
"""So many seconds the default algorithm may take."""


def default_algorithm(n: int) -> str:
    """Choose the algorithm that gives a first release of n records within seconds."""
    by_loss = ("sequential", "top_down", "mondrian")
    quick = [name for name in by_loss if seconds_of(name, n) <= PATIENCE]
    return [*quick, "mondrian"][0]


def seconds_of(algorithm: str, n: int) -> float:
    """Guess how long a fit of n records will take."""
    about = ALGORITHMS[algorithm]
    return about.seconds * (n / 45_222) ** about.power


def expected(algorithm: str, n: int) -> str:
    """Say how long a fit of n records will take, roughly."""
    seconds = seconds_of(algorithm, n)
    if seconds < 2:
        return "It takes a second or two."
    if seconds < 90:
        return f"Roughly {_rounded(seconds)} seconds; more with many columns."
    return f"Roughly {_rounded(seconds / 60)} minutes; more with many columns."


def _rounded(x: float) -> int:
    return round(x) if x < 10 else 5 * round(x / 5)


@dataclass(frozen=True)
class OfferedConstraint:
    """A promise about sensitive values.

    Attributes
    ----------
    label, words : str
    maker : str
        The class in :mod:`skanon.constraints`.
    level : str
        The name of its level.
    start : float
        Where the level begins.
    feasible : str
        The level's name in :func:`skanon.privacy.feasible_range`.
    high : bool
        Whether higher levels are stricter.
    whole : bool
    options : dict
    """

    label: str
    words: str
    maker: str
    level: str
    start: float
    feasible: str
    high: bool = False
    whole: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def possible(self, strict: float, loose: float, value: Any, share: float) -> str:
        """Say which levels the table can reach."""
        name = self.level
        if self.maker == "DeltaDisclosure":
            return "The smaller, the stricter; each class must have all values then."
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


CONSTRAINTS = {
    "l_frequency": OfferedConstraint(
        "l-diversity",
        "No sensitive value has a share of more than 1/l in a class, so that nobody "
        "can be sure of it.",
        "LDiversity",
        "l",
        2,
        "l",
        high=True,
        options={"kind": "frequency"},
    ),
    "l_distinct": OfferedConstraint(
        "distinct l-diversity",
        "Each class has at least l different sensitive values.",
        "LDiversity",
        "l",
        2,
        "l_distinct",
        high=True,
        whole=True,
        options={"kind": "distinct"},
    ),
    "l_entropy": OfferedConstraint(
        "entropy l-diversity",
        "The sensitive values of each class are spread as evenly as l values would be.",
        "LDiversity",
        "l",
        1.5,
        "l_entropy",
        high=True,
        options={"kind": "entropy"},
    ),
    "alpha": OfferedConstraint(
        "(alpha, k)-anonymity",
        "No sensitive value has a share of more than alpha in a class.",
        "AlphaKAnonymity",
        "alpha",
        0.8,
        "alpha",
    ),
    "t": OfferedConstraint(
        "t-closeness",
        "The sensitive values of each class are distributed as in the whole table, up "
        "to a distance of t.",
        "TCloseness",
        "t",
        0.2,
        "t",
    ),
    "beta": OfferedConstraint(
        "beta-likeness",
        "No sensitive value's share grows more than (1 + beta)-fold in a class.",
        "BetaLikeness",
        "beta",
        1,
        "beta",
    ),
    "delta": OfferedConstraint(
        "delta-disclosure privacy",
        "No sensitive value's share changes much in a class, up or down.",
        "DeltaDisclosure",
        "delta",
        1,
        "delta",
    ),
}
"""In the order in which they are offered."""

LOSSES = {
    "lm": "LM: how many values a published one may stand for",
    "ncp": "NCP: how wide ranges are",
    "tree": "Tree: how many levels values climb",
    "byun": "IL: width and height",
    "entropy": "Entropy: bits of uncertainty",
    "mi": "MI: bits lost, by frequency",
    "pmi": "PMI: bits lost about the sensitive attribute",
}

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

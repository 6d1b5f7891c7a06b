"""What an experiment is, and what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

REPRODUCED, DIFFERS, REFUTED = "reproduced", "differs", "refuted"
NEAR = 0.05
"""A printed figure is reproduced within so much of it."""

PAPERS = {
    "goldberger": (
        "Goldberger & Tassa (2010)",
        "Efficient anonymizations with enhanced utility",
    ),
    "byun": (
        "Byun, Kamra, Bertino & Li (2007)",
        "Efficient k-anonymization using clustering techniques",
    ),
    "lin": (
        "Lin & Wei (2008)",
        "An efficient clustering method for k-anonymization",
    ),
    "gionis": ("Gionis, Mazza & Tassa (2008)", "k-Anonymization revisited"),
    "he": ("He et al. (2012)", "Clustering-based k-anonymity"),
}


class Claim(NamedTuple):
    """What a paper says, and what comes of it here."""

    says: str
    verdict: str
    here: str


class Plot(NamedTuple):
    """Lines over the same places, in one panel or several.

    ``panels`` is a dict from title to a dict from name to values, one for each of
    ``x``.
    """

    name: str
    x_label: str
    y_label: str
    x: list
    panels: dict[str, dict[str, list]]
    log: bool = False


@dataclass
class Found:
    """What an experiment finds, in the order in which it is shown."""

    claims: list[Claim] = field(default_factory=list)
    tables: list[tuple[str, list, list[list]]] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def table(self, title: str, head: list, rows: list[list]) -> None:
        self.tables.append((title, head, rows))

    def figure(
        self, says: str, printed: Any, found: Any, why: str = "", digits: int = 9
    ) -> None:
        """Compare printed figures with ours.

        ``why`` is said where they differ; ``digits`` is how many decimals are printed:
        what would be rounded to them is no difference.
        """
        half = 0.5 * 10.0**-digits
        printed = np.clip(found, np.subtract(printed, half), np.add(printed, half))
        ratios = np.atleast_1d(np.asarray(found) / printed) - 1
        worst = ratios[np.argmax(np.abs(ratios))]
        here = f"{worst:+.1%}"
        if len(ratios) > 1:
            here = f"{ratios.min():+.1%} to {ratios.max():+.1%}"
        verdict = REPRODUCED if abs(worst) <= NEAR else DIFFERS
        if verdict == DIFFERS and why:
            here += f". {why}"
        self.claims.append(Claim(says, verdict, here))

    def order(self, says: str, holds: bool, here: str) -> None:
        """Say whether what a paper claims without figures is so."""
        verdict = REPRODUCED if holds else REFUTED
        self.claims.append(Claim(says, verdict, here))

    def differs(self, says: str, holds: bool, here: str) -> None:
        """Say whether a claim holds whose ground is not the paper's own."""
        self.claims.append(Claim(says, REPRODUCED if holds else DIFFERS, here))


class Run(NamedTuple):
    """How thoroughly an experiment is made."""

    quick: bool

    def ks(self, values: list) -> list:
        """Take all, or the first and the last."""
        return [values[0], values[-1]] if self.quick else values

    def seeds(self, n: int) -> range:
        return range(min(n, 2) if self.quick else n)

    def sample(self, frame: pd.DataFrame, most: int = 2000) -> pd.DataFrame:
        """Take all records, or some."""
        return frame.sample(most, random_state=0) if self.quick else frame

    def map(self, function: Callable, cases: list) -> list:
        """Do it for all cases, in two processes: not for times."""
        return Parallel(n_jobs=2)(delayed(function)(*case) for case in cases)


class Experiment(NamedTuple):
    """One table or figure of a paper, and what is expected of each claim."""

    paper: str
    name: str
    title: str
    expected: tuple[str, ...]
    run: Callable[[Run], Found]

    @property
    def about(self) -> str:
        """What it is, as its docstring tells."""
        return "\n".join(
            line.removeprefix("    ") for line in (self.run.__doc__ or "").splitlines()
        ).strip()


EXPERIMENTS: list[Experiment] = []


def experiment(paper: str, name: str, title: str, expected: str) -> Callable:
    """Register a function: ``expected`` has a letter for each claim's verdict."""
    words = {word[:3]: word for word in (REPRODUCED, DIFFERS, REFUTED)}

    def register(function: Callable[[Run], Found]) -> Callable[[Run], Found]:
        verdicts = tuple(words[part] for part in expected.split())
        EXPERIMENTS.append(Experiment(paper, name, title, verdicts, function))
        return function

    return register


def timed(function: Callable, *given: Any) -> tuple[Any, float]:
    """Call a function; return what it returns, and the seconds."""
    start = time.perf_counter()
    result = function(*given)
    return result, time.perf_counter() - start


def fitted_warm(
    anonymizer: Any, frame: pd.DataFrame, y: Any = None
) -> tuple[Any, float]:
    """Fit once for the kernels, then in time; return the anonymizer and the seconds."""
    some = max(200, 3 * anonymizer.k)
    anonymizer.fit(frame[:some], None if y is None else y[:some])
    return timed(anonymizer.fit, frame, y)


def exponent(x: list, y: list) -> float:
    """Fit y = c x^a."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])

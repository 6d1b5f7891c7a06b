"""Makes docs/reproduction.md: the papers' tables and figures, and a verdict on each."""

from __future__ import annotations

import argparse
import warnings

from reproduction import byun, gionis, goldberger, he, lin  # registers experiments
from reproduction.findings import EXPERIMENTS, PAPERS, Run, timed

from skanon.exceptions import DurationWarning, PrivacyWarning

__all__ = ["byun", "gionis", "goldberger", "he", "lin"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", choices=PAPERS, help="only this one's")
    parser.add_argument("--only", metavar="NAME", help='such as "Table 2"')
    parser.add_argument(
        "--quick", action="store_true", help="a sample; prints, and writes no page"
    )
    given = parser.parse_args()
    chosen = [
        experiment
        for experiment in EXPERIMENTS
        if given.paper in (None, experiment.paper)
        and given.only in (None, experiment.name)
    ]
    if not chosen:
        names = ", ".join(f"{e.paper}: {e.name}" for e in EXPERIMENTS)
        parser.error(f"there is no {given.only!r}; there are {names}")
    for known in (DurationWarning, PrivacyWarning):
        warnings.simplefilter("ignore", known)
    for experiment in chosen:
        print(f"{experiment.paper}, {experiment.name}: {experiment.title}", flush=True)
        found, seconds = timed(experiment.run, Run(given.quick))
        verdicts = tuple(claim.verdict for claim in found.claims)
        for claim in found.claims:
            print(f"  {claim.verdict}: {claim.says} ({claim.here})", flush=True)
        if not given.quick:
            if verdicts != experiment.expected:
                print(f"  expected: {', '.join(experiment.expected)}", flush=True)
            from reproduction import page

            page.write(experiment, found, seconds)
        print(f"  {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()

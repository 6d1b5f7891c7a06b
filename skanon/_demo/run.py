"""The demonstration, from its first line to its last."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from skanon._demo.report import (
    accuracy_part,
    classes_part,
    loss_part,
    records_part,
    table_part,
)
from skanon._demo.study import Study
from skanon._progress import progress


def run_demo(
    k: int,
    seed: int,
    *,
    csv: Path | None = None,
    write: Callable[[str], object],
) -> None:
    """Anonymize UCI's Adult, and report what that gains and what it costs.

    Parameters
    ----------
    k : int
        At least 2.
    seed : int
        The same gives the same report.
    csv : path or None
        Where to write the whole release.
    write : callable
        Is given the report, part by part; progress goes to the error stream.

    Raises
    ------
    AnonymizationError
        The release failed.
    OSError
        ``csv`` cannot be written.
    """
    begun = time.perf_counter()
    study = Study.of_adult(k, seed)
    write(table_part(study))
    progress(1, f"anonymizing {len(study.X):,} records at k={k}")
    study.anonymize()
    write(records_part(study))
    write(classes_part(study))
    write(loss_part(study))
    if csv is not None:
        study.write_csv(csv)
        progress(1, f"wrote the release to {csv}")
    progress(1, "grid search: measuring accuracy at each k")
    study.search()
    write(accuracy_part(study))
    progress(1, f"done in {time.perf_counter() - begun:.0f} s")

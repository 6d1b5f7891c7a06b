"""The different records of a table."""

from __future__ import annotations

from typing import Any

from skanon._problem import Problem
from skanon.clustering._sequential_run import selectivity_order


def kinds_of(problem: Problem) -> Any:
    """Find the different records; a ``kernels.consistency.Kinds``."""
    from skanon.kernels.consistency.expansion import kinds_of

    columns, codes, sensitive = problem.schema.columns, problem.codes, problem.sensitive
    return kinds_of(
        columns, codes, sensitive, selectivity_order(columns, codes, sensitive)
    )

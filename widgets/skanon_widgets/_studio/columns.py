"""A table's columns, and which roles are suggested for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from skanon._table.domain import Domain
from skanon.exceptions import AnonymizationError
from skanon.privacy import suggest_quasi_identifiers


@dataclass(frozen=True)
class Column:
    """A column of the table, and what is suggested for it.

    Attributes
    ----------
    name : column label
    kind : str or None
        None where its values cannot be read.
    distinct, missing : int
    suggestion : str
        A role.
    reason : str
        Why, in words.
    """

    name: Any
    kind: str | None
    distinct: int
    missing: int
    suggestion: str
    reason: str


def describe_columns(frame: pd.DataFrame, sensitive: Any = ()) -> list[Column]:
    """Look at a table's columns, and suggest their roles.

    Parameters
    ----------
    frame : DataFrame of shape (n, n_columns)
    sensitive : list of columns
        Those that are sensitive for sure.

    Returns
    -------
    list of Column
        In the table's order.
    """
    known, faults = {}, {}
    for name in frame.columns:
        try:
            known[name] = Domain.learn(frame[name], name)[0]
        except AnonymizationError as error:
            faults[name] = str(error)
    marked = [name for name in sensitive if name in known]
    reasons = {}
    if len(marked) < len(known):
        reasons = _reasons(frame[list(known)], marked)
    described = []
    for name in frame.columns:
        if name in faults:
            words = f"Its values cannot be read, so it is best dropped. {faults[name]}"
            about = Column(name, None, 0, 0, "identifier", words)
        else:
            domain = known[name]
            role, words = reasons.get(
                name, ("sensitive", "You have marked it as sensitive.")
            )
            about = Column(
                name, domain.kind, len(domain), domain.n_missing, role, words
            )
        described.append(about)
    return described


def _reasons(frame: pd.DataFrame, marked: list) -> dict[Any, tuple[str, str]]:
    """Put suggestions into words, column by column."""
    found = suggest_quasi_identifiers(frame, sensitive=marked)
    n, reasons = len(frame), {}
    for name, row in found.iterrows():
        role, words, unique = row["suggestion"], row["reason"], int(row["unique"])
        if role == "quasi-identifier" and unique:
            words += f" {unique:,} of {n:,} records are unique by it alone."
        reasons[name] = (role, words)
    return reasons

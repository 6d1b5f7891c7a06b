"""A hierarchy's leaves as values of a column's kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import Domain, read_values
from skanon.exceptions import AnonymizationError, HierarchyError


def like(domain: Domain, leaves: tuple) -> Any:
    """Read a hierarchy's leaves as values of the column's kind.

    Files hold text only, so "17" is taken for 17 in a column of numbers, and
    "1899-12-31" for that day in a column of dates.

    Raises
    ------
    HierarchyError
        A leaf is no value of that kind, or two of them are the same one.
    """
    if not len(domain):  # only missing values: any leaves will do
        return np.array([str(leaf) for leaf in leaves], dtype=object)
    try:
        read = read_values(pd.Series(list(leaves), dtype=object), domain.name)
    except AnonymizationError as error:
        raise HierarchyError(
            f"The hierarchy of column {domain.name!r} has leaves that cannot be "
            f"values: {error}"
        ) from error
    if read.kind == domain.kind:
        found = read.present
    elif domain.kind == "text":
        found = np.array([str(leaf) for leaf in leaves], dtype=object)
    elif read.kind == "text":
        found = _parse(domain, read.present)
    else:
        raise HierarchyError(
            f"Column {domain.name!r} holds {domain.kind}s, but its hierarchy has "
            f"leaves of kind {read.kind}, such as {leaves[0]!r}. Build it from the "
            "column's own values."
        )
    if domain.kind == "datetime":
        found = _in_zone(domain, pd.DatetimeIndex(found))
    if domain.kind == "number" and domain.values.dtype == np.float32:
        with np.errstate(over="ignore"):  # whoever wrote 0.1 means the float32 near it
            found = found.astype(np.float32)
    _check_distinct(domain, leaves, found)
    return found


def _parse(domain: Domain, texts: np.ndarray) -> Any:
    parser = _PARSERS[domain.kind]
    values = []
    for text in texts:
        try:
            values.append(parser(text))
        except (ValueError, KeyError) as error:
            raise HierarchyError(
                f"Column {domain.name!r} holds {domain.kind}s, but its hierarchy has "
                f"the leaf {text!r}, which is none. Correct or remove it."
            ) from error
    name = f"the hierarchy of {domain.name!r}"
    return read_values(pd.Series(values, dtype=object), name).present


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _time(text: str) -> pd.Timestamp:
    stamp = pd.Timestamp(text)
    if not text[:4].isdigit() or stamp is pd.NaT:
        raise ValueError(f"{text} is no ISO date")  # such as "now"
    return stamp


def _truth(text: str) -> bool:
    return {"true": True, "false": False, "1": True, "0": False}[text.lower()]


_PARSERS: dict[str, Any] = {
    "number": _number,
    "datetime": _time,
    "timedelta": pd.Timedelta,
    "bool": _truth,
}


def _in_zone(domain: Domain, leaves: pd.DatetimeIndex) -> pd.DatetimeIndex:
    zone = domain.values.tz
    if (zone is None) == (leaves.tz is None):
        return leaves if zone is None else leaves.tz_convert(zone)
    having, lacking = ("has", "lack") if zone is not None else ("lacks", "have")
    raise HierarchyError(
        f"Column {domain.name!r} {having} a time zone, but its hierarchy's leaves "
        f"{lacking} one, such as {leaves[0]}. Build it from the column's own values."
    )


def _check_distinct(domain: Domain, leaves: tuple, found: Any) -> None:
    index = pd.Index(found)
    if index.has_duplicates:
        at = int(np.flatnonzero(index.duplicated())[0])
        first = int(np.flatnonzero(index == index[at])[0])
        raise HierarchyError(
            f"Column {domain.name!r}: the leaves {leaves[first]!r} and {leaves[at]!r} "
            f"of its hierarchy are the same {domain.kind}, {index[at]}. Give each "
            "value one row."
        )


def find(domain: Domain, leaves: Any) -> np.ndarray:
    """Find the leaf of each of the column's values.

    Returns
    -------
    ndarray of int, shape (len(domain),)

    Raises
    ------
    HierarchyError
        A value has no leaf.
    """
    if not len(domain):
        return np.zeros(0, dtype=np.intp)
    found = leaf_domain(domain, leaves).match(domain.values)
    if (found < 0).any():
        lost = domain.text()[found < 0]
        named = ", ".join(repr(text) for text in lost[:5])
        raise HierarchyError(
            f"Column {domain.name!r}: the hierarchy lacks {len(lost)} of the column's "
            f"values: {named}. Add them at level 0, or correct them in the data."
        )
    return found


def leaf_domain(domain: Domain, leaves: Any) -> Domain:
    """Give leaves as a domain, which finds values of any type exactly."""
    counts = np.zeros(len(leaves))
    return Domain(domain.name, domain.kind, leaves, counts, 0, False, None)

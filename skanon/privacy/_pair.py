"""Both tables of anonymity by consistency, read with who is consistent with whom."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from skanon.exceptions import ColumnError, ReleaseError
from skanon.privacy._classes import Classes, check_wildcard, classify
from skanon.privacy._graph import Graph, read_graph
from skanon.privacy._labels import shown
from skanon.privacy._published import to_pandas
from skanon.privacy._tables import (
    Column,
    choose_columns,
    read_columns,
    read_raw,
    same_length,
)
from skanon.privacy._trees import read_trees


class Pair(NamedTuple):
    """Both tables' quasi-identifiers, and which of their records are consistent."""

    original: pd.DataFrame
    released: pd.DataFrame
    graph: Graph


def read_pair(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    hierarchies: Any,
    suppressed: Any,
    wildcard: bool,
) -> Pair:
    """Read both tables, and refuse a release that does not generalize its originals.

    Parameters and errors are those of :func:`skanon.privacy.one_k_anonymity`.
    """
    check_wildcard(wildcard)
    table = to_pandas(released)
    people = read_raw(original, "original")
    raw = {"original": people}
    if quasi_identifiers is None:
        quasi_identifiers = list(table.columns)
        lacking = [name for name in table.columns if name not in people.columns]
        if lacking:
            raise ColumnError(
                f"original has no column {lacking[0]!r}, which the release has. Name "
                "the quasi-identifiers in quasi_identifiers."
            )
    names = choose_columns(quasi_identifiers, table, raw, [])
    classes = classify(table, names, None)
    same_length(people, table)
    if isinstance(original, pd.DataFrame) and isinstance(released, pd.DataFrame):
        _same_index(people.index, table.index)
    trees = read_trees(hierarchies, names, [*table.columns, *people.columns])
    columns = read_columns(classes, raw, trees, suppressed, wildcard)
    graph = read_graph(columns, classes.groups)
    misfits = graph.misfits()
    if len(misfits):
        raise _no_generalization(columns, classes, int(misfits[0]))
    return Pair(people[names], table[names], graph)


def _same_index(ours: pd.Index, theirs: pd.Index) -> None:
    if ours.equals(theirs):
        return
    labels = list(zip(ours.tolist(), theirs.tolist(), strict=True))
    row = next((at for at, (one, other) in enumerate(labels) if one != other), 0)
    one, other = labels[row]
    raise ColumnError(
        f"The tables have not the same index: at row {row} it is {one!r} in original, "
        f"but {other!r} in the release. Use original.loc[released.index], or "
        "released.set_axis(original.index) if the rows correspond as they are."
    )


def _no_generalization(
    columns: list[Column], classes: Classes, row: int
) -> ReleaseError:
    at = classes.groups[row]
    column = next(x for x in columns if x.of_row[row] not in x.labels[x.of_class[at]])
    name, value = column.name, column.values.iloc[column.of_row[row]]
    label = classes.published[name].iloc[row]
    return ReleaseError(
        f"The release does not generalize original: at row {row}, {name!r} is "
        f"{shown(value)} in original, but {label!r} in the release, which does not "
        "stand for it. Give the same rows in the same order, and the hierarchies that "
        "the labels come from."
    )

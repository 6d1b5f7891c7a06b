"""Anonymity without equal records: who is consistent with how many others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.privacy._k_anonymity import check_k
from skanon.privacy._models import check_option
from skanon.privacy._pair import read_pair

MODELS = ("one_k", "k_one", "kk", "global_one_k")


def one_k_anonymity(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure the k of (1, k)-anonymity: the fewest records that anybody may have.

    Each original record is consistent with at least k released ones. By itself this is
    unsafe: k records that are wholly suppressed are enough, whatever the others tell.
    Use :func:`kk_anonymity`.

    Parameters
    ----------
    original : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The raw table.
    released : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table: the same rows in the same order, each generalized.
    quasi_identifiers : iterable of column labels, default=None
        None means every column of ``released``.
    hierarchies : mapping from column to hierarchy, default=None
        For labels that are names of nodes, in the forms of
        :func:`skanon.privacy.t_closeness`. Other columns' are ignored.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        Whether a missing released cell stands for any value, and any label for a
        missing original one; suppressed cells always stand for all.

    Returns
    -------
    int
        From 1 to n.

    Raises
    ------
    ReleaseError
        A released record does not generalize its original; the message names the row,
        the column, the value and the label.
    ColumnError
        The tables have not the same rows, a column is unknown, or a label cannot be
        read.
    ColumnTypeError, HierarchyError, ParameterError
        As in :func:`skanon.privacy.k_map`.

    Notes
    -----
    A record is consistent with an original if each of its labels stands for the
    original's value: ``*`` for all, a value for itself, the name of a node for what is
    below it, a set, a range or a mask for what it says; a missing value for a missing
    value. Wholly suppressed records count: they are consistent with everybody.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), definition 4.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import one_k_anonymity
    >>> original = pd.DataFrame({"age": [20, 25, 31]})
    >>> released = pd.DataFrame({"age": ["20", "[20, 31]", "[20, 31]"]})
    >>> one_k_anonymity(original, released)
    2
    """
    graph = read_pair(
        original, released, quasi_identifiers, hierarchies, suppressed, wildcard
    ).graph
    return int(graph.releases(graph.sets).min())


def k_one_anonymity(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure the k of (k, 1)-anonymity: the fewest people who may be behind a record.

    Each released record is consistent with at least k original ones. By itself this is
    unsafe: some people may still be consistent with a single record. Use
    :func:`kk_anonymity`.

    Parameters
    ----------
    original, released, quasi_identifiers, hierarchies, suppressed, wildcard
        As in :func:`one_k_anonymity`.

    Returns
    -------
    int
        From 1 to n.

    Raises
    ------
    ReleaseError, ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`one_k_anonymity`.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), definition 4.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import k_one_anonymity
    >>> original = pd.DataFrame({"age": [20, 25, 31]})
    >>> released = pd.DataFrame({"age": ["20", "[20, 31]", "[20, 31]"]})
    >>> k_one_anonymity(original, released)
    1
    """
    graph = read_pair(
        original, released, quasi_identifiers, hierarchies, suppressed, wildcard
    ).graph
    return int(graph.originals().min())


def kk_anonymity(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure the k of (k, k)-anonymity: (1, k) and (k, 1) at once.

    Nobody who looks up a person finds fewer than k records, and nobody who looks up a
    record finds fewer than k people. Whoever knows exactly who is in the table may
    still rule out some of them: see :func:`global_one_k_anonymity`.

    Parameters
    ----------
    original, released, quasi_identifiers, hierarchies, suppressed, wildcard
        As in :func:`one_k_anonymity`.

    Returns
    -------
    int
        From 1 to n.

    Raises
    ------
    ReleaseError, ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`one_k_anonymity`.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), definition 4.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import kk_anonymity
    >>> original = pd.DataFrame({"age": [20, 25, 31]})
    >>> released = pd.DataFrame({"age": ["[20, 25]", "[20, 31]", "[25, 31]"]})
    >>> kk_anonymity(original, released)
    2
    """
    graph = read_pair(
        original, released, quasi_identifiers, hierarchies, suppressed, wildcard
    ).graph
    return int(min(graph.releases(graph.sets).min(), graph.originals().min()))


def global_one_k_anonymity(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure the k of global (1, k)-anonymity: the fewest matches of anybody.

    A match of an original is a consistent record that it may have while everybody else
    has another one. Not even an adversary who knows exactly who is in the table, with
    all their public values, links anybody to fewer than k records.

    Parameters
    ----------
    original, released, quasi_identifiers, hierarchies, suppressed, wildcard
        As in :func:`one_k_anonymity`.

    Returns
    -------
    int
        From 1 to n.

    Raises
    ------
    ReleaseError, ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`one_k_anonymity`.

    Notes
    -----
    For k from 3 on, this does not imply (k, k)-anonymity: a record may have fewer than
    k people behind it though each of them has k matches.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), definition 4.6.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import global_one_k_anonymity
    >>> original = pd.DataFrame({"age": [20, 25, 31]})
    >>> released = pd.DataFrame({"age": ["[20, 25]", "[20, 31]", "[25, 31]"]})
    >>> global_one_k_anonymity(original, released)
    2
    """
    graph = read_pair(
        original, released, quasi_identifiers, hierarchies, suppressed, wildcard
    ).graph
    return int(graph.releases(graph.matches(graph.own_matching())).min())


def consistency_violations(
    original: Any,
    released: Any,
    quasi_identifiers: Any = None,
    *,
    k: int,
    model: str = "kk",
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> pd.DataFrame:
    """List the records for which a model of anonymity by consistency fails.

    Parameters
    ----------
    original, released, quasi_identifiers, hierarchies, suppressed, wildcard
        As in :func:`one_k_anonymity`.
    k : int
        What must be reached, at least 1.
    model : {"kk", "one_k", "k_one", "global_one_k"}, default="kk"
        The model, named as the function that measures it.

    Returns
    -------
    DataFrame of shape (n_offending, n_quasi_identifiers + 4)
        One row per offending record, those that reach least first: the ``"table"`` that
        it is in (``"original"``, and for ``kk`` and ``k_one`` ``"released"``), its
        index label there as ``"row"`` and its ``"position"``, its values, and what it
        ``"reaches"``: the number of consistent records of the other table, or of
        matches. Where a quasi-identifier has one of these names, ours ends in ``"_"``.
        Empty if and only if the release reaches k.

    Raises
    ------
    ParameterError
        ``k`` or ``model`` is none that there is.
    ReleaseError, ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`one_k_anonymity`.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), section IV.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import consistency_violations
    >>> original = pd.DataFrame({"age": [20, 25, 31]})
    >>> released = pd.DataFrame({"age": ["20", "[20, 31]", "[20, 31]"]})
    >>> consistency_violations(original, released, k=2)
          table  row  position age  reaches
    0  released    0         0  20        1
    """
    k = check_k(k)
    check_option("model", model, MODELS)
    pair = read_pair(
        original, released, quasi_identifiers, hierarchies, suppressed, wildcard
    )
    graph = pair.graph
    reached: dict[str, np.ndarray] = {}
    if model == "global_one_k":
        reached["original"] = graph.releases(graph.matches(graph.own_matching()))
    if model in ("one_k", "kk"):
        reached["original"] = graph.releases(graph.sets)
    if model in ("k_one", "kk"):
        reached["released"] = graph.originals()
    tables = {"original": pair.original, "released": pair.released}
    parts = [_list(name, tables[name], found, k) for name, found in reached.items()]
    listed = pd.concat(parts, ignore_index=True)
    return listed.sort_values(listed.columns[-1], kind="stable", ignore_index=True)


class Counts(NamedTuple):
    """How many records of the other table each record is consistent with.

    Attributes
    ----------
    releases : ndarray of int64, shape (n,)
        By original.
    originals : ndarray of int64, shape (n,)
        By released record.
    matches : ndarray of int64, shape (n,), or None
        By original: how many of its releases some perfect matching gives it.
    """

    releases: np.ndarray
    originals: np.ndarray
    matches: np.ndarray | None


def count_consistent(
    original: pd.DataFrame,
    released: pd.DataFrame,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
    matches: bool = False,
) -> Counts:
    """Count for each record what the measures above give the least of.

    Parameters and errors are those of :func:`one_k_anonymity`.
    """
    graph = read_pair(original, released, None, hierarchies, suppressed, False).graph
    found = None
    if matches:
        found = graph.releases(graph.matches(graph.own_matching()))
    return Counts(graph.releases(graph.sets), graph.originals(), found)


def _list(name: str, table: pd.DataFrame, reached: np.ndarray, k: int) -> pd.DataFrame:
    """List the records of a table that reach less than k."""
    rows = np.flatnonzero(reached < k)
    labels = list(table.columns)
    added = {
        "table": [name] * len(rows),
        "row": table.index[rows].to_numpy(),
        "position": rows,
    }
    cells = {label: table[label].iloc[rows].to_numpy(dtype=object) for label in labels}
    taken = set(labels)
    names = [_free(word, taken) for word in (*added, "reaches")]
    values = [*added.values(), *cells.values(), reached[rows]]
    heads = pd.Index([*names[:3], *labels, names[3]], tupleize_cols=False)
    listed = pd.DataFrame(dict(enumerate(values)))
    return listed.set_axis(heads, axis=1)


def _free(word: str, taken: set[Any]) -> str:
    while word in taken:
        word += "_"
    return word

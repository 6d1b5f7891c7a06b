"""Matchings: an adversary who knows everybody in the table rules out records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import block_array, coo_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components, maximum_flow

import skanon.privacy.attacks._linkage as linkage
from skanon.exceptions import ColumnError, ReleaseError
from skanon.privacy._classes import classify
from skanon.privacy._k_anonymity import check_k
from skanon.privacy._private import read_attributes, spread
from skanon.privacy._published import to_pandas
from skanon.privacy._trees import read_trees
from skanon.privacy.attacks._matching import distinct_records, match
from skanon.privacy.attacks._tables import (
    Column,
    choose_columns,
    one_name,
    read_columns,
    read_raw,
)


class Graph(NamedTuple):
    """Which originals and released records are consistent, each kind of them once.

    Originals that are consistent with the same records are of one kind, and so are
    released records that read the same. What is true of an edge between two kinds is
    true of all edges between their members, as these can be exchanged for one another.

    Attributes
    ----------
    sets : csr_array of int64, shape (n_kinds, n_classes)
        1 where they are consistent; the columns of each row in order.
    of_original : ndarray of int64, shape (n,)
        The kind of each original.
    of_release : ndarray of int64, shape (n,)
        The class of each released record.
    """

    sets: csr_array
    of_original: np.ndarray
    of_release: np.ndarray

    def releases(self, sets: csr_array) -> np.ndarray:
        """Count the released records of each original; ``sets`` has the edges."""
        sizes = np.bincount(self.of_release, minlength=sets.shape[1])
        return (sets @ sizes)[self.of_original]

    def originals(self) -> np.ndarray:
        """Count the originals that are consistent with each released record."""
        people = np.bincount(self.of_original, minlength=self.sets.shape[0])
        return (self.sets.T @ people)[self.of_release]

    def misfits(self) -> np.ndarray:
        """Give the rows whose released record is not consistent with the original."""
        n_kinds, n_classes = self.sets.shape
        kinds = np.repeat(np.arange(n_kinds), np.diff(self.sets.indptr))
        edges = kinds * n_classes + self.sets.indices
        edges = np.append(edges, n_kinds * n_classes)
        own = self.of_original * n_classes + self.of_release
        at = np.searchsorted(edges, own)
        return np.flatnonzero(edges[at] != own)

    def own_matching(self) -> csr_array:
        """Count how often each kind has its own record in each class."""
        ones = np.ones(len(self.of_original), dtype=np.int64)
        pairs = self.of_original, self.of_release
        return coo_array((ones, pairs), shape=self.sets.shape).tocsr()

    def matches(self, matching: csr_array) -> csr_array:
        """Find the edges that some perfect matching contains.

        Parameters
        ----------
        matching : csr_array of int64, shape (n_kinds, n_classes)
            Any perfect matching: how many originals of each kind it gives records of
            each class. Its rows add up to the originals of the kinds, its columns to
            the records of the classes.

        Returns
        -------
        csr_array of int64, shape (n_kinds, n_classes)
            ``sets`` without the other edges.

        Notes
        -----
        With kinds, perfect matchings are what a transport problem allows that has no
        capacities on its edges. The difference of two of them is a sum of circles that
        follow edges from kind to class, and edges that the first one uses from class
        to kind. Thus an edge is in another one if and only if a circle leads over it:
        if its ends are in one strongly connected component of the digraph with all
        edges forward and those in use backward. It takes time linear in the edges.
        """
        sets = self.sets
        n_kinds = sets.shape[0]
        digraph = block_array([[None, sets], [matching.T, None]], format="csr")
        _, component = connected_components(digraph, connection="strong")
        kinds = np.repeat(np.arange(n_kinds), np.diff(sets.indptr))
        kept = component[kinds] == component[n_kinds + sets.indices]
        starts = np.append(0, np.cumsum(kept))[sets.indptr]
        return csr_array((sets.data[kept], sets.indices[kept], starts), sets.shape)


def read_graph(columns: list[Column], of_release: np.ndarray) -> Graph:
    """Find which originals and released records are consistent.

    Parameters
    ----------
    columns : list of Column
        Their raw rows are the originals.
    of_release : ndarray of int64, shape (n,)
        The class of each released record.

    Returns
    -------
    Graph
    """
    records, of_row = distinct_records(columns, slice(None))
    parts, kinds, n_kinds = [], [], 0
    for of_record, sets in match(columns, records):
        parts.append(sets)
        kinds.append(of_record + n_kinds)
        n_kinds += sets.shape[0]
    sets = parts[0] if len(parts) == 1 else vstack(parts, format="csr")
    return Graph(sets, np.concatenate(kinds)[of_row], of_release)


def find_matching(graph: Graph) -> csr_array:
    """Find any perfect matching.

    Returns
    -------
    csr_array of int64, shape (n_kinds, n_classes)
        As :meth:`Graph.matches` takes it.

    Raises
    ------
    ReleaseError
        There is none.
    """
    if not len(graph.misfits()):
        return graph.own_matching()
    n_kinds, n_classes = graph.sets.shape
    people = np.bincount(graph.of_original, minlength=n_kinds)
    sizes = np.bincount(graph.of_release, minlength=n_classes)
    kinds, classes = graph.sets.tocoo().coords
    source, sink = n_kinds + n_classes, n_kinds + n_classes + 1
    starts = [np.full(n_kinds, source), kinds, np.arange(n_classes) + n_kinds]
    ends = [np.arange(n_kinds), classes + n_kinds, np.full(n_classes, sink)]
    room = [people, np.minimum(people[kinds], sizes[classes]), sizes]
    pairs = np.concatenate(starts), np.concatenate(ends)
    network = coo_array(
        (np.concatenate(room).astype(np.int32), pairs), shape=(sink + 1, sink + 1)
    ).tocsr()
    found = maximum_flow(network, source, sink)
    n = len(graph.of_original)
    if found.flow_value < n:
        raise ReleaseError(
            f"original cannot be the people of the release: at most {found.flow_value} "
            f"of the {n} can have consistent records of their own. Give exactly the "
            "people of the release, in any order; linkage_attack takes any people."
        )
    flow = csr_array(found.flow)[:n_kinds, n_kinds:source].astype(np.int64)
    flow.eliminate_zeros()
    return flow


@dataclass(frozen=True, eq=False, repr=False)
class Matching(linkage.Linkage):
    """What an adversary learns who knows exactly who is in a release.

    Attributes
    ----------
    people : DataFrame of shape (n_people, 10)
        One row per person, with the index of the table that the adversary has:

        - ``records``: how many released records are consistent with the person;
        - ``matches``, ``classes``: how many of them may be the person's when everybody
          has one, and in how many equivalence classes these are;
        - ``value``, ``share``, ``base_rate``, ``gain``: the most frequent private value
          among the matches, its share in them, its share in the whole release, and the
          difference of the two;
        - ``raised_value``, ``raised_share``, ``raised_gain``: the same for the value
          whose share gains most, which need not be the most frequent one.

        Among equally frequent values the rarest in the release is taken.
    n_released : int
        The number of released records, and of people.
    """

    @property
    def unique_share(self) -> float:
        """The share of people with a single match: their record is known."""
        return self._share(self.people["matches"] == 1)

    @property
    def fewest_matches(self) -> int:
        """The least number of matches of anybody: the release is globally (1, k)."""
        return int(self.people["matches"].min())

    @property
    def exposed_share(self) -> float:
        """The share of people with fewer matches than consistent records."""
        return self._share(self.people["matches"] < self.people["records"])

    def below(self, k: int) -> float:
        """Give the share of people with fewer than k matches.

        Raises
        ------
        ParameterError
            ``k`` is no integer of at least 1.
        """
        return self._share(self.people["matches"] < check_k(k))

    def summary(self) -> pd.Series:
        """Put the figures for all people together."""
        names = [
            "n_people",
            "fewest_records",
            "fewest_matches",
            "unique_share",
            "exposed_share",
            "homogeneous_share",
            "highest_share",
            "largest_gain",
        ]
        figures = {name: getattr(self, name) for name in names}
        return pd.Series(figures, dtype=object, name="matching")

    def __repr__(self) -> str:
        """Show the figures in one line."""
        listed = ", ".join(f"{x}={v:.4g}" for x, v in self.summary().items())
        return f"Matching({listed})"


def matching_attack(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
) -> Matching:
    """Link all people of a release to it at once, a record to each.

    The adversary knows exactly who is in the release, with the public records of all.
    A record that is consistent with a person cannot be the person's if what is left has
    no record for everybody else: it is no match. The adversary takes the private
    values' shares among the person's matches for probabilities.

    Parameters
    ----------
    original : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The people of the release, raw, in any order.
    released : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers, sensitive, hierarchies, suppressed
        As in :func:`linkage_attack`.

    Returns
    -------
    Matching

    Raises
    ------
    ReleaseError
        The people cannot all have a record of their own: they are not those of the
        release.
    ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`linkage_attack`; or the tables have not the same number of rows.

    Notes
    -----
    Consistent is what :func:`linkage_attack` says. The matches are exact, but are taken
    to be equally likely, as by the paper, even where more of the perfect matchings hold
    one than another: to count these is hard.

    Who is in the release is not known to most adversaries; this is the second one of
    the paper, and :func:`linkage_attack` the first.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited (2008), section IV-A.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy.attacks._matchings import matching_attack
    >>> people = pd.DataFrame({"age": [20, 25, 31]}, index=["Ada", "Bob", "Cid"])
    >>> release = pd.DataFrame(
    ...     {"age": ["[20, 25]", "[20, 25]", "[20, 31]"], "ill": list("nny")}
    ... )
    >>> found = matching_attack(people, release, ["age"], "ill")
    >>> found.people[["records", "matches", "value", "share"]]
         records  matches value  share
    Ada        3        2     n    1.0
    Bob        3        2     n    1.0
    Cid        1        1     y    1.0
    """
    one_name(sensitive)
    table = to_pandas(released)
    (private,), inside = read_attributes(released, table, sensitive)
    people = read_raw(original, "original")
    same_length(people, table)
    raw = {"original": people}
    names = choose_columns(quasi_identifiers, table, raw, inside)
    trees = read_trees(hierarchies, names, [*table.columns, *people.columns])
    classes = classify(table, names, None)
    graph = read_graph(read_columns(classes, raw, trees, suppressed), classes.groups)
    matches = graph.matches(find_matching(graph))
    held = spread(classes.groups, private.codes, private.totals)
    shape = len(classes.sizes), len(private.totals)
    tally = csr_array((held.counts, (held.owners, held.values)), shape=shape)
    learnt = linkage._learn(matches, classes.sizes, tally, private.totals)
    found = linkage._describe(learnt, graph.of_original, private, people.index)
    found = found.rename(columns={"records": "matches"})
    found.insert(0, "records", graph.releases(graph.sets))
    return Matching(found, len(table))


def same_length(original: pd.DataFrame, released: pd.DataFrame) -> None:
    """Refuse tables of which one has more rows.

    Raises
    ------
    ColumnError
        One has.
    """
    if len(original) != len(released):
        raise ColumnError(
            f"original has {len(original)} rows, but the release has {len(released)}. "
            "Give exactly the people of the release: those whose records were left out "
            "of it must be left out of original, too."
        )

"""Matchings: an adversary who knows everybody in the table rules out records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.sparse import csr_array

import skanon.privacy.attacks._linkage as linkage
from skanon.privacy._classes import classify
from skanon.privacy._graph import find_matching, read_graph
from skanon.privacy._k_anonymity import check_k
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import read_attributes, spread
from skanon.privacy._tables import (
    choose_columns,
    one_name,
    read_columns,
    read_raw,
    same_length,
)
from skanon.privacy._trees import read_trees


@dataclass(frozen=True, eq=False, repr=False)
class MatchingResult(linkage.LinkageResult):
    """What an adversary learns who knows exactly who is in a release.

    Attributes
    ----------
    people : DataFrame of shape (n_people, 10)
        One row per person, with the index of the table that the adversary has:

        - ``records``: how many released records are consistent with the person;
        - ``matches``, ``classes``: how many of them may be the person's when everybody
          has one, and in how many equivalence classes these are;
        - ``value``, ``share``, ``base_rate``, ``gain``: the most frequent sensitive
          value among the matches, its share in them, its share in the whole release,
          and the difference of the two;
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
        return f"MatchingResult({listed})"


def matching_attack(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    hierarchies: Any = None,
    suppressed: Any = "*",
) -> MatchingResult:
    """Link all people of a release to it at once, a record to each.

    The adversary knows exactly who is in the release, with the public records of all.
    A record that is consistent with a person cannot be the person's if what is left has
    no record for everybody else: it is no match. The adversary takes the sensitive
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
    MatchingResult

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
    (attribute,), inside = read_attributes(released, table, sensitive)
    people = read_raw(original, "original")
    same_length(people, table)
    raw = {"original": people}
    names = choose_columns(quasi_identifiers, table, raw, inside)
    trees = read_trees(hierarchies, names, [*table.columns, *people.columns])
    classes = classify(table, names, None)
    graph = read_graph(read_columns(classes, raw, trees, suppressed), classes.groups)
    matches = graph.matches(find_matching(graph))
    held = spread(classes.groups, attribute.codes, attribute.totals)
    shape = len(classes.sizes), len(attribute.totals)
    tally = csr_array((held.counts, (held.owners, held.values)), shape=shape)
    learnt = linkage._learn(matches, classes.sizes, tally, attribute.totals)
    found = linkage._describe(learnt, graph.of_original, attribute, people.index)
    found = found.rename(columns={"records": "matches"})
    found.insert(0, "records", graph.releases(graph.sets))
    return MatchingResult(found, len(table))

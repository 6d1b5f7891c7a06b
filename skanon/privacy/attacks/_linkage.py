"""Linkage: an adversary looks up people whose public records are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from skanon.exceptions import ColumnError, ParameterError, in_short
from skanon.privacy._classes import classify
from skanon.privacy._graph import CHUNK, distinct_records, match
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import Attribute, read_attributes, spread
from skanon.privacy._tables import (
    choose_columns,
    one_name,
    read_columns,
    read_raw,
)
from skanon.privacy._trees import read_trees


@dataclass(frozen=True, eq=False, repr=False)
class LinkageResult:
    """What an adversary learns by linking people to a release.

    Attributes
    ----------
    people : DataFrame of shape (n_people, 9)
        One row per person, with the index of the table that the adversary has:

        - ``records``, ``classes``: how many released records are consistent with the
          person, and in how many equivalence classes;
        - ``value``, ``share``, ``base_rate``, ``gain``: the most frequent sensitive
          value among these records, its share in them, its share in the whole release,
          and the difference of the two;
        - ``raised_value``, ``raised_share``, ``raised_gain``: the same for the value
          whose share gains most, which need not be the most frequent one.

        Where no record is consistent, ``records`` and ``classes`` are 0 and the rest is
        missing. Among equally frequent values the rarest in the release is taken.
    n_released : int
        The number of released records.
    """

    people: pd.DataFrame
    n_released: int

    @property
    def n_people(self) -> int:
        """How many people were attacked."""
        return len(self.people)

    @property
    def unmatched_share(self) -> float:
        """The share of people whom no record fits: they are not in the release."""
        return self._share(self.people["records"] == 0)

    @property
    def unique_share(self) -> float:
        """The share of people with a single consistent record."""
        return self._share(self.people["records"] == 1)

    @property
    def fewest_records(self) -> int:
        """The least number of consistent records of anybody who has any; or 0."""
        records = self.people["records"]
        return int(records[records > 0].min()) if records.any() else 0

    @property
    def homogeneous_share(self) -> float:
        """The share of people whose consistent records all have one sensitive value."""
        return self._share(self.people["share"] == 1)

    @property
    def highest_share(self) -> float:
        """How sure the adversary is at most.

        Raises
        ------
        ColumnError
            Nobody was linked, so that nothing may be concluded.
        """
        return self._highest("share")

    @property
    def largest_gain(self) -> float:
        """How much any sensitive value of anybody gains at most over its base rate.

        Raises
        ------
        ColumnError
            Nobody was linked, so that nothing may be concluded.
        """
        return self._highest("raised_gain")

    def _highest(self, column: str) -> float:
        if not self.people["records"].any():
            raise ColumnError(
                "No released record fits anybody who is known, so that nothing was "
                "attacked, and nothing may be concluded. Give the table that the "
                "release was made of, or people of it, with values of the same kind."
            )
        return float(self.people[column].max())

    def below(self, k: int) -> float:
        """Give the share of people with at least 1 but fewer than k records.

        Raises
        ------
        ParameterError
            ``k`` is no integer of at least 1.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ParameterError(
                f"k is {in_short(k)}, but must be an integer of at least 1."
            )
        return self._share(self.people["records"].between(1, k - 1))

    def surer_than(self, threshold: float) -> float:
        """Give the share of people of whom the adversary is surer than a threshold.

        Raises
        ------
        ParameterError
            ``threshold`` is not from 0 to 1.
        """
        if isinstance(threshold, bool) or not 0 <= threshold <= 1:
            raise ParameterError(
                f"threshold is {in_short(threshold)}, but must be a number from 0 to 1."
            )
        return self._share(self.people["share"] > threshold)

    def summary(self) -> pd.Series:
        """Put the figures for all people together."""
        names = [
            "n_people",
            "unmatched_share",
            "unique_share",
            "fewest_records",
            "homogeneous_share",
            "highest_share",
            "largest_gain",
        ]
        figures = {name: getattr(self, name) for name in names}
        return pd.Series(figures, dtype=object, name="linkage")

    def __repr__(self) -> str:
        """Show the figures in one line."""
        if not self.people["records"].any():
            return f"LinkageResult(n_people={self.n_people}, nobody linked)"
        listed = ", ".join(f"{x}={v:.4g}" for x, v in self.summary().items())
        return f"LinkageResult({listed})"

    def _share(self, of: pd.Series) -> float:
        return float(of.mean())


def linkage_attack(
    original: Any,
    released: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    hierarchies: Any = None,
    domain: Any = None,
    suppressed: Any = "*",
) -> LinkageResult:
    """Link people to a release by what is known of them.

    The adversary has the public records of some people, looks up all released records
    that may be theirs, and takes the sensitive values' shares among these for
    probabilities.

    Parameters
    ----------
    original : DataFrame (pandas or polars) or ndarray of shape (n_people, n_columns)
        The people whom the adversary knows, raw: all, some, or others than those of the
        release, in any order.
    released : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, or None
        What the adversary knows. None means all columns that both tables have, but the
        sensitive attribute.
    sensitive : column label, or Series of n rows
        The sensitive attribute: a column of ``released``, or its values. Missing values
        are one value.
    hierarchies : mapping from column to hierarchy, default=None
        For labels that are names of nodes, in the forms of
        :func:`skanon.privacy.t_closeness`. Other columns' are ignored.
    domain : DataFrame (pandas or polars) or ndarray, default=None
        Raw records with the same columns, whose values labels may have besides those
        of ``original``. Needed where a released text is no value of the people known.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.

    Returns
    -------
    LinkageResult

    Raises
    ------
    ColumnError
        A column is unknown, the tables have none in common, one has no rows, or a label
        cannot be read; the message names column, row and label.
    ColumnTypeError, HierarchyError, ParameterError
        As in :func:`skanon.privacy.k_map`.

    Notes
    -----
    A record is consistent with a person if each of its labels stands for the person's
    value: ``*`` for all, a value for itself, the name of a node for what is below it,
    a set, a range or a mask for what it says; a missing value for a missing value.
    Wholly suppressed records are consistent with everybody.

    The adversary is not told who is in the release, and does not use that each record
    belongs to one person only, which may rule out more records.

    References
    ----------
    L. Sweeney, k-Anonymity: A Model for Protecting Privacy (2002). A. Machanavajjhala,
    D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity
    (2007): the homogeneity attack. N. Li, T. Li, S. Venkatasubramanian, t-Closeness:
    Privacy Beyond k-Anonymity and l-Diversity (2007): the skewness attack.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy.attacks import linkage_attack
    >>> release = pd.DataFrame(
    ...     {"age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2, "ill": list("nnyyy")}
    ... )
    >>> known = pd.DataFrame({"age": [24, 35]}, index=["Ada", "Bob"])
    >>> found = linkage_attack(known, release, ["age"], "ill")
    >>> found.people[["records", "value", "share", "base_rate"]]
         records value     share  base_rate
    Ada        3     n  0.666667        0.4
    Bob        2     y  1.000000        0.6
    >>> found.homogeneous_share
    0.5
    """
    one_name(sensitive)
    table = to_pandas(released)
    (attribute,), inside = read_attributes(released, table, sensitive)
    raw = {"original": read_raw(original, "original")}
    people = raw["original"]
    if domain is not None:
        raw["domain"] = read_raw(domain, "domain")
    names = choose_columns(quasi_identifiers, table, raw, inside)
    every = [*table.columns, *(x for t in raw.values() for x in t.columns)]
    trees = read_trees(hierarchies, names, every)
    classes = classify(table, names, None)
    columns = read_columns(classes, raw, trees, suppressed)
    held = spread(classes.groups, attribute.codes, attribute.totals)
    shape = len(classes.sizes), len(attribute.totals)
    tally = csr_array((held.counts, (held.owners, held.values)), shape=shape)
    records, of_person = distinct_records(columns, slice(len(people)))
    parts = []
    for of_record, sets in match(columns, records):
        found = _learn(sets, classes.sizes, tally, attribute.totals)
        parts.append([part[of_record] for part in found])
    learnt = _Found(*map(np.concatenate, zip(*parts, strict=True)))
    return LinkageResult(
        _describe(learnt, of_person, attribute, people.index), len(table)
    )


class _Found(NamedTuple):
    """What is learnt of each distinct record; values are numbers, -1 for none."""

    records: np.ndarray
    classes: np.ndarray
    value: np.ndarray
    held: np.ndarray
    raised: np.ndarray
    raised_held: np.ndarray


def _learn(
    sets: csr_array, sizes: np.ndarray, tally: csr_array, totals: np.ndarray
) -> _Found:
    """Count the sensitive values in each of some sets of classes."""
    step = max(CHUNK // tally.nnz, 1)
    parts = [
        _count(sets[start : start + step], sizes, tally, totals)
        for start in range(0, sets.shape[0], step)
    ]
    return _Found(*map(np.concatenate, zip(*parts, strict=True)))


def _count(
    sets: csr_array, sizes: np.ndarray, tally: csr_array, totals: np.ndarray
) -> _Found:
    records = sets @ sizes
    counts = sets @ tally
    counts.sort_indices()
    n = int(totals.sum())
    lengths = np.diff(counts.indptr)
    of_entry = np.repeat(np.arange(len(records)), lengths)
    frequent = _first_greatest(counts, counts.data * (n + 1) - totals[counts.indices])
    # c / r - t / n is greatest where c n - t r is
    gains = counts.data * n - totals[counts.indices] * records[of_entry]
    raised = _first_greatest(counts, gains)
    pairs = []
    for entry in (frequent, raised):
        values = np.full(len(records), -1)
        values[lengths > 0] = counts.indices[entry]
        found = np.zeros(len(records), dtype=np.int64)
        found[lengths > 0] = counts.data[entry]
        pairs += [values, found]
    return _Found(records, np.diff(sets.indptr), *pairs)


def _first_greatest(counts: csr_array, scores: np.ndarray) -> np.ndarray:
    """Find, for each row that has entries, the first one of the greatest score."""
    lengths = np.diff(counts.indptr)
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    starts = counts.indptr[:-1][lengths > 0]
    greatest = np.maximum.reduceat(scores, starts)
    best = np.flatnonzero(scores == np.repeat(greatest, lengths[lengths > 0]))
    rows = np.repeat(np.arange(len(starts)), lengths[lengths > 0])[best]
    return best[np.flatnonzero(np.diff(rows, prepend=-1))]


def _describe(
    found: _Found, of_person: np.ndarray, sensitive: Attribute, index: pd.Index
) -> pd.DataFrame:
    none = found.records == 0
    rates = np.append(sensitive.totals / sensitive.totals.sum(), np.nan)
    with np.errstate(invalid="ignore"):
        share = found.held / found.records
        raised_share = found.raised_held / found.records
    share[none], raised_share[none] = np.nan, np.nan
    people = {
        "records": found.records[of_person],
        "classes": found.classes.astype(np.int64)[of_person],
        "value": _values(sensitive, found.value[of_person]),
        "share": share[of_person],
        "base_rate": rates[found.value][of_person],
        "gain": (share - rates[found.value])[of_person],
        "raised_value": _values(sensitive, found.raised[of_person]),
        "raised_share": raised_share[of_person],
        "raised_gain": (raised_share - rates[found.raised])[of_person],
    }
    return pd.DataFrame(people).set_axis(index, axis=0)


def _values(sensitive: Attribute, codes: np.ndarray) -> Any:
    """Give the values of some codes; none for -1."""
    values = sensitive.values
    lacking = bool((codes < 0).any())
    if lacking and values.dtype.kind in "iub":  # which have no missing value
        values = values.astype(object)
    return values.array.take(codes, allow_fill=lacking)

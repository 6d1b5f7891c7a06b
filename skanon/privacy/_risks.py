"""How likely somebody in a published table is to be re-identified."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ParameterError, in_short
from skanon.privacy._classes import Classes, classify
from skanon.privacy._population import match_population
from skanon.privacy._presence import check_superset

_TERMS = 64
"""Enough terms of the series for a drawn half, or for classes of so many rows."""


class RiskSummary(NamedTuple):
    """The risk that records of a table are re-identified.

    Attributes
    ----------
    highest, average : float
        Over the records, from 0 to 1.
    at_risk : int
        The number of records whose risk is above the threshold.
    share_at_risk : float
        The same, as a share of the records.
    unique_share : float
        The share of the records that are unique in the table.
    n_records : int
        The records in classes; wholly suppressed ones do not count.
    threshold : float
    """

    highest: float
    average: float
    at_risk: int
    share_at_risk: float
    unique_share: float
    n_records: int
    threshold: float


def record_risks(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any = None,
    population_size: int | None = None,
    hierarchies: Any = None,
    generalized: bool = False,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> pd.Series:
    """Give each record's risk of being re-identified.

    It is 1 over the number of people who may be behind the record: those of its class
    for a prosecutor, who knows that the target is in the table; those of the population
    for a journalist, who does not.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    population : DataFrame (pandas or polars) or ndarray, default=None
        The people the table was drawn from, for the journalist's risk; see
        :func:`k_map`.
    population_size : int, default=None
        The number of these people, at least n, if there is no table of them: the
        journalist's risk is then estimated, as in :func:`journalist_risk`. Without
        either, it is the prosecutor's.
    hierarchies, generalized
        How to read the population, as in :func:`k_map`.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        As in :func:`skanon.privacy.k_anonymity`: behind a record are all whose rows it
        may be equal to, and a missing value of the population fits any label.

    Returns
    -------
    Series of float, shape (n,)
        Named ``"risk"``, with the index of ``X``; missing for wholly suppressed
        rows, which are in no class, unless there are no others.

    Raises
    ------
    ParameterError
        Both a population and its size are given, or the size is no integer of at least
        n.
    ReleaseError
        A class has more rows than people in the population who fit it.
    ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`k_map`.

    References
    ----------
    K. El Emam, Guide to the De-Identification of Personal Health Information (2013).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import record_risks
    >>> release = pd.DataFrame({"zip": ["47*", "47*", "48*", "*"]})
    >>> record_risks(release).tolist()
    [0.5, 0.5, 1.0, nan]
    """
    classes, risks = _risks_of_classes(
        X,
        quasi_identifiers,
        population,
        population_size,
        hierarchies,
        generalized,
        suppressed,
        wildcard,
    )
    of_row = np.append(risks, np.nan)[classes.groups]
    return pd.Series(of_row, index=classes.published.index, name="risk")


def prosecutor_risk(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    threshold: float = 0.2,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> RiskSummary:
    """Measure the risk by somebody who knows that the target is in the table.

    A record's risk is 1 over the size of its class.

    Parameters
    ----------
    frame, quasi_identifiers, suppressed, wildcard
        As in :func:`record_risks`.
    threshold : float, default=0.2
        Records of a risk above it are at risk; 0.2 means classes of less than 5.

    Returns
    -------
    RiskSummary

    Raises
    ------
    ParameterError
        ``threshold`` is not from 0 to 1.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`equivalence_classes`.

    References
    ----------
    K. El Emam, F. K. Dankar, Protecting Privacy Using k-Anonymity (2008).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import prosecutor_risk
    >>> risk = prosecutor_risk(pd.DataFrame({"zip": ["47*"] * 5 + ["48*"]}))
    >>> risk.highest, round(risk.average, 3), risk.at_risk, round(risk.unique_share, 3)
    (1.0, 0.333, 1, 0.167)
    """
    threshold = _check_threshold(threshold)
    classes = classify(X, quasi_identifiers, suppressed, wildcard)
    return _summarize(classes, 1 / classes.reach, threshold)


def journalist_risk(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any = None,
    population_size: int | None = None,
    hierarchies: Any = None,
    generalized: bool = False,
    threshold: float = 0.2,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> RiskSummary:
    """Measure the risk by somebody who does not know who is in the table.

    A record's risk is 1 over the number of people in the population who fit its class.

    Parameters
    ----------
    frame, quasi_identifiers, population, population_size, hierarchies, generalized
        As in :func:`record_risks`; one of ``population`` and ``population_size`` is
        needed.
    threshold : float, default=0.2
        Records of a risk above it are at risk.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        As in :func:`record_risks`.

    Returns
    -------
    RiskSummary
        ``average`` is the marketer's risk. Where the population is estimated,
        ``highest`` is the expected risk of the smallest class, not an upper bound.

    Raises
    ------
    ParameterError
        Neither or both of ``population`` and ``population_size`` are given, or one
        parameter is out of its range.
    ReleaseError
        A class has more rows than people in the population who fit it.
    ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`k_map`.

    Notes
    -----
    With ``population_size`` N alone, the table is taken for a simple random sample: a
    class with f rows has F people, of which F - f are distributed like the failures
    before the f-th success of probability p = n / N. The risk is the expected 1 / F
    given f, in closed form p / f times the hypergeometric function 2F1(1, 1; f + 1;
    1 - p): the individual risk of mu-Argus.

    References
    ----------
    El Emam and Dankar as in :func:`prosecutor_risk`. R. Benedetti, L. Franconi,
    Statistical and Technological Solutions for Controlled Data Dissemination (1998).
    L. Franconi, S. Polettini, Individual Risk Estimation in mu-Argus: A Review (2004).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import journalist_risk
    >>> release = pd.DataFrame({"age": ["[20, 29]", "[20, 29]", "[30, 39]"]})
    >>> register = pd.DataFrame({"age": [21, 25, 28, 29, 33, 38]})
    >>> journalist_risk(release, population=register).highest
    0.5
    >>> round(journalist_risk(release, population_size=6).highest, 3)
    0.693
    """
    threshold = _check_threshold(threshold)
    if population is None and population_size is None:
        raise ParameterError(
            "population and population_size are both None, but a journalist's risk "
            "depends on who else there is. Give a table of the population, or its size "
            "for an estimate; prosecutor_risk does without."
        )
    classes, risks = _risks_of_classes(
        X,
        quasi_identifiers,
        population,
        population_size,
        hierarchies,
        generalized,
        suppressed,
        wildcard,
    )
    return _summarize(classes, risks, threshold)


def marketer_risk(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any = None,
    population_size: int | None = None,
    hierarchies: Any = None,
    generalized: bool = False,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure the share of records that somebody re-identifies who tries all of them.

    Parameters
    ----------
    frame, quasi_identifiers, population, population_size, hierarchies, generalized, \
suppressed, wildcard
        As in :func:`record_risks`. Without a population, the one who tries has a table
        of just those who are in the release: the share is the number of classes over
        that of records.

    Returns
    -------
    float
        The average of `record_risks`, above 0 and at most 1.

    Raises
    ------
    ColumnError, ColumnTypeError, HierarchyError, ParameterError, ReleaseError
        As in :func:`record_risks`.

    References
    ----------
    F. K. Dankar, K. El Emam, A Method for Evaluating Marketer Re-identification Risk
    (2010).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import marketer_risk
    >>> marketer_risk(pd.DataFrame({"zip": ["47*", "47*", "48*", "48*"]}))
    0.5
    """
    classes, risks = _risks_of_classes(
        X,
        quasi_identifiers,
        population,
        population_size,
        hierarchies,
        generalized,
        suppressed,
        wildcard,
    )
    return _summarize(classes, risks, 1.0).average


def _risks_of_classes(
    frame: Any,
    quasi_identifiers: Any,
    population: Any,
    population_size: Any,
    hierarchies: Any,
    generalized: bool,
    suppressed: Any,
    wildcard: bool,
) -> tuple[Classes, np.ndarray]:
    if population is not None and population_size is not None:
        raise ParameterError(
            f"population and population_size={population_size!r} are both given. Give "
            "the table of the population, or else its size for an estimate."
        )
    classes = classify(frame, quasi_identifiers, suppressed, wildcard)
    if population is not None:
        found = match_population(
            classes, population, hierarchies, suppressed, bool(generalized)
        )
        check_superset(classes, found)
        return classes, 1 / found.counts
    if population_size is None:
        return classes, 1 / classes.reach
    n = len(classes.of_row)
    sampled = n / check_population_size(population_size, n)
    sizes, of_class = np.unique(classes.reach, return_inverse=True)
    return classes, expected_risks(sizes, sampled)[of_class]


def expected_risks(sizes: np.ndarray, sampled: float) -> np.ndarray:
    """Give the expected 1 / F for classes of some sizes f in the sample.

    It is p / f times 2F1(1, 1; f + 1; 1 - p), or p times the integral I_f of
    s^(f - 1) / (p + (1 - p) s) over 0..1, which I_(f + 1) = (1 / f - p I_f) / (1 - p)
    gives where the series is slow.
    """
    rest = 1 - sampled
    term = np.ones(len(sizes))
    total = np.ones(len(sizes))
    for k in range(_TERMS):
        term *= rest * (k + 1) / (sizes + k + 1)
        total += term
    risks = sampled / sizes * total
    if sampled < 0.5:
        integral = -np.log(sampled) / rest
        for size in range(1, _TERMS):
            risks[sizes == size] = sampled * integral
            integral = (1 / size - sampled * integral) / rest
    return risks


def _summarize(classes: Classes, risks: np.ndarray, threshold: float) -> RiskSummary:
    counts = classes.counts
    n = int(counts.sum())
    at_risk = int(counts[risks > threshold * (1 + 1e-9)].sum())
    return RiskSummary(
        highest=float(risks.max()),
        average=float((counts * risks).sum() / n),
        at_risk=at_risk,
        share_at_risk=at_risk / n,
        unique_share=int(counts[classes.reach == 1].sum()) / n,
        n_records=n,
        threshold=threshold,
    )


def check_population_size(size: Any, n: int) -> int:
    """Refuse a size of a population that n records cannot be drawn from."""
    whole = isinstance(size, Integral) and not isinstance(size, (bool, np.bool_))
    if not whole or size < n:
        raise ParameterError(
            f"population_size is {in_short(size)}, but must be an integer of at least "
            f"{n}, the number of rows of the table."
        )
    return int(size)


def _check_threshold(threshold: Any) -> float:
    number = isinstance(threshold, Real) and not isinstance(threshold, (bool, np.bool_))
    if not number or not 0 <= threshold <= 1:
        raise ParameterError(
            f"threshold is {in_short(threshold)}, but must be a number from 0 to 1."
        )
    return float(threshold)

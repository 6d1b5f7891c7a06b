"""What a release tells of who is in it, given a table of the population."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skanon.exceptions import ReleaseError
from skanon.privacy._classes import Classes, classify
from skanon.privacy._population import Matches, match_population


class PresenceRange(NamedTuple):
    """How likely people of a population are to be in a release.

    Attributes
    ----------
    lowest, highest : float
        From 0 to 1: delta_min and delta_max.
    """

    lowest: float
    highest: float


def k_map(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any,
    hierarchies: Any = None,
    generalized: bool = False,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure which k-map a table achieves: how many people may be behind each row.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    population : DataFrame (pandas or polars) or ndarray of shape (N, n_columns)
        Has the quasi-identifiers of people, raw, such as a public register. A released
        label fits the raw values it stands for: ``*`` all, a value itself, the name of
        a node what is below it in ``hierarchies``, sets, ranges and masks what they
        say. Missing values fit missing values and ``*``.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    hierarchies : mapping from column to hierarchy, default=None
        For labels that are names of nodes, in the forms of
        :func:`skanon.privacy.t_closeness`.
    generalized : bool, default=False
        True if the population has been generalized like the release: then labels fit
        only themselves, ``*`` included.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value. Wholly suppressed rows fit everybody and do
        not count, unless there are no others.
    wildcard : bool, default=False
        As in :func:`skanon.privacy.k_anonymity`: a missing or suppressed cell fits
        everybody, and a person's missing value any label.

    Returns
    -------
    int
        From 0 to N; 0 if nobody fits some class.

    Raises
    ------
    ColumnError
        The population lacks a quasi-identifier or has no rows, or a label cannot be
        read.
    HierarchyError, ParameterError
        A hierarchy cannot be read.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`skanon.privacy.equivalence_classes`.

    Notes
    -----
    Where labels of a column overlap, each class is compared with each person: fine for
    10,000 classes and 100,000 people, minutes for 100,000 and 5 million.

    References
    ----------
    L. Sweeney, Computational Disclosure Control (2001).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import k_map
    >>> release = pd.DataFrame({"age": ["[20, 29]", "[30, 39]"]})
    >>> register = pd.DataFrame({"age": [21, 25, 29, 33, 38, 51]})
    >>> k_map(release, population=register)
    2
    """
    classes = classify(X, quasi_identifiers, suppressed, wildcard)
    found = match_population(
        classes, population, hierarchies, suppressed, bool(generalized)
    )
    return int(found.counts.min())


def delta_presence(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any,
    hierarchies: Any = None,
    generalized: bool = False,
    suppressed: Any = "*",
) -> PresenceRange:
    """Measure how sure the release makes one that somebody is in it, or is not.

    Somebody of the population is in the release with the probability that the class
    that fits them has rows, per person that it fits; those whom no class fits are not
    in it.

    Parameters
    ----------
    frame, population, quasi_identifiers, hierarchies, generalized, suppressed
        As in :func:`k_map`. The population must hold everybody in the release.

    Returns
    -------
    PresenceRange
        The ``lowest`` and ``highest`` probability: delta_min and delta_max. Wholly
        suppressed rows make nobody more likely.

    Raises
    ------
    ReleaseError
        A class has more rows than people who fit it, or somebody fits several classes,
        for which delta-presence is not defined.
    ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in :func:`k_map`.

    References
    ----------
    M. E. Nergiz, M. Atzori, C. Clifton, Hiding the Presence of Individuals from Shared
    Databases (2007).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import delta_presence
    >>> release = pd.DataFrame({"age": ["[20, 29]", "[20, 29]", "[30, 39]"]})
    >>> register = pd.DataFrame({"age": [21, 25, 29, 33, 38]})
    >>> delta_presence(release, population=register)
    PresenceRange(lowest=0.5, highest=0.6666666666666666)
    """
    classes = classify(X, quasi_identifiers, suppressed)
    found = match_population(
        classes, population, hierarchies, suppressed, bool(generalized)
    )
    if found.overlap:
        raise ReleaseError(
            "Somebody in the population fits several classes of the release, for which "
            "delta-presence is not defined. Use a release whose classes do not overlap "
            "(such as of full-domain generalization), or k_map."
        )
    check_superset(classes, found)
    probabilities = classes.counts / found.counts
    lowest = probabilities.min() if found.covered.all() else 0.0
    return PresenceRange(float(lowest), float(probabilities.max()))


def check_superset(classes: Classes, found: Matches) -> None:
    """Refuse a population that cannot hold everybody in the release."""
    short = np.flatnonzero(found.counts < classes.counts)
    if len(short):
        position = int(short[0])
        row = int(classes.first_rows()[position])
        raise ReleaseError(
            f"The class of row {row} has {classes.counts[position]} rows in the "
            f"release, but only {found.counts[position]} people of the population fit "
            "it. Give a population that holds everybody in the release; k_map takes "
            "any."
        )

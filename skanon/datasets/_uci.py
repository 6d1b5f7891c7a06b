"""The tables of the UCI repository that the package ships."""

from __future__ import annotations

import gzip
import io
from importlib import resources
from typing import Any

import pandas as pd
from sklearn.utils import Bunch

from skanon.datasets._descriptions import ADULT, CMC, About
from skanon.datasets._hierarchies import adult_hierarchies, cmc_hierarchies
from skanon.hierarchies import Hierarchy

MISSING = "?"
"""What UCI, and so the shipped files, write for a missing value."""


def load_adult(*, missing: bool = False, return_X_y: bool = False) -> Any:
    """Load UCI's Adult, the census table that k-anonymizers are compared on.

    Parameters
    ----------
    missing : bool, default=False
        Whether to include the 3,620 records that lack a value (NaN), so that there
        are 48,842 instead of the 45,222 complete ones.
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` instead of the Bunch.

    Returns
    -------
    Bunch
        data : DataFrame of shape (45222, 14)
            The attributes; int64 for numbers, str for the rest.
        target : Series of shape (45222,)
            ``income``, ``"<=50K"`` or ``">50K"``.
        frame : DataFrame of shape (45222, 15)
            Both.
        feature_names : list of str
        target_names : list of str
            The target's classes.
        hierarchies : dict of str to Hierarchy
            One for each attribute: ranges for numbers, a taxonomy for the rest. They
            cover the incomplete records too.
        columns : dict of str to str
            What each column is.
        DESCR, source, licence : str
            All about the table, with the columns to regard as quasi-identifiers.

    See Also
    --------
    load_cmc : A smaller table.
    make_art : Artificial data of any size.

    Notes
    -----
    Becker, B. and Kohavi, R. (1996). Adult. UCI Machine Learning Repository.
    https://doi.org/10.24432/C5XW20. CC BY 4.0.

    Examples
    --------
    >>> from skanon.datasets import load_adult
    >>> adult = load_adult()
    >>> adult.data.shape
    (45222, 14)
    >>> adult.target.value_counts().to_dict()
    {'<=50K': 34014, '>50K': 11208}
    >>> adult.hierarchies["race"]
    Taxonomy(5 values, height 3, root '*')
    >>> X, y = load_adult(missing=True, return_X_y=True)
    >>> len(X), int(X["occupation"].isna().sum())
    (48842, 2809)
    """
    frame = _read("adult.csv.gz")
    if not missing:
        frame = frame.dropna(ignore_index=True)
    return _bunch(frame, ADULT, adult_hierarchies(), return_X_y)


def load_cmc(*, return_X_y: bool = False) -> Any:
    """Load UCI's Contraceptive Method Choice, the smaller table of the comparisons.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` instead of the Bunch.

    Returns
    -------
    Bunch
        data : DataFrame of shape (1473, 9)
            The attributes; int64 for numbers, str for the rest, UCI's codes decoded.
        target : Series of shape (1473,)
            ``contraceptive_method``: ``"No-use"``, ``"Long-term"`` or
            ``"Short-term"``.
        frame : DataFrame of shape (1473, 10)
            Both.
        feature_names, target_names, hierarchies, columns, DESCR, source, licence
            As :func:`load_adult` has them.

    Notes
    -----
    Lim, T.-S. (1997). Contraceptive Method Choice. UCI Machine Learning Repository.
    https://doi.org/10.24432/C59W2D. CC BY 4.0.

    Examples
    --------
    >>> from skanon.datasets import load_cmc
    >>> cmc = load_cmc()
    >>> cmc.data.shape
    (1473, 9)
    >>> cmc.target.value_counts().to_dict()
    {'No-use': 629, 'Short-term': 511, 'Long-term': 333}
    >>> cmc.columns["wife_age"]
    "the woman's age in years, 16 to 49"
    """
    return _bunch(_read("cmc.csv.gz"), CMC, cmc_hierarchies(), return_X_y)


def _read(name: str) -> pd.DataFrame:
    packed = resources.files("skanon.datasets").joinpath("data", name).read_bytes()
    text = gzip.decompress(packed).decode("ascii")
    # only the sign is missing: words like "None" are values as others
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[MISSING])


def _bunch(
    frame: pd.DataFrame,
    about: About,
    hierarchies: dict[str, Hierarchy],
    return_X_y: bool,
) -> Any:
    *features, label = about.columns
    data, target = frame[features], frame[label]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=features,
        target_names=sorted(target.unique()),
        hierarchies=hierarchies,
        columns=dict(about.columns),
        DESCR=about.describe(),
        source=about.source,
        licence=about.licence,
    )

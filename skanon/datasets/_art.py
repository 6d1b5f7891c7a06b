"""Artificial data with published distributions and permissible subsets."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import pandas as pd
from sklearn.utils import Bunch, check_random_state

from skanon.datasets._descriptions import ART
from skanon.datasets._hierarchies import art_hierarchies
from skanon.exceptions import ParameterError

ART_PROBABILITIES: dict[str, tuple[float, ...]] = {
    "A1": (0.7, 0.3),
    "A2": (0.3, 0.3, 0.2, 0.2),
    "A3": (0.25, 0.25, 0.4, 0.1),
    "A4": (0.07,) * 6 + (0.04,) * 10 + (0.02,) * 9,
    "A5": (0.1,) * 10,
    "A6": (0.05, 0.05, 0.5, 0.3, 0.1),
}
"""How probable the values a1, a2, … of each attribute are."""


def make_art(n: int = 5000, *, random_state: Any = None) -> Bunch:
    """Generate the artificial data of Gionis, Mazza and Tassa.

    Parameters
    ----------
    n : int, default=5000
        How many records; the published experiments have 5,000.
    random_state : int, RandomState instance or None, default=None
        An integer makes the same table at every call.

    Returns
    -------
    Bunch
        data, frame : DataFrame of shape (n, 6)
            Columns ``A1`` to ``A6`` of str, with values ``a1``, ``a2``, …; there is
            no target, so both are the same.
        feature_names : list of str
        hierarchies : dict of str to Taxonomy
            The published permissible subsets.
        columns : dict of str to str
        DESCR, source, licence : str

    Raises
    ------
    ParameterError
        ``n`` is no positive integer.

    Notes
    -----
    A. Gionis, A. Mazza and T. Tassa, "k-Anonymization Revisited", ICDE 2008, section
    VI, "Artificial data".

    Examples
    --------
    >>> from skanon.datasets import make_art
    >>> art = make_art(1000, random_state=0)
    >>> art.data.shape
    (1000, 6)
    >>> art.hierarchies["A6"].to_frame()
        0      1      2  3
    0  a1     a1  a1-a2  *
    1  a2     a2  a1-a2  *
    2  a3     a3  a3-a5  *
    3  a4  a4-a5  a3-a5  *
    4  a5  a4-a5  a3-a5  *
    """
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise ParameterError(
            f"n={n!r} is not a number of records. Give an integer of at least 1."
        )
    rng = check_random_state(random_state)
    frame = pd.DataFrame(
        {
            name: pd.Series(
                rng.choice(_values(len(chances)), size=n, p=chances), dtype="str"
            )
            for name, chances in ART_PROBABILITIES.items()
        }
    )
    return Bunch(
        data=frame,
        frame=frame,
        feature_names=list(ART_PROBABILITIES),
        hierarchies=art_hierarchies(),
        columns=dict(ART.columns),
        DESCR=ART.describe(),
        source=ART.source,
        licence=ART.licence,
    )


def _values(m: int) -> list[str]:
    return [f"a{i}" for i in range(1, m + 1)]

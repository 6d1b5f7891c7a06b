"""Making releases of a table, in a process of its own, for ``_background``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from skanon.exceptions import PrivacyWarning
from skanon_widgets._shared.process import in_words


def serve(take: Callable[[], Any], give: Callable[[Any], None]) -> None:
    """Take the table, then one unfitted anonymizer after the other.

    Parameters
    ----------
    take, give : callable
        Read what comes next, and send what :func:`make_release` gives.
    """
    _warm_up()  # while the user still thinks
    table = take()
    while True:
        give(make_release(take(), table))


def make_release(anonymizer: Any, table: Any) -> tuple[Any, ...]:
    """Fit, and tell what came of it.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Unfitted.
    table : DataFrame of shape (n, n_columns)

    Returns
    -------
    tuple
        ``("done", anonymizer, release, warnings)`` or ``("failed", words)``. Warnings
        are pairs of a level and a text. What is told of the progress goes to the error
        stream.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            anonymizer.set_params(verbose=1)
            release = anonymizer.fit_transform(table)
        except Exception as error:
            return "failed", in_words(error)
    for fitted in (anonymizer, anonymizer.algorithm_):
        fitted.verbose = 0
    said = [
        ("danger" if issubclass(x.category, PrivacyWarning) else "look", str(x.message))
        for x in caught
        if issubclass(x.category, UserWarning)
    ]
    return "done", anonymizer, release, list(dict.fromkeys(said))


def _warm_up() -> None:
    """Load what the first fit would have to load."""
    import pandas as pd

    from skanon import KAnonymizer

    few = pd.DataFrame({"number": [1, 2, 3, 4], "text": list("aabb")})
    KAnonymizer(2, algorithm="mondrian", random_state=0).fit_transform(few)

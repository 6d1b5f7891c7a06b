"""An anonymizer's table and its release, from what it remembers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from skanon._contract import Anonymizer
from skanon._release.emission import restore
from skanon._table.containers import as_release
from skanon.exceptions import ParameterError
from skanon.hierarchies import BoundHierarchy


def fitted_tables(anonymizer: Anonymizer) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the fitted quasi-identifiers and what became of them.

    Parameters
    ----------
    anonymizer : Anonymizer
        Fitted.

    Returns
    -------
    original, released : DataFrame of shape (n, r)
        Counted from row 0; the second in text, as ``encode="label"`` gives it.

    Raises
    ------
    NotFittedError
    ParameterError
        The anonymizer has forgotten its records.
    """
    check_is_fitted(anonymizer)
    if not hasattr(anonymizer, "_codes"):
        raise ParameterError(
            "The anonymizer has forgotten the records that it was fitted on, so its "
            "release cannot be measured. Use the one that forget() was called on."
        )
    classes = anonymizer._classes
    names = classes.schema.names
    columns = {
        name: _values(bound, codes)
        for name, bound, codes in zip(
            names, classes.schema.bounds, anonymizer._codes.T, strict=True
        )
    }
    index = pd.RangeIndex(len(anonymizer._codes))
    released = classes.write(names, "label", anonymizer.labels_)
    return as_release(columns, index), as_release(released, index)


def _values(bound: BoundHierarchy, codes: np.ndarray) -> object:
    """Turn codes back into values of the column's own dtype."""
    values = [*bound.values, *([None] if bound.missing >= 0 else [])]
    return restore([values[code] for code in codes.tolist()], bound.domain.dtype)

"""What a table can reach at all, before anything is anonymized."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from skanon.privacy._models import closeness, disclosure, diversity, likeness, share
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import Attribute, Spread, read_attributes, spread


def feasible_range(
    X: Any,
    sensitive: Any,
    *,
    c: float | None = None,
    distance: Any = None,
    hierarchies: Any = None,
) -> pd.DataFrame:
    """Tell which levels of each privacy model a table can reach at all.

    The strictest level is that of the table as a single class: no other classes of all
    its rows have a better one. (Wholly suppressed rows are in no class, so that the
    rest may be more diverse than the table.) The loosest is that of classes of a single
    sensitive value, which is kept by whatever is published. A promise in between can be
    kept, though maybe by coarse classes only.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The table before or after; only the sensitive attributes count.
    sensitive : column label, list of labels, Series or DataFrame of n rows
        The sensitive attributes. Missing values are one value.
    c : float, default=None
        The constant of recursive (c, l)-diversity; None leaves this level out.
    distance, hierarchies : default=None
        As in :func:`skanon.privacy.t_closeness`.

    Returns
    -------
    DataFrame of shape (n_levels * n_attributes, 4)
        Indexed by the sensitive ``"attribute"`` and the ``"level"``: ``"l"`` (the
        frequency form), ``"l_distinct"``, ``"l_entropy"``, ``"l_recursive"``,
        ``"alpha"``, ``"p"``, ``"t"``, ``"beta"``, ``"beta_enhanced"``, ``"delta"``. Its
        columns are the ``"strictest"`` and the ``"loosest"`` level, and the most
        frequent ``"value"`` with its ``"frequency"``, which limits l and alpha:
        l <= l0 = 1 / frequency <= 1 / alpha. For a constant attribute both levels are
        equal.

    Raises
    ------
    ColumnError
        A sensitive attribute is unknown or named twice, or the table is empty.
    ColumnTypeError, HierarchyError, ParameterError
        As in :func:`skanon.privacy.l_diversity` and :func:`skanon.privacy.t_closeness`.

    References
    ----------
    J. Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 7
    (l0).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import feasible_range
    >>> table = pd.DataFrame({"disease": ["flu", "flu", "flu", "cold"]})
    >>> levels = feasible_range(table, "disease").loc["disease"]
    >>> levels.loc["l"].to_dict()
    {'strictest': 1.3333333333333333, 'loosest': 1.0, 'value': 'flu', 'frequency': 0.75}
    >>> levels.loc["t", ["strictest", "loosest"]].tolist()
    [0.0, 0.75]
    """
    columns = to_pandas(X).columns
    attributes, _ = read_attributes(X, to_pandas(X), sensitive)
    names = [attribute.name for attribute in attributes]
    models = {
        "l": diversity("frequency"),
        "l_distinct": diversity("distinct"),
        "l_entropy": diversity("entropy"),
        "alpha": share(),
        "p": diversity("distinct"),
        "t": closeness(distance, hierarchies, names, columns),
        "beta": likeness("basic"),
        "beta_enhanced": likeness("enhanced"),
        "delta": disclosure(),
    }
    if c is not None:
        models["l_recursive"] = diversity("recursive", c)
    records = []
    for attribute in attributes:
        most = int(np.argmax(attribute.totals))
        value = attribute.values.iloc[most]
        frequency = attribute.totals[most] / len(attribute.codes)
        together = partial(_count, np.zeros_like(attribute.codes))
        apart = partial(_count, attribute.codes)
        for name, model in models.items():
            strictest = model.worst(model.measure(attribute, together))
            loosest = model.worst(model.measure(attribute, apart))
            records.append((attribute.name, name, strictest, loosest, value, frequency))
    heads = ["attribute", "level", "strictest", "loosest", "value", "frequency"]
    index = pd.MultiIndex.from_tuples(
        [record[:2] for record in records], names=heads[:2]
    )
    rows = [record[2:] for record in records]
    return pd.DataFrame(rows, index=index, columns=pd.Index(heads[2:]))


def _count(groups: np.ndarray, attribute: Attribute) -> Spread:
    return spread(groups, attribute.codes, attribute.totals)

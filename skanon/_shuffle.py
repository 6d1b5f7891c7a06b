"""The order of a release's rows, which tells of the table that it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from skanon._table.containers import as_frame, is_polars


def shuffle_release(released: Any, random_state: Any = None) -> Any:
    """Put the rows of a release in random order, and count them anew.

    A table that was sorted by age stays so, and tells who is the youngest of a class; a
    row's index tells its place in the table. Do this last, before you publish.

    Parameters
    ----------
    released : DataFrame (pandas, polars) or ndarray of shape (n, n_columns)
    random_state : int, RandomState or None
        None, the default, gives an order that nobody can compute again; who knows
        another seed, and the number of rows, undoes it.

    Returns
    -------
    DataFrame (pandas, polars) or ndarray of shape (n, n_columns)
        The same rows, with a new index.

    Raises
    ------
    ColumnError
        It is no table.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": ["[20, 29]", "[20, 29]", "[30, 39]"]})
    >>> shuffled = shuffle_release(release)
    >>> sorted(shuffled["age"]), shuffled.index.tolist()
    (['[20, 29]', '[20, 29]', '[30, 39]'], [0, 1, 2])
    """
    frame = as_frame(released)
    if random_state is None:  # seeded by the operating system, with 128 bits
        order = np.random.default_rng().permutation(len(frame))
    else:
        order = check_random_state(random_state).permutation(len(frame))
    if is_polars(released):
        return released[order]
    if isinstance(released, pd.DataFrame):
        return released.iloc[order].reset_index(drop=True)
    return np.asarray(released)[order]

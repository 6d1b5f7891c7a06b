"""The classes and rows of a published table that break a promise."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import ParameterError, in_short
from skanon.privacy._classes import Classes, classify
from skanon.privacy._k_anonymity import check_k
from skanon.privacy._models import (
    Model,
    closeness,
    disclosure,
    diversity,
    likeness,
    share,
)
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import Attribute, read_sensitive, spread_over

_FORGIVEN = 1e-9


def violations(
    X: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    alpha: float | None = None,
    p: int | None = None,
    beta: float | None = None,
    delta: float | None = None,
    l_kind: str = "frequency",
    c: float | None = None,
    distance: Any = None,
    hierarchies: Any = None,
    value: Any = None,
    beta_kind: str = "basic",
    absent: str = "infinite",
    suppressed: Any = "*",
    wildcard: bool = False,
) -> pd.DataFrame:
    """List the equivalence classes that break a promise.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, default=None
        None means every column but the sensitive attributes.
    sensitive : column label, list of labels, Series or DataFrame, default=None
        The sensitive attributes, as in :func:`l_diversity`. Only k does without.
    k : int, default=None
        The fewest rows of a class, at least 1. None means that this is not asked for,
        as for all the following; at least one level must be asked for.
    l, p : float and int, default=None
        The lowest levels that :func:`l_diversity` and :func:`p_sensitivity` may have;
        at least 1.
    t, alpha : float, default=None
        The highest levels that :func:`t_closeness` and :func:`alpha_k_anonymity` may
        have; from 0 to 1.
    beta, delta : float, default=None
        The highest levels that :func:`beta_likeness` and :func:`delta_disclosure` may
        have; at least 0.
    l_kind, c : default="frequency", None
        Options of l, as ``kind`` and ``c`` of :func:`l_diversity`.
    distance, hierarchies : default=None
        Options of t, as in :func:`t_closeness`.
    value : default=None
        Option of alpha, as in :func:`alpha_k_anonymity`.
    beta_kind : default="basic"
        Option of beta, as ``kind`` of :func:`beta_likeness`.
    absent : default="infinite"
        Option of delta, as in :func:`delta_disclosure`.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does.
    wildcard : bool, default=False
        As in :func:`k_anonymity`. The classes are then those of ``suppressed=None``,
        each judged by all rows that its rows may be equal to; these are also counted as
        what it ``"reaches"``.

    Returns
    -------
    DataFrame of shape (n_offending, n_quasi_identifiers + 3 + n_levels)
        One row per offending class, the smallest first, indexed by the class's number
        in `equivalence_classes`: its values, its ``"size"``, what it achieves of each
        level that is asked for except k (``"l"``, ``"t"`` ...), the index labels of its
        ``"rows"`` and their ``"positions"`` (unambiguous where labels repeat), both as
        lists. Where a quasi-identifier has one of these names, ours ends in ``"_"``.
        Empty if and only if all levels are kept. A difference of 1e-9 is forgiven, so
        that rounding breaks no promise.

    Raises
    ------
    ParameterError
        A level is out of its range, none is asked for, or there is no sensitive
        attribute where one is needed.
    ColumnError, ColumnTypeError, HierarchyError, ParameterError
        As in the functions that measure the levels.

    References
    ----------
    A. Gionis, A. Mazza, T. Tassa, k-Anonymization Revisited, definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import violations
    >>> release = pd.DataFrame({"zip": ["47*", "48*", "47*"]}, index=["a", "b", "c"])
    >>> violations(release, ["zip"], k=2).to_dict("index")
    {1: {'zip': '48*', 'size': 1, 'rows': ['b'], 'positions': [1]}}
    >>> release["disease"] = ["flu", "flu", "flu"]
    >>> violations(release, ["zip"], "disease", l=2)[["zip", "l"]].to_dict("index")
    {1: {'zip': '48*', 'l': 1.0}, 0: {'zip': '47*', 'l': 1.0}}
    """
    asked = {"l": l, "t": t, "alpha": alpha, "p": p, "beta": beta, "delta": delta}
    wanted = {name: level for name, level in asked.items() if level is not None}
    if k is None and not wanted:
        raise ParameterError(
            "k is None, but must be an integer of at least 1, unless another level is "
            "asked for: l, t, alpha, p, beta or delta."
        )
    if k is not None:
        k = check_k(k)
    for name, level in wanted.items():
        _check_level(name, level)
    if wanted and sensitive is None:
        raise ParameterError(
            f"{' and '.join(wanted)} cannot be checked without a sensitive attribute. "
            "Name it in sensitive."
        )
    attributes: list[Attribute] = []
    if sensitive is None:
        classes = classify(X, quasi_identifiers, suppressed, wildcard)
    else:
        classes, attributes = read_sensitive(
            X, quasi_identifiers, sensitive, suppressed, wildcard
        )
    names = [attribute.name for attribute in attributes]
    models = {
        "l": lambda: diversity(l_kind, c),
        "t": lambda: closeness(distance, hierarchies, names, to_pandas(X).columns),
        "alpha": lambda: share(value),
        "p": lambda: diversity("distinct"),
        "beta": lambda: likeness(beta_kind),
        "delta": lambda: disclosure(absent),
    }
    over = spread_over(classes)
    broken = np.zeros(len(classes.counts), dtype=bool)
    if k is not None:
        broken |= classes.reach < k
    found: dict[str, np.ndarray] = {}
    for name, level in wanted.items():
        model = models[name]()
        found[name] = model.per_class(attributes, over)
        broken |= _breaks(model, found[name], float(level))
    return _list_classes(classes, broken, found)


def _breaks(model: Model, levels: np.ndarray, wanted: float) -> np.ndarray:
    if model.higher_is_safer:
        return levels < wanted * (1 - _FORGIVEN)
    return levels > wanted + _FORGIVEN


def _list_classes(
    classes: Classes, broken: np.ndarray, found: dict[str, np.ndarray]
) -> pd.DataFrame:
    chosen = np.flatnonzero(broken)
    chosen = chosen[np.argsort(classes.reach[chosen], kind="stable")]
    numbers = classes.numbers[chosen]
    rows = classes.rows_of(numbers)
    published = classes.published
    table = published.iloc[[int(positions[0]) for positions in rows]]
    table = table.set_axis(pd.Index(numbers, name="equivalence_class"))
    added: dict[str, Any] = {
        "size": pd.Series([len(positions) for positions in rows], dtype="int64").array
    }
    if classes.neighbours is not None:
        added["reaches"] = classes.reach[chosen]
    added |= {name: levels[chosen] for name, levels in found.items()}
    added["rows"] = _as_objects([published.index[at].tolist() for at in rows])
    added["positions"] = _as_objects([at.tolist() for at in rows])
    labels = list(table.columns)
    table = table.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)
    for name, values in added.items():
        while name in labels:
            name += "_"
        labels.append(name)
        table[name] = values
    return table


def _as_objects(lists: list[list[Any]]) -> Any:
    return pd.Series(lists, dtype=object).array


def _check_level(name: str, level: Any) -> None:
    lowest, highest = {
        "l": (1, np.inf),
        "p": (1, np.inf),
        "t": (0, 1),
        "alpha": (0, 1),
        "beta": (0, np.inf),
        "delta": (0, np.inf),
    }[name]
    kind = Integral if name == "p" else Real
    fits = isinstance(level, kind) and not isinstance(level, (bool, np.bool_))
    if not fits or not lowest <= level <= highest:
        what = "an integer" if name == "p" else "a number"
        ends = f"from {lowest} to 1" if highest == 1 else f"of at least {lowest}"
        raise ParameterError(f"{name} is {in_short(level)}, but must be {what} {ends}.")

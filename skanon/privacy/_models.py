"""The privacy models: their options, checked, and what each class achieves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon.exceptions import ColumnError, HierarchyError, ParameterError, in_short
from skanon.privacy._codes import equals
from skanon.privacy._levels import (
    basic_likeness,
    disclosed,
    distinct_diversity,
    enhanced_likeness,
    entropy_diversity,
    equal_distance,
    frequency_diversity,
    greatest_share,
    hierarchical_distance,
    ordered_distance,
    recursive_diversity,
)
from skanon.privacy._sensitive import Attribute, Spread
from skanon.privacy._trees import Tree, read_trees

L_KINDS = ("frequency", "distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")
BETA_KINDS = ("basic", "enhanced")
ABSENT = ("infinite", "ignored")

Over = Callable[[Attribute], Spread]
"""What counts a sensitive attribute's values in each class."""


class Model(NamedTuple):
    """A privacy model.

    ``measure`` gives what each class achieves, from a sensitive attribute and what
    counts its values in each class.
    """

    measure: Callable[[Attribute, Over], np.ndarray]
    higher_is_safer: bool

    def per_class(self, attributes: list[Attribute], over: Over) -> np.ndarray:
        """Give what each class achieves for the least protected attribute."""
        worse = np.minimum if self.higher_is_safer else np.maximum
        found = [self.measure(attribute, over) for attribute in attributes]
        return worse.reduce(found)

    def worst(self, levels: np.ndarray) -> Any:
        """Give the level of the least protected class, as a number of Python."""
        return (levels.min() if self.higher_is_safer else levels.max()).item()


def diversity(kind: Any = "frequency", c: Any = None) -> Model:
    """Make the model of l-diversity."""
    check_option("kind", kind, L_KINDS)
    if kind == "recursive":
        if (
            isinstance(c, (bool, np.bool_))
            or not isinstance(c, Real)
            or not float(c) > 0
        ):
            raise ParameterError(
                f"c is {in_short(c)}, but recursive (c, l)-diversity needs a number "
                "above 0."
            )
        ratio = float(c)
        return Model(
            lambda a, over: recursive_diversity(over(a), ratio),
            True,
        )
    if c is not None:
        raise ParameterError(
            f"c is {in_short(c)}, but only kind='recursive' has such a constant, not "
            f"kind={kind!r}. Leave c out."
        )
    level = {
        "frequency": frequency_diversity,
        "distinct": distinct_diversity,
        "entropy": entropy_diversity,
    }[kind]
    return Model(lambda a, over: level(over(a)), True)


def share(value: Any = None) -> Model:
    """Make the model of (alpha, k)-anonymity; a value of None means any."""
    if value is None:
        return Model(lambda a, over: greatest_share(over(a)), False)
    listed = list(value) if isinstance(value, (list, set, frozenset)) else [value]

    def measure(attribute: Attribute, over: Over) -> np.ndarray:
        wanted = _find_values(attribute, listed)
        return greatest_share(over(attribute), wanted)

    return Model(measure, False)


def closeness(
    distance: Any, hierarchies: Any, names: list[Any], columns: Iterable[Any]
) -> Model:
    """Make the model of t-closeness.

    Parameters
    ----------
    distance, hierarchies
        As in :func:`skanon.privacy.t_closeness`.
    names : list of labels
        The sensitive attributes.
    columns : iterable of labels
        The columns of the table, for which there may be hierarchies, too.
    """
    trees = read_trees(hierarchies, names, [*names, *columns])
    if isinstance(distance, Mapping):
        by_name = dict(distance)
        for name in by_name:
            if name not in names:
                raise ColumnError(
                    f"distance has the key {name!r}, which is no sensitive attribute; "
                    f"these are {', '.join(map(repr, names))}."
                )
    else:
        by_name = dict.fromkeys(names, distance)
    for chosen in by_name.values():
        if chosen is not None:
            check_option("distance", chosen, DISTANCES)

    def measure(attribute: Attribute, over: Over) -> np.ndarray:
        chosen = by_name.get(attribute.name)
        return _distance(attribute, over, chosen, trees.get(attribute.name))

    return Model(measure, False)


def likeness(kind: Any = "basic") -> Model:
    """Make the model of beta-likeness."""
    check_option("kind", kind, BETA_KINDS)
    basic = kind == "basic"
    level = basic_likeness if basic else enhanced_likeness
    return Model(lambda a, over: level(over(a)), False)


def disclosure(absent: Any = "infinite") -> Model:
    """Make the model of delta-disclosure privacy."""
    check_option("absent", absent, ABSENT)
    counted = absent == "infinite"
    return Model(lambda a, over: disclosed(over(a), counted), False)


def check_option(name: str, value: Any, options: tuple[str, ...]) -> None:
    """Check a parameter that takes one of some texts.

    Raises
    ------
    ParameterError
        It has another value.
    """
    if not isinstance(value, str) or value not in options:
        raise ParameterError(
            f"{name} is {in_short(value)}, but must be one of "
            f"{', '.join(map(repr, options))}."
        )


def _find_values(attribute: Attribute, listed: list[Any]) -> np.ndarray:
    wanted = np.zeros(len(attribute.totals), dtype=bool)
    for value in listed:
        found = equals(attribute.values, value)
        if not found.any():  # dates, which only objects tell apart
            found = equals(attribute.values.astype(object), value)
        if not found.any():
            raise ColumnError(
                f"The sensitive attribute {attribute.name!r} has no value {value!r}. "
                f"Its values are {_listed(attribute)}."
            )
        wanted |= found
    return wanted


def _listed(attribute: Attribute) -> str:
    shown = [attribute.show(code) for code in range(min(len(attribute.totals), 10))]
    more = len(attribute.totals) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _distance(
    attribute: Attribute, over: Over, chosen: str | None, tree: Tree | None
) -> np.ndarray:
    values = _plain(attribute.values)
    if chosen is None:
        ordered = "ordered" if _has_order(values) else "equal"
        chosen = ordered if tree is None else "hierarchical"
    if chosen == "equal":
        return equal_distance(over(attribute))
    if chosen == "hierarchical":
        nodes = _nodes(attribute, tree)
        return hierarchical_distance(over(attribute), nodes)
    if not _has_order(values) and values.dtype.kind != "b":
        raise ParameterError(
            f"distance is 'ordered', but the sensitive attribute {attribute.name!r} "
            f"holds {values.dtype}, which has no order of its own. Turn it into "
            "numbers or into an ordered categorical, or use distance='equal'."
        )
    order = np.asarray(values.array.argsort(na_position="last"))
    return ordered_distance(over(attribute.renumbered(order)))


def _plain(values: pd.Series) -> pd.Series:
    """Give the values a dtype that tells whether they have an order."""
    if isinstance(values.dtype, pd.SparseDtype):
        values = values.astype(values.dtype.subtype)
    return values.infer_objects() if values.dtype == object else values


def _has_order(values: pd.Series) -> bool:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return bool(values.dtype.ordered)
    return values.dtype.kind in "iufMm"


def _nodes(attribute: Attribute, tree: Tree | None) -> list[np.ndarray]:
    """Give the number of the node above each value, for each level below the root."""
    if tree is None:
        raise ParameterError(
            f"distance is 'hierarchical', but there is no hierarchy of "
            f"{attribute.name!r}. Give it as hierarchies={{{attribute.name!r}: ...}}."
        )
    missing = attribute.values.isna().to_numpy()
    paths: list[tuple[str | None, ...]] = []
    for value, gone in zip(attribute.values.tolist(), missing, strict=True):
        if gone:
            # it hangs below the root by itself: None is no name of a node
            paths.append((None,) * (tree.height - 1))
            continue
        path = tree.path(value)
        if path is None:
            raise HierarchyError(
                f"Column {attribute.name!r}: the value {value!r} is not in the "
                "hierarchy. Add it, or correct the value."
            )
        paths.append(path)
    return [_number(list(level)) for level in zip(*paths, strict=True)]


def _number(names: list[Any]) -> np.ndarray:
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names])

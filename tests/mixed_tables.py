"""Random tables of all kinds, and a reader of labels that knows nothing of skanon."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st

TOWNS = {
    "Europe": {"north": ["Kiel", "Oslo, NO"], "south": ["Rome", "[Bari]"]},
    "Asia": ["Kyoto", "{Hue}"],
}
TENS = {
    "low": {"0s": list(range(10)), "10s": list(range(10, 20))},
    "20s": list(range(20, 30)),
}
GRADES = pd.CategoricalDtype(["poor", "fair", "good, really"], ordered=True)


def nodes(tree):
    """Map each inner node's name to the set of its leaves' texts."""
    if isinstance(tree, list):
        return {}, {str(leaf) for leaf in tree}
    named, leaves = {}, set()
    for name, below in tree.items():
        inner, its_leaves = nodes(below)
        named |= inner | {name: its_leaves}
        leaves |= its_leaves
    return named, leaves


def text(value):
    """Write a value as a label does when it stays whole."""
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d")
    return str(value)


def items(listed):
    """Split ``a, "b, c"`` at the commas outside of quotes."""
    found = re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,"]+)', listed)
    return [json.loads(x) if x[0] == '"' else x for x in found]


def position(value, column):
    """Place a value on its column's line."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.dtype.categories).index(value)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return pd.Timestamp(value).value
    return Fraction(str(value))  # a float would round large integers


def covers(label, value, column, tree):
    """Tell whether a label may stand for a value of a column.

    Parameters
    ----------
    label : str or NaN
    value : scalar, or missing
    column : Series
    tree : dict or None
        The column's taxonomy as nested dicts.
    """
    if label == "*":
        return True
    if pd.isna(label) or pd.isna(value):
        return bool(pd.isna(label) and pd.isna(value))
    if label == text(value):
        return True
    if tree is not None:
        return text(value) in nodes(tree)[0].get(label, ())
    if label.startswith("{"):
        return text(value) in items(label[1:-1])
    if label.startswith("[") and column.dtype != "str":
        low, high = (position(end, column) for end in items(label[1:-1]))
        return low <= position(value, column) <= high
    return False


def entry_cost(label, column, tree, kind, loss):
    """Price a label by looking at each value that it covers."""
    present = column.dropna().unique()
    values = list(present)
    is_number = pd.api.types.is_numeric_dtype(column.dtype)
    if tree is not None and len(values):
        leaves = nodes({"root": tree})[0]["root"]
        values = [int(leaf) if is_number else leaf for leaf in leaves]
    missing = [None] if column.isna().any() else []
    whole = len(values) + len(missing)
    covered = [v for v in values + missing if covers(label, v, column, tree)]
    ordered = is_number and column.dtype != bool
    ordered |= column.dtype == GRADES
    ordered |= pd.api.types.is_datetime64_any_dtype(column.dtype)
    counted = kind in ("subsets", "suppression") and (kind == "subsets" or not ordered)
    if whole == 1:
        return 0.0
    if loss == "lm" or counted or not ordered:
        return (len(covered) - 1) / (whole - 1)
    if None in covered:
        return float(len(covered) > 1)
    line = [position(v, column) for v in values]
    inside = [position(v, column) for v in covered]
    return float((max(inside) - min(inside)) / Fraction(max(line) - min(line) or 1))


def loss_of(release, frame, labels, trees, kinds, loss):
    """Average the entries' costs; a suppressed record costs 1 per column."""
    total = 0.0
    for name in frame.columns:
        column, tree = frame[name], trees.get(name)
        for label, at in zip(release[name], labels, strict=True):
            cost = entry_cost(label, column, tree, kinds.get(name), loss)
            total += 1.0 if at < 0 else cost
    return total / frame.size


def _column(draw, n, kind):
    def some(values, missing):
        drawn = draw(
            st.lists(st.sampled_from(values + missing), min_size=n, max_size=n)
        )
        return drawn

    if kind == "int":
        return pd.Series(some(list(range(0, 30, 3)), []), dtype="int64")
    if kind == "float":
        return pd.Series(some([-2.5, 0.1, 7.0, 1e6], [math.nan]), dtype="float64")
    if kind == "Int64":
        return pd.Series(some([1, 2, 2**60, 2**60 + 1], [None]), dtype="Int64")
    if kind == "bool":
        return pd.Series(some([True, False], []), dtype=bool)
    if kind == "town":
        towns = sorted(nodes({"root": TOWNS})[0]["root"])
        return pd.Series(some(towns, [None]), dtype="str")
    if kind == "grade":
        return pd.Series(some(list(GRADES.categories), [None]), dtype=GRADES)
    days = [np.datetime64(day) for day in ("1850-03-01", "1999-12-31", "2020-02-29")]
    return pd.Series(some(days, [np.datetime64("NaT", "us")]), dtype="datetime64[us]")


@st.composite
def tables(draw):
    """Draw a table, and what ``hierarchies`` may say about it.

    Returns
    -------
    frame : DataFrame
    hierarchies : dict
    trees : dict from column to nested dicts
    kinds : dict from column to the hierarchy's word
    """
    n = draw(st.integers(1, 18))
    kinds = ["int", "float", "Int64", "bool", "town", "grade", "date"]
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    frame = pd.DataFrame(
        {f"{kind}{j}": _column(draw, n, kind) for j, kind in enumerate(chosen)}
    )
    hierarchies, trees, words = {}, {}, {}
    for name, kind in zip(frame.columns, chosen, strict=True):
        allowed = ["default", "suppression", "subsets"]
        if kind not in ("bool", "town"):
            allowed.append("intervals")
        if kind in ("int", "town"):
            allowed.append("tree")
        word = draw(st.sampled_from(allowed))
        if word == "tree":
            trees[name] = TENS if kind == "int" else TOWNS
            hierarchies[name] = {"anything": trees[name]}
        elif word != "default":
            hierarchies[name] = word
        words[name] = word
        if word == "default" and kind in ("bool", "town", "grade"):
            words[name] = "suppression"
    return frame, hierarchies, trees, words

"""Random tables of all kinds, and a reader of labels that knows nothing of skanon."""

import json
import math
import re
from collections import Counter
from fractions import Fraction
from functools import cache, partial

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


def values_of(column, tree):
    """List what an entry of a column may stand for, at most."""
    values = list(column.dropna().unique())
    if tree is not None and values:
        is_number = pd.api.types.is_numeric_dtype(column.dtype)
        leaves = nodes({"root": tree})[0]["root"]
        values = [int(leaf) if is_number else leaf for leaf in leaves]
    return values + ([None] if column.isna().any() else [])


def depths(tree, depth=0):
    """Map each inner node's name to its depth; and say how deep the leaves are."""
    if isinstance(tree, list):
        return {}, depth
    found, deepest = {}, 0
    for name, below in tree.items():
        inner, deep = depths(below, depth + 1)
        found |= inner | {name: depth}
        deepest = max(deepest, deep)
    return found, deepest


class Entry:
    """A label, read beside the column that it stands in."""

    def __init__(self, label, column, y, tree, kind):
        self.label, self.column, self.tree, self.kind = label, column, tree, kind
        self.values = values_of(column, tree)
        self.covered = [v for v in self.values if covers(label, v, column, tree)]
        inside = [covers(label, v, column, tree) for v in column]
        self.column_tally = Counter(key(v) for v in column[inside])
        self.sensitive_tally = Counter(
            x for x, is_in in zip(y, inside, strict=True) if is_in
        )
        self.n = sum(inside)

    def lm(self, value, sensitive):
        whole = len(self.values)
        return (len(self.covered) - 1) / (whole - 1) if whole > 1 else 0.0

    def ncp(self, value, sensitive):
        column = self.column
        ordered = pd.api.types.is_numeric_dtype(column.dtype) and column.dtype != bool
        ordered |= column.dtype == GRADES
        ordered |= pd.api.types.is_datetime64_any_dtype(column.dtype)
        if not ordered or self.kind == "subsets" or len(self.values) == 1:
            return self.lm(value, sensitive)
        if None in self.covered:
            return float(len(self.covered) > 1)
        line = [position(v, column) for v in self.values if v is not None]
        inside = [position(v, column) for v in self.covered]
        length = max(inside) - min(inside)
        return float(length / Fraction(max(line) - min(line) or 1))

    def level(self, value, sensitive):
        if len(self.covered) == 1:
            return 0.0
        if self.tree is None or self.label == "*":
            return 1.0
        found, deepest = depths({"root": self.tree})
        return 1 - found[self.label] / deepest

    def il(self, value, sensitive):
        if self.kind in ("default", "intervals"):
            return self.ncp(value, sensitive)
        return self.level(value, sensitive)

    def entropy(self, value, sensitive):
        shares = [count / self.n for count in self.column_tally.values()]
        return -math.fsum(share * math.log2(share) for share in shares)

    def mi(self, value, sensitive):
        return -math.log2(self.column_tally[key(value)] / self.n)

    def pmi(self, value, sensitive):
        return -math.log2(self.sensitive_tally[sensitive] / self.n)


MEASURES = {
    "lm": Entry.lm,
    "ncp": Entry.ncp,
    "tree": Entry.level,
    "byun": Entry.il,
    "entropy": Entry.entropy,
    "mi": Entry.mi,
    "pmi": Entry.pmi,
}


def key(value):
    """Make missing values of all kinds one."""
    return None if pd.isna(value) else value


def loss_of(release, frame, y, labels, trees, kinds, loss):
    """Average the entries' costs, less those of values that stay whole.

    A suppressed record costs 1 per column, or as many bits as the whole column.
    """
    measure, total = MEASURES[loss], 0.0
    for name in frame.columns:
        column = frame[name]
        read = cache(partial(_read, column, tuple(y), trees.get(name), kinds[name]))
        rows = zip(release[name], column, y, labels, strict=True)
        for label, value, sensitive, at in rows:
            cost = measure(read(key(label)), value, sensitive)
            if at < 0 and loss not in ("entropy", "mi", "pmi"):
                cost = 1.0
            own = read(None if pd.isna(value) else text(value))
            total += cost - measure(own, value, sensitive)
    return total / frame.size


def _read(column, y, tree, kind, label):
    return Entry(np.nan if label is None else label, column, y, tree, kind)


def strays(release, y, labels):
    """The share of records that are suppressed, or not of their class's majority."""
    classes = {}
    for row, sensitive, at in zip(
        release.astype(str).itertuples(index=False), y, labels, strict=True
    ):
        classes.setdefault(None if at < 0 else row, []).append(sensitive)
    classes.pop(None, None)
    most = sum(max(Counter(held).values()) for held in classes.values())
    return (len(y) - most) / len(y)


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
        if word == "default" and kind in ("bool", "town"):
            words[name] = "suppression"
    return frame, hierarchies, trees, words

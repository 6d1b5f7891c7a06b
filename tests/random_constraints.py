"""Random sensitive attributes, and promises about them."""

import math

import naive_constraints
import pandas as pd
from hypothesis import strategies as st

from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)

ILLNESSES = {"*": {"lungs": ["cold", "flu"], "stomach": ["gastritis", "ulcer"]}}
GRADES = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
VALUES = {
    "text": (["cold", "flu", "gastritis", "ulcer"], object),
    "number": ([3, 7, 8, 20], "Int64"),
    "truth": ([False, True], object),
    "grade": (["low", "mid", "high"], GRADES),
}


def sensitive_column(draw, n, kind):
    values, dtype = VALUES[kind]
    some = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    if draw(st.booleans()):
        some = [*some, None]
    listed = st.lists(st.sampled_from(some), min_size=n, max_size=n)
    return pd.Series(draw(listed), dtype=dtype)


@st.composite
def sensitive_columns(draw, n, kinds=tuple(VALUES)):
    return sensitive_column(draw, n, draw(st.sampled_from(kinds)))


@st.composite
def constraints(draw, column, caps_only=False):
    """Draw any promise that can be made about a column."""
    made = [share_limits, likeness]
    if not caps_only:
        made += [diversity, sensitivity, disclosure, closeness]
    return draw(st.sampled_from(made))(draw, column)


def share_limits(draw, column):
    if draw(st.booleans()):
        return LDiversity(draw(st.sampled_from([1, 1.2, 4 / 3, 1.5, 2, 2.5, 3])))
    values = None
    if draw(st.booleans()):
        present = [None if pd.isna(x) else x for x in column.unique()]
        values = draw(st.lists(st.sampled_from(present), min_size=1, unique=True))
    alpha = draw(st.sampled_from([0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 1]))
    return AlphaKAnonymity(alpha, values=values)


def diversity(draw, column):
    kind = draw(st.sampled_from(["distinct", "entropy", "recursive"]))
    if kind == "entropy":
        return LDiversity(draw(st.sampled_from([1, 1.5, 2, 2.5, 3])), kind)
    c = draw(st.sampled_from([0.1, 0.5, 1, 2, 3])) if kind == "recursive" else None
    return LDiversity(draw(st.integers(1, 4)), kind, c=c)


def sensitivity(draw, column):
    return PSensitivity(draw(st.integers(1, 4)))


def likeness(draw, column):
    beta = draw(st.sampled_from([0, 0.25, 0.5, 1, 2, 10]))
    return BetaLikeness(beta, draw(st.sampled_from(["basic", "enhanced"])))


def disclosure(draw, column):
    return DeltaDisclosure(draw(st.sampled_from([0.1, 0.5, math.log(2), 1, 2])))


def closeness(draw, column):
    t = draw(st.sampled_from([0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1]))
    distances = [None, "equal"]
    known = set(naive_constraints.read(column))
    if column.dtype == "Int64" or column.dtype == GRADES or known <= {True, False}:
        distances.append("ordered")
    if known & set(VALUES["text"][0]):
        distances.append("hierarchical")
    distance = draw(st.sampled_from(distances))
    hierarchy = ILLNESSES if distance == "hierarchical" else None
    return TCloseness(t, distance, hierarchy=hierarchy)

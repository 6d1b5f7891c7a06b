"""Each promise means what its paper says, and uniting classes never breaks it."""

import naive_constraints
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_constraints import MISSING, kept, read
from random_constraints import GRADES, VALUES, constraints, sensitive_columns

from skanon.constraints import (
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    SensitiveAttribute,
    TCloseness,
)


def parts_of(column, owner):
    """Values and counts of some classes of a column."""
    attribute, codes = SensitiveAttribute.learn(column, "y")
    owner = np.unique(owner, return_inverse=True)[1]
    counts = np.zeros((owner.max() + 1, len(attribute.values)), dtype=int)
    np.add.at(counts, (owner, codes), 1)
    values = read(column)
    classes = [
        [values[i] for i in np.flatnonzero(owner == h)] for h in range(len(counts))
    ]
    return attribute, counts, classes


@settings(max_examples=300)
@given(st.data(), st.integers(1, 16))
def test_holds_is_the_definition(data, n):
    column = data.draw(sensitive_columns(n))
    owner = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    bound_constraint = data.draw(constraints(column))
    attribute, counts, classes = parts_of(column, owner)
    held = bound_constraint.holds(counts, attribute)
    expected = [kept(bound_constraint, cls, read(column)) for cls in classes]
    assert held.dtype == bool
    assert held.tolist() == expected


@settings(max_examples=300)
@given(st.data(), st.integers(1, 30))
def test_two_classes_that_keep_it_keep_it_united(data, n):
    column = data.draw(sensitive_columns(n))
    owner = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    bound_constraint = data.draw(constraints(column))
    attribute, counts, _ = parts_of(column, owner)
    for a in range(len(counts)):
        for b in range(a):
            both = counts[[a, b]]
            if bound_constraint.holds(both, attribute).all():
                assert bound_constraint.holds(both.sum(axis=0)[None], attribute).all()


@settings(max_examples=200)
@given(st.data(), st.integers(1, 16))
def test_caps_say_all_where_they_are_given(data, n):
    column = data.draw(sensitive_columns(n))
    owner = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    bound_constraint = data.draw(constraints(column))
    attribute, counts, _ = parts_of(column, owner)
    caps = bound_constraint.caps(attribute)
    if caps is not None:
        assert caps.shape == (len(attribute.values),)
        within = counts <= caps * counts.sum(axis=1, keepdims=True) + 1e-9
        held = bound_constraint.holds(counts, attribute)
        assert within.all(axis=1).tolist() == held.tolist()


# ------------------------------------------------------- examples from the papers


def test_t_closeness_of_the_salaries_in_the_paper():
    """Li et al., section 4.2, table 3: 3k to 11k, in steps of 1k."""
    attribute, _ = SensitiveAttribute.learn(pd.Series(range(3, 12)), "salary")
    first = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1]])
    for t, expected in ((0.374, [False, True]), (0.375, [True, True])):
        assert TCloseness(t).holds(first, attribute).tolist() == expected
    for t, expected in ((0.166, [False, False]), (0.167, [False, True])):
        assert TCloseness(t).holds(first, attribute).tolist() == expected


def test_beta_likeness_of_a_rare_value():
    """A value in 1 % of the table may reach 2 % of a class at beta = 1."""
    attribute, _ = SensitiveAttribute.learn(pd.Series(["HIV"] + ["flu"] * 99), "y")
    assert attribute.values == ["HIV", "flu"]
    kept_by = BetaLikeness(1).holds(np.array([[1, 49], [1, 48], [2, 98]]), attribute)
    assert kept_by.tolist() == [True, False, True]
    assert BetaLikeness(10).holds(np.array([[1, 8], [1, 9]]), attribute).tolist() == [
        False,
        True,
    ]
    # -ln 0.01 is 4.6: at most 5.6 %
    enhanced = BetaLikeness(10, "enhanced")
    held = enhanced.holds(np.array([[1, 16], [1, 17], [0, 5]]), attribute)
    assert held.tolist() == [False, True, False]  # flu may not reach 100 %


def test_delta_disclosure_needs_every_value_and_less_than_delta():
    attribute, _ = SensitiveAttribute.learn(pd.Series(list("abbb")), "y")
    counts = np.array([[1, 1], [0, 4], [1, 3]])  # "a" at twice its share
    for delta, first in ((np.log(2), False), (0.7, True)):
        held = DeltaDisclosure(delta).holds(counts, attribute)
        assert held.tolist() == [first, False, True]


def test_recursive_diversity_is_strict():
    attribute, _ = SensitiveAttribute.learn(pd.Series(list("abc")), "y")
    counts = np.array([[3, 15, 15], [2, 1, 1], [2, 2, 1]])
    held = LDiversity(2, "recursive", c=0.1).holds(counts[:1], attribute)
    assert held.tolist() == [False]
    held = LDiversity(2, "recursive", c=1).holds(counts, attribute)
    assert held.tolist() == [True, False, True]


# ------------------------------------------------------------- sensitive attributes


@pytest.mark.parametrize("kind", VALUES)
def test_values_are_in_order_and_the_missing_one_is_last(kind):
    values, dtype = VALUES[kind]
    shuffled = [values[-1], None, *values[:-1], None, values[0]]
    column = pd.Series(shuffled, dtype=dtype)
    attribute, codes = SensitiveAttribute.learn(column, "y")
    assert attribute.values == [*values, None]
    assert [attribute.values[code] for code in codes] == shuffled
    assert attribute.counts.tolist() == [2, *[1] * (len(values) - 1), 2]
    assert attribute.shares.sum() == pytest.approx(1)
    assert attribute.is_ordered == (kind in ("number", "grade"))


def test_all_kinds_of_missing_are_one():
    column = pd.Series(["a", None, np.nan, pd.NA, pd.NaT], dtype=object)
    attribute, codes = SensitiveAttribute.learn(column, "y")
    assert attribute.values == ["a", None]
    assert codes.tolist() == [0, 1, 1, 1, 1]
    assert attribute.most_frequent == (None, 0.8)


def test_dates_and_categories():
    days = pd.Series(pd.to_datetime(["2020-02-01", "2020-01-01", None]))
    attribute, codes = SensitiveAttribute.learn(days, "y")
    assert attribute.is_ordered and codes.tolist() == [1, 0, 2]
    graded = pd.Series(["mid", "high", "mid"], dtype=GRADES)
    attribute, codes = SensitiveAttribute.learn(graded, "y")
    assert attribute.values == ["mid", "high"] and codes.tolist() == [0, 1, 0]
    mixed, codes = SensitiveAttribute.learn(pd.Series(["b", 1, "a"], dtype=object), "y")
    assert mixed.values == ["b", 1, "a"] and codes.tolist() == [0, 1, 2]
    listed, _ = SensitiveAttribute.learn(pd.Series([2, 1], dtype=object), "y")
    assert listed.is_ordered


def test_the_oracle_knows_a_tree():
    near, far = (naive_constraints.in_tree({"*": {"a": ["x", "y"], "b": ["z"]}}),) * 2
    assert near("x", "y") == 0.5 and far("x", "z") == far("x", MISSING) == 1
    assert near("x", "x") == 0

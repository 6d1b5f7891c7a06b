"""Lengths of whole numbers that no float holds, by exact arithmetic."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skanon import KAnonymizer
from skanon._table.domain import Domain
from skanon.hierarchies import Intervals, Taxonomy
from skanon.losses._terms import lengths

LARGE = {
    "ordinary": (np.int64, [3, 4, 9, 11]),
    "beyond 2^53": (np.int64, [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 4]),
    "negative": (np.int64, [-(2**63), -(2**63) + 1, -(2**63) + 5]),
    "the largest": (np.int64, [2**63 - 9, 2**63 - 2, 2**63 - 1]),
    "everything": (np.int64, [-(2**63), -1, 0, 2**63 - 1]),
    "unsigned": (np.uint64, [2**64 - 7, 2**64 - 2, 2**64 - 1]),
    "all unsigned": (np.uint64, [0, 2**63, 2**64 - 1]),
    "nanoseconds": ("datetime64[ns]", [16 * 10**17 + x for x in (1, 2, 5, 6)]),
    "spans": ("timedelta64[ns]", [2**62 + x for x in (0, 1, 3, 2**40)]),
}


def learned(name):
    dtype, numbers = LARGE[name]
    values = np.array(numbers, dtype=dtype)
    return Domain.learn(pd.Series(values), "x")[0], numbers


@pytest.mark.parametrize("name", LARGE)
def test_lengths_are_those_of_exact_arithmetic(name):
    domain, numbers = learned(name)
    m = len(numbers)
    first, last = np.triu_indices(m)
    leaves = list(domain.values)
    tree = Taxonomy(leaves, [["*"] * m])
    expected = [
        float(Fraction(numbers[j] - numbers[i], numbers[-1] - numbers[0]))
        for i, j in zip(first, last, strict=True)
    ]
    for hierarchy in (Intervals(), tree):
        found = lengths(hierarchy.bind(domain), first, last)
        assert found.tolist() == pytest.approx(expected, rel=1e-15, abs=2e-16)


def test_leaves_that_count_in_finer_and_coarser_units():
    leaves = [pd.Timestamp(0) + pd.Timedelta(x) for x in ("0s", "1.5us", "2us", "4us")]
    column = pd.Series([leaves[0], leaves[3]]).astype("datetime64[s]")
    column[1] = pd.Timestamp("2020-01-01")
    tree = Taxonomy([*leaves, column[1]], [["low"] * 4 + ["high"], ["*"] * 5])
    bound = tree.bind(Domain.learn(column, "x")[0])
    assert bound.offsets()[:4].tolist() == [0, 1.5e-6, 2e-6, 4e-6]
    far = [pd.Timestamp("1500-01-01"), *column]
    domain = Domain.learn(column.astype("datetime64[ns]"), "x")[0]
    bound = Taxonomy(far, [["*"] * 3]).bind(domain)
    assert lengths(bound, np.array([1]), np.array([2]))[0] == pytest.approx(
        50 / 520, 1e-3
    )


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=12),
    st.sampled_from(["lm", "ncp", "byun", "tree", "entropy", "mi"]),
    st.sampled_from(["mondrian", "sequential", "hilbert"]),
)
@example([0, 1, 2, 4], "ncp", "mondrian")
def test_a_large_constant_changes_no_loss(numbers, loss, algorithm):
    fits = []
    for shift in (0, 2**60, -(2**63) + 1000, 2**63 - 1001):
        values = np.array([x + shift for x in numbers], dtype=np.int64)
        fitted = KAnonymizer(2, algorithm=algorithm, loss=loss, random_state=0)
        fits.append(fitted.fit(pd.DataFrame({"x": values})))
    for fitted in fits[1:]:
        assert fitted.labels_.tolist() == fits[0].labels_.tolist()
        assert fitted.information_loss_ == fits[0].information_loss_

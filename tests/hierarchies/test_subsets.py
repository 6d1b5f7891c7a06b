import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon._table.domain import Domain
from skanon.hierarchies import Subsets
from skanon.hierarchies._base import SUBSET


def bind(values, **options):
    return Subsets().bind(Domain.learn(pd.Series(values, **options), "col")[0])


def state(bound, codes):
    """Set bits one by one in Python's integers."""
    words = [0] * bound.width
    for code in codes:
        words[code // 64] |= 1 << (code % 64)
    return np.array(words, dtype=np.uint64).view(np.int64)


@settings(deadline=None)
@given(st.integers(1, 200), st.booleans(), st.data())
def test_members_are_the_bits(m, with_missing, data):
    bound = bind([*range(m), *([None] * with_missing)], dtype="Int64")
    assert (bound.form, bound.n_codes) == (SUBSET, m + with_missing)
    assert bound.width == -(-bound.n_codes // 64)
    codes = data.draw(st.sets(st.integers(0, bound.n_codes - 1), min_size=1))
    assert bound.members(state(bound, codes)).tolist() == sorted(codes)


@pytest.mark.parametrize(
    ("values", "codes", "text"),
    [
        (["b", "a", "c"], [0, 1], "{a, b}"),
        (["b", "a", "c"], [0, 1, 2], "*"),
        (["b", "a", "c"], [2], "c"),
        (["b, c", "a", "x"], [0, 1], '{a, "b, c"}'),
        (['"', " a", "x"], [0, 1], '{" a", "\\""}'),
        ([True, False, None], [0, 1], "{False, True}"),
        ([3, 20, 100], [0, 2], "{3, 100}"),
    ],
)
def test_a_set_is_written_so_that_it_reads_back(values, codes, text):
    bound = bind(values)
    assert bound.text(state(bound, codes)) == text


def test_missing_values_alone_and_among_others():
    bound = bind(["a", "b", None])
    assert np.isnan(bound.text(state(bound, [2])))
    assert bound.text(state(bound, [0, 1, 2])) == "*"
    assert bound.text(state(bound, [0, 1])) == "{a, b}"

import numpy as np
import pandas as pd
import pytest

from skanon._table.domain import UNKNOWN, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Intervals
from skanon.hierarchies._base import INTERVAL

ORDER = pd.CategoricalDtype(["a, b", "mid", "hi"], ordered=True)


def bind(values, **options):
    return Intervals().bind(Domain.learn(pd.Series(values, **options), "col")[0])


@pytest.mark.parametrize(
    ("values", "options", "text"),
    [
        ([3, -1, 7], {}, "[-1, 7]"),
        ([0.5, 0.1], {"dtype": "float32"}, "[0.1, 0.5]"),
        ([2**53 + 1, 2**53], {}, f"[{2**53}, {2**53 + 1}]"),
        (pd.to_datetime(["2020-01-01", "1500-01-01"]), {}, "[1500-01-01, 2020-01-01]"),
        (["hi", "a, b"], {"dtype": ORDER}, '["a, b", hi]'),
    ],
)
def test_a_range_is_written_from_its_lowest_to_its_highest_value(values, options, text):
    bound = bind(values, **options)
    assert (bound.form, bound.width, bound.missing) == (INTERVAL, 2, -1)
    whole = np.array([0, bound.n_codes - 1])
    assert bound.text(whole) == text
    assert bound.members(whole).tolist() == list(range(bound.n_codes))


def test_single_values_missing_ones_and_everything():
    bound = bind([10, 20, None, 20], dtype="Int64")
    assert (bound.n_codes, bound.missing) == (3, 2)
    assert bound.counts.tolist() == [1, 2, 1]
    assert bound.numbers[:2].tolist() == [10.0, 20.0] and np.isnan(bound.numbers[2])
    assert bound.text(np.array([0, 0])) == "10"
    assert bound.text(np.array([0, 1])) == "[10, 20]"
    assert np.isnan(bound.text(np.array([2, 2])))
    assert bound.text(np.array([-1, 2])) == "*"
    assert bound.members(np.array([-1, 2])).tolist() == [0, 1, 2]


def test_positions_become_codes():
    bound = bind([10, 20])
    assert bound.codes(np.array([1, 0, UNKNOWN, 2])).tolist() == [1, 0, -1, -1]
    bound = bind([10, None])
    assert bound.codes(np.array([0, 1, UNKNOWN])).tolist() == [0, 1, UNKNOWN]


@pytest.mark.parametrize(
    ("values", "kind"), [(["a", "b"], "text"), ([True, False], "bool")]
)
def test_a_column_without_an_order_is_refused(values, kind):
    with pytest.raises(HierarchyError, match=f"'col' holds {kind} without an order"):
        bind(values)

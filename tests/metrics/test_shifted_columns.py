"""Adding a large constant to a column of whole numbers changes no metric."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from skanon import metrics

ALONE = [
    metrics.loss_metric,
    metrics.tree_measure,
    metrics.byun_information_loss,
    metrics.normalized_certainty_penalty,
    metrics.global_certainty_penalty,
    metrics.entropy_loss,
    metrics.mutual_information_loss,
    metrics.kl_divergence,
    metrics.distribution_distance,
    metrics.correlation_difference,
]


def shifted(numbers, shift, dtype):
    """Give a table, and a release in ranges of two neighbours in their order."""
    order = sorted(range(len(numbers)), key=lambda at: numbers[at])
    labels = [""] * len(numbers)
    for first, second in zip(order[::2], order[1::2], strict=True):
        low, high = numbers[first] + shift, numbers[second] + shift
        labels[first] = labels[second] = f"[{low}, {high}]" if low < high else f"{low}"
    table = pd.DataFrame({"x": np.array([x + shift for x in numbers], dtype=dtype)})
    table["rank"] = np.arange(len(numbers))
    return table, pd.DataFrame({"x": labels, "rank": table["rank"].astype(str)})


SHIFTS = [(2**60, np.int64), (-(2**63) + 100, np.int64), (2**64 - 101, np.uint64)]


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=6), st.sampled_from(SHIFTS)
)
@example([0, 1, 2], SHIFTS[0])
def test_a_large_constant_changes_no_metric(halves, shift):
    numbers = [*halves, *(min(x + 3, 100) for x in halves)]
    assume(len(set(numbers)) > 1)
    plain, large = shifted(numbers, 0, np.int64), shifted(numbers, *shift)
    for metric in ALONE:
        assert metric(*large) == metric(*plain), metric.__name__


def test_a_large_constant_changes_no_feature():
    numbers = [0, 1, 2, 3, 10, 11, 12, 13]
    found = [
        metrics.release_accuracy_score(
            *shifted(numbers, *shift),
            estimator=DecisionTreeClassifier(random_state=0),
            sensitive=list("aaaabbbb"),
            cv=2,
            quasi_identifiers=["x"],
        )
        for shift in [(0, np.int64), *SHIFTS]
    ]
    assert found == [1.0] * 4


def test_the_ncp_of_two_neighbours_beyond_floats():
    b = 2**60
    table = pd.DataFrame({"x": [b, b + 1, b + 2, b + 4]})
    release = pd.DataFrame({"x": [f"[{b}, {b + 1}]"] * 2 + [f"[{b + 2}, {b + 4}]"] * 2})
    # (1 + 1 + 2 + 2) / 4
    assert metrics.normalized_certainty_penalty(table, release) == pytest.approx(1.5)
    assert metrics.global_certainty_penalty(table, release) == pytest.approx(0.375)

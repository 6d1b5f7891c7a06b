"""What every algorithm owes, whatever the table."""

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from clustered import fit, mixed_pair
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon import KAnonymizer
from skanon.exceptions import InfeasibleError
from skanon.losses import LM
from skanon.losses._named import LOSSES

N_COLUMNS = {"one column": 1, "a few columns": 4, "forty columns": 40}
TABLES = ("duplicates", "constant", "ties", "distinct", "alike")
AT_MOST = {"hilbert": 2, "k_member": 2, "bisecting": 2, "bottom_up": 2, "forest": 3}
"""Classes of these have at most so many times k records (forest: see its test)."""

VARIANTS = [
    *((name, {}) for name in ALGORITHMS),
    ("agglomerative", {"modified": False}),
    ("one_pass_k_means", {"n_passes": 3}),
    ("forest", {"lightest_first": True}),
    ("k_member", {"furthest_from": "last"}),
    ("k_member", {"closest_to": "first"}),
    ("mondrian", {"ordered": True}),
    ("threshold_greedy", {"overshoot": True}),
    *(("threshold_greedy", {"threshold": most}) for most in (0.0, 0.1, 1.0)),
    *(("weighted_c_means", {"weights": weights}) for weights in ("equal", {})),
]
"""Algorithms with parameters that take other ways."""

RANDOM = {
    "bisecting": {},
    "k_member": {},
    "one_pass_k_means": {},
    "sequential": {},
    "threshold_greedy": {"threshold": 0.3},
    "top_down": {},
    "weighted_c_means": {},
}
"""Algorithms that draw, with parameters under which one sees it."""


def table(kind, n, n_columns, rng):
    """Columns of numbers and of words by turns."""
    spread = {"duplicates": 3, "ties": 2, "distinct": 10 * n}.get(kind, 1)
    values = rng.randint(spread, size=(n, n_columns))
    if kind == "duplicates":
        values[:] = values[rng.randint(max(n // 4, 1), size=n)]
    if kind == "constant":
        values[:, : max(n_columns // 2, 1)] = rng.randint(9, size=(n, 1))
    columns = {
        f"c{j}": column if j % 2 == 0 else column.astype(str)
        for j, column in enumerate(values.T)
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from(TABLES),
    columns=st.sampled_from(list(N_COLUMNS)),
    k=st.integers(2, 7),
    times=st.floats(1, 3),
    loss=st.sampled_from(["lm", "ncp", "entropy", "pmi"]),
    seed=st.integers(0, 5),
)
def test_classes_have_k_records(algorithm, kind, columns, k, times, loss, seed):
    n = int(k * times)
    rng = np.random.RandomState(seed)
    frame = table(kind, n, N_COLUMNS[columns], rng)
    y = rng.choice(["flu", "cold"], size=n)
    anonymizer = KAnonymizer(k, algorithm=algorithm, loss=loss, random_state=seed)
    anonymizer.fit(frame, y)
    assert anonymizer.class_sizes_.min() >= k
    assert anonymizer.class_sizes_.sum() == n
    assert not anonymizer.suppressed_.any()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_clusters_of_distinct_records_are_no_larger_than_promised(algorithm):
    if algorithm not in AT_MOST:
        pytest.skip("makes no promise")
    rng = np.random.RandomState(0)
    frame = table("distinct", 300, 3, rng)
    for k in (2, 5, 9):
        anonymizer = KAnonymizer(k, algorithm=algorithm, random_state=0).fit(frame)
        most = AT_MOST[algorithm] * k - 1
        assert anonymizer.class_sizes_.max() <= most


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_drives_every_algorithm(algorithm, loss):
    """Far apart groups of alike records are what each loss would keep together.

    Not so OKA where all costs are 0 or 1: there all clusters are equally far.
    """
    codes = np.repeat(np.arange(6), 5)
    frame = pd.DataFrame({"a": codes * 10, "b": codes.astype(str), "c": codes})
    y = codes % 2
    anonymizer = KAnonymizer(5, algorithm=algorithm, loss=loss, random_state=0)
    shuffled = np.random.RandomState(1).permutation(len(frame))
    anonymizer.fit(frame.iloc[shuffled], y[shuffled])
    whole = KAnonymizer(30, algorithm=algorithm, loss=loss).fit(frame, y)
    found, most = anonymizer.information_loss_, whole.information_loss_
    assert found < most or (
        (algorithm, loss) == ("one_pass_k_means", "tree") and found == most
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_seed_gives_the_same_release(algorithm):
    frame = table("distinct", 120, 3, np.random.RandomState(3))
    first, second = (
        KAnonymizer(4, algorithm=algorithm, random_state=7).fit_transform(frame)
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize("algorithm, parameters", VARIANTS)
def test_extremes(algorithm, parameters):
    """k = n, k > n, equal records, and suppression among them."""
    made = ALGORITHMS[algorithm]
    pair = mixed_pair(2, n=12)
    assert fit(made, pair, 12, **parameters).class_sizes_.tolist() == [12]
    with pytest.raises(InfeasibleError, match="k=13"):
        fit(made, pair, 13, **parameters)
    frame = pd.DataFrame({"a": ["x"] * 20, "b": [1.5] * 20})
    for k in (2, 7, 20):
        fitted = made(k, random_state=0, **parameters).fit(frame)
        assert fitted.information_loss_ == 0
        assert fitted.n_classes_ == 1
        gone = made(k, random_state=0, max_suppression=0.5, **parameters)
        assert gone.fit(frame).class_sizes_.min() >= k


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_random_state(algorithm):
    frame = pd.DataFrame(
        np.random.RandomState(0).randint(30, size=(60, 2)), columns=["a", "b"]
    )
    parameters = RANDOM.get(algorithm, {})
    found = [
        ALGORITHMS[algorithm](4, random_state=seed, **parameters)
        .fit(frame)
        .labels_.tolist()
        for seed in (0, 0, 1, np.random.RandomState(0))
    ]
    assert found[0] == found[1] == found[3]
    assert (found[0] != found[2]) == (algorithm in RANDOM)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_columns_without_weight_do_not_steer(algorithm):
    if algorithm in ("threshold_greedy", "weighted_c_means"):
        pytest.skip("has a test of its own, with parameters under which one sees it")
    if algorithm == "hilbert":
        pytest.skip("its curve runs through all columns, whatever they weigh")
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(30), "b": rng.permutation(30)})
    made = ALGORITHMS[algorithm]
    alone = made(4, random_state=0).fit(frame[["a"]])
    fitted = made(4, loss=LM({"b": 0}), random_state=0).fit(frame)
    assert (fitted.labels_ == alone.labels_).all()

import math

import naive_metrics
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import ALL_KINDS, drawn_release

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.datasets import load_cmc
from skanon.metrics import kl_divergence

SPREADS = ["uniform", "marginals"]
SMALL = [kind for kind in ALL_KINDS if kind != "wide"]  # the oracle lists all of it


@given(
    st.integers(0, 2**31),
    st.lists(st.sampled_from(SMALL), min_size=1, max_size=3),
    st.sampled_from(SPREADS),
)
def test_divergence_equals_its_definition(seed, kinds, spread):
    release = drawn_release(seed, kinds, 1 + seed % 12)
    found = release.measured(kl_divergence, spread=spread, return_error=True)
    expected = naive_metrics.divergence(
        release.rows, release.sets, release.everything, release.weights, spread
    )
    assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found.error == 0


def test_worked_example():
    table = pd.DataFrame({"age": [1, 1, 2, 3], "sex": list("FFMM")})
    release = pd.DataFrame({"age": ["1", "1", "[2, 3]", "[2, 3]"], "sex": list("FFMM")})
    # the release says F at 1 exactly, and M at 2 and at 3 with a quarter each
    assert kl_divergence(table, release) == 0
    release["sex"] = "*"
    # each of the three combinations has half the mass that it had
    assert kl_divergence(table, release) == pytest.approx(1)
    # by the marginals, F at 1 still has 1/2 * 1/2
    assert kl_divergence(table, release, spread="marginals") == pytest.approx(1)


@pytest.mark.parametrize("spread", SPREADS)
def test_the_original_has_none_and_full_suppression_leaves_the_marginals(spread):
    table = pd.DataFrame({"a": [1, 1, 1, 2], "b": list("xxxy")})
    assert kl_divergence(table, table, spread=spread) == pytest.approx(0, abs=1e-12)
    hidden = pd.DataFrame({"a": ["*"] * 4, "b": ["*"] * 4})
    entropy = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    # what is left of independent columns is their mutual information
    expected = {"uniform": 2 - entropy, "marginals": entropy}[spread]
    assert kl_divergence(table, hidden, spread=spread) == pytest.approx(expected)


@pytest.mark.parametrize("spread", SPREADS)
def test_estimates_are_near_the_exact_value_and_know_how_near(spread):
    women = load_cmc()
    anonymizer = MondrianAnonymizer(k=10, hierarchies=women.hierarchies)
    release = anonymizer.fit_transform(women.data)
    options = {"hierarchies": women.hierarchies, "spread": spread}
    exact = kl_divergence(women.data, release, **options)
    estimates = [
        kl_divergence(
            women.data, release, max_pairs=0, n_samples=100, random_state=seed,
            return_error=True, **options,
        )
        for seed in range(100)
    ]  # fmt: skip
    values = np.array([estimate.value for estimate in estimates])
    errors = np.array([estimate.error for estimate in estimates])
    assert abs(values.mean() - exact) < 4 * values.std() / 10
    assert 0.8 < errors.mean() / values.std() < 1.25
    within = np.abs(values - exact) < 2 * errors
    assert within.mean() > 0.85
    again = kl_divergence(
        women.data, release, max_pairs=0, n_samples=100, random_state=3, **options
    )
    assert again == values[3]


def test_many_columns_do_not_underflow():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.permuted(np.tile(np.arange(100), (250, 1)), axis=1).T)
    hidden = pd.DataFrame("*", index=wide.index, columns=wide.columns)
    expected = 250 * math.log2(100) - math.log2(100)
    assert kl_divergence(wide, hidden) == pytest.approx(expected)


def test_a_finer_release_diverges_less():
    women = load_cmc()
    found = []
    for k in (2, 10, 50, 1473):
        anonymizer = KAnonymizer(
            k=k, algorithm="mondrian", hierarchies=women.hierarchies
        )
        found.append(kl_divergence(women.data, anonymizer.fit(women.data)))
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spread": "even"}, "spread is 'even', but must be one of"),
        ({"max_pairs": -1}, "max_pairs is -1, but must be an integer of at least 0"),
        ({"n_samples": 1}, "n_samples is 1, but must be an integer of at least 2"),
        ({"n_samples": 10.0}, "n_samples is 10.0"),
        ({"n_samples": True}, "n_samples is True"),
        ({"sample_weight": [0, 0]}, "sample_weight is 0 in all 2 rows"),
    ],
)
def test_unfit_options(options, message):
    table = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ValueError, match=message):
        kl_divergence(table, table, **options)

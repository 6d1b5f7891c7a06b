"""Figures depend on what the tables hold: not on order, nor, where shares, on size.

The order of records only decides in which order floats are added up, and a table that
is there thousands of times over has the same shares: both are oracles without code.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, metrics, privacy
from skanon.hierarchies import from_parents

QUASI = ["age", "town", "job"]
TREE = from_parents(
    {"Bern": "CH", "Basel": "CH", "Bonn": "DE", "Kiel": "DE", "CH": "*", "DE": "*"}
)
ROUND = 1e-12


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.choice(np.append(rng.integers(18, 90, 20), 10**6), n),
            "town": rng.choice(
                ["Bern", "Basel", "Bonn", "Kiel"], n, p=[0.5, 0.3, 0.1, 0.1]
            ),
            "job": rng.choice(list("abcdefg"), n),
            "ill": rng.choice(list("uvwxyz"), n, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]),
        }
    )


def released(table):
    made = KAnonymizer(
        3, sensitive="ill", hierarchies={"town": TREE}, algorithm="mondrian"
    )
    return made.fit_transform(table)


def over(table, times):
    rows = np.tile(np.arange(len(table)), times)
    return table.iloc[rows].reset_index(drop=True)


READ = {"quasi_identifiers": QUASI, "hierarchies": {"town": TREE}}
OF_ILL = {**READ, "sensitive": "ill"}
LOSSES = {
    "lm": partial(metrics.information_loss, loss="lm", **READ),
    "ncp": partial(metrics.information_loss, loss="ncp", **READ),
    "entropy": partial(metrics.information_loss, loss="entropy", **READ),
    "mi": partial(metrics.mutual_information_loss, **OF_ILL),
    "pmi": partial(metrics.private_mutual_information_loss, **OF_ILL),
    "entropy loss": partial(metrics.entropy_loss, **READ),
    "loss metric": partial(metrics.loss_metric, **READ),
    "certainty": partial(metrics.global_certainty_penalty, **READ),
    "tree": partial(metrics.tree_measure, **READ),
    "ambiguity": partial(metrics.ambiguity_metric, **READ),
    "classification": partial(metrics.classification_metric, **OF_ILL),
    "kl": partial(metrics.kl_divergence, **READ),
}
"""Means over records, all of them."""


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_the_same_in_any_order(name):
    original = people(2000)
    published = released(original)
    whole = LOSSES[name](original, published)
    assert whole > 0
    rng = np.random.default_rng(1)
    for _ in range(5):
        rows = rng.permutation(len(original))
        columns = list(rng.permutation(original.columns))
        other = LOSSES[name](
            original.iloc[rows][columns], published.iloc[rows][columns]
        )
        assert other == pytest.approx(whole, rel=ROUND, abs=0)


@pytest.mark.parametrize(
    "times", [5_000, pytest.param(250_000, marks=pytest.mark.benchmark)]
)
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_of_a_table_many_times_over_is_that_of_the_table(name, times):
    original = people(40)
    published = released(original)
    whole = LOSSES[name](original, published)
    many = [over(x, times) for x in (original, published)]
    assert LOSSES[name](*many) == pytest.approx(whole, rel=ROUND, abs=0)


def test_levels_of_a_table_many_times_over():
    original, times = people(60), 5_000
    published = released(original)
    whole, many = (over(x, times) for x in (original, published))
    args = {"quasi_identifiers": QUASI}
    on_ill = {**args, "sensitive": "ill"}
    assert privacy.k_anonymity(many, **args) == times * privacy.k_anonymity(
        published, **args
    )
    for level in (
        privacy.l_diversity,
        privacy.p_sensitivity,
        privacy.t_closeness,
        privacy.alpha_k_anonymity,
        privacy.beta_likeness,
        privacy.delta_disclosure,
    ):
        once = level(published, **on_ill)
        assert level(many, **on_ill) == pytest.approx(once, rel=ROUND, abs=ROUND)
    square = metrics.discernibility_metric(original, published, **READ)
    assert metrics.discernibility_metric(whole, many, **READ) == times**2 * square


# ------------------------------------------------------------- counts that multiply


def test_numbers_of_classes_and_of_values_multiply_beyond_32_bits():
    pairs = 60_000
    table = pd.DataFrame(
        {"id": np.repeat(np.arange(pairs), 2), "ill": np.arange(2 * pairs)}
    )
    on = {"quasi_identifiers": ["id"], "sensitive": "ill"}
    assert privacy.k_anonymity(table, ["id"]) == 2
    assert privacy.l_diversity(table, **on) == 2
    assert privacy.p_sensitivity(table, **on) == 2
    assert privacy.alpha_k_anonymity(table, **on) == 0.5
    assert privacy.t_closeness(table.astype(str), **on) == pytest.approx(
        1 - 2 / len(table)
    )
    assert privacy.beta_likeness(table.astype(str), **on) == pytest.approx(pairs - 1)
    assert privacy.record_risks(table, quasi_identifiers=["id"]).eq(0.5).all()


def test_numbers_of_tuples_multiply_beyond_64_bits():
    n, r = 3_000, 12  # 3000^12 tuples are possible
    wide = pd.DataFrame({f"c{j}": np.arange(n) for j in range(r)})
    twice = pd.concat([wide, wide], ignore_index=True)
    assert privacy.k_anonymity(twice) == 2
    assert privacy.k_anonymity(wide) == 1
    twice.iloc[-1, 5] = 0
    assert privacy.k_anonymity(twice) == 1
    assert privacy.equivalence_classes(twice).nunique() == n + 1


def test_kinds_and_classes_that_match_multiply_beyond_32_bits():
    n = 100_000
    original = pd.DataFrame({"age": np.arange(n)})
    published = pd.DataFrame({"age": (np.arange(n) // 2).astype(str)})
    ends = 2 * (np.arange(n) // 2)
    published["age"] = [f"[{x}, {x + 1}]" for x in ends]
    assert privacy.global_one_k_anonymity(original, published) == 2
    assert privacy.kk_anonymity(original, published) == 2


def test_large_and_small_values_cancel_nothing():
    far = 2.0**52
    table = pd.DataFrame({"age": far + np.arange(8.0), "ill": list("uvuvuvuv")})
    published = table.assign(
        age=[
            f"[{far + 2 * (i // 2):.0f}, {far + 2 * (i // 2) + 1:.0f}]"
            for i in range(8)
        ]
    )
    near = table.assign(age=np.arange(8.0))
    near_published = near.assign(
        age=[f"[{2 * (i // 2)}, {2 * (i // 2) + 1}]" for i in range(8)]
    )
    for loss in ("lm", "ncp", "entropy"):
        one = metrics.information_loss(table, published, ["age"], loss=loss)
        two = metrics.information_loss(near, near_published, ["age"], loss=loss)
        assert one == pytest.approx(two, rel=ROUND)

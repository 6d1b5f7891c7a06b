"""Sequential clustering that keeps diversity: 000_ section 7, Algorithms 2 and 3."""

import naive
import naive_diversity
import numpy as np
import pandas as pd
import pytest
from clustered import mixed_pair
from naive_fit import seeds_of
from random_constraints import ILLNESSES

from skanon.clustering import SequentialAnonymizer, _sequential
from skanon.clustering._sequential_run import limits_of, random_ranks, spread
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.constraints import _bound as bound_constraints
from skanon.constraints._bound import bind_constraints

STARTS = "spread", "free"
ILL = ["cold", "flu", "gastritis", "ulcer"]
CAPS = {
    "l = 1.5": [LDiversity(1.5)],
    "l = 2": [LDiversity(2)],
    "alpha = 0.45": [AlphaKAnonymity(0.45)],
    "flu": [AlphaKAnonymity(0.4, values=["flu"])],
    "basic": [BetaLikeness(0.8)],
    "enhanced": [BetaLikeness(2, "enhanced")],
    "both": [AlphaKAnonymity(0.6), BetaLikeness(1.5)],
}
ALSO = {
    "close": [LDiversity(1.5), TCloseness(0.4, "hierarchical", hierarchy=ILLNESSES)],
    "distinct": [LDiversity(3, "distinct"), BetaLikeness(1.5)],
    "sensitive": [AlphaKAnonymity(0.6), PSensitivity(2)],
}


@pytest.fixture(autouse=True)
def _unrefined(monkeypatch):
    """What is made without constraints is not refined, as in the oracle."""
    monkeypatch.setattr(_sequential, "FREE_VISITS", 0)


def sensitive_of(seed, n, shares=(0.35, 0.3, 0.2, 0.15)):
    order = np.repeat(ILL, np.diff(np.round(np.cumsum([0, *shares]) * n).astype(int)))
    return np.random.RandomState(seed).permutation(order).tolist()


def compare(pair, k, seed, constraints, sensitive, **own):
    """A whole fit equals the oracle's; returns the clusters."""
    given = own.copy()
    at_once = own.pop("split", "at_once") == "at_once"
    free = own.pop("start", "spread") == "free"
    fitter = SequentialAnonymizer(
        k,
        hierarchies=pair.hierarchies,
        loss=pair.loss,
        constraints=constraints,
        random_state=seed,
        **given,
    )
    y = pair.y if pair.loss.uses_sensitive else sensitive["y"]
    also = pd.DataFrame(sensitive)
    fitter.fit(pair.frame, y, sensitive=also.drop(columns="y"))
    values = {**sensitive, "y": list(y)}
    (run,) = seeds_of(seed, 1)
    clusters, n_iter = naive_diversity.naive_run(
        pair.table,
        k,
        run,
        naive_diversity.Promises(constraints, values),
        at_once=at_once,
        free=free,
        **own,
    )
    assert fitter.labels_.tolist() == naive.classes_by_appearance(pair.table, clusters)
    assert fitter.n_iter_ == n_iter
    loss = pair.table.loss(pair.table.release(clusters))
    assert fitter.information_loss_ == pytest.approx(loss, abs=1e-10)
    return clusters


@pytest.mark.parametrize("start", ["spread", "free"])
@pytest.mark.parametrize("caps", CAPS)
def test_the_whole_fit_equals_the_oracle(caps, start):
    for seed, measure in enumerate(["lm", "ncp", "mi", "entropy"]):
        pair = mixed_pair(seed, n=40, measure=measure)
        k, split = (2, 4, 3, 6)[seed], ("at_once", "after_pass")[seed % 2]
        sensitive = {"y": sensitive_of(seed, 40)}
        own = {"split": split, "start": start}
        compare(pair, k, seed, CAPS[caps], sensitive, **own)


@pytest.mark.parametrize("measure", ["pmi", "all", "lm+penalty"])
def test_losses_that_look_at_sensitive_values_equal_the_oracle(measure):
    for seed in range(4):
        pair = mixed_pair(seed, n=36, measure=measure)
        pair.y[:] = pair.y  # what the loss looks at is what must be diverse
        most = pd.Series(pair.y).value_counts(normalize=True).max()
        made = [AlphaKAnonymity(min(1, float(np.round(most + 0.1, 2))))]
        compare(pair, 3, seed, made, {"y": pair.y}, start=STARTS[seed % 2])


@pytest.mark.parametrize("also", ALSO)
def test_other_constraints_are_repaired_as_the_oracle_does(also):
    for seed in range(4):
        pair = mixed_pair(seed, n=40, measure=["lm", "ncp"][seed % 2])
        sensitive = {"y": sensitive_of(seed, 40)}
        compare(
            pair, 3, seed, ALSO[also], sensitive, start=("spread", "free")[seed % 2]
        )


def test_several_attributes_equal_the_oracle():
    for seed in range(5):
        pair = mixed_pair(seed, n=40)
        sensitive = {"y": sensitive_of(seed, 40), "z": sensitive_of(seed + 9, 40)}
        made = [LDiversity(1.5), BetaLikeness(1, column="z"), PSensitivity(2)]
        compare(
            pair,
            3,
            seed,
            made[: 1 + seed % 3],
            sensitive,
            start=("spread", "free")[seed % 2],
        )


@pytest.mark.parametrize(
    ("alpha", "omega", "k"), [(1.0, 1.1, 5), (0.2, 2.0, 6), (0.1, 1.7, 9)]
)
def test_alpha_and_omega_equal_the_oracle(alpha, omega, k):
    for seed in range(3):
        pair, sensitive = mixed_pair(seed, n=45), {"y": sensitive_of(seed, 45)}
        own = {"alpha": alpha, "omega": omega}
        compare(pair, k, seed, [LDiversity(2)], sensitive, **own)
        first = compare(pair, k, seed, [LDiversity(2)], sensitive, **own, max_iter=1)
        assert len(first) > 1


def test_the_highest_l_equals_the_oracle():
    """Only clusters of exactly the table's shares will do."""
    for seed in range(4):
        pair, sensitive = mixed_pair(seed, n=40), {"y": ["flu", "cold"] * 20}
        clusters = compare(pair, 3, seed, [LDiversity(2)], sensitive, start="free")
        for members in clusters:
            held = [sensitive["y"][i] for i in members]
            assert held.count("flu") * 2 == len(held)


@pytest.mark.parametrize("seed", [30, 38, 43, 48])
def test_the_repaired_start_is_kept_where_it_loses_less(seed):
    measure = ["lm", "ncp", "entropy", "mi"][seed % 4]
    pair = mixed_pair(seed, n=30, measure=measure)
    compare(
        pair, 3, seed, [LDiversity(1.3)], {"y": sensitive_of(seed, 30)}, start="free"
    )


def test_the_repair_looks_at_a_few_partners_at_once(monkeypatch):
    for near in (1, 3):
        monkeypatch.setattr(bound_constraints, "NEARBY", near)
        pair, sensitive = mixed_pair(7, n=40), {"y": sensitive_of(7, 40)}
        compare(pair, 2, 7, ALSO["close"], sensitive)


# ------------------------------------------------------------------- Algorithm 3


@pytest.mark.parametrize("t", [2, 3, 7, 20])
def test_spread_is_algorithm_3(t):
    for seed in range(5):
        values = sensitive_of(seed, 60, (0.05, 0.1, 0.25, 0.6))
        codes = np.unique(values, return_inverse=True)[1]
        labels = spread(codes, t, np.random.RandomState(seed))
        expected = naive_diversity.spread(values, t, np.random.RandomState(seed))
        assert labels.tolist() == naive.labels_of(expected, 60)
        for value in set(values):  # eq. 24: p / t, rounded up or down
            held = [sum(values[i] == value for i in members) for members in expected]
            p = values.count(value)
            assert set(held) <= {p // t, -(-p // t)}
            assert held.count(p // t + 1) == p % t


def test_spread_is_random():
    values = np.repeat([0, 1, 2], [20, 11, 5])
    sizes = np.zeros(4)
    for seed in range(300):
        draws = np.random.RandomState(seed)
        sizes += np.bincount(spread(values, 4, draws), minlength=4)
    assert sizes / 300 == pytest.approx([9, 9, 9, 9], abs=0.25)  # eq. 26


def test_limits_of_several_promises():
    sensitive = pd.DataFrame({"y": list("aabb"), "z": list("pqrs")})
    made = [
        LDiversity(2, column="y"),
        PSensitivity(2, column="z"),
        BetaLikeness(1, column="z"),
    ]
    values, caps = limits_of(bind_constraints(made, sensitive))
    assert values.tolist() == [[0, 0], [0, 1], [1, 2], [1, 3]]
    assert caps.tolist() == [[0.5, 0.5, 1, 1], [0.5, 0.5, 0.5, 0.5]]
    assert limits_of(bind_constraints(made[1:2], sensitive)) is None


# ---------------------------------------------------------------------- promises


def test_without_sensitive_values_in_the_way_nothing_is_forbidden():
    """l = 1 leaves only the spread of values: all clusterings are diverse."""
    summed = np.zeros(2)
    for seed in range(40):
        pair = mixed_pair(seed, n=60)
        own = {"hierarchies": pair.hierarchies, "loss": pair.loss, "random_state": 0}
        for at, constraints in enumerate(([], [LDiversity(1)])):
            fitted = SequentialAnonymizer(4, constraints=constraints, **own)
            fitted.fit(pair.frame, sensitive_of(seed, 60))
            summed[at] += fitted.information_loss_
    assert summed[1] == pytest.approx(summed[0], rel=0.1)


def test_an_odd_record_stays_or_goes_with_equal_chances():
    """Algorithm 3 in splits: 15 of 20 records have one value, 5 another."""
    values = np.repeat([0, 1], [15, 5])
    draws = np.random.RandomState(0)
    stay = []
    for _ in range(2000):
        ranks = random_ranks(20, draws, coins=True).tolist()
        stay.append(naive_diversity.halves(values, range(20), ranks)[0])
    of_first = np.array([(values[own] == 0).sum() for own in stay])
    of_second = np.array([(values[own] == 1).sum() for own in stay])
    assert set(of_first) == {7, 8} and set(of_second) == {2, 3}
    for more in (of_first == 8, of_second == 3):
        assert more.mean() == pytest.approx(0.5, abs=0.04)
    assert abs(np.corrcoef(of_first, of_second)[0, 1]) < 0.08
    often = np.bincount(np.concatenate(stay), minlength=20) / len(stay)
    assert often == pytest.approx(0.5, abs=0.05)


def test_knowing_shares_loses_less_than_repairing():
    """The same promise, once told to the algorithm and once only repaired."""

    class Hidden(LDiversity):
        def caps(self, attribute):
            return None

    for seed, part in enumerate((0, 12)):
        rng = np.random.RandomState(seed)
        frame = pd.DataFrame(rng.randint(30, size=(400, 3)), columns=list("abc"))
        ill = np.where(frame["a"] < part, "flu", rng.choice(ILL, size=400))
        losses = [
            SequentialAnonymizer(5, constraints=[made(1.6)], random_state=0, **own)
            .fit(frame, ill)
            .information_loss_
            for made, own in (
                (LDiversity, {"start": "free"}),
                (Hidden, {}),
                (LDiversity, {}),
            )
        ]
        assert losses[0] < losses[1] and losses[0] < losses[2]

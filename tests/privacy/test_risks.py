"""The risk of re-identification, and uniqueness in a population, estimated."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_k_anonymity import rows_by_values
from scipy.stats import binom, nbinom

from skanon.datasets import load_adult
from skanon.exceptions import InfeasibleError
from skanon.privacy import (
    _risks,
    _uniqueness,
    journalist_risk,
    marketer_risk,
    population_uniqueness,
    prosecutor_risk,
    record_risks,
)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 15))
    cells = st.lists(st.sampled_from(["a", "b", "c", "*"]), min_size=n, max_size=n)
    return pd.DataFrame({"zip": draw(cells), "age": draw(cells)})


def risks_of(frame, of_size):
    classes, hidden = rows_by_values(frame, ["zip", "age"])
    members = list(classes.values()) or [hidden]
    return {row: of_size(len(rows)) for rows in members for row in rows}


@settings(max_examples=150)
@given(tables(), st.sampled_from([0, 0.2, 1 / 3, 0.5, 1]))
def test_prosecutor_risk(frame, threshold):
    risks = risks_of(frame, lambda size: 1 / size)
    values = list(risks.values())
    found = prosecutor_risk(frame, threshold=threshold)
    assert found.highest == max(values)
    assert found.average == pytest.approx(sum(values) / len(values))
    assert found.at_risk == sum(risk > threshold for risk in values)
    assert found.share_at_risk == found.at_risk / len(values)
    assert found.unique_share == sum(risk == 1 for risk in values) / len(values)
    assert found.n_records == len(values)
    assert marketer_risk(frame) == pytest.approx(found.average)
    for row, risk in record_risks(frame).items():
        assert risk == risks.get(row) or (math.isnan(risk) and row not in risks)


def expected_risk(size, drawn):
    """Sum 1 / F over what F may be, given that ``size`` of F were drawn."""
    extra = np.arange(20_000)
    return (nbinom.pmf(extra, size, drawn) / (size + extra)).sum()


@settings(max_examples=40)
@given(tables(), st.sampled_from([1, 1.1, 2, 10, 50]))
def test_estimated_journalist_risk(frame, times):
    population_size = math.ceil(len(frame) * times)
    drawn = len(frame) / population_size
    risks = list(risks_of(frame, lambda size: expected_risk(size, drawn)).values())
    found = journalist_risk(frame, population_size=population_size)
    assert found.highest == pytest.approx(max(risks), rel=1e-6)
    assert found.average == pytest.approx(sum(risks) / len(risks), rel=1e-6)
    assert found.at_risk == sum(risk > 0.2 for risk in risks)


def test_estimated_risk_is_that_of_a_population():
    """Classes of F people with chances like 1 / F: the model that is assumed."""
    rng = np.random.default_rng(0)
    possible = np.arange(1, 1001)
    chances = 1 / possible / (1 / possible).sum()
    sizes = rng.choice(possible, 60_000, p=chances)
    people = np.repeat(np.arange(len(sizes)), sizes)
    sample = rng.choice(people, len(people) // 5, replace=False)
    frame = pd.DataFrame({"x": sample})
    estimated = record_risks(frame, population_size=len(people))
    true = 1 / sizes[sample]
    counts = np.bincount(sample, minlength=len(sizes))[sample]
    for size in (2, 3, 5, 8):
        chosen = counts == size
        assert estimated[chosen].mean() == pytest.approx(true[chosen].mean(), rel=0.05)


@pytest.mark.parametrize("drawn", [1e-3, 0.02, 0.3, 0.499, 0.5, 0.9, 1.0])
def test_expected_risks_of_all_sizes(drawn):
    sizes = np.array([1, 2, 5, 40, 62, 63, 64, 65, 300, 5000])
    found = _risks.expected_risks(sizes, drawn)
    for size, risk in zip(sizes, found, strict=True):
        ends = nbinom.ppf([1e-14, 1 - 1e-14], size, drawn)
        extra = np.arange(ends[0], ends[1] + 1)
        expected = (nbinom.pmf(extra, size, drawn) / (size + extra)).sum()
        assert risk == pytest.approx(expected, rel=1e-8)


def sample_of(counts):
    sizes, numbers = np.unique(counts, return_counts=True)
    return _uniqueness.Sizes(sizes, numbers, int(np.sum(counts)), len(counts))


COUNTS = st.lists(st.integers(1, 9), min_size=1, max_size=12)


def naive_likelihood(counts, theta, alpha):
    """Hoshino (2001): the logarithm of Pitman's sampling formula, by its factors."""
    n, u = sum(counts), len(counts)
    found = sum(math.log(theta + i * alpha) for i in range(1, u))
    found -= sum(math.log(theta + i) for i in range(1, n))
    found += sum(math.log(i - alpha) for size in counts for i in range(1, size))
    return found


@settings(max_examples=100)
@given(COUNTS, st.floats(0.01, 0.95), st.floats(0.01, 50))
def test_pitmans_likelihood(counts, alpha, theta):
    sample = sample_of(counts)
    found = _uniqueness.pitman_likelihood(sample, theta, alpha)
    naive = naive_likelihood(counts, theta, alpha)
    assert found == pytest.approx(naive, rel=1e-9, abs=1e-9)


@settings(max_examples=15)
@given(COUNTS.filter(lambda counts: 1 < len(counts) < sum(counts)))
def test_no_parameters_are_likelier(counts):
    theta, alpha = _uniqueness.fit_pitman(sample_of(counts))
    assert 0 <= alpha < 1 and theta > -alpha
    best = naive_likelihood(counts, theta, alpha)
    for other, scale in itertools.product(
        np.linspace(0.01, 0.99, 15), np.geomspace(0.01, 1e4, 25)
    ):
        assert naive_likelihood(counts, scale - other, other) <= best + 1e-4


@pytest.mark.parametrize(("theta", "alpha"), [(5.0, 0.3), (0.2, 0.8), (40.0, 1e-9)])
def test_the_expected_uniques_of_pitmans_model(theta, alpha, monkeypatch):
    """One person after the other joins a class, or founds one."""
    unique, classes = 0.0, 0.0
    for people in range(500):
        founded = (theta + alpha * classes) / (theta + people)
        joined = unique * (1 - alpha) / (theta + people)
        unique, classes = unique + founded - joined, classes + founded
    monkeypatch.setattr(_uniqueness, "fit_pitman", lambda sample: (theta, alpha))
    found = _uniqueness.pitman(sample_of([2, 3]), 500)
    assert found == pytest.approx(unique, rel=1e-9)


@pytest.mark.parametrize("theta", [1e3, 1e9, 1e12])
@pytest.mark.parametrize("alpha", [1e-9, 1e-4, 0.3])
def test_the_likelihood_of_large_parameters(theta, alpha):
    counts = [1] * 50 + [2] * 20 + [7] * 3
    found = _uniqueness.pitman_likelihood(sample_of(counts), theta, alpha)
    naive = naive_likelihood(counts, theta, alpha)
    assert found == pytest.approx(naive, rel=1e-9)


def naive_zayatz(counts, n_people):
    n = sum(counts)
    unique = Counter(counts)

    def chance(size):
        rest = math.comb(n_people - size, n - 1)
        return size * rest / math.comb(n_people, n)

    total = sum(number * chance(size) for size, number in unique.items())
    return unique[1] * unique[1] * chance(1) / total * n_people / n


@settings(max_examples=100)
@given(COUNTS.filter(lambda counts: 1 in counts), st.integers(1, 300))
def test_zayatz(counts, more):
    n_people = sum(counts) + more
    frame = pd.DataFrame({"x": np.repeat(np.arange(len(counts)), counts)})
    found = population_uniqueness(frame, population_size=n_people, method="zayatz")
    expected = min(naive_zayatz(counts, n_people), n_people)
    assert found.n_unique == pytest.approx(expected)
    assert found.share == found.n_unique / n_people


@pytest.mark.parametrize("alpha", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("beta", [0.05, 0.6])
@pytest.mark.parametrize("drawn", [0.02, 0.5])
def test_shares_of_the_slide_negative_binomial_model(alpha, beta, drawn):
    more = np.arange(20_000)
    sizes = nbinom.pmf(more, alpha, beta)
    for sampled, share in enumerate(_uniqueness.snb_shares(alpha, beta, drawn), 1):
        expected = (sizes * binom.pmf(sampled, 1 + more, drawn)).sum()
        assert share == pytest.approx(expected, rel=1e-8)


@settings(max_examples=60)
@given(COUNTS, st.floats(0.01, 0.99))
def test_shlossers_third_estimator(counts, q):
    """Haas and Stokes (1998), equation by equation."""
    f = Counter(counts)
    twice = sum(i * q**2 * (1 - q**2) ** (i - 1) * f[i] for i in f)
    more = sum((1 - q) ** i * ((1 + q) ** i - 1) * f[i] for i in f)
    missed = sum((1 - q) ** i * f[i] for i in f)
    once = sum(i * q * (1 - q) ** (i - 1) * f[i] for i in f)
    expected = len(counts) + f[1] * (twice / more) * (missed / once) ** 2
    found = _uniqueness.shlosser(sample_of(counts), q)
    assert found == pytest.approx(expected, rel=1e-9)


def slide_population(alpha, beta, n_classes, rng):
    sizes = 1 + rng.negative_binomial(alpha, beta, n_classes)
    return np.repeat(np.arange(n_classes), sizes), int((sizes == 1).sum())


@pytest.mark.parametrize(
    ("alpha", "beta", "drawn", "within"),
    [(0.5, 0.2, 0.3, 0.1), (0.5, 0.2, 0.6, 0.05), (2.0, 0.4, 0.5, 0.1)],
)
def test_snb_finds_the_uniques_of_its_own_populations(alpha, beta, drawn, within):
    rng = np.random.default_rng(1)
    people, unique = slide_population(alpha, beta, 20_000, rng)
    sample = rng.choice(people, int(drawn * len(people)), replace=False)
    found = population_uniqueness(
        pd.DataFrame({"x": sample}), population_size=len(people), method="snb"
    )
    assert found.n_unique == pytest.approx(unique, rel=within)


def test_snb_given_the_number_of_classes(monkeypatch):
    rng = np.random.default_rng(2)
    people, unique = slide_population(0.5, 0.2, 100_000, rng)
    monkeypatch.setattr(_uniqueness, "shlosser", lambda sample, drawn: 100_000.0)
    sample = rng.choice(people, len(people) // 10, replace=False)
    found = population_uniqueness(
        pd.DataFrame({"x": sample}), population_size=len(people), method="snb"
    )
    assert found.n_unique == pytest.approx(unique, rel=0.1)


def pitman_population(theta, alpha, n, rng):
    """One person after the other founds a class, or joins that of an earlier one."""
    people, sizes = np.empty(n, dtype=int), []
    for i, chance in enumerate(rng.random(n)):
        if chance * (theta + i) < theta + alpha * len(sizes):
            people[i] = len(sizes)
            sizes.append(1)
            continue
        joined = people[rng.integers(i)]
        while rng.random() < alpha / sizes[joined]:
            joined = people[rng.integers(i)]
        people[i] = joined
        sizes[joined] += 1
    return people, sizes.count(1)


@pytest.mark.parametrize(("theta", "alpha"), [(20.0, 0.5), (300.0, 0.1)])
def test_pitman_finds_the_uniques_of_its_own_populations(theta, alpha):
    ratios = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        people, unique = pitman_population(theta, alpha, 20_000, rng)
        frame = pd.DataFrame({"x": rng.choice(people, 6000, replace=False)})
        found = population_uniqueness(frame, population_size=20_000, method="pitman")
        ratios.append(found.n_unique / unique)
    assert np.mean(ratios) == pytest.approx(1, abs=0.07)


def test_a_sample_of_adult():
    columns = ["age", "education", "marital-status", "race", "sex", "native-country"]
    people = load_adult().data[columns]
    unique = int((people.groupby(columns, observed=True).size() == 1).sum())
    for n, method in [(2000, "pitman"), (20_000, "zayatz")]:
        sample = people.sample(n, random_state=0)
        found = population_uniqueness(sample, population_size=len(people))
        assert found.method == method or n > 2000
        assert found.n_unique == pytest.approx(unique, rel=0.3)


def test_the_rule_of_dankar():
    rng = np.random.default_rng(4)
    people, _ = slide_population(0.5, 0.2, 3000, rng)
    for drawn in (0.1, 0.3, 0.7):
        sample = rng.choice(people, int(drawn * len(people)), replace=False)
        frame = pd.DataFrame({"x": sample})
        size = len(people)
        each = {
            method: population_uniqueness(frame, population_size=size, method=method)
            for method in ("pitman", "snb", "zayatz")
        }
        lower = min(each["snb"], each["zayatz"])
        expected = each["pitman"] if drawn <= 0.1 else lower
        assert population_uniqueness(frame, population_size=size) == expected


METHODS = ["auto", "pitman", "snb", "zayatz"]


@pytest.mark.parametrize("method", METHODS)
def test_the_ends(method):
    alone = pd.DataFrame({"x": range(10)})
    together = pd.DataFrame({"x": [0] * 10})
    mixed = pd.DataFrame({"x": [0, 0, 1, 2, 2, 3]})

    def unique(frame, size):
        found = population_uniqueness(frame, population_size=size, method=method)
        return found.n_unique

    assert unique(alone, 100) == 100
    assert unique(alone, 10) == 10
    assert unique(mixed, 6) == 2
    assert unique(together, 100) < 1e-3
    assert unique(together, 12) < 1e-3


@pytest.mark.parametrize("method", ["pitman", "zayatz"])
@settings(max_examples=20)
@given(counts=COUNTS, more=st.integers(0, 10_000))
def test_estimates_stay_within_the_population(method, counts, more):
    frame = pd.DataFrame({"x": np.repeat(np.arange(len(counts)), counts)})
    size = len(frame) + more
    found = population_uniqueness(frame, population_size=size, method=method)
    assert 0 <= found.n_unique <= size


def test_snb_says_that_it_fits_nothing():
    frame = pd.DataFrame({"x": np.repeat(np.arange(20), [1] * 10 + [50] * 10)})
    with pytest.raises(InfeasibleError, match="10 classes of 1 row and 0 of 2"):
        population_uniqueness(frame, population_size=700, method="snb")
    found = population_uniqueness(frame, population_size=700)
    assert found.method == "zayatz"


@pytest.mark.parametrize("method", METHODS)
def test_a_class_of_very_many_rows(method):
    counts = [1, 1, 1, 1, 2, 2, 2, 3, 10**5]
    frame = pd.DataFrame({"x": np.repeat(np.arange(9), counts)})
    found = population_uniqueness(frame, population_size=120_000, method=method)
    assert 0.5 < found.n_unique < 300


def test_suppressed_rows_are_no_part_of_the_sample():
    frame = pd.DataFrame({"x": [*"aabbc", "*", "*"]})
    kept = population_uniqueness(frame, population_size=50, method="zayatz")
    alone = population_uniqueness(frame[:5], population_size=50, method="zayatz")
    assert kept == alone

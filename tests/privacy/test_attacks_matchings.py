"""Matchings: what is known of people when everybody in the release is known."""

from collections import Counter
from fractions import Fraction

import naive_attacks
import naive_consistency as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon.exceptions import (
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    ParameterError,
    ReleaseError,
)
from skanon.privacy import _graph, global_one_k_anonymity, kk_anonymity
from skanon.privacy.attacks import linkage_attack
from skanon.privacy.attacks._matchings import matching_attack

PEOPLE = pd.DataFrame({"age": [21, 22, 23, 24, 25]}, index=[*"abxcd"])
BROKEN = pd.DataFrame(
    {"age": ["[21, 23]", "[21, 22]", "[23, 24]", "[24, 25]", "[24, 25]"]}
).assign(ill=["flu", "cold", "ulcer", "flu", "cold"])
SAFE = BROKEN.assign(age=["[21, 23]", "[21, 22]", "[21, 24]", "[24, 25]", "[24, 25]"])


def check_against_oracle(found, edges, sensitive, index):
    matches = naive.matches_by_removal(edges)
    sensitive = [naive_attacks.key(x) for x in sensitive]
    n = len(sensitive)
    rates = {v: Fraction(c, n) for v, c in Counter(sensitive).items()}
    assert found.people.index.equals(index)
    tops, gained = [], []
    for row, near, kept in zip(
        found.people.itertuples(index=False), edges, matches, strict=True
    ):
        assert (row.records, row.matches) == (len(near), len(kept))
        shares = {
            v: Fraction(c, len(kept))
            for v, c in Counter(sensitive[j] for j in kept).items()
        }
        gains = {v: share - rates[v] for v, share in shares.items()}
        value, raised = map(naive_attacks.key, (row.value, row.raised_value))
        most = max(shares.values())
        assert shares[value] == most
        assert rates[value] == min(rates[v] for v in shares if shares[v] == most)
        assert gains[raised] == max(gains.values())
        assert row.share == pytest.approx(float(most), abs=1e-12)
        assert row.base_rate == pytest.approx(float(rates[value]), abs=1e-12)
        assert row.gain == pytest.approx(float(most - rates[value]), abs=1e-12)
        assert row.raised_share == pytest.approx(float(shares[raised]), abs=1e-12)
        assert row.raised_gain == pytest.approx(float(gains[raised]), abs=1e-12)
        tops.append(most)
        gained.append(max(gains.values()))
    counts = [len(x) for x in matches]
    assert (found.n_people, found.n_released) == (n, n)
    assert found.fewest_matches == min(counts)
    assert found.fewest_records == min(map(len, edges))
    assert found.unique_share == counts.count(1) / n
    assert found.homogeneous_share == tops.count(1) / n
    assert found.highest_share == pytest.approx(float(max(tops)), abs=1e-12)
    assert found.largest_gain == pytest.approx(float(max(gained)), abs=1e-12)
    fewer = sum(len(a) < len(b) for a, b in zip(matches, edges, strict=True))
    assert found.exposed_share == fewer / n
    assert found.surer_than(0.5) == sum(top > 0.5 for top in tops) / n
    for k in (1, 2, 3, 5):
        assert found.below(k) == sum(c < k for c in counts) / n


# --------------------------------------------------------------- the two adversaries


def test_the_second_adversary_breaks_a_kk_release_that_the_first_cannot():
    assert kk_anonymity(PEOPLE.reset_index(drop=True), BROKEN[["age"]]) == 2
    assert linkage_attack(PEOPLE, BROKEN, ["age"], "ill").below(2) == 0
    found = matching_attack(PEOPLE, BROKEN, ["age"], "ill")
    assert found.people["records"].tolist() == [2, 2, 2, 3, 2]
    assert found.people["matches"].tolist() == [2, 2, 1, 2, 2]
    assert found.people["classes"].tolist() == [2, 2, 1, 1, 1]
    assert found.people.loc["x", ["value", "share"]].tolist() == ["ulcer", 1]
    assert found.below(2) == found.unique_share == 0.2
    assert found.exposed_share == 0.4


def test_a_global_release_withstands_both():
    assert global_one_k_anonymity(PEOPLE.reset_index(drop=True), SAFE[["age"]]) == 2
    for attack in (linkage_attack, matching_attack):
        found = attack(PEOPLE, SAFE, ["age"], "ill")
        assert found.below(2) == found.homogeneous_share == 0
        assert found.highest_share == 0.5


@given(naive.generalized(), st.integers(1, 4))
@settings(max_examples=50)
def test_nobody_has_fewer_matches_than_global_anonymity_says(tables, k):
    original, released = tables
    options = {"hierarchies": {"town": naive_attacks.TOWNS}}
    level = global_one_k_anonymity(original, released, **options)
    sensitive = pd.Series(range(len(released)))
    found = matching_attack(original, released, None, sensitive, **options)
    assert found.fewest_matches == level
    assert (found.below(k) == 0) == (k <= level)
    assert found.highest_share == 1 / level  # all sensitive values differ


# ------------------------------------------------------------------------ the oracle


@given(naive.generalized(), st.data(), st.sampled_from([1, 2**25]))
@settings(max_examples=100)
def test_the_attack_equals_the_oracle_whatever_the_order(tables, data, chunk):
    original, released = tables
    order = data.draw(st.permutations(range(len(original))))
    people = original.iloc[order].set_axis([f"person {i}" for i in order])
    ill = st.sampled_from(["flu", "cold", "ulcer", None])
    size = len(original)
    sensitive = pd.Series(
        data.draw(st.lists(ill, min_size=size, max_size=size)), name="i"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_graph, "CHUNK", chunk)
        found = matching_attack(
            people,
            released,
            None,
            sensitive.astype(object),
            hierarchies={"town": naive_attacks.TOWNS},
        )
    edges = naive.edges_of(people, released)
    check_against_oracle(found, edges, sensitive, people.index)


@pytest.mark.parametrize("seed", range(40))
def test_shuffled_graphs_with_equal_records(seed):
    rng = np.random.RandomState(seed)
    n = rng.randint(2, 30)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))[: rng.randint(2, n + 1)]
    values = rng.choice(letters, n)
    chance = rng.choice([0.02, 0.08, 0.2])
    sets = [{v, *letters[rng.random_sample(len(letters)) < chance]} for v in values]
    order = rng.permutation(n)
    original, released = naive.one_column(sets, values[order])
    sensitive = pd.Series(rng.choice([*"pqr"], n))
    edges = [{j for j, x in enumerate(sets) if v in x} for v in values[order]]
    found = matching_attack(original, released, ["x"], sensitive)
    check_against_oracle(found, edges, sensitive, original.index)


@given(naive.generalized(), st.data())
@settings(max_examples=60)
def test_people_who_cannot_all_be_in_the_release_are_refused(tables, data):
    original, released = tables
    size = len(original)
    rows = data.draw(
        st.lists(st.integers(0, size - 1), min_size=size, max_size=size), "people"
    )
    people = original.iloc[rows].reset_index(drop=True)
    edges = naive.edges_of(people, released)
    options = {"hierarchies": {"town": naive_attacks.TOWNS}}
    sensitive = pd.Series(["flu"] * size)
    try:
        found = matching_attack(people, released, None, sensitive, **options)
    except ReleaseError as error:
        assert not naive.has_perfect_matching(edges)
        assert f"of the {size} can have" in str(error)
    else:
        assert naive.has_perfect_matching(edges)
        check_against_oracle(found, edges, sensitive, people.index)


# ------------------------------------------------------------------------ the result


def test_the_summary_has_all_figures():
    found = matching_attack(PEOPLE, BROKEN, ["age"], "ill")
    summary = found.summary()
    assert summary.to_dict() == {x: getattr(found, x) for x in summary.index}
    assert len(summary) == 8 and summary.name == "matching"
    assert repr(found).startswith(
        "MatchingResult(n_people=5, fewest_records=2, fewest_"
    )
    with pytest.raises(ParameterError, match="k is"):
        found.below(0)


def test_sensitive_values_may_come_apart():
    apart = matching_attack(PEOPLE, BROKEN[["age"]], None, BROKEN["ill"]).people
    inside = matching_attack(PEOPLE, BROKEN, None, "ill").people
    pd.testing.assert_frame_equal(apart, inside)


def test_another_word_for_what_is_suppressed():
    hidden = BROKEN.assign(age="?")
    found = matching_attack(PEOPLE, hidden, ["age"], "ill", suppressed="?")
    assert found.fewest_matches == 5


def test_tables_of_polars_and_numpy():
    expected = matching_attack(PEOPLE, BROKEN, ["age"], "ill").summary()
    arrays = PEOPLE.to_numpy(), BROKEN.to_numpy()
    assert matching_attack(*arrays, [0], 1).summary().equals(expected)
    pl = pytest.importorskip("polars")
    tables = pl.from_pandas(PEOPLE), pl.from_pandas(BROKEN)
    assert matching_attack(*tables, ["age"], "ill").summary().equals(expected)


# ------------------------------------------------------------------------ the errors


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["age", "zip"], r"no column 'zip', which quasi_identifiers names.*'age'"),
        (["age", "age"], r"names 'age' more than once"),
        (["age", "ill"], r"'ill' is named as quasi-identifier and as sensitive"),
        ([], "Name at least one"),
    ],
)
def test_quasi_identifiers(names, message):
    with pytest.raises(ColumnError, match=message):
        matching_attack(PEOPLE.assign(ill="flu"), BROKEN, names, "ill")


def test_other_people_than_those_of_the_release():
    with pytest.raises(ColumnError, match="original has 4 rows, but the release has 5"):
        matching_attack(PEOPLE.iloc[:4], BROKEN, ["age"], "ill")
    others = PEOPLE.replace(23, 22)
    with pytest.raises(ReleaseError, match=r"at most 4 of the 5 can.*any order"):
        matching_attack(others, SAFE.assign(age=BROKEN["age"]), ["age"], "ill")
    strangers = PEOPLE + 50
    with pytest.raises(ReleaseError, match="at most 0 of the 5"):
        matching_attack(strangers, BROKEN, ["age"], "ill")


def test_tables_and_hierarchies():
    with pytest.raises(ColumnError, match="original has no rows"):
        matching_attack(PEOPLE.iloc[:0], BROKEN, ["age"], "ill")
    with pytest.raises(ColumnError, match="no rows"):
        matching_attack(PEOPLE, BROKEN.iloc[:0], ["age"], "ill")
    with pytest.raises(ColumnTypeError, match="list"):
        matching_attack([[1]], BROKEN, ["age"], "ill")
    with pytest.raises(ColumnError, match="original has no column 'age'"):
        matching_attack(PEOPLE.rename(columns={"age": "a"}), BROKEN, ["age"], "ill")
    with pytest.raises(ParameterError, match="suppressed"):
        matching_attack(PEOPLE, BROKEN, ["age"], "ill", suppressed=["*"])
    with pytest.raises(ParameterError, match="Attack one at a time"):
        matching_attack(PEOPLE, BROKEN, ["age"], ["ill", "age"])
    with pytest.raises(HierarchyError, match="'age'"):
        matching_attack(PEOPLE, BROKEN, ["age"], "ill", hierarchies={"age": 3})
    with pytest.raises(ColumnError, match=r"'age'.*'young' at row 1"):
        matching_attack(PEOPLE, BROKEN.replace("[21, 22]", "young"), ["age"], "ill")

"""Anonymity without equal records: who is consistent with how many, and matches."""

import mixed_tables
import naive_consistency as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_attacks import TOWNS

from skanon import KAnonymizer
from skanon.datasets import load_adult
from skanon.exceptions import (
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    ParameterError,
    ReleaseError,
)
from skanon.privacy import (
    _consistency,
    _graph,
    consistency_violations,
    global_one_k_anonymity,
    k_anonymity,
    k_one_anonymity,
    kk_anonymity,
    one_k_anonymity,
)

CHECKS = {
    "one_k": one_k_anonymity,
    "k_one": k_one_anonymity,
    "kk": kk_anonymity,
    "global_one_k": global_one_k_anonymity,
}
TREES = {"town": TOWNS}


def levels(original, released, **options):
    return {
        name: check(original, released, **options) for name, check in CHECKS.items()
    }


def expected(edges):
    """What the oracle says each record reaches."""
    matches = naive.matches_by_removal(edges)
    return (
        [len(row) for row in edges],
        [len(row) for row in naive.turned(edges)],
        [len(row) for row in matches],
    )


def check_against_oracle(original, released, edges, **options):
    forward, backward, matched = expected(edges)
    assert levels(original, released, **options) == {
        "one_k": min(forward),
        "k_one": min(backward),
        "kk": min(forward + backward),
        "global_one_k": min(matched),
    }
    sides = {
        "one_k": {"original": forward},
        "k_one": {"released": backward},
        "kk": {"original": forward, "released": backward},
        "global_one_k": {"original": matched},
    }
    for model, reached in sides.items():
        for k in (2, len(edges) + 1):
            listed = consistency_violations(
                original, released, k=k, model=model, **options
            )
            found = set(
                zip(listed["table"], listed["position"], listed["reaches"], strict=True)
            )
            assert found == {
                (table, at, count)
                for table, counts in reached.items()
                for at, count in enumerate(counts)
                if count < k
            }
            assert len(listed) == len(found)
            assert listed["reaches"].is_monotonic_increasing


# ----------------------------------------------------------------------- the paper's

D = pd.DataFrame({"A": [1, 1, 2], "B": [3, 4, 4]})
RELEASES = {
    "2": [("{1, 2}", "{3, 4}")] * 3,
    "(1,2)": [("1", "3"), ("{1, 2}", "{3, 4}"), ("{1, 2}", "4")],
    "(2,1)": [("1", "{3, 4}"), ("{1, 2}", "4"), ("{1, 2}", "4")],
    "(2,2)": [("1", "{3, 4}"), ("{1, 2}", "{3, 4}"), ("{1, 2}", "4")],
}


@pytest.mark.parametrize(
    ("name", "is_2", "is_12", "is_21"),
    [
        ("2", True, True, True),
        ("(1,2)", False, True, False),
        ("(2,1)", False, False, True),
        ("(2,2)", False, True, True),
    ],
)
def test_the_table_of_proposition_4_5(name, is_2, is_12, is_21):
    released = pd.DataFrame(RELEASES[name], columns=["A", "B"])
    assert (k_anonymity(released) >= 2) == is_2
    assert (one_k_anonymity(D, released) >= 2) == is_12
    assert (k_one_anonymity(D, released) >= 2) == is_21
    assert (kk_anonymity(D, released) >= 2) == (is_12 and is_21)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_inclusions_of_propositions_4_5_and_4_7(seed):
    """Each record of a random release covers its own and some others."""
    rng = np.random.RandomState(seed)
    n = rng.randint(2, 12)
    original = pd.DataFrame({"x": rng.randint(6, size=n), "y": rng.randint(4, size=n)})
    mates = rng.randint(n, size=(n, rng.randint(1, 5)))
    if rng.rand() < 0.5:  # or classes
        groups = rng.randint(3, size=n)
        mates = [np.flatnonzero(groups == group) for group in groups]
    released = pd.DataFrame(
        {
            name: [
                "{" + ", ".join(map(str, sorted({column[i], *column[mates[i]]}))) + "}"
                for i in range(n)
            ]
            for name, column in original.items()
        }
    )
    found = levels(original, released)
    assert found["kk"] == min(found["one_k"], found["k_one"])
    assert k_anonymity(released) <= min(found["kk"], found["global_one_k"])
    assert found["global_one_k"] <= found["one_k"]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_suppressed_records_hide_nobody_but_themselves(k):
    n = 9
    original = pd.DataFrame({"age": range(20, 20 + n)})
    released = original.astype(str)
    released.iloc[n - k :] = "*"
    found = levels(original, released)
    assert found == {"one_k": k, "k_one": 1, "kk": 1, "global_one_k": 1}
    alone = consistency_violations(original, released, k=k)
    assert alone["table"].tolist() == ["released"] * (n - k)
    assert alone["position"].tolist() == list(range(n - k))
    known = consistency_violations(original, released, k=k, model="global_one_k")
    assert known["position"].tolist() == list(range(n - k))
    assert (known["reaches"] == 1).all()


def test_matches_may_be_fewer_than_neighbours():
    original = pd.DataFrame({"x": [1, 2, 3, 4, 5]})
    released = pd.DataFrame({"x": ["[1, 3]", "[1, 2]", "[3, 4]", "[4, 5]", "[4, 5]"]})
    found = levels(original, released)
    assert found == {"one_k": 2, "k_one": 2, "kk": 2, "global_one_k": 1}
    (row,) = consistency_violations(
        original, released, k=2, model="global_one_k"
    ).itertuples()
    assert (row.table, row.position, row.x, row.reaches) == ("original", 2, 3, 1)
    released.loc[2, "x"] = "[1, 4]"  # what algorithm 6 does
    assert global_one_k_anonymity(original, released) == 2


def test_global_anonymity_does_not_bound_who_is_behind_a_record():
    original = pd.DataFrame({"x": [1, 2, 3, 4]})
    released = pd.DataFrame({"x": ["{1, 2}", "*", "*", "*"]})
    found = levels(original, released)
    assert found == {"one_k": 3, "k_one": 2, "kk": 2, "global_one_k": 3}


# ------------------------------------------------------------------------ the oracle


@given(naive.generalized(), st.sampled_from([1, 2**25]))
@settings(max_examples=80)
def test_all_levels_equal_the_oracle(tables, chunk):
    original, released = tables
    edges = naive.edges_of(original, released)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_graph, "CHUNK", chunk)
        check_against_oracle(original, released, edges, hierarchies=TREES)


@given(naive.generalized(most=6))
def test_both_oracles_are_of_one_mind(tables):
    edges = naive.edges_of(*tables)
    assert naive.matches_by_permutations(edges) == naive.matches_by_removal(edges)


@pytest.mark.parametrize("seed", range(60))
def test_matches_of_random_graphs_with_equal_records(seed):
    rng = np.random.RandomState(seed)
    n = rng.randint(2, 26)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))[: rng.randint(2, n + 1)]
    values = rng.choice(letters, n)
    chance = rng.choice([0.02, 0.08, 0.2])
    sets = [{v, *letters[rng.random_sample(len(letters)) < chance]} for v in values]
    original, released = naive.one_column(sets, values)
    edges = [{j for j, x in enumerate(sets) if v in x} for v in values]
    check_against_oracle(original, released, edges)


@given(naive.generalized())
@settings(max_examples=80)
def test_the_inclusions_of_figure_1(tables):
    original, released = tables
    found = levels(original, released, hierarchies=TREES)
    k = k_anonymity(released, suppressed=None)
    assert k <= found["kk"] == min(found["one_k"], found["k_one"])
    assert k <= found["global_one_k"] <= found["one_k"]
    if found["global_one_k"] >= 2:
        assert found["kk"] >= 2


@given(mixed_tables.tables(), st.data())
@settings(max_examples=30)
def test_k_anonymous_releases_are_all_of_it(table, data):
    frame, hierarchies, trees, _ = table
    assume(len(frame) > 1)
    k = data.draw(st.integers(2, len(frame)))
    anonymizer = KAnonymizer(k=k, algorithm="mondrian", hierarchies=hierarchies)
    released = anonymizer.fit_transform(frame)
    options = {"hierarchies": anonymizer.hierarchies_}
    assert all(x >= k for x in levels(frame, released, **options).values())
    edges = naive.neighbours(
        frame.to_dict("records"),
        released.to_dict("records"),
        lambda name, label, value: mixed_tables.covers(
            label, value, frame[name], trees.get(name)
        ),
    )
    if len(frame) <= 12:
        check_against_oracle(frame, released, edges, **options)


def test_adult():
    adult = load_adult()
    public = ["age", "education", "marital-status", "sex", "native-country"]
    frame = adult.data[public].iloc[:3000]
    hierarchies = {name: adult.hierarchies[name] for name in public}
    released = KAnonymizer(
        k=7, algorithm="mondrian", hierarchies=hierarchies
    ).fit_transform(frame)
    found = levels(frame, released, hierarchies=hierarchies)
    assert min(found.values()) >= 7
    raw = frame.astype(str)
    alone = int(frame.value_counts().min())
    assert set(levels(raw, raw).values()) == {alone}


# ----------------------------------------------------------------------- the options


def test_columns_may_be_chosen():
    released = D.astype(str).assign(B="*", ill=[*"abc"])
    assert one_k_anonymity(D, released, quasi_identifiers=["B"]) == 3
    assert one_k_anonymity(D, released, quasi_identifiers=["A", "B"]) == 1
    with pytest.raises(ColumnError, match="original has no column 'ill', which the re"):
        one_k_anonymity(D, released)


def test_another_word_for_what_is_suppressed():
    released = D.astype(str).assign(B="?")
    assert kk_anonymity(D, released, quasi_identifiers=["B"], suppressed="?") == 3


def test_what_is_listed_when_names_are_taken():
    original = D.rename(columns={"A": "position", "B": "table"}).set_axis([*"xyz"])
    released = original.astype(str)
    listed = consistency_violations(original, released, k=2, model="one_k")
    assert listed.columns.tolist() == [
        *("table_", "row", "position_", "position", "table", "reaches")
    ]
    assert listed["row"].tolist() == [*"xyz"]
    assert listed["table"].tolist() == [3, 4, 4]
    none = consistency_violations(original, released, k=1)
    assert len(none) == 0 and none.columns.equals(listed.columns)


def test_tables_of_numpy_and_polars():
    released = pd.DataFrame(RELEASES["(2,2)"], columns=["A", "B"])
    assert kk_anonymity(D.to_numpy(), released.to_numpy()) == 2
    pl = pytest.importorskip("polars")
    assert kk_anonymity(pl.from_pandas(D), pl.from_pandas(released)) == 2


def test_rows_correspond_by_position():
    released = pd.DataFrame(RELEASES["(2,2)"], columns=["A", "B"])
    labels = ["a", "a", "a"]
    found = levels(D.set_axis(labels), released.set_axis(labels))
    assert found == levels(D, released)


# ------------------------------------------------------------------------ the errors


every_check = pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)


@every_check
def test_a_release_that_does_not_generalize_its_originals(check):
    released = pd.DataFrame(RELEASES["(2,2)"], columns=["A", "B"])
    released.loc[1, "B"] = "3"
    with pytest.raises(ReleaseError) as caught:
        check(D, released)
    for part in ("row 1", "'B' is 4 in original", "'3' in the release", "same order"):
        assert part in str(caught.value)
    with pytest.raises(ReleaseError, match="row 0, 'A' is 1"):
        check(D, released.assign(A=["{2, 7}", "2", "2"]))
    with pytest.raises(ReleaseError, match="row 2"):
        check(D.assign(B=[3, 4, np.nan]), released.assign(B="[3, 4]"))


@every_check
def test_labels_that_cannot_be_read(check):
    with pytest.raises(ColumnError, match=r"'A'.*'young' at row 2"):
        check(D, D.astype(str).assign(A=["1", "1", "young"]))


@every_check
def test_tables(check):
    released = D.astype(str)
    with pytest.raises(ColumnError, match="original has 3 rows, but the release has 2"):
        check(D, released.iloc[:2])
    with pytest.raises(ColumnError, match=r"at row 0 it is 0 in original, but 2"):
        check(D, released.iloc[::-1])
    with pytest.raises(ColumnError, match="original has no rows"):
        check(D.iloc[:0], released)
    with pytest.raises(ColumnError, match="no rows"):
        check(D, released.iloc[:0])
    with pytest.raises(ColumnTypeError, match="list"):
        check([[1]], released)
    with pytest.raises(ColumnError, match="more than one column"):
        check(D[["A", "A"]], released)
    with pytest.raises(ParameterError, match="suppressed"):
        check(D, released, suppressed=["*"])


@every_check
def test_columns_and_hierarchies(check):
    released = D.astype(str)
    with pytest.raises(ColumnError, match="no column 'zip', which quasi_identifiers"):
        check(D, released, quasi_identifiers=["A", "zip"])
    with pytest.raises(ParameterError, match=r"\['A'\]"):
        check(D, released, quasi_identifiers="A")
    with pytest.raises(ColumnError, match="Name at least one"):
        check(D, released, quasi_identifiers=[])
    with pytest.raises(ColumnError, match="'zip'"):
        check(D, released, hierarchies={"zip": {"*": ["1"]}})
    with pytest.raises(HierarchyError, match="'A'"):
        check(D, released, hierarchies={"A": 3})


def test_levels_and_models():
    released = D.astype(str)
    for k in (0, 2.5, True, "2"):
        with pytest.raises(ParameterError, match="k is"):
            consistency_violations(D, released, k=k)
    for model in ("k", "one_1", None):
        with pytest.raises(ParameterError, match=r"model is .* 'global_one_k'"):
            consistency_violations(D, released, k=2, model=model)
    assert set(_consistency.MODELS) == set(CHECKS)

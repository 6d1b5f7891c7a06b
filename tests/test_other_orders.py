"""The fitted table in another order, or without what is private."""

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS

from skanon import KAnonymizer, SequentialAnonymizer
from skanon.constraints import LDiversity
from skanon.exceptions import ColumnError
from skanon.privacy import l_diversity

ILL = ["HIV", "flu", "cold"]


def random_table(seed, n=24):
    """Many equal tuples, which several classes share."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 4, n),
            "town": rng.choice(["Ulm", "Kiel"], n),
            "ill": rng.choice(ILL, n, p=[0.3, 0.4, 0.3]),
        }
    )


def fitted_on(frame, algorithm="auto", **parameters):
    given = {"sensitive": "ill", "constraints": [LDiversity(1.5)], "random_state": 0}
    return KAnonymizer(2, algorithm=algorithm, **given | parameters).fit(frame)


@pytest.mark.parametrize("algorithm", sorted({*ALGORITHMS} - {"optimal"}))
def test_equal_tuples_do_not_trade_their_private_values(algorithm):
    for seed in range(6):
        frame = random_table(seed)
        fitted = fitted_on(frame, algorithm)
        release = fitted.transform(frame)
        for at in range(5):
            shuffled = frame.sample(frac=1, random_state=at)
            moved = fitted.transform(shuffled)
            pd.testing.assert_frame_equal(moved, release.loc[shuffled.index])
            reset = fitted.transform(shuffled.reset_index(drop=True))
            assert l_diversity(reset, ["age", "town"], "ill") >= 1.5
            both = [x.astype(str).agg("|".join, axis=1) for x in (release, reset)]
            assert sorted(both[0]) == sorted(both[1])


@pytest.mark.parametrize("constraints", [[], [LDiversity(1.5)]])
def test_the_same_records_are_suppressed_in_any_order(constraints):
    """Else two releases, each of them right, would together show them."""
    for seed in range(6):
        frame = random_table(seed).assign(note=[f"n{i}" for i in range(24)])
        given = {"quasi_identifiers": ["age", "town"], "suppressed": "drop"}
        fitted = fitted_on(
            frame, "mondrian", max_suppression=0.3, constraints=constraints, **given
        )
        release = fitted.transform(frame)
        for at in range(5):
            shuffled = frame.sample(frac=1, random_state=at)
            kept = [x for x in shuffled.index if x in release.index]
            moved = fitted.transform(shuffled)
            pd.testing.assert_frame_equal(moved, release.loc[kept])


def test_an_index_that_leads_to_other_records_does_not_count():
    frame = random_table(0)
    fitted = fitted_on(frame)
    other = frame.iloc[::-1].reset_index(drop=True)
    assert l_diversity(fitted.transform(other), ["age", "town"], "ill") >= 1.5
    twice = pd.concat([frame, frame])
    assert len(fitted.transform(twice)) == 48
    named = frame.set_axis([f"p{i}" for i in range(24)])
    assert fitted.transform(named).to_numpy().tolist() == (
        fitted.transform(frame).to_numpy().tolist()
    )


def one_tuple_in_two_classes():
    """(1,) with HIV lies in [0, 1], and with flu in [1, 2]."""
    frame = pd.DataFrame({"age": [0, 1, 1, 2]}, index=list("pqrs"))
    y = pd.Series(["flu", "HIV", "flu", "HIV"], index=frame.index)
    fitted = SequentialAnonymizer(2, constraints=[LDiversity(2)])
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1])
    return frame, fitted.fit(frame, y)


def test_what_is_beside_the_table_is_found_by_its_index():
    frame, fitted = one_tuple_in_two_classes()
    release = fitted.transform(frame)
    for order in ([2, 1, 0, 3], [3, 2, 1, 0], [1, 0, 3, 2]):
        moved = fitted.transform(frame.iloc[order])
        pd.testing.assert_frame_equal(moved, release.iloc[order])
    # in the fitted order it goes by position, whatever the index
    plain = fitted.transform(frame.reset_index(drop=True))
    assert plain["age"].tolist() == release["age"].tolist()
    with pytest.raises(ColumnError, match=r"in another order.*with the fitted index"):
        fitted.transform(frame.iloc[[3, 2, 1, 0]].reset_index(drop=True))
    some = fitted.transform(frame.iloc[[2, 1]].reset_index(drop=True))
    assert some["age"].tolist() == ["[0, 1]", "[1, 2]"]  # which is not the table


def test_an_order_in_which_nothing_can_be_traded_is_taken():
    frame = pd.DataFrame({"age": [0, 1, 3, 3]})
    y = ["flu", "HIV", "flu", "HIV"]
    fitted = SequentialAnonymizer(2, constraints=[LDiversity(2)])
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1])
    fitted.fit(frame, y)
    moved = fitted.transform(frame.iloc[::-1].reset_index(drop=True))
    assert moved["age"].tolist() == ["3", "3", "[0, 1]", "[0, 1]"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("absent", [["name"], ["ill"], ["ill", "name"]])
def test_new_records_need_no_private_columns(kind, absent):
    frame = random_table(1).assign(name=[f"n{i}" for i in range(24)], note="x")
    given = {"identifiers": "name", "quasi_identifiers": ["age", "town"]}
    fitted = fitted_on(frame, **given)
    release = fitted.transform(frame)
    new = frame.drop(columns=absent)
    if kind == "polars":
        polars = pytest.importorskip("polars")
        new = polars.from_pandas(new)
    moved = fitted.transform(new)
    kept = [c for c in release if c not in absent]
    assert list(moved.columns) == kept
    moved = moved.to_pandas() if kind == "polars" else moved
    for name in ("age", "town"):
        assert moved[name].tolist() == release[name].tolist()
    assert moved["note"].tolist() == ["x"] * 24
    gone = fitted.forget().transform(new)
    assert list(gone.columns) == kept


def test_other_columns_are_needed_in_their_order():
    frame = random_table(1).assign(name=[f"n{i}" for i in range(24)])
    fitted = fitted_on(frame, identifiers="name")
    for new in (
        frame[["town", "age"]],
        frame[["age", "ill", "name"]],
        frame[["age", "town"]].assign(odd=1),
    ):
        with pytest.raises(ColumnError):
            fitted.transform(new)

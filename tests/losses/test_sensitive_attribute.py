"""The sensitive attribute: where it comes from, and what it may be."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skanon import KAnonymizer
from skanon._table.sensitive import MOST_VALUES, sensitive_numbers, sensitive_table
from skanon.constraints import LDiversity
from skanon.exceptions import ColumnError, ColumnTypeError
from skanon.losses import LM, PMI, ClassPenalty
from skanon.metrics import information_loss

LOSSES = [PMI(), LM() + 0.5 * ClassPenalty(), 0.25 * LM() + 0.75 * PMI()]
NOTHING = pd.DataFrame(index=range(4))


def numbers(y, sensitive=NOTHING):
    return sensitive_numbers(PMI(), y, sensitive).tolist()


@pytest.mark.parametrize(
    "y",
    [
        list("abca"),
        tuple("abca"),
        np.array(list("abca")),
        np.array([3, 1, 2, 3]),
        [1.5, 2.5, 7, 1.5],
        pd.Series(list("abca"), index=[9, 8, 7, 6]),
        pd.Series(list("abca"), dtype="category"),
        pd.Series([3, 1, 2, 3], dtype="Int64"),
        pd.Categorical(list("abca"), categories=list("zcba")),
        pd.date_range("2020-01-01", periods=3)[[0, 1, 2, 0]],
        pl.Series(list("abca")),
        [1, "1", 2, 1],  # text and numbers are not the same
        ["nan", "None", "", "nan"],  # these are names like others
    ],
    ids=lambda y: f"{type(y).__name__} of {next(iter(y))!r}",
)
def test_any_single_column_will_do(y):
    assert numbers(y) == [0, 1, 2, 0]
    found = sensitive_numbers(PMI(), y, NOTHING)
    assert found.dtype == np.int32


def test_a_sensitive_column_stands_in_for_y():
    frame = pd.DataFrame({"ill": list("xyxx")}, index=[3, 3, 1, 0])
    assert numbers(None, frame) == [0, 1, 0, 0]
    assert numbers(list("aabb"), frame) == [0, 0, 1, 1]  # y comes first


def test_losses_that_look_at_none_are_given_zeros():
    for y in (list("abca"), None, [None] * 4):
        assert sensitive_numbers(LM(), y, NOTHING).tolist() == [0] * 4


AGES = pd.DataFrame({"age": [20, 21, 22, 60], "ill": list("abab"), "job": list("cdcd")})


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_no_sensitive_attribute(loss):
    with pytest.raises(ColumnError, match=r"Give it to fit as y, or name it in"):
        KAnonymizer(2, loss=loss).fit(AGES)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", None],
        ["a", np.nan, "b", np.nan],
        [1.0, np.nan, 2.0, np.nan],
        np.array(["a", None, "b", np.nan], dtype=object),
        pd.Series([1, None, 2, None], dtype="Int64"),
        pd.Series(["a", None, "b", None], dtype="category"),
        pd.Series(["a", pd.NA, "b", pd.NA], dtype="str"),
        [pd.Timestamp("2020-01-01"), pd.NaT, pd.Timestamp("2021-01-01"), pd.NaT],
        pl.Series(["a", None, "b", None]),
    ],
    ids=lambda y: f"{type(y).__name__} with {list(y)[1]}",
)
def test_missing_sensitive_values(loss, y):
    message = (
        r"The sensitive attribute is missing at row 1, and in 2 of 4 rows in all"
        r".*name of its own"
    )
    with pytest.raises(ColumnError, match=message):
        KAnonymizer(2, loss=loss).fit(AGES[["age"]], y)


def test_missing_values_of_a_sensitive_column():
    frame = AGES.assign(ill=["a", "b", None, "b"])
    anonymizer = KAnonymizer(2, loss=PMI(), sensitive="ill")
    with pytest.raises(ColumnError, match="Column 'ill' is missing at row 2"):
        anonymizer.fit(frame)


def test_of_several_attributes_the_combinations_count():
    """Goldberger & Tassa 2010, footnote 1."""
    frame = pd.DataFrame({"ill": list("abab"), "job": list("ccdc")}, index=[3, 3, 1, 0])
    assert numbers(None, frame) == [0, 1, 2, 1]
    assert numbers(frame) == numbers(frame.to_numpy()) == [0, 1, 2, 1]
    assert numbers(pl.DataFrame(frame)) == [0, 1, 2, 1]
    assert numbers(frame.assign(sex=list("ffff"), age=[1, 1, 1, 2])) == [0, 1, 2, 3]
    assert numbers(frame[["ill"]]) == [0, 1, 0, 1]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_several_attributes_are_as_good_as_one_of_their_combinations(loss):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"x": rng.randint(9, size=40), "z": rng.randint(3, size=40)})
    both = pd.DataFrame(
        {"ill": rng.randint(3, size=40), "job": rng.randint(2, size=40)}
    )
    joined = both["ill"].astype(str) + " " + both["job"].astype(str)
    one = KAnonymizer(3, loss=loss, random_state=0).fit(frame, joined)
    for fitted in (
        KAnonymizer(3, loss=loss, random_state=0).fit(frame, both),
        KAnonymizer(3, loss=loss, sensitive=["ill", "job"], random_state=0).fit(
            frame.assign(**both)
        ),
    ):
        assert fitted.labels_.tolist() == one.labels_.tolist()
        assert fitted.information_loss_ == one.information_loss_
    found = [
        information_loss(frame, one, sensitive=given, loss=loss)
        for given in (joined, both, both.to_numpy(), pl.DataFrame(both))
    ]
    assert found == pytest.approx([one.information_loss_] * 4, abs=1e-12)


def test_each_of_several_attributes_is_checked():
    y = AGES[["ill", "job"]].assign(job=["c", None, "d", "c"])
    with pytest.raises(ColumnError, match="Column 'job' is missing at row 1"):
        KAnonymizer(2, loss=PMI()).fit(AGES[["age"]], y)
    frame = pd.DataFrame({"x": np.zeros(1001)})
    y = np.column_stack([np.arange(1001) // 2, np.arange(1001) % 2])
    match = r"Column 'y_0' and column 'y_1' together have 1001 different values"
    with pytest.raises(ColumnError, match=match):
        KAnonymizer(2, loss=PMI()).fit(frame, y)


def test_too_many_values():
    frame = pd.DataFrame({"x": np.zeros(1001)})
    y = np.arange(1001)
    with pytest.raises(
        ColumnError,
        match=r"attribute has 1001 different values.*1000 apart.*pandas\.qcut",
    ):
        KAnonymizer(2, loss=PMI()).fit(frame, y)
    y[-1] = 0
    assert sensitive_numbers(PMI(), y, frame).max() == MOST_VALUES - 1 == 999


def test_values_that_cannot_be_compared():
    y = pd.Series([["a"], ["b"], ["a"], ["b"]])
    with pytest.raises(
        ColumnTypeError,
        match="The sensitive attribute has values that cannot be compared",
    ):
        KAnonymizer(2, loss=PMI()).fit(AGES[["age"]], y)


def test_a_wrong_length_is_told_before():
    with pytest.raises(ColumnError, match="X has 4 rows, but y has 3"):
        KAnonymizer(2, loss=PMI()).fit(AGES[["age"]], list("aab"))


def test_how_sensitive_values_are_numbered_does_not_matter():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"x": rng.randint(9, size=40), "z": rng.randint(3, size=40)})
    y = rng.randint(3, size=40)
    for loss in LOSSES:
        renamed = np.array(["c", "a", "b"])[y]
        fits = [
            KAnonymizer(3, loss=loss, random_state=0).fit(frame, ill)
            for ill in (y, renamed)
        ]
        assert fits[0].labels_.tolist() == fits[1].labels_.tolist()
        losses = [fitted.information_loss_ for fitted in fits]
        assert losses[0] == pytest.approx(losses[1], abs=1e-12)


def test_the_table_of_sensitive_attributes():
    columns = pd.DataFrame({"flu": [1, 2]}, index=[7, 8])
    table = sensitive_table(columns, ["a", np.nan], pd.Series([0.5, 1.5], index=[7, 8]))
    assert table.columns.tolist() == ["flu", "y", "sensitive"]
    assert table.index.tolist() == [0, 1]
    assert table["y"].isna().tolist() == [False, True]
    twice = pd.DataFrame([[1, 1, 1], [4, 4, 2]], columns=["a", "a", "flu"])
    table = sensitive_table(columns, np.array([[1, 2], [3, 4]]), twice)
    assert table.columns.tolist() == ["flu", "y_0", "y_1", "a"]
    assert table["flu"].tolist() == [1, 2]


@pytest.mark.parametrize("name", ["flu", "y"])
def test_no_attribute_vanishes_behind_the_name_of_another(name):
    """The constraint would be checked on one of them only."""
    people = pd.DataFrame({"age": range(20), name: ["s", "t"] * 10})
    hidden = pd.Series(["u"] * 10 + ["v"] * 10, name=name)
    rule = [LDiversity(2)]
    for given in ({"y": hidden}, {"sensitive": hidden.to_frame()}):
        if name != "y" and "y" in given:
            continue  # y is called y
        made = KAnonymizer(4, sensitive=name, constraints=rule, random_state=0)
        match = f"Two sensitive attributes are called '{name}'"
        with pytest.raises(ColumnError, match=match):
            made.fit(people, **given)
    same = KAnonymizer(4, sensitive=name, constraints=rule, random_state=0)
    same.fit(people, sensitive=people[[name]])
    assert same._sensitive.columns.tolist() == [name]
    both = pd.DataFrame([[1, 2], [3, 4]] * 10, columns=["z", "z"])
    with pytest.raises(ColumnError, match="called 'z'"):
        KAnonymizer(4, constraints=rule).fit(people[["age"]], sensitive=both)

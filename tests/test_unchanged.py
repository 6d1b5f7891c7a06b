"""What passes through as it is: named where it singles out rows, dropped or mixed."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, KKAnonymizer, refine, shuffle_release
from skanon.exceptions import ColumnError, PrivacyWarning


def people(**more):
    table = {"age": [20, 21, 40, 41], "ill": ["flu", "cold"] * 2}
    return pd.DataFrame(table | more)


GIVEN = {"quasi_identifiers": ["age"], "sensitive": "ill", "random_state": 0}
FITS = {
    "fit": lambda frame, **own: KAnonymizer(2, **GIVEN | own).fit(frame),
    "fit_transform": lambda frame, **own: KAnonymizer(2, **GIVEN | own).fit_transform(
        frame
    ),
    "kk": lambda frame, **own: KKAnonymizer(2, **GIVEN | own).fit(frame),
    "refine": lambda frame, **own: refine(
        frame.reset_index(drop=True),
        pd.DataFrame({"age": ["a", "a", "b", "b"]}),
        2,
        **GIVEN | own,
    ),
}
NOTES = [
    list("pqrs"),
    list("pqrr"),
    [1, 2, 2, 2],
    [None, "x", "x", "x"],
    [[1], [2], [2], [2]],
]


@pytest.mark.parametrize("how", FITS)
@pytest.mark.parametrize("note", NOTES)
def test_columns_that_single_out_rows_are_named(note, how):
    with pytest.warns(PrivacyWarning, match=r"column 'note' \(\d of 4 records") as told:
        FITS[how](people(note=note))
    assert told[0].filename == __file__
    text = str(told[0].message)
    assert "identifiers" in text and "pqrs" not in text


@pytest.mark.parametrize("how", FITS)
def test_what_hides_is_not_named(how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FITS[how](people(note=list("xxyy")))
        FITS[how](people(note=list("pqrs")), identifiers="note")
        FITS[how](people().set_axis([7, 7, 9, 9]))
        FITS[how](people().set_axis([7, 3, 1, 9]))


def alone(rows):
    """Count the rows that no other one equals, pair by pair."""
    return sum(rows.count(row) == 1 for row in rows)


@pytest.mark.parametrize("suppressed", ["keep", "blank", "drop"])
@pytest.mark.parametrize("seed", range(3))
def test_records_that_are_alone_are_counted(seed, suppressed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 40, 60),
            "ward": pd.Series(rng.choice(["a", "b", None], 60), dtype="str"),
            "bed": rng.choice([1.0, 2.0, np.nan], 60),
            "list": [[int(x)] for x in rng.integers(0, 4, 60)],
        }
    )
    fitted = KAnonymizer(
        4,
        quasi_identifiers=["age"],
        max_suppression=0.2,
        suppressed=suppressed,
        random_state=0,
    )
    with pytest.warns(PrivacyWarning, match="Published as it is") as caught:
        release = fitted.fit_transform(frame)
    told = fitted.unchanged_
    if suppressed == "blank":
        release = release[~release.isna().all(axis=1)]
    text = release.astype(object).where(release.notna(), "missing").astype(str)
    cells = [tuple(row) for row in text.to_numpy().tolist()]
    assert told.records == len(cells)
    assert told.columns == {
        name: alone(text[name].tolist()) for name in ("ward", "bed", "list")
    }
    assert told.alone == alone([row[1:] for row in cells])
    assert told.together == alone(cells) > told.alone
    assert f"{told.alone} of {told.records} records are alone" in str(caught[0].message)
    assert f"columns {told.together}." in str(caught[0].message)


def test_without_classes_the_records_that_a_person_finds_are_counted():
    frame = people(note=list("xyxy"))
    with pytest.warns(PrivacyWarning, match="Published as it is"):
        fitted = KKAnonymizer(2, **GIVEN).fit(frame)
    release = fitted.transform(frame)
    found = [
        sum(
            interval_holds(text, age) and other == note
            for text, other in zip(release["age"], frame["note"], strict=True)
        )
        for age, note in zip(frame["age"], frame["note"], strict=True)
    ]
    assert fitted.unchanged_.together == found.count(1) > 0
    assert fitted.unchanged_.alone == 0


def interval_holds(text, value):
    low, high = text.strip("[]").split(", ")
    return float(low) <= value <= float(high)


def test_many_columns_are_named_by_what_they_single_out():
    wide = {f"c{at}": [0, 0, 1, 1] for at in range(12)} | {"last": [0, 0, 0, 1]}
    with pytest.warns(PrivacyWarning) as caught:
        KAnonymizer(2, **GIVEN).fit(people(**wide))
    text = str(caught[0].message)
    assert "columns 'last' (1 of 4 records are alone with their value), 'c0', 'c1'" in (
        text
    )
    assert "'c8', and 3 more" in text and "'c9'" not in text


def test_an_index_of_texts_is_named_and_may_be_dropped():
    frame = people().set_axis(pd.Index(["Ann", "Bob", "Cem", "Dan"], name="who"))
    with pytest.warns(PrivacyWarning, match="the index, whose texts are all different"):
        KAnonymizer(2, **GIVEN).fit(frame)
    own = GIVEN | {"identifiers": "who"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = KAnonymizer(2, **own)
        release = fitted.fit_transform(frame)
    assert release.index.equals(pd.RangeIndex(4)) and "Ann" not in release.to_csv()
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    pd.testing.assert_frame_equal(
        fitted.transform(frame.reset_index(drop=True)), release
    )


def test_one_of_several_levels():
    levels = pd.MultiIndex.from_arrays(
        [["Ann", "Bob", "Cem", "Dan"], [1, 1, 2, 2]], names=["who", "ward"]
    )
    frame = people(name=list("pqrs")).set_axis(levels)
    own = GIVEN | {"identifiers": ["name", "who"]}
    release = KAnonymizer(2, **own).fit_transform(frame)
    assert list(release) == ["age", "ill"]
    assert release.index.names == ["ward"] and release.index.tolist() == [1, 1, 2, 2]
    with pytest.raises(ColumnError, match="identifiers names 'whom'"):
        KAnonymizer(2, **GIVEN | {"identifiers": ["whom"]}).fit(frame)


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_a_release_is_shuffled(kind):
    release = pd.DataFrame(
        {"a": range(200), "b": list("xy") * 100}, index=range(200, 400)
    )
    given = release
    if kind == "polars":
        given = pytest.importorskip("polars").from_pandas(release)
    if kind == "array":
        given = release.to_numpy()
    mixed = shuffle_release(given)
    assert type(mixed) is type(given)
    back = mixed.to_pandas() if kind == "polars" else pd.DataFrame(mixed)
    rows = sorted(map(tuple, back.to_numpy().tolist()))
    assert rows == sorted(map(tuple, release.to_numpy().tolist()))
    assert back.iloc[:, 0].tolist() != list(range(200))
    if kind == "pandas":
        assert mixed.index.equals(pd.RangeIndex(200))
    again = [np.asarray(shuffle_release(given, 3)) for _ in range(2)]
    assert (again[0] == again[1]).all()

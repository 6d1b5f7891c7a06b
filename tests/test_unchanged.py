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
    with pytest.warns(PrivacyWarning, match=r"column 'note' \(\d of 4 rows\)") as told:
        FITS[how](people(note=note))
    assert told[0].filename == __file__
    text = str(told[0].message)
    assert "identifiers" in text and "pqrs" not in text


@pytest.mark.parametrize("how", FITS)
def test_what_hides_is_not_named(how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FITS[how](people(note=["x", "y"] * 2))
        FITS[how](people(note=list("pqrs")), identifiers="note")
        FITS[how](people().set_axis([7, 7, 9, 9]))
        FITS[how](people().set_axis([7, 3, 1, 9]))


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

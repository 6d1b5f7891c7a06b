"""What comes in, comes out: containers, indexes, dtypes and names of columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from skanon import KAnonymizer
from skanon.exceptions import ColumnError

ENCODINGS = ["label", "representative", "bounds", "distribution"]


def table():
    return pd.DataFrame(
        {
            "age": [20, 21, 40, 41],
            "town": ["a", "a", "b", "c"],
            "name": ["n1", "n2", "n3", "n4"],
            "note": [1.5, None, 2.5, 3.5],
        },
        index=[7, 7, 3, 1],
    )


def anonymizer(**options):
    return KAnonymizer(
        2,
        quasi_identifiers=["age", "town"],
        identifiers=["name"],
        random_state=0,
        **options,
    )


NAMES = {
    "label": ["age", "town", "note"],
    "representative": ["age", "town", "note"],
    "bounds": ["age_low", "age_high", "town", "note"],
    "distribution": ["age_mean", "age_width", "town_a", "town_other", "note"],
}


@pytest.mark.parametrize("encode", ENCODINGS)
def test_a_frame_gives_a_frame_of_the_same_rows(encode):
    frame = table()
    before = frame.copy(deep=True)
    fitted = anonymizer(encode=encode)
    release = fitted.fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert release.index.tolist() == [7, 7, 3, 1]
    assert release.columns.tolist() == NAMES[encode]
    assert fitted.get_feature_names_out().tolist() == NAMES[encode]
    pd.testing.assert_series_equal(release["note"], frame["note"])
    release.loc[:, :] = release.iloc[::-1].to_numpy()
    release["note"] = 0.0
    pd.testing.assert_frame_equal(frame, before)


def everything():
    """Columns of types that no quasi-identifier may have."""
    n = 4
    return {
        "int8": pd.array([1, 2, 3, 4], dtype="int8"),
        "object": np.array(["a", 1, None, [2]], dtype=object),
        "texts as objects": np.array(["a", "b", None, "c"], dtype=object),
        "period": pd.period_range("2020-01", periods=n, freq="M"),
        "interval": pd.interval_range(0, n),
        "category": pd.Categorical(["x", None, "y", "x"], categories=["y", "x", "z"]),
        "Int64": pd.array([2**60 + 1, None, 0, 1], dtype="Int64"),
        "zone": pd.date_range("2020", periods=n, tz="Asia/Tokyo"),
        "complex": np.array([1j, 2, 3, 4]),
        "star": pd.array(["*", "b", None, "c"], dtype="str"),
        "infinite": np.array([np.inf, 1, 2, np.nan]),
        "sparse": pd.arrays.SparseArray([0, 0, 1, 2]),
    }


@pytest.mark.parametrize("role", ["sensitive", "others"])
@pytest.mark.parametrize("name", everything())
def test_other_columns_pass_through_untouched(name, role):
    frame = pd.DataFrame({"a": [1, 1, 2, 2]})
    frame[name] = pd.Series(everything()[name], dtype=everything()[name].dtype)
    fitted = KAnonymizer(
        2, quasi_identifiers=["a"], sensitive=name if role == "sensitive" else None
    )
    release = fitted.fit_transform(frame)
    pd.testing.assert_series_equal(release[name], frame[name])
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    assert not np.shares_memory(release["a"].to_numpy(), frame["a"].to_numpy())


@pytest.mark.parametrize("encode", ENCODINGS)
def test_polars_gives_polars(encode):
    pl = pytest.importorskip("polars")
    frame = pl.from_pandas(table()).with_columns(
        big=pl.Series([2**60 + 1, None, 3, 4]),
        kind=pl.Series(["x", "y", None, "x"], dtype=pl.Categorical),
        listed=pl.Series([[1], [2, 3], None, []]),
    )
    before = frame.clone()
    fitted = anonymizer(encode=encode)
    release = fitted.fit_transform(frame)
    assert isinstance(release, pl.DataFrame) and frame.equals(before)
    more = ["big", "kind", "listed"]
    assert release.columns == NAMES[encode] + more
    assert release.columns == fitted.get_feature_names_out().tolist()
    for name in ["note", *more]:
        assert release[name].equals(frame[name])
        assert release[name].dtype == frame[name].dtype
    assert fitted.transform(frame).equals(release)
    known = anonymizer(encode=encode).fit_transform(table())
    kept = release.drop(more).to_pandas()
    assert kept.astype(object).fillna(0).to_numpy().tolist() == (
        known.astype(object).fillna(0).to_numpy().tolist()
    )
    # a frame of the one kind may follow one of the other
    assert isinstance(fitted.transform(frame.head(2)), pl.DataFrame)


@pytest.mark.parametrize("encode", ENCODINGS)
def test_every_polars_type(encode):
    pl = pytest.importorskip("polars")
    import datetime as dt

    days = [dt.date(1850, 1, 1), dt.date(1850, 1, 3), None, None]
    frame = pl.DataFrame(
        {
            "int": [2**60 + 1, 2**60 + 3, None, None],
            "uint8": pl.Series([1, 3, 7, 7], dtype=pl.UInt8),
            "float": [0.5, 1.5, float("nan"), None],
            "bool": [True, False, None, None],
            "text": ["a", "b", None, None],
            "day": days,
            "time": pl.Series(days).cast(pl.Datetime("ms")),
            "zone": pl.Series(days).cast(pl.Datetime("us", "Europe/Berlin")),
            "span": pl.Series([1, 3, None, None]).cast(pl.Duration("us")),
            "kind": pl.Series(["a", "b", None, None], dtype=pl.Categorical),
            "enum": pl.Series(["a", "b", None, None], dtype=pl.Enum(["b", "a"])),
        }
    )
    fitted = KAnonymizer(2, encode=encode, random_state=0)
    release = fitted.fit_transform(frame)
    assert release.columns == fitted.get_feature_names_out().tolist()
    if encode == "representative":
        assert release.schema == frame.schema
        assert release["int"].to_list() == [2**60 + 2] * 2 + [None] * 2
        assert release["day"].to_list() == [dt.date(1850, 1, 2)] * 2 + [None] * 2


@pytest.mark.parametrize("encode", ENCODINGS)
def test_arrays_give_arrays(encode):
    array = np.array([[1.0, 5.0], [1.0, 5.0], [2.0, 6.0], [2.0, np.nan]])
    fitted = KAnonymizer(2, encode=encode, random_state=0)
    release = fitted.fit_transform(array)
    assert isinstance(release, np.ndarray)
    assert release.shape == (4, len(fitted.get_feature_names_out()))
    assert release.dtype == (object if encode == "label" else float)
    assert fitted.get_feature_names_out()[0].startswith("x0")
    listed = fitted.transform(array.tolist())
    assert pd.DataFrame(listed).equals(pd.DataFrame(release))
    mixed = KAnonymizer(2, encode=encode, quasi_identifiers=[0], identifiers=1)
    release = mixed.fit_transform([[1, "n1", "x"], [1, "n2", "y"]])
    assert release[:, -1].tolist() == ["x", "y"]
    names = mixed.get_feature_names_out().tolist()
    assert names[-1] == "x2" and not any(name.startswith("x1") for name in names)


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("given", ["pandas", "polars", "numpy"])
@pytest.mark.parametrize("encode", ENCODINGS)
def test_set_output(encode, given, container):
    library = pytest.importorskip(container)
    frame = table().drop(columns="name")
    X = frame
    if given == "polars":
        X = pytest.importorskip("polars").from_pandas(frame)
    options = {
        "encode": encode,
        "random_state": 0,
        "quasi_identifiers": ["age", "town"],
    }
    if given == "numpy":
        X, options["quasi_identifiers"] = frame.to_numpy(), [0, 1]
    fitted = KAnonymizer(2, **options).set_output(transform=container)
    release = fitted.fit_transform(X)
    assert isinstance(release, library.DataFrame)
    assert list(release.columns) == fitted.get_feature_names_out().tolist()
    if container == "pandas" and given == "pandas":
        assert release.index.tolist() == frame.index.tolist()
    if encode in ("bounds", "distribution"):  # not all objects, as an array's are
        assert "o" not in str(release[release.columns[0]].dtype).lower()[:1]
    with config_context(transform_output=container):
        again = KAnonymizer(2, **options).fit_transform(X)
    assert isinstance(again, library.DataFrame) and again.equals(release)
    default = fitted.set_output(transform="default").fit_transform(X)
    assert type(default) is type(X)


def test_names_of_columns():
    fitted = anonymizer(encode="bounds").fit(table())
    given = fitted.get_feature_names_out(["age", "town", "name", "note"])
    assert given.tolist() == NAMES["bounds"] and given.dtype == object
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        fitted.get_feature_names_out(["age", "town"])
    numbered = pd.DataFrame({10: [1, 1, 2, 2], 20: [5, 5, 6, 6]})
    fitted = KAnonymizer(2, quasi_identifiers=[10], random_state=0).fit(numbered)
    assert fitted.transform(numbered).columns.tolist() == [10, 20]
    assert fitted.get_feature_names_out().tolist() == ["x0", "x1"]
    assert fitted.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="should have length equal"):
        fitted.get_feature_names_out(["a"])
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.transform(numbered.to_numpy()).tolist() == (
        fitted.transform(numbered).to_numpy().tolist()
    )
    with pytest.raises(ColumnError, match=r"\[20, 10\], but were \[10, 20\]"):
        fitted.transform(numbered[[20, 10]])
    tuples = pd.DataFrame({("a", 1): [1, 1], ("b", 2): [3, 4]})
    tuples.columns = tuples.columns.to_flat_index()
    fitted = KAnonymizer(2, quasi_identifiers=("a", 1)).fit(tuples)
    assert fitted.transform(tuples)[("b", 2)].tolist() == [3, 4]


def test_rows_with_an_index_of_several_levels():
    frame = pd.DataFrame({"a": [1, 1, 2, 2]})
    frame.index = pd.MultiIndex.from_tuples([(1, "x"), (1, "x"), (2, "y"), (0, "z")])
    release = KAnonymizer(2, random_state=0).fit_transform(frame)
    pd.testing.assert_index_equal(release.index, frame.index)
    assert release["a"].tolist() == ["1", "1", "2", "2"]


@pytest.mark.parametrize("encode", ENCODINGS)
def test_other_types_at_transform_that_mean_the_same(encode):
    fitted = KAnonymizer(2, encode=encode, random_state=0)
    release = fitted.fit_transform(pd.DataFrame({"a": [1, 2, 8, 9], "b": list("xxyy")}))
    other = pd.DataFrame(
        {
            "a": pd.array([1, 2, 8, 9], dtype="Float64"),
            "b": pd.Categorical(list("xxyy")),
        }
    )
    pd.testing.assert_frame_equal(fitted.transform(other), release)

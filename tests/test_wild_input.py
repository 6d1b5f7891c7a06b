"""What real files bring: each is anonymized rightly, or refused by name."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon.exceptions import AnonymizationError, PrivacyWarning
from skanon.metrics import information_loss
from skanon.privacy import check_release, kk_anonymity

FILES = {
    "byte order mark": (
        "\ufeffage,town\n30,Ulm\n31,Kiel\n30,Ulm\n31,Kiel\n".encode(),
        {"encoding": "utf-8-sig"},
    ),
    "line ends": (b"age,town\r\n30,Ulm\r\n31,Kiel\r\n30,Ulm\r\n31,Kiel\r\n", {}),
    "semicolons": (
        b"age;fee\n30;1.234,5\n31;2,5\n30;1.234,5\n31;2,5\n",
        {"sep": ";", "decimal": ",", "thousands": "."},
    ),
    "leading zeros": (b"zip,a\n01067,1\n01069,2\n01067,1\n80331,2\n", {"dtype": str}),
    "latin": (
        "town\nKöln\nKöln\nGöß\nGöß\n".encode("latin-1"),
        {"encoding": "latin-1"},
    ),
    "quotes": (b'town\n"a, ""b"""\n"a, ""b"""\n"x\ny"\n"x\ny"\n', {}),
    "blanks": (b"town\n Ulm\nUlm\nUlm \nUlm\n", {}),
}

GAPS = ["NaN", "NA", "None", "", " ", "nan", "null", "<NA>", "N/A", "-"]
LABELS = ["[1, 2]", "{a}", "{a, b}", "< 5", "1-2", "47*", '"', "(0, 1]", "**"]
SHOWN = "caf\u00e9", "cafe\u0301"
COLUMNS = {
    "gaps as values": GAPS * 2,
    "gaps beside gaps": [*GAPS, None, np.nan, pd.NA, pd.NaT] * 2,
    "texts like labels": LABELS * 2,
    "normal forms": [*SHOWN] * 3,
    "right to left": ["\u05e9\u05dc\u05d5\u05dd", "\u0633\u0644\u0627\u0645"] * 3,
    "marks of direction": ["\u200fa", "\u202eb", "a", "b"] * 2,
    "emoji": ["\U0001f469\u200d\U0001f52c", "\U0001f468\U0001f3fd", "x"] * 3,
    "zero width": ["a", "a\u200b", "\ufeffa", "a\u00a0"] * 2,
    "line breaks": ["a\nb", "a\r\nb", "a\tb", "a\x00b", "a b"] * 2,
    "very long": ["x" * 100_000, "x" * 99_999 + "y"] * 3,
    "constant": [1] * 5,
    "all missing": [None] * 5,
    "all NaN": [np.nan] * 5,
    "whole numbers beyond 2**53": [2**53, 2**53 + 1, 2**62, 2**62 + 1] * 2,
    "zeros": [0.0, -0.0, 1.0, -1.0] * 2,
    "subnormal": [5e-324, 1e-310, 0.0, -5e-324] * 2,
    "huge": [1.7e308, -1.7e308, 0.0] * 2,
    "nearly equal": [0.1 + 0.2, 0.3, 1 - 2**-53, 1.0] * 2,
    "time zones": pd.DatetimeIndex(
        ["2024-10-27 02:30", "2024-10-27 03:30", "2024-03-31 03:00"] * 2
    ).tz_localize("Europe/Berlin", ambiguous=np.array([True] * 6)),
    "the hour that comes twice": pd.to_datetime(
        ["2024-10-27 00:30", "2024-10-27 01:30"] * 3, utc=True
    ).tz_convert("Europe/Berlin"),
    "early dates": np.array(["0001-01-01", "1066-10-14"] * 3, dtype="datetime64[s]"),
    "late dates": np.array(["9999-12-31", "2300-01-01"] * 3, dtype="datetime64[s]"),
    "unused levels": pd.Categorical(["b", "c"] * 3, list("abcd"), ordered=True),
    "sparse": pd.arrays.SparseArray([0, 0, 1, 2, 0, 1]),
    "sparse with gaps": pd.arrays.SparseArray([np.nan, 0.5, np.nan, 2, 0.5, 2]),
    "masked integers": pd.array([1, None, 2, 1, None, 2], dtype="Int8"),
    "masked truth": pd.array([True, None, False] * 2, dtype="boolean"),
    "masked floats": pd.array([0.5, None, 1.5] * 2, dtype="Float32"),
    "uint64": np.array([2**64 - 1, 0, 2**63] * 2, dtype="uint64"),
    "float16": np.array([0.1, 0.2, 65504] * 2, dtype="float16"),
    "bytes": [b"a", b"b"] * 3,
    "mixed": [1, "1", 1.0, True] * 2,
    "a star": ["*", "a"] * 3,
    "infinite": [np.inf, 1.0] * 3,
    "lists": [[1], [2]] * 3,
    "complex": [1j, 2j] * 3,
    "a broken character": ["\udce4", "a"] * 3,
}
REFUSED = {
    "bytes": "type 'bytes'",
    "mixed": "mixes types",
    "a star": r"the text '\*'",
    "infinite": "infinite",
    "lists": "type list",
    "complex": "omplex",
    "a broken character": "no character",
}
HIERARCHIES = [{}, {"col": "suppression"}, {"col": "subsets"}, {"col": "intervals"}]


def release_of(frame, k=2, **parameters):
    anonymizer = KAnonymizer(k, random_state=0, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return anonymizer, anonymizer.fit_transform(frame)


def check(frame, k=2, **parameters):
    """Fit, write, and let a reader of text count; the release stands for the table."""
    anonymizer, release = release_of(frame, k, **parameters)
    check_release(release, k=k, suppressed=None)
    written = io.StringIO(release.to_csv(index=False, lineterminator="\n"))
    names = list(map(str, release.columns))
    how = {"keep_default_na": False, "skip_blank_lines": False}
    text = pd.read_csv(written, dtype=str, lineterminator="\n", **how)
    assert text.shape == release.shape
    assert text.groupby(names).size().min() >= k
    assert release.index.equals(frame.index)
    hierarchies = anonymizer.hierarchies_
    assert kk_anonymity(frame, release, hierarchies=hierarchies) >= k
    lost = information_loss(frame, release, hierarchies=hierarchies)
    assert lost == pytest.approx(anonymizer.information_loss_)
    pd.testing.assert_frame_equal(anonymizer.transform(frame), release)
    return release


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("algorithm", ["auto", "mondrian"])
def test_files(name, algorithm):
    content, how = FILES[name]
    frame = pd.read_csv(io.BytesIO(content), **how)
    release = check(frame, algorithm=algorithm)
    if name == "leading zeros":
        assert release["zip"].iloc[0] in ("01067", "*")
    if name == "semicolons":
        assert frame["fee"].tolist() == [1234.5, 2.5] * 2
    if name == "byte order mark":
        assert release.columns.tolist() == ["age", "town"]


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("hierarchies", HIERARCHIES, ids=str)
def test_columns(name, hierarchies):
    values = COLUMNS[name]
    dtype = object if isinstance(values, list) else None
    column = pd.Series(values, dtype=dtype)
    if name in ("constant", "all NaN", "huge"):
        column = column.infer_objects()
    frame = column.to_frame("col")
    if name in REFUSED:
        with pytest.raises(AnonymizationError, match=REFUSED[name]) as caught:
            check(frame, hierarchies=hierarchies)
        assert "'col'" in str(caught.value)
        return
    try:
        check(frame, hierarchies=hierarchies)
    except AnonymizationError as error:
        assert "'col'" in str(error)
        without_order = hierarchies.get("col") == "intervals"
        assert without_order or name in ("texts like labels", "gaps as values"), error


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "hilbert"])
def test_ten_thousand_categories(algorithm):
    texts = [f"code {i:05d}" for i in range(10_000)]
    frame = pd.DataFrame({"code": pd.Categorical(texts * 2), "x": [1, 2] * 10_000})
    _, release = release_of(frame, 3, algorithm=algorithm)
    check_release(release, k=3)


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "forest", "sequential"])
@pytest.mark.parametrize(("n", "k"), [(5, 5), (9, 5), (10, 5), (1, 1)])
def test_as_few_rows_as_can_be(n, k, algorithm):
    frame = pd.DataFrame({"age": range(n), "town": (["Ulm", "Kiel"] * n)[:n]})
    anonymizer, release = release_of(frame, k, algorithm=algorithm)
    check_release(release, k=k)
    assert anonymizer.class_sizes_.sum() == n
    assert len(anonymizer.class_sizes_) <= n // k


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 7, 7, 8]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (1, "b"), (2, "a")]),
        pd.Index([None, 1.5, np.nan, 2]),
        pd.DatetimeIndex(["2020-01-01"] * 4, tz="UTC"),
        pd.CategoricalIndex(["x", "y", "x", "y"]),
    ],
    ids=lambda index: type(index).__name__,
)
def test_indexes(index):
    check(pd.DataFrame({"age": [1, 2, 8, 9]}, index=index))

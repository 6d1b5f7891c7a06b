"""Parsers and the reader of labels, with what nobody would write."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skanon.exceptions import AnonymizationError
from skanon.hierarchies import Hierarchy, from_nested, read_arx, read_json, write_arx
from skanon.privacy._labels import Reader, members
from skanon.privacy._line import kind_of

RAW = {
    "number": pd.Series([1, 2.5, -3, 1e300, None]),
    "integers": pd.Series([0, 2**63 - 1, -(2**63)]),
    "date": pd.Series(pd.to_datetime(["2020-02-29", "1850-03-01", None])),
    "zoned": pd.Series(
        pd.to_datetime(["2020-02-29 05:00", "2020-03-01 00:00"], utc=True)
    ),
    "span": pd.Series(pd.to_timedelta(["1h", "3D"])),
    "text": pd.Series(["a", "b, c", "{a}", "[1, 2]", '"', ""]),
    "ordered": pd.Series(
        pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)
    ),
    "bins": pd.Series(pd.cut([1, 2, 9], [0, 1, 5, 10])),
    "months": pd.Series(pd.period_range("2020-01", periods=3, freq="M")),
    "truth": pd.Series([True, False]),
}
PIECES = [
    *'[](){}<>=",-+*.:/\\ \t\n0123456789eE_aTZ',
    *["2020", "-01", "T05:00", "inf", "nan", "NaT", "now", "today", "1e400", "P1DT"],
    *["1d", "d", "D", "min", "W"],
    *["lo", "hi", ", ", ">=", "\u2264", "\u2013", "\u0661", "\u00b2", "\x00", "1h"],
    *["\\u0022", "\ud800", "\U0001f600"],
]


@settings(max_examples=400)
@given(st.sampled_from(sorted(RAW)), st.lists(st.sampled_from(PIECES), max_size=12))
@example("span", ["1d"])
@example("number", ["[", "1", ", ", "inf", "]"])
@example("text", ["{", '"', "\\", '"', "}"])
def test_labels_are_read_or_not(name, pieces):
    """No text is an error; what is read are values that there are."""
    label = "".join(pieces)
    values = RAW[name]
    for complete in (True, False):
        found = Reader(values, *kind_of(values), complete=complete).read(label)
        if found is not None:
            codes = members(found)
            assert np.array_equal(codes, np.unique(codes))
            assert set(codes) <= set(range(len(values)))


JSON = json.dumps(
    from_nested({"*": {"x": ["a", "b"], "y": ["c", 7, 2.5]}}).to_dict()
).encode()
ARX = b'a;x;*\nb;x;*\n"c;d";y;*\n'
BYTES = st.one_of(
    st.sampled_from([b'"', b"{", b"}", b"[", b"]", b",", b";", b"\n", b"\r", b"\x00"]),
    st.sampled_from(
        [b"\xff", b"\xef\xbb\xbf", b"null", b"1e999", b"NaN", b"-", b"\\u"]
    ),
    st.binary(max_size=4),
)


@st.composite
def damaged(draw, content):
    """Cut, overwrite, double and insert pieces of a file."""
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(content)))
        to = draw(st.integers(at, min(len(content), at + 8)))
        again = content[at:to] * draw(st.integers(0, 2))
        content = content[:at] + again + draw(BYTES) + content[to:]
    return content


@settings(max_examples=300)
@given(damaged(JSON))
def test_damaged_json_is_a_hierarchy_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("json") / "tree.json"
    path.write_bytes(content)
    try:
        found = read_json(path)
    except AnonymizationError as error:
        assert str(path) in str(error) or "tree.json" in str(error)
        return
    assert Hierarchy.from_dict(found.to_dict()) == found


@settings(max_examples=300)
@given(damaged(ARX))
def test_damaged_tables_are_a_hierarchy_or_an_error_of_ours(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("arx")
    (folder / "tree.csv").write_bytes(content)
    try:
        found = read_arx(folder / "tree.csv")
    except AnonymizationError as error:
        assert "tree.csv" in str(error)
        return
    try:
        write_arx(found, folder / "again.csv")
    except AnonymizationError:  # such as a text that would read otherwise
        return
    assert read_arx(folder / "again.csv") == found


PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.sampled_from(["type", "taxonomy", "values", "levels", "intervals", "*"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["type", "values", "levels", "*", "a"]), inner, max_size=4
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=400)
@given(PLAIN)
@example({"type": "taxonomy", "values": ["a"], "levels": [["*"]]})
@example({"type": "taxonomy", "values": [[]], "levels": [["*"]]})
@example({"type": "taxonomy", "values": ["a"], "levels": "*"})
def test_descriptions_are_a_hierarchy_or_an_error_of_ours(plain):
    for described in (plain, {"type": "taxonomy", "values": plain, "levels": plain}):
        try:
            found = Hierarchy.from_dict(described)
        except AnonymizationError:
            continue
        assert Hierarchy.from_dict(found.to_dict()) == found


@settings(max_examples=200)
@given(PLAIN)
def test_nested_dicts_are_a_hierarchy_or_an_error_of_ours(plain):
    try:
        found = from_nested(plain)
    except AnonymizationError:
        return
    assert len(found.levels[-1]) == len(found.values)


@pytest.mark.parametrize("name", RAW)
def test_own_texts_are_read(name):
    values = RAW[name].dropna()
    reader = Reader(values.reset_index(drop=True), *kind_of(values))
    for code, value in enumerate(values):
        assert code in members(reader.read(str(value)))

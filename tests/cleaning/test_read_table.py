"""Reading tables from files: formats recognized, values left as they are."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skanon.cleaning import FileFormat, read_table, recognize_format
from skanon.exceptions import ColumnError, ParameterError


def read(text, encoding="utf-8", name="people.csv", **given):
    return read_table(io.BytesIO(text.encode(encoding)), name=name, **given)


def found(text, encoding="utf-8", name="people.csv"):
    return recognize_format(io.BytesIO(text.encode(encoding)), name=name)


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal"),
    [
        ("a,b\n1,2\n", ",", "."),
        ("a;b\n1,5;2\n3,25;1\n", ";", ","),
        ("a;b\n1.5;2\n", ";", "."),
        ("a;b\n1,200;2\n3,400;1\n", ";", "."),  # thousands, perhaps
        ("a;b\n1,5;2.5\n", ";", "."),  # both: neither is told by the file
        ("a\tb\n1,5\t2\n", "\t", ","),
        ("a|b\nx, y, z|2\n", "|", "."),
        ('a,b\n"x; y",2\n"z; w; v",3\n', ",", "."),
        ("name;note\nAnn;a, b\nBob;c\n", ";", "."),
        ("a\n1\n2\n", ",", "."),
    ],
)
def test_delimiter_and_decimal(text, delimiter, decimal):
    about = found(text)
    assert (about.delimiter, about.decimal) == (delimiter, decimal)


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
def test_encodings(encoding, told):
    text = "Größe;Straße\n1,5;Königsallee\n2,5;Marché\n"
    assert found(text, encoding).encoding == told
    frame = read(text, encoding)
    assert list(frame) == ["Größe", "Straße"]
    assert frame["Größe"].tolist() == [1.5, 2.5]
    assert frame["Straße"].tolist() == ["Königsallee", "Marché"]


def test_what_is_no_plain_number_stays_text_as_it_was():
    frame = read(
        "zip,mixed,long,precise,hex,inf,blank,plus\n"
        "01067,1,12345678901234567890,0.12345678901234567890,0x1F,inf, 1,+1\n"
        "10115,x,1,1,1,1,2,2\n"
    )
    for name in ("zip", "mixed", "long", "hex", "inf", "blank"):
        assert frame[name].dtype == "str", name
    assert frame["zip"].tolist() == ["01067", "10115"]
    assert frame["long"].tolist() == ["12345678901234567890", "1"]
    assert frame["blank"].tolist() == [" 1", "2"]
    assert frame["plus"].tolist() == [1, 2]
    assert frame["precise"].dtype == "float64"


def test_only_empty_cells_are_missing():
    frame = read('a,b,c\n1,?,x\n,NA,""\n3,null,None\n')
    assert frame["a"].dtype == "Int64" and frame["a"].isna().tolist() == [0, 1, 0]
    assert frame["b"].tolist() == ["?", "NA", "null"]
    assert frame["c"].isna().tolist() == [False, True, False]
    assert frame["c"].tolist()[2] == "None"


def test_names_of_columns():
    frame = read(",a\n0,x\n")
    assert list(frame) == ["unnamed 1", "a"]
    with pytest.raises(ColumnError, match=r"\['a'\] stand twice in the first line"):
        read("a,b,a\n1,2,3\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n1\n", "Line 3 of people.csv has 1 cells, but the first line has 2"),
        ("a,b\n1,2\n1,2,3\n", "Line 3 of people.csv has 3 cells"),
        ("a,b\n", "people.csv has no rows"),
        ("", "people.csv is empty"),
        ("\n\n", "people.csv is empty"),
        ("a\0b\n", "NUL"),
    ],
)
def test_what_is_no_table_is_refused(text, words):
    with pytest.raises(ColumnError, match=words):
        read(text)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"has to end in one of \.csv"):
        read("a\n1\n", name="people.doc")
    with pytest.raises(OSError, match=r"people\.csv"):
        read_table(tmp_path / "people.csv")
    with pytest.raises(ParameterError, match="what the file is called"):
        read_table(io.BytesIO(b"a\n1\n"))


def test_a_given_format_counts():
    text = "a;b\n1,200;2\n3,400;1\n"
    assert read(text)["a"].tolist() == ["1,200", "3,400"]
    told = FileFormat("csv", delimiter=";", decimal=",")
    assert read(text, format=told)["a"].tolist() == [1.2, 3.4]
    with pytest.raises(ColumnError, match="not in ascii"):
        read("ä\n1\n", format=FileFormat("csv", encoding="ascii"))


def test_parquet_and_excel(tmp_path):
    frame = pd.DataFrame({"zip": ["01067", "1"], "n": [1, 2]})
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "people.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "people.parquet"), frame)
    assert str(recognize_format(tmp_path / "people.parquet")) == "Parquet"
    try:
        frame.to_excel(tmp_path / "people.xlsx", index=False)
    except ImportError:
        (tmp_path / "people.xlsx").write_bytes(b"PK")
        with pytest.raises(ParameterError, match="needs a package"):
            read_table(tmp_path / "people.xlsx")
    else:
        pd.testing.assert_frame_equal(read_table(tmp_path / "people.xlsx"), frame)


CELLS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.text(alphabet="01xé ,;\"\n'.-+eE", max_size=6),
)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=6))
def test_no_cell_changes_its_value(rows):
    file = io.StringIO()
    pd.DataFrame(rows, columns=["a", "b"]).to_csv(file, index=False)
    frame = read(file.getvalue(), format=FileFormat("csv"))
    assert len(frame) == len(rows)
    for name, at in (("a", 0), ("b", 1)):
        for value, cell in zip(frame[name], (row[at] for row in rows), strict=True):
            if cell == "":
                assert pd.isna(value)
            elif isinstance(value, str):
                assert value == cell
            else:
                assert value == float(cell)
                assert isinstance(value, float | np.floating) or int(cell) == value

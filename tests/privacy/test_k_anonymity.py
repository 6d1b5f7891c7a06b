import ast
import sys
import warnings
from pathlib import Path

import naive_k_anonymity as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skanon.privacy
from skanon.exceptions import PrivacyWarning, ReleaseError
from skanon.privacy import check_release, equivalence_classes, k_anonymity, violations

NAN = float("nan")
TEXTS = ["*", "a", "b", "a\0b", "a\0c", "", None]
DATES = [pd.Timestamp("2026-10-25", tz="Europe/Rome"), pd.NaT]
MIXED = [1, 1.0, True, "1", np.int64(1), np.float64(1), None, NAN, pd.NA, pd.NaT]
MIXED += ["*", (1,), (1.0,), (True,), 2**70, 2**70 + 1, b"1", np.True_]
COLUMNS = {
    "object": (MIXED, object),
    "int64": ([0, 1, 2**53, 2**53 + 1], "int64"),
    "float64": ([0.0, -0.0, 1.5, NAN, np.inf], "float64"),
    "Int64": ([0, 2**53, 2**53 + 1, None], "Int64"),
    "str": (TEXTS, "str"),
    "string": (TEXTS, "string[python]"),
    "arrow int": ([0, 2**53, 2**53 + 1, None], "int64[pyarrow]"),
    "arrow text": (TEXTS, "string[pyarrow]"),
    "category": (TEXTS, "category"),
    "categories": ([3, 4, "*", None], "category"),
    "bool": ([True, False], "bool"),
    "boolean": ([True, False, None], "boolean"),
    "datetime": (DATES, "datetime64[us, Europe/Rome]"),
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 12))
    data = {}
    for j in range(draw(st.integers(1, 4))):
        values, dtype = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
        cells = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        data[f"c{j}"] = pd.Series(cells, dtype=dtype)
    frame = pd.DataFrame(data)
    hidden = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    if draw(st.booleans()):
        frame = frame.astype(object)
        frame.loc[hidden] = "*"
    return frame.set_axis(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))


@settings(max_examples=300, deadline=None)
@given(tables(), st.sampled_from(["*", None, NAN, 1]), st.integers(1, 5), st.randoms())
def test_all_functions_equal_the_naive_ones(frame, suppressed, k, random):
    names = list(frame.columns)
    random.shuffle(names)
    names = names[: random.randint(1, len(names))]

    numbers = equivalence_classes(frame, names, suppressed=suppressed)
    assert numbers.tolist() == naive.equivalence_classes(frame, names, suppressed)
    assert numbers.index.equals(frame.index)
    assert numbers.name == "equivalence_class"

    achieved = k_anonymity(frame, names, suppressed=suppressed)
    assert achieved == naive.k_anonymity(frame, names, suppressed)

    found = violations(frame, names, k=k, suppressed=suppressed)
    assert found["positions"].to_dict() == naive.violations(frame, names, k, suppressed)
    assert found["size"].tolist() == sorted(map(len, found["positions"]))
    assert found.empty == (achieved >= k)


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 5))
def test_check_release_raises_exactly_below_k(frame, k):
    if naive.k_anonymity(frame, frame.columns) >= k:
        check_release(frame, None, k=k)
    else:
        with pytest.raises(ReleaseError, match=f"not {k}-anonymous"):
            check_release(frame, None, k=k)


def test_nothing_is_aligned_on_the_index():
    frame = pd.DataFrame({"a": [1, 2, 1], "b": [5, 6, 5]}, index=[2, 0, 2])
    assert equivalence_classes(frame).tolist() == [0, 1, 0]
    assert equivalence_classes(frame).index.tolist() == [2, 0, 2]
    assert k_anonymity(frame.iloc[::-1]) == k_anonymity(frame) == 1


def test_wholly_suppressed_rows_are_no_class():
    frame = pd.DataFrame({"a": ["x", "x", "*"], "b": ["*", "*", "*"]})
    assert k_anonymity(frame) == 2
    assert equivalence_classes(frame).tolist() == [0, 0, -1]
    assert k_anonymity(frame, suppressed=None) == 1
    assert violations(frame, k=2).empty
    with pytest.warns(PrivacyWarning, match="in no class: 1 row, fewer"):
        check_release(frame, ["a", "b"], k=2)


def test_a_table_of_suppressed_rows_only_achieves_its_length():
    frame = pd.DataFrame({"a": ["*", "*"], "b": ["*", "*"]})
    assert k_anonymity(frame) == 2
    check_release(frame, None, k=2)
    found = violations(frame, k=3)
    assert found["positions"].to_dict() == {-1: [0, 1]}
    with pytest.raises(ReleaseError, match="1 of 1 equivalence classes"):
        check_release(frame, None, k=3)


def test_only_the_quasi_identifiers_count():
    frame = pd.DataFrame({"zip": ["1*", "1*"], "name": ["Ann", "Bob"]})
    assert k_anonymity(frame, ["zip"]) == 2
    assert k_anonymity(frame, ["name", "zip"]) == 1


def test_violations_lists_labels_positions_and_values():
    frame = pd.DataFrame(
        {"zip": ["1*", "2*", "1*", "3*", "1*", "3*"], "age": [20, 30, 20, 40, 20, 40]},
        index=["r", "s", "r", "s", "t", "u"],
    )
    found = violations(frame, ["zip", "age"], k=3)
    assert found.index.tolist() == [1, 2]
    assert found["zip"].tolist() == ["2*", "3*"]
    assert found["size"].tolist() == [1, 2]
    assert found["rows"].tolist() == [["s"], ["s", "u"]]
    assert found["positions"].tolist() == [[1], [3, 5]]
    assert found["age"].dtype == frame["age"].dtype


def test_violations_keeps_quasi_identifiers_that_bear_its_own_names():
    frame = pd.DataFrame({"size": [4, 5], "rows": ["a", "a"]})
    found = violations(frame, k=2)
    assert list(found) == ["size", "rows", "size_", "rows_", "positions"]
    assert found["size"].tolist() == [4, 5]
    assert found["size_"].tolist() == [1, 1]


@pytest.mark.parametrize(
    "columns",
    [
        pd.CategoricalIndex(["a", "b"]),
        pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]),
        pd.RangeIndex(2),
    ],
)
def test_any_kind_of_column_labels_works(columns):
    frame = pd.DataFrame([[1, 2], [1, 3], [1, 2]]).set_axis(columns, axis=1)
    assert k_anonymity(frame, [columns[0]]) == 3
    assert violations(frame, k=2)["positions"].tolist() == [[1]]


def test_the_message_counts_and_shows_one_class_only():
    frame = pd.DataFrame({"zip": ["11*", "22*", "22*", "33*", "33*", "33*"], "age": 7})
    with pytest.raises(ReleaseError) as caught:
        check_release(frame, ["zip", "age"], k=3)
    message = str(caught.value)
    assert (
        "2 of 3 equivalence classes have fewer than 3 rows (3 rows in all)" in message
    )
    assert "smallest has 1 row, where 'zip' is '11*', 'age' is 7." in message
    assert "22*" not in message and "33*" not in message


def test_the_message_stays_short_for_wide_tables_of_long_texts():
    frame = pd.DataFrame({f"c{j}": ["x" * 500] for j in range(100)})
    with pytest.raises(ReleaseError, match="and 80 more columns") as caught:
        check_release(frame, None, k=2)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("n_values", [2, 3, 4, 7, 8, 3000])
def test_many_columns_do_not_overflow(n_values):
    # numbers that wrap around lose the first columns where n_values is near 2**i
    plain = pd.DataFrame({f"c{j}": np.arange(n_values) for j in range(80)})
    other = plain.assign(c0=(plain["c0"] + 1) % n_values)
    table = pd.concat([plain, other, plain.iloc[::-1]])
    last = range(n_values, 2 * n_values)
    expected = [*range(n_values), *last, *reversed(range(n_values))]
    assert equivalence_classes(table).tolist() == expected


def test_the_table_is_left_as_it_was():
    frame = pd.DataFrame({"a": ["x", "*"], "b": pd.Categorical(["y", "*"])})
    before = frame.copy(deep=True)
    violations(frame, k=2)
    pd.testing.assert_frame_equal(frame, before)


MODULES = sorted(Path(skanon.privacy.__file__).parent.glob("_[a-z]*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_checks_share_no_code_with_the_algorithms(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add("." * node.level + (node.module or ""))
    allowed = {*sys.stdlib_module_names, "numpy", "pandas", "scipy"}
    own = {name for name in imported if name.split(".")[0] not in allowed}
    theirs = {name for name in own if not name.startswith("skanon.privacy._")}
    assert theirs <= {"skanon.exceptions", "skanon._warn"}


@pytest.mark.parametrize("n_hidden", [0, 1, 2, 3])
def test_fewer_than_k_suppressed_rows_are_told(n_hidden):
    table = pd.DataFrame({"age": ["20-29"] * 4 + ["*"] * n_hidden})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_release(table, ["age"], k=3)
    assert len(told) == (0 < n_hidden < 3)
    if told:
        assert issubclass(told[0].category, PrivacyWarning)
        assert told[0].filename == __file__
        assert f"{n_hidden} row" in str(told[0].message)
        with pytest.raises(ReleaseError):
            check_release(table, ["age"], k=3, suppressed=None)

import numpy as np
import pandas as pd
import pytest

from skanon.exceptions import ColumnError, ColumnTypeError, ParameterError
from skanon.privacy import check_release, equivalence_classes, k_anonymity, violations


@pytest.fixture
def frame():
    return pd.DataFrame({"age": ["2*", "2*"], "zip": ["1*", "1*"]})


CHECKS = [
    equivalence_classes,
    k_anonymity,
    lambda frame, names=None, **kw: violations(frame, names, k=2, **kw),
    lambda frame, names=None, **kw: check_release(frame, names, k=2, **kw),
]
IDS = ["equivalence_classes", "k_anonymity", "violations", "check_release"]
every_check = pytest.mark.parametrize("check", CHECKS, ids=IDS)


@every_check
@pytest.mark.parametrize(
    ("names", "error", "match"),
    [
        (["age", "zp"], ColumnError, r"no column 'zp'.* columns are 'age', 'zip'"),
        ([0], ColumnError, "no column 0"),
        ([True, False], ColumnError, "no column True"),
        (["age", "zip", "age"], ColumnError, "'age' more than once"),
        ([], ColumnError, "no quasi-identifier"),
        ("age", ParameterError, r"list: \['age'\]"),
        (3, ParameterError, "not a list"),
        ([["age"]], ParameterError, "flat list"),
    ],
)
def test_wrong_quasi_identifiers(check, names, error, match, frame):
    with pytest.raises(error, match=match):
        check(frame, names)


@every_check
@pytest.mark.parametrize(
    ("table", "error", "match"),
    [
        (pd.DataFrame({"a": []}), ColumnError, "no rows"),
        (pd.DataFrame(index=[1, 2]), ColumnError, "no quasi-identifier"),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), ColumnError, "named 'a'"),
        (pd.Series([1, 2]), ColumnTypeError, "Series"),
        (np.array([1, 2]), ColumnTypeError, r"shape \(2,\)"),
        (np.ma.masked_array([[1, 2]], [[0, 1]]), ColumnTypeError, "mask"),
        ([[1, 2]], ColumnTypeError, "list"),
        (None, ColumnTypeError, "NoneType"),
    ],
    ids=repr,
)
def test_wrong_tables(check, table, error, match):
    with pytest.raises(error, match=match):
        check(table)


def test_columns_beside_the_quasi_identifiers_must_have_names_of_their_own():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "b"])
    with pytest.raises(ColumnError, match="named 'b'"):
        k_anonymity(frame, ["a"])


@every_check
@pytest.mark.parametrize("cell", [[1], {1}, {"a": 1}, np.array([1, 2]), ([1],)])
def test_objects_without_a_hash_are_refused(check, cell):
    frame = pd.DataFrame({"age": [1, 2]})
    frame["bag"] = pd.Series([cell, 1], dtype=object)
    kind = type(cell).__name__
    with pytest.raises(ColumnTypeError, match=f"'bag' holds values of type {kind}"):
        check(frame)
    assert k_anonymity(frame, ["age"]) == 1


@every_check
def test_arrow_lists_are_refused(check):
    pa = pytest.importorskip("pyarrow")
    array = pd.arrays.ArrowExtensionArray(pa.array([[1], [2]]))
    with pytest.raises(ColumnTypeError, match="'bag' holds values of type list"):
        check(pd.DataFrame({"bag": array}))


@every_check
@pytest.mark.parametrize("suppressed", [["*"], b"*", {}, pd.Timestamp(0)], ids=repr)
def test_the_suppressed_value_is_a_scalar(check, suppressed, frame):
    with pytest.raises(ParameterError, match="suppressed is"):
        check(frame, suppressed=suppressed)


@pytest.mark.parametrize("k", [0, -1, 2.0, "2", None, True, np.nan])
def test_k_is_a_positive_integer(k, frame):
    with pytest.raises(ParameterError, match=r"k is .* integer of at least 1"):
        violations(frame, k=k)
    with pytest.raises(ParameterError, match=r"k is .* integer of at least 1"):
        check_release(frame, None, k=k)


def test_k_may_be_a_numpy_integer(frame):
    assert violations(frame, k=np.int64(2)).empty
    check_release(frame, None, k=np.uint8(2))


def test_lazy_polars_frames_are_refused(frame):
    pl = pytest.importorskip("polars")
    with pytest.raises(ColumnTypeError, match="LazyFrame"):
        k_anonymity(pl.DataFrame({"a": [1]}).lazy())

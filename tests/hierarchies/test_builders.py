import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon.exceptions import AnonymizationError, HierarchyError
from skanon.hierarchies import (
    from_frequency,
    from_levels,
    from_mask,
    from_nested,
    from_parents,
)


def rows(taxonomy):
    return [tuple(row) for row in taxonomy.to_frame().itertuples(index=False)]


def test_nested_takes_every_container_and_ragged_depths():
    nested = {
        "*": {
            "A": {"A1": ["a", "b"], "A2": ("c",)},
            "B": np.array(["d", "e"]),
            "C": {"g", "f"},
            "h": None,
        }
    }
    assert rows(from_nested(nested)) == [
        ("a", "A1", "A", "*"),
        ("b", "A1", "A", "*"),
        ("c", "A2", "A", "*"),
        ("d", "d", "B", "*"),
        ("e", "e", "B", "*"),
        ("f", "f", "C", "*"),
        ("g", "g", "C", "*"),
        ("h", "h", "h", "*"),
    ]


def test_nested_keeps_the_types_of_leaves():
    assert from_nested({"*": {"low": [1, 2], 3: None}}).values == (1, 2, 3)


def test_nested_as_deep_as_can_be():
    nested = ["a", "b"]
    for i in range(2000):
        nested = {f"n{i}": nested}
    assert from_nested({"*": nested}).height == 2001


def cycle():
    inner = {}
    inner["B"] = inner
    return {"*": {"A": inner}}


def list_cycle():
    nodes = {"a": ["x"]}
    nodes["b"] = {"c": nodes}
    return {"*": nodes}


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"A": ["a"], "B": ["b"]}, r"2 roots: 'A', 'B'.*Wrap.*\{'\*': \{\.\.\.\}\}"),
        ({}, "whole hierarchy' is empty"),
        ({"*": {}}, r"node '\*' is empty"),
        ({"*": {"A": []}}, "node 'A' is empty"),
        ({"*": None}, "no level above"),
        ({"*": {"A": "a"}}, r"below the node 'A' stands 'a'.*list"),
        ({"*": {"A": 3}}, r"below the node 'A' stands 3"),
        ({"*": {"A": [["a"]]}}, r"list below the node 'A' holds \['a'\]"),
        ({"*": [{"A": ["a"]}]}, r"list below the node '\*' holds"),
        (["a"], "is a dict, not a list"),
        (cycle(), r"cycle: \* > A > B holds itself"),
        (list_cycle(), r"cycle: \* > b > c holds itself"),
        ({"*": [("a", "b")]}, r"value \('a', 'b'\), which is no single value"),
        ({"*": {"A": ["a"], "B": ["a"]}}, "'a' stands twice"),
        ({"*": {"A": ["a", None]}}, "missing value among its leaves"),
        ({"*": {"A": {"x": ["a"]}, "B": {"x": ["b"]}}}, "'b' has 'x' at level 1"),
        ({"*": {"A": ["A", "b"]}}, "label 'A' at level 1"),
    ],
)
def test_a_broken_nested_dict_is_refused(nested, message):
    with pytest.raises(HierarchyError, match=message):
        from_nested(nested)


def test_levels_from_frames_arrays_and_lists_are_the_same():
    table = [["a", "x", "*"], ["b", "x", "*"]]
    expected = from_levels(table)
    assert from_levels(np.array(table)) == expected
    assert from_levels(pd.DataFrame(table, index=[7, 7])) == expected
    assert rows(expected) == [("a", "x", "*"), ("b", "x", "*")]


def test_levels_may_come_from_a_data_table():
    table = pd.DataFrame(
        {"zip": [8001, 3011, 8001, None], "town": ["ZH", "BE", "ZH", "?"], "top": "*"}
    ).astype({"zip": "Int64"})
    assert rows(from_levels(table)) == [(8001, "ZH", "*"), (3011, "BE", "*")]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([["a", "*"], ["b"]], r"row 1 .*\['b'\], has 1 entries, but row 0 has 2"),
        ([[["a"], "*"]], r"column 0 holds \['a'\]"),
        (5, "DataFrame, a 2-D array or a list of rows, not 5"),
        ([["a"], ["b"]], r"1 column\(s\).*last column"),
        ([["a", "x", "*"], ["b", None, "*"]], "'b' has no label at level 1"),
        ([["a", "x", "*"], ["a", "y", "*"]], "'a' has both 'x' and 'y' at level 1"),
        ([["a", "x"], ["b", "y"]], "2 roots at level 1: 'x', 'y'"),
        ([["a", "x", "*"], ["b", "x", "+"]], r"2 roots at level 2"),
        ([[None, "x", "*"]], "no values"),
    ],
)
def test_a_broken_table_of_levels_is_refused(table, message):
    with pytest.raises(HierarchyError, match=message):
        from_levels(table)


def test_parents_may_be_a_series_and_name_the_root():
    parents = {"a": "A", "b": "A", "A": "*", "c": "*", "*": None}
    expected = [("a", "A", "*"), ("b", "A", "*"), ("c", "c", "*")]
    assert rows(from_parents(parents)) == expected
    assert rows(from_parents(pd.Series(parents))) == expected


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        (["a"], "must be a dict or Series.*got a list"),
        ({"a": ["A", "B"]}, r"node 'a' has the parent \['A', 'B'\]"),
        ({}, "no values"),
        ({"a": "b", "b": "a"}, "cycle: 'a' > 'b' > 'a'"),
        ({"x": "a", "a": "b", "b": "a", "y": "*"}, "cycle: 'a' > 'b' > 'a'"),
        ({"a": "a"}, "cycle: 'a' > 'a'"),
        ({"a": "A", "b": "B"}, "2 roots: 'A', 'B'"),
        ({"a": "A", "b": None}, "2 roots: 'A', 'b'"),
        ({"a": None}, "no level above"),
    ],
)
def test_broken_parents_are_refused(parents, message):
    with pytest.raises(HierarchyError, match=message):
        from_parents(parents)


def test_forty_thousand_parents():
    parents = {f"{i:05d}": f"n{i // 100}" for i in range(40_000)}
    parents |= {f"n{i}": f"m{i // 20}" for i in range(400)}
    parents |= {f"m{i}": "*" for i in range(20)}
    assert from_parents(parents).height == 3


def test_mask_from_the_right_and_from_the_left():
    codes = ["1234", "1299", "1299", None]
    assert rows(from_mask(codes)) == [
        ("1234", "123*", "12**", "1***", "*"),
        ("1299", "129*", "12**", "1***", "*"),
    ]
    assert rows(from_mask(codes, side="left", levels=[2], sign="x")) == [
        ("1234", "xx34", "*"),
        ("1299", "xx99", "*"),
    ]
    assert rows(from_mask(["a", "b"])) == [("a", "*"), ("b", "*")]


def test_mask_pads_shorter_codes():
    assert rows(from_mask([501, 10001], levels=[2], pad="0")) == [
        (501, "005**", "*"),
        (10001, "100**", "*"),
    ]
    assert rows(from_mask(["A1", "A01"], levels=[1], pad="_", pad_side="right")) == [
        ("A01", "A0*", "*"),
        ("A1", "A1*", "*"),
    ]


def test_mask_of_every_column_type():
    expected = from_mask(["11", "12", "21"])
    for dtype in ("string", "category", "string[pyarrow]"):
        assert from_mask(pd.Series(["21", "11", "12"], dtype=dtype)) == expected
    assert from_mask(pd.array([21, None, 11], dtype="Int64")).values == (11, 21)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (["12", "123"], {}, r"'12' has 2 characters, but '123' has 3.*pad='0'"),
        (["12", "123"], {"pad": "00"}, r"pad must be one character, got '00'"),
        (["12"], {"sign": ""}, r"sign must be one character, got ''"),
        (["12"], {"side": "up"}, r"side must be 'left' or 'right', got 'up'"),
        (["12"], {"pad_side": "up"}, r"pad_side must be"),
        (["123"], {"levels": [2, 1]}, r"levels=\[2, 1\] masks 1 of 3 .* after 2"),
        (["123"], {"levels": [3]}, r"levels=\[3\] masks 3 of 3.*by itself"),
        (["123"], {"levels": 2}, r"levels must be a sequence such as .*got 2"),
        ("123", {}, "values must be a column, a list or a 1-D array, got '123'"),
        (np.array([["a"]]), {}, "values must be a column"),
        (["123"], {"levels": [0]}, r"levels=\[0\] masks 0 of 3"),
        ([1.5], {}, r"'values' holds numbers such as '1.5'.*text first"),
        ([True], {}, "'values' holds bools"),
        (pd.Series([True], name="zip"), {}, "'zip' holds bools"),
        ([], {}, "'values' holds no value"),
        ([None, None], {}, "'values' holds no value"),
        (["*"], {}, r"holds the text '\*'"),
        ([1, "a"], {}, "mixes types"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(values, options, message):
    with pytest.raises(AnonymizationError, match=message):
        from_mask(values, **options)


def test_frequency_joins_what_is_rare():
    values = pd.Series([1] * 6 + [2] * 3 + [3] * 2 + [4, None])
    assert rows(from_frequency(values, 3, 5)) == [
        (1.0, "1.0", "1.0", "*"),
        (2.0, "2.0", "(fewer than 5)", "*"),
        (3.0, "(fewer than 3)", "(fewer than 5)", "*"),
        (4.0, "(fewer than 3)", "(fewer than 5)", "*"),
    ]


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdefg"), min_size=1), st.integers(2, 20))
def test_frequency_joins_exactly_the_values_below_the_threshold(values, limit):
    taxonomy = from_frequency(values, limit)
    for value, label in zip(taxonomy.values, taxonomy.levels[0], strict=True):
        rare = values.count(value) < limit
        assert label == (f"(fewer than {limit})" if rare else value)


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ((), "at least one threshold"),
        ((1,), "threshold 1 of level 1 must be an integer above 1"),
        ((5, 5), "threshold 5 of level 2 must be an integer above 5"),
        ((2.5,), "threshold 2.5 of level 1"),
    ],
)
def test_thresholds_that_do_not_grow_are_refused(thresholds, message):
    with pytest.raises(HierarchyError, match=message):
        from_frequency(["a"], *thresholds)

"""Which columns single records out."""

import itertools
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_k_anonymity import read, rows_by_values

from skanon.privacy import (
    singled_out,
    small_class_causes,
    suggest_quasi_identifiers,
    violations,
)

VALUES = [["a", "b", "*", None], [1, 2, 3], [1.5, None], ["same"], list("uvwxyz*")]


@st.composite
def tables(draw):
    n = draw(st.integers(1, 10))
    names = draw(st.lists(st.sampled_from("pqrst"), min_size=1, unique=True))
    return pd.DataFrame(
        {
            name: draw(
                st.lists(
                    st.sampled_from(VALUES["pqrst".index(name)]),
                    min_size=n,
                    max_size=n,
                )
            )
            for name in names
        },
        index=draw(st.lists(st.sampled_from("ijk"), min_size=n, max_size=n)),
    )


def rows(frame, names):
    columns = [[read(cell) for cell in frame[name]] for name in names]
    return list(zip(*columns, strict=True)) or [()] * len(frame)


def count(frame, names):
    counts = Counter(rows(frame, names))
    return sum(number == 1 for number in counts.values()), len(counts)


@settings(max_examples=150)
@given(tables(), st.integers(1, 6))
def test_singled_out(frame, most):
    found = singled_out(frame, max_columns=most)
    names = list(frame.columns)
    expected = {
        chosen: count(frame, chosen)
        for size in range(1, min(most, len(names)) + 1)
        for chosen in itertools.combinations(names, size)
    }
    rows_found = found.itertuples(index=False)
    assert {row.columns: (row.unique, row.classes) for row in rows_found} == expected
    assert (found["share"] == found["unique"] / len(frame)).all()
    assert found["n_columns"].tolist() == [len(chosen) for chosen in found["columns"]]
    assert list(found) == ["columns", "n_columns", "unique", "share", "classes"]
    keys = list(zip(-found["unique"], found["n_columns"], strict=True))
    assert keys == sorted(keys)


@settings(max_examples=100)
@given(tables(), st.integers(1, 5))
def test_small_class_causes(frame, k):
    names = list(frame.columns)
    classes, hidden = rows_by_values(frame, names)
    members = list(classes.values()) or [hidden]
    outside = set() if not classes else set(hidden)
    expected = []
    for row in range(len(frame)):
        size = [len(part) for part in members if row in part]
        if not size or size[0] >= k:
            continue
        without = {}
        for name in names:
            others = rows(frame, [x for x in names if x != name])
            without[name] = sum(
                others[i] == others[row] for i in range(len(frame)) if i not in outside
            )
        cause = max(names, key=without.get)
        expected.append((size[0], cause, frame[cause].iloc[row], without[cause]))
    found = small_class_causes(frame, k=k)
    shown = list(found.itertuples(index=False, name=None))
    assert [(*x[:2], read(x[2]), x[3]) for x in shown] == [
        (*x[:2], read(x[2]), x[3]) for x in expected
    ]
    small = violations(frame, k=k)["positions"]
    positions = sorted(itertools.chain.from_iterable(small))
    assert found.index.tolist() == frame.index[positions].tolist()


@settings(max_examples=150)
@given(tables(), st.sampled_from([0, 0.5, 0.95, 1]))
def test_suggestions(frame, coverage):
    found = suggest_quasi_identifiers(frame, coverage=coverage)
    assert sorted(found.index) == sorted(frame.columns)
    n = len(frame)
    for name, row in found.iterrows():
        unique, distinct = count(frame, [name])
        assert (row["unique"], row["distinct"]) == (unique, distinct)
        values = rows(frame, [name])
        apart = [a != b for a, b in itertools.combinations(values, 2)]
        assert row["separation"] == pytest.approx(sum(apart) / max(len(apart), 1))
        identifies = unique == n and n > 1
        assert (row["suggestion"] == "identifier") == identifies
    rest = found[found["suggestion"] != "identifier"]
    names = list(rest.index)
    goal = coverage * count(frame, names)[0] if names else 0
    together = int(n == 1)
    for i, (_, row) in enumerate(rest.iterrows()):
        needed = together < goal
        assert row["suggestion"] == ("quasi-identifier" if needed else "other")
        if needed:
            splits = [count(frame, [*names[:i], x])[1] for x in names[i:]]
            assert count(frame, names[: i + 1])[1] == max(splits)
        together = count(frame, names[: i + 1])[0]
        assert row["together"] == together


def test_sensitive_columns_are_left_out_of_the_suggestions():
    frame = pd.DataFrame({"age": [1, 2, 3, 3], "disease": [1, 2, 3, 4]})
    assert list(suggest_quasi_identifiers(frame, sensitive=["disease"]).index) == [
        "age"
    ]
    found = suggest_quasi_identifiers(frame, sensitive="disease")
    assert found.loc["age", "suggestion"] == "quasi-identifier"
    assert suggest_quasi_identifiers(frame, sensitive=frame.columns).empty


def test_suppressed_rows_are_no_company():
    frame = pd.DataFrame({"a": ["x", "*", "y", "y"], "b": ["*", "*", "z", "z"]})
    (cause,) = small_class_causes(frame, k=2).to_dict("records")
    assert cause == {"size": 1, "column": "a", "value": "x", "size_without": 1}
    assert len(small_class_causes(frame, k=2, suppressed=None)) == 2


def test_sets_whose_codes_overflow_a_dense_count():
    frame = pd.DataFrame({name: range(5000) for name in "abcdef"})
    found = singled_out(frame.assign(g=0), max_columns=6)
    assert set(found["unique"]) == {5000, 0}
    assert (found["unique"] == 0).sum() == 1

"""Which columns single records out."""

import itertools
from collections import Counter

import numpy as np
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
@given(tables(), st.sampled_from(["x", "age", "disease", "e-mail"]))
def test_suggestions(frame, first):
    frame = frame.set_axis([first, *frame.columns[1:]], axis=1)
    found = suggest_quasi_identifiers(frame)
    assert sorted(found.index) == sorted(frame.columns)
    for name, row in found.iterrows():
        unique, distinct = count(frame, [name])
        assert (row["unique"], row["distinct"]) == (unique, distinct)
        values = rows(frame, [name])
        apart = [a != b for a, b in itertools.combinations(values, 2)]
        assert row["separation"] == pytest.approx(sum(apart) / max(len(apart), 1))
    roles = ["identifier", "quasi-identifier", "sensitive"]
    ranks = found["suggestion"].map(roles.index)
    assert ranks.is_monotonic_increasing
    assert (found["unique"][found["suggestion"] == "sensitive"] == 0).all()
    expected = {"age": "quasi-identifier", "e-mail": "identifier"}.get(first)
    assert expected in (None, found.loc[first, "suggestion"])
    rest = found[found["suggestion"] != "identifier"]
    names = list(rest.index)
    for i, (_, row) in enumerate(rest.iterrows()):
        others = [x for x in names[i:] if found.loc[x, "suggestion"] == row.suggestion]
        splits = [count(frame, [*names[:i], x])[1] for x in others]
        assert count(frame, names[: i + 1])[1] == max(splits)
        assert row["together"] == count(frame, names[: i + 1])[0]


@pytest.mark.parametrize(
    ("name", "values", "role", "why"),
    [
        ("Vorname", ["Ann", "Bob", "Ann"], "identifier", "name says"),
        ("patientId", [1, 1, 2], "identifier", "name says"),
        ("x", [1001, 1002, 1003], "identifier", "Each of the 3"),
        ("x", ["a", "b", "c"], "identifier", "Each of the 3"),
        ("x", [0.5, 1.25, 3.0], "quasi-identifier", "Others may"),
        ("x", ["a@b.org", "a@b.org", "c@d.com"], "identifier", "e-mail"),
        (
            "x",
            [f"text {i}" for i in range(30)] + ["twice"] * 2,
            "identifier",
            "30 of its 32 texts",
        ),
        ("age", [20, 30, 40], "quasi-identifier", "registers"),
        ("Geburtsdatum", ["1.2.1970", "3.4.1980"], "quasi-identifier", "registers"),
        ("Diagnose", ["a", "a", "b", "b"], "sensitive", "constraint"),
        ("Diagnose", ["a", "a", "b"], "quasi-identifier", "1 records are alone"),
        ("land", ["DE", "DE"], "quasi-identifier", "registers"),
        ("x", ["DE", "DE"], "quasi-identifier", "same value"),
        (7, ["DE", "DE"], "quasi-identifier", "same value"),
        ("capital-gain", [0, 0, 1], "quasi-identifier", "only you can tell"),
    ],
)
def test_a_role_comes_from_the_name_and_the_values(name, values, role, why):
    found = suggest_quasi_identifiers(pd.DataFrame({name: values})).iloc[0]
    assert found["suggestion"] == role
    assert why in found["reason"]


def test_a_column_that_adds_nothing_is_no_less_known():
    """Adult's first columns single out all; neighbours know the others as well."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"weight": np.arange(50) // 2, "x": rng.integers(0, 9, 50)})
    frame = frame.assign(sex=["f", "m"] * 25, education=["a", "b"] * 25)
    found = suggest_quasi_identifiers(frame)["suggestion"]
    assert set(found) == {"quasi-identifier"}


def test_sensitive_columns_are_left_out_of_the_suggestions():
    frame = pd.DataFrame({"age": [1, 2, 3, 3], "disease": [1, 1, 3, 3]})
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

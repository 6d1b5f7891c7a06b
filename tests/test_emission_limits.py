"""Many values, long sets, and names that would mean two things."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.exceptions import (
    AnonymizationError,
    ColumnError,
    HierarchyError,
    PrivacyWarning,
)
from skanon.hierarchies._intervals import BoundIntervals


@pytest.mark.parametrize("encode", ["label", "bounds"])
def test_45000_distinct_numbers_take_little_memory_and_stay_exact(encode):
    rng = np.random.default_rng(0)
    values = rng.permutation(45_000) / 7
    frame = pd.DataFrame({"a": values, "b": rng.integers(0, 9000, 45_000) % 300})
    fitted = KAnonymizer(
        5, algorithm="mondrian", encode=encode, loss="ncp", hierarchies={"b": "subsets"}
    )
    fitted.fit(frame.head(1000))
    tracemalloc.start()
    release = fitted.fit_transform(frame)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150e6
    classes = frame["a"].groupby(fitted.labels_)
    low, high = classes.transform("min"), classes.transform("max")
    if encode == "label":
        pairs = zip(low, high, strict=True)
        expected = [f"[{a}, {b}]" if a < b else str(a) for a, b in pairs]
        assert release["a"].tolist() == expected
    else:
        assert (release["a_low"] == low).all() and (release["a_high"] == high).all()


def test_wide_ranges_of_many_numbers_take_little_memory():
    n = 8_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.permutation(n) / 7, "b": np.arange(n) // 5})
    fitted = KAnonymizer(5, refine=0, encode="distribution")
    fitted._cluster = lambda problem: frame["b"].to_numpy()
    tracemalloc.start()
    release = fitted.fit_transform(frame)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # all ranges' members side by side would take 70 MB
    assert peak < 20e6
    inside = frame["a"].sort_values()
    first = frame["a"][:5]
    mean = inside[inside.between(first.min(), first.max())].mean()
    assert release["a_mean"].iloc[0] == pytest.approx(mean)


def test_names_that_would_collide_are_refused():
    fitted = KAnonymizer(2, encode="bounds", quasi_identifiers=["age"])
    frame = pd.DataFrame({"age": [1, 2], "age_low": [3, 4]})
    with pytest.raises(ColumnError, match=r"would be called 'age_low'. Rename"):
        fitted.fit(frame)
    fitted = KAnonymizer(2, encode="distribution")
    with pytest.raises(ColumnError, match="'a_missing'"):
        fitted.fit(pd.DataFrame({"a": ["missing", None] * 2}))
    with pytest.raises(ColumnError, match="'a_b_c'"):
        fitted.fit(pd.DataFrame({"a": ["b_c", "x"] * 2, "a_b": ["c", "y"] * 2}))


def test_labels_that_would_mean_two_things_are_refused():
    frame = pd.DataFrame({"a": ["a", "b", "{a, b}", "{a, b}", "c"]})
    fitted = KAnonymizer(2, refine=0, hierarchies={"a": "subsets"})
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 1])
    with pytest.raises(HierarchyError, match="also the text of a value"):
        fitted.fit(frame)
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 0])
    assert fitted.fit_transform(frame)["a"][0] == "{a, b, c}"
    frame = pd.DataFrame({"a": ["a", "b", "{a, b}", "{a, b}"]})
    frame.loc[4] = frame.loc[5] = "c"
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 2, 2])
    with pytest.raises(
        AnonymizationError, match=r"'a'.*published as '\{a, b\}'.*text of a value"
    ):
        fitted.fit(frame)


def test_large_sets_that_differ_in_their_highest_bits_are_two_classes():
    values = [f"v{i:03}" for i in range(128)]
    frame = pd.DataFrame({"a": [values[i] for i in (0, 63, 1, 62, 64, 127, 2, 127)]})
    frame = pd.concat([frame, pd.DataFrame({"a": values})], ignore_index=True)
    fitted = KAnonymizer(2, refine=0, hierarchies={"a": "subsets"})
    fitted._cluster = lambda problem: np.repeat(np.arange(68), 2)
    release = fitted.fit_transform(frame)["a"]
    for label, value in zip(release, frame["a"], strict=True):
        assert value in label
    assert release[0] == "{v000, v063}" and release[4] == "{v064, v127}"


def test_too_many_columns_of_shares_are_refused_at_fit():
    frame = pd.DataFrame({"a": [f"v{i}" for i in range(1001)] * 2})
    with pytest.raises(
        AnonymizationError, match=r"'a' is published in 1001 parts.*1000 is the"
    ):
        KAnonymizer(2, encode="distribution").fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        release = KAnonymizer(1, encode="distribution").fit_transform(frame[:1000])
    assert release.shape == (1000, 1000)


@pytest.mark.parametrize("hierarchy", ["intervals", "subsets"])
def test_a_value_that_reads_like_a_label_is_refused_where_both_would_stand(hierarchy):
    label = {"intervals": "[a, b]", "subsets": "{a, b}"}[hierarchy]
    values = ["a", "b", "a", "b", "c", "c", label, label]
    column = pd.Series(values)
    if hierarchy == "intervals":
        column = column.astype(pd.CategoricalDtype(["a", "b", "c", label], True))
    frame = pd.DataFrame({"x": column, "y": [1, 1, 2, 2, 3, 3, 4, 4]})
    fitted = MondrianAnonymizer(2, hierarchies={"x": hierarchy})
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 2, 2, 3, 3])
    with pytest.raises(HierarchyError, match=r"also the text of a value\. Rename"):
        fitted.fit(frame)
    fitted._cluster = lambda problem: np.array([0, 1, 0, 1, 2, 2, 3, 3])
    assert fitted.fit_transform(frame)["x"].tolist() == values


def test_two_sets_of_one_name_are_refused(monkeypatch):
    """No hierarchy of ours writes two sets alike, but somebody's own may."""
    text = BoundIntervals.text

    def alike(bound, state):
        return "some" if state[1] > state[0] else text(bound, state)

    monkeypatch.setattr(BoundIntervals, "text", alike)
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 5, 6, 6]})
    fitted = MondrianAnonymizer(2)
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 2, 2, 3, 3])
    with pytest.raises(HierarchyError, match=r"'x': two different .* as 'some'\. Ren"):
        fitted.fit(frame)
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1, 1, 1, 1, 1])
    with pytest.raises(HierarchyError, match="as 'some'"):
        fitted.fit(frame)
    fitted._cluster = lambda problem: np.array([0, 0, 0, 0, 1, 1, 2, 2])
    assert fitted.fit_transform(frame)["x"].tolist() == ["some"] * 4 + list("5566")

"""l, alpha, p, t, beta and delta equal the oracle's, class by class."""

import math
import operator

import naive_privacy as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon.datasets import load_adult
from skanon.hierarchies import Taxonomy, from_nested
from skanon.privacy import (
    alpha_k_anonymity,
    beta_likeness,
    delta_disclosure,
    feasible_range,
    k_anonymity,
    l_diversity,
    p_sensitivity,
    t_closeness,
    violations,
)

NESTED = {
    "*": {"lung": {"cold": ["flu", "cough"], "asthma": None}, "skin": ["rash", "burn"]}
}
PATHS = {
    "flu": ["cold", "lung", "*"],
    "cough": ["cold", "lung", "*"],
    "asthma": ["asthma", "lung", "*"],
    "rash": ["rash", "skin", "*"],
    "burn": ["burn", "skin", "*"],
}
TEXTS = [*PATHS, None]
NUMBERS = [-7, 1.5, 2, 30, 31, None]


@st.composite
def tables(draw, values=TEXTS):
    n = draw(st.integers(1, 14))
    cells = st.lists(st.sampled_from(["a", "b", "*"]), min_size=n, max_size=n)
    frame = pd.DataFrame({"zip": draw(cells), "age": draw(cells)})
    few = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    sensitive = draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
    dtype = "float64" if values is NUMBERS else object
    return frame.assign(disease=pd.Series(sensitive, dtype=dtype))


def worst(frame, level, better, **options):
    names = ["zip", "age"]
    classes, everything = naive.classes_of(frame, names, frame["disease"].tolist())
    return better(level(cls, everything, **options) for cls in classes)


def per_class(frame, level, **options):
    names = ["zip", "age"]
    classes, everything = naive.classes_of(frame, names, frame["disease"].tolist())
    return [level(cls, everything, **options) for cls in classes]


def close(value):
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)


COLUMNS = (["zip", "age"], "disease")


@settings(max_examples=80)
@given(tables(), st.sampled_from([0.07, 0.5, 1, 1.5, 2, 3.7]))
def test_diversity(frame, c):
    assert l_diversity(frame, *COLUMNS) == close(worst(frame, naive.frequency_l, min))
    distinct = worst(frame, naive.distinct_l, min)
    assert l_diversity(frame, *COLUMNS, kind="distinct") == distinct
    assert p_sensitivity(frame, *COLUMNS) == distinct
    entropy = worst(frame, naive.entropy_l, min)
    assert l_diversity(frame, *COLUMNS, kind="entropy") == close(entropy)
    recursive = worst(frame, naive.recursive_l, min, c=c)
    assert l_diversity(frame, *COLUMNS, kind="recursive", c=c) == recursive


@settings(max_examples=60)
@given(tables(), st.randoms())
def test_alpha(frame, random):
    assert alpha_k_anonymity(frame, *COLUMNS) == close(worst(frame, naive.alpha, max))
    values = frame["disease"].tolist()
    wanted = random.sample(values, min(len(values), 2))
    keys = [naive.read(value) for value in wanted]
    assert alpha_k_anonymity(
        frame, *COLUMNS, value=[math.nan if v is None else v for v in wanted]
    ) == close(worst(frame, naive.alpha, max, wanted=keys))


@settings(max_examples=60)
@given(tables())
def test_likeness_and_disclosure(frame):
    basic = worst(frame, naive.basic_beta, max)
    assert beta_likeness(frame, *COLUMNS) == close(basic)
    enhanced = worst(frame, naive.enhanced_beta, max)
    assert beta_likeness(frame, *COLUMNS, kind="enhanced") == close(enhanced)
    for absent in ("infinite", "ignored"):
        delta = worst(frame, naive.delta, max, absent=absent)
        assert delta_disclosure(frame, *COLUMNS, absent=absent) == close(delta)


@settings(max_examples=60)
@given(tables())
def test_equal_and_hierarchical_closeness(frame):
    equal = worst(frame, naive.equal_t, max)
    assert t_closeness(frame, *COLUMNS) == close(equal)
    found = t_closeness(frame, *COLUMNS, hierarchies={"disease": NESTED})
    assert found == close(worst(frame, naive.hierarchical_t, max, paths=PATHS))


@settings(max_examples=100)
@given(tables(NUMBERS))
def test_ordered_closeness(frame):
    assert t_closeness(frame, *COLUMNS) == close(worst(frame, naive.ordered_t, max))


LEVELS = {
    "l": (naive.frequency_l, operator.lt, {}),
    "p": (naive.distinct_l, operator.lt, {}),
    "t": (naive.equal_t, operator.gt, {}),
    "alpha": (naive.alpha, operator.gt, {}),
    "beta": (naive.basic_beta, operator.gt, {}),
    "delta": (naive.delta, operator.gt, {}),
}


@settings(max_examples=120)
@given(tables(), st.sampled_from(sorted(LEVELS)), st.randoms())
def test_violations_are_the_classes_beyond_a_level(frame, name, random):
    level, breaks, options = LEVELS[name]
    levels = per_class(frame, level, **options)
    wanted = float(random.choice(levels)) + random.choice([-0.05, 0, 0.05])
    if name == "p":
        wanted = round(wanted)
    wanted = min(max(wanted, 1), 9) if name in "lp" else max(wanted, 0)
    wanted = min(wanted, 1) if name in ("t", "alpha") else wanted
    margin = 1e-7 * (1 if breaks is operator.gt else -1)
    hidden = (frame[["zip", "age"]] == "*").all(axis=1)
    first = -1 if hidden.all() else 0
    expected = {
        number + first
        for number, value in enumerate(levels)
        if breaks(float(value), wanted + margin)
    }
    found = violations(frame, *COLUMNS, **{name: wanted})
    assert set(found.index) == expected
    for number, value in found[name].items():
        assert value == close(levels[number - first])
    assert found["size"].is_monotonic_increasing


@settings(max_examples=30)
@given(tables())
def test_no_class_breaks_what_the_table_achieves(frame):
    achieved = {
        "k": k_anonymity(frame, ["zip", "age"]),
        "l": l_diversity(frame, *COLUMNS, kind="entropy"),
        "t": t_closeness(frame, *COLUMNS),
        "alpha": alpha_k_anonymity(frame, *COLUMNS),
        "p": p_sensitivity(frame, *COLUMNS),
        "beta": beta_likeness(frame, *COLUMNS, kind="enhanced"),
        "delta": delta_disclosure(frame, *COLUMNS),
    }
    options = {"l_kind": "entropy", "beta_kind": "enhanced"}
    assert violations(frame, *COLUMNS, **achieved, **options).empty
    for name, worse in [("k", 1), ("p", 1), ("l", 0.01)]:
        stricter = achieved | {name: achieved[name] + worse}
        found = violations(frame, *COLUMNS, **stricter, **options)
        assert len(found) and found.index.is_unique
        assert found["positions"].map(len).tolist() == found["size"].tolist()


@settings(max_examples=12)
@given(tables(), tables(NUMBERS), st.randoms())
def test_several_attributes_count_with_the_least_protected(frame, other, random):
    n = min(len(frame), len(other))
    frame = frame.iloc[:n].assign(income=other["disease"].iloc[:n])
    names = ["disease", "income"]
    random.shuffle(names)
    public = ["zip", "age"]
    for function, better, options in [
        (l_diversity, min, {}),
        (l_diversity, min, {"kind": "entropy"}),
        (l_diversity, min, {"kind": "recursive", "c": 1.5}),
        (p_sensitivity, min, {}),
        (t_closeness, max, {}),
        (t_closeness, max, {"distance": "equal"}),
        (alpha_k_anonymity, max, {}),
        (beta_likeness, max, {}),
        (delta_disclosure, max, {"absent": "ignored"}),
    ]:
        alone = [function(frame, public, name, **options) for name in names]
        assert function(frame, public, names, **options) == better(alone)
        assert function(frame, None, names, **options) == better(alone)
        assert function(frame[public], None, frame[names], **options) == better(alone)


@settings(max_examples=25)
@given(tables(), st.sampled_from([None, 0.5, 2]))
def test_feasible_range_holds_for_whatever_is_published(frame, c):
    ends = feasible_range(frame, "disease", c=c).loc["disease"]
    together = frame.assign(zip="x", age="x")
    alone = frame.assign(zip=frame["disease"].astype(str), age="x")
    functions = {
        "l": (l_diversity, {}),
        "l_distinct": (l_diversity, {"kind": "distinct"}),
        "l_entropy": (l_diversity, {"kind": "entropy"}),
        "alpha": (alpha_k_anonymity, {}),
        "p": (p_sensitivity, {}),
        "t": (t_closeness, {}),
        "beta": (beta_likeness, {}),
        "beta_enhanced": (beta_likeness, {"kind": "enhanced"}),
        "delta": (delta_disclosure, {}),
    }
    if c is not None:
        functions["l_recursive"] = l_diversity, {"kind": "recursive", "c": c}
    assert set(ends.index) == set(functions)
    for name, (function, options) in functions.items():
        strictest, loosest = ends.loc[name, ["strictest", "loosest"]]
        assert strictest == close(function(together, *COLUMNS, **options))
        assert loosest == close(function(alone, *COLUMNS, **options))
        level = function(frame, *COLUMNS, **options, suppressed=None)
        low, high = sorted([strictest, loosest])
        assert low - 1e-9 <= level <= high + 1e-9
    counts = frame["disease"].value_counts(dropna=False)
    assert ends.loc["l", "frequency"] == counts.max() / len(frame)
    assert ends.loc["l", "strictest"] == close(len(frame) / counts.max())
    value = ends.loc["l", "value"]
    same = frame["disease"].isna() if pd.isna(value) else frame["disease"] == value
    assert same.sum() == counts.max()


@pytest.mark.parametrize(
    ("counts", "c", "l"),
    [
        ([2, 1, 1], 1, 1),
        ([2, 1, 1], 1.01, 2),
        ([7, *[1] * 100], 0.07, 1),
        ([7, *[1] * 100], 0.071, 3),
        ([3, 2, 1], 3, 2),
        ([3, 2, 1], 3.5, 3),
        ([1, 1, 1], 0.5, 1),
    ],
)
def test_the_inequality_of_recursive_diversity_is_strict(counts, c, l):  # noqa: E741
    """Where both sides are equal it is broken, though 0.07 * 100 > 7 to a computer."""
    frame = pd.DataFrame({"zip": "a", "x": np.repeat(np.arange(len(counts)), counts)})
    found = l_diversity(frame, ["zip"], "x", kind="recursive", c=c)
    cls = frame["x"].tolist()
    assert found == l == naive.recursive_l(cls, cls, c)


def test_what_adult_can_reach_is_what_the_paper_says():
    """Goldberger and Tassa, section 8.3: l0 = 1.3295 by income, 3.06 by education."""
    adult = load_adult()
    table = adult.data.assign(income=adult.target)
    levels = feasible_range(table, ["income", "education"])
    assert round(levels.loc[("income", "l"), "strictest"], 4) == 1.3295
    assert round(levels.loc[("education", "l"), "strictest"], 2) == 3.06
    assert levels.loc[("income", "l"), "value"] == "<=50K"
    assert levels.loc[("education", "l"), "value"] == "HS-grad"


def test_closeness_of_the_papers_example():
    """Li, Li and Venkatasubramanian, section 4.3: salaries from 3k to 11k."""
    salaries = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    for members, t in [([0, 1, 2], 0.375), ([3, 4, 5], 1 / 6)]:
        row = np.isin(np.arange(9), members)
        frame = pd.DataFrame({"age": np.where(row, "a", "b"), "salary": salaries})
        found = violations(frame, ["age"], "salary", t=0.0).set_index("age")
        assert found.loc["a", "t"] == close(t)


def test_whole_numbers_beside_a_missing_one_are_in_the_tree():
    frame = pd.DataFrame({"zip": ["a", "a", "b", "b"], "grade": [1, 2, None, 1]})
    tree = {"grade": {"*": {"low": [1, 2], "high": [3, 4]}}}
    found = t_closeness(frame, ["zip"], "grade", hierarchies=tree)
    texts = frame.assign(grade=["1", "2", None, "1"])
    assert found == t_closeness(texts, ["zip"], "grade", hierarchies=tree)


def test_the_forms_of_a_hierarchy_are_one():
    rows = [[value, *nodes] for value, nodes in PATHS.items()]
    frame = pd.DataFrame(
        {"zip": list("aabbbb"), "disease": [*PATHS, "flu"]}, dtype=object
    )
    forms = [
        NESTED,
        pd.DataFrame(rows),
        rows,
        Taxonomy(list(PATHS), list(zip(*PATHS.values(), strict=True))),
        from_nested(NESTED),
    ]
    found = {
        t_closeness(frame, ["zip"], "disease", hierarchies={"disease": form})
        for form in forms
    }
    assert len(found) == 1
    equal = t_closeness(frame, ["zip"], "disease")
    assert found.pop() < equal


@pytest.mark.parametrize(
    ("values", "distance"),
    [
        ([1, 2, 5, 3], "ordered"),
        ([1.0, 2.5, np.nan, -1], "ordered"),
        (pd.array([2**53, 2**53 + 1, 1, None], dtype="Int64"), "ordered"),
        (pd.to_datetime(["2020-01-05", "2019-01-01", None, "2021-05-05"]), "ordered"),
        (pd.Categorical(list("bcad"), list("cabd"), ordered=True), "ordered"),
        (pd.array([1, 2, 5, 3], dtype="int64[pyarrow]"), "ordered"),
        (pd.array([0, 2, 5, 0], dtype="Sparse[int64]"), "ordered"),
        ([True, False, True, True], "equal"),
        (pd.Categorical(list("bcad")), "equal"),
        (list("bcad"), "equal"),
        (np.array([1, "x", None, 2], dtype=object), "equal"),
        (np.array([1, 5, 3, 2], dtype=object), "ordered"),
    ],
    ids=str,
)
def test_the_distance_follows_the_dtype(values, distance):
    frame = pd.DataFrame({"zip": list("aabb"), "x": values})
    assert t_closeness(frame, ["zip"], "x") == t_closeness(
        frame, ["zip"], "x", distance=distance
    )
    mapped = t_closeness(frame, ["zip"], "x", distance={"x": distance})
    assert mapped == t_closeness(frame, ["zip"], "x")


def test_integers_beyond_floats_keep_their_order():
    values = pd.array([2**53 + 1, 2**53, 2**53 + 2, 2**53 + 3], dtype="Int64")
    frame = pd.DataFrame({"zip": list("aabb"), "x": values})
    plain = frame.assign(x=[2, 1, 3, 4])
    assert t_closeness(frame, ["zip"], "x") == t_closeness(plain, ["zip"], "x")


def test_a_constant_sensitive_attribute():
    frame = pd.DataFrame({"zip": list("aab"), "x": 1})
    assert l_diversity(frame, ["zip"], "x") == 1
    assert l_diversity(frame, ["zip"], "x", kind="entropy") == 1
    assert l_diversity(frame, ["zip"], "x", kind="recursive", c=9) == 1
    assert p_sensitivity(frame, ["zip"], "x") == 1
    assert alpha_k_anonymity(frame, ["zip"], "x") == 1
    assert t_closeness(frame, ["zip"], "x") == 0
    assert t_closeness(frame, ["zip"], "x", distance="equal") == 0
    assert beta_likeness(frame, ["zip"], "x") == 0
    assert beta_likeness(frame, ["zip"], "x", kind="enhanced") == 0
    assert delta_disclosure(frame, ["zip"], "x") == 0
    levels = feasible_range(frame, "x")
    assert (levels["strictest"] == levels["loosest"]).all()


def test_missing_sensitive_values_are_one_value():
    frame = pd.DataFrame({"zip": list("aabb"), "x": [None, np.nan, pd.NA, "flu"]})
    assert p_sensitivity(frame, ["zip"], "x") == 1
    assert alpha_k_anonymity(frame.iloc[2:], ["zip"], "x", value=None) == 0.5


def test_wholly_suppressed_rows_are_in_no_class_but_in_the_table():
    frame = pd.DataFrame({"zip": list("aa**"), "x": [1, 2, 1, 1]})
    assert l_diversity(frame, ["zip"], "x") == 2
    assert l_diversity(frame, ["zip"], "x", suppressed=None) == 1
    assert t_closeness(frame, ["zip"], "x") == 0.25
    hidden = frame.assign(zip="*")
    assert l_diversity(hidden, ["zip"], "x") == close(4 / 3)
    found = violations(hidden, ["zip"], "x", l=2)
    assert found["positions"].to_dict() == {-1: [0, 1, 2, 3]}


def test_a_value_that_only_suppressed_rows_have_has_no_share():
    frame = pd.DataFrame({"zip": list("aa**"), "x": [1, 2, 1, 3]})
    assert alpha_k_anonymity(frame, ["zip"], "x", value=3) == 0


def test_polars_and_arrays_are_read_too():
    pl = pytest.importorskip("polars")
    data = {"zip": ["a", "a", "b", "b"], "x": [1, 2, 3, 3]}
    frame = pd.DataFrame(data)
    found = l_diversity(pl.DataFrame(data), ["zip"], "x")
    assert found == l_diversity(frame, ["zip"], "x") == 1
    apart = pl.DataFrame({"zip": data["zip"]})
    assert l_diversity(apart, None, pl.Series("x", data["x"])) == 1
    assert l_diversity(frame.to_numpy(), [0], 1) == 1


def test_many_values_and_classes_are_counted_without_a_dense_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"zip": rng.integers(0, 200, 5000)})
    rare = rng.random(5000) < 0.3
    frame["x"] = np.where(rare, rng.integers(0, 3000, 5000), rng.integers(0, 3, 5000))
    for level, function in [
        (naive.frequency_l, l_diversity),
        (naive.basic_beta, beta_likeness),
    ]:
        classes, everything = naive.classes_of(frame, ["zip"], frame["x"].tolist())
        sample = frame["zip"].isin(frame["zip"].unique()[:20])
        kept = frame.assign(zip=np.where(sample, frame["zip"], "*"))
        levels = [level(cls, everything) for cls in classes[:20]]
        better = min if function is l_diversity else max
        assert function(kept, ["zip"], "x") == close(better(levels))
    cumulated = frame["x"].rank(method="dense").astype(int) - 1
    m = cumulated.max() + 1
    table = np.bincount(cumulated, minlength=m).cumsum() / len(frame)
    t = [
        np.abs(np.bincount(part, minlength=m).cumsum() / len(part) - table).sum()
        for _, part in cumulated.groupby(frame["zip"])
    ]
    assert t_closeness(frame, ["zip"], "x") == close(max(t) / (m - 1))

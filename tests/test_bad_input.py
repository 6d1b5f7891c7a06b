"""What cannot be done says what, where and the remedy, and does nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from consistent import CLASSES as CONSISTENT
from scipy import sparse
from sklearn.exceptions import NotFittedError

from skanon import KAnonymizer
from skanon._parameters import ANYTHING
from skanon.exceptions import (
    AnonymizationError,
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    InfeasibleError,
    ParameterError,
    PrivacyWarning,
)
from skanon.losses import NCP

ENCODINGS = ["label", "representative", "bounds", "distribution"]
CLASSES = [KAnonymizer, *ALGORITHMS.values()]
EVERY = [*CLASSES, *CONSISTENT.values()]


def good():
    return pd.DataFrame({"age": [20, 21, 40, 41], "town": list("aabb")})


def refuse(X, error, message, anonymizer=None, **options):
    anonymizer = anonymizer or KAnonymizer(**{"k": 2} | options)
    for method in (anonymizer.fit, anonymizer.fit_transform):
        with pytest.raises(error, match=message) as caught:
            method(X)
        assert isinstance(caught.value, AnonymizationError)
        assert isinstance(caught.value, ValueError)
        with pytest.raises(NotFittedError):
            anonymizer.transform(X)


@pytest.mark.parametrize("anonymizer", EVERY)
@pytest.mark.parametrize("k", [0, -1, 2.0, 2.5, "2", None, True, np.nan, [2]])
def test_k_is_an_integer_of_at_least_1(anonymizer, k):
    refuse(
        good(), ParameterError, "k of .* is .*, but must be an integer", anonymizer(k)
    )


@pytest.mark.parametrize("anonymizer", EVERY)
@pytest.mark.parametrize("k", [5, 10**9])
def test_k_is_at_most_n(anonymizer, k):
    message = f"k={k} asks for at least {k} records.*n_samples=4. Choose k of at most 4"
    refuse(good(), InfeasibleError, message, anonymizer(k))


SHARED = {
    "hierarchies": ["intervals", 3],
    "loss": ["gini", 3, None],
    "encode": ["text", None],
    "max_suppression": [-0.1, 1.1, "all", None, True, np.nan],
    "random_state": ["now", -1],
    "n_jobs": [0, 1.5, "all", True],
    "verbose": ["yes", -1],
}
OWN = {
    "sequential": {
        "alpha": [0, 1.1, "half", None, True, np.nan],
        "omega": [1, 2.1, "most", None],
        "split": ["never", None],
        "n_init": [0, 1.5, None, True],
        "max_iter": [0, 1.5, None],
        "tol": [-1, 1, None, np.nan],
    },
    "agglomerative": {
        "distance": ["far", None],
        "epsilon": [0, -1, None, np.nan],
        "modified": ["yes", None, 3],
    },
    "bisecting": {"n_rounds": [0, 1.5, None, True], "repair": ["yes", None, 3]},
    "bottom_up": {"distance": ["far", None]},
    "forest": {"lightest_first": ["yes", None, 3]},
    "hilbert": {"rescale": ["yes", None, 3]},
    "k_member": {"furthest_from": ["middle", None], "closest_to": ["last", None]},
    "mondrian": {
        "strict": ["yes", None, 3],
        "cut": ["mean", None],
        "ordered": ["yes", None, 3],
    },
    "one_pass_k_means": {
        "n_passes": [0, 1.5, None, True],
        "suppress_small": ["yes", None, 3],
    },
    "threshold_greedy": {
        "threshold": [-0.1, "far", None, np.nan],
        "small": ["dropped", None],
        "overshoot": ["yes", None, 3],
    },
    "top_down": {"n_rounds": [0, 1.5, None, True]},
    "weighted_c_means": {
        "weights": ["heavy", None, 3],
        "max_iter": [0, 1.5, None],
        "tol": [-1, 1, None, np.nan],
    },
}


def parameters():
    for anonymizer in EVERY:
        own = [name for name, made in ALGORITHMS.items() if made is anonymizer]
        known = anonymizer().get_params()
        for name, values in (SHARED | OWN.get("".join(own), {})).items():
            if name not in known:
                continue
            for value in values:
                yield pytest.param(
                    anonymizer, name, value, id=f"{anonymizer.__name__}-{name}-{value}"
                )
    for made in CONSISTENT.values():
        if "method" in made().get_params():
            for value in ["nearest", None, 3]:
                yield pytest.param(
                    made, "method", value, id=f"{made.__name__}-method-{value}"
                )
    for value in ["random", None, ALGORITHMS["mondrian"], 3]:
        yield pytest.param(KAnonymizer, "algorithm", value, id=f"algorithm-{value}")


@pytest.mark.parametrize(("anonymizer", "name", "value"), [*parameters()])
def test_every_parameter_is_validated(anonymizer, name, value):
    made = anonymizer(2, **{name: value})
    refuse(good(), ParameterError, f"{name} of .* is .*, but must be", made)


@pytest.mark.parametrize("anonymizer", EVERY)
def test_each_parameter_has_a_rule(anonymizer):
    rules = anonymizer._parameter_rules
    assert set(rules) == set(anonymizer().get_params(deep=False))
    for name in [x for x, rule in rules.items() if rule is not ANYTHING]:
        made = anonymizer(**{"k": 2} | {name: object()})
        refuse(good(), ParameterError, f"{name} of .* is .*, but must be", made)


def test_the_parameters_of_the_inner_algorithm_are_validated():
    inner = ALGORITHMS["sequential"](alpha=7)
    refuse(
        good(), ParameterError, "alpha of SequentialAnonymizer is 7", algorithm=inner
    )


def test_weights_of_other_columns_are_refused():
    refuse(good(), ParameterError, "weights 'zip'", loss=NCP({"zip": 2.0}))


TABLES = {
    "no rows": (good()[:0], ColumnError, r"0 sample\(s\).*at least one row"),
    "no columns": (
        good()[[]],
        ColumnError,
        r"0 feature\(s\).*at least one row and one",
    ),
    "1-D": (np.arange(3), ColumnError, "Expected 2D array.*Reshape your data"),
    "a column": (good()["age"], ColumnError, "Expected 2D array"),
    "3-D": (np.zeros((2, 2, 2)), ColumnError, "Expected 2D array, got 3D"),
    "nothing": (None, ColumnError, "Expected 2D array, got 0D"),
    "a dict": ({"a": [1, 2]}, ColumnError, "a dict. Use pandas.DataFrame"),
    "ragged": ([[1, 2], [3]], ColumnError, "rows of equal length"),
    "sparse": (sparse.csr_matrix(np.eye(3)), ColumnTypeError, r"Use X.toarray\(\)"),
    "sparse array": (sparse.coo_array(np.eye(3)), ColumnTypeError, "Sparse data"),
    "masked": (np.ma.array(np.eye(3), mask=np.eye(3)), ColumnTypeError, "X.filled"),
    "complex": (np.eye(3) * 1j, ColumnTypeError, "Complex data not supported"),
    "complex column": (
        good().assign(z=1j),
        ColumnTypeError,
        "Complex data not supported: column 'z'",
    ),
    "infinite": (
        good().assign(h=[1, 2, np.inf, 3]),
        ColumnError,
        r"'h' holds an infinite value \(inf\) at row 2.*replace it",
    ),
    "infinite array": (np.array([[1.0], [-np.inf]]), ColumnError, "Column 0 .*-inf"),
    "mixed types": (
        good().assign(m=pd.Series([1, "a", 2, 3], dtype=object)),
        ColumnTypeError,
        r"'m' mixes types: 1 \(int\), 'a' \(str\). Convert",
    ),
    "mixed list": ([[1, "x"], ["a", "y"]], ColumnTypeError, "Column 0 mixes types"),
    "lists": (good().assign(m=[[1]] * 4), ColumnTypeError, "Column 'm' "),
    "bytes": (np.array([[b"a"], [b"b"]]), ColumnTypeError, "Column 0 .*'bytes'"),
    "star": (good().assign(town="*"), ColumnError, r"'town' holds the text '\*'.*Ren"),
    "twice": (
        pd.DataFrame([[1, 2, 3]] * 3, columns=["a", "b", "a"]),
        ColumnError,
        r"Columns \['a'\] stand twice in the table. Rename",
    ),
    "mixed names": (
        pd.DataFrame([[1, 2]] * 3, columns=["a", 1]),
        ColumnTypeError,
        "string names",
    ),
    "levels of names": (
        pd.DataFrame([[1, 2]] * 3, columns=pd.MultiIndex.from_tuples([(0, 1), (0, 2)])),
        ColumnTypeError,
        r"names of 2 levels, such as \(0, 1\).*to_flat_index",
    ),
    "one row": (good()[:1], InfeasibleError, "n_samples=1. Choose k of at most 1"),
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_that_cannot_be_read(table):
    refuse(*TABLES[table])


HIERARCHIES = {
    "lacks a value": ({"*": {"x": ["a", "c"]}}, r"'town'.*'b'"),
    "two roots": ({"x": ["a"], "y": ["b"]}, "'town': .*root"),
    "cycle": ({"*": {"x": {"*": ["a"]}, "y": ["b"]}}, "'town': "),
    "twice": ({"*": {"x": ["a"], "y": ["a", "b"]}}, "'town': .*'a'"),
    "unknown word": ("everything", "'town': 'everything' is no hierarchy.*words"),
    "not there": ("nowhere.csv", "'town': .*nowhere.csv"),
    "no order": ("intervals", "'town' holds text without an order.*Subsets"),
    "a list": (["a", "b"], "'town': .* is no hierarchy"),
}


@pytest.mark.parametrize("hierarchy", HIERARCHIES)
def test_hierarchies_that_do_not_fit(hierarchy):
    given, message = HIERARCHIES[hierarchy]
    refuse(good(), HierarchyError, message, hierarchies={"town": given})


def test_hierarchies_of_unknown_columns():
    refuse(
        good(), ColumnError, "hierarchies names 'zip', .*'age'", hierarchies={"zip": {}}
    )


def changed(**columns):
    return good().assign(**columns)


LATER = {
    "fewer": (good()[["age"]], "town"),
    "more": (changed(zip=1), "zip"),
    "another": (good().rename(columns={"town": "city"}), "city"),
    "order": (good()[["town", "age"]], "same order"),
    "narrow array": (np.zeros((4, 1)), "1 features, but KAnonymizer is expecting 2"),
    "no rows": (good()[:0], "at least one row"),
    "infinite": (changed(age=np.inf), "'age' holds an infinite value"),
    "other type": (changed(age=list("wxyz")), "'age' held numbers.*holds texts now"),
    "star": (changed(town="*"), "'town' holds the text"),
    "sparse": (sparse.csr_matrix(np.eye(2)), "Sparse data"),
    "leafless": (
        changed(town=["a", "b", "b", "z"]),
        "'town'.*lacks 'z'.*at row 3.*Add",
    ),
    "twice": (pd.concat([good(), good()[["age"]]], axis=1), r"\['age'\] stand twice"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("later", LATER)
def test_other_records_that_do_not_fit(later):
    X, message = LATER[later]
    tree = {"*": {"x": ["a", "b"], "y": ["c"]}}
    fitted = KAnonymizer(2, hierarchies={"town": tree}, random_state=0).fit(good())
    before = fitted.transform(good())
    with pytest.raises(AnonymizationError, match=message):
        fitted.transform(X)
    pd.testing.assert_frame_equal(fitted.transform(good()), before)


@pytest.mark.parametrize("anonymizer", CLASSES)
@pytest.mark.parametrize("encode", ENCODINGS)
def test_k_of_one_warns_and_changes_nothing(anonymizer, encode):
    fitted = anonymizer(1, encode=encode)
    with pytest.warns(PrivacyWarning, match="k=1 hides nobody"):
        release = fitted.fit_transform(good())
    assert fitted.information_loss_ == 0 and fitted.n_classes_ == 4
    if encode == "representative":
        pd.testing.assert_frame_equal(release, good())
    if encode == "label":
        assert release.equals(good().astype("str"))
    with pytest.warns(PrivacyWarning):
        assert len(anonymizer(1, encode=encode).fit_transform(good()[:1])) == 1


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_k_of_n_gives_one_class(anonymizer):
    fitted = anonymizer(4).fit(good())
    assert fitted.n_classes_ == 1 and fitted.class_sizes_.tolist() == [4]
    assert fitted.generalizations_.to_numpy().tolist() == [["[20, 41]", "*"]]
    assert fitted.information_loss_ == 1


@pytest.mark.parametrize("loss", ["lm", "ncp"])
@pytest.mark.parametrize("anonymizer", CLASSES)
def test_identical_records_cost_nothing(anonymizer, loss):
    frame = pd.DataFrame({"age": [30] * 9, "town": ["a"] * 9, "none": [None] * 9})
    for k in (2, 4, 9):
        fitted = anonymizer(k, loss=loss, max_suppression=0.5)
        release = fitted.fit_transform(frame)
        assert fitted.information_loss_ == 0 and fitted.n_classes_ == 1
        assert (release["age"] == "30").all() and (release["town"] == "a").all()


def test_a_good_fit_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KAnonymizer(2).fit_transform(good(), y=[0, 1, 0, 1])

"""What cannot be measured is refused, with the column, the value and the remedy."""

import numpy as np
import pandas as pd
import pytest

from skanon.exceptions import (
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    ParameterError,
)
from skanon.privacy import (
    alpha_k_anonymity,
    beta_likeness,
    delta_disclosure,
    delta_presence,
    feasible_range,
    journalist_risk,
    k_map,
    l_diversity,
    marketer_risk,
    p_sensitivity,
    population_uniqueness,
    prosecutor_risk,
    record_risks,
    singled_out,
    small_class_causes,
    suggest_quasi_identifiers,
    t_closeness,
    violations,
)

FRAME = pd.DataFrame(
    {"age": ["2*", "2*"], "zip": ["1*", "1*"], "disease": ["flu", "cold"]}
)


def break_l(frame, names, sensitive, **options):
    return violations(frame, names, sensitive, l=2, **options)


def range_of(frame, names, sensitive, **options):
    return feasible_range(frame, sensitive)


LEVELS = [
    l_diversity,
    t_closeness,
    alpha_k_anonymity,
    p_sensitivity,
    beta_likeness,
    delta_disclosure,
    break_l,
    range_of,
]
every_level = pytest.mark.parametrize("level", LEVELS, ids=lambda x: x.__name__)


@every_level
@pytest.mark.parametrize(
    ("sensitive", "error", "match"),
    [
        ("ilness", ColumnError, r"no column 'ilness'.*are 'age', 'zip', 'disease'"),
        (["disease", "ilness"], ColumnError, "no column 'ilness', which sensitive"),
        (["disease", "disease"], ColumnError, "'disease' more than once"),
        (("age", "ilness"), ColumnError, "no column 'ilness'"),
        ([], ColumnError, "names no column"),
        (7, ColumnError, "no column 7"),
        (pd.Series(["flu"]), ColumnError, "sensitive has 1 rows, but the table has 2"),
        (pd.Series(["a", "b"], index=[1, 0]), ColumnError, "at row 0 it is 1 instead"),
        (pd.DataFrame(index=[0, 1]), ColumnError, "table without columns"),
        (pd.DataFrame([[1, 2]] * 2, columns=["x", "x"]), ColumnError, "named 'x'"),
        (pd.Series([[1], [2]], name="bag"), ColumnTypeError, "'bag' holds values"),
    ],
    ids=repr,
)
def test_wrong_sensitive_attributes(level, sensitive, error, match):
    with pytest.raises(error, match=match):
        level(FRAME, ["age"], sensitive)


@pytest.mark.parametrize("level", LEVELS[:6], ids=lambda x: x.__name__)
def test_no_sensitive_attribute(level):
    with pytest.raises(ParameterError, match="sensitive is None"):
        level(FRAME, ["age"], None)


@pytest.mark.parametrize("level", LEVELS[:-1], ids=lambda x: x.__name__)
@pytest.mark.parametrize(
    ("names", "error", "match"),
    [
        (["age", "disease"], ColumnError, "'disease' is named as quasi-identifier and"),
        (["age", "zp"], ColumnError, "no column 'zp'"),
        ("age", ParameterError, r"list: \['age'\]"),
        ([], ColumnError, "no quasi-identifier"),
    ],
    ids=repr,
)
def test_wrong_quasi_identifiers(level, names, error, match):
    with pytest.raises(error, match=match):
        level(FRAME, names, "disease")


@every_level
def test_tables_without_rows_or_with_repeated_columns(level):
    with pytest.raises(ColumnError, match="no rows"):
        level(FRAME.iloc[:0], ["age"], "disease")
    with pytest.raises(ColumnError, match="named 'age'"):
        level(FRAME.set_axis(["age", "age", "disease"], axis=1), None, "disease")
    with pytest.raises(ColumnTypeError, match="list"):
        level([[1, 2]], None, "disease")


def roles():
    return FRAME, ["age"], "disease"


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: l_diversity(*roles(), kind="entropic"), "kind is 'entropic'.*'distin"),
        (lambda: l_diversity(*roles(), kind=None), "kind is None"),
        (lambda: l_diversity(*roles(), kind="recursive"), "c is None.*above 0"),
        (lambda: l_diversity(*roles(), kind="recursive", c=0), "c is 0.*above 0"),
        (lambda: l_diversity(*roles(), kind="recursive", c=np.nan), "c is nan"),
        (lambda: l_diversity(*roles(), kind="recursive", c=True), "c is True"),
        (lambda: l_diversity(*roles(), c=2), "Leave c out"),
        (lambda: t_closeness(*roles(), distance="euclid"), "distance is 'euclid'"),
        (lambda: t_closeness(*roles(), distance="ordered"), "'disease' holds str"),
        (
            lambda: t_closeness(*roles(), distance="hierarchical"),
            "no hierarchy of 'disease'",
        ),
        (lambda: t_closeness(*roles(), hierarchies=[]), "hierarchies is a list"),
        (lambda: beta_likeness(*roles(), kind="advanced"), "kind is 'advanced'"),
        (lambda: delta_disclosure(*roles(), absent="zero"), "absent is 'zero'"),
        (lambda: violations(*roles()), "k is None"),
        (lambda: violations(FRAME, ["age"], l=2), "l cannot be checked without a sens"),
        (lambda: violations(*roles(), l=0.5), "l is 0.5, but must be a number of at"),
        (lambda: violations(*roles(), l=np.nan), "l is nan"),
        (lambda: violations(*roles(), p=1.5), "p is 1.5, but must be an integer"),
        (lambda: violations(*roles(), t=1.1), "t is 1.1, but must be a number from 0"),
        (lambda: violations(*roles(), t="0.1"), "t is '0.1'"),
        (lambda: violations(*roles(), alpha=-0.1), "alpha is -0.1"),
        (lambda: violations(*roles(), beta=-1), "beta is -1"),
        (lambda: violations(*roles(), delta=True), "delta is True"),
        (lambda: violations(*roles(), l=2, l_kind="x"), "kind is 'x'"),
        (lambda: prosecutor_risk(FRAME, threshold=2), "threshold is 2"),
        (lambda: journalist_risk(FRAME, population_size=3, threshold="1"), "'1'"),
        (lambda: journalist_risk(FRAME), "population and population_size are both N"),
        (
            lambda: record_risks(FRAME, population=FRAME, population_size=3),
            "both given",
        ),
        (lambda: marketer_risk(FRAME, population_size=1), "1, but must be an integer"),
        (lambda: record_risks(FRAME, population_size=2.5), "population_size is 2.5"),
        (
            lambda: population_uniqueness(FRAME, population_size=1),
            "population_size is 1, but must be an integer of at least 2",
        ),
        (
            lambda: population_uniqueness(FRAME, population_size=9, method="x"),
            "method is 'x'",
        ),
        (lambda: singled_out(FRAME, max_columns=0), "max_columns is 0"),
        (lambda: singled_out(FRAME, max_columns=1.0), "max_columns is 1.0"),
        (lambda: suggest_quasi_identifiers(FRAME, sensitive=None), "sensitive is None"),
        (lambda: small_class_causes(FRAME, k=0), "k is 0"),
    ],
)
def test_wrong_parameters(call, match):
    with pytest.raises(ParameterError, match=match):
        call()


def test_values_and_keys_that_there_are_not():
    with pytest.raises(ColumnError, match=r"no value 'HIV'\. Its values are 'flu'"):
        alpha_k_anonymity(*roles(), value="HIV")
    with pytest.raises(ColumnError, match="distance has the key 'age'"):
        t_closeness(*roles(), distance={"age": "equal"})
    with pytest.raises(ColumnError, match="hierarchies has the key 'ages'"):
        t_closeness(*roles(), hierarchies={"ages": {"*": ["2*"]}})
    with pytest.raises(ColumnError, match="hierarchies has the key 'ages'"):
        k_map(
            FRAME,
            population=FRAME,
            hierarchies={"ages": {"*": ["2*"]}},
            generalized=True,
        )
    with pytest.raises(ColumnError, match="no column 'x', which sensitive names"):
        suggest_quasi_identifiers(FRAME, sensitive=["x"])


CYCLE: dict = {}
CYCLE["*"] = CYCLE


@pytest.mark.parametrize(
    ("hierarchy", "match"),
    [
        ({"*": ["flu"]}, "'cold' is not in the hierarchy"),
        ({"a": ["flu"], "b": ["cold"]}, "2 roots"),
        ({"*": "flu"}, "below the node '\\*' stands 'flu'"),
        ({"*": {"a": ["flu"], "b": ["flu", "cold"]}}, "'flu' stands twice"),
        (CYCLE, "may hold itself"),
        (3, "a int is no hierarchy"),
        ({"*": []}, "no values"),
        ([["flu"], ["cold"]], "no level above"),
        ([["flu", "a", "*"], ["cold", "*"]], "'cold' has 1 levels"),
        ([["flu", "a"], ["cold", "b"]], "2 roots: 'a', 'b'"),
        (
            [["flu", "a", "x", "*"], ["cold", "a", "y", "*"]],
            "'a' hangs below 'x' and below 'y'",
        ),
    ],
    ids="lacking roots text twice cycle int none flat short rootless parents".split(),
)
def test_wrong_hierarchies(hierarchy, match):
    with pytest.raises(HierarchyError, match=f"Column 'disease': .*{match}"):
        t_closeness(*roles(), hierarchies={"disease": hierarchy})


RELEASE = pd.DataFrame({"age": ["[20, 29]", "*"], "town": ["Kiel", "north"]})
PEOPLE = pd.DataFrame({"age": [21, 25], "town": ["Kiel", "Ulm"]})


@pytest.mark.parametrize(
    "check", [k_map, delta_presence, "journalist"], ids=["k_map", "presence", "risk"]
)
@pytest.mark.parametrize(
    ("people", "error", "match"),
    [
        (PEOPLE[["age"]], ColumnError, "population has no column 'town'.*are 'age'"),
        (PEOPLE.iloc[:0], ColumnError, "population has no rows"),
        (PEOPLE, ColumnError, "Column 'town': the release has 'north'"),
        ([21, 25], ColumnTypeError, "list"),
        (PEOPLE.assign(age=["a", "b"]), ColumnError, r"'age'.*has '\[20, 29\]'"),
    ],
    ids=["column", "rows", "label", "list", "text"],
)
def test_wrong_populations(check, people, error, match):
    if check == "journalist":
        with pytest.raises(error, match=match):
            journalist_risk(RELEASE, population=people)
        return
    with pytest.raises(error, match=match):
        check(RELEASE, population=people)

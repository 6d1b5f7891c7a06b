"""What cannot be attacked is refused, with the column, the value and the remedy."""

import ast
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import skanon
import skanon.privacy.attacks
from skanon.exceptions import (
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    ParameterError,
)
from skanon.privacy.attacks import inference_attack, linkage_attack

RELEASE = pd.DataFrame(
    {
        "age": ["[20, 29]", "[20, 29]", "30"],
        "town": ["Ulm", "Ulm", "Kiel"],
        "ill": [*"abb"],
    }
)
PEOPLE = pd.DataFrame(
    {"age": [21, 22, 30], "town": ["Ulm", "Ulm", "Kiel"], "ill": [*"abb"]}
)
OTHERS = PEOPLE.assign(age=[23, 24, 31])


def infer(original, released, quasi_identifiers, sensitive, **options):
    options = {"holdout": OTHERS} | options
    return inference_attack(original, released, quasi_identifiers, sensitive, **options)


every_attack = pytest.mark.parametrize("attack", [linkage_attack, infer])


@every_attack
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["age", "zip"], r"no column 'zip', which quasi_identifiers names.*'age'"),
        (["age", "age"], r"names 'age' more than once"),
        (["age", "ill"], r"'ill' is named as quasi-identifier and as sensitive"),
        ([], "Name at least one"),
    ],
)
def test_quasi_identifiers(attack, names, message):
    with pytest.raises(ColumnError, match=message):
        attack(PEOPLE, RELEASE, names, "ill")


@every_attack
def test_one_name_is_no_list(attack):
    with pytest.raises(ParameterError, match=r"\['age'\]"):
        attack(PEOPLE, RELEASE, "age", "ill")


@every_attack
def test_people_of_whom_the_column_is_not_known(attack):
    with pytest.raises(ColumnError, match="original has no column 'town'"):
        attack(PEOPLE.drop(columns="town"), RELEASE, ["age", "town"], "ill")
    with pytest.raises(ColumnError, match="domain has no column 'town'"):
        attack(PEOPLE, RELEASE, ["town"], "ill", domain=PEOPLE[["age"]])


@every_attack
def test_no_common_columns(attack):
    people = PEOPLE.rename(columns={"age": "years", "town": "place"})
    with pytest.raises(ColumnError, match=r"in common: the release has 'age'.*'years'"):
        attack(people, RELEASE, None, "ill")


@every_attack
def test_no_sensitive_attribute(attack):
    with pytest.raises(ColumnError, match="no column 'cost', which sensitive names"):
        attack(PEOPLE, RELEASE, ["age"], "cost")
    with pytest.raises(ParameterError, match="sensitive is None"):
        attack(PEOPLE, RELEASE, ["age"], None)
    with pytest.raises(ParameterError, match="Attack one at a time"):
        attack(PEOPLE, RELEASE, ["age"], ["ill", "town"])


def test_sensitive_values_of_another_length():
    with pytest.raises(ColumnError, match="sensitive has 2 rows"):
        linkage_attack(PEOPLE, RELEASE, ["age"], RELEASE["ill"].iloc[:2])


@every_attack
@pytest.mark.parametrize(
    ("column", "label", "row"),
    [("town", "south", 2), ("age", "young", 1), ("age", "[20, x]", 0)],
)
def test_labels_that_cannot_be_read(attack, column, label, row):
    release = RELEASE.copy()
    release.loc[row, column] = label
    with pytest.raises(ColumnError) as caught:
        attack(PEOPLE, release, ["age", "town"], "ill")
    for part in (repr(column), repr(label), f"row {row}", "hierarchies", "domain"):
        assert part in str(caught.value)


@every_attack
def test_hierarchies(attack):
    with pytest.raises(ColumnError, match="'zip'"):
        attack(PEOPLE, RELEASE, ["age"], "ill", hierarchies={"zip": {"*": ["1"]}})
    with pytest.raises(ParameterError, match="hierarchies"):
        attack(PEOPLE, RELEASE, ["age"], "ill", hierarchies=["age"])
    with pytest.raises(HierarchyError, match="'age'"):
        attack(PEOPLE, RELEASE, ["age"], "ill", hierarchies={"age": 3})


@every_attack
def test_tables(attack):
    with pytest.raises(ColumnError, match="original has no rows"):
        attack(PEOPLE.iloc[:0], RELEASE, ["age"], "ill")
    with pytest.raises(ColumnError, match="no rows"):
        attack(PEOPLE, RELEASE.iloc[:0], ["age"], "ill")
    with pytest.raises(ColumnTypeError, match="list"):
        attack([[1]], RELEASE, ["age"], "ill")
    with pytest.raises(ColumnError, match="more than one column"):
        attack(PEOPLE[["age", "age", "ill"]], RELEASE, ["age"], "ill")
    with pytest.raises(ParameterError, match="suppressed"):
        attack(PEOPLE, RELEASE, ["age"], "ill", suppressed=["*"])


@every_attack
def test_columns_of_different_kinds(attack):
    domain = PEOPLE.astype({"age": str})
    with pytest.raises(ColumnError, match=r"'age' is of different kinds: int64 in or"):
        attack(PEOPLE, RELEASE, ["age"], "ill", domain=domain)


def test_thresholds_of_the_linkage():
    found = linkage_attack(PEOPLE, RELEASE, ["age"], "ill")
    for k in (0, 2.5, True, "2"):
        with pytest.raises(ParameterError, match="k is"):
            found.below(k)
    for threshold in (-0.1, 1.1, np.nan, True):
        with pytest.raises(ParameterError, match="threshold is"):
            found.surer_than(threshold)


@pytest.mark.parametrize("confidence", [0, 1, -1, np.nan, True])
def test_confidence(confidence):
    with pytest.raises(ParameterError, match="confidence is"):
        infer(PEOPLE, RELEASE, ["age"], "ill", confidence=confidence)


@pytest.mark.parametrize(
    "classifier", [DecisionTreeClassifier, LinearRegression(), "tree", 3]
)
def test_classifiers(classifier):
    with pytest.raises(ParameterError, match=r"estimator is .* must be a classifier"):
        infer(PEOPLE, RELEASE, ["age"], "ill", estimator=classifier)


def test_people_without_sensitive_values():
    with pytest.raises(ColumnError, match="original has no column 'ill'"):
        infer(PEOPLE[["age"]], RELEASE, ["age"], "ill")
    with pytest.raises(ColumnError, match="holdout has no column 'ill'"):
        infer(PEOPLE, RELEASE, ["age"], "ill", holdout=OTHERS[["age"]])
    with pytest.raises(ColumnError, match="holdout has no column 'age'"):
        infer(PEOPLE, RELEASE, ["age"], "ill", holdout=OTHERS[["ill"]])
    with pytest.raises(ColumnError, match="holdout has no rows"):
        infer(PEOPLE, RELEASE, ["age"], "ill", holdout=OTHERS.iloc[:0])


def test_sensitive_values_that_are_written_in_another_way():
    others = OTHERS.assign(ill=[1, 2, 2])
    with pytest.raises(ColumnError, match=r"such as 'a'\) and in holdout \(as 1"):
        infer(PEOPLE, RELEASE, ["age"], "ill", holdout=others)


@pytest.mark.parametrize("holdout", [PEOPLE, PEOPLE.iloc[[2, 0]]])
def test_controls_who_are_targets(holdout):
    with pytest.raises(ColumnError, match="All rows of holdout are rows of original"):
        infer(PEOPLE, RELEASE, ["age"], "ill", holdout=holdout)


def test_controls_may_have_the_same_index():
    same = OTHERS.assign(age=[21, 22, 31])
    assert infer(PEOPLE, RELEASE, ["age"], "ill", holdout=same).controls.shape == (3, 3)


MODULES = sorted(Path(skanon.privacy.attacks.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_attacks_share_no_code_with_the_algorithms(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add("." * node.level + (node.module or ""))
    allowed = {*sys.stdlib_module_names, "numpy", "pandas", "scipy", "sklearn"}
    own = {name for name in imported if name.split(".")[0] not in allowed}
    assert {name for name in own if not name.startswith("skanon.privacy.")} <= {
        "skanon.exceptions"
    }


def test_nothing_but_the_report_builds_on_the_attacks():
    package = Path(skanon.__file__).parent
    theirs = package / "privacy" / "attacks"
    users = set()
    for path in package.rglob("*.py"):
        if theirs in path.parents:
            continue
        named = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                # each name may be a module, and the first ones of a relative import
                # are those of its own folder
                base = path.relative_to(package.parent).parts[: -node.level or None]
                module = [*base] if node.level else []
                module += [node.module] if node.module else []
                start = ".".join(module)
                named |= {start, *(f"{start}.{alias.name}" for alias in node.names)}
        if any(f"{name}.".startswith("skanon.privacy.attacks.") for name in named):
            users.add(path.relative_to(package).parts[0])
    assert users == {"report"}


@every_attack
def test_tables_of_polars_and_numpy(attack):
    pl = pytest.importorskip("polars")
    names = ["age", "town"]
    expected = attack(PEOPLE, RELEASE, names, "ill").summary()
    options = {} if attack is linkage_attack else {"holdout": pl.from_pandas(OTHERS)}
    found = attack(
        pl.from_pandas(PEOPLE), pl.from_pandas(RELEASE), names, "ill", **options
    )
    assert found.summary().equals(expected)
    options = {} if attack is linkage_attack else {"holdout": OTHERS.to_numpy()}
    arrays = PEOPLE.astype({"age": str}).to_numpy(), RELEASE.to_numpy()
    domain = np.array([["[20, 29]", "", ""]], dtype=object)
    found = attack(*arrays, [1], 2, domain=domain, **options)
    assert found.summary().equals(attack(PEOPLE, RELEASE, ["town"], "ill").summary())


@every_attack
def test_tables_are_left_as_they_were(attack):
    tables = PEOPLE, RELEASE, OTHERS
    before = [table.copy(deep=True) for table in tables]
    attack(PEOPLE, RELEASE, ["age", "town"], "ill")
    for table, copied in zip(tables, before, strict=True):
        pd.testing.assert_frame_equal(table, copied)

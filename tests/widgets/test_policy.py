"""Policies refit the same release, refuse other tables, and hold nothing sensitive."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS

pytest.importorskip("anywidget")

from policies import ILLS, anonymizer, people

from skanon import KAnonymizer
from skanon.clustering import MondrianAnonymizer, SequentialAnonymizer
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    Constraint,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.exceptions import (
    ColumnError,
    HierarchyError,
    ParameterError,
)
from skanon.hierarchies import Intervals, Subsets, from_nested
from skanon.losses import LM
from skanon_widgets._studio.policy import anonymizer_of, other_versions, policy_of
from skanon_widgets._studio.policy_checks import VERSIONS, read_policy


def again(policy, table):
    """Go through the text of a file, as a policy does."""
    return anonymizer_of(json.loads(json.dumps(policy)), table).fit_transform(table)


def plain(thing):
    """Tell whether something is made of what JSON has, and of nothing else."""
    if type(thing) is dict:
        return all(type(key) is str and plain(x) for key, x in thing.items())
    if type(thing) is list:
        return all(plain(x) for x in thing)
    return thing is None or type(thing) in (str, int, float, bool)


# -------------------------------------------------------------- the same release again


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("constraints", [[], [LDiversity(2, "distinct")]], ids=str)
def test_each_algorithm_refits_the_same_release(algorithm, constraints):
    table = people()
    made = anonymizer(algorithm=algorithm, constraints=constraints)
    policy = policy_of(made, table)
    assert plain(policy)
    pd.testing.assert_frame_equal(again(policy, table), made.fit_transform(table))
    assert policy["parameters"]["algorithm"] == algorithm


def test_the_optimal_algorithm_refits_too():
    table = people(9)
    made = anonymizer(2, algorithm="optimal")
    pd.testing.assert_frame_equal(
        again(policy_of(made, table), table), made.fit_transform(table)
    )


@pytest.mark.parametrize(
    "constraint",
    [
        LDiversity(1.5),
        LDiversity(1.5, "entropy"),
        LDiversity(2, "recursive", c=3.0, column="ill"),
        PSensitivity(2),
        AlphaKAnonymity(0.8, column="ill"),
        TCloseness(0.4, "equal"),
        BetaLikeness(2.0, "enhanced"),
        DeltaDisclosure(3.0),
    ],
    ids=repr,
)
def test_each_constraint_comes_back(constraint):
    table = people()
    made = anonymizer(constraints=[constraint])
    policy = json.loads(json.dumps(policy_of(made, table)))
    assert anonymizer_of(policy, table).constraints == [constraint]
    pd.testing.assert_frame_equal(again(policy, table), made.fit_transform(table))


@pytest.mark.parametrize(
    "more",
    [
        {"encode": "bounds"},
        {"max_suppression": 0.1, "suppressed": "drop"},
        {"loss": "mi"},
        {"loss": LM()},
        {"algorithm": SequentialAnonymizer(n_init=2)},
        {"algorithm": MondrianAnonymizer(strict=False)},
        {"algorithm": "auto", "effort": "fast", "block_size": 20},
        {"algorithm": "mondrian", "refine": 3},
        {"k": np.int64(4), "random_state": np.int64(3)},
        {"hierarchies": {"age": Subsets(), "visit": Intervals()}},
        {"quasi_identifiers": None, "sensitive": ["ill", "note"]},
    ],
    ids=str,
)
def test_other_parameters_come_back(more):
    table = people()
    made = anonymizer(**more)
    policy = policy_of(made, table)
    assert plain(policy)
    pd.testing.assert_frame_equal(again(policy, table), made.fit_transform(table))


def test_an_algorithms_defaults_are_written_down():
    """They may change in another version, and the release must not."""
    policy = policy_of(anonymizer(algorithm="mondrian"), people())
    own = policy["parameters"]["algorithm_parameters"]
    assert own == {"strict": True, "cut": "median", "ordered": False}
    own["strict"] = False
    made = anonymizer_of(policy, people())
    assert made.algorithm.get_params()["strict"] is False


def test_hierarchies_of_dates_and_numbers_keep_their_types():
    table = people()
    days = sorted(set(table["visit"]))
    calendar = from_nested({"*": {"early": days[:20], "late": days[20:]}})
    ages = from_nested({"*": {"young": list(range(20, 40)), "old": [*range(40, 70)]}})
    made = anonymizer(hierarchies={"visit": calendar, "age": ages})
    policy = policy_of(made, table)
    found = anonymizer_of(json.loads(json.dumps(policy)), table).hierarchies
    assert found["visit"] == calendar and found["age"] == ages
    pd.testing.assert_frame_equal(again(policy, table), made.fit_transform(table))


def test_column_names_that_are_no_text():
    table = people()[["age", "town", "ill"]].set_axis([1, 2, 3], axis=1)
    made = KAnonymizer(3, sensitive=3, random_state=0, algorithm="mondrian")
    pd.testing.assert_frame_equal(
        again(policy_of(made, table), table), made.fit_transform(table)
    )
    dated = table.set_axis([datetime.date(2020, 1, day) for day in (1, 2, 3)], axis=1)
    made.set_params(sensitive=dated.columns[2])
    assert again(policy_of(made, dated), dated).shape == table.shape


def test_a_policy_from_a_file_and_from_text(tmp_path):
    table = people()
    policy = policy_of(anonymizer(algorithm="mondrian"), table)
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy))
    for given in (path, str(path), json.dumps(policy)):
        assert read_policy(given) == policy


# ------------------------------------------------------------------ nothing sensitive


def test_no_record_and_no_sensitive_value_is_in_it():
    made = anonymizer(constraints=[LDiversity(2), TCloseness(0.5)])
    policy = policy_of(made, people())
    text = json.dumps(policy)
    for sensitive in ("-of-person", "2020-0"):
        assert sensitive not in text
    assert "Kiel" in text  # what hierarchies name is in it, and the docs say so
    assert set(policy["versions"]) == set(VERSIONS)


@pytest.mark.parametrize(
    "constraint",
    [
        AlphaKAnonymity(0.8, values=[ILLS[0]]),
        TCloseness(0.5, "hierarchical", hierarchy={"*": ILLS}),
    ],
    ids=["alpha", "t"],
)
def test_constraints_that_name_sensitive_values_are_refused(constraint):
    with pytest.raises(ParameterError, match="names sensitive values"):
        policy_of(anonymizer(constraints=[constraint]), people())


# ------------------------------------------------------------------------- refusals


class Odd(Constraint):
    def __init__(self, value="flu", *, column=None):
        super().__init__(column)
        self.value = value

    def holds(self, counts, attribute):
        return np.ones(len(counts), dtype=bool)


class OwnMondrian(MondrianAnonymizer):
    pass


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"random_state": None}, "nobody could fit the same release again"),
        ({"constraints": [Odd()]}, "names sensitive values in 'value'"),
        ({"constraints": ["l"]}, "cannot hold the constraint 'l'"),
        ({"algorithm": OwnMondrian()}, "cannot hold the algorithm"),
        ({"algorithm": "magic"}, "cannot hold the algorithm 'magic'"),
        ({"loss": LM(weights={"age": 2})}, "cannot hold the loss"),
        ({"loss": 0.5 * LM()}, "cannot hold the loss"),
    ],
    ids=str,
)
def test_what_cannot_be_written_is_refused(more, words):
    with pytest.raises(ParameterError, match=words):
        policy_of(anonymizer(**more), people())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x.drop(columns="job"), "lacks 'job'"),
        (lambda x: x.assign(extra=1), "has 'extra' beside them"),
        (lambda x: x[["age", *x.columns.drop("age")]], "stand in the order"),
        (lambda x: x.assign(age="a"), "'age' held numbers .* text now"),
        (lambda x: x.assign(ill=1), "'ill' held text .* numbers now"),
    ],
)
def test_another_table_is_refused_in_words(change, words):
    policy = policy_of(anonymizer(), people())
    with pytest.raises(ColumnError, match=words):
        anonymizer_of(policy, change(people()))


def test_values_that_no_hierarchy_covers_are_named():
    policy = policy_of(anonymizer(), people())
    other = people()
    other.loc[3, "town"] = "Rome"
    with pytest.raises(HierarchyError, match=r"town.*Rome"):
        anonymizer_of(policy, other).fit(other)


def test_other_versions_are_told():
    policy = policy_of(anonymizer(), people())
    assert other_versions(policy) == ""
    policy["versions"]["skanon"] = "0.0.1"
    del policy["versions"]["numba"]
    told = other_versions(policy)
    assert "skanon 0.0.1 (now " in told and "numba None" in told
    assert "pandas" not in told

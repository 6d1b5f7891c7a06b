"""Broken policies are refused in words, whatever is broken."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("anywidget")

from policies import anonymizer, people

from skanon import KAnonymizer
from skanon.constraints import LDiversity
from skanon.exceptions import AnonymizationError, HierarchyError, ParameterError
from skanon_widgets._studio.policy import anonymizer_of, other_versions, policy_of
from skanon_widgets._studio.policy_checks import read_policy


def broken(**changes):
    policy = policy_of(anonymizer(algorithm="mondrian"), people())
    for path, value in changes.items():
        at = policy
        *above, last = path.split("__")
        for key in above:
            at = at[int(key[1:]) if key[1:].isdigit() else key]
        if value is None:
            del at[last]
        else:
            at[last] = value
    return policy


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({}, "no policy of skanon"),
        (3, "no policy of skanon"),
        ("{broken", "is no JSON"),
        ("nowhere.json", "cannot be read"),
        (broken(format=99), "has the format 99"),
        (broken(versions=None), "lacks 'versions'"),
        (broken(more=1), "has 'more', which is unknown"),
        (broken(parameters__k=None), "lacks 'k'"),
        (broken(columns=3), "'columns' is no list"),
        (broken(columns__n0__role="king"), "the role 'king'"),
        (broken(columns__n0__role=None), "Number 1 of the policy's 'columns'"),
        (broken(hierarchies__n0__column=None), "'hierarchies': it lacks 'column'"),
        (broken(parameters__algorithm="magic"), "the algorithm 'magic'"),
        (broken(parameters__algorithm_parameters={"x": 1}), "has 'x'"),
        (broken(parameters__constraints=[{"type": "Odder"}]), "is unknown"),
        (broken(parameters__constraints=[{"type": "LDiversity"}]), "is broken"),
        (
            broken(parameters__constraints=[{"type": "LDiversity", "l": 2, "x": 3}]),
            "is unknown",
        ),
        (broken(parameters__constraints=[{"type": "LDiversity", "l": 0}]), "l is 0"),
        (broken(parameters__constraints=[7]), "is unknown"),
    ],
)
def test_a_broken_policy_is_refused_in_words(policy, words):
    with pytest.raises(ParameterError, match=words):
        anonymizer_of(policy, people())


HELD = "stands for null"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"versions": "x"}, "'versions' are no dict"),
        ({"parameters": 3}, "parameters: it is no dict, but 3"),
        ({"parameters__constraints": HELD}, "'constraints' are no list"),
        ({"parameters__constraints": [{"type": [1]}]}, "is unknown"),
        ({"parameters__constraints": [{"type": "LDiversity", "l": "x"}]}, "LDiversity"),
        (
            {
                "parameters__constraints": [
                    {"type": "PSensitivity", "p": 2, "column": "x"}
                ]
            },
            "about the column 'x', which is not in the policy",
        ),
        (
            {
                "parameters__constraints": [
                    {"type": "PSensitivity", "p": 2, "column": [1]}
                ]
            },
            r"name in the policy: the value \[1\] is not understood",
        ),
        ({"parameters__k": "5"}, "k of .* is '5', but must be"),
        ({"parameters__k": 0}, "k of .* is 0, but must be"),
        ({"parameters__k": True}, "k of .* is True, but must be"),
        ({"parameters__max_suppression": "x"}, "max_suppression of .* is 'x', but"),
        ({"parameters__random_state": HELD}, "random_state is None"),
        ({"parameters__loss": "foo"}, "'foo'"),
        ({"parameters__encode": "x"}, "encode of .* is 'x', but must be"),
        ({"parameters__algorithm_parameters": HELD}, "it is no dict, but None"),
        (
            {"parameters__algorithm_parameters__cut": "x"},
            "cut of .* is 'x', but must be",
        ),
        (
            {"hierarchies": []},
            r"has hierarchies of \[\], but its quasi-identifiers are",
        ),
        ({"hierarchies__n0__column": "ill"}, r"has hierarchies of \['ill', "),
        ({"hierarchies__n0__column": "town"}, r"has hierarchies of \['town', 'town'"),
        ({"columns__n1__role": "other"}, "quasi-identifiers are"),
        ({"columns__n1__name": "town"}, "names a column twice"),
        ({"columns__n1__name": HELD}, "has no name"),
    ],
    ids=str,
)
def test_broken_parts_of_a_policy_are_told_in_words(changes, words):
    policy = broken(**changes)
    text = json.dumps(policy).replace(json.dumps(HELD), "null")
    with pytest.raises(ParameterError, match=words):
        anonymizer_of(text, people())


def test_a_second_hierarchy_of_a_column_is_told():
    policy = broken()
    policy["hierarchies"].append(policy["hierarchies"][0])
    with pytest.raises(ParameterError, match="Each needs one"):
        anonymizer_of(policy, people())


def places(thing, path=()):
    yield path
    pairs = thing.items() if isinstance(thing, dict) else ()
    pairs = enumerate(thing) if isinstance(thing, list) else pairs
    for key, below in pairs:
        yield from places(below, (*path, key))


def test_whatever_is_broken_is_told_in_words():
    """Something else in any place gives an anonymizer, or a refusal in words."""
    constraint = LDiversity(2, "recursive", c=3.0, column="ill")
    made = anonymizer(constraints=[constraint], algorithm="mondrian")
    table = people()
    whole = json.dumps(policy_of(made, table))
    paths = [path for path in places(json.loads(whole)) if path]
    paths = [path for path in paths if "hierarchy" not in path[:-1]]
    for path in paths:
        for junk in (None, True, -1, 0.5, "x", "", [], [1], {}, {"type": [1]}):
            policy = json.loads(whole)
            *above, last = path
            at = policy
            for key in above:
                at = at[key]
            at[last] = junk
            try:
                assert isinstance(anonymizer_of(policy, table), KAnonymizer)
                other_versions(read_policy(policy))
            except AnonymizationError as error:
                assert str(error) and "Unexpected" not in str(error)
            except Exception as error:
                raise AssertionError(f"{junk!r} in {path}") from error


def test_the_checks_leave_no_trace_in_the_anonymizer():
    made = anonymizer_of(policy_of(anonymizer(), people()), people())
    assert set(vars(made)) == set(vars(KAnonymizer()))


def test_a_broken_hierarchy_names_its_column():
    policy = broken(hierarchies__n1__hierarchy={"type": "forest"})
    with pytest.raises(HierarchyError, match=r"'town'.*'forest' is unknown"):
        anonymizer_of(policy, people())

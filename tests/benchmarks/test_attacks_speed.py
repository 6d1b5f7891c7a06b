"""The time that attacks on a release take."""

import time

import pytest

from skanon import KAnonymizer
from skanon.datasets import load_adult
from skanon.privacy.attacks import inference_attack, linkage_attack

pytestmark = pytest.mark.benchmark

PUBLIC = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
]


@pytest.fixture(scope="module")
def adult():
    people = load_adult()
    hierarchies = {name: people.hierarchies[name] for name in PUBLIC}
    return people.data[PUBLIC].assign(income=people.target), hierarchies


def release_of(table, hierarchies):
    anonymizer = KAnonymizer(
        k=10, algorithm="mondrian", refine=0, hierarchies=hierarchies
    )
    release = anonymizer.fit_transform(table[PUBLIC])
    return release.assign(income=table["income"])


@pytest.mark.parametrize("raw", [False, True], ids=["k = 10", "raw"])
def test_everybody_of_adult_is_linked(adult, raw, record_property):
    table, hierarchies = adult
    release = table if raw else release_of(table, hierarchies)
    start = time.perf_counter()
    found = linkage_attack(table, release, PUBLIC, "income", hierarchies=hierarchies)
    seconds = time.perf_counter() - start
    record_property("seconds", seconds)
    print(f"linkage: {seconds:.2f} s, {found}")
    assert seconds < 3
    assert found.unmatched_share == 0
    assert raw or found.below(10) == 0


def test_a_classifier_learns_from_adult(adult, record_property):
    table, hierarchies = adult
    outside = table.sample(15000, random_state=0)
    inside = table.drop(outside.index)
    release = release_of(inside, hierarchies)
    start = time.perf_counter()
    found = inference_attack(
        inside, release, PUBLIC, "income", holdout=outside, hierarchies=hierarchies
    )
    seconds = time.perf_counter() - start
    record_property("seconds", seconds)
    print(f"inference: {seconds:.2f} s, {found}")
    assert seconds < 30
    assert abs(found.advantage) < 0.03

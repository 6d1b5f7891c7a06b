"""The time that reading a release back takes; every metric begins with it."""

import time

import pytest

from skanon import MondrianAnonymizer
from skanon.datasets import load_adult
from skanon.metrics import discernibility_metric
from skanon.metrics._reading import read_release

pytestmark = pytest.mark.benchmark


@pytest.mark.parametrize("hierarchy", ["defaults", "taxonomies", "subsets"])
def test_reading_adult_takes_half_a_second_at_most(hierarchy):
    adult = load_adult()
    hierarchies = {
        "defaults": None,
        "taxonomies": adult.hierarchies,
        "subsets": dict.fromkeys(adult.data, "subsets"),
    }[hierarchy]
    anonymizer = MondrianAnonymizer(k=10, hierarchies=hierarchies)
    release = anonymizer.fit_transform(adult.data)
    assert len(read_release(adult.data, release, hierarchies)) == len(release)
    start = time.perf_counter()
    discernibility_metric(adult.data, release, hierarchies=hierarchies)
    assert time.perf_counter() - start <= 0.5

"""The time that metrics take: of reading a release back, and of the additive losses."""

import time

import numpy as np
import pytest

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.datasets import load_adult
from skanon.losses._named import LOSSES
from skanon.metrics import discernibility_metric, information_loss
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._inputs import sensitive_codes
from skanon.metrics._reading import read_release

pytestmark = pytest.mark.benchmark

KINDS = ["defaults", "taxonomies", "subsets"]


def given_hierarchies(adult, kind):
    return {
        "defaults": None,
        "taxonomies": adult.hierarchies,
        "subsets": dict.fromkeys(adult.data, "subsets"),
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_reading_adult_back(figures, kind):
    adult = load_adult()
    hierarchies = given_hierarchies(adult, kind)
    anonymizer = MondrianAnonymizer(k=10, hierarchies=hierarchies)
    release = anonymizer.fit_transform(adult.data)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        discernibility_metric(adult.data, release, hierarchies=hierarchies)
        seconds.append(time.perf_counter() - start)
    figures(
        "Reading a release of Adult, 45,222 x 14, and measuring DM, best of 3",
        ["hierarchies", "seconds", "limit"],
        [kind, f"{min(seconds):.2f}", 0.5],
    )
    assert min(seconds) <= 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_all_additive_losses_of_adult(figures, kind):
    """Read once, sum up once; then each loss is a dot product."""
    adult = load_adult()
    hierarchies = given_hierarchies(adult, kind)
    anonymizer = KAnonymizer(
        k=10, algorithm="mondrian", refine=0, hierarchies=hierarchies
    )
    release = anonymizer.fit_transform(adult.data)
    seconds, reading = [], []
    for _ in range(3):
        start = time.perf_counter()
        read = read_release(adult.data, release, None, hierarchies)
        reading.append(time.perf_counter() - start)
        sensitive = sensitive_codes(adult.target, read)
        losses = AdditiveLosses(read, np.ones(len(read)), sensitive)
        found = [losses.loss(loss()) for loss in LOSSES.values()]
        found.append(losses.sensitive_information().mean())
        seconds.append(time.perf_counter() - start)
    assert found[0] == pytest.approx(anonymizer.information_loss_)
    figures(
        "All additive losses of a release of Adult, 45,222 x 14, best of 3",
        ["hierarchies", "seconds", "of which reading", "limit"],
        [kind, f"{min(seconds):.2f}", f"{min(reading):.2f}", 1.0],
    )
    assert min(seconds) <= 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_one_additive_metric_of_adult(figures, kind):
    adult = load_adult()
    hierarchies = given_hierarchies(adult, kind)
    anonymizer = KAnonymizer(
        k=10, algorithm="mondrian", refine=0, hierarchies=hierarchies
    )
    release = anonymizer.fit_transform(adult.data)
    given = {"hierarchies": hierarchies, "y": adult.target, "loss": "pmi"}
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        information_loss(adult.data, release, **given)
        seconds.append(time.perf_counter() - start)
    figures(
        "PMI of a release of Adult, 45,222 x 14, best of 3",
        ["hierarchies", "seconds", "limit"],
        [kind, f"{min(seconds):.2f}", 0.5],
    )
    assert min(seconds) <= 0.5

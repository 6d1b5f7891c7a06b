"""Figures 1 to 3 of Goldberger & Tassa (2010): five algorithms on Adult, 14 columns.

The figures' numbers are not printed; what the text says of their order is asserted.
"""

import time

import pytest

from skanon import (
    AgglomerativeAnonymizer,
    HilbertAnonymizer,
    KAnonymizer,
    KMemberAnonymizer,
    MondrianAnonymizer,
    SequentialAnonymizer,
)
from skanon.datasets import load_adult

pytestmark = pytest.mark.benchmark

ALGORITHMS = {
    "sequential": SequentialAnonymizer,
    "agglomerative": AgglomerativeAnonymizer,
    "k-member": KMemberAnonymizer,
    "Mondrian": MondrianAnonymizer,
    "Hilbert": HilbertAnonymizer,
    "default": KAnonymizer,
}


@pytest.fixture(scope="module")
def adult():
    frame = load_adult().data
    for name in ALGORITHMS:  # load the compiled kernels
        fit(name, frame[:200], 5)
    return frame


def fit(name, frame, k):
    anonymizer = ALGORITHMS[name](
        k,
        hierarchies=dict.fromkeys(frame.columns, "suppression"),
        random_state=0,
    )
    start = time.perf_counter()
    anonymizer.fit(frame)
    return anonymizer.information_loss_, time.perf_counter() - start


@pytest.mark.parametrize("k", [10, 50, 100])
def test_utility_and_runtime(adult, figures, k):
    found = {name: fit(name, adult, k) for name in ALGORITHMS}
    cells = [f"{loss:.4f} ({seconds:.1f} s)" for loss, seconds in found.values()]
    figures("Figures 1 and 2: LM and time by k", ["k", *ALGORITHMS], [k, *cells])
    clustering = [found[name][0] for name in list(ALGORITHMS)[:3]]
    assert found["default"][0] < min(clustering)
    assert max(clustering) < min(found["Mondrian"][0], found["Hilbert"][0])


@pytest.mark.parametrize("n", [5000, 15000, 45222])
def test_scalability(adult, figures, n):
    extract = adult.sample(n, random_state=0)
    found = [fit(name, extract, 50) for name in ALGORITHMS]
    cells = [f"{seconds:.2f} s" for _, seconds in found]
    figures(
        "Figure 3: time by number of records, k = 50", ["n", *ALGORITHMS], [n, *cells]
    )

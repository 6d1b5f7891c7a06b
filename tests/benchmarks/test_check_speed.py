"""The time that checking a release takes; it is spent after every fit."""

import time

import numpy as np
import pandas as pd
import pytest

from skanon.datasets import load_adult
from skanon.privacy import k_anonymity

pytestmark = pytest.mark.benchmark


def best_of_3(frame):
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        k_anonymity(frame)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@pytest.mark.parametrize(
    ("name", "limit"), [("Adult, 45,222 x 14, text", 0.5), ("5 million x 5", 20.0)]
)
def test_k_anonymity(figures, name, limit):
    if name.startswith("Adult"):
        frame = load_adult().data.astype(str)
    else:
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.integers(0, 50, size=(5_000_000, 5)))
    seconds = best_of_3(frame)
    figures(
        "Achieved k of a table, best of 3",
        ["table", "seconds", "limit"],
        [name, f"{seconds:.2f}", limit],
    )
    assert seconds <= limit

"""How long records generalized one by one take."""

import time

import numpy as np
import pytest

from skanon import GlobalOneKAnonymizer, KKAnonymizer
from skanon.datasets import load_adult

pytestmark = pytest.mark.benchmark

QUASI = [
    "age", "workclass", "education-num", "marital-status", "occupation", "race", "sex",
    "native-country",
]  # fmt: skip


def test_speed_and_memory(figures):
    adult = load_adult().data[QUASI]
    some = adult.sample(5000, random_state=0)
    KKAnonymizer(10).fit(some)  # compiles
    GlobalOneKAnonymizer(10).fit(some[:200])
    limits = {
        "(k, k), 5,000": (KKAnonymizer(10), some, 5),
        "global (1, k) with it, 5,000": (GlobalOneKAnonymizer(10), some, 10),
        "(k, k), 45,222": (KKAnonymizer(10), adult, 300),
    }
    for name, (anonymizer, frame, limit) in limits.items():
        start = time.perf_counter()
        anonymizer.fit(frame)
        took = time.perf_counter() - start
        figures(
            "Records generalized one by one, Adult, 8 quasi-identifiers, k = 10",
            ["what", "seconds", "limit", "LM"],
            [name, f"{took:.2f}", limit, f"{anonymizer.information_loss_:.4f}"],
        )
        assert took < limit
        assert np.isfinite(anonymizer.information_loss_)

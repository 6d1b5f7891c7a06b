"""Table 2 of Goldberger & Tassa (2010): Adult, 14 attributes, suppression, LM."""

import time

import numpy as np
import pytest

from skanon import KAnonymizer, SequentialAnonymizer
from skanon.datasets import load_adult

PAPER = {10: 0.302, 20: 0.340, 30: 0.364, 40: 0.380, 50: 0.394, 60: 0.419, 100: 0.439}
"""The paper's averages of ten runs."""

BEST = {10: 0.298, 20: 0.338, 30: 0.361, 40: 0.378, 50: 0.390, 60: 0.416, 100: 0.433}
"""The best of its ten runs."""

WANTED = {"fast": "", "default": "0.92 in 30 s", "high": "0.85 in 600 s"}
"""What the default call was to reach, beside the best."""

SEEDS = (0, 1, 2)

pytestmark = pytest.mark.benchmark


@pytest.fixture(scope="module")
def adult():
    return load_adult().data


def losses(adult, k, **parameters):
    hierarchies = dict.fromkeys(adult.columns, "suppression")
    return [
        SequentialAnonymizer(
            k=k, hierarchies=hierarchies, random_state=seed, **parameters
        )
        .fit(adult)
        .information_loss_
        for seed in SEEDS
    ]


@pytest.mark.parametrize("k", PAPER)
def test_average_loss_is_within_three_percent(adult, figures, k):
    found = losses(adult, k)
    mean = np.mean(found)
    figures(
        "LM of sequential clustering, averages (paper: 10 runs, ours: 3 seeds)",
        ["k", "paper", "ours", "least", "most", "ours / paper"],
        [
            k,
            f"{PAPER[k]:.3f}",
            f"{mean:.4f}",
            f"{min(found):.4f}",
            f"{max(found):.4f}",
            f"{mean / PAPER[k]:.3f}",
        ],
    )
    assert mean <= 1.03 * PAPER[k]


@pytest.mark.parametrize("effort", WANTED)
@pytest.mark.parametrize("k", BEST)
def test_the_engine_loses_less(adult, figures, k, effort):
    hierarchies = dict.fromkeys(adult.columns, "suppression")
    given = {"effort": effort, "hierarchies": hierarchies, "random_state": 0}
    KAnonymizer(k, **given).fit(adult[:500])  # loads the kernels
    start = time.perf_counter()
    fitted = KAnonymizer(k, **given).fit(adult)
    seconds = time.perf_counter() - start
    figures(
        "LM of KAnonymizer beside the best of the paper's ten runs, two processors",
        ["k", "effort", "paper", "ours", "ours / paper", "seconds", "wanted"],
        [
            k,
            effort,
            f"{BEST[k]:.3f}",
            f"{fitted.information_loss_:.4f}",
            f"{fitted.information_loss_ / BEST[k]:.3f}",
            f"{seconds:.1f}",
            WANTED[effort],
        ],
    )
    assert fitted.information_loss_ < BEST[k]


@pytest.mark.parametrize("k", (10, 50, 100))
def test_splitting_at_once_against_after_each_pass(adult, figures, k):
    at_once = np.mean(losses(adult, k, split="at_once"))
    after = np.mean(losses(adult, k, split="after_pass"))
    figures(
        "LM by when clusters above omega k are split, average of 3 seeds",
        ["k", "paper's average", "at once", "after each pass"],
        [k, f"{PAPER[k]:.3f}", f"{at_once:.4f}", f"{after:.4f}"],
    )
    assert at_once < 1.03 * after

"""Ctrl+C during a fit: how long until it is heard, and that nothing stays fitted."""

import os
import signal
import threading
import time

import pytest
from algorithms import ALGORITHMS

from skanon import KAnonymizer
from skanon.datasets import load_adult

pytestmark = pytest.mark.benchmark

DELAYS = (0.3, 1.5, 4.0, 10.0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("loss", ["lm", "entropy"])
def test_ctrl_c_is_heard_within_a_second(figures, algorithm, loss):
    adult = load_adult().data
    anonymizer = KAnonymizer(
        10, algorithm=algorithm, refine=0, loss=loss, random_state=0
    )
    anonymizer.fit(adult[:300])  # loads the kernels
    waits = []
    for delay in DELAYS:
        sent = []

        def send(sent=sent):
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(delay, send)
        timer.start()
        try:
            anonymizer.fit(adult)
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - sent[0])
            assert not hasattr(anonymizer, "labels_")
        else:
            timer.cancel()
            break
    shown = ", ".join(f"{wait:.2f}" for wait in waits) or "done before"
    figures(
        f"Seconds from Ctrl+C to its end, after {DELAYS} s",
        ["algorithm", "loss", "seconds"],
        [algorithm, loss, shown],
    )
    assert max(waits, default=0) < 1

"""The processes of the widgets: how they end, what they leave, what is said of it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import LIMIT
from sweep_probes import helper, is_gone, people, probed, wait_for

from skanon import KAnonymizer
from skanon.exceptions import ParameterError
from skanon_widgets._risk_utility_explorer.plan import make_plan
from skanon_widgets._risk_utility_explorer.sweep import Sweep
from skanon_widgets._shared.process import Worker, in_words
from skanon_widgets._studio.background import Background

QUICK = KAnonymizer(3, algorithm="mondrian", random_state=0)
SLOW = KAnonymizer(5, algorithm="agglomerative", random_state=0)


class Unreadable:
    """Can be sent, but not be read."""

    def __reduce__(self):
        return int, ("no number",)


class Helped:
    """Starts another process where it is read."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return subprocess.Popen, (helper(self.folder),)


@pytest.fixture
def begin():
    """Give what makes a background, which is closed in the end."""
    made = []

    def begin(table, listen=lambda: None):
        made.append(Background(table, listen))
        return made[-1]

    yield begin
    for background in made:
        background.close()


def large():
    rng = np.random.RandomState(0)
    return pd.DataFrame({f"x{i}": rng.rand(6000) for i in range(6)})


def ended(background):
    assert background.wait(LIMIT)
    return background.state, background.said


# ------------------------------------------------------------- what cannot be sent


def test_a_table_that_cannot_be_sent_is_told(begin):
    X, _ = people()
    background = begin(X.assign(what=[lambda: 0] * len(X)))
    for _ in range(2):  # and the next attempt is an attempt
        background.start(QUICK)
        state, said = ended(background)
        assert state == "failed"
        assert said.startswith("The table cannot be sent to another process: ")
        assert "lambda" in said and background._worker is None


def test_an_anonymizer_that_cannot_be_sent_is_refused(begin):
    background = begin(people()[0])
    with pytest.raises(ParameterError, match="anonymizer cannot be sent"):
        background.start(KAnonymizer(3, hierarchies={"age": lambda: 0}))
    assert background.state == "ready" and background.wait(0)
    background.start(QUICK)
    assert ended(background) == ("done", "")


def test_a_table_that_cannot_be_read_is_told_with_its_error(begin):
    background = begin([Unreadable()])
    background.start(QUICK)
    state, said = ended(background)
    assert state == "failed" and "memory" not in said
    assert "(ValueError: invalid literal for int() with base 10: 'no number')" in said


# ------------------------------------------------------------------ the last words


def test_last_words_are_told_and_memory_is_guessed_only_without_any():
    X, _ = people()
    one = [(np.arange(40), np.arange(40, 60))]
    grid = {"probe__how": ["exit", "killed", "die", "nothing"]}
    plan = make_plan(probed(), X, k=[2], param_grid=grid, cv=one)
    sweep = Sweep(plan, X)
    sweep.start()
    assert sweep.wait(LIMIT)
    left, killed, silent, fine = (sweep.problems(i) for i in range(4))
    begin = "Failed in 1 of 1 fits: The process of this fit ended before it was done "
    assert left == [begin + "(SystemExit: the probe left)."]
    perhaps = " Perhaps the memory was too small; a smaller n_jobs needs less."
    assert killed == [f"{begin}(exit code -9).{perhaps}"]
    assert silent == [f"{begin}(exit code 3).{perhaps}"]
    assert fine == []


def test_errors_in_words():
    assert in_words(ParameterError("no such k")) == "no such k"
    assert in_words(KeyError("k")) == "Unexpected: KeyError: 'k'"
    assert in_words(OSError(), "") == "OSError: no words were given"


# ------------------------------------------------------------------ nobody waits


def test_cancel_does_not_wait_for_who_listens(begin):
    reached, go_on = threading.Event(), threading.Event()

    def listen():
        worker = background._worker
        if worker is not None and threading.current_thread() is worker._ears:
            reached.set()
            go_on.wait(LIMIT)

    background = begin(large(), listen)
    background.start(SLOW)
    assert reached.wait(LIMIT)
    process = background._worker._process
    began = time.monotonic()
    background.cancel()
    assert time.monotonic() - began < 3
    assert process.poll() is not None and background.wait(0)
    go_on.set()


def lose(background):
    background._worker._process.kill()
    assert background.wait(LIMIT)


@pytest.mark.parametrize(
    "end", [Background.cancel, Background.close, Background._rest, lose]
)
def test_no_process_is_waited_for_with_the_lock(begin, monkeypatch, end):
    background = begin(large())
    if end is Background._rest:
        background.prepare()
    else:
        background.start(SLOW)
    free = []

    def close(worker):
        def look():
            free.append(background._lock.acquire(timeout=1))
            if free[-1]:
                background._lock.release()

        looks = threading.Thread(target=look)
        looks.start()
        looks.join()
        closed(worker)

    closed = Worker.close
    monkeypatch.setattr(Worker, "close", close)
    end(background)
    assert free and all(free)


# ------------------------------------------------------------------ nothing is left


def test_a_forgotten_background_ends_its_process_after_a_fit():
    background = Background(people()[0], lambda: None)
    background.start(QUICK)
    assert ended(background) == ("done", "")
    process = background._worker._process
    assert process.poll() is None
    del background
    end = time.monotonic() + 30  # the thread of the fit may be about to end
    while process.poll() is None and time.monotonic() < end:
        gc.collect()
        time.sleep(0.05)
    assert process.poll() is not None


def test_what_a_background_has_started_ends_with_it(begin, tmp_path):
    background = begin([Helped(str(tmp_path))])
    background.prepare()
    (helped,) = wait_for(tmp_path, 1)
    assert not is_gone(helped, within=0.2)
    background.close()
    assert is_gone(helped)


def test_what_a_fit_has_started_ends_with_a_sweep_that_is_cancelled(tmp_path):
    X, _ = people()
    estimator = probed(how="helped", sleep=600.0, pids=str(tmp_path))
    sweep = Sweep(make_plan(estimator, X, k=[2]), X)
    sweep.start()
    both = wait_for(tmp_path, 2)
    sweep.cancel()
    assert all(is_gone(process) for process in both)


def test_what_a_fit_has_started_ends_with_its_process(tmp_path):
    X, _ = people()
    estimator = probed(how="die_helped", pids=str(tmp_path))
    one = [(np.arange(40), np.arange(40, 60))]
    sweep = Sweep(make_plan(estimator, X, k=[2], cv=one), X)
    began = time.monotonic()
    sweep.start()
    assert sweep.wait(LIMIT) and "exit code 3" in sweep.problems(0)[0]
    assert time.monotonic() - began < LIMIT / 2
    assert all(is_gone(process) for process in wait_for(tmp_path, 2))


@pytest.mark.parametrize("last", ["pass", "os.kill(os.getpid(), 9)"])
def test_what_a_fit_has_started_ends_with_python(tmp_path, last):
    script = f"""
        import os, sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from sweep_probes import people, probed, wait_for
        from skanon_widgets._risk_utility_explorer.sweep import Sweep
        from skanon_widgets._risk_utility_explorer.plan import make_plan

        X, _ = people()
        estimator = probed(how="helped", sleep=600.0, pids={str(tmp_path)!r})
        Sweep(make_plan(estimator, X, k=[2]), X).start()
        wait_for({str(tmp_path)!r}, 2)
        {last}
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(command, timeout=LIMIT)
    assert all(is_gone(process) for process in wait_for(tmp_path, 2))

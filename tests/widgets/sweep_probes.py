"""Tables, and a step of a pipeline that misbehaves in the ways that fits do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from skanon import MondrianAnonymizer


def people(n=60, seed=0):
    """A small table, and a sensitive attribute that depends on it."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Bern", "Bonn", "Ulm"], n),
        }
    )
    y = pd.Series(np.where(X["age"] + rng.normal(0, 15, n) > 50, "ill", "well"))
    return X, y


class Probe(TransformerMixin, BaseEstimator):
    """Does what it is told in ``fit``, and hands the table on.

    ``how`` is "warn", "raise", "raise_on_first" (in the folds that train on the row
    labelled 0), "die", "exit" (with words), "killed" (from outside), "print", "config",
    "helped" (by another process that it starts), "die_helped" or "nothing". ``sleep``
    is in seconds; the numbers of the processes are noted in the folder ``pids``.
    """

    def __init__(self, how="nothing", sleep=0.0, pids=None):
        self.how = how
        self.sleep = sleep
        self.pids = pids

    def fit(self, X, y=None):
        if self.pids is not None:
            (Path(self.pids) / str(os.getpid())).touch()
        if self.how == "warn":
            warnings.warn("beware of\n   the probe", UserWarning, stacklevel=1)
            warnings.warn("only for developers", DeprecationWarning, stacklevel=1)
        if self.how == "raise" or (self.how == "raise_on_first" and 0 in X.index):
            raise RuntimeError("the probe broke")
        if "helped" in self.how:
            subprocess.Popen(helper(self.pids))
            wait_for(self.pids, 2)
        if "die" in self.how:
            os._exit(3)
        if self.how == "exit":
            print("not the last words", file=sys.stderr)
            sys.exit("the probe left")
        if self.how == "killed":
            print("not the reason", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "print":
            print("x" * 100_000, flush=True)
            os.write(1, b"y" * 100)
        if self.how == "config" and get_config()["transform_output"] != "pandas":
            raise RuntimeError("the configuration was left behind")
        time.sleep(self.sleep)
        return self

    def transform(self, X):
        return X


def probed(**parameters):
    """A pipeline of a probe and an anonymizer."""
    steps = [("probe", Probe(**parameters)), ("anonymize", MondrianAnonymizer(k=3))]
    return Pipeline(steps)


def processes(folder):
    """The processes that noted themselves."""
    return [int(path.name) for path in Path(folder).iterdir()]


def helper(folder):
    """The command of a process that notes its number and goes on for long."""
    return ["sh", "-c", 'touch "$0/$$"; exec sleep 600', str(folder)]


def wait_for(folder, n, within=60.0):
    """Wait until so many processes have noted themselves, and give them."""
    end = time.monotonic() + within
    while len(processes(folder)) < n and time.monotonic() < end:
        time.sleep(0.02)
    assert len(processes(folder)) == n
    return processes(folder)


def is_gone(process, within=10.0):
    """Wait until a process has ended; a zombie has, too."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return True
        if state[0] == "Z":
            return True
        time.sleep(0.05)
    return False

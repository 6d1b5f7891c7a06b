"""The same seed gives the same release in any process, thread, hash order and engine.

Run as a script, it prints a digest of each release.
"""

import hashlib
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from joblib import Parallel, delayed

from skanon import KAnonymizer, KKAnonymizer, NonHomogeneousAnonymizer
from skanon.constraints import LDiversity


def people(n=40):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "town": rng.choice(["Ulm", "Kiel", "Bonn", None], n),
            "income": rng.integers(1, 40, n) * 0.1,
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )
    return frame.astype({"town": "category"})


def anonymizers():
    given = {"hierarchies": {"town": "subsets"}, "random_state": 3}
    private = {"sensitive": "ill", "constraints": [LDiversity(1.5)], "n_jobs": 2}
    for name in ("auto", *sorted(ALGORITHMS)):
        yield name, KAnonymizer(3, algorithm=name, **given, **private)
    hiding = {"max_suppression": 0.3, "suppressed": "drop", "refine": 0}
    yield "drop", KAnonymizer(3, algorithm="forest", **given, **private, **hiding)
    yield "kk", KKAnonymizer(3, **given)
    yield "cycle", NonHomogeneousAnonymizer(3, **given)


def digest(anonymizer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = anonymizer.fit_transform(people())
    told = release.to_csv() + repr(anonymizer.information_loss_)
    return hashlib.sha256(told.encode()).hexdigest()


def digests():
    return {name: digest(anonymizer) for name, anonymizer in anonymizers()}


@pytest.fixture(scope="module")
def expected():
    return digests()


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "4242"},
        {"NUMBA_DISABLE_JIT": "1"},
        {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    ],
    ids=lambda environment: "-".join(environment),
)
def test_in_another_process(environment, expected):
    told = subprocess.run(
        [sys.executable, __file__],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout) == expected


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_side_by_side(backend, expected):
    names, made = zip(*anonymizers(), strict=True)
    found = Parallel(n_jobs=2, backend=backend)(delayed(digest)(x) for x in made)
    assert dict(zip(names, found, strict=True)) == expected


if __name__ == "__main__":
    sys.stdout.write(json.dumps(digests()))

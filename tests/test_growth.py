"""The work of a fit grows as it should: counted, never timed."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import counted
import pytest

MOST = {
    "auto": 1.3,  # in blocks
    "hilbert": 1.2,
    "mondrian": 1.5,
    "bisecting": 1.5,
    "top_down": 1.6,
    "k_member": 1.8,
    "one_pass_k_means": 1.8,
    "threshold_greedy": 1.9,
    "forest": 1.8,
    "agglomerative": 1.95,
    "bottom_up": 2.0,
    "sequential": 2.1,
    "weighted_c_means": 2.6,  # all clusters for all records, in each pass
}
"""The work may grow with such a power of the number of records."""


@pytest.fixture(scope="module")
def found():
    """Run in a process of its own, where kernels are plain Python."""
    done = subprocess.run(
        [sys.executable, str(Path(counted.__file__))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_all_are_looked_at():
    assert set(MOST) == set(counted.CASES)


@pytest.mark.parametrize("name", sorted(MOST))
def test_the_work_grows_as_it_should(found, name):
    small, large = found[name]
    power = math.log(large / small) / math.log(counted.SIZES[1] / counted.SIZES[0])
    assert 0 < power <= MOST[name]

"""The time that ``skanon demo`` takes, with and without its first compilation."""

import os
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.benchmark


@pytest.mark.parametrize("kernels", ["compiled anew", "from the cache"])
def test_the_demo(figures, tmp_path_factory, kernels):
    cache = tmp_path_factory.getbasetemp() / "kernels"
    cache.mkdir(exist_ok=True)
    begun = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "skanon", "demo"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
    )
    seconds = time.perf_counter() - begun
    assert "45,222 people" in ran.stdout
    figures(
        "`skanon demo`, two cores",
        ["kernels", "seconds", "limit"],
        [kernels, f"{seconds:.0f}", 90],
    )
    assert seconds < 90

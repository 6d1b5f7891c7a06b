"""How kernels are compiled where something that numba may offer is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import skanon
from skanon.kernels import jit


def first_of(values):
    return values[0]


class Bare:
    """Options of a numba that always counts references."""


def test_helpers_do_without_the_private_option(monkeypatch):
    monkeypatch.setattr(jit, "DefaultOptions", Bare)
    assert jit.helper(first_of)(np.array([3, 4])) == 3


def test_kernels_do_without_a_folder_for_machine_code(monkeypatch):
    njit = numba.njit

    def refuse(function, *, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(function, **options)

    monkeypatch.setattr(jit.numba, "njit", refuse)
    assert jit.kernel(first_of)(np.array([3, 4])) == 3


def test_other_failures_of_numba_are_told(monkeypatch):
    def fail(function, **options):
        raise ValueError("something else")

    monkeypatch.setattr(jit.numba, "njit", fail)
    with pytest.raises(ValueError, match="something else"):
        jit.kernel(first_of)


SUM = """
import numpy as np
from skanon.kernels.core.probe import total
print(total(np.arange(4)))
"""
PROBE = """
from skanon.kernels.core.inner import one
from skanon.kernels.jit import kernel

@kernel
def total(values):
    result = 0
    for value in values:
        result += one(value)
    return result
"""
INNER = """
from skanon.kernels.jit import helper

@helper
def one(value):
    return value * {factor}
"""


def test_an_edit_of_what_a_kernel_inlines_is_seen(tmp_path):
    package = tmp_path / "skanon"
    for name in ("__init__.py", "kernels/__init__.py", "kernels/core/__init__.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    own = Path(skanon.__file__).parent / "kernels" / "jit.py"
    shutil.copy(own, package / "kernels" / "jit.py")
    (package / "kernels/core/probe.py").write_text(PROBE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    found, written = [], []
    for factor in (1, 1, 10):
        (package / "kernels/core/inner.py").write_text(INNER.format(factor=factor))
        ran = subprocess.run(
            [sys.executable, "-c", SUM],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(int(ran.stdout))
        kept = (package / "kernels/core/__pycache__").glob("*.nb[ci]")
        written.append({path: path.stat().st_mtime_ns for path in kept})
    assert found == [6, 6, 60]
    if not numba.config.DISABLE_JIT:
        assert written[0] and written[0] == written[1]  # it was read, not made again
        assert written[2].keys() == written[0].keys()  # and the old one is gone

"""How kernels are compiled where something that numba may offer is missing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.bytecode import FunctionIdentity

import skanon
from skanon.kernels import jit


def first_of(values):
    return values[0]


class Bare:
    """Options of a numba that always counts references."""


def test_helpers_do_without_the_sensitive_option(monkeypatch):
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


ENDED = """
import os
from pathlib import Path
Path.replace = lambda *_: os._exit(0)
"""


@pytest.fixture
def run(tmp_path):
    """Set the factor of a package of one kernel, and sum 0, 1, 2, 3 with it."""
    package = tmp_path / "skanon"
    for name in ("__init__.py", "kernels/__init__.py", "kernels/core/__init__.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    own = Path(skanon.__file__).parent / "kernels" / "jit.py"
    shutil.copy(own, package / "kernels" / "jit.py")
    (package / "kernels/core/probe.py").write_text(PROBE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)

    def call(factor, before=""):
        (package / "kernels/core/inner.py").write_text(INNER.format(factor=factor))
        return subprocess.run(
            [sys.executable, "-c", before + SUM],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    return call


def test_compiling_for_a_second_is_told_once_for_a_machine(tmp_path):
    code = """
import pandas as pd
from skanon import HilbertAnonymizer
HilbertAnonymizer(2).fit(pd.DataFrame({"age": [20, 21, 40, 41]}))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def told(before=""):
        return subprocess.run(
            [sys.executable, "-c", before + code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stderr

    line = "[skanon] compiling kernels, once for this machine\n"
    quiet = "import logging; logging.getLogger('skanon').setLevel('ERROR')"
    assert told() == ("" if numba.config.DISABLE_JIT else line)
    assert told() == ""
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "other")
    assert told(quiet) == ""


def kept(tmp_path):
    paths = (tmp_path / "skanon/kernels/core/__pycache__").glob("*.nb[ci]")
    return {path.name: path.stat().st_mtime_ns for path in paths}


def test_an_edit_of_what_a_kernel_inlines_is_seen(run, tmp_path):
    found, written = [], []
    for factor in (1, 1, 10):
        found.append(run(factor))
        written.append(kept(tmp_path))
    assert found == ["6", "6", "60"]
    if not numba.config.DISABLE_JIT:
        assert written[0] and written[0] == written[1]  # it was read, not made again
        assert len(written[2]) == len(written[0])  # and the old one is gone
        assert not written[2].keys() & written[0].keys()


def test_a_process_that_ends_while_it_keeps_code_leaves_no_old_code(run):
    assert run(1) == "6"
    ended = run(10, ENDED)
    assert ended == ("60" if numba.config.DISABLE_JIT else "")
    assert [run(10), run(10)] == ["60", "60"]


FULL = """
import errno
from pathlib import Path
def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")
Path.write_bytes = full
"""


def test_a_full_disk_costs_no_result(run, tmp_path):
    assert run(1, FULL) == "6"
    assert not kept(tmp_path)
    assert run(1) == "6"


@pytest.mark.parametrize("damage", ["empty", "cut off", "flipped"])
def test_damaged_machine_code_is_made_anew(run, tmp_path, damage):
    assert run(1) == "6"
    before = kept(tmp_path)
    for path in tmp_path.rglob("*.nbc"):
        content = path.read_bytes()
        cut = {"empty": b"", "cut off": content[: len(content) // 2]}
        flipped = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
        path.write_bytes(cut.get(damage, flipped))
    assert [run(1), run(1)] == ["6", "6"]
    assert kept(tmp_path).keys() == before.keys()


def test_machine_code_is_that_of_its_signature(tmp_path):
    one, other = (jit._MachineCode(str(tmp_path), "total") for _ in range(2))
    assert one.load("floats") is None
    one.save("floats", 1)
    other.save("integers", 2)
    assert [one.load("floats"), one.load("integers")] == [1, 2]
    paths = sorted(tmp_path.iterdir())
    assert [path.suffix for path in paths] == [".nbc"] * 2  # and no index of them
    shutil.copy(*paths)
    found = {one.load("floats"), one.load("integers")}
    assert found in ({1, None}, {2, None})  # and never the other's
    one.flush()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_no_two_processes_give_functions_the_same_names(run, tmp_path):
    numbers = []
    for factor in (1, 10):
        run(factor)
        found = [
            re.findall(rb"_ZN\w+?B\d+v(\d+)", path.read_bytes())
            for path in (tmp_path / "skanon/kernels/core/__pycache__").glob("*.nbc")
        ]
        numbers.append({int(number) for own in found for number in own})
    assert numbers[0] and not numbers[0] & numbers[1]
    code = "print(next(FunctionIdentity._unique_ids), flush=True)"
    before = next(FunctionIdentity._unique_ids)
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os\nfrom numba.core.bytecode import FunctionIdentity\n"
            f"from skanon.kernels import jit\n{code}\nif os.fork() == 0:\n    {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert len({before, *map(int, told)}) == 3

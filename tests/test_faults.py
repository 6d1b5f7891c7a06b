"""Out of memory, no home, killed: no half release, and the next run works."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skanon.hierarchies import read_json

ROOT = Path(__file__).parents[1]

FIT = """
import numpy as np, pandas as pd
from skanon import KAnonymizer
from skanon.privacy import check_release
rng = np.random.default_rng(0)
def people(n):
    towns = rng.choice(list("abc"), n)
    return pd.DataFrame({"age": rng.integers(0, 90, n), "town": towns})
def fit(n, **options):
    made = KAnonymizer(5, algorithm="mondrian", random_state=0, **options)
    released = made.fit_transform(people(n))
    check_release(released, k=5)
    return made
"""


def surroundings(folder):
    inherited = {x: v for x, v in os.environ.items() if not x.startswith("NUMBA_")}
    return {**inherited, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}


def python(code, folder, **options):
    command = [sys.executable, "-P", "-W", "error", "-c", FIT + code]
    return subprocess.Popen(
        command,
        env={**surroundings(folder), **options},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process):
    said, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained
    return said


def test_neither_a_home_nor_a_place_for_machine_code(tmp_path):
    shutil.copytree(
        ROOT / "skanon", tmp_path / "skanon", ignore=lambda *_: ["__pycache__"]
    )
    for folder in (tmp_path / "skanon").rglob("*"):
        if folder.is_dir():
            (folder / "__pycache__").write_text("")  # so that it is no folder
    nowhere = tmp_path / "a file" / "in it"
    nowhere.parent.write_text("")
    places = ["HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"]
    own = {**dict.fromkeys(places, str(nowhere)), "PYTHONPATH": str(tmp_path)}
    assert answer(python("print(len(fit(100).labels_))", nowhere, **own)) == "100\n"
    assert not list(tmp_path.rglob("*.nbc"))


def test_two_processes_that_compile_at_once(tmp_path):
    code = "print(fit(300).labels_.tolist())"
    both = [python(code, tmp_path) for _ in range(2)]
    first, second = map(answer, both)
    assert first == second == answer(python(code, tmp_path))
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_out_of_memory(tmp_path):
    code = """
import gc, resource
fit(100)
table = people(2_000_000)
made = KAnonymizer(5, algorithm="mondrian")
with open("/proc/self/statm") as stream:
    now = int(stream.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 50_000_000, resource.RLIM_INFINITY))
try:
    made.fit(table)
except MemoryError:
    print("no memory")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
gc.collect()
print([name for name in vars(made) if name.endswith("_") or name.startswith("_")])
try:
    made.transform(table)
except Exception as error:
    print(type(error).__name__)
print(len(made.fit(table).labels_))
"""
    said = answer(python(code, tmp_path)).split("\n")
    assert said[0] == "no memory"
    assert said[2:4] == ["NotFittedError", "2000000"]


def test_killed_while_machine_code_is_kept(tmp_path):
    rng = random.Random(0)
    code = "print(fit(100).labels_.size)"
    for _ in range(2):
        process = python(code, tmp_path)
        time.sleep(2 + 3 * rng.random())
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    assert answer(python(code, tmp_path)).strip() == "100"


def test_killed_while_files_are_written(tmp_path):
    rng = random.Random(0)
    path = tmp_path / "towns.json"
    code = """
import sys
from skanon.hierarchies import from_parents, write_json
from itertools import count
trees = [
    from_parents({f"{x}{i}": "*" for i in range(20_000)}) for x in ("old", "new")
]
write_json(trees[0], sys.argv[1])
print("begun", flush=True)
for at in count():
    write_json(trees[at % 2], sys.argv[1])
"""
    for _ in range(5):
        command = [sys.executable, "-P", "-c", code, str(path)]
        env = surroundings(tmp_path)
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3 * rng.random())
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        assert repr(read_json(path)).startswith("Taxonomy(20000 values")
    others = [x for x in tmp_path.iterdir() if x.name.startswith(".towns.json.")]
    assert all(x.stat().st_mode & 0o777 in (0o600, 0o644) for x in others)

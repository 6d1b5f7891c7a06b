"""What the first fit on a machine takes, kernels compiled, for each algorithm.

``python tests/benchmarks/cold_start.py [--functions] [algorithm ...]`` prints a table;
each fit has a process and an empty folder for machine code of its own. With
``--functions`` follow the functions that take longest, without those they call.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from skanon import consistency
from skanon.clustering import ALGORITHMS

FIT = """
import json, sys, time
start, cpu = time.perf_counter(), time.process_time()
from skanon import KAnonymizer, consistency
from skanon.datasets import load_adult
from numba.core import event
found, running = {}, []

class Compiled(event.Listener):
    def on_start(self, event):
        running.append([time.process_time(), 0.0])

    def on_end(self, event):
        begun, inner = running.pop()
        took = time.process_time() - begun
        if running:
            running[-1][1] += took
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        times, seconds = found.get(name, (0, 0.0))
        found[name] = times + 1, seconds + took - inner

event.register("numba:compile", Compiled())
name = sys.argv[1]
given = {"k": 10, "random_state": 0}
if hasattr(consistency, name):
    anonymizer = getattr(consistency, name)(**given)
else:
    anonymizer = KAnonymizer(algorithm=name, refine=0, **given)
names = ["age", "workclass", "education-num", "marital-status", "occupation", "race"]
adult = load_adult().data[[*names, "sex", "native-country"]]
anonymizer.fit(adult[: 12 if name == "optimal" else 500])
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, found]))
"""
HEAD = ["algorithm", "seconds", "CPU seconds", "functions", "machine code (kB)"]


def measure(name):
    """Fit in a new process; return its figures and its functions."""
    with tempfile.TemporaryDirectory() as folder:
        alone = {"NUMBA_CACHE_DIR": folder, "NUMBA_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", FIT, name],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | alone,
        )
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.nbc"))
    wall, cpu, found = json.loads(done.stdout)
    compiled = sum(times for times, _ in found.values())
    return [name, f"{wall:.1f}", f"{cpu:.1f}", compiled, size // 1000], found


def main():
    others = [name for name in consistency.__all__ if name != "ConsistencyAnonymizer"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("algorithms", nargs="*", default=[*ALGORITHMS, *others])
    parser.add_argument("--functions", action="store_true")
    asked = parser.parse_args()
    for row in (HEAD, ["---"] * len(HEAD)):
        print("| " + " | ".join(row) + " |")
    for name in asked.algorithms:
        row, found = measure(name)
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        if asked.functions:
            for function, (times, seconds) in sorted(
                found.items(), key=lambda item: -item[1][1]
            )[:40]:
                print(f"{seconds:8.2f} s {times:3d} x {function}")


if __name__ == "__main__":
    main()

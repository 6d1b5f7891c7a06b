"""Other Python packages beside skanon: loss, seconds, memory, and whether k is kept.

Each peer is installed into a virtual environment of its own, below the folder that is
given, and anonymizes the same table there: eight quasi-identifiers of Adult. All are
scored in the same way, from the classes that they publish: NCP, age and years of
education by their range, the rest by the number of their values. Prints a table in
Markdown::

    python tests/benchmarks/compare_peers.py folder
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import venv
from pathlib import Path

import numpy as np
import pandas as pd

from skanon import KAnonymizer
from skanon.datasets import load_adult

NUMBERS = ["age", "education-num"]
NAMES = [
    "age", "workclass", "education-num", "marital-status", "occupation", "race",
    "sex", "native-country",
]  # fmt: skip
EFFORTS = ("fast", "default")
TIMEOUT = 900
"""Seconds after which a peer is given up."""

MOST = 8 * 2**30
"""So many bytes a peer may take."""

BEGIN = f"""
import json, resource, sys, time
import pandas as pd
NAMES, NUMBERS = {NAMES!r}, {NUMBERS!r}
path, k, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
resource.setrlimit(resource.RLIMIT_AS, ({MOST}, {MOST}))
frame = pd.read_csv(path)
for name in NAMES:
    if name not in NUMBERS:
        frame[name] = frame[name].astype(object)
start = time.perf_counter()
"""
END = """
seconds = time.perf_counter() - start
labels.to_csv(out, index=False)
status = open("/proc/self/status").read()
print(json.dumps({"seconds": seconds, "status": status}))
"""
PARTITION = """
for name in NAMES:
    if name not in NUMBERS:
        frame[name] = frame[name].astype("category")
{made}
labels = pd.Series(-1, index=frame.index)
for number, part in enumerate(parts):
    labels.loc[list(part)] = number
"""
ANONYPY = """
from anonypy import mondrian
parts = mondrian.Mondrian(frame, NAMES, "rid").partition(k)
"""
ANONYPYX = """
from anonypyx import Anonymiser
made = Anonymiser(frame, feature_columns=NAMES, k=k, algorithm={!r})
parts = made.algorithm.partition(made.parameters)
"""

PEERS = {
    "AnonyPy Mondrian": (
        ["anonypy==0.2.1", "pandas"],
        PARTITION.format(made=ANONYPY),
    ),
    "AnonyPyX Mondrian": (
        ["anonypyx==0.2.11"],
        PARTITION.format(made=ANONYPYX.format("Mondrian")),
    ),
    "AnonyPyX MDAV": (
        ["anonypyx==0.2.11", "pandas<3"],
        PARTITION.format(made=ANONYPYX.format("MDAV-generic")),
    ),
    "ANJANA": (
        ["anjana==1.2.3"],
        """
from anjana.anonymity import k_anonymity
from anjana.anonymity.utils import generate_intervals
hierarchies = {}
for name in NAMES:
    values = frame[name].values
    hierarchies[name] = {0: values}
    if name in NUMBERS:
        for level, width in enumerate((5, 10, 20), 1):
            hierarchies[name][level] = generate_intervals(values, 0, 100, width)
    hierarchies[name][len(hierarchies[name])] = pd.Series(["*"] * len(frame)).values
result = k_anonymity(frame, [], NAMES, k, 0, hierarchies)
published = result.set_index("rid")[NAMES].astype(str).agg("|".join, axis=1)
labels = frame["rid"].map(published.groupby(published).ngroup()).fillna(-1).astype(int)
""",
    ),
}
"""What to install, and how to get each record's class, -1 where it is left out."""


def table_of(n: int) -> pd.DataFrame:
    """Take n records of Adult, numbered."""
    frame = load_adult().data[NAMES]
    if n < len(frame):
        frame = frame.sample(n, random_state=0)
    frame = frame.reset_index(drop=True).astype(
        {name: str for name in NAMES if name not in NUMBERS}
    )
    return frame.assign(rid=range(len(frame)))


def score(frame: pd.DataFrame, labels: np.ndarray, k: int) -> tuple[float, bool]:
    """Return the NCP of classes, and whether all of them have k records.

    What is left out costs as much as can be.
    """
    lost = np.zeros(len(frame))
    kept = labels >= 0
    for name in NAMES:
        values = frame[name]
        groups = values[kept].groupby(labels[kept])
        if name in NUMBERS:
            cost = (groups.max() - groups.min()) / (values.max() - values.min())
        else:
            cost = (groups.nunique() - 1) / (values.nunique() - 1)
        lost[kept] += cost.reindex(labels[kept]).to_numpy()
        lost[~kept] += 1
    sizes = np.bincount(labels[kept])
    return float(lost.mean() / len(NAMES)), bool((sizes[sizes > 0] >= k).all())


def run_peer(folder: Path, name: str, path: Path, k: int) -> dict:
    """Anonymize in the peer's own environment; its classes, or what went wrong."""
    needed, code = PEERS[name]
    home = folder / name.replace(" ", "_")
    python, installed = home / "bin" / "python", home / "installed"
    if not installed.exists():
        venv.create(home, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", *needed]
        subprocess.run(install, check=True)
        installed.touch()
    out = folder / "labels.csv"
    command = [python, "-c", BEGIN + code + END, path, str(k), out]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {TIMEOUT} s"}
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1]
        return {"error": last[:80]}
    found = json.loads(ran.stdout.strip().splitlines()[-1])
    found["labels"] = pd.read_csv(out).iloc[:, 0].to_numpy()
    return found


def run_skanon(frame: pd.DataFrame, k: int, effort: str) -> dict:
    """Do the same with skanon, kernels warm; memory is the most of this process yet."""
    hierarchies = {
        name: "intervals" if name in NUMBERS else "subsets" for name in NAMES
    }
    anonymizer = KAnonymizer(
        k, hierarchies=hierarchies, loss="ncp", effort=effort, random_state=0
    )
    anonymizer.fit(frame[NAMES][:500])
    start = time.perf_counter()
    anonymizer.fit(frame[NAMES])
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    return {"seconds": seconds, "status": status, "labels": anonymizer.labels_}


def main(folder: Path) -> None:
    """Run all, and print a row for each."""
    folder.mkdir(parents=True, exist_ok=True)
    print("| records | k | tool | NCP | seconds | MB | k-anonymous |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for n in (5_000, 45_222):
        frame = table_of(n)
        path = folder / "table.csv"
        frame.to_csv(path, index=False)
        for k in (10, 50):
            runs = {f"skanon, {e}": (run_skanon, (frame, k, e)) for e in EFFORTS}
            runs |= {name: (run_peer, (folder, name, path, k)) for name in PEERS}
            for name, (run, given) in runs.items():
                found = run(*given)
                row = [f"{n:,}", str(k), name]
                if "error" in found:
                    row += [found["error"], "", "", ""]
                else:
                    ncp, kept = score(frame, found["labels"], k)
                    row += [f"{ncp:.4f}", f"{found['seconds']:.1f}"]
                    peak = int(found["status"].split("VmHWM:")[1].split()[0]) / 1024
                    row += [f"{peak:.0f}", "yes" if kept else "no"]
                print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

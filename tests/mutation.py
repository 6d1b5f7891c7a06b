"""Change the code that guards releases, piece by piece, and see whether a test notices.

    pip install mutmut==3.8.1
    python tests/mutation.py [--only skanon/privacy/_codes.py,...] [--seconds 12]
        [--again LOG]

mutmut makes the mutants. Its own runner starts pytest anew for each, which takes longer
than the tests do; here the suite is collected and run once, with the names of the
functions that each test calls, and then each mutant is tried in a fork of that process:
by the quickest tests of its function for a second or two, then by those that call least
besides it. It has survived where tests that take ``--seconds`` together pass. Messages
and constants are left as they are. hypothesis draws a few examples.

It prints a row for each file, and the change that each survivor is. ``--again`` tries
only the survivors of what it printed before, with more time.
"""

import argparse
import difflib
import gc
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUARDS = [
    "skanon/_release/*.py",
    "skanon/_table/containers.py",
    "skanon/_table/roles.py",
    "skanon/privacy/_*.py",
]
TESTS = [
    "tests/privacy",
    "tests/clustering/test_sequential.py",
    "tests/clustering/test_threshold_greedy.py",
    "tests/constraints/test_releases_keep_constraints.py",
    "tests/losses/test_penalty.py",
    "tests/test_base.py",
    "tests/test_emission.py",
    "tests/test_emission_limits.py",
    "tests/test_fails_closed.py",
    "tests/test_helpful_errors.py",
    "tests/test_roles.py",
    "tests/test_rows_in_order.py",
    "tests/test_suppressed_rows.py",
    "tests/test_unchanged.py",
]
# what reads the sources, looks at the caller's line or runs pycanon says nothing here,
# and the threads of polars and pyarrow do not survive a fork
NOT = " and ".join(
    f"not {x}"
    for x in (
        "share_no_code",
        "rows_are_told",
        "pycanon",
        "45000_distinct",
        "polars",
        "arrow",
    )
)
KEPT = [r'^\s*f?"[^"]*",?\s*\)?$', r"^_?[A-Z_]+ = ", r"^\s*raise "]


def mutate(folder: Path, patterns: list[str]) -> dict[str, list[str]]:
    """Copy the project, with all mutants of some files in place of these."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    shutil.copytree(
        ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "mutants")
    )
    config = f"[mutmut]\nsource_paths=skanon\ndo_not_mutate_patterns=\n  {KEPT[0]}\n"
    (folder / "setup.cfg").write_text(config + "".join(f"  {x}\n" for x in KEPT[1:]))
    found = {}
    os.chdir(folder)
    for path in sorted({x for pattern in patterns for x in ROOT.glob(pattern)}):
        name = path.relative_to(ROOT)
        made = mutate_file_contents(str(name), path.read_text())
        (folder / name).write_text(made.code)
        module = ".".join(name.with_suffix("").parts)
        found[str(name)] = [f"{module}.{x}" for x in made.mutant_names]
    return found


def function_of(mutant: str) -> str:
    """Name the function that a mutant is one of."""
    return mutant.rsplit("__mutmut_", 1)[0]


class Mutants:
    """A plugin that runs the suite once, and then tests for each mutant."""

    def __init__(self, mutants: list[str], seconds: float) -> None:
        self.mutants, self.seconds = mutants, seconds
        self.tests: dict[str, set[str]] = defaultdict(set)
        self.took: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self.failed = False
        self.outcome: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failure."""
        self.failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run everything, then fork for each mutant."""
        from mutmut.mutation import trampoline

        items = {item.nodeid: item for item in session.items}
        run = session.config.hook.pytest_runtest_protocol
        called: set[str] = set()
        trampoline.record_trampoline_hit = lambda name, caller=None: called.add(name)
        trampoline.set_mutant_under_test("stats")
        for name, item in items.items():
            called.clear()
            begun = time.perf_counter()
            run(item=item, nextitem=None)
            self.took[name] = time.perf_counter() - begun
            self.calls[name] = len(called)
            for function in called:
                self.tests[function].add(name)
        if self.failed:
            raise SystemExit("the tests fail without any mutant")
        trampoline.set_mutant_under_test("")
        gc.collect()
        gc.freeze()  # else each child copies all that the suite has left behind
        for mutant in self.mutants:
            chosen = self._tests_of(mutant)
            if not chosen:
                self.outcome[mutant] = "no test"
                continue
            child = os.fork()
            if child == 0:
                trampoline.set_mutant_under_test(mutant)
                self._try([items[name] for name in chosen], run)
            status = os.waitpid(child, 0)[1]
            survived = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
            self.outcome[mutant] = "survived" if survived else "killed"
        return True

    def _tests_of(self, mutant: str) -> list[str]:
        calling = self.tests[function_of(mutant)]
        quickest = sorted(calling, key=lambda name: (self.took[name], name))
        chosen = self._within(quickest, self.seconds / 6)
        rest = sorted(calling - set(chosen), key=lambda x: (self.calls[x], x))
        return chosen + self._within(rest, self.seconds - self.seconds / 6)

    def _within(self, names: list[str], seconds: float) -> list[str]:
        total = itertools.accumulate(self.took[name] for name in names)
        return [
            name
            for at, (name, sum_) in enumerate(zip(names, total, strict=True))
            if at == 0 or sum_ <= seconds
        ]

    def _try(self, items: list[pytest.Item], run) -> None:
        gc.disable()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(int(20 + 4 * self.seconds))  # a mutant may go on for ever
        try:
            for item in items:
                run(item=item, nextitem=None)
                if self.failed:
                    break
        except BaseException:
            self.failed = True
        os._exit(int(self.failed))


def change(code: str, mutant: str) -> str:
    """Show what a mutant changes."""
    name = mutant.rsplit(".", 1)[-1]
    lines = code.split("\n")

    def body(of: str) -> list[str]:
        begins = next(i for i, x in enumerate(lines) if re.match(rf"\s*def {of}\(", x))
        deep = len(lines[begins]) - len(lines[begins].lstrip())
        inside = itertools.takewhile(
            lambda x: (
                not x.strip() or len(x) - len(x.lstrip()) > deep or x[deep] == ")"
            ),
            lines[begins + 1 :],
        )
        return list(inside)

    pair = body(f"{function_of(name)}__mutmut_orig"), body(name)
    diff = difflib.unified_diff(*pair, lineterm="", n=0)
    kept = [x for x in diff if x[:1] in "+-" and x[:3] not in ("+++", "---")]
    return "\n".join(["", name, *kept])


def main() -> None:
    """Print the table and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(GUARDS))
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--again", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "project")
        found = mutate(folder, given.only.split(","))
        sys.path[:0] = [str(folder), str(folder / "widgets")]
        if given.again:
            survived = {*given.again.read_text(errors="replace").splitlines()}
            found = {
                file: [name for name in names if name.rsplit(".", 1)[-1] in survived]
                for file, names in found.items()
            }
        plugin = Mutants([x for names in found.values() for x in names], given.seconds)
        options = [
            "-q",
            "--tb=native",
            "-p",
            "no:cacheprovider",
            "-k",
            NOT,
            f"--rootdir={folder}",
        ]
        pytest.main([*options, "--hypothesis-profile=mutation", *TESTS], [plugin])
        print(
            "\n| file | mutants | killed | survived | no test |\n|---|---|---|---|---|"
        )
        survivors = []
        for file, names in found.items():
            told = [plugin.outcome.get(name, "not tried") for name in names]
            counts = [told.count(x) for x in ("killed", "survived", "no test")]
            print(f"| `{file}` | {len(names)} | {' | '.join(map(str, counts))} |")
            code = (folder / file).read_text()
            survivors += [
                change(code, name)
                for name, outcome in zip(names, told, strict=True)
                if outcome == "survived"
            ]
        print("\n".join(survivors))


if __name__ == "__main__":
    if "PYTHONHASHSEED" not in os.environ:  # the same ids of tests in each run
        own = {**os.environ, "PYTHONHASHSEED": "0"}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=own).returncode)
    main()

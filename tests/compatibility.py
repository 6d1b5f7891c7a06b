"""Run the suite with the oldest and the newest versions that pyproject.toml allows.

    python tests/compatibility.py [--only oldest,newest,pandas2] [pytest's arguments]

For each Python from 3.11 to 3.13 that is installed, it makes a virtual environment for
each set of versions, and prints a row of a table for each. The oldest are the lower
bounds of ``dependencies``; ``pandas2`` has the last pandas 2.2 beside the newest of the
rest, which is below the bound: it tells what lowering it would cost.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ["3.11", "3.12", "3.13"]
NAMES = ["numpy", "scipy", "pandas", "scikit-learn", "numba"]
SUITE = ["-n", "2", "--dist", "loadfile", "-m", "not benchmark and not browser"]


def declared() -> tuple[list[str], list[str]]:
    """Read what the package and its tests ask for, but for itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    tests = [*extras["test"], *extras["notebook"], *extras["plot"]]
    return project["dependencies"], [x for x in tests if not x.startswith("skanon")]


def wanted(which: str, dependencies: list[str]) -> list[str]:
    """Name the versions of a set, as pip takes them."""
    if which == "newest":
        return dependencies
    if which == "pandas2":
        own = [x for x in dependencies if not x.startswith("pandas")]
        return [*own, "pandas>=2.2,<2.3"]
    # the lower bound's own minor version, with its latest mends
    return [re.sub(r"^([\w-]+)>=([\d.]+).*", r"\1~=\2.0", x) for x in dependencies]


def versions(python: Path) -> str:
    """Tell the versions that an environment has."""
    code = (
        "from importlib.metadata import version; "
        f"print(', '.join(f'{{x}} {{version(x)}}' for x in {NAMES}))"
    )
    return subprocess.check_output([python, "-c", code], text=True).strip()


def installed(number: str) -> str | None:
    """Find a Python; what only says that there is none does not count."""
    found = shutil.which(f"python{number}")
    if found is None:
        return None
    done = subprocess.run([found, "--version"], capture_output=True, text=True)
    return found if done.stdout.startswith(f"Python {number}") else None


def run(interpreter: str, which: str, given: list[str]) -> tuple[str, str]:
    """Run the suite in an environment of its own; give its versions and the outcome."""
    dependencies, tests = declared()
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        subprocess.run([interpreter, "-m", "venv", environment], check=True)
        python = environment / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet"]
        own = wanted(which, dependencies)
        subprocess.run([*install, *own, *tests], check=True)
        subprocess.run([*install, "--no-deps", "-e", ROOT], check=True)
        command = [python, "-m", "pytest", "-q", *SUITE, *given]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        print(done.stdout, file=sys.stderr)
        last = [x for x in done.stdout.splitlines() if " in " in x][-1:]
        return versions(python), " ".join(last).strip("= ")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="oldest,newest")
    options, given = parser.parse_known_args()
    print("| Python | versions | | outcome |\n|---|---|---|---|")
    for number in PYTHONS:
        interpreter = installed(number)
        for which in options.only.split(","):
            if interpreter is None:
                print(f"| {number} | {which} | | not installed here |", flush=True)
                continue
            told, outcome = run(interpreter, which, given)
            print(f"| {number} | {which} | {told} | {outcome} |", flush=True)


if __name__ == "__main__":
    main()

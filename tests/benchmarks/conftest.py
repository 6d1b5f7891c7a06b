"""Collects the benchmarks' figures and prints them as Markdown tables at the end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_TABLES: dict[str, list[list[object]]] = {}


def pytest_itemcollected(item):
    """Benchmarks know that they are long."""
    known = "ignore::skanon.exceptions.DurationWarning"
    item.add_marker(pytest.mark.filterwarnings(known))


@pytest.fixture
def figures():
    """Give a function that adds a row to a named table; the first row is its head."""

    def add(title: str, head: list[object], row: list[object]) -> None:
        _TABLES.setdefault(title, [head]).append(row)

    return add


@pytest.fixture
def measure():
    """Give a function that runs Python code in a new, single-threaded process."""

    def run(code: str) -> list[float]:
        alone = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | alone,
        )
        return [float(number) for number in done.stdout.split()]

    return run


def pytest_terminal_summary(terminalreporter):
    for title, (head, *rows) in _TABLES.items():
        terminalreporter.write_line(f"\n### {title}\n")
        for row in (head, ["---"] * len(head), *rows):
            terminalreporter.write_line("| " + " | ".join(map(str, row)) + " |")

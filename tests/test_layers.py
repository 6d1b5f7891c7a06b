"""Imports point one way: no module of skanon needs itself, however far around."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import skanon

ROOT = Path(skanon.__file__).parents[1]


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in (ROOT / "skanon").rglob("*.py")}


def needs(path):
    """All that a file imports, inside of functions, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:  # each may be a module
                module = f"{node.module}.{alias.name}"
                yield module if module in FILES else node.module


def test_no_module_needs_itself():
    graph = {
        name: {other for other in needs(path) if other in FILES and other != name}
        for name, path in FILES.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_readers_of_a_release_know_no_algorithm():
    for name, path in FILES.items():
        if name.startswith(("skanon.metrics", "skanon.report")):
            found = {other.split(".")[1] for other in needs(path) if other in FILES}
            assert not found & {"_base", "_anonymizer", "clustering", "consistency"}

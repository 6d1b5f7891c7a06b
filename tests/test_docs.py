"""The pages say what is true: their code runs, and prints what they show.

A fence of ``python`` is run, all fences of a page in one namespace. A fence of ``text``
right after it is what it prints: its output and the value of its last line, or the
error that it raises, as ``HierarchyError: message``.
"""

import ast
import contextlib
import doctest
import io
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import skanon
from skanon.exceptions import AnonymizationError

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_CHECKER = doctest.OutputChecker()


class Block(NamedTuple):
    """Code of a page, and what the page says that it prints."""

    line: int
    code: str
    shown: str | None


def blocks_of(page: str) -> list[Block]:
    found: list[Block] = []
    end = -1
    for fence in _FENCE.finditer(page):
        language, content = fence.groups()
        directly = not page[max(end, 0) : fence.start()].strip()
        if language == "python":
            found.append(Block(page.count("\n", 0, fence.start()) + 2, content, None))
            end = fence.end()
        elif language == "text" and found and end >= 0 and directly:
            found[-1] = found[-1]._replace(shown=content)
            end = -1
    return found


def printed_by(code: str, namespace: dict) -> str:
    """Run code as a notebook does: the value of a last expression is shown."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "page", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "page", "eval"), namespace)
            if value is not None:
                printed.write(f"{value!r}\n")
    return printed.getvalue()


def run(block: Block, namespace: dict) -> None:
    flags = doctest.ELLIPSIS
    shown = block.shown
    try:
        got = printed_by(block.code, namespace)
    except AnonymizationError as error:
        if shown is None:
            raise
        got = f"{type(error).__name__}: {error}\n"
        flags |= doctest.NORMALIZE_WHITESPACE  # a page breaks a long message
    if shown is not None:
        at = f"line {block.line}:\n{block.code}\ngave\n{got}\nnot\n{shown}"
        assert _CHECKER.check_output(shown, got, flags), at


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_runs_and_prints_what_is_shown(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "page"}
    for block in blocks_of(path.read_text("utf-8")):
        run(block, namespace)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_between_pages_lead_somewhere(path):
    for target in _LINK.findall(path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_wrong_pages_are_found_out():
    page = "```python\n1 + 1\n```\n\n```text\n3\n```\n"
    (block,) = blocks_of(page)
    with pytest.raises(AssertionError, match="line 2"):
        run(block, {})
    (unshown,) = blocks_of("```python\n1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError):
        run(unshown, {})


def test_text_that_stands_apart_is_no_output():
    (block,) = blocks_of("```python\n2\n```\nwords\n```text\n3\n```\n")
    assert block.shown is None


def test_readme_has_two_set_up_commands_and_ci_runs_the_second():
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = [
        content.strip()
        for language, content in _FENCE.findall(readme)
        if language == "sh"
    ]
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert commands[0].endswith(".venv/bin/skanon demo")
    continuous = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert commands[1] in continuous


def test_public_names_of_hierarchies_are_documented():
    import skanon.hierarchies

    page = (ROOT / "docs" / "hierarchies.md").read_text("utf-8")
    missing = [x for x in skanon.hierarchies.__all__ if f"`{x}" not in page]
    assert not missing


def test_changelog_has_this_version():
    changelog = (ROOT / "docs" / "changelog.md").read_text("utf-8")
    assert f"## {skanon.__version__}" in changelog

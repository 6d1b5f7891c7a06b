"""A real JupyterLab, driven through Chromium as a person would."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CHROMIUM = os.environ.get("SKANON_CHROMIUM") or shutil.which("chromium") or ""
START = 60  # seconds; two cores may be shared with other work
RUN = 120_000  # milliseconds

SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    # the first render of a notebook must not depend on what is in sight
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "defer"},
}


class Lab(NamedTuple):
    """A running server: where it answers, its token, the folder it shows."""

    url: str
    token: str
    folder: Path

    def ask(self, method: str, path: str) -> Any:
        """Call the server's REST interface."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _environment(home: Path) -> dict[str, str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "PYTEST", "PYTHONWARNINGS"))
    }
    folders = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment |= {f"JUPYTER_{key}": str(home / x) for key, x in folders.items()}
    environment |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "xdg"),
        "XDG_DATA_HOME": str(home / "xdg"),
        "XDG_CACHE_HOME": str(home / "xdg"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_NO_CONFIG": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    return environment


def _write_settings(home: Path) -> None:
    for name, values in SETTINGS.items():
        path = home / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))


def _wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError):
            lab.ask("GET", "status")
            return
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Run a JupyterLab of our own: nothing of the user's is read or written."""
    pytest.importorskip("jupyterlab")
    home = tmp_path_factory.mktemp("home")
    lab = Lab(f"http://127.0.0.1:{_free_port()}", secrets.token_hex(16), home / "work")
    lab.folder.mkdir()
    _write_settings(home)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    command += [
        f"--ServerApp.port={lab.url.rpartition(':')[2]}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={lab.folder}",
        f"--IdentityProvider.token={lab.token}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
        "--ServerApp.allow_root=True",
    ]
    log = home / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=lab.folder,
            env=_environment(home),
        )
        try:
            _wait_for(lab, server, log)
            yield lab
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start Debian's Chromium once for all tests."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("no chromium on the path (SKANON_CHROMIUM names another)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def notebook(cells: Sequence[str]) -> dict[str, Any]:
    """Write a notebook of code cells."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{i}",
                "source": source,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for i, source in enumerate(cells)
        ],
    }


READY = """() => {
  const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(session?.isReady && kernel?.connectionStatus === "connected"
    && kernel.status === "idle");
}"""
RUN_ALL = "() => { void jupyterapp.commands.execute('notebook:run-all-cells') }"
STATE = """() => [...jupyterapp.shell.currentWidget.content.model.cells].map(cell => ({
  count: cell.executionCount,
  errors: cell.outputs.toJSON().filter(output => output.output_type === "error")
}))"""


def run_all(page: Any) -> None:
    """Run every cell of the open notebook; an error in a cell is one here."""
    page.evaluate(RUN_ALL)
    end = time.monotonic() + RUN / 1000
    while time.monotonic() < end:
        state = page.evaluate(STATE)
        for errors in (cell["errors"] for cell in state):
            assert not errors, "\n".join(errors[0]["traceback"])
        if all(cell["count"] for cell in state):
            page.wait_for_function(READY, timeout=RUN)
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"cells did not finish: {state}")


@pytest.fixture
def open_notebook(lab: Lab, chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open notebooks: ``open_notebook(cells)`` gives a page where all have run.

    ``open_notebook(cells, dark=True, width=800)`` begins dark or narrow; with
    ``run=False`` nothing has run yet. ``page.notebook`` is the file's path. What the
    page's console calls an error fails the test at its end.
    """
    contexts, complaints = [], []

    def open_(
        cells: Sequence[str],
        *,
        dark: bool = False,
        width: int = 1280,
        height: int = 900,
        run: bool = True,
    ) -> Any:
        path = lab.folder / f"story-{next(_SERIAL)}.ipynb"
        path.write_text(json.dumps(notebook(cells)))
        size = {"width": width, "height": height}
        contexts.append(chromium.new_context(viewport=size))
        page = contexts[-1].new_page()
        page.notebook = path
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{lab.url}/lab/tree/{path.name}?reset&token={lab.token}")
        page.wait_for_function(READY, timeout=RUN)
        page.evaluate("() => jupyterapp.shell.collapseLeft()")
        if dark:
            theme(page, dark=True)
        if run:
            run_all(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    for session in lab.ask("GET", "sessions"):
        lab.ask("DELETE", f"sessions/{session['id']}")
    assert not complaints, complaints


_SERIAL = count()


def theme(page: Any, *, dark: bool) -> None:
    """Switch JupyterLab's theme, and wait until it is painted."""
    name = f"JupyterLab {'Dark' if dark else 'Light'}"
    page.evaluate(
        "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", name
    )
    page.wait_for_function(
        "dark => document.body.dataset.jpThemeLight === (dark ? 'false' : 'true')",
        arg=dark,
    )
    page.wait_for_timeout(200)  # the style sheet replaces the other one


@pytest.fixture
def switch_theme() -> Callable[..., None]:
    """Give ``switch_theme(page, dark=True)``."""
    return theme


@pytest.fixture
def axe() -> Callable[[Any, str], None]:
    """Give ``axe(page, selector)``, which finds no violation or fails."""
    base = pytest.importorskip("axe_core_python.base")

    def check(page: Any, selector: str) -> None:
        assert page.locator(selector).count(), f"nothing matches {selector}"
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(base.AXE_SCRIPT)
        found = page.evaluate(
            "scope => axe.run({include: [[scope]]}, {resultTypes: ['violations']})",
            selector,
        )
        assert found["passes"], "axe looked at nothing"
        assert not found["violations"], "\n".join(
            f"{rule['id']}: {rule['help']}\n  {node['html'][:300]}\n  "
            f"{node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"][:3]
        )

    return check


@pytest.fixture
def value_of(lab: Lab) -> Callable[[Any, str], str]:
    """Give ``value_of(page, code)``: run a new last cell, return its text output.

    The cell is removed again, so that a story can ask Python what the widget holds.
    """

    def ask(page: Any, code: str) -> str:
        page.evaluate(
            """async code => {
              const {session} = jupyterapp.shell.currentWidget.sessionContext;
              window.skanonAnswer = null;
              let text = "";
              const future = session.kernel.requestExecute(
                {code, store_history: false});
              future.onIOPub = ({header, content}) => {
                if (header.msg_type === "stream") text += content.text;
                if (content.data) text += content.data["text/plain"];
                if (header.msg_type === "error") text += content.traceback.join("\\n");
              };
              void future.done.then(() => { window.skanonAnswer = text; });
            }""",
            code,
        )
        page.wait_for_function("() => window.skanonAnswer !== null", timeout=RUN)
        return page.evaluate("() => window.skanonAnswer")

    return ask

"""How long it takes until a release of Adult, 45,222 x 8, is seen in JupyterLab."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from statistics import median

import pytest

pytestmark = [pytest.mark.benchmark, pytest.mark.browser]

_PATH = Path(__file__).parents[1] / "browser" / "conftest.py"
_SPEC = importlib.util.spec_from_file_location("browser_fixtures", _PATH)
_BROWSER = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_BROWSER)
lab, chromium, open_notebook = _BROWSER.lab, _BROWSER.chromium, _BROWSER.open_notebook

FIT = """
import time
from skanon import KAnonymizer
from skanon.datasets import load_adult
from skanon_widgets import MetricInspector

adult = load_adult()
columns = ["age", "workclass", "education", "marital-status", "occupation", "race",
           "sex", "native-country"]
anonymizer = KAnonymizer(
    10,
    algorithm="mondrian", refine=0,
    hierarchies={x: h for x, h in adult.hierarchies.items() if x in columns},
    random_state=0,
).fit(adult.data[columns], adult.target)
warm = MetricInspector(anonymizer).figures  # kernels are loaded
"""
SHOW = """
called = time.time()
inspector = MetricInspector(anonymizer)
print("called", called)
inspector
"""
WATCH = """() => {
  // the time of the frame after the one in which the figures stand in the page
  const seen = window.skanonSeen = {first: null, whole: null};
  const stamp = (name) => {
    if (seen[name] !== null) return;
    seen[name] = 0;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      seen[name] = Date.now() / 1000;
    }));
  };
  const look = () => {
    const tiles = document.querySelector('.skanon-insp-tiles');
    if (tiles) stamp('first');
    if (tiles && tiles.textContent.includes('LM()')) stamp('whole');
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true});
}"""
CALLED = """() => [...jupyterapp.shell.currentWidget.content.model.cells].at(-1)
  .outputs.toJSON().map(x => x.text || '').join('')"""
RUNS, LIMIT = 5, 1.0


def test_a_release_is_seen_within_a_second(open_notebook, figures):
    page = open_notebook([FIT, SHOW])
    page.locator(".skanon-inspector").wait_for()  # the page has loaded what it needs
    seconds = {"first": [], "whole": []}
    for _ in range(RUNS):
        page.evaluate(
            "() => { jupyterapp.shell.currentWidget.content.activeCellIndex = 1 }"
        )
        page.evaluate(
            "() => { void jupyterapp.commands.execute('notebook:clear-cell-output') }"
        )
        page.wait_for_function("() => !document.querySelector('.skanon-inspector')")
        page.evaluate(WATCH)
        page.evaluate("() => { void jupyterapp.commands.execute('notebook:run-cell') }")
        page.wait_for_function(
            "() => window.skanonSeen.first && window.skanonSeen.whole"
        )
        called = float(page.evaluate(CALLED).split()[-1])
        seen = page.evaluate("() => window.skanonSeen")
        for name, taken in seconds.items():
            taken.append(seen[name] - called)
        page.wait_for_function(_BROWSER.READY)
    found = {name: median(taken) for name, taken in seconds.items()}
    figures(
        "The inspector of a release of Adult, 45,222 x 8, k = 10: seconds from call "
        "to paint in JupyterLab, median of 5",
        ["classes and risks", "losses and distributions, too", "limit"],
        [f"{found['first']:.2f}", f"{found['whole']:.2f}", LIMIT],
    )
    assert found["first"] <= LIMIT

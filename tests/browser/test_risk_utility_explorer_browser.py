"""Stories of RiskUtilityExplorer: sweep k, look, pick one, leave with the code."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

SWEEP = """
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.naive_bayes import GaussianNB
from skanon import KAnonymizer
from skanon.datasets import load_cmc
from skanon_widgets import RiskUtilityExplorer

women = load_cmc()
X = women.data.sample(300, random_state=0)
y = women.target[X.index]
model = Pipeline([
    ("anonymize", KAnonymizer(encode="distribution", random_state=0)),
    ("scale", StandardScaler()),
    ("classify", GaussianNB()),
])
explorer = RiskUtilityExplorer(
    model, X, y, k=[2, 5, 10, 500], cv=2,
    param_grid={"anonymize__algorithm": {"<img src=x onerror=alert(1)>": "mondrian",
                                         "forest": "forest"}},
)
explorer
"""

SLOW = """
import time
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from skanon import MondrianAnonymizer
from skanon.datasets import load_cmc
from skanon_widgets import RiskUtilityExplorer

class Nap(TransformerMixin, BaseEstimator):
    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y=None):
        time.sleep(self.seconds)
        return self

    def transform(self, X):
        return X

napping = Pipeline([("nap", Nap()), ("anonymize", MondrianAnonymizer())])
explorer = RiskUtilityExplorer(
    napping, load_cmc().data.head(100), k=[2, 3], cv=2,
    param_grid={"nap__seconds": [0.0, 600.0]},
)
explorer
"""

CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"
SCROLL = "node => node.scrollIntoView({block: 'center'})"
WORDS = "() => document.querySelector('.skanon-explorer-words').textContent"


def explorer_of(page):
    widget = page.locator(".skanon-explorer").first
    widget.wait_for()
    return widget


def wait_for_words(page, start, seconds=90):
    page.wait_for_function(
        f"start => ({WORDS})().startsWith(start)", arg=start, timeout=1000 * seconds
    )


def run(page, until="Done"):
    explorer_of(page).get_by_role("button", name="Run").click()
    wait_for_words(page, until)


def focused_label(page):
    return page.evaluate("() => document.activeElement.getAttribute('aria-label')")


def status(page):
    return explorer_of(page).locator("[role=status]").text_content()


def test_sweep_k_and_pick_one_by_mouse(open_notebook, axe, value_of):
    page = open_notebook([SWEEP])
    widget = explorer_of(page)
    assert "Not started." in widget.inner_text()
    axe(page, ".skanon-explorer")
    run(page, "1 of 16")
    widget.get_by_text("Hollow: a fit is still to be done").wait_for()
    axe(page, ".skanon-explorer")
    wait_for_words(page, "Done: 16 fits. 2 points have problems")
    assert "Hollow" not in widget.inner_text()
    assert ": all fits failed." in widget.inner_text()
    loss = widget.get_by_role("listbox", name="Information loss against k")
    assert loss.get_by_role("option").count() == 8
    assert widget.get_by_role("listbox").count() == 4
    point = loss.get_by_role("option", name="k = 10, algorithm = forest: ")
    point.evaluate(SCROLL)
    point.click()
    widget.get_by_role(
        "heading", name="Selected: k = 10, algorithm = forest"
    ).wait_for()
    widget.get_by_role("group", name="Python code").wait_for()
    assert status(page).startswith("Selected: k = 10, algorithm = forest: Accuracy 0.")
    selected = widget.locator("[role=option][aria-selected=true]")
    assert selected.count() == 4  # the same point in every chart
    axe(page, ".skanon-explorer")
    shown = point.get_attribute("aria-label").rpartition(": ")[2]
    mean = value_of(page, "f'{explorer.results.mean_loss[explorer.selected]:.3f}'")
    assert shown.split(" ± ")[0] == mean.strip("'")
    code = widget.get_by_role("group", name="Python code").inner_text()
    assert "algorithm='forest'" in code and "k=10," in code
    assert value_of(page, "explorer.selected_params") == (
        "{'anonymize__algorithm': 'forest', 'anonymize__k': 10}"
    )
    ask = "int(explorer.selected_estimator['anonymize'].class_sizes_.min()) // 10 > 0"
    assert value_of(page, ask) == "True"


def test_names_are_text_and_failures_are_words(open_notebook, axe, value_of):
    page = open_notebook([SWEEP])
    widget = explorer_of(page)
    run(page)
    hostile = "algorithm = <img src=x onerror=alert(1)>"
    assert widget.get_by_role("list", name="Lines").inner_text().startswith(hostile)
    assert widget.locator("img").count() == 0
    widget.get_by_text("All points in a table").click()
    table = widget.get_by_role("table")
    row = table.get_by_role("row").filter(has_text="500").first
    row.get_by_text("Failed in 2 of 2 fits: k=500 asks for at least 500").wait_for()
    axe(page, ".skanon-explorer")
    failed = widget.get_by_role("option", name="k = 500, algorithm = forest").first
    failed.evaluate(SCROLL)
    failed.dispatch_event("click")
    assert "cannot be selected: failed" in status(page)
    assert value_of(page, "explorer.selected") == "-1"
    button = table.get_by_role("button", name="Select k = 2, algorithm = forest")
    button.click()
    widget.get_by_role("heading", name="Selected: k = 2, algorithm = forest").wait_for()
    assert value_of(page, "explorer.selected_params['anonymize__k']") == "2"


def test_sweep_k_and_pick_one_by_keyboard(open_notebook, axe, value_of):
    page = open_notebook([SWEEP])
    widget = explorer_of(page)
    cells = page.evaluate(CELLS)
    field = widget.get_by_label("Values of k")
    assert field.input_value() == "2, 5, 10, 500"
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("3 and 6")
    page.keyboard.press("Enter")
    widget.get_by_role("alert").get_by_text("'and' is no k").wait_for()
    axe(page, ".skanon-explorer")
    page.keyboard.press("Control+a")
    page.keyboard.type("3, 6, 9")
    page.keyboard.press("Enter")
    wait_for_words(page, "Done: 12 fits.")
    assert widget.get_by_role("alert").inner_text() == ""
    widget.get_by_role("button", name="Run").focus()
    page.keyboard.press("Tab")
    assert focused_label(page).startswith("k = 3, algorithm = <img")
    for key, start in [
        ("ArrowRight", "k = 6, algorithm = <img"),
        ("ArrowDown", "k = 6, algorithm = forest"),
        ("End", "k = 9, algorithm = forest"),
        ("ArrowRight", "k = 9, algorithm = forest"),
        ("ArrowLeft", "k = 6, algorithm = forest"),
        ("Home", "k = 3, algorithm = forest"),
        ("ArrowUp", "k = 3, algorithm = <img"),
        ("ArrowDown", "k = 3, algorithm = forest"),
        ("ArrowRight", "k = 6, algorithm = forest"),
    ]:
        page.keyboard.press(key)
        assert focused_label(page).startswith(start), key
    for key in ("b", "d", "d", "Control+z", "x"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    widget.get_by_role("heading", name="Selected: k = 6, algorithm = forest").wait_for()
    widget.get_by_role("group", name="Python code").wait_for()
    assert focused_label(page).startswith("k = 6, algorithm = forest")
    assert page.evaluate(CELLS) == cells
    assert value_of(page, "explorer.selected_params['anonymize__k']") == "6"
    page.keyboard.press("Tab")  # the next chart begins at the selected point
    assert focused_label(page).startswith("k = 6, algorithm = forest")


def test_cancel_a_sweep_while_the_kernel_answers(open_notebook, axe, value_of):
    page = open_notebook([SLOW])
    widget = explorer_of(page)
    cancel = widget.get_by_role("button", name="Cancel")
    assert cancel.is_disabled()
    run(page, "2 of 8 fits done")
    assert value_of(page, "6 * 7") == "42"
    assert value_of(page, "explorer.results.state.tolist()[0]") == "'done'"
    assert widget.get_by_role("button", name="Run").is_disabled()
    axe(page, ".skanon-explorer")
    cancel.focus()
    page.keyboard.press("Enter")
    wait_for_words(page, "Cancelled after 2 of 8 fits.", 5)
    assert status(page).startswith("Cancelled after 2 of 8 fits.")
    axe(page, ".skanon-explorer")
    states = "['done', 'cancelled', 'cancelled', 'cancelled']"
    assert value_of(page, "explorer.results.state.tolist()") == states
    assert page.evaluate("() => document.activeElement.textContent") == "Run"


def test_points_stream_in_during_a_busy_cell(open_notebook):
    page = open_notebook([SLOW, "explorer.run(); time.sleep(25)"], run=False)
    page.evaluate(
        "() => { void jupyterapp.commands.execute('notebook:run-all-cells') }"
    )
    explorer_of(page)
    wait_for_words(page, "2 of 8 fits done")
    second = "() => [...jupyterapp.shell.currentWidget.content.model.cells][1]"
    assert page.evaluate(f"() => ({second})().executionCount") is None  # still runs


def test_dark_narrow_and_two_views(open_notebook, axe, value_of):
    page = open_notebook([SWEEP, "explorer"], dark=True, width=800, height=1000)
    run(page)
    views = page.locator(".skanon-explorer")
    assert views.count() == 2
    page.wait_for_function(
        "() => [...document.querySelectorAll('.skanon-explorer-words')]"
        ".every(node => node.textContent.startsWith('Done'))"
    )
    second = views.nth(1)
    point = second.get_by_role("option", name="k = 5, algorithm = forest").first
    point.evaluate(SCROLL)
    point.click()
    for i in range(2):
        views.nth(i).get_by_role(
            "heading", name="Selected: k = 5, algorithm = forest"
        ).wait_for()
    second.get_by_text("All points in a table").click()
    axe(page, ".skanon-explorer")
    wide = "node => node.scrollWidth <= node.clientWidth + 1"
    assert views.first.evaluate(wide)
    letters = "node => node.getBoundingClientRect().height"
    tick = views.first.locator(".skanon-explorer-axes text").first
    assert tick.evaluate(letters) > 11  # letters keep their size


def test_save_and_reopen(open_notebook, value_of):
    page = open_notebook([SWEEP])
    run(page)
    widget = explorer_of(page)
    point = widget.get_by_role("option", name="k = 5, algorithm = forest").first
    point.evaluate(SCROLL)
    point.click()
    widget.get_by_role("group", name="Python code").wait_for()
    page.evaluate(
        "() => jupyterapp.commands.execute('docmanager:save').then(() => undefined)"
    )
    saved = json.loads(page.notebook.read_text())
    summary = "".join(saved["cells"][0]["outputs"][0]["data"]["text/html"])
    assert "Risk and utility" in summary
    page.reload()
    page.wait_for_function(
        "() => document.querySelector('.skanon-explorer-words')", timeout=60_000
    )
    wait_for_words(page, "Done: 16 fits.")
    explorer_of(page).get_by_role(
        "heading", name="Selected: k = 5, algorithm = forest"
    ).wait_for()
    assert value_of(page, "explorer.selected_params['anonymize__k']") == "5"

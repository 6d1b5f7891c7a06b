"""Stories of somebody who looks at a release, and at two side by side."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

WIDGET = ".skanon-inspector"
TABS = ("Risk", "Classes", "Loss", "Distributions")
HOSTILE = "<img src=x onerror=alert(1)>"

TABLE = f"""
import numpy as np, pandas as pd
from skanon import KAnonymizer
from skanon_widgets import MetricInspector

rng = np.random.RandomState(0)
people = pd.DataFrame({{
    "age": rng.randint(20, 70, 300),
    "town": rng.choice(["Kiel", "Ulm", "{HOSTILE}"], 300),
    "job": [f"job-of-person-{{i % 150}}" for i in range(300)],
    "ill": rng.choice(["flu", "cold", "none", "{HOSTILE}"], 300),
}})

def fit(k):
    return KAnonymizer(
        k, algorithm="mondrian", sensitive="ill", random_state=0
    ).fit(people)
"""
ONE = "inspector = MetricInspector(fit(4)); inspector"
TWO = f"""
inspector = MetricInspector.compare({{"k = 4": fit(4), "{HOSTILE}": fit(20)}})
inspector
"""
WHOLE = """
quasi = people[["age", "town", "job"]]
inspector = MetricInspector(original=quasi, released=quasi)
inspector
"""
CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"
FOCUSED = "() => document.activeElement.textContent"


def inspector_of(page):
    widget = page.locator(WIDGET).first
    widget.wait_for()
    page.wait_for_function(
        """() => {
          const tiles = document.querySelector('.skanon-insp-tiles')?.textContent;
          return tiles && tiles.includes('LM()');
        }"""
    )
    return widget


def wait_for_text(widget, text):
    widget.get_by_text(text).first.wait_for()


@pytest.fixture
def page(open_notebook):
    return open_notebook([TABLE, ONE])


def test_a_release_is_read_by_keyboard(page, value_of):
    widget = inspector_of(page)
    before = page.evaluate(CELLS)
    widget.get_by_role("tab", name="Risk").focus()
    for name in (*TABS[1:], TABS[0]):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(FOCUSED) == name
        assert widget.get_by_role("tabpanel", name=name).is_visible()
    page.keyboard.press("End")
    assert page.evaluate(FOCUSED) == "Distributions"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUSED) == "Loss"
    page.keyboard.press("Home")
    assert page.evaluate(FOCUSED) == "Risk"
    highest = value_of(page, "f'{1 / inspector.figures[\"achieved_k\"]:.3%}'")
    panel = widget.get_by_role("tabpanel", name="Risk")
    told = panel.locator(".skanon-insp-card").first.inner_text()
    shown = float(told.split("%")[0].split()[-1])
    assert shown == pytest.approx(float(highest.strip("'%")), rel=0.01)
    page.keyboard.press("Tab")  # into the panel
    page.keyboard.press("Tab")  # to what can be told
    page.keyboard.type("100000")
    page.keyboard.press("Enter")
    wait_for_text(widget, "drawn at random from 100,000 people")
    assert value_of(page, "inspector.figures['journalist']['population_size']") == (
        "100000"
    )
    label = page.evaluate("() => document.activeElement.labels[0].textContent")
    assert "so many people" in label  # the focus stays where it was
    for key in ("b", "a", "x", "Control+z"):
        page.keyboard.press(key)
    widget.get_by_role("tab", name="Risk").press("b")
    assert page.evaluate(CELLS) == before


def test_an_impossible_population_is_an_error_in_words(page, axe):
    widget = inspector_of(page)
    widget.get_by_label("The table was drawn from").fill("299")
    widget.get_by_role("button", name="Estimate").click()
    alert = widget.get_by_role("alert")
    alert.get_by_text("population_size is 299, but must be an integer").wait_for()
    axe(page, WIDGET)
    widget.get_by_label("The table was drawn from").fill("3000")
    widget.get_by_role("button", name="Estimate").click()
    wait_for_text(widget, "drawn at random from 3,000 people")


def test_drilling_down_into_a_class(page, value_of, axe):
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Classes").click()
    button = widget.get_by_role("button", name="Details of class").first
    number = int(button.get_attribute("aria-label").split()[-1].replace(",", "")) - 1
    button.press("Enter")
    title = widget.get_by_role("heading", name=f"Class {number + 1}")
    title.wait_for()
    assert page.evaluate(FOCUSED).startswith(f"Class {number + 1}: ")
    details = widget.locator(".skanon-insp-details")
    size = value_of(page, f"inspector._class_costs(0).details({number})['size']")
    assert f"{size} records" in title.inner_text()
    names = details.get_by_role("table", name="What the class publishes")
    assert names.get_by_role("rowheader").all_inner_texts() == ["age", "town", "job"]
    assert details.get_by_role("table", name="“ill” in the class").count() == 1
    axe(page, WIDGET)
    page.keyboard.press("Escape")
    assert details.count() == 0
    assert page.evaluate("() => document.activeElement.ariaLabel") == (
        f"Details of class {number + 1}"
    )
    order = widget.get_by_label("Ordered by")
    order.focus()
    order.select_option("record")
    losses = widget.locator(".skanon-insp-costliest td:nth-child(4)").all_inner_texts()
    assert [float(x) for x in losses] == sorted(map(float, losses), reverse=True)
    assert page.evaluate("() => document.activeElement.value") == "record"


def test_the_lower_bound_is_computed_when_it_is_asked_for(page, value_of, axe):
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Loss").click()
    widget.get_by_role("button", name="Compute the lower bound").press("Enter")
    wait_for_text(widget, "No release of this table with k = 4")
    status = widget.locator("[role=status].skanon-hidden")
    assert "No release of this table" in status.text_content()
    focus = "() => document.activeElement.closest('.skanon-inspector') !== null"
    assert page.evaluate(focus)  # the button that was pressed is gone
    axe(page, WIDGET)
    assert "gap" in value_of(page, "inspector.figures['bound']")


def test_two_releases_side_by_side(open_notebook, axe):
    page = open_notebook([TABLE, TWO])
    widget = inspector_of(page)
    wait_for_text(widget, f"“{HOSTILE}” is safer for those at most risk")
    wait_for_text(widget, "“k = 4” loses less")
    titles = widget.locator(".skanon-insp-title").all_inner_texts()
    assert [x.split("\n")[-1].strip() for x in titles] == ["Ak = 4", f"B{HOSTILE}"]
    for name in TABS:
        widget.get_by_role("tab", name=name).click()
        axe(page, WIDGET)
    bars = widget.locator("figure svg").first.locator("g").first.locator("rect")
    assert bars.count() == 3  # the original and both releases
    widget.get_by_role("tab", name="Classes").click()
    widget.get_by_role("button", name="of B").first.click()
    widget.locator(".skanon-insp-details").wait_for()
    axe(page, WIDGET)


def test_hostile_names_are_text(open_notebook):
    page = open_notebook([TABLE, TWO])
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
    widget = inspector_of(page)
    for name in TABS:
        widget.get_by_role("tab", name=name).click()
        assert widget.locator("img").count() == 0
        assert HOSTILE in widget.inner_text()
    widget.get_by_role("tab", name="Classes").click()
    widget.get_by_role("button", name="Details of class").first.click()
    widget.locator(".skanon-insp-details").wait_for()
    assert widget.locator("img").count() == 0
    assert not dialogs


def test_dark_and_light(open_notebook, switch_theme, axe):
    page = open_notebook([TABLE, TWO], dark=True)
    widget = inspector_of(page)
    for dark in (True, False):
        switch_theme(page, dark=dark)
        for name in TABS:
            widget.get_by_role("tab", name=name).click()
            axe(page, WIDGET)


def test_every_figure_of_a_chart_is_in_a_table(page, axe):
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Distributions").click()
    for more in widget.locator("summary").all():
        more.press("Enter")
    axe(page, WIDGET)
    table = widget.get_by_role("table", name="Distribution of town")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert heads == ["town", "original", "this release"]
    assert HOSTILE in table.get_by_role("rowheader").all_inner_texts()
    image = widget.get_by_role("img", name="Distribution of town")
    assert "is highest at" in image.get_attribute("aria-label")


def test_it_fits_into_a_narrow_window(open_notebook):
    page = open_notebook([TABLE, TWO], width=800)
    widget = inspector_of(page)
    for name in TABS:
        widget.get_by_role("tab", name=name).click()
        wide, room = widget.evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert wide <= room, name


def test_two_views_stay_in_step(open_notebook):
    page = open_notebook([TABLE, ONE, "inspector"])
    inspector_of(page)
    first, second = page.locator(WIDGET).all()
    second.get_by_role("tab", name="Loss").click()
    assert first.get_by_role("tabpanel", name="Risk").is_visible()
    first.get_by_label("The table was drawn from").fill("5000")
    first.get_by_role("button", name="Estimate").click()
    wait_for_text(first, "drawn at random from 5,000 people")
    second.get_by_role("tab", name="Risk").click()
    wait_for_text(second, "drawn at random from 5,000 people")


def test_details_open_in_the_view_that_asked_for_them(open_notebook):
    page = open_notebook([TABLE, ONE, "inspector"])
    inspector_of(page)
    first, second = page.locator(WIDGET).all()
    for view in (first, second):
        view.get_by_role("tab", name="Classes").click()
    first.get_by_role("button", name="Details of class").first.click()
    first.locator(".skanon-insp-details").wait_for()
    second.get_by_role("button", name="Details of class").nth(1).click()
    second.locator(".skanon-insp-details").wait_for()
    shown = [x.locator(".skanon-insp-details h3").inner_text() for x in (first, second)]
    assert shown[0] != shown[1]


def test_a_class_of_few_records_is_counted_and_not_shown(open_notebook, axe):
    page = open_notebook([TABLE, WHOLE])
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Classes").click()
    listed = widget.locator(".skanon-insp-costliest")
    few = "not shown: The class has fewer than 3 records."
    assert few in listed.inner_text()
    assert "job-of-person" not in listed.inner_text()
    widget.get_by_role("button", name="Details of class").first.click()
    details = widget.locator(".skanon-insp-details")
    details.wait_for()
    wait_for_text(details, "What it publishes is not shown. The class has fewer than 3")
    cells = details.get_by_role("table", name="What the class publishes")
    assert cells.get_by_role("cell", name="not shown").count() == 3
    axe(page, WIDGET)


@pytest.fixture
def saving_state(lab):
    """Let JupyterLab write the widgets' state into notebooks."""
    folder = lab.folder.parent / "settings" / "@jupyter-widgets" / "jupyterlab-manager"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "plugin.jupyterlab-settings"
    path.write_text(json.dumps({"saveState": True}))
    yield
    path.unlink()


def test_the_saved_notebook_holds_no_record_and_opens_again(
    open_notebook, lab, saving_state
):
    page = open_notebook([TABLE, ONE])
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Classes").click()
    widget.get_by_role("button", name="Details of class").first.click()
    widget.locator(".skanon-insp-details").wait_for()
    page.evaluate("() => { void jupyterapp.commands.execute('docmanager:save') }")
    page.wait_for_function(
        "() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=20_000
    )
    saved = json.loads(page.notebook.read_text())
    states = saved["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]
    assert "achieved_k" in json.dumps(states["state"])
    saved["cells"] = saved["cells"][1:]  # the first one writes the records
    text = json.dumps(saved)
    assert "job-of-person" not in text
    assert "Risk of being found, by attacker" in text  # where no front end runs
    page.reload()
    widget = inspector_of(page)
    widget.get_by_role("tab", name="Classes").click()
    widget.get_by_role("button", name="Details of class").first.click()
    widget.locator(".skanon-insp-details").wait_for()  # Python still answers

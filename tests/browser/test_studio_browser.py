"""Stories of a data steward who makes a release in the studio."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

pytestmark = pytest.mark.browser

STUDIO = ".skanon-studio"
COLUMNS = ".skanon-columns"
HOSTILE = "<img src=x onerror=alert(1)>"
RELEASED = 300_000  # milliseconds; two cores may be shared with other work

ADULT = """
from skanon.datasets import load_adult
from skanon_widgets import AnonymizationStudio
columns = ["age", "workclass", "education", "marital-status", "occupation", "race",
           "sex", "native-country"]
studio = AnonymizationStudio(load_adult().frame[[*columns, "income"]])
studio
"""
PEOPLE = f"""
import numpy as np, pandas as pd
from skanon_widgets import AnonymizationStudio, HierarchiesEditor

rng = np.random.RandomState(0)
n = 300
people = pd.DataFrame({{
    "name": [f"name-of-person-{{i}}" for i in range(n)],
    "age": rng.randint(20, 70, n),
    "{HOSTILE}": rng.choice(["Kiel", "Ulm", "Bern", "Basel", "{HOSTILE}"], n),
    "ill": rng.choice(["flu", "cold", "{HOSTILE}"], n, p=[0.6, 0.3, 0.1]),
}})
"""
SHOWN = "studio = AnonymizationStudio(people); studio"
SLOW = """
slow = pd.DataFrame({f"x{i}": rng.rand(6000).round(3) for i in range(6)})
studio = AnonymizationStudio(slow)
for column in slow:
    studio.set_role(column, "quasi-identifier")
studio.set(algorithm="agglomerative")
studio
"""
CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"
FOCUSED = """() => {
  const node = document.activeElement;
  return node.getAttribute("aria-label") || node.textContent;
}"""


def studio_of(page, nth=0):
    widget = page.locator(STUDIO).nth(nth)
    widget.get_by_role("heading").first.wait_for()
    return widget


def tab_to(page, name, key="Tab"):
    """Press Tab until something of this name has the focus."""
    for _ in range(80):
        if page.evaluate(FOCUSED) == name:
            return
        page.keyboard.press(key)
    raise AssertionError(f"no Tab leads to {name!r}")


def next_step(page, title):
    """Go on by keyboard: back to the button on top, and press it."""
    tab_to(page, "Next", "Shift+Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=title).wait_for()
    assert page.evaluate(FOCUSED) in ("Next", title)


def go(widget, step):
    widget.get_by_role("button", name=step).click()
    button = widget.get_by_role("button", name=step)
    button.and_(widget.locator("[aria-current=step]")).wait_for()


def release(widget):
    go(widget, "Release")
    widget.get_by_role("button", name="Make").click()
    widget.locator(".skanon-studio-figures").wait_for(timeout=RELEASED)


def content_of(page, button):
    with page.expect_download() as waiting:
        button()
    path = waiting.value.path()
    return waiting.value.suggested_filename, path.read_bytes()


def test_from_import_to_the_first_release_of_adult_by_keyboard(
    open_notebook, value_of, axe
):
    page = open_notebook([ADULT])
    widget = studio_of(page)
    before = page.evaluate(CELLS)
    widget.get_by_role("button", name="Columns").focus()
    tab_to(page, "Role of income")
    page.keyboard.type("sens")
    widget.get_by_text("You have marked it as sensitive").first.wait_for()
    assert page.evaluate(FOCUSED) == "Role of income"  # drawn anew, focus kept
    axe(page, STUDIO)
    next_step(page, "What may values become?")
    axe(page, COLUMNS)
    next_step(page, "What shall the release promise?")
    tab_to(page, "k")
    page.keyboard.press("Control+a")
    page.keyboard.type("10")
    widget.get_by_text("Each person hides among at least 10;").first.wait_for()
    widget.get_by_text("It takes some").first.wait_for()
    tab_to(page, "Add a constraint")
    page.keyboard.press("Enter")
    widget.get_by_text("Possible in “income”").first.wait_for()
    axe(page, STUDIO)
    next_step(page, "Release")
    tab_to(page, "Make the release")
    page.keyboard.press("Enter")
    widget.locator(".skanon-studio-figures").wait_for(timeout=RELEASED)
    page.locator(".skanon-insp-tiles").wait_for()
    axe(page, STUDIO)
    levels = page.locator(".skanon-insp-tiles .skanon-severity").all_inner_texts()
    assert [x.strip() for x in levels] == ["✓ Good", "! Look", "! Look", "✓ Good"]
    tab_to(page, "Download CSV")
    name, content = content_of(page, lambda: page.keyboard.press("Enter"))
    table = pd.read_csv(io.BytesIO(content))
    assert name == "release.csv" and len(table) == 45_222
    sizes = table.groupby(list(table.columns[:-1]), dropna=False).size()
    assert sizes.min() >= 10
    for key in ("b", "a", "x", "Control+z"):
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == before
    assert value_of(page, "studio.anonymizer.k, studio.step") == "(10, 3)"


def test_mistakes_are_explained_in_words(open_notebook, value_of, axe):
    page = open_notebook([PEOPLE, SHOWN])
    widget = studio_of(page)
    for name in ("age", HOSTILE, "ill"):
        widget.get_by_label(f"Role of {name}").select_option("other")
    widget.get_by_text("No column is a quasi-identifier").first.wait_for()
    axe(page, STUDIO)
    widget.get_by_label("Role of age").select_option("quasi-identifier")
    widget.get_by_label(f"Role of {HOSTILE}").select_option("quasi-identifier")
    widget.get_by_text("Published as it is: “ill”").first.wait_for()
    go(widget, "Privacy")
    widget.get_by_text("mark a column as sensitive first").first.wait_for()
    field = widget.get_by_label("k", exact=True)
    field.fill("301")
    widget.get_by_text("Choose k of at most 300").first.wait_for()
    assert widget.get_by_role("button", name="Privacy to be mended").count() == 1
    axe(page, STUDIO)
    assert widget.get_by_role("button", name="Columns Danger").count() == 1
    go(widget, "Release")
    widget.get_by_text("Choose k of at most 300").first.wait_for()
    assert widget.get_by_role("button", name="Make the release").is_disabled()
    axe(page, STUDIO)
    go(widget, "Privacy")
    field.fill("many")
    field.press("Tab")
    widget.get_by_role("alert").get_by_text("“many” cannot be taken").first.wait_for()
    assert field.input_value() == "301"
    field.fill("4")
    widget.get_by_text("Possible. Each person hides among at least 4").first.wait_for()
    go(widget, "Columns")
    widget.get_by_label("Role of ill").select_option("sensitive")
    go(widget, "Privacy")
    widget.get_by_role("button", name="Add a constraint").click()
    level = widget.get_by_label("l of constraint 1")
    widget.get_by_text("l can be at most").first.wait_for()
    level.fill("9")
    widget.get_by_text("Impossible in “ill”: The table reaches l = ").first.wait_for()
    axe(page, STUDIO)
    widget.get_by_label("Constraint 1", exact=True).select_option("t-closeness")
    widget.get_by_label("t of constraint 1").wait_for()
    widget.get_by_text("Possible in “ill”").first.wait_for()
    found = value_of(page, "studio._settings.constraints")
    assert found == "(TCloseness(t=0.2),)"
    widget.get_by_role("button", name="Remove constraint 1").click()
    widget.get_by_label("Constraint 1", exact=True).wait_for(state="detached")
    assert page.evaluate("() => document.activeElement !== document.body")


def test_hierarchies_are_chosen_and_edited(open_notebook, value_of, axe):
    page = open_notebook([PEOPLE, SHOWN])
    widget = studio_of(page)
    before = page.evaluate(CELLS)
    go(widget, "Hierarchies")
    listed = page.locator(COLUMNS)
    listed.get_by_role("button", name=f"Edit {HOSTILE}").press("Enter")
    tree = page.get_by_role("tree")
    tree.wait_for()
    assert page.evaluate(FOCUSED) == f"Close {HOSTILE}"
    axe(page, COLUMNS)
    assert page.locator(f"{COLUMNS} img").count() == 0
    value_of(
        page,
        "studio.hierarchies.editor(studio.hierarchies.opened)"
        ".edit('move', names=['Ulm'], parent=1)",
    )
    listed.get_by_text("1 value is in no group").first.wait_for()
    widget.get_by_text("1 value is in no group").first.wait_for()
    axe(page, COLUMNS)
    go(widget, "Release")
    assert widget.get_by_role("button", name="Make the release").is_disabled()
    go(widget, "Hierarchies")
    select = listed.get_by_label(f"What values of {HOSTILE} may become")
    select.focus()
    select.select_option("sets")
    listed.get_by_text("such as {a, b}").first.wait_for()
    listed.get_by_role("button", name="Edit age").click()
    listed.get_by_label("What values of age may become").select_option("groups")
    row = listed.get_by_role("row").filter(has=page.get_by_label("Close age"))
    row.get_by_text("no groups yet").wait_for()
    listed.get_by_role("button", name="Close age").press("Enter")
    page.locator(".skanon-editor").wait_for(state="detached")
    for key in ("b", "a", "x", "Control+z"):
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == before
    assert "Subsets()" in value_of(page, "studio.hierarchies.hierarchies")


def test_dangers_stand_above_the_downloads(open_notebook, axe):
    page = open_notebook([PEOPLE, SHOWN])
    widget = studio_of(page)
    widget.get_by_label("Role of name").select_option("other")
    widget.get_by_label("Role of ill").select_option("sensitive")
    release(widget)
    dangers = widget.locator(".skanon-finding-danger")
    texts = dangers.all_inner_texts()
    assert "300 of 300 records are alone with their value" in texts[0]
    assert "“ill” of" in texts[1] and "people is given away" in texts[1]
    below = widget.get_by_role("button", name="Download CSV").bounding_box()
    for at in range(2):
        box = dangers.nth(at).bounding_box()
        assert box["y"] + box["height"] < below["y"]
    inspector = page.locator(".skanon-inspector")
    inspector.get_by_text("the risks below").wait_for()
    assert inspector.locator(".skanon-insp-tile .skanon-is-danger").count() == 3
    axe(page, STUDIO)
    axe(page, ".skanon-inspector")
    widget.get_by_role("button", name="Undo: role of ill").wait_for()


def test_a_run_is_cancelled_and_the_kernel_stays_free(open_notebook, value_of, axe):
    page = open_notebook([PEOPLE, SLOW])
    widget = studio_of(page)
    go(widget, "Release")
    widget.get_by_role("button", name="Make the release").press("Enter")
    progress = widget.get_by_text("comparisons")
    progress.first.wait_for(timeout=RELEASED)
    assert page.evaluate(FOCUSED) == "Cancel"
    axe(page, STUDIO)
    assert value_of(page, "studio._background.state, 6 * 7") == "('running', 42)"
    page.keyboard.press("Enter")
    widget.get_by_text("Cancelled. Nothing was changed.").first.wait_for()
    axe(page, STUDIO)
    assert page.evaluate(FOCUSED) == "Make the release"
    assert value_of(page, "studio._background.state") == "'cancelled'"


def test_what_can_be_downloaded(open_notebook, value_of, axe):
    page = open_notebook([PEOPLE, SHOWN])
    widget = studio_of(page)
    widget.get_by_label("Role of ill").select_option("sensitive")
    release(widget)
    found = {}
    for label in ("CSV", "Parquet", "Code (Python)", "Policy (JSON)"):
        button = widget.get_by_role("button", name=f"Download {label}")
        name, content = content_of(page, button.click)
        found[name] = content
    assert set(found) == {
        "release.csv",
        "release.parquet",
        "release.py",
        "policy.json",
    }
    table = pd.read_parquet(io.BytesIO(found["release.parquet"]))
    assert len(table) == 300 and "name" not in table.columns
    policy = json.loads(found["policy.json"])
    assert value_of(page, f"studio.policy == {policy!r}") == "True"
    widget.get_by_role("button", name="Show the code").press("Enter")
    code = widget.get_by_role("region", name="Code")
    code.wait_for()
    assert code.inner_text().strip() == found["release.py"].decode().strip()
    axe(page, STUDIO)
    assert widget.locator("img").count() == 0
    figures = widget.locator(".skanon-studio-figures").inner_text()
    go(widget, "Privacy")
    widget.get_by_label("What is written").select_option("bounds")
    release(widget)
    code.wait_for(state="detached", timeout=RELEASED)  # that is of an earlier release
    assert widget.locator(".skanon-studio-figures").inner_text() == figures
    widget.get_by_role("button", name="Show the code").press("Enter")
    code.get_by_text("encode='bounds'").wait_for()
    widget.get_by_role("button", name="Hide the code").press("Enter")
    code.wait_for(state="detached")
    go(widget, "Privacy")
    widget.get_by_label("k", exact=True).fill("7")
    widget.get_by_text("at least 7;").first.wait_for()
    go(widget, "Release")
    widget.get_by_text("The settings have changed since").first.wait_for()
    axe(page, STUDIO)


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
def test_each_step_in_both_themes_and_narrow(open_notebook, axe, dark):
    page = open_notebook([PEOPLE, SHOWN], dark=dark, width=800)
    widget = studio_of(page)
    widget.get_by_label("Role of ill").select_option("sensitive")
    for step in ("Columns", "Hierarchies", "Privacy", "Release"):
        go(widget, step)
        axe(page, STUDIO)
        for box in page.locator(".skanon-widget").all():
            inside = box.evaluate("x => x.scrollWidth <= x.clientWidth + 1")
            assert inside, f"{step} is wider than its cell"
    page.locator(STUDIO).get_by_role("button", name="Make the release").click()
    widget.locator(".skanon-studio-figures").wait_for(timeout=RELEASED)
    page.locator(".skanon-insp-tiles").wait_for()
    axe(page, STUDIO)


def test_hostile_names_and_values_are_text(open_notebook):
    page = open_notebook([PEOPLE, SHOWN])
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
    widget = studio_of(page)
    widget.get_by_label("Role of ill").select_option("sensitive")
    assert HOSTILE in widget.inner_text()
    go(widget, "Privacy")
    widget.get_by_role("button", name="Add a constraint").click()
    widget.get_by_text("l can be at most").first.wait_for()
    release(widget)
    assert page.locator(f"{STUDIO} img").count() == 0
    assert not dialogs


def test_two_views_show_the_same_and_a_download_comes_once(open_notebook):
    page = open_notebook([PEOPLE, SHOWN, "studio"])
    first, second = studio_of(page), studio_of(page, 1)
    go(first, "Privacy")
    second.get_by_label("k", exact=True).fill("6")
    first.get_by_text("Each person hides among at least 6;").first.wait_for()
    assert first.get_by_label("k", exact=True).input_value() == "6"
    release(second)
    downloads = []
    page.on("download", lambda one: downloads.append(one.suggested_filename))
    content_of(page, first.get_by_role("button", name="Download CSV").click)
    page.wait_for_timeout(500)
    assert downloads == ["release.csv"]
    go(first, "Hierarchies")
    assert page.locator(COLUMNS).count() == 2


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
    open_notebook, saving_state, axe
):
    page = open_notebook([PEOPLE, SHOWN])
    widget = studio_of(page)
    widget.get_by_label("Role of ill").select_option("sensitive")
    go(widget, "Hierarchies")
    page.get_by_role("button", name=f"Edit {HOSTILE}").click()
    page.get_by_role("tree").wait_for()
    release(widget)
    page.locator(".skanon-insp-tiles").wait_for()
    content_of(page, widget.get_by_role("button", name="Download CSV").click)
    page.evaluate("() => { void jupyterapp.commands.execute('docmanager:save') }")
    page.wait_for_function(
        "() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=20_000
    )
    saved = json.loads(page.notebook.read_text())
    states = saved["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]
    assert "achieved_k" in json.dumps(states["state"])
    saved["cells"] = saved["cells"][1:]  # the first one writes the records
    text = json.dumps(saved)
    assert "name-of-person" not in text
    assert "Anonymization studio" in text  # where no front end runs
    page.reload()
    widget = studio_of(page)
    widget.locator(".skanon-studio-figures").wait_for()
    page.locator(".skanon-insp-tiles").wait_for()
    go(widget, "Privacy")  # Python still answers
    widget.get_by_label("k", exact=True).fill("9")
    widget.get_by_text("Each person hides among at least 9;").first.wait_for()
    axe(page, STUDIO)


def test_the_editor_of_hierarchies_alone(open_notebook, value_of, axe):
    page = open_notebook(
        [PEOPLE, "editor = HierarchiesEditor(people.drop(columns='name')); editor"],
        width=800,
    )
    listed = page.locator(COLUMNS)
    listed.get_by_role("button", name="Edit age").wait_for()
    axe(page, COLUMNS)
    listed.get_by_role("button", name="Edit age").focus()
    tab_to(page, "Edit ill")
    page.keyboard.press("Enter")
    page.get_by_role("tree").wait_for()
    assert page.evaluate(FOCUSED) == "Close ill"
    tab_to(page, "What values of ill may become", "Shift+Tab")
    page.keyboard.press("ArrowDown")
    listed.get_by_text("such as {a, b}").first.wait_for()
    axe(page, COLUMNS)
    assert "'ill': Subsets()" in value_of(page, "editor.hierarchies")


def test_after_a_restart_of_the_kernel(open_notebook, value_of):
    page = open_notebook([PEOPLE, SHOWN])
    studio_of(page)
    page.evaluate(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
        " === 'idle'"
    )
    page.evaluate(
        "() => { void jupyterapp.commands.execute('notebook:run-all-cells') }"
    )
    page.wait_for_function("() => document.querySelectorAll('.skanon-studio').length")
    page.get_by_label("Role of ill").last.select_option("sensitive")
    widget = page.locator(STUDIO).last
    widget.get_by_text("You have marked it as sensitive").first.wait_for()
    release(widget)
    assert value_of(page, "studio.anonymizer.k") == "5"

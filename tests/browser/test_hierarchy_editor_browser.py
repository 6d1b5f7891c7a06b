"""Stories of somebody who edits a hierarchy in JupyterLab."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

EDUCATION = """
import pandas as pd
from skanon_widgets import HierarchyEditor
counts = {"Bachelors": 50, "Doctorate": 4, "HS-grad": 105, "Masters": 17,
          "Preschool": 1, "Some-college": 72, "11th": 11}
column = pd.Series([x for x, n in counts.items() for _ in range(n)], name="education")
editor = HierarchyEditor(column)
editor
"""
IS_BUILT = (
    "from skanon.hierarchies import from_nested; rebuilt = {}; "
    "exec(editor.to_code(), rebuilt); "
    "print(editor.hierarchy == rebuilt['education'] == from_nested({'*': "
    "{'Higher': {'Degree': ['Bachelors', 'Doctorate', 'Masters'], "
    "'Some-college': None}, 'School': ['11th', 'HS-grad', 'Preschool']}}))"
)
CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"
FOCUSED = "() => document.activeElement.querySelector('.skanon-name')?.textContent"


class Story:
    """A page with one editor, and what its user does there."""

    def __init__(self, page, index=0):
        self.page = page
        self.editor = page.locator(".skanon-editor").nth(index)
        self.editor.locator(".skanon-row").first.wait_for()

    def row(self, name):
        return self.editor.get_by_role("treeitem").filter(
            has=self.page.get_by_text(name, exact=True)
        )

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def name_it(self, name):
        self.page.get_by_role("dialog").wait_for()
        self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("dialog").wait_for(state="detached")

    def go(self, name):
        """Reach a row by typing how it begins."""
        self.page.wait_for_timeout(600)
        self.page.keyboard.type(name[:4])
        assert self.page.evaluate(FOCUSED) == name

    def said(self, words):
        self.editor.locator(".skanon-hidden[role=status]").filter(
            has_text=words
        ).wait_for(state="attached")

    def names(self):
        return self.editor.locator(".skanon-name").all_text_contents()


@pytest.fixture
def story(open_notebook):
    return Story(open_notebook([EDUCATION]))


def test_build_the_education_hierarchy_by_keyboard(story, value_of, axe):
    page, cells = story.page, story.page.evaluate(CELLS)
    axe(page, ".skanon-editor")
    story.row("*").focus()
    story.go("Bachelors")
    story.press("Shift+ArrowDown", "Control+ArrowDown", "Control+ArrowDown", " ")
    assert story.editor.locator(".skanon-row[aria-selected=true]").count() == 3
    story.press("Control+g")
    axe(page, ".skanon-editor")
    story.name_it("Degree")
    story.said("Add group 'Degree' with 3 values.")
    assert page.evaluate(FOCUSED) == "Degree"
    story.press("Control+g")
    story.name_it("Higher")
    story.said("Add group 'Higher'")
    story.go("Some-college")
    story.press("Control+x")
    story.said("cut")
    story.go("Higher")
    story.press("Control+v")
    story.said("Move 'Some-college' into 'Higher'.")
    story.go("HS-grad")
    story.press("Shift+ArrowDown", "Control+g")
    story.name_it("Skool")
    story.said("Add group 'Skool' with 2 values.")
    story.press("F2")
    story.name_it("School")
    story.said("Rename")
    story.go("11th")
    story.press("Control+m")
    page.get_by_role("dialog").wait_for()
    axe(page, ".skanon-editor")
    story.name_it("scho")
    story.said("Move '11th' into 'School'.")
    story.press("Home", "Control+z", "Control+z", "Control+Shift+z", "Control+y")
    story.said("Done again: Move '11th' into 'School'.")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Sort everything by name").click()
    story.said("Sort by name.")
    assert value_of(page, "print(editor.valid)") == "True\n"
    assert value_of(page, IS_BUILT) == "True\n"
    axe(page, ".skanon-editor")
    assert page.evaluate(CELLS) == cells


def test_build_it_by_mouse(story, value_of, axe):
    page = story.page
    story.row("Bachelors").click()
    story.row("Masters").click(modifiers=["Control"])
    story.row("Doctorate").click(modifiers=["Control"])
    page.get_by_role("button", name="Group…", exact=True).click()
    story.name_it("Degree")
    story.said("Add group 'Degree'")
    story.row("*").click()
    for name in ("Higher", "School"):
        page.get_by_role("button", name="Add group…").click()
        story.name_it(name)
        story.said(f"Add group '{name}'.")
        if name == "Higher":
            story.row("*").click()
    story.editor.get_by_text("The group 'School' is empty").wait_for()
    axe(page, ".skanon-editor")
    story.row("Degree").drag_to(story.row("Higher"))
    story.said("Move 'Degree' into 'Higher'.")
    story.row("Some-college").drag_to(story.row("Higher"))
    story.said("Move 'Some-college' into 'Higher'.")
    story.row("11th").click()
    story.row("Preschool").click(modifiers=["Shift"])
    assert story.editor.locator(".skanon-row[aria-selected=true]").count() == 3
    story.row("HS-grad").drag_to(story.row("School"))
    story.said("Move 3 values into 'School'.")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Sort everything by name").click()
    story.editor.get_by_role("alert").get_by_text("in this order already").wait_for()
    axe(page, ".skanon-editor")
    sorted_levels = "[sorted(set(level)) for level in editor.hierarchy.levels]"
    assert value_of(page, f"print({sorted_levels})") == (
        "[['Degree', 'School', 'Some-college'], ['Higher', 'School'], ['*']]\n"
    )


HOSTILE = """
from skanon_widgets import HierarchyEditor
bad = "<img src=x onerror='window.hacked = 1'>"
editor = HierarchyEditor(
    [bad, "b", "</div><script>window.hacked = 1</script>"], {bad + "!": [bad, "b"]},
    name=bad,
)
editor
"""


def test_hostile_names_are_text(open_notebook, axe):
    story = Story(open_notebook([HOSTILE]))
    page, bad = story.page, "<img src=x onerror='window.hacked = 1'>"
    assert bad + "!" in story.names() and bad in story.names()
    assert story.editor.get_by_text(f"Hierarchy of {bad}").count()
    story.row(bad).click()
    page.get_by_role("button", name="Group…", exact=True).click()
    story.name_it(bad + bad)
    story.said(bad + bad)
    page.get_by_role("button", name="Move to…").click()
    assert page.get_by_role("option", name=bad + bad).count()
    page.keyboard.press("Escape")
    story.editor.get_by_text("1 value is in no group").wait_for()
    axe(page, ".skanon-editor")
    assert page.evaluate("() => window.hacked === undefined")
    assert not story.editor.locator("img, script").count()


UNDO_LENGTH = """() => {
  const {sharedModel} = jupyterapp.shell.currentWidget.content.activeCell.model;
  return JSON.stringify([sharedModel.source, sharedModel.canUndo(),
    jupyterapp.shell.currentWidget.content.model.cells.length]);
}"""


def test_keys_do_not_leak_into_the_notebook(story):
    page = story.page
    before = page.evaluate(UNDO_LENGTH)
    story.row("*").focus()
    story.press("b", "a", "x", "d", "d", "m", "y", "z", "Shift+z", "Control+z", "i")
    story.press("i", "0", "0", "Control+Shift+z", "Control+x", "Control+v", "Shift+m")
    page.get_by_role("button", name="Add group…").focus()
    story.press("b", "d", "d", "Control+z")
    page.get_by_label("Search groups and values").focus()
    page.keyboard.type("bdd")
    story.press("Control+z", "Control+Shift+z")
    page.get_by_label("Open the tree to level").focus()
    story.press("b", "d", "d")
    page.wait_for_timeout(300)
    assert page.evaluate(UNDO_LENGTH) == before
    assert story.names()[1:] == [
        "11th", "Bachelors", "Doctorate", "HS-grad", "Masters", "Preschool",
        "Some-college",
    ]  # fmt: skip


def test_two_views_stay_in_step(open_notebook, value_of):
    page = open_notebook([EDUCATION, "editor"])
    first, second = Story(page, 0), Story(page, 1)
    first.row("Masters").click()
    page.keyboard.press("Control+g")
    first.name_it("Higher")
    second.row("Higher").wait_for()
    second.row("Doctorate").click()
    page.keyboard.press("Delete")
    first.row("Values in no group").wait_for()
    assert first.names() == second.names()
    assert page.evaluate(FOCUSED) == "*"
    value_of(page, "editor.undo(); editor.undo()")
    first.row("Higher").wait_for(state="detached")
    second.row("Higher").wait_for(state="detached")
    assert first.names() == second.names()
    assert value_of(page, "print(editor.hierarchy.height)") == "1\n"


def test_search_levels_and_uncovered_values(open_notebook, axe, value_of):
    code = EDUCATION.replace("HierarchyEditor(column)", 'HierarchyEditor(column, {"*": '
        '{"School": ["11th", "HS-grad"], "Higher": {"Degree": ["Bachelors", "Masters"],'
        ' "Some-college": None}}})')  # fmt: skip
    story = Story(open_notebook([code]))
    page = story.page
    assert story.names() == [
        "Values in no group", "Doctorate", "Preschool", "*", "School", "Higher"
    ]  # fmt: skip
    axe(page, ".skanon-editor")
    search = page.get_by_label("Search groups and values")
    search.fill("mast")
    story.row("Masters").wait_for()
    search.fill("grad")
    story.editor.get_by_text("1 of 1").wait_for()
    search.press("ArrowDown")
    assert page.evaluate(FOCUSED) == "HS-grad"
    search.fill("xyz")
    story.editor.get_by_text("Nothing found").wait_for()
    axe(page, ".skanon-editor")
    page.get_by_label("Open the tree to level").select_option("1")
    story.row("11th").wait_for(state="detached")
    page.get_by_label("Open the tree to level").select_option("All levels")
    story.row("Bachelors").wait_for()
    story.row("Doctorate").drag_to(story.row("Degree"))
    story.said("Move 'Doctorate' into 'Degree'.")
    story.row("Preschool").click()
    page.keyboard.press("Control+x")
    story.row("11th").click()
    page.keyboard.press("Control+v")
    story.said("Move 'Preschool' into 'School'.")
    story.editor.get_by_text("✓ Valid").wait_for()
    assert "Values in no group" not in story.names()
    assert value_of(page, "print(editor.valid)") == "True\n"
    page.get_by_role("button", name="More").focus()
    page.keyboard.press("Control+z")
    story.said("Undone: Move 'Preschool' into 'School'.")
    assert page.evaluate("() => document.activeElement.textContent") == "More ▾"


def test_dark_and_narrow(open_notebook, axe):
    story = Story(open_notebook([EDUCATION], dark=True, width=800))
    page = story.page
    story.row("Bachelors").click()
    story.row("Masters").click(modifiers=["Shift"])
    axe(page, ".skanon-editor")
    page.keyboard.press("Control+g")
    story.name_it("Group")
    story.row("Group").click()
    page.keyboard.press("Shift+Delete")
    story.editor.get_by_text("4 values are in no group").wait_for()
    axe(page, ".skanon-editor")
    page.get_by_role("button", name="Move to…").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More").click()
    axe(page, ".skanon-editor")
    page.keyboard.press("Escape")
    wide = "() => document.querySelector('.skanon-editor').scrollWidth <= 800"
    assert page.evaluate(wide)


def test_a_saved_notebook_shows_a_summary_and_reopens(story, lab):
    page = story.page
    story.row("Masters").click()
    page.keyboard.press("Control+g")
    story.name_it("Higher")
    story.said("Add group 'Higher'")
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    text = page.notebook.read_text()
    assert "Hierarchy of education" in text and "(7 values, 260 records)" in text
    page.reload()
    story.row("Higher").wait_for()
    story.row("Higher").locator(".skanon-chevron").click()
    assert story.names()[-1:] != ["Higher"] and "Masters" in story.names()


def test_after_a_restart_of_the_kernel(story):
    page = story.page
    page.evaluate(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
        " === 'idle'"
    )
    story.row("Masters").click()
    page.keyboard.press("Delete")
    story.editor.get_by_text("run this cell again").wait_for()
    page.evaluate(
        "() => { void jupyterapp.commands.execute('notebook:run-all-cells') }"
    )
    story.editor.get_by_text("run this cell again").wait_for(state="detached")
    story.row("Masters").click()
    page.keyboard.press("Delete")
    story.said("Delete 'Masters'.")


def test_ranges_and_the_list_of_keys(open_notebook, axe):
    ranges = "from skanon_widgets import HierarchyEditor\nHierarchyEditor([1, 2])"
    page = open_notebook([ranges, EDUCATION])
    page.get_by_text("Any range of the values may be published").wait_for()
    axe(page, ".skanon-editor")
    story = Story(page, 1)
    story.editor.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Keys…").click()
    page.get_by_role("dialog", name="Keys in the tree").wait_for()
    axe(page, ".skanon-dialog")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.textContent") == "More ▾"

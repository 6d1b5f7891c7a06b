"""Stories of numbers: cut points, the table of levels, wizards by keyboard."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

AGE = """
import pandas as pd
from skanon.hierarchies import from_cut_points, from_nested
from skanon_widgets import HierarchyEditor
ages = {17: 3, 22: 9, 25: 12, 31: 20, 38: 14, 46: 9, 59: 5, 64: 4, 71: 2, 90: 1}
column = pd.Series([x for x, n in ages.items() for _ in range(n)], name="age")
editor = HierarchyEditor(column)
editor
"""
TOWN = """
import pandas as pd
from skanon_widgets import HierarchyEditor
towns = ["Basel", "Bern", "Bonn", "Ulm", "<img src=x onerror=alert(1)>"] * 3
editor = HierarchyEditor(pd.Series(towns, name="town"))
editor
"""
CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"
FOCUSED = "() => document.activeElement"


class Story:
    """A page with one editor of numbers."""

    def __init__(self, page):
        self.page = page
        self.editor = page.locator(".skanon-editor")
        self.editor.get_by_role("tablist").wait_for()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def said(self, words):
        self.editor.locator(".skanon-hidden[role=status]").filter(
            has_text=words
        ).wait_for(state="attached")

    def tab(self, name):
        self.editor.get_by_role("tab", name=name, exact=True).click()

    def points(self):
        return self.editor.get_by_role("slider").locator("span").all_text_contents()

    def point(self, text):
        return self.editor.get_by_role("slider").filter(has_text=text)

    def type_it(self, text):
        self.page.get_by_role("dialog").wait_for()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("dialog").wait_for(state="detached")

    def level(self, at):
        items = self.editor.get_by_role("list", name=f"Ranges of level {at}")
        return items.get_by_role("listitem").all_text_contents()

    def cell(self, row, column):
        rows = self.editor.locator(f"[aria-rowindex='{row + 1}']")
        return rows.locator(f"[aria-colindex='{column + 1}']")

    def build(self, name):
        self.editor.get_by_role("button", name="Build").press("Enter")
        self.page.get_by_role("menuitem", name=name, exact=True).press("Enter")
        self.page.get_by_role("dialog", name=name).wait_for()


@pytest.fixture
def story(open_notebook):
    return Story(open_notebook([AGE]))


def test_set_cut_points_for_age_by_keyboard(story, value_of, axe):
    page, cells = story.page, story.page.evaluate(CELLS)
    axe(page, ".skanon-editor")
    story.editor.get_by_role("button", name="Add cut point").press("Enter")
    axe(page, ".skanon-editor")
    story.type_it("30")
    story.said("Add the cut point 30.")
    story.editor.get_by_role("slider").focus()
    story.press("Insert")
    story.type_it("60")
    story.said("Add the cut point 60.")
    story.point("60").press("ArrowRight")
    story.said("Move the cut point 60 to 61.")
    story.press("PageUp")
    story.said("Move the cut point 60 to 71.")
    story.press("Home")
    story.said("Move the cut point 60 to 31.")
    story.press("6")
    story.type_it("5")
    story.said("Move the cut point 31 to 65.")
    story.press("Shift+ArrowUp")
    story.said("Cut level 2 at 65, too.")
    assert story.level(1) == ["< 30 24", "[30, 65) 52", ">= 65 3"]
    assert story.level(2) == ["< 65 76", ">= 65 3"]
    axe(page, ".skanon-editor")
    story.press("Insert")
    story.type_it("20")
    story.said("Add the cut point 20.")
    assert page.evaluate(FOCUSED + ".getAttribute('aria-valuetext')") == (
        "20, cuts 1 level"
    )
    story.press("Delete")
    story.said("Remove the cut point 20.")
    story.press("Control+z")
    story.said("Undone: Remove the cut point 20.")
    story.press("Control+Shift+z", "x", "b", "a")
    story.said("Done again: Remove the cut point 20.")
    assert story.points() == ["30", "65"]
    same = "print(editor.hierarchy == from_cut_points(column, [30, 65], [65]))"
    assert value_of(page, same) == "True\n"
    assert "from_cut_points([17, 22" in value_of(page, "print(editor.to_code())")
    assert page.evaluate(CELLS) == cells
    story.point("30").press("F2")
    story.type_it("soon")
    alert = story.editor.get_by_role("alert")
    alert.get_by_text("'soon' cannot be a cut point").wait_for()
    axe(page, ".skanon-editor")


def test_set_cut_points_for_age_by_mouse(story, value_of, axe, switch_theme):
    page = story.page
    plot = story.editor.locator(".skanon-plot")
    box = plot.bounding_box()
    for share in (0.2, 0.6):
        plot.click(position={"x": box["width"] * share, "y": 100})
        story.said("Add the cut point")
        page.wait_for_timeout(200)
    assert story.points() == ["32", "61"]
    knob = story.point("61").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] - 8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y, steps=3)
    page.mouse.move(box["x"] + box["width"] * 0.45, y, steps=3)
    page.wait_for_function(
        "() => document.querySelectorAll('.skanon-point')[1].textContent === '50'"
    )
    story.editor.get_by_text("[32, 50)").wait_for()  # the preview, before the drop
    assert value_of(page, "print(editor.to_code()[-12:])").endswith("[32, 61])\n")
    page.mouse.up()
    story.said("Move the cut point 61 to 50.")
    story.editor.get_by_role("button", name="One level more").click()
    story.said("Cut level 2 at 50, too.")
    story.editor.get_by_role("button", name="Merge").click()
    story.said("Merge the levels 1 and 2.")
    story.editor.get_by_role("button", name="Undo").click()
    story.said("Undone: Merge the levels 1 and 2.")
    assert len(story.level(2)) == 2
    story.editor.get_by_role("button", name="Remove").click()
    story.said("Remove the cut point 50.")
    assert value_of(page, "print(editor.hierarchy.levels[0][-1])") == ">= 32\n"
    switch_theme(page, dark=True)
    axe(page, ".skanon-editor")


def test_a_wizard_by_keyboard(story, value_of, axe):
    page = story.page
    story.build("Fixed widths")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("10 values in 4 levels.").wait_for()
    axe(page, ".skanon-editor")
    page.keyboard.press("Control+a")
    page.keyboard.type("7, 20")
    page.keyboard.press("Enter")
    dialog.get_by_text("no whole multiple").wait_for()
    axe(page, ".skanon-editor")
    page.keyboard.press("Control+a")
    page.keyboard.type("20, 40")
    dialog.get_by_text("[20, 40): 55").wait_for()
    page.keyboard.press("Enter")
    story.said("Build: Fixed widths (20, 40).")
    story.editor.get_by_text("[0, 20)").wait_for()
    assert story.level(1)[:2] == ["[0, 20) 3", "[20, 40) 55"]
    assert "from_widths([17" in value_of(page, "print(editor.to_code())")
    story.build("Any range")
    axe(page, ".skanon-editor")
    page.keyboard.press("Enter")
    story.said("Build: Any range.")
    assert value_of(page, "print(editor.hierarchy)") == "Intervals()\n"
    story.press("Control+z", "Control+z")
    story.said("Undone: Build: Fixed widths (20, 40).")
    story.build("Outline")
    page.keyboard.press("Control+a")
    page.keyboard.type("young\n 17\n22\n")
    dialog.get_by_text("8 values of the column are not in it").wait_for()
    page.keyboard.press("Escape")
    assert value_of(page, "print(editor.hierarchy)") == "Intervals()\n"


def test_edit_the_level_table(open_notebook, value_of, axe):
    story = Story(open_notebook([TOWN]))
    page, cells = story.page, story.page.evaluate(CELLS)
    story.tab("Table")
    story.cell(1, 0).wait_for()
    axe(page, ".skanon-editor")
    assert story.cell(1, 0).text_content() == "<img src=x onerror=alert(1)>"
    story.cell(2, 1).click()
    story.press("Shift+ArrowDown")
    page.keyboard.type("CH")
    axe(page, ".skanon-editor")
    story.press("Enter")
    story.said("Put 2 values into the new group 'CH'.")
    story.cell(3, 1).filter(has_text="CH").wait_for()
    story.press("ArrowDown", "Shift+ArrowDown", "F2")
    page.keyboard.type("DE")
    story.press("Enter")
    story.said("Put 2 values into the new group 'DE'.")
    story.editor.get_by_role("button", name="Add a level").click()
    story.editor.get_by_text("New level").wait_for()
    page.keyboard.type("South")
    story.press("Enter")
    story.said("South")
    levels = "print(editor.hierarchy.to_frame().values.tolist())"
    assert "['Ulm', 'South', 'DE', '*']" in value_of(page, levels)
    story.tab("Tree")
    story.editor.get_by_role("treeitem").filter(has_text="DE").wait_for()
    story.tab("Table")
    story.editor.get_by_role("button", name="Delete level").click()
    story.said("Delete level 1.")
    story.editor.get_by_label("Search the table").fill("ch")
    page.wait_for_function(
        "() => document.querySelectorAll('[aria-rowindex]').length === 2"
    )
    story.cell(1, 1).click()
    story.press("Delete")
    story.said("Take 'Basel' out of the group.")
    story.press("Control+z", "Control+z", "Control+z")
    story.said("Undone: Put 2 values into the new group 'South'.")
    assert page.evaluate(CELLS) == cells
    story.editor.get_by_label("Search the table").fill("")
    story.cell(5, 0).wait_for()
    story.cell(2, 2).dblclick()
    page.keyboard.type("all")
    story.press("Enter")
    story.said("Rename '*' to 'all'.")
    axe(page, ".skanon-editor")


def test_twenty_thousand_rows_and_a_narrow_dark_page(open_notebook, axe):
    code = """
import pandas as pd
from skanon_widgets import HierarchyEditor
nested = {f"g{g}": [f"v{i:05}" for i in range(g, 20000, 100)] for g in range(100)}
values = [f"v{i:05}" for i in range(20000)]
editor = HierarchyEditor(pd.Series(values, name="code"), {"*": nested})
editor
"""
    story = Story(open_notebook([code], dark=True, width=800))
    story.tab("Table")
    story.cell(1, 1).click()
    story.press("Control+End")
    story.cell(20_000, 2).wait_for()
    assert story.editor.locator("[aria-rowindex]").count() < 80
    story.press("ArrowLeft")
    story.cell(20_000, 1).and_(story.page.locator(":focus")).wait_for()
    # what is typed before Python has sent the first rows again is not lost
    for key in ("Control+Home", "ArrowRight", *"first onx", "Backspace", "e", "Enter"):
        story.page.keyboard.press(key)
    story.cell(1, 1).filter(has_text="first one").wait_for()
    story.page.keyboard.press("Control+End")
    story.page.keyboard.press("ArrowLeft")
    story.page.keyboard.type("last one")
    story.page.keyboard.press("Enter")
    story.cell(20_000, 1).filter(has_text="last one").wait_for()
    axe(story.page, ".skanon-editor")
    overflow = "x => x.scrollWidth - x.clientWidth"
    assert story.editor.evaluate(overflow) <= 0


def test_two_views_of_numbers_stay_in_step(open_notebook, axe):
    page = open_notebook([AGE, "editor"])
    first, second = (page.locator(".skanon-editor").nth(i) for i in (0, 1))
    second.get_by_role("tab", name="Table", exact=True).click()
    second.get_by_text("Any range of the values may be published").wait_for()
    first.get_by_role("button", name="Add cut point").press("Enter")
    page.keyboard.type("31")
    page.keyboard.press("Enter")
    cell = second.locator("[aria-rowindex='2'] [aria-colindex='2']")
    cell.filter(has_text="< 31").click()
    page.keyboard.type("young")
    page.keyboard.press("Enter")
    young = first.get_by_role("listitem").filter(has_text="young")
    young.wait_for()
    second.get_by_role("tab", name="Tree").click()
    second.get_by_role("treeitem").filter(has_text="young").wait_for()
    page.keyboard.press("Control+z")
    young.wait_for(state="detached")
    axe(page, ".skanon-editor")
    second.get_by_role("treeitem").filter(has_text="< 31").wait_for()

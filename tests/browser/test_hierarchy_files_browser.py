"""Stories of files: ARX's are imported, changed and exported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

DATA = Path(os.environ.get("SKANON_DATA", Path(__file__).parents[3] / "shared/data"))
ARX = DATA / "adult_hierarchy_education.csv"

EDUCATION = """
import pandas as pd
from skanon.hierarchies import read_arx, read_json
from skanon_widgets import HierarchyEditor
values = pd.read_csv({arx!r}, sep=";", header=None)[0]
editor = HierarchyEditor(values.iloc[:-1].rename("education"))
editor
"""
TOWN = """
import pandas as pd
from skanon.hierarchies import read_arx, read_json
from skanon_widgets import HierarchyEditor
towns = pd.Series(["Bern", "Basel", "Bonn"] * 3, name="town")
editor = HierarchyEditor(towns, {"*": {"CH": ["Bern", "Basel"], "DE": ["Bonn"]}})
editor
"""


def begin(page):
    editor = page.locator(".skanon-editor")
    editor.get_by_role("tablist").wait_for()
    return editor


def said(editor, words):
    editor.locator(".skanon-hidden[role=status]").filter(has_text=words).wait_for(
        state="attached"
    )


def choose(page, editor, path):
    with page.expect_file_chooser() as chooser:
        editor.get_by_role("button", name="Import").click()
    chooser.value.set_files(path)


def export(page, editor, form):
    editor.get_by_role("button", name="Export").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=form).press("Enter")
    return download.value


@pytest.mark.skipif(not ARX.exists(), reason="needs ARX's files (SKANON_DATA)")
def test_import_arxs_file_and_change_it(open_notebook, value_of, axe, tmp_path):
    page = open_notebook([EDUCATION.format(arx=str(ARX))])
    editor = begin(page)
    choose(page, editor, ARX)
    dialog = page.get_by_role("dialog", name=f"Import {ARX.name}")
    dialog.get_by_text("Groups added").wait_for()
    dialog.get_by_text("Values that the column does not hold: 1").wait_for()
    axe(page, ".skanon-editor")
    page.keyboard.press("Escape")
    assert value_of(page, "print(editor.hierarchy.height)") == "1\n"
    choose(page, editor, ARX)
    dialog.get_by_role("button", name="Replace").click()
    said(editor, f"Import {ARX.name}.")
    arx = f"read_arx({str(ARX)!r})"
    assert value_of(page, f"print(editor.hierarchy == {arx})") == "True\n"
    editor.get_by_role("tab", name="Table", exact=True).click()
    cell = editor.locator("[aria-rowindex='2'] [aria-colindex='2']")
    before = cell.text_content()
    cell.click()
    page.keyboard.type("Another")
    page.keyboard.press("Enter")
    said(editor, "'Another'")
    path = tmp_path / "again.csv"
    download = export(page, editor, "ARX's CSV")
    assert download.suggested_filename == "data_hierarchy_education.csv"
    download.save_as(path)
    assert f";{before};" not in path.read_text().splitlines()[0]
    read = f"print(editor.hierarchy == read_arx({str(path)!r}))"
    assert value_of(page, read) == "True\n"
    choose(page, editor, ARX)
    dialog.get_by_text("Another").first.wait_for()
    dialog.get_by_role("button", name="Replace").click()
    said(editor, f"Import {ARX.name}.")
    page.keyboard.press("Control+z")
    said(editor, f"Undone: Import {ARX.name}.")
    assert value_of(page, read) == "True\n"
    axe(page, ".skanon-editor")


def test_json_keeps_everything_and_mistakes_are_explained(
    open_notebook, value_of, axe, tmp_path
):
    page = open_notebook([TOWN])
    editor = begin(page)
    path = tmp_path / "town.json"
    export(page, editor, "JSON").save_as(path)
    assert value_of(page, f"print(editor.hierarchy == read_json({str(path)!r}))") == (
        "True\n"
    )
    choose(page, editor, path)
    dialog = page.get_by_role("dialog", name="Import town.json")
    dialog.get_by_text("Nothing changes.").wait_for()
    page.keyboard.press("Escape")
    broken = tmp_path / "towns.csv"
    broken.write_text("Bern;CH;*\nBonn;*\n")
    choose(page, editor, broken)
    alert = editor.get_by_role("alert")
    alert.get_by_text("towns.csv, line 2 has 2 field(s)").wait_for()
    axe(page, ".skanon-editor")
    hostile = "<img src=x onerror=alert(1)>"
    broken.write_text(f"Bern;CH;*\nBasel;{hostile};*\nX;CH;*\n")
    choose(page, editor, broken)
    dialog = page.get_by_role("dialog", name="Import towns.csv")
    dialog.get_by_text(f"Basel: CH → {hostile}").wait_for()
    dialog.get_by_text("Values of the column that would be in no group: 1").wait_for()
    axe(page, ".skanon-editor")
    dialog.get_by_role("button", name="Replace").click()
    said(editor, "Import towns.csv.")
    editor.get_by_text("1 value is in no group: 'Bonn'").wait_for()
    assert value_of(page, "print(editor.valid)") == "False\n"
    editor.get_by_role("button", name="Export").press("Enter")
    page.get_by_role("menuitem", name="JSON").press("Enter")
    alert.get_by_text("'Bonn'. Move each into a group").wait_for()

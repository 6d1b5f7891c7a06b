"""Three stories of a data steward who does not program, by mouse and by keyboard."""

from __future__ import annotations

import gzip
import io
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from test_studio_browser import (
    FOCUSED,
    RELEASED,
    STUDIO,
    content_of,
    go,
    release,
    studio_of,
    tab_to,
)

pytestmark = pytest.mark.browser

DATA = Path(os.environ.get("SKANON_DATA", Path(__file__).parents[3] / "shared/data"))
ADULT = DATA / "adult.csv.gz"

ROWS = 8_000
CHANGE = re.compile(r"Change \d+ of")
OPENER = """
from skanon_widgets import AnonymizationStudio
studio = AnonymizationStudio()
studio
"""


def months(folder, name, n, seed):
    """Write a table as it comes from a spreadsheet."""
    code = list(range(n))
    frame = pd.DataFrame(
        {
            "patient": [f"name-of-person-{seed}-{i}" for i in code],
            "born": [
                f"{1 + i * 7 % 28:02d}.{1 + i * 5 % 12:02d}.{1950 + (i + seed) % 40}"
                for i in code
            ],
            "fee": [f"{1 + i % 9},{i % 10}00.50" for i in code],
            "sex": [["male", "Male", "MALE ", "female"][(i + seed) % 4] for i in code],
            "job": [["clerk", "?", "cook", "nurse"][i * 3 % 4] for i in code],
            "diagnosis": [["flu", "cold", "gout"][i % 3] for i in code],
        }
    )
    frame.to_csv(folder / name, sep=";", index=False)
    return frame


@pytest.mark.skipif(not ADULT.exists(), reason="needs raw Adult (SKANON_DATA)")
def test_raw_adult_from_its_file_to_a_safe_release(lab, open_notebook, axe):
    # all 48,842 rows take minutes under l-diversity: docs/widgets.md
    lines = gzip.decompress(ADULT.read_bytes()).splitlines(keepends=True)
    (lab.folder / "adult.csv").write_bytes(b"".join(lines[: 1 + ROWS]))
    page = open_notebook([OPENER])
    clicks = 0

    def click(name, **more):
        nonlocal clicks
        clicks += 1
        page.get_by_role("button", name=name, **more).first.click()

    axe(page, STUDIO)
    click("Open adult.csv")
    widget = studio_of(page)
    widget.get_by_text("adult.csv was read as CSV").first.wait_for()
    widget.get_by_text("cells hold “?”: taken for missing").first.wait_for()
    axe(page, STUDIO)
    click("Repair all 3")
    widget.get_by_text("What was cleaned").wait_for()
    click("Use the suggestions…")
    axe(page, STUDIO)
    click(CHANGE)
    widget.get_by_text("All columns have their suggested roles").wait_for()
    for name in ("sex", "race", "education", "native-country", "workclass"):
        role = widget.get_by_label(f"Role of {name}", exact=True)
        assert role.input_value() == "quasi-identifier"
    assert (
        widget.get_by_label("Role of income", exact=True).input_value() == "sensitive"
    )
    click("Release", exact=True)
    click("Make the release")
    widget.locator(".skanon-studio-figures").wait_for(timeout=RELEASED)
    levels = widget.locator(".skanon-finding").all_inner_texts()
    assert levels and not [x for x in levels if "Danger" in x]
    axe(page, STUDIO)
    clicks += 1
    download = widget.get_by_role("button", name="Download CSV")
    name, content = content_of(page, download.click)
    table = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    assert name == "release.csv" and len(table) == ROWS
    groups = table.groupby([x for x in table if x != "income"])["income"]
    assert groups.size().min() >= 5 and groups.nunique().min() >= 2
    assert clicks <= 12


def test_a_messy_table_and_next_months_by_mouse(lab, open_notebook, axe):
    months(lab.folder, "march.csv", 240, 0)
    page = open_notebook([OPENER])
    page.get_by_role("button", name="Open march.csv").click()
    widget = studio_of(page)
    widget.get_by_role("button", name="Repair all 4").click()
    widget.get_by_text("What was cleaned").wait_for()
    row = widget.get_by_role("row").filter(
        has=page.get_by_label("Role of born", exact=True)
    )
    assert "dates" in row.inner_text()
    widget.get_by_role("button", name="Undo: repairs").click()
    widget.get_by_text("Clean the table first").wait_for()
    assert "text" in row.inner_text()
    widget.get_by_role("button", name="Redo: repairs").click()
    widget.get_by_text("What was cleaned").wait_for()
    widget.get_by_role("button", name="Use the suggestions…").click()
    widget.get_by_role("button", name=CHANGE).click()
    widget.get_by_text("All columns have their suggested roles").wait_for()
    release(widget)
    widget.get_by_role("button", name="Look at rows").click()
    rows = widget.get_by_role("region", name="Rows", exact=True)
    rows.get_by_text("not published").first.wait_for()
    widget.get_by_label("Order of the rows").select_option("most")
    widget.get_by_text("1 to 8 of 240").wait_for()
    axe(page, STUDIO)
    button = widget.get_by_role("button", name="Download Policy")
    _, policy = content_of(page, button.click)
    (lab.folder / "policy.json").write_bytes(policy)
    months(lab.folder, "april.csv", 260, 1)
    broken = months(lab.folder, "may.csv", 260, 2)
    broken.loc[9, "born"] = "soon"
    broken.to_csv(lab.folder / "may.csv", sep=";", index=False)
    page = open_notebook([OPENER])
    page.get_by_label("Settings of a policy").select_option("policy.json")
    page.get_by_role("button", name="Open may.csv").click()
    page.get_by_role("alert").get_by_text("'soon' in row 9 of column 'born'").wait_for()
    page.get_by_role("button", name="Open april.csv").click()
    widget = studio_of(page)
    widget.get_by_text("What was cleaned").wait_for()
    assert (
        widget.get_by_label("Role of diagnosis", exact=True).input_value()
        == "sensitive"
    )
    release(widget)
    assert not widget.locator(".skanon-finding-danger").count()
    button = widget.get_by_role("button", name="Download CSV")
    _, content = content_of(page, button.click)
    table = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    assert len(table) == 260 and "patient" not in table
    assert table.groupby(["born", "fee", "sex", "job"]).size().min() >= 5


def test_a_messy_table_by_keyboard(lab, open_notebook, axe):
    months(lab.folder, "march.csv", 240, 0)
    page = open_notebook([OPENER])
    page.get_by_role("heading", name="Which table?").wait_for()
    page.get_by_role("button", name="Open ").first.focus()
    tab_to(page, "Open march.csv")
    page.keyboard.press("Enter")
    widget = studio_of(page)
    widget.get_by_role("button", name="Columns").focus()
    tab_to(page, "Repair all 4")
    page.keyboard.press("Enter")
    widget.get_by_text("What was cleaned").wait_for()
    tab_to(page, "Use the suggestions…")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({FOCUSED})().startsWith('Change ')")
    page.keyboard.press("Enter")
    widget.get_by_text("All columns have their suggested roles").wait_for()
    go(widget, "Release")
    tab_to(page, "Make the release")
    page.keyboard.press("Enter")
    widget.locator(".skanon-studio-figures").wait_for(timeout=RELEASED)
    tab_to(page, "Look at rows")
    page.keyboard.press("Enter")
    widget.get_by_text("1 to 8 of 240").wait_for()
    assert page.evaluate(FOCUSED) == "Hide the rows"
    tab_to(page, "Next", "Tab")
    page.keyboard.press("Enter")
    widget.get_by_text("9 to 16 of 240").wait_for()
    axe(page, STUDIO)


def test_two_displays_have_landmarks_of_their_own(lab, open_notebook, axe):
    months(lab.folder, "march.csv", 60, 0)
    page = open_notebook(
        [
            OPENER.replace("AnonymizationStudio()", "AnonymizationStudio('march.csv')"),
            "studio",
        ]
    )
    studio_of(page), studio_of(page, 1)
    axe(page, STUDIO)
    names = page.get_by_role("navigation", name="Steps").evaluate_all(
        "all => all.map(x => x.getAttribute('aria-label'))"
    )
    assert names == ["Steps", "Steps, view 2"]

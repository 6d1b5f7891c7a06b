"""How long an edit of a large hierarchy takes until it is seen, in Chromium."""

from __future__ import annotations

import importlib.util
import statistics
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.benchmark, pytest.mark.browser]

_PATH = Path(__file__).parents[1] / "browser" / "conftest.py"
_SPEC = importlib.util.spec_from_file_location("browser_harness", _PATH)
harness = importlib.util.module_from_spec(_SPEC)
sys.modules["browser_harness"] = harness
_SPEC.loader.exec_module(harness)
lab, chromium = harness.lab, harness.chromium
open_notebook, value_of = harness.open_notebook, harness.value_of

LEAVES = 20_000
SECONDS = 0.1

FLAT = f"""
import numpy as np
from skanon_widgets import HierarchyEditor
values = np.array([f"{{i:05}}" for i in range({LEAVES})])
editor = HierarchyEditor(np.repeat(values, 2), name="zip")
editor
"""
DEEP = f"""
import numpy as np
from skanon.hierarchies import from_mask
from skanon_widgets import HierarchyEditor
values = [f"{{i:05}}" for i in range({LEAVES})]
editor = HierarchyEditor(values, from_mask(values), name="zip")
editor
"""

# from the key that a person presses to the frame that shows what it did
EDIT = """(keys) => new Promise((resolve) => {
  const facts = document.querySelector(".skanon-hidden[role=status]");
  const before = facts.textContent;
  const start = performance.now();
  for (const init of keys) {
    document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", {bubbles: true, cancelable: true, ...init}));
  }
  const look = () => {
    const said = facts.textContent;
    if (said === before || said.includes("cut.")) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  };
  look();
})"""
CUT, PASTE = {"key": "x", "ctrlKey": True}, {"key": "v", "ctrlKey": True}
DELETE, UNDO = {"key": "Delete"}, {"key": "z", "ctrlKey": True}
UP, DOWN = {"key": "ArrowUp"}, {"key": "ArrowDown"}
HOME = {"key": "Home"}


@pytest.mark.parametrize("code", [FLAT, DEEP], ids=["flat", "deep"])
# the browser's driver and the kernel belong to other projects
@pytest.mark.filterwarnings("default")
def test_an_edit_of_20000_leaves_is_seen_at_once(open_notebook, value_of, code):
    page = open_notebook([code])
    page.locator(".skanon-row").first.wait_for()
    if code is DEEP:
        page.get_by_label("Open the tree to level").select_option("All levels")
    page.locator(".skanon-leaf").nth(2).click()
    times: dict[str, list[float]] = {"delete": [], "undo": [], "move": []}
    for _ in range(10):
        page.locator(".skanon-leaf").nth(1).click()
        times["delete"].append(page.evaluate(EDIT, [DOWN, DELETE]))
        times["undo"].append(page.evaluate(EDIT, [UNDO]))
        page.locator(".skanon-leaf").nth(1).click()
        times["move"].append(page.evaluate(EDIT, [CUT, DOWN, DOWN, DOWN, PASTE]))
    for what, each in times.items():
        print(f"{what}: median {statistics.median(each):.0f} ms of {len(each)}")
    everything = [x for each in times.values() for x in each]
    median = statistics.median(everything) / 1000
    print(f"all: median {median:.3f} s of {len(everything)}")
    assert value_of(page, "print(len(editor.hierarchy.values))") == f"{LEAVES}\n"
    assert median <= SECONDS

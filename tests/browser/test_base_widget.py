"""The harness and the base class: one button, one error, keys that stay inside."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

PROBE = '''
from skanon.exceptions import HierarchyError
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet

class Probe(SkanonWidget):
    _esm = front_end() + """
export default { render({ model, el: host }) {
  const root = el("div", { class: "skanon-widget probe" });
  host.append(root);
  const stop = guard(root);
  const say = announcer(root);
  const strip = alerts(root, model);
  const out = el("output", { "aria-label": "sum" });
  const field = el("input", { class: "skanon-input", "aria-label": "a name" });
  const button = (text, run) =>
    el("button", { class: "skanon-button", onclick: run }, text);
  root.append(field, out,
    button("add", () => model.send({ do: "add", a: 20, b: 22 })),
    button("fail", () => model.send({ do: "fail" })),
    button("ask", () => dialog(root, { title: "Name?",
      body: [el("input", { class: "skanon-input", "aria-label": "new name" })],
      buttons: [{ label: "Take it", primary: true, run: () => say("taken") }] })),
    menu(root, "More", () => [
      { label: "First", run: () => say("first") },
      { label: "Second", run: () => say("second") },
    ]));
  const leave = connect(root, model, (message) => {
    if (message.kind === "state") out.textContent = message.name;
    if (message.kind === "sum") out.textContent = number(message.sum);
  });
  return () => { stop(); leave(); };
} };
"""
    def _do_open(self):
        self.send({"kind": "state", "name": "<img src=x onerror=alert(1)>"})

    def _do_add(self, a, b):
        self.send({"kind": "sum", "sum": 1000 * (a + b)})

    def _do_fail(self):
        raise HierarchyError("the hierarchy has <b>2</b> roots")

probe = Probe()
probe
'''

CELLS = "() => jupyterapp.shell.currentWidget.content.model.cells.length"


@pytest.fixture
def page(open_notebook):
    page = open_notebook([PROBE])
    page.locator(".probe").wait_for()
    return page


def test_messages_errors_and_hostile_text(page, axe):
    probe = page.locator(".probe")
    result = probe.get_by_label("sum")
    page.wait_for_function("() => document.querySelector('.probe output').textContent")
    assert result.inner_text() == "<img src=x onerror=alert(1)>"
    probe.get_by_role("button", name="add").click()
    page.wait_for_function(
        "() => document.querySelector('.probe output').textContent === '42,000'"
    )
    probe.get_by_role("button", name="fail").click()
    alert = probe.get_by_role("alert")
    alert.get_by_text("the hierarchy has <b>2</b> roots").wait_for()
    axe(page, ".probe")
    alert.get_by_role("button", name="Close this message").click()
    assert alert.text_content() == ""


def test_keys_do_not_reach_the_notebook(page):
    before = page.evaluate(CELLS)
    for name in ("add", "fail", "More"):
        page.locator(".probe").get_by_role("button", name=name).focus()
        for key in ("b", "a", "x", "d", "d", "z", "Control+z", "Shift+m"):
            page.keyboard.press(key)
    page.locator(".probe").get_by_label("a name").focus()
    page.keyboard.type("abc")
    page.wait_for_timeout(200)
    assert page.evaluate(CELLS) == before
    assert page.locator(".probe").get_by_label("a name").input_value() == "abc"


def test_saving_and_tab_still_work(page):
    assert "Probe" not in json.dumps(
        json.loads(page.notebook.read_text())["cells"][0]["outputs"]
    )
    page.locator(".probe").get_by_role("button", name="add").focus()
    page.keyboard.press("Control+s")
    page.wait_for_function(
        "() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=10_000
    )
    outputs = json.loads(page.notebook.read_text())["cells"][0]["outputs"]
    assert "run this cell" in json.dumps(outputs[0]["data"]["text/html"])
    page.keyboard.press("Tab")
    focused = page.evaluate("() => document.activeElement.textContent")
    assert focused == "fail"


def test_dialog_and_menu_keep_and_return_the_focus(page, axe):
    ask = page.locator(".probe").get_by_role("button", name="ask")
    ask.press("Enter")
    page.get_by_role("dialog", name="Name?").wait_for()
    axe(page, ".probe dialog")
    assert page.evaluate("() => document.activeElement.ariaLabel") == "new name"
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.textContent") == "ask"
    ask.press("Enter")
    page.keyboard.press("Enter")
    status = page.locator(".probe [role=status]")
    assert status.text_content() == "taken"
    more = page.locator(".probe").get_by_role("button", name="More")
    more.press("ArrowDown")
    axe(page, ".probe")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert status.text_content() == "second"
    assert page.evaluate("() => document.activeElement.textContent") == "More ▾"


def test_dark_theme(page, axe, switch_theme):
    switch_theme(page, dark=True)
    axe(page, ".probe")


def test_python_can_be_asked(page, value_of):
    assert value_of(page, "type(probe).__name__") == "'Probe'"

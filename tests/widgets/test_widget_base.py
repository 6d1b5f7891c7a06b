"""The base class: messages find their methods, errors are told in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("anywidget")

import skanon_widgets
from skanon.exceptions import HierarchyError
from skanon_widgets._shared.lean import lean
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet


class Probe(SkanonWidget):
    """A widget that keeps what it sends."""

    def __init__(self):
        self.sent = []
        super().__init__()

    def send(self, content, buffers=None):
        self.sent.append(content)

    def _do_add(self, a, b=1):
        self.send({"kind": "sum", "sum": a + b})

    def _do_fail(self):
        raise HierarchyError("the hierarchy has 2 roots")

    def _summary(self):
        return "<p>a &lt; b</p>"


def tell(widget, content):
    """Deliver a message as the front end's would be."""
    widget._handle_custom_msg(content, [])


def test_a_message_reaches_its_method():
    widget = Probe()
    tell(widget, {"do": "add", "a": 2, "b": 3})
    tell(widget, {"do": "add", "a": 2})
    assert widget.sent == [{"kind": "sum", "sum": 5}, {"kind": "sum", "sum": 3}]


def test_a_new_view_is_told_the_state():
    widget = Probe()
    tell(widget, {"do": "open"})
    assert widget.sent == [{"kind": "state"}]


def test_an_error_of_ours_speaks_for_itself():
    widget = Probe()
    tell(widget, {"do": "fail"})
    assert widget.sent == [{"error": "the hierarchy has 2 roots"}]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "nothing"}, "Unexpected: LookupError: this widget cannot 'nothing'"),
        ({"do": "add", "a": "x"}, "Unexpected: TypeError: can only concatenate str"),
        ({"do": "add", "c": 1}, "unexpected keyword argument 'c'"),
        ({"a": 1}, "Unexpected: KeyError: 'do'"),
        ("text", "Unexpected: ValueError"),
    ],
)
def test_any_other_error_is_told_too_and_the_widget_lives_on(message, words):
    widget = Probe()
    tell(widget, message)
    assert words in widget.sent[0]["error"]
    tell(widget, {"do": "add", "a": 2})
    assert widget.sent[1:] == [{"kind": "sum", "sum": 3}]


def test_the_summary_stands_beside_the_view():
    widget = Probe()
    data, _ = widget._repr_mimebundle_()
    assert data["text/html"] == "<p>a &lt; b</p>"
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == widget.model_id
    assert "HTML" not in data["text/plain"] and "Probe" in data["text/plain"]


def test_a_front_end_begins_with_what_is_shared():
    shared = front_end()
    assert "function guard(" in shared and "export" not in shared
    assert front_end("_hierarchy_editor/hierarchy_editor").startswith(shared)
    assert ".skanon-alert" in style_sheet()


FOLDER = Path(skanon_widgets.__file__).parent


@pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.js")), ids=lambda path: path.stem
)
def test_a_front_end_without_what_people_read(path):
    """No line begins inside a template literal, so blanks mean nothing at its start."""
    whole = path.read_text(encoding="utf-8")
    assert not [line for line in whole.splitlines() if line.count("`") % 2]
    script = lean(whole)
    assert not re.search(r"^(//|/\*\*[^/]*\*/$)", script, re.MULTILINE)
    for line in script.splitlines():
        assert line in whole


def test_a_cast_at_the_start_of_a_line_takes_nothing_with_it():
    script = "a;\n  /** @type {any} */ (b)?.c();\n  d;\n/** Why. */\ne;\n"
    assert lean(script) == "a;\n/** @type {any} */ (b)?.c();\nd;\ne;"


@pytest.mark.parametrize("name", skanon_widgets.__all__)
def test_front_ends_are_small(name):
    esm = getattr(getattr(skanon_widgets, name), "_esm", "")
    assert len(str(esm).encode()) < 60_000


def test_every_class_of_the_style_sheet_is_ours():
    bare = re.sub(
        r"/\*.*?\*/",
        "",
        style_sheet("_hierarchy_editor/hierarchy_editor"),
        flags=re.DOTALL,
    )
    names = re.findall(r"\.(-?[_a-zA-Z][\w-]*)", bare)
    assert names and all(name.startswith("skanon-") for name in names)

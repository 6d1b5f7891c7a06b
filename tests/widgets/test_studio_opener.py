"""The studio without a table: the page that opens one."""

from __future__ import annotations

import base64
import json

import pytest

pytest.importorskip("anywidget")

from inspected import sent_by
from studios import LIMIT, people, shown

from skanon.exceptions import ParameterError
from skanon_widgets import AnonymizationStudio
from skanon_widgets._studio.opener import StudioOpener
from skanon_widgets._studio.panel import StudioPanel


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", sep=";", index=False)
    (tmp_path / "Notes.txt").write_text("nothing\nin it\n")
    (tmp_path / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "folder.csv").mkdir()
    studio = AnonymizationStudio(people())
    studio.set_role("ill", "sensitive")
    studio.set(k=4, algorithm="mondrian")
    (tmp_path / "policy.json").write_text(json.dumps(studio.policy))
    studio.close()
    return tmp_path


@pytest.fixture
def studio(folder):
    studio = AnonymizationStudio()
    yield studio
    studio.close()


def ask(studio, **message):
    return sent_by(studio._opener, **message)


def test_front_ends_are_small(studio):
    for part in (StudioOpener, StudioPanel):
        assert len(str(part._esm).encode()) < 60_000


def test_files_are_listed(studio, folder):
    (found,) = ask(studio, do="open")
    assert [x["name"] for x in found["tables"]] == ["Notes.txt", "people.csv"]
    assert found["tables"][1]["bytes"] == (folder / "people.csv").stat().st_size
    assert found["policies"] == ["policy.json"] and found["folder"] == folder.name


def test_a_file_of_the_folder_is_opened(studio):
    assert ask(studio, do="table", name="people.csv") == []
    assert studio.children == (studio._panel,)
    assert "people.csv was read as CSV" in shown(studio)["notes"][0]["text"]
    assert "read_table('people.csv')" in studio.to_code()
    (answer,) = ask(studio, do="table", name="people.csv")
    assert "open already" in answer["error"]


def test_with_a_policy(studio):
    ask(studio, do="table", name="people.csv", policy="policy.json")
    assert studio.roles["ill"] == "sensitive"
    assert shown(studio)["settings"]["k"] == 4
    studio.run()
    assert studio.wait(LIMIT) and len(studio.release) == 60


def test_a_file_of_the_computer_is_opened(studio, folder):
    data = base64.b64encode((folder / "people.csv").read_bytes()).decode()
    assert ask(studio, do="upload", name="people.csv", data=data) == []
    assert len(studio._frame) == 60


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "table", "name": "absent.csv"}, "absent.csv"),
        ({"do": "table", "name": "../people.csv"}, "no file of this folder"),
        ({"do": "table", "name": "people.csv", "policy": "other.json"}, "no policy"),
        ({"do": "upload", "name": "x.doc", "data": ""}, "no file that can be read"),
        ({"do": "upload", "name": "x.csv", "data": "YSxiCjEK"}, "Line 2 of x.csv"),
    ],
)
def test_what_cannot_be_opened_is_said_and_another_may_be(studio, message, words):
    (answer,) = ask(studio, **message)
    assert words in answer["error"]
    assert studio.children == (studio._opener,)
    ask(studio, do="table", name="people.csv")
    assert studio.children == (studio._panel,)


def test_nothing_else_can_be_done_before(studio):
    for call in (
        lambda: studio.set(k=3),
        lambda: studio.set_role("ill", "sensitive"),
        lambda: studio.run(),
        lambda: studio.policy,
        lambda: studio.roles,
        lambda: studio.hierarchies,
        lambda: studio.release,
        lambda: setattr(studio, "step", 2),
    ):
        with pytest.raises(ParameterError, match="table"):
            call()
    with pytest.raises(AttributeError):
        _ = studio.odd
    assert "no table was open" in studio._summary()
    with pytest.raises(ParameterError, match="hierarchies are of a table"):
        AnonymizationStudio(hierarchies={"age": None})

"""The studio's first step: files opened, types repaired, and all of it repeated."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import LIMIT, files, shown, tell

from skanon.cleaning import MarksAsMissing, NumbersAsText, OneSpelling, TextAsNumbers
from skanon.constraints import LDiversity
from skanon.exceptions import AnonymizationError, ColumnError, ParameterError
from skanon.privacy import k_anonymity
from skanon_widgets import AnonymizationStudio


def messy(n=60, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "born": [
                f"{1 + i % 28:02d}.{1 + i % 12:02d}.{1950 + i % 40}" for i in range(n)
            ],
            "pay": [f"{1 + i % 9},{i % 10}00.50" for i in range(n)],
            "sex": rng.choice(["male", "Male", "MALE ", "female"], n),
            "job": rng.choice(["clerk", "?", "cook"], n),
            "ill": rng.choice(["flu-sensitive", "cold-sensitive"], n),
        }
    )


@pytest.fixture
def studio():
    studio = AnonymizationStudio(messy())
    studio.set_role("ill", "sensitive")
    studio.set(k=3, algorithm="mondrian", constraints=[LDiversity(1.01)])
    yield studio
    studio.close()


def made(studio):
    studio.run()
    assert studio.wait(LIMIT)
    return studio.release


def test_what_looks_wrong_is_counted_and_nothing_is_done_unasked(studio):
    found = {x["column"]: x for x in shown(studio)["suggested"]}
    assert set(found) == {"born", "pay", "sex", "job"}
    assert "cells hold “?”: taken for missing" in found["job"]["reason"]
    assert all(x["safe"] for x in found.values())
    assert studio.repairs == () and shown(studio)["repairs"] == []
    assert made(studio)["job"].notna().all()


def test_all_is_repaired_at_once_and_undone_at_once(studio):
    before = {x["name"]: x for x in shown(studio)["columns"]}
    roles = studio.roles
    assert roles["pay"] == "identifier"  # each text is another one
    assert tell(studio, do="repair_all")[0]["kind"] == "state"
    state = shown(studio)
    assert state["suggested"] == [] and len(state["repairs"]) == 4
    kinds = {x["name"]: x["kind"] for x in state["columns"]}
    assert (kinds["born"], kinds["pay"]) == ("dates", "numbers")
    assert {x["name"]: x["distinct"] for x in state["columns"]}["sex"] == 2
    assert studio.roles == roles | {"pay": "quasi-identifier"}
    assert state["undo"] == "repairs"
    release = made(studio)
    assert k_anonymity(release, ["born", "pay", "sex", "job"]) >= 3
    studio.undo()
    assert studio.repairs == () and shown(studio)["release"]["stale"]
    assert {x["name"]: x for x in shown(studio)["columns"]} == before
    studio.redo()
    assert len(studio.repairs) == 4


def test_a_role_that_was_chosen_stays(studio):
    studio.set_role("pay", "identifier")
    studio.repair()
    assert studio.roles["pay"] == "identifier"


def test_one_by_one_and_taken_back(studio):
    at = [x["column"] for x in shown(studio)["suggested"]].index("sex")
    tell(studio, do="repair", at=at)
    assert studio.repairs == (OneSpelling("sex", "lower"),)
    studio.repair(MarksAsMissing("job", ["?"]))
    tell(studio, do="unrepair", at=0)  # and what came after it
    assert studio.repairs == ()


def test_what_a_repair_is_not_for_changes_nothing(studio):
    before = shown(studio)
    with pytest.raises(ColumnError, match="column 'sex' is no number"):
        studio.repair(OneSpelling("job"), TextAsNumbers("sex"))
    assert shown(studio) == before


def test_nothing_is_repaired_while_a_release_is_made(studio):
    studio._background.state = "running"
    try:
        with pytest.raises(ParameterError, match="A release is being made"):
            studio.repair()
    finally:
        studio._background.state = "ready"
    assert studio.repairs == ()


def test_edits_of_other_columns_are_kept(studio):
    editor = studio.hierarchies.editor("job")
    editor.edit("group", names=["clerk", "cook"], name="work")
    tell(studio, do="repair", at=0)
    assert studio.hierarchies.editor("job") is editor
    studio.repair(MarksAsMissing("job", ["?"]))
    assert studio.hierarchies.editor("job") is not editor  # it has other values now
    assert set(studio.hierarchies.hierarchies) == {"born", "sex", "job"}


def test_policy_and_code_repeat_it_with_next_months_table(studio):
    studio.repair()
    release = made(studio)
    policy = json.loads(files(studio, "policy")[1])
    assert policy["repairs"][0] == {
        "repair": "TextAsDates",
        "column": "born",
        "format": "%d.%m.%Y",
    }
    again = AnonymizationStudio.from_policy(messy(), policy)
    assert again.repairs == studio.repairs and again.policy == studio.policy
    pd.testing.assert_frame_equal(made(again), release)
    again.close()
    space = {"table": messy()}
    exec(files(studio, "code")[1].decode(), space)
    pd.testing.assert_frame_equal(space["release"], release)
    later = AnonymizationStudio.from_policy(messy(80, seed=1), policy)
    assert k_anonymity(made(later), ["born", "pay", "sex", "job"]) >= 3
    later.close()
    broken = messy(80, seed=1)
    broken.loc[5, "born"] = "unknown"
    with pytest.raises(ColumnError, match="'unknown' in row 5 of column 'born'"):
        AnonymizationStudio.from_policy(broken, policy)


@pytest.mark.parametrize(
    "repairs",
    [
        None,
        [1],
        [{}],
        [{"repair": "Drop", "column": "job"}],
        [{"repair": "TextAsDates", "column": "job"}],
        [{"repair": "OneSpelling", "column": "job", "case": "odd"}],
        [{"repair": "OneSpelling", "column": {"odd": 1}}],
    ],
)
def test_broken_repairs_in_a_policy(studio, repairs):
    with pytest.raises(ParameterError, match=r"repairs|name"):
        AnonymizationStudio.from_policy(messy(), studio.policy | {"repairs": repairs})


def test_names_that_are_numbers_and_texts():
    studio = AnonymizationStudio(messy().rename(columns={"pay": 7}))
    studio.set_role("ill", "sensitive")
    studio.set_role(7, "sensitive")
    studio.set(k=3, algorithm="mondrian", constraints=[LDiversity(1.01, column=7)])
    (finding,) = [x for x in shown(studio)["findings"] if x["level"] == "error"]
    assert "names of 1 columns are no text" in finding["text"]
    assert shown(studio)["steps"][0]["level"] == "error"
    with pytest.raises(ParameterError, match="Make texts of all"):
        studio.run()
    assert shown(studio)["suggested"][0]["told"].startswith("the columns' names")
    tell(studio, do="repair", at=0)
    assert studio.roles["7"] == "sensitive"
    assert shown(studio)["settings"]["constraints"][0]["column"] == 0
    assert not [x for x in shown(studio)["findings"] if x["level"] == "error"]
    assert "7" in made(studio).columns
    studio.close()


def test_numbers_beside_marks_in_one_column():
    frame = messy().assign(pay=[1, 2.5, "?"] * 20)
    studio = AnonymizationStudio(frame)
    column = {x["name"]: x for x in shown(studio)["columns"]}["pay"]
    assert column["kind"] == "unreadable" and column["role"] == "identifier"
    studio.repair()
    column = {x["name"]: x for x in shown(studio)["columns"]}["pay"]
    assert (column["kind"], column["missing"]) == ("numbers", 20)
    assert column["role"] == "quasi-identifier"
    studio.close()


def test_what_is_not_safe_is_left_to_the_user():
    frame = messy().assign(zip=[1067, 10115] * 30, seen="01/02/2020")
    studio = AnonymizationStudio(frame)
    studio.repair()
    left = shown(studio)["suggested"]
    assert [(x["column"], x["safe"]) for x in left] == [
        ("zip", False),
        ("seen", False),
        ("seen", False),
    ]
    studio.repair(NumbersAsText("zip", 5))
    assert studio._frame["zip"].tolist()[:2] == ["01067", "10115"]
    studio.close()


def test_a_file_is_opened_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    messy().to_csv("people.csv", sep=";", index=False)
    studio = AnonymizationStudio("people.csv")
    assert (
        "was read as CSV, cells parted by semicolons"
        in shown(studio)["notes"][0]["text"]
    )
    studio.set_role("ill", "sensitive")
    studio.repair()
    studio.set(k=3, algorithm="mondrian", constraints=[LDiversity(1.01)])
    release = made(studio)
    space = {}
    exec(studio.to_code(), space)
    pd.testing.assert_frame_equal(space["release"], release)
    studio.close()
    with pytest.raises(OSError, match=r"other\.csv"):
        AnonymizationStudio(tmp_path / "other.csv")


def test_no_value_is_in_the_state(studio):
    studio.repair()
    text = json.dumps(shown(studio)) + studio._summary()
    for value in ("clerk", "1950", "MALE", "female"):
        assert value not in text.replace("such as", "")
    assert issubclass(ColumnError, AnonymizationError)
    assert pickle.loads(pickle.dumps(studio.repairs)) == studio.repairs


def test_polars_tables_are_repaired():
    polars = pytest.importorskip("polars")
    studio = AnonymizationStudio(polars.from_pandas(messy()))
    studio.repair()
    studio.set_role("ill", "sensitive")
    studio.set(k=3, algorithm="mondrian", constraints=[LDiversity(1.01)])
    assert len(made(studio)) == 60
    studio.undo()
    studio.close()

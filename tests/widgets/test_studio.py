"""The studio in Python: roles, what is possible, and what can be set."""

from __future__ import annotations

import datetime
import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import HOSTILE, LIMIT, people, shown, tell

from skanon.constraints import LDiversity, TCloseness
from skanon.constraints._base import offered
from skanon.exceptions import AnonymizationError, ColumnError, ParameterError
from skanon_widgets import AnonymizationStudio
from skanon_widgets._studio.columns import describe_columns
from skanon_widgets._studio.findings import find
from skanon_widgets._studio.steps import (
    Settings,
    constraint_from,
    first_level,
    kind_of,
    possible_levels,
)
from skanon_widgets._studio.words import (
    ROLE_WORDS,
)


@pytest.fixture
def studio():
    studio = AnonymizationStudio(people())
    studio.set_role("ill", "sensitive")
    yield studio
    studio.close()


# -------------------------------------------------------------------------- columns


def test_suggestions_come_with_their_reasons():
    about = {x.name: x for x in describe_columns(people())}
    assert about["name"].suggestion == "identifier"
    assert "names people" in about["name"].reason
    assert about["age"].suggestion == "quasi-identifier"
    unique = (people()["age"].value_counts() == 1).sum()
    assert f"{unique} of 60 records are unique by it alone" in about["age"].reason
    assert "registers know it" in about["town"].reason
    assert "registers know it" in about["land"].reason
    assert about["ill"].suggestion == "sensitive"
    assert (about["age"].kind, about["age"].distinct) == (
        "number",
        people()["age"].nunique(),
    )


def test_sensitive_columns_are_left_out_of_the_suggestions():
    about = {x.name: x for x in describe_columns(people(), ["town", "ill"])}
    assert about["town"].suggestion == "sensitive"
    assert "marked" in about["town"].reason
    only = describe_columns(people()[["ill"]], ["ill"])
    assert [x.suggestion for x in only] == ["sensitive"]


def test_a_column_that_cannot_be_read_is_dropped_unless_somebody_wants_it():
    table = people().assign(odd=[1, "a"] * 30, gap=[None, 1.0] * 30)
    about = {x.name: x for x in describe_columns(table)}
    assert about["odd"].kind is None and "cannot be read" in about["odd"].reason
    assert about["gap"].missing == 30
    studio = AnonymizationStudio(table)
    assert studio.roles["odd"] == "identifier"
    before = studio.roles
    with pytest.raises(ColumnError, match="odd"):
        studio.set_role("odd", "quasi-identifier")
    assert studio.roles == before
    assert studio.hierarchies.columns == studio._settings.columns("quasi-identifier")
    (after, error) = tell(studio, do="role", at=5, role="quasi-identifier")
    assert "odd" in error["error"] and after["columns"][5]["role"] == "identifier"
    studio.set(k=3, algorithm="mondrian")
    studio.run()
    assert studio.wait(LIMIT)
    assert "odd" not in studio.release.columns
    studio.close()


def test_nothing_is_published_as_it_is_unless_somebody_says_so():
    studio = AnonymizationStudio(people())
    assert set(studio.roles.values()) == {"identifier", "quasi-identifier"}
    assert studio.roles["name"] == "identifier"
    studio.use_suggestions()
    assert studio.roles["ill"] == "sensitive"
    described = {x["name"]: x for x in shown(studio)["columns"]}
    for name, role in studio.roles.items():
        assert role == described[name]["suggestion"] != "other"
    (constraint,) = shown(studio)["settings"]["constraints"]
    assert constraint["column"] == -1
    assert not [x for x in shown(studio)["findings"] if x["level"] != "good"]
    studio.set_role("land", "other")
    (finding,) = [x for x in shown(studio)["findings"] if x["about"] == "roles"]
    assert finding["level"] == "danger" and "“land”" in finding["text"]
    studio.close()


def test_suggestions_are_safe_to_accept_blindly():
    """What they publish as it is singles nobody out, and a constraint protects it."""
    rng = np.random.default_rng(0)
    n = 400
    raw = pd.DataFrame(
        {
            "age": rng.integers(17, 90, n),
            "fnlwgt": rng.integers(10_000, 400_000, n),
            "education": rng.choice(["HS-grad", "Masters", "10th"], n),
            "sex": rng.choice(["Male", "Female"], n),
            "capital-gain": rng.choice([0, 0, 0, 5013, 7298], n),
            "income": rng.choice(["<=50K", ">50K"], n, p=[0.7, 0.3]),
            "birth date": pd.date_range("1950-01-01", periods=n).astype(str),
            "diagnosis": [f"C{i}" for i in range(20)] + ["flu"] * (n - 20),
        }
    )
    studio = AnonymizationStudio(raw)
    studio.use_suggestions()
    roles = studio.roles
    assert [x for x, role in roles.items() if role == "sensitive"] == ["income"]
    assert [x for x, role in roles.items() if role == "identifier"] == ["fnlwgt"]
    assert "other" not in roles.values()
    studio.set(algorithm="mondrian", effort="fast")
    studio.run()
    assert studio.wait(LIMIT)
    public = studio.release.drop(columns="income").astype(str)
    assert public.value_counts().min() >= 5
    told = studio.release.groupby(list(public))["income"].nunique()
    assert told.min() >= 2
    studio.close()


def test_every_change_of_roles_and_parameters_can_be_undone(studio):
    at_first = (studio.roles, shown(studio)["settings"])
    assert shown(studio)["undo"] == "role of ill" and not shown(studio)["redo"]
    studio.set(k=9)
    studio.set(k=9)  # changes nothing
    studio.use_suggestions()
    assert shown(studio)["undo"] == "constraints"
    studio.set_role("age", "other")
    changed = (studio.roles, shown(studio)["settings"])
    tell(studio, do="undo")
    tell(studio, do="undo")
    assert shown(studio)["undo"] == "k" and shown(studio)["redo"] == "constraints"
    studio.undo()
    assert (studio.roles, shown(studio)["settings"]) == at_first
    assert studio.hierarchies.columns == studio._settings.columns("quasi-identifier")
    for _ in range(3):
        tell(studio, do="redo")
    assert (studio.roles, shown(studio)["settings"]) == changed
    assert "nothing to redo" in tell(studio, do="redo")[-1]["error"]
    studio.undo()
    studio.set(k=4)
    assert not shown(studio)["redo"]
    for _ in range(4):
        studio.undo()
    assert studio.roles["ill"] == "quasi-identifier"
    described = {x["name"]: x for x in shown(studio)["columns"]}
    assert "marked" not in described["ill"]["reason"]
    with pytest.raises(ParameterError, match="nothing to undo"):
        studio.undo()


def test_hierarchies_to_begin_with():
    towns = {"*": {"north": ["Kiel", "Bremen"], "odd": [HOSTILE]}}
    studio = AnonymizationStudio(people(), hierarchies={"town": towns})
    assert studio.hierarchies.hierarchies["town"].levels[0] == ["north", "north", "odd"]
    studio.close()


def test_roles_decide_which_hierarchies_are_listed(studio):
    assert studio.hierarchies.columns == ["age", "town", "land"]
    tell(studio, do="role", at=3, role="other")
    assert studio.hierarchies.columns == ["age", "town"]
    with pytest.raises(ParameterError, match="no column 'x'"):
        studio.set_role("x", "other")
    with pytest.raises(ParameterError, match="'king' is no role"):
        studio.set_role("age", "king")
    assert set(ROLE_WORDS) == {"identifier", "quasi-identifier", "sensitive", "other"}


def test_constraints_go_with_their_column(studio):
    studio.set(constraints=[LDiversity(1.2, column="ill"), TCloseness(0.5)])
    studio.set_role("ill", "other")
    assert studio._settings.constraints == (TCloseness(0.5),)
    words = [x["text"] for x in shown(studio)["findings"] if x["level"] == "error"]
    assert words == ["It is about a sensitive attribute: mark a column as sensitive."]
    with pytest.raises(AnonymizationError, match="mark a column as sensitive"):
        studio.run()


# -------------------------------------------------------------------------- privacy


def errors(**wishes):
    roles = dict.fromkeys(["age", "town"], "quasi-identifier") | {"ill": "sensitive"}
    settings = Settings(**({"roles": roles} | wishes))
    table = people()
    found = find(settings, table)
    wrong = [x for x in found if x.level == "error"]
    try:
        settings.anonymizer({}).fit(table)
        possible = True
    except AnonymizationError:
        possible = False
    assert possible == (not wrong)  # what is said before the fit is what happens
    return [(x.about, x.text) for x in wrong]


def test_k_that_is_too_large_is_told_before_the_fit():
    assert not errors(k=60)
    ((about, text),) = errors(k=61)
    assert about == "k" and "n_samples=60" in text


def test_constraints_that_are_impossible_are_told_before_the_fit():
    share = people()["ill"].value_counts(normalize=True).max()
    assert not errors(constraints=(LDiversity(1 / share),))
    wishes = (TCloseness(0.5), LDiversity(1 / share + 0.01))
    ((about, text),) = errors(constraints=wishes)
    assert about == "constraint 1"
    assert f"l = {1 / share:.6g} at most" in text and "“ill”" in text
    ((_, text),) = errors(constraints=(LDiversity(3, "distinct", column="ill"),))
    assert "l = 2 at most" in text
    ((_, text),) = errors(constraints=(TCloseness(0.2, "ordered"),))
    assert "order" in text


@pytest.mark.parametrize("column", ["town", "land", "nowhere"])
def test_a_constraint_on_a_column_that_is_not_sensitive_is_told(column):
    ((about, text),) = errors(constraints=(LDiversity(1.25, column=column),))
    assert about == "constraint 0"
    assert f"“{column}” is not marked as sensitive" in text


def test_other_impossible_wishes_are_told():
    ((about, text),) = errors(algorithm="optimal")
    assert about == "algorithm" and "up to 16 records" in text
    roles = dict.fromkeys(["age", "town", "ill"], "quasi-identifier")
    ((about, text),) = errors(roles=roles, loss="pmi")
    assert about == "loss" and "sensitive attribute" in text
    ((about, text),) = errors(roles=dict.fromkeys(roles, "other"))
    assert about == "roles" and "nothing to anonymize" in text


def test_what_is_larger_than_k_is_told():
    roles = {"age": "quasi-identifier", "town": "sensitive"}
    settings = Settings(roles, k=2, constraints=(LDiversity(3, "distinct"),))
    texts = [x.text for x in find(settings, people())]
    assert any("so k is 3 in fact" in text for text in texts)


def test_possible_levels_are_those_of_the_table():
    counts = people()["ill"].value_counts()
    levels = possible_levels(people(), "ill")
    assert levels["l_frequency"]["strictest"] == pytest.approx(60 / counts.max())
    assert levels["alpha"]["strictest"] == pytest.approx(counts.max() / 60)
    assert "“flu-sensitive”" in levels["alpha"]["words"]
    assert levels["l_distinct"]["words"] == "l can be at most 2."
    assert set(levels) == set(offered())


@pytest.mark.parametrize("kind", offered())
def test_each_constraint_begins_at_a_possible_level(kind):
    levels = possible_levels(people(), "ill")
    level = first_level(kind, [levels])
    constraint = constraint_from(kind, level, "ill")
    assert kind_of(constraint) == kind
    assert not errors(constraints=(constraint,))
    low, high = sorted([levels[kind]["strictest"], levels[kind]["loosest"]])
    assert low <= level <= high or level == offered()[kind][1].start
    assert first_level(kind, []) == offered()[kind][1].start


def test_where_the_usual_level_is_impossible_it_begins_in_the_middle():
    share = people()["ill"].value_counts(normalize=True).max()
    levels = possible_levels(people(), "ill")
    assert first_level("l_frequency", [levels]) == round((1 / share + 1) / 2, 2) < 2
    both = [levels, possible_levels(people(), "land")]
    assert first_level("l_distinct", both) == 1
    assert first_level("alpha", both) == 1


def test_constraints_that_are_not_offered_are_known_as_such():
    assert kind_of(LDiversity(2, "recursive", c=2.0)) is None
    with pytest.raises(ParameterError, match="no constraint 'x'"):
        constraint_from("x", 2, None)


def test_constraints_are_set_from_the_page(studio):
    tell(studio, do="constrain", at=0, kind="l_distinct", level=None, column=-1)
    tell(studio, do="constrain", at=1, kind="t", level=0.3, column=0)
    assert studio._settings.constraints == (
        LDiversity(2, "distinct"),
        TCloseness(0.3, column="ill"),
    )
    tell(studio, do="constrain", at=1, kind="t", level=0.25, column=-1)
    found = shown(studio)["settings"]["constraints"]
    assert [(x["kind"], x["level"], x["column"]) for x in found] == [
        ("l_distinct", 2, -1),
        ("t", 0.25, -1),
    ]
    wrong = {"kind": "l_distinct", "level": 1.5, "column": -1}
    answers = tell(studio, do="constrain", at=0, **wrong)
    assert "l is 1.5" in answers[-1]["error"]
    tell(studio, do="release", at=0)
    assert studio._settings.constraints == (TCloseness(0.25),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"k": "many"},
        {"loss": "x"},
        {"algorithm": "x"},
        {"encode": "x"},
        {"max_suppression": 2.0},
        {"random_state": None},
        {"quasi_identifiers": []},
        {"constraints": None},
        {"constraints": ["l"]},
        {"constraints": LDiversity(2, column="nowhere")},
        {"constraints": [LDiversity(2, column=["ill"])]},
    ],
    ids=str,
)
def test_what_cannot_be_set_is_refused_and_changes_nothing(studio, wrong):
    before = studio._settings
    with pytest.raises(AnonymizationError):
        studio.set(**wrong)
    assert studio._settings == before and shown(studio)
    ((name, value),) = wrong.items()
    answers = tell(studio, do="set", name=name, value=value)
    assert answers[-1]["error"] and "Unexpected" not in answers[-1]["error"]


def test_what_fails_while_it_is_looked_at_changes_nothing(studio, monkeypatch):
    before, findings = studio._settings, studio._findings

    def fail(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr("skanon_widgets._studio.widget.find", fail)
    with pytest.raises(RuntimeError):
        studio.set_role("age", "other")
    assert (studio._settings, studio._findings) == (before, findings)
    assert studio.hierarchies.columns == before.columns("quasi-identifier")


def test_what_is_older_is_not_told_later(studio, monkeypatch):
    """States are computed and sent in several threads; the last one counts."""
    sent, computed, begun = [], [], threading.Event()
    monkeypatch.setattr(studio._panel, "send", lambda x: sent.append(x["number"]))

    def compute():
        computed.append(len(computed))
        if computed == [0]:  # the other one has all the time to overtake it
            begun.set()
            time.sleep(0.3)
            return {"number": 0}
        return {"number": 1}

    monkeypatch.setattr(studio, "_state", compute)
    first = threading.Thread(target=studio._panel.tell)
    first.start()
    assert begun.wait(LIMIT)
    studio._panel.tell()
    first.join(LIMIT)
    assert sent == [0, 1]


def test_what_is_shown_below_the_panel_is_arranged_by_one_thread_at_a_time(studio):
    before = studio.children
    other = threading.Thread(target=lambda: setattr(studio, "step", 1))
    with studio._telling:
        other.start()
        other.join(0.3)
        assert other.is_alive() and studio.children == before
    other.join(LIMIT)
    assert studio.children == (*before, studio.hierarchies)


def test_the_code_of_dates_as_names_of_columns():
    days = [
        datetime.date(2020, 1, 1),
        pd.Timestamp("2020-01-02"),
        pd.Timestamp("2020-01-03", tz="Europe/Berlin"),
        pd.Timedelta(3, "h"),
    ]
    table = pd.DataFrame([[1, "a", 2, 3], [2, "b", 2, 4]] * 3, columns=days)
    studio = AnonymizationStudio(table)
    studio.set(k=2, algorithm="mondrian")
    names = {"table": table}
    exec(studio.to_code(), names)
    assert list(names["release"].columns) == days
    assert names["hierarchies"] == studio.hierarchies.hierarchies
    listed = {}
    exec(studio.hierarchies.to_code(), listed)
    assert listed["hierarchies"] == studio.hierarchies.hierarchies
    studio.close()


def test_names_that_no_code_can_hold_are_refused_in_words():
    odd = pd.Period("2020-01")
    studio = AnonymizationStudio(people().rename(columns={"age": odd}))
    for written in (studio, studio.hierarchies):
        with pytest.raises(ParameterError, match=r"Period.*Rename such columns"):
            written.to_code()
    studio.close()


def test_it_says_how_long_the_fit_will_take():
    roles = {"age": "quasi-identifier"}

    def told(n, **own):
        table = pd.DataFrame({"age": np.arange(n) % 50})
        found = find(Settings(roles, **own), table)
        (text,) = [x.text for x in found if x.about == "algorithm"]
        return text

    assert told(1_000).endswith("large. It takes a second or two.")
    assert told(10**6, effort="high").endswith("It takes some 5 minutes.")
    quick = {"algorithm": "mondrian", "refine": 0}
    assert told(45_222, **quick).endswith("It takes a second or two.")
    slow = {"algorithm": "sequential", "refine": 0}
    assert told(200_000, **slow).endswith("It takes some 70 seconds.")

"""Cut points: operations can be undone exactly, and the levels are the builder's."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget")

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Intervals,
    Suppression,
    Taxonomy,
    from_calendar,
    from_cut_points,
    from_nested,
    from_widths,
)
from skanon_widgets._hierarchy_editor.axis import Axis
from skanon_widgets._hierarchy_editor.document import Document
from skanon_widgets._hierarchy_editor.ranges_model import Ranges, heights
from skanon_widgets._hierarchy_editor.recognised import points_of

AGES = pd.Series([17, 17, 21, 25, 25, 25, 30, 42, 42, 58, 90], name="age")
PRICES = pd.Series([0.5, 0.7, 1.25, 3.0, 3.0, 9.75], name="price")
DATES = pd.Series(pd.to_datetime(["1901-05-03", "1950-01-01", "2020-02-29"] * 2))
HOURS = pd.Series(pd.to_datetime(["2020-02-29 05:30", "2020-03-01 17:45"]))
ZONED = pd.Series(pd.to_datetime(["2020-01-01", "2021-06-01"])).dt.tz_localize(
    "Asia/Tokyo"
)
SPANS = pd.Series(pd.to_timedelta([1, 5, 5, 90], unit="h"))
SAME = pd.Series([7, 7, 7])
FLOATS32 = pd.Series([0.1, 0.7, 0.9], dtype=np.float32)
WHOLE = pd.Series([1, 5, None, 9], dtype="Int64")
COLUMNS = [AGES, PRICES, DATES, HOURS, ZONED, SPANS, SAME, FLOATS32, WHOLE]


def learn(column):
    return Domain.learn(column, column.name or "x")[0]


@st.composite
def operation(draw):
    """Draw an operation, sensible or not."""
    i, place = st.integers(0, 4), st.floats(0, 1)
    ops = {
        "add": {"at": place, "height": st.integers(0, 3)},
        "move": {"i": i, "at": place}
        if draw(st.booleans())
        else {"i": i, "by": st.sampled_from([-10, -1, 1, 10, "low", "high"])},
        "remove": {"i": i},
        "lift": {"i": i, "height": st.integers(0, 4)},
        "merge": {"level": st.integers(0, 3)},
    }
    op = draw(st.sampled_from(sorted(ops)))
    return op, {key: draw(value) for key, value in ops[op].items()}


def check(ranges, column):
    """The levels are those of from_cut_points, and the counts those of a plain loop."""
    hierarchy = ranges.hierarchy
    assert hierarchy == from_cut_points(column.dropna(), *ranges.cuts)
    hierarchy.bind(ranges.domain)
    view = ranges.view()
    present = column.dropna()
    assert sum(view["bars"]) == len(present)
    frame = hierarchy.to_frame().set_index(0)
    for at, level in enumerate(view["levels"], start=1):
        naive = present.map(lambda x, at=at: frame[at][x]).value_counts().to_dict()
        assert {x["label"]: x["records"] for x in level if x["records"]} == naive
        assert [x["label"] for x in level] == list(
            dict.fromkeys(x["label"] for x in level)
        )
        edges = [x["from"] for x in level] + [level[-1]["to"]]
        assert edges == sorted(edges)
        assert (edges[0], edges[-1]) == (0, 1)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(range(len(COLUMNS))))
def test_undo_and_redo_restore_exactly(data, which):
    column = COLUMNS[which]
    document = Document(learn(column), Intervals())
    past = [(document.hierarchy, document.to_code())]
    for _ in range(data.draw(st.integers(1, 8))):
        op, args = data.draw(operation())
        before = document.at, document.hierarchy
        label = document.status()["undo"]
        try:
            document.cut(op, args)
        except (HierarchyError, OverflowError):
            assert (document.at, document.hierarchy) == before
            assert document.status()["undo"] == label
            continue
        check(document.model, column)
        state = (document.hierarchy, document.to_code())
        if len(past) - 1 == steps(document):  # a further step of the arrow keys
            past[-1] = state
        else:
            past.append(state)
        assert len(past) - 1 == steps(document)
    for state in reversed(past[:-1]):
        document.undo()
        assert (document.hierarchy, document.to_code()) == state
    with pytest.raises(HierarchyError, match="nothing to undo"):
        document.undo()
    for state in past[1:]:
        document.redo()
        assert (document.hierarchy, document.to_code()) == state
    with pytest.raises(HierarchyError, match="nothing to redo"):
        document.redo()


def steps(document):
    model = document.model
    return len(model.undoing) if isinstance(model, Ranges) else 0


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from(range(len(COLUMNS))))
def test_code_rebuilds_what_was_cut(data, which):
    column = COLUMNS[which]
    document = Document(learn(column), Intervals())
    for place in data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=4)):
        try:
            document.cut("add", {"at": place})
        except HierarchyError as error:
            assert "already" in str(error)
    names = {}
    exec(document.to_code("x"), names)
    assert names["x"] == document.hierarchy
    if column is not FLOATS32:  # whose values are others once they are written down
        assert "from_cut_points(" in document.to_code("x")


def test_cut_points_for_age():
    age = Ranges(learn(AGES), heights([20, 30, 60], [30]))
    assert age.cuts == [[20, 30, 60], [30]]
    assert age.move(2, by=1) == "Move the cut point 60 to 61."
    assert age.move(2, by=10) == "Move the cut point 60 to 71."
    assert len(age.undoing) == 1
    age.move(2, text="65")
    assert age.move(2, by="high") == "Move the cut point 65 to 90."
    assert age.move(2, by="low") == "Move the cut point 65 to 31."
    assert age.undo() == "Undone: Move the cut point 65 to 31."
    assert age.cuts[0] == [20, 30, 65]
    assert age.lift(0, 2) == "Cut level 2 at 20, too."
    assert age.lift(1, 3) == "Cut level 3 at 30, too."
    assert age.cuts == [[20, 30, 65], [20, 30], [30]]
    assert age.merge(1) == "Merge the levels 1 and 2."
    assert age.cuts == [[20, 30, 65], [30]]
    assert age.lift(1, 1) == "Cut level 2 at 30 no more."
    assert age.cuts == [[20, 30, 65]]
    level = age.view()["levels"][0]
    assert [(x["label"], x["records"], x["values"]) for x in level] == [
        ("< 20", 2, 1),
        ("[20, 30)", 4, 2),
        ("[30, 65)", 4, 3),
        (">= 65", 1, 1),
    ]


@pytest.mark.parametrize(
    ("op", "args", "words"),
    [
        ("add", {"text": "30"}, "There is a cut point at 30 already"),
        ("add", {"text": "x"}, "'x' cannot be a cut point .* a number such as 30"),
        ("add", {"text": "inf"}, "'inf' cannot be a cut point"),
        ("add", {"at": 0.5, "height": 5}, "A cut point can cut 1 to 3 levels"),
        ("move", {"i": 0, "text": "50"}, "50 is not between the neighbouring"),
        ("move", {"i": 0, "text": "30"}, "30 is not between the neighbouring"),
        ("move", {"i": 9, "at": 0.5}, "not there any more"),
        ("merge", {"level": 2}, "no level 3 to merge level 2 with"),
        ("lift", {"i": 0, "height": 1}, "20 cuts 1 levels already"),
        ("lift", {"i": 0, "height": 0}, "Remove it to cut none"),
        ("drop", {}, "'drop' is no operation"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(op, args, words):
    age = Ranges(learn(AGES), heights([20, 30, 60], [30]))
    with pytest.raises(HierarchyError, match=words):
        age.tried(op, **args)
    with pytest.raises(HierarchyError, match="last cut point"):
        Ranges(learn(AGES), [(30, 1)]).remove(0)


def test_dates_snap_to_the_units_that_their_span_asks_for():
    document = Document(learn(DATES), Intervals())
    document.cut("add", {"at": 0.5})
    (point,) = document.model.cuts[0]
    assert (point.month, point.day) == (1, 1)
    days = Document(learn(pd.Series(pd.to_datetime(["2020-01-01", "2020-12-31"]))))
    days.cut("add", {"text": "2020-02-29"})
    days.cut("move", {"i": 0, "by": 1})
    assert days.model.cuts == [[pd.Timestamp("2020-03-01")]]
    with pytest.raises(
        HierarchyError, match=r"'soon' cannot be a cut point.*2020-02-29"
    ):
        days.cut("add", {"text": "soon"})


def test_the_cut_points_of_other_hierarchies_are_recognised():
    domain = learn(AGES)
    assert points_of(domain, from_widths(AGES, 10, 20))[0] == (
        (20, 2), (30, 1), (40, 2), (50, 1), (90, 2),
    )  # fmt: skip
    cut = from_cut_points(AGES, [20, 30, 60], [30])
    assert points_of(domain, cut)[0] == ((20, 1), (30, 2), (60, 1))
    named = from_nested({"*": {"young": [17, 21, 25], "old": [30, 42, 58, 90, 99]}})
    points, why, extra, names = points_of(domain, named)
    assert (points, why, extra) == (((30, 1),), "", [99])
    assert names == [["young", "old"]]
    lying = from_nested({"*": {"[1, 3)": [17, 21, 25], "[3, 9)": [30, 42, 58, 90]}})
    assert points_of(domain, lying)[0] == ((30, 1),)
    mixed = from_nested({"*": {"a": [17, 25, 90], "b": [21, 30, 42, 58]}})
    points, why, _, _ = points_of(domain, mixed)
    assert points == ()
    assert "'a' is no range" in why
    assert "no cut point" in points_of(domain, Suppression())[1]
    dates = points_of(learn(DATES), from_calendar(DATES, ["year"]))
    assert [str(x.date()) for x, _ in dates[0]] == ["1950-01-01", "2020-02-29"]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    st.sets(st.integers(-60, 60), min_size=1, max_size=5),
    st.data(),
)
def test_recognised_points_give_the_same_groups(values, cuts, data):
    finest = sorted(cuts)
    second = data.draw(st.sets(st.sampled_from(finest), min_size=1))
    column = pd.Series(values, name="x")
    taxonomy = from_cut_points(column, finest, sorted(second))
    points, why, extra, _ = points_of(learn(column), taxonomy)
    assert not extra
    if not points:
        assert "no cut point" in why
        return
    again = Ranges(learn(column), points).hierarchy
    assert groups(again) == groups(taxonomy)


def groups(taxonomy):
    frame = taxonomy.to_frame()
    return {
        frozenset(part[0]) for at in frame.columns[1:] for _, part in frame.groupby(at)
    }


def test_moving_a_cut_of_an_imported_tree_keeps_the_values_that_the_data_lack():
    wide = from_widths(pd.Series(range(100)), 10, 50)
    text = Taxonomy([str(x) for x in wide.values], wide.levels)
    document = Document(learn(AGES), text)
    assert len(document.ranges()["points"]) == 9
    document.cut("move", {"i": 0, "by": 1})
    hierarchy = document.hierarchy
    assert sorted(int(x) for x in hierarchy.values) == list(range(100))
    assert document.status()["undo"] == "Move the cut point 10 to 11"
    document.undo()
    assert document.hierarchy is text


def test_forms_follow_one_another_in_one_history():
    document = Document(learn(AGES), Intervals())
    assert document.status()["about"].startswith("Any range")
    document.cut("add", {"text": "30"})
    document.cut("add", {"text": "60"})
    tree = document.tree
    document.edit("rename", {"i": tree.id_of("< 30"), "name": "young"})
    assert document.hierarchy.levels[0][0] == "young"
    document.replace(from_widths(AGES, 10), "Build: widths")
    labels = []
    while document.status()["undo"]:
        labels.append(document.status()["undo"])
        document.undo()
    assert labels == [
        "Build: widths",
        "Rename '< 30' to 'young'",
        "Add the cut point 60",
        "Add the cut point 30",
    ]
    assert document.hierarchy == Intervals()
    for label in reversed(labels):
        assert document.status()["redo"] == label
        document.redo()
    assert document.hierarchy == from_widths(AGES, 10)
    document.undo()
    document.undo()
    document.cut("remove", {"i": 1})
    assert document.status()["redo"] is None
    assert document.model.cuts == [[30]]
    with pytest.raises(HierarchyError, match="no operation of the editor"):
        document.edit("undo", {})


@pytest.mark.parametrize("again", ["cut", "edit", "replace"])
def test_what_is_done_after_an_undo_takes_its_place(again):
    document = Document(learn(AGES), from_cut_points(AGES, [30]))
    document.cut("add", {"text": "40"})
    document.cut("add", {"text": "50"})
    document.undo()
    document.replace(from_widths(AGES, 10), "Build")
    document.undo()
    assert document.status()["redo"] == "Build"
    assert document.redo()["undo"] == "Build"
    document.replace(from_widths(AGES, 20), "Build again")
    document.undo()
    leaves = [document.tree.id_of("17"), document.tree.id_of("21")]
    {
        "cut": lambda: document.cut("add", {"text": "33"}),
        "edit": lambda: document.edit("group", {"ids": leaves, "name": "young"}),
        "replace": lambda: document.replace(Intervals(), "Build"),
    }[again]()
    with pytest.raises(HierarchyError, match="nothing to redo"):
        document.redo()
    assert document.status()["redo"] is None


def test_a_trial_changes_nothing():
    document = Document(learn(AGES), from_cut_points(AGES, [30]))
    before = document.to_code()
    trial = document.cut("move", {"i": 0, "at": 1.0}, trial=True)
    assert [x["text"] for x in trial["points"]] == ["90"]
    assert (document.to_code(), document.status()["undo"]) == (before, None)


def test_dates_of_long_ago():
    column = pd.Series([datetime.date(9, 1, 1), datetime.date(1850, 7, 4)])
    document = Document(learn(column), Intervals())
    document.cut("add", {"at": 0.99})
    document.cut("move", {"i": 0, "by": -10})
    assert len(document.hierarchy.levels) == 2


@st.composite
def mixed(draw, document):
    """Draw an operation on any form, or a step back or forth."""
    point = st.integers(15, 95).map(str)
    names = ["old", "young", *(x.name for x in known(document))]
    leaves = [x.id for x in known(document) if x.leaf] or [2]
    word = draw(st.sampled_from(["cut", "cut", "edit", "label", "build", "back"]))
    if word == "cut":
        op = draw(st.sampled_from(["add", "move", "remove"]))
        args = {"add": {}, "move": {"i": 0}, "remove": {"i": draw(st.integers(0, 1))}}
        typed = {} if op == "remove" else {"text": draw(point)}
        return lambda: document.cut(op, args[op] | typed)
    some = draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=3))
    name = draw(st.sampled_from(names))
    if word == "edit":
        return lambda: document.edit("group", {"ids": some, "name": name})
    if word == "label":
        cell = {"ids": some, "level": 1, "label": name, "new": draw(st.booleans())}
        return lambda: document.edit("set_labels", cell)
    if word == "build":
        width = draw(st.integers(5, 9))
        built = draw(st.sampled_from([Intervals(), from_widths(AGES, width)]))
        return lambda: document.replace(built, "Build")
    return getattr(document, draw(st.sampled_from(["undo", "redo"])))


def known(document):
    try:
        return list(document.tree.tree.nodes.values())
    except HierarchyError:
        return []


def outcome(document):
    try:
        return document.hierarchy
    except HierarchyError as error:
        return str(error)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_one_history_over_all_forms(data):
    """It is as if each hierarchy were kept in a list."""
    document = Document(learn(AGES), Intervals())
    past, at = [outcome(document)], 0
    for _ in range(data.draw(st.integers(1, 14))):
        work = data.draw(mixed(document))
        name = getattr(work, "__name__", "")
        try:
            message = work()
        except HierarchyError:
            assert outcome(document) == past[at]
            if name == "undo":
                assert at == 0
            if name == "redo":
                assert at + 1 == len(past)
            continue
        if name in ("undo", "redo"):
            at += 1 if name == "redo" else -1
        elif "stays where it is" not in message["said"]:
            past = [*past[: at + 1], outcome(document)]
            at += 1
        assert outcome(document) == past[at]
        status = document.status()
        assert (status["undo"] is None) == (at == 0)
        assert (status["redo"] is None) == (at + 1 == len(past))
        if not status["faults"]:
            names = {}
            exec(document.to_code("x"), names)
            assert names["x"] == document.hierarchy


@pytest.mark.parametrize("first", [2**60, -(2**63), 2**63 - 41])
def test_an_axis_of_whole_numbers_that_no_float_holds(first):
    plain, large = (
        Axis(Domain.learn(pd.Series([x, x + 1, x + 40]), "x")[0]) for x in (0, first)
    )
    assert sum(large.bars()) == 3 and len(large.ticks()) > 1
    places = [large.place(x) for x in large.line]
    assert places == sorted(set(places)) and 0 <= places[0] < places[-1] <= 1
    for at in (0, 0.25, 1):
        assert abs(large.place(large.point(at)) - at) <= 0.5 / 40 * 1.1
    assert len(plain.bars()) == len(large.bars())

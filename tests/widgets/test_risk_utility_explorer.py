"""RiskUtilityExplorer: traits, messages, selection, code; no browser."""

from __future__ import annotations

import gc
import json
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sweep_probes import people, probed

from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer
from skanon.constraints import LDiversity
from skanon.exceptions import ParameterError
from skanon.hierarchies import Intervals, Subsets, Suppression, from_levels, from_nested
from skanon.losses import LM, NCP, ClassPenalty
from skanon_widgets import RiskUtilityExplorer
from skanon_widgets._risk_utility_explorer.code import code_of_choice
from skanon_widgets._risk_utility_explorer.plan import make_plan

PATIENCE = 60
HOSTILE = "<img src=x onerror=alert(1)>"


class Told(RiskUtilityExplorer):
    """An explorer that keeps what it sends."""

    def send(self, content, buffers=None):
        self.__dict__.setdefault("told", []).append(content)


def tell(widget, content):
    """Deliver a message as the front end's would be."""
    widget._handle_custom_msg(content, [])


def kinds(widget):
    return [message.get("kind", "error") for message in widget.told]


@pytest.fixture(scope="module")
def explorer():
    """An explorer whose sweep has ended; tests select and unselect."""
    X, y = people(90)
    model = Pipeline(
        [
            ("hide", KAnonymizer(encode="distribution", random_state=0)),
            ("grow", RandomForestClassifier(n_estimators=5, random_state=0)),
        ]
    )
    grid = {"hide__k": [2, 5, 500], "hide__algorithm": ["mondrian", "forest"]}
    explorer = Told(model, X, y, param_grid=grid, cv=2)
    explorer.run()
    assert explorer.wait(PATIENCE)
    return explorer


@pytest.fixture(autouse=True)
def _unselected(request):
    if "explorer" in request.fixturenames:
        explorer = request.getfixturevalue("explorer")
        explorer.selected = -1
        explorer.told.clear()


# --------------------------------------------------------------------- sweeping


def test_before_the_first_run_everything_waits():
    X, _ = people(40)
    explorer = RiskUtilityExplorer(MondrianAnonymizer(), X, k=[2, 3])
    assert explorer.results["state"].tolist() == ["waiting"] * 2
    assert explorer.wait() and explorer.selected == -1
    explorer.cancel()
    assert [p["means"] for p in explorer.curves["points"]] == [[None] * 3] * 2
    assert "0 of 2 points are done" in explorer._summary()


def test_results_are_rows_of_points(explorer):
    results = explorer.results
    assert results["param_hide__k"].tolist() == [2, 2, 5, 5, 500, 500]
    assert results["line"][1] == "algorithm = forest"
    assert results["state"].tolist() == ["done"] * 4 + ["failed"] * 2
    assert results["mean_highest_risk"][:4].between(0.01, 0.5).all()
    saved = explorer.curves["points"]
    assert [p["state"] for p in saved] == results["state"].tolist()
    assert [p["means"][1] for p in saved][:4] == results["mean_loss"][:4].tolist()


def test_points_are_told_as_they_are_done_and_a_rerun_starts_anew():
    X, _ = people(40)
    explorer = Told(MondrianAnonymizer(), X, k=[2], cv=2)
    explorer.run()
    with pytest.raises(ParameterError, match="A sweep is running"):
        explorer.run()
    assert explorer.wait(PATIENCE)
    kept = [kind for kind in kinds(explorer) if kind != "choice"]
    assert kept == ["state", "point", "point", "state"]
    point = next(m for m in explorer.told if m.get("kind") == "point")
    assert point["point"]["good"] == 1 and point["point"]["state"] == "running"
    assert point["progress"]["done"] == 1 and point["progress"]["total"] == 2
    explorer.selected = 0
    explorer.run(k=[3, 4])
    assert explorer.selected == -1
    assert [p["k"] for p in explorer.curves["points"]] == [3, 4]
    assert explorer.wait(PATIENCE)
    assert explorer.results["param_k"].tolist() == [3, 4]


def test_cancel_by_message_keeps_what_is_done():
    X, _ = people(40)
    grid = {"probe__sleep": [0.0, 600.0]}
    explorer = Told(probed(), X, k=[2], param_grid=grid, cv=2)
    tell(explorer, {"do": "run", "k": "2"})
    end = time.monotonic() + PATIENCE
    while explorer.results["state"][0] != "done" and time.monotonic() < end:
        time.sleep(0.02)
    explorer.selected = 0
    tell(explorer, {"do": "cancel"})
    assert explorer.wait(5)
    assert explorer.results["state"].tolist() == ["done", "cancelled"]
    assert explorer.curves["points"][1]["state"] == "cancelled"
    assert explorer.selected_params == {"anonymize__k": 2, "probe__sleep": 0.0}
    with pytest.raises(ParameterError, match="cannot be selected: cancelled"):
        explorer.selected = 1


def test_closing_cancels():
    X, _ = people(40)
    explorer = RiskUtilityExplorer(probed(sleep=600.0), X, k=[2], cv=2)
    explorer.run()
    explorer.close()
    assert explorer.wait(5) and explorer.results["state"].tolist() == ["cancelled"]


def test_the_table_is_kept_as_it_was():
    X, _ = people(40)
    explorer = RiskUtilityExplorer(MondrianAnonymizer(k=3), X, k=[3], cv=2)
    expected = MondrianAnonymizer(k=3).fit(X).information_loss_
    X.loc[:, "age"] = 1
    explorer.run()
    assert explorer.wait(PATIENCE)
    explorer.selected = 0
    assert explorer.selected_estimator.information_loss_ == expected > 0


# -------------------------------------------------------------------- messages


def test_a_new_view_is_told_everything(explorer):
    explorer.selected = 2
    explorer.told.clear()
    tell(explorer, {"do": "open"})
    state, choice = explorer.told
    assert state["kind"] == "state" and state["curves"] == explorer.curves
    assert sorted(state["problems"]) == ["4", "5"]
    assert "k=500 asks for at least 500 records" in state["problems"]["4"][0]
    assert state["progress"]["state"] == "done"
    assert choice == {"kind": "choice", "selected": 2, "code": explorer.to_code()}


def test_errors_are_told_in_words(explorer):
    before = explorer.results
    for k, words in [("five", "'five' is no k"), ("", "no k to try")]:
        tell(explorer, {"do": "run", "k": k})
        assert words in explorer.told.pop()["error"]
    pd.testing.assert_frame_equal(explorer.results, before)


def test_selecting_tells_the_code(explorer):
    explorer.selected = 1
    assert explorer.told == [
        {"kind": "choice", "selected": 1, "code": explorer.to_code()}
    ]


@pytest.mark.parametrize(
    ("row", "words"), [(4, "failed"), (6, "there are only 6 points")]
)
def test_what_is_not_done_cannot_be_selected(explorer, row, words):
    with pytest.raises(ParameterError, match=words):
        explorer.selected = row
    assert explorer.selected == -1


def test_without_a_selection_there_is_nothing_to_have(explorer):
    for ask in (
        lambda: explorer.selected_params,
        lambda: explorer.selected_estimator,
        explorer.to_code,
    ):
        with pytest.raises(ParameterError, match="No point is selected"):
            ask()


def test_only_aggregates_are_saved():
    towns = [f"raw-town-{i}" for i in range(30)]
    # so long that no figure has these digits by chance
    X = pd.DataFrame({"town": towns, "age": 70_010_070_011 + np.arange(30)})
    y = pd.Series([f"raw-illness-{i % 2}" for i in range(30)])
    explorer = Told(MondrianAnonymizer(), X, y, k=[2, 500], cv=2)
    explorer.run()
    assert explorer.wait(PATIENCE)
    explorer.selected = 0
    assert explorer.selected_estimator.n_classes_ > 1
    saved = json.dumps(explorer.get_state(), default=str)
    bundle, _ = explorer._repr_mimebundle_()
    for text in (saved, json.dumps(bundle), json.dumps(explorer.told)):
        assert "raw-" not in text
        assert not any(str(age) in text for age in X["age"])


def test_summary_names_the_selected_point_and_shows_markup_as_text():
    X, _ = people(40)
    grid = {"loss": {HOSTILE: "lm", "b": "ncp"}}
    explorer = RiskUtilityExplorer(MondrianAnonymizer(), X, param_grid=grid, cv=2)
    explorer.run()
    assert explorer.wait(PATIENCE)
    explorer.selected = 0
    bundle, _ = explorer._repr_mimebundle_()
    html = bundle["text/html"]
    assert "<img" not in html and "loss = &lt;img src=x onerror=alert(1)&gt;" in html
    assert "5 (selected)" in html


def test_the_front_end_is_small():
    assert len(RiskUtilityExplorer._esm.encode()) < 60_000


# ------------------------------------------------------------------------ code


def test_the_selected_estimator_is_fitted_to_all_records_once(explorer):
    X, y = people(90)
    explorer.selected = 3
    assert explorer.selected_params == {"hide__k": 5, "hide__algorithm": "forest"}
    estimator = explorer.selected_estimator
    assert estimator is explorer.selected_estimator
    again = clone(estimator).fit(X, y)
    assert estimator["hide"].labels_.tolist() == again["hide"].labels_.tolist()
    assert len(estimator["hide"].labels_) == 90
    explorer.selected = 0
    assert explorer.selected_estimator["hide"].k == 2


def test_the_code_makes_the_selected_estimator(explorer):
    X, y = people(90)
    explorer.selected = 2
    names = {"X": X, "y": y}
    exec(explorer.to_code(), names)
    own, chosen = explorer.selected_estimator, names["chosen"]
    assert chosen["hide"].labels_.tolist() == own["hide"].labels_.tolist()
    assert chosen.predict(X).tolist() == own.predict(X).tolist()


def made(estimator, params=None):
    """Run the code of an estimator, and return what it leaves."""
    X, y = people(30)
    names = {"X": X, "y": y, "estimator": estimator}
    plan = make_plan(estimator, X, y, k=[3])
    code = code_of_choice(plan, params or plan.points[0].params, True)
    exec(code, names)
    return code, names


TREE = from_nested({"*": {"Swiss": ["Bern"], "German": ["Bonn", "Ulm"]}})
LEVELS = pd.DataFrame(
    {"town": ["Bern", "Bonn", "Ulm"], "level": ["a", "b'\"", "b'\""], "all": "*"}
)


@pytest.mark.parametrize(
    "estimator",
    [
        KAnonymizer(random_state=0),
        KAnonymizer(random_state=0, algorithm=SequentialAnonymizer(alpha=0.7)),
        KAnonymizer(random_state=0, loss=NCP(weights={"age": 2.0}) + 0.5 * LM()),
        KAnonymizer(random_state=0, loss=LM() + ClassPenalty()),
        KAnonymizer(random_state=0, constraints=[LDiversity(1.5)]),
        KAnonymizer(random_state=0, hierarchies={"town": TREE, "age": Intervals()}),
        KAnonymizer(random_state=0, hierarchies={"town": from_levels(LEVELS)}),
        KAnonymizer(random_state=0, hierarchies={"town": Suppression()}),
        KAnonymizer(random_state=0, hierarchies={"town": Subsets()}),
        KAnonymizer(
            random_state=0, quasi_identifiers=("age",), max_suppression=np.float64(0.5)
        ),
        KAnonymizer(
            random_state=3,
            hierarchies={"town": {"*": ["Bern", "Bonn", "Ulm"]}},
        ),
    ],
    ids=lambda estimator: " ".join(repr(estimator).split())[:60],
)
def test_code_makes_the_same_release(estimator):
    X, y = people(30)
    code, names = made(estimator)
    expected = clone(estimator).set_params(k=3).fit_transform(X, y)
    pd.testing.assert_frame_equal(names["release"], expected)
    assert names["chosen"].get_params().keys() == estimator.get_params().keys()
    for name, value in names["chosen"].get_params(deep=False).items():
        asked = clone(estimator).set_params(k=3).get_params(deep=False)[name]
        assert value == asked or repr(value) == repr(asked)
    assert "#" not in code and "estimator" not in code


def test_code_makes_pipelines_with_columns_and_functions():
    steps = [
        ("hide", KAnonymizer(encode="distribution", random_state=0)),
        (
            "scale",
            make_column_transformer(
                (StandardScaler(), [0, 1]), (FunctionTransformer(np.log1p), [2])
            ),
        ),
        ("grow", RandomForestClassifier(3, class_weight={"ill": 1.0}, random_state=0)),
    ]
    code, names = made(Pipeline(steps))
    X, y = people(30)
    expected = Pipeline(steps).set_params(hide__k=3).fit(X, y)
    assert names["chosen"].predict(X).tolist() == expected.predict(X).tolist()
    assert "from numpy import log1p" in code
    assert "from sklearn.ensemble import RandomForestClassifier" in code


def test_code_warns_where_another_fit_may_differ():
    code, _ = made(KAnonymizer())
    assert "# random_state is None, so another fit may differ" in code


def test_what_cannot_be_written_is_taken_from_the_estimator():
    estimator = KAnonymizer(random_state=np.random.RandomState(0))
    code, names = made(estimator, {"k": 4, "loss": "ncp"})
    assert "# estimator: what the explorer was given" in code
    assert "chosen = clone(estimator).set_params(k=4, loss='ncp')" in code
    assert names["chosen"].k == 4 and names["chosen"].n_classes_ > 1
    with pytest.raises(ParameterError, match=r"RandomState.*selected_estimator"):
        made(estimator, {"random_state": np.random.RandomState(0)})


def test_what_is_refused_adds_no_error_of_its_own():
    with pytest.raises(TypeError, match="argument: 'X'"):
        RiskUtilityExplorer(people(30)[0])
    gc.collect()  # an error in __del__ would be a warning, and so an error here

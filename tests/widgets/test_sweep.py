"""A sweep: what is fitted, what is measured, and that nothing ends it but its end."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sweep_probes import Probe, is_gone, people, probed, processes

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses import NCP
from skanon.metrics import global_certainty_penalty
from skanon_widgets._risk_utility_explorer.plan import make_plan
from skanon_widgets._risk_utility_explorer.plan import swept as as_swept
from skanon_widgets._risk_utility_explorer.sweep import Sweep, summarize
from skanon_widgets._risk_utility_explorer.view import (
    curves_of,
    read_k,
    state_of,
    summary_of,
)

PATIENCE = 60


def classifier():
    return Pipeline(
        [
            ("hide", KAnonymizer(k=4, encode="distribution", random_state=0)),
            ("grow", RandomForestClassifier(n_estimators=5, random_state=0)),
        ]
    )


def swept(estimator, X, y=None, *, n_jobs=None, **settings):
    """A sweep that has come to its end."""
    sweep = Sweep(make_plan(estimator, X, y, **settings), X, y, n_jobs=n_jobs)
    sweep.start()
    assert sweep.wait(PATIENCE)
    return sweep


@pytest.fixture(scope="module")
def of_classifier():
    X, y = people(120)
    grid = {"hide__algorithm": ["mondrian", "sequential"]}
    return swept(classifier(), X, y, k=[2, 8], param_grid=grid, cv=3, n_jobs=2)


# ---------------------------------------------------------------------- measures


def test_values_equal_those_of_plain_loops(of_classifier):
    X, y = people(120)
    results = of_classifier.results()
    folds = list(StratifiedKFold(3).split(X, y))
    assert len(results) == 4
    for _, row in results.iterrows():
        for i, (train, test) in enumerate(folds):
            estimator = classifier().set_params(hide__effort="sweep")
            estimator.set_params(**row["params"]).fit(X.iloc[train], y.iloc[train])
            labels = estimator["hide"].labels_.tolist()
            sizes = [labels.count(label) for label in set(labels)]
            assert row[f"split{i}_loss"] == estimator["hide"].information_loss_
            assert row[f"split{i}_highest_risk"] == 1 / min(sizes)
            average = len(sizes) / len(train)
            assert row[f"split{i}_average_risk"] == pytest.approx(average)
            guesses = estimator.predict(X.iloc[test])
            right = sum(a == b for a, b in zip(guesses, y.iloc[test], strict=True))
            assert row[f"split{i}_test_accuracy"] == pytest.approx(right / len(test))


def test_results_agree_with_a_grid_search(of_classifier):
    X, y = people(120)
    results = of_classifier.results()
    grid = {"hide__k": [2, 8], "hide__algorithm": ["mondrian", "sequential"]}
    less = classifier().set_params(hide__effort="sweep")
    search = GridSearchCV(less, grid, cv=3, refit=False).fit(X, y)
    expected = {
        tuple(sorted(params.items())): (mean, deviation)
        for params, mean, deviation in zip(
            *(
                search.cv_results_[name]
                for name in ("params", "mean_test_score", "std_test_score")
            ),
            strict=True,
        )
    }
    for _, row in results.iterrows():
        mean, deviation = expected.pop(tuple(sorted(row["params"].items())))
        assert row["mean_test_accuracy"] == pytest.approx(mean)
        assert row["std_test_accuracy"] == pytest.approx(deviation)
    assert not expected
    assert (results["mean_fit_time"] > 0).all()
    assert results["state"].eq("done").all() and results["problems"].eq("").all()
    assert results["param_hide__k"].tolist() == [2, 2, 8, 8]


@pytest.mark.parametrize("prefix", ["", "hide__"])
def test_a_sweep_takes_less_work_unless_told_otherwise(prefix):
    estimator = classifier() if prefix else classifier()["hide"]
    X, y = people(40)
    for given, taken in (("default", "sweep"), ("fast", "fast"), ("high", "high")):
        estimator.set_params(**{f"{prefix}effort": given})
        plan = make_plan(estimator, X, y, k=[2], cv=2)
        assert as_swept(plan).get_params()[f"{prefix}effort"] == taken
        assert plan.estimator.get_params()[f"{prefix}effort"] == given
    plain = make_plan(MondrianAnonymizer(), X, k=[2], cv=2)
    assert repr(as_swept(plain)) == repr(plain.estimator)


def test_swept_losses_are_measured_by_the_estimators_own():
    X, _ = people(40)
    estimator = MondrianAnonymizer(loss="ncp")
    grid = {"loss": ["lm", NCP(), "entropy"]}
    sweep = swept(estimator, X, k=5, param_grid=grid, cv=2)
    assert sweep.plan.lines == ["loss = lm", "loss = NCP()", "loss = entropy"]
    assert sweep.plan.measures[0].title == "Loss (ncp)"
    for _, row in sweep.results().iterrows():
        for i, (train, _) in enumerate(sweep.plan.splits):
            original = X.iloc[train]
            release = clone(estimator).set_params(**row["params"])
            release = release.fit_transform(original)
            expected = global_certainty_penalty(original, release)
            assert row[f"split{i}_loss"] == pytest.approx(expected)


def test_an_anonymizer_alone_has_no_score():
    X, y = people(40)
    names = [measure.name for measure in make_plan(MondrianAnonymizer(), X).measures]
    assert names == ["loss", "highest_risk", "average_risk"]
    with_y = make_plan(MondrianAnonymizer(max_suppression=0.1), X, y)
    assert [m.name for m in with_y.measures] == [*names, "suppressed"]


def test_scores_are_those_that_are_asked_for():
    X, y = people(40)
    numbers = pd.Series(np.arange(40.0))

    def halved(estimator, X, y):
        return 0.5

    def scores(estimator, target, scoring=None):
        plan = make_plan(estimator, X, target, scoring=scoring)
        return [(m.name, m.title) for m in plan.measures if not m.lower_is_better]

    line = Pipeline([("hide", classifier()["hide"]), ("line", LinearRegression())])
    assert scores(line, numbers) == [("test_r2", "R²")]
    assert scores(classifier(), y) == [("test_accuracy", "Accuracy")]
    asked = ["roc_auc", "neg_log_loss"]
    assert scores(classifier(), y, asked) == [
        ("test_roc_auc", "Roc auc"),
        ("test_neg_log_loss", "Neg log loss"),
    ]
    assert scores(classifier(), y, {"mine": halved}) == [("test_mine", "Mine")]
    assert scores(classifier(), y, halved) == [("test_halved", "Halved")]
    sweep = swept(classifier(), X, y, k=2, cv=2, scoring=halved)
    assert sweep.results()["mean_test_halved"].tolist() == [0.5]


# -------------------------------------------------------------------- what fails


def test_warnings_and_errors_stay_at_their_point():
    X, _ = people()
    grid = {"probe__how": ["nothing", "warn", "raise", "raise_on_first", "print"]}
    sweep = swept(probed(), X, k=[2], param_grid=grid, cv=3)
    assert sweep.state == "done"
    fine, warned, failed, partly, printed = sweep.results().to_dict("records")
    assert [r["state"] for r in (fine, warned, printed)] == ["done"] * 3
    assert fine["problems"] == printed["problems"] == ""
    assert warned["problems"] == (
        "Warned in 3 of 3 fits: UserWarning: beware of the probe"
    )
    assert failed["state"] == "failed" and np.isnan(failed["mean_loss"])
    assert failed["problems"] == "Failed in 3 of 3 fits: RuntimeError: the probe broke"
    assert partly["state"] == "done"
    assert partly["problems"] == "Failed in 2 of 3 fits: RuntimeError: the probe broke"
    kept = [partly[f"split{i}_loss"] for i in range(3)]
    assert np.isnan(kept).tolist() == [False, True, True]
    assert partly["mean_loss"] == kept[0] and partly["std_loss"] == 0.0
    assert curves_of(sweep)["points"][3]["good"] == 1


def test_errors_of_our_own_need_no_name():
    X, _ = people()
    sweep = swept(MondrianAnonymizer(), X, k=[2, 500], cv=2)
    good, bad = sweep.results().to_dict("records")
    assert good["state"] == "done"
    assert bad["problems"].startswith("Failed in 2 of 2 fits: k=500 asks for at least")


def test_a_dying_process_takes_nothing_with_it():
    X, _ = people()
    grid = {"probe__how": ["nothing", "die", "warn"]}
    one = [(np.arange(40), np.arange(40, 60))]
    sweep = swept(probed(), X, k=[2], param_grid=grid, cv=one)
    assert sweep.results()["state"].tolist() == ["done", "failed", "done"]
    (words,) = sweep.problems(1)
    assert "The process of this fit ended before it was done (exit code 3)" in words


def test_what_cannot_be_sent_is_refused_in_words():
    X, _ = people()
    estimator = probed(pids=None)
    sweep = Sweep(make_plan(estimator, X, k=[2], cv=2), X)
    sweep.plan.estimator.set_params(probe__how=threading.Lock())
    with pytest.raises(ParameterError, match=r"cannot be sent to another process"):
        sweep.start()
    assert sweep.state == "ready" and sweep.wait()
    grid = {"probe__how": [threading.Lock(), "nothing"]}
    later = Sweep(make_plan(estimator, X, k=[2], param_grid=grid, cv=2), X)
    later.start()
    assert later.wait(PATIENCE)
    assert later.results()["state"].tolist() == ["failed", "done"]
    assert "TypeError: cannot pickle" in later.problems(0)[0]


# ------------------------------------------------------------------ the processes


def test_cancel_stops_in_the_midst_of_a_fit(tmp_path):
    X, _ = people()
    estimator = probed(pids=str(tmp_path))
    grid = {"probe__sleep": [0.0, 600.0]}
    heard = []
    sweep = Sweep(
        make_plan(estimator, X, k=[2, 3], param_grid=grid, cv=2),
        X,
        listen=lambda _, point: heard.append(point),
    )
    sweep.start()
    end = time.monotonic() + PATIENCE
    while sweep.n_done < 2 and time.monotonic() < end:
        time.sleep(0.02)
    assert not sweep.wait(0.3)
    assert sweep.state_of(0) == "done" and sweep.state_of(1) == "waiting"
    assert sweep.seconds_left() > 0
    began = time.monotonic()
    sweep.cancel()
    assert sweep.wait(5) and time.monotonic() - began < 2
    (process,) = processes(tmp_path)
    assert is_gone(process)
    assert sweep.results()["state"].tolist() == ["done"] + ["cancelled"] * 3
    assert sweep.seconds_left() is None
    assert heard == [0, 0, None]
    sweep.cancel()
    assert heard == [0, 0, None]


def test_processes_run_side_by_side_out_of_reach_of_interrupts(tmp_path):
    X, _ = people()
    estimator = probed(sleep=0.5, pids=str(tmp_path))
    sweep = Sweep(make_plan(estimator, X, k=[2, 3, 4], cv=2), X, n_jobs=2)
    sweep.start()
    groups = set()
    while not sweep.wait(0.02):
        for process in processes(tmp_path):
            try:
                groups.add(os.getpgid(process))
            except ProcessLookupError:
                pass
    assert sweep.state == "done" and len(processes(tmp_path)) == 2
    assert groups and os.getpgrp() not in groups
    assert all(is_gone(process) for process in processes(tmp_path))


def test_processes_do_not_outlive_python(tmp_path):
    script = f"""
        import os, sys, time
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from sweep_probes import people, probed, processes
        from skanon_widgets._risk_utility_explorer.sweep import Sweep
        from skanon_widgets._risk_utility_explorer.plan import make_plan

        X, _ = people()
        plan = make_plan(probed(sleep=600.0, pids={str(tmp_path)!r}), X, k=[2], cv=2)
        Sweep(plan, X).start()
        while not processes({str(tmp_path)!r}):
            time.sleep(0.05)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(command, check=True, timeout=PATIENCE)
    (process,) = processes(tmp_path)
    assert is_gone(process)


def test_configuration_goes_along():
    X, _ = people()
    with config_context(transform_output="pandas"):
        sweep = swept(probed(how="config"), X, k=[2], cv=2)
    assert sweep.results()["state"].tolist() == ["done"]


# ------------------------------------------------------------------------ the view


def test_typed_k_is_read():
    assert read_k(" 10, 2;5\n3 ") == [2, 3, 5, 10]
    for text, words in [
        ("", "no k to try"),
        ("2, five", "'five' is no k"),
        ("2.5", "'2.5' is no k"),
        ("-3", "'-3' is no k"),
        ("0", "0 is not"),
        ("²", "'²' is no k"),
        ("<img>", "'<img>' is no k"),
    ]:
        with pytest.raises(ParameterError, match=words):
            read_k(text)


def test_state_holds_no_number_that_json_lacks(of_classifier):
    import json

    X, _ = people()
    sweep = swept(MondrianAnonymizer(), X, k=[2, 500], cv=2)
    state = state_of(sweep)
    json.dumps(state, allow_nan=False)
    good, bad = state["curves"]["points"]
    assert bad["means"] == [None] * 3 and bad["good"] == 0
    assert good["means"][1] == 0.5
    assert list(state["problems"]) == ["1"]
    assert state["progress"] == {
        "state": "done",
        "done": 4,
        "total": 4,
        "seconds_left": None,
    }


def test_summary_shows_means_and_escapes_names(of_classifier):
    curves = curves_of(of_classifier)
    curves["lines"] = ["<img src=x onerror=alert(1)>", "b & c"]
    text = summary_of(curves, 1)
    assert "<img" not in text and "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "b &amp; c" in text and text.count("(selected)") == 1
    mean = of_classifier.results()["mean_loss"][1]
    assert f"{mean:.3g}" in text
    assert text.count("<tr>") == 5


def test_equal_values_do_not_deviate():
    assert summarize(np.array([0.1] * 3)) == (pytest.approx(0.1), 0.0)
    mean, deviation = summarize(np.array([1.0, np.nan, 3.0]))
    assert (mean, deviation) == (2.0, 1.0)
    assert np.isnan(summarize(np.array([np.nan]))).all()


def test_probe_is_an_estimator():
    assert clone(Probe("warn")).how == "warn"

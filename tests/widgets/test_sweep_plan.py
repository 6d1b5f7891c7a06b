"""The plan of a sweep: its points, lines and folds, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("anywidget")

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sweep_probes import people, probed

from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer
from skanon.exceptions import ParameterError
from skanon_widgets._risk_utility_explorer.plan import make_plan


def test_k_is_sorted_and_common_ones_are_those_that_fit():
    X, _ = people(60)

    def ks(estimator=None, **settings):
        plan = make_plan(estimator or KAnonymizer(k=7), X, **settings)
        return [point.k for point in plan.points]

    assert ks(k=[10, 2, np.int64(5), 2]) == [2, 5, 10]
    assert ks(k=range(2, 5)) == [2, 3, 4] and ks(k=6) == [6]
    assert ks() == [2, 5, 10, 20]  # 48 records to train on
    assert ks(param_grid={"k": [9, 3]}) == [3, 9]
    assert ks(param_grid={"max_suppression": [0.0, 0.1]}) == [7, 7]
    assert make_plan(probed(), X, k=[4]).points[0].params == {"anonymize__k": 4}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": [0]}, "at least 1; 0 is not"),
        ({"k": [2.5]}, r"2\.5 is not"),
        ({"k": [True]}, "True is not"),
        ({"k": "10"}, "'10' is not"),
        ({"k": []}, "no k to try"),
        ({"k": [2], "param_grid": {"k": [3]}}, "k is given twice"),
        ({"param_grid": {"kk": [3]}}, "no parameter 'kk' to sweep"),
        ({"param_grid": {"loss": "lm"}}, "needs a list of values"),
        ({"param_grid": "k"}, "must be a dict"),
        ({"param_grid": []}, "must be a dict"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    X, _ = people(40)
    with pytest.raises(ParameterError, match=words):
        make_plan(KAnonymizer(), X, **settings)


def test_bad_estimators_are_refused():
    X, y = people(40)
    with pytest.raises(ParameterError, match=r"this is a LinearRegression"):
        make_plan(LinearRegression(), X, y)
    learner = Pipeline([("hide", KAnonymizer()), ("grow", RandomForestClassifier())])
    scaled = Pipeline([("scale", StandardScaler())])
    with pytest.raises(ParameterError, match=r"this is a Pipeline"):
        make_plan(scaled, X, y)
    with pytest.raises(ParameterError, match=r"learns from y, but none was given"):
        make_plan(learner, X)


def test_lines_are_what_varies_beside_k():
    X, _ = people(40)
    fine, coarse = {"town": "subsets"}, {"town": "suppression"}

    def lines(grid, **settings):
        return make_plan(KAnonymizer(), X, param_grid=grid, **settings).lines

    assert lines(None) == [""]
    assert lines({"algorithm": ["mondrian"]}, k=[2, 3]) == [""]
    assert lines({"hierarchies": {"fine": fine, "coarse": coarse}}) == [
        "hierarchies = fine",
        "hierarchies = coarse",
    ]
    assert lines({"hierarchies": [fine, coarse]}) == [
        "hierarchies = (option 1)",
        "hierarchies = (option 2)",
    ]
    assert lines({"algorithm": ["forest", "forest"], "loss": ["lm", "ncp"]}) == [
        "loss = lm",
        "loss = ncp",
    ]
    split = [
        {"algorithm": ["mondrian"]},
        {"algorithm": [SequentialAnonymizer()], "algorithm__alpha": [0.5, 0.7]},
    ]
    assert lines(split, k=[2]) == [
        "algorithm = mondrian",
        "algorithm = SequentialAnonymizer(), algorithm__alpha = 0.5",
        "algorithm = SequentialAnonymizer(), algorithm__alpha = 0.7",
    ]
    long = [["age"] * i for i in range(20)]
    assert len(set(lines({"quasi_identifiers": long}))) == 20


def test_points_of_a_line_that_come_twice_are_fitted_once():
    X, _ = people(40)
    grids = [{"k": [2, 3], "loss": ["lm"]}, {"k": [3, 4], "loss": ["lm", "ncp"]}]
    points = make_plan(KAnonymizer(), X, param_grid=grids).points
    assert [(p.k, p.params["loss"]) for p in points] == [
        (2, "lm"),
        (3, "lm"),
        (3, "ncp"),
        (4, "lm"),
        (4, "ncp"),
    ]


def test_splits_are_the_same_for_all_and_keep_groups():
    X, y = people(40)
    groups = np.arange(40) // 10
    plan = make_plan(MondrianAnonymizer(), X, y, cv=GroupKFold(4), groups=groups)
    for train, test in plan.splits:
        assert not set(groups[train]) & set(groups[test])
    given = [(np.arange(20), np.arange(20, 40))]
    (only,) = make_plan(MondrianAnonymizer(), X, cv=given).splits
    assert only[0].tolist() == list(range(20))


def test_the_estimator_is_copied():
    X, _ = people(40)
    estimator = KAnonymizer(k=3)
    plan = make_plan(estimator, X)
    estimator.set_params(k=99, encode="bounds")
    assert plan.estimator.encode == "label"

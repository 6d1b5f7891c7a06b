"""Scorers measure the release that an estimator has made, whatever they are given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses import LM, MI, NCP, PMI
from skanon.metrics import (
    discernibility_metric,
    information_loss,
    kl_divergence,
    make_release_scorer,
)


@pytest.fixture(scope="module")
def people():
    rng = np.random.RandomState(0)
    age = rng.randint(18, 90, size=120)
    town = rng.choice(["Bern", "Basel", "Bonn"], size=120)
    return pd.DataFrame({"age": age, "town": town})


@pytest.fixture(scope="module")
def ill(people):
    return np.where(people["age"] > 50, "yes", "no")


@pytest.fixture(scope="module")
def fitted(people, ill):
    return KAnonymizer(k=4, random_state=0, max_suppression=0.05).fit(people, ill)


@pytest.mark.parametrize("loss", ["lm", "ncp", "mi", "pmi", NCP(), 0.5 * MI() + PMI()])
def test_losses(people, ill, fitted, loss):
    expected = information_loss(people, fitted, loss=loss, sensitive=ill)
    score = make_release_scorer(loss)(fitted, people.iloc[:3], ill[:3])
    assert score == pytest.approx(-expected)


def test_the_objective_is_the_default(fitted):
    assert make_release_scorer()(fitted) == -fitted.information_loss_
    weighted = make_release_scorer(LM({"age": 3}))(fitted)
    assert weighted != -fitted.information_loss_


def test_other_metrics_get_their_parameters(people, fitted):
    expected = discernibility_metric(people, fitted)
    assert make_release_scorer("discernibility")(fitted) == -expected
    scorer = make_release_scorer("kl_divergence", spread="marginals")
    expected = kl_divergence(people, fitted, spread="marginals")
    assert scorer(fitted) == pytest.approx(-expected)


def test_sensitive_metrics_take_what_was_fitted(people, ill):
    in_table = people.assign(ill=ill)
    by_column = KAnonymizer(k=4, sensitive="ill", random_state=0).fit(in_table)
    by_y = KAnonymizer(k=4, random_state=0).fit(people, ill)
    scorer = make_release_scorer("class_entropy_diversity")
    assert scorer(by_column) == scorer(by_y) < 0
    with pytest.raises(ValueError, match="sensitive attribute"):
        scorer(KAnonymizer(k=4, random_state=0).fit(people))


def test_risks(fitted):
    sizes = fitted.class_sizes_
    assert make_release_scorer("highest_risk")(fitted) == -1 / sizes.min()
    assert make_release_scorer("average_risk")(fitted) == -len(sizes) / sizes.sum()
    assert make_release_scorer("suppressed")(fitted) == -fitted.suppressed_.mean()


def test_any_function(people, fitted):
    def n_changed(original, released, *, hierarchies, sensitive):
        assert list(hierarchies) == ["age", "town"]
        return (original["town"] != released["town"]).sum()

    release = fitted.transform(people)
    expected = (people["town"] != release["town"]).sum()
    assert make_release_scorer(n_changed)(fitted) == -expected


def test_in_a_search_beside_accuracy(people, ill):
    pipeline = make_pipeline(
        MondrianAnonymizer(encode="distribution"),
        StandardScaler(),
        RandomForestClassifier(5, random_state=0),
    )
    scoring = {
        "accuracy": "accuracy",
        "lm": make_release_scorer("lm"),
        "risk": make_release_scorer("highest_risk"),
    }

    def best_below(results):
        safe = results["mean_test_risk"] >= -1 / 8
        return int(np.argmax(np.where(safe, results["mean_test_lm"], -np.inf)))

    search = GridSearchCV(
        pipeline,
        {
            "mondrianAnonymizer__k".lower(): [2, 8, 32],
            "mondriananonymizer__loss": ["lm", "ncp"],
        },
        scoring=scoring,
        refit=best_below,
        cv=3,
    ).fit(people, ill)
    assert search.best_params_["mondriananonymizer__k"] == 8
    k = np.array([p["mondriananonymizer__k"] for p in search.cv_results_["params"]])
    assert (search.cv_results_["mean_test_risk"] >= -1 / k).all()
    lm = search.cv_results_["mean_test_lm"]
    assert lm[k == 2].max() > lm[k == 32].max()


def test_the_training_part_is_measured(people, ill):
    folds = cross_validate(
        KAnonymizer(k=4, random_state=0),
        people,
        ill,
        scoring=make_release_scorer("discernibility"),
        cv=[(np.arange(100), np.arange(100, 120))],
        return_estimator=True,
    )
    (fitted,), (score,) = folds["estimator"], folds["test_score"]
    assert score == -discernibility_metric(people.iloc[:100], fitted)


def test_refusals(people, fitted):
    with pytest.raises(ParameterError, match="no metric of a release named 'lmm'"):
        make_release_scorer("lmm")
    with pytest.raises(ParameterError, match="no name, loss or function"):
        make_release_scorer(3)
    with pytest.raises(ParameterError, match="was given StandardScaler"):
        make_release_scorer("lm")(StandardScaler())
    with pytest.raises(ParameterError, match="was given Pipeline"):
        make_release_scorer("lm")(make_pipeline(StandardScaler()))
    with pytest.raises(ParameterError, match="forgotten"):
        make_release_scorer("lm")(fitted.forget())


def test_metrics_go_by_the_names_of_their_functions_too(people, fitted):
    for function in (discernibility_metric, kl_divergence):
        short = function.__name__.removesuffix("_metric")
        scores = [
            make_release_scorer(name)(fitted, people)
            for name in (function.__name__, short)
        ]
        assert scores[0] == scores[1] < 0


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_k_that_cannot_be_is_no_score_and_says_why(people):
    scorer = make_release_scorer()
    search = GridSearchCV(MondrianAnonymizer(), {"k": [5, 100]}, cv=3, scoring=scorer)
    with pytest.warns(FitFailedWarning, match="k=100 asks for at least 100"):
        search.fit(people)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores[0]) and np.isnan(scores[1])
    assert search.best_params_ == {"k": 5}

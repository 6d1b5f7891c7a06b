"""Table 3 of Goldberger & Tassa (2010), and the conjecture that closes the paper."""

from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skanon import SequentialAnonymizer
from skanon.datasets import load_adult
from skanon.losses import LM, MI, PMI
from skanon.metrics import class_entropy_diversity, release_accuracy_score

PAPER = {
    50: {0: 0.07, 0.25: 0.14, 0.5: 0.31, 0.75: 0.51, 1: 0.54},
    75: {0: 0.08, 0.25: 0.14, 0.5: 0.32, 0.75: 0.51, 1: 0.56},
    100: {0: 0.08, 0.25: 0.15, 0.5: 0.34, 0.75: 0.54, 1: 0.58},
}

pytestmark = pytest.mark.benchmark


def anonymizer(k, loss):
    hierarchies = dict.fromkeys(load_adult().data.columns, "suppression")
    return SequentialAnonymizer(k=k, hierarchies=hierarchies, loss=loss, random_state=0)


def diversity(case):
    k, w = case
    adult = load_adult()
    fitted = anonymizer(k, w * MI() + (1 - w) * PMI()).fit(adult.data, adult.target)
    both = [
        class_entropy_diversity(
            adult.data, fitted, sensitive=adult.target, average=average
        )
        for average in ("class", "record")
    ]
    return *both, fitted.information_loss_


def test_the_diversity_rises_with_the_weight_of_mi(figures):
    cases = list(product(PAPER, PAPER[50]))
    with ProcessPoolExecutor(2) as processes:
        found = dict(zip(cases, processes.map(diversity, cases), strict=True))
    for (k, w), (by_class, by_record, loss) in found.items():
        figures(
            "Average entropy diversity of the classes, in bits, by w",
            ["k", "w", "paper", "average of classes", "of records", "loss (bits)"],
            [
                k,
                w,
                PAPER[k][w],
                f"{by_class:.2f}",
                f"{by_record:.2f}",
                f"{loss:.4f}",
            ],
        )
    for k in PAPER:
        rising = [found[k, w][0] for w in sorted(PAPER[k])]
        assert (np.diff(rising) > 0).all()


LEARNERS = {
    "logistic regression": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000)
    ),
    "boosted trees": lambda: HistGradientBoostingClassifier(random_state=0),
}
OBJECTIVES = {"LM": LM(), "MI": MI(), "PMI": PMI(), "(MI + PMI) / 2": MI() + PMI()}


def accuracies(case):
    """Train on a release of two thirds of the records, predict the other third."""
    k, name = case
    adult = load_adult()
    rows = np.arange(len(adult.data))
    train, test = train_test_split(
        rows, test_size=1 / 3, random_state=0, stratify=adult.target
    )
    X, y = adult.data, adult.target
    released = anonymizer(k, OBJECTIVES[name]).fit_transform(
        X.iloc[train], y.iloc[train]
    )
    untouched = X.iloc[test].astype(object)
    both = pd.concat([released.astype(object), untouched]).loc[X.index]
    return [
        release_accuracy_score(
            X,
            both,
            estimator=learner(),
            hierarchies=dict.fromkeys(X.columns, "suppression"),
            sensitive=y,
            cv=[(train, test)],
            return_baseline=True,
        )
        for learner in LEARNERS.values()
    ]


def test_what_is_learned_from_releases_driven_by_pmi_mi_and_lm(figures):
    cases = list(product((10, 50, 100), OBJECTIVES))
    with ProcessPoolExecutor(2) as processes:
        found = dict(zip(cases, processes.map(accuracies, cases), strict=True))
    for (k, name), scores in found.items():
        for learner, score in zip(LEARNERS, scores, strict=True):
            figures(
                "Accuracy on raw held-out records by what drove the release",
                ["k", "learner", "objective", "trained on the release", "on raw data"],
                [k, learner, name, f"{score.released:.4f}", f"{score.raw:.4f}"],
            )
            assert score.released <= score.raw + 0.01

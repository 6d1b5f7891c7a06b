import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skanon import MondrianAnonymizer
from skanon.datasets import load_cmc
from skanon.metrics import release_accuracy_score

TREE = DecisionTreeClassifier(max_depth=4, random_state=0)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was given to learn and to predict."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen.append(("fit", X, y, sample_weight))
        return self

    def predict(self, X):
        self.seen.append(("predict", X))
        return np.repeat(self.classes_[:1], len(X))


def seen_features(table, release, **options):
    """What a classifier learns from, and what it predicts, with the same two rows."""
    Recorder.seen.clear()
    halves = [(np.arange(len(table)), np.arange(len(table)))]
    y = ["a", "b"] * (len(table) // 2)
    release_accuracy_score(
        table, release, estimator=Recorder(), sensitive=y, cv=halves, **options
    )
    return Recorder.seen[0][1].tolist(), Recorder.seen[1][1].tolist()


def test_features_are_means_widths_and_shares():
    table = pd.DataFrame({"age": [20, 30, 40, 60], "sex": list("FFFM")})
    release = table.assign(age=["[20, 30]", "[20, 60]", "[40, 60]", "60"], sex="*")
    release.loc[0, "sex"] = "F"
    learned, raw = seen_features(table, release)
    np.testing.assert_allclose(
        learned,
        [
            [0.125, 0.25, 1, 0],
            [0.4375, 1, 0.5, 0.5],
            [0.75, 0.5, 0.5, 0.5],
            [1, 0, 0.5, 0.5],
        ],
    )
    np.testing.assert_allclose(
        raw, [[0, 0, 1, 0], [0.25, 0, 1, 0], [0.5, 0, 1, 0], [1, 0, 0, 1]]
    )
    learned, raw_again = seen_features(table, release, spread="marginals")
    assert learned[1] == pytest.approx([0.4375, 1, 0.75, 0.25])
    assert raw_again == raw


def test_missing_values_are_a_feature():
    table = pd.DataFrame({"age": [0, 10, None, None], "sex": ["F", None, "M", "M"]})
    release = pd.DataFrame({"age": [0, "*", None, "*"], "sex": ["F", "*", "M", "*"]})
    learned, raw = seen_features(table, release)
    np.testing.assert_allclose(
        learned,
        [
            [0, 0, 0, 1, 0, 0],
            [0.5, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3],
            [0.5, 1, 1, 0, 1, 0],
            [0.5, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3],
        ],
    )
    assert raw[1] == [1, 0, 0, 0, 0, 1]
    assert raw[3] == [0.5, 1, 1, 0, 1, 0]


def test_each_fold_learns_published_records_and_predicts_raw_ones():
    table = pd.DataFrame({"age": [0, 10, 20, 30]})
    release = pd.DataFrame({"age": ["[0, 10]"] * 2 + ["[20, 30]"] * 2})
    Recorder.seen.clear()
    y = np.array(["a", "b", "a", "b"])
    weights = [1, 2, 3, 4]
    score = release_accuracy_score(
        table,
        release,
        estimator=Recorder(),
        sensitive=y,
        cv=KFold(2),
        sample_weight=weights,
    )
    fit, predict = Recorder.seen[:2]
    np.testing.assert_allclose(fit[1], [[5 / 6, 1 / 3]] * 2)
    assert fit[2].tolist() == ["a", "b"]
    assert fit[3].tolist() == [3, 4]
    np.testing.assert_allclose(predict[1], [[0, 0], [1 / 3, 0]])
    assert score == pytest.approx((1 / 3 + 3 / 7) / 2)


@pytest.mark.parametrize("estimator", [TREE, KNeighborsClassifier(5)])
def test_the_raw_table_is_its_own_baseline(estimator):
    women = load_cmc()
    scores = release_accuracy_score(
        women.data, women.data, estimator=estimator, sensitive=women.target,
        return_baseline=True,
    )  # fmt: skip
    assert scores.released == scores.raw
    numbers = [c for c in women.data if pd.api.types.is_numeric_dtype(women.data[c])]
    low, high = women.data[numbers].min(), women.data[numbers].max()
    scaled = (women.data[numbers] - low) / (high - low)
    plain = cross_val_score(estimator, scaled, women.target, cv=StratifiedKFold(5))
    score = release_accuracy_score(
        women.data, women.data, estimator=estimator, sensitive=women.target,
        quasi_identifiers=numbers,
    )  # fmt: skip
    assert score == pytest.approx(plain.mean(), abs=0.01)


def test_a_coarse_release_teaches_less():
    women = load_cmc()
    found = []
    for k in (5, 1473):
        anonymizer = MondrianAnonymizer(k=k, hierarchies=women.hierarchies)
        scores = release_accuracy_score(
            women.data, anonymizer.fit(women.data), estimator=TREE,
            sensitive=women.target, return_baseline=True,
        )  # fmt: skip
        assert scores.released < scores.raw
        found.append(scores.released)
    most_frequent = pd.Series(women.target).value_counts(normalize=True).iloc[0]
    assert found[0] > found[1]
    assert found[1] == pytest.approx(most_frequent, abs=0.05)


def test_other_scores():
    women = load_cmc()
    loss = release_accuracy_score(
        women.data,
        women.data,
        estimator=LogisticRegression(max_iter=1000),
        sensitive=women.target,
        scoring="neg_log_loss",
        cv=3,
    )
    assert -1.2 < loss < -0.8


def test_unfit_input():
    table = pd.DataFrame({"age": range(20)})
    y = ["a", "b"] * 10
    for estimator in (LinearRegression(), "tree", DecisionTreeClassifier):
        with pytest.raises(ValueError, match=r"estimator is .* must be a classifier"):
            release_accuracy_score(table, table, estimator=estimator, sensitive=y)
    with pytest.raises(ValueError, match="Name its column in sensitive"):
        release_accuracy_score(table, table, estimator=TREE)
    with pytest.raises(ValueError, match="sensitive is missing at row 1"):
        release_accuracy_score(table, table, estimator=TREE, sensitive=["a", None] * 10)
    names = pd.DataFrame({"name": [f"n{at}" for at in range(1001)]})
    with pytest.raises(ValueError, match=r"'name' has 1001 values.*1000 is the limit"):
        release_accuracy_score(names, names, estimator=TREE, sensitive=["a"] * 1001)

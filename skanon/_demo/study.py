"""What the demonstration computes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import parallel_config
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from skanon import KAnonymizer
from skanon._files import write_whole
from skanon._progress import progress
from skanon.datasets import load_adult
from skanon.privacy import k_anonymity

QUASI_IDENTIFIERS = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
]

DROPPED = {
    "education-num": "says education again",
    "relationship": "Husband and Wife tell sex and marital status",
    "fnlwgt": "a survey weight that few people share",
}
"""Columns that would undo the generalization if they passed through."""

KS = [2, 5, 10, 25, 50, 100]
SAMPLE = 10_000
FOLDS = 3


class Study:
    """The table, its release and the accuracy of a classifier on both.

    Parameters
    ----------
    X : DataFrame of shape (n, n_columns)
    y : Series of shape (n,)
        The sensitive attribute.
    hierarchies : dict from column to Hierarchy
    k, seed : int
    """

    def __init__(
        self, X: pd.DataFrame, y: pd.Series, hierarchies: dict, k: int, seed: int
    ) -> None:
        self.X, self.y, self.k, self.seed = X, y, k, seed
        self.hierarchies = {name: hierarchies[name] for name in QUASI_IDENTIFIERS}

    @classmethod
    def of_adult(cls, k: int, seed: int) -> Study:
        """Load Adult without the columns that would give people away."""
        adult = load_adult()
        X = adult.data.drop(columns=list(DROPPED))
        return cls(X, adult.target, adult.hierarchies, k, seed)

    def anonymizer(self, **parameters: Any) -> KAnonymizer:
        """Make the anonymizer that release and grid search share."""
        return KAnonymizer(
            quasi_identifiers=QUASI_IDENTIFIERS,
            hierarchies=self.hierarchies,
            random_state=self.seed,
            **parameters,
        )

    def anonymize(self) -> None:
        """Make the release of all records, and check k on what it publishes."""
        self.fitted = self.anonymizer(k=self.k, verbose=1)
        self.release = self.fitted.fit_transform(self.X, self.y)
        self.achieved = k_anonymity(self.release, QUASI_IDENTIFIERS)

    def same_income(self) -> tuple[int, int]:
        """Count the classes whose people all have one income, and these people."""
        incomes = self.y.groupby(self.fitted.labels_).nunique().to_numpy()
        alike = incomes == 1
        return int(alike.sum()), int(self.fitted.class_sizes_[alike].sum())

    def write_csv(self, path: Path) -> None:
        """Write the release with the sensitive attribute."""
        text = self.release.assign(income=self.y).to_csv(index=False)
        write_whole(path, text.encode())

    def search(self) -> None:
        """Cross-validate the classifier on raw records, and for each k."""
        sampled = self.X.sample(SAMPLE, random_state=self.seed).index
        X, y = self.X.loc[sampled], self.y.loc[sampled]
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        self.majority = float(y.value_counts(normalize=True).max())
        classify = make_pipeline(StandardScaler(), _classifier())
        pipeline = Pipeline(
            [
                ("anonymize", self.anonymizer(encode="distribution")),
                ("classify", classify),
            ]
        )
        self.grid = GridSearchCV(
            pipeline,
            {"anonymize__k": KS},
            cv=folds,
            scoring=_CountedScore(FOLDS * len(KS)),
            refit=False,
        )
        # threads share the compiled kernels, which let go of the interpreter lock;
        # one thread each for linear algebra, lest they get in each other's way
        with parallel_config("threading", n_jobs=2), threadpool_limits(1):
            self.raw = cross_val_score(_raw_pipeline(), X, y, cv=folds)
            self.grid.fit(X, y)

    def accuracies(self) -> list[tuple[int, float, float]]:
        """List each k with its accuracy and the standard deviation over the folds."""
        found = self.grid.cv_results_
        means, deviations = found["mean_test_score"], found["std_test_score"]
        return list(zip(KS, means.tolist(), deviations.tolist(), strict=True))


class _CountedScore:
    """Accuracy, which tells on the error stream how many folds are done."""

    def __init__(self, n_fits: int) -> None:
        self._n_fits, self._done = n_fits, 0
        self._lock = threading.Lock()

    def __call__(self, estimator: Pipeline, X: pd.DataFrame, y: pd.Series) -> float:
        score = accuracy_score(y, estimator.predict(X))
        with self._lock:
            self._done += 1
            k = estimator.get_params()["anonymize__k"]
            progress(
                1, f"grid search: {self._done} of {self._n_fits}, k={k}: {score:.3f}"
            )
        return float(score)


def _classifier() -> LogisticRegression:
    return LogisticRegression(max_iter=500)


def _raw_pipeline() -> Pipeline:
    text = QUASI_IDENTIFIERS[1:]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encode = make_column_transformer((one_hot, text), remainder="passthrough")
    return make_pipeline(encode, StandardScaler(), _classifier())

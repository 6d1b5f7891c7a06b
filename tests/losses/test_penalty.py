"""The class penalty is the classification metric, and makes classes pure."""

import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair

from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer
from skanon.hierarchies import Subsets
from skanon.losses import LM, PMI, ByunInformationLoss, ClassPenalty, Entropy
from skanon.metrics import classification_metric, loss_metric

ALGORITHMS = [
    SequentialAnonymizer(),
    MondrianAnonymizer(),
    MondrianAnonymizer(cut="best", strict=False),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
@pytest.mark.parametrize("weight", [0.01, 0.3, 50])
def test_the_penalty_is_the_classification_metric(weight, algorithm):
    for seed in range(3):
        rng = np.random.RandomState(seed)
        kinds = list(rng.permutation(list(KINDS))[:3])
        pair = random_pair(rng, kinds, 40, measure="lm+penalty", missing=0)
        fitted = KAnonymizer(
            4,
            algorithm=algorithm,
            hierarchies=pair.hierarchies,
            loss=LM() + weight * ClassPenalty(),
            random_state=0,
        )
        release = fitted.fit_transform(pair.frame, pair.y)
        if (release == "*").all(axis=1).any():
            continue  # the metric counts such records as suppressed
        metric = classification_metric(
            pair.frame, release, hierarchies=pair.hierarchies, sensitive=pair.y
        )
        lm = np.mean(list(fitted.column_losses_.values()))
        assert fitted.information_loss_ == pytest.approx(lm + weight * metric)
        naive = pair.table.cm(
            pair.table.release(
                [np.flatnonzero(fitted.labels_ == h) for h in range(fitted.n_classes_)]
            )
        )
        assert metric == pytest.approx(naive)


def test_suppressed_records_are_penalized():
    frame, y = pd.DataFrame({"x": list("aaaaz")}), list("ppppp")
    fitted = KAnonymizer(
        4,
        loss=LM() + 0.5 * ClassPenalty(),
        max_suppression=0.2,
        suppressed="drop",
        random_state=0,
    )
    release = fitted.fit(frame, y).set_params(suppressed="keep").transform(frame)
    assert release["x"].tolist() == ["a"] * 4 + ["*"]
    assert classification_metric(frame, release, sensitive=y) == pytest.approx(1 / 5)
    assert fitted.information_loss_ == pytest.approx(1 / 5 + 0.5 * 1 / 5)
    assert fitted.column_losses_ == {"x": pytest.approx(1 / 5)}


@pytest.mark.parametrize("other", [LM(), ByunInformationLoss(), Entropy(), PMI()])
@pytest.mark.parametrize("k", [4, 5])
def test_a_large_penalty_makes_classes_pure(k, other):
    """Ages say nothing of the class; 20 records of each are classes without rest."""
    rng = np.random.RandomState(k)
    frame = pd.DataFrame(
        {"age": rng.permutation(60), "job": rng.choice(list("xyz"), 60)}
    )
    y = rng.permutation(np.repeat(["yes", "no", "maybe"], 20))
    shared = {
        "hierarchies": {"job": Subsets()},
        "algorithm": SequentialAnonymizer(n_init=6),
        "random_state": 0,
    }
    pure = KAnonymizer(k, loss=other + 100 * ClassPenalty(), **shared).fit(frame, y)
    mixed = KAnonymizer(k, loss=other, **shared).fit(frame, y)
    assert impure(pure, y) == 0
    assert impure(mixed, y) > 5


def impure(fitted, y):
    """Count the records that are not of their class's majority."""
    table = pd.crosstab(fitted.labels_, y)
    return int((table.sum(axis=1) - table.max(axis=1)).sum())


def test_the_penalty_weighs_against_the_other_losses():
    """Between pairs of neighbours and pairs of one class: a matter of the factor."""
    frame, y = pd.DataFrame({"age": [20, 21, 30, 31]}), list("abab")
    near, far = [0, 0, 1, 1], [0, 1, 0, 1]
    # neighbours lose 1 / 11 and half a penalty, the others 10 / 11 and none
    for factor, expected in ((18 / 11 - 0.01, near), (18 / 11 + 0.01, far)):
        loss = ByunInformationLoss() + factor * ClassPenalty()
        fitted = KAnonymizer(2, loss=loss, random_state=0).fit(frame, y)
        assert fitted.labels_.tolist() == expected


def test_the_sensitive_attribute_may_be_a_sensitive_column():
    frame = pd.DataFrame({"age": [20, 21, 22, 23], "ill": list("abab")})
    loss = LM() + ClassPenalty()
    column = KAnonymizer(2, loss=loss, sensitive="ill", random_state=0).fit(frame)
    given = KAnonymizer(2, loss=loss, random_state=0).fit(frame[["age"]], frame["ill"])
    assert column.labels_.tolist() == given.labels_.tolist() == [0, 1, 0, 1]
    assert column.information_loss_ == given.information_loss_ == pytest.approx(2 / 3)
    assert loss_metric(frame[["age"]], given) == pytest.approx(2 / 3)

"""Unfit tables and options are refused, with row, column and value."""

import numpy as np
import pandas as pd
import pytest

from skanon import metrics
from skanon.exceptions import ColumnError, ParameterError
from skanon.losses import LM, PMI, ClassPenalty
from skanon.metrics._additive import AdditiveLosses
from skanon.metrics._reading import read_release

TABLE = pd.DataFrame({"age": [21, 24, 57, 63], "sex": list("FFMM")})
RELEASE = pd.DataFrame({"age": ["[21, 24]"] * 2 + ["[57, 63]"] * 2, "sex": ["*"] * 4})
ILLNESS = ["flu", "flu", "cold", "flu"]

PUBLIC = [
    "byun_information_loss",
    "entropy_loss",
    "global_certainty_penalty",
    "information_loss",
    "loss_metric",
    "mutual_information_loss",
    "normalized_certainty_penalty",
    "tree_measure",
]
SENSITIVE = ["private_mutual_information_loss", "private_mutual_information_score"]
WEIGHTED = [name for name in [*PUBLIC, *SENSITIVE] if name != "information_loss"]

every = pytest.mark.parametrize("metric", [*PUBLIC, *SENSITIVE])
weighted = pytest.mark.parametrize("metric", WEIGHTED)
sensitive = pytest.mark.parametrize("metric", SENSITIVE)


def measure(metric, original=TABLE, released=RELEASE, **options):
    return getattr(metrics, metric)(
        original, released, **{"sensitive": ILLNESS} | options
    )


BAD_RELEASES = [
    (
        RELEASE.assign(age=["[21, 24]", "[57, 63]", "[57, 63]", "[57, 63]"]),
        r"Column 'age': the release has '\[57, 63\]' at row 1, which does not cover "
        "the original value 24",
    ),
    (
        RELEASE.assign(sex=["*", "*", "male", "*"]),
        "Column 'sex': the release has 'male' at row 2, which is no value of",
    ),
    (RELEASE[:3], "The original has 4 rows, but the release has 3"),
    (RELEASE[::-1], "index in another order: at row 0 it is 3 instead of 0"),
    (RELEASE.drop(columns="sex"), r"lacks the columns \['sex'\]"),
]


@every
@pytest.mark.parametrize(("released", "message"), BAD_RELEASES)
def test_tables_that_do_not_fit_together(metric, released, message):
    with pytest.raises(ColumnError, match=message):
        measure(metric, released=released)


BAD_COLUMN_WEIGHTS = [
    ({"age": -1.0}, "gives 'age' the weight -1.0"),
    ({"age": float("nan")}, "gives 'age' the weight nan"),
    ({"age": "much"}, "gives 'age' the weight 'much'"),
    ({"age": 0, "sex": 0.0}, "gives all quasi-identifiers the weight 0"),
    ({"zip": 1}, r"'zip', which is not a quasi-identifier.*\['age', 'sex'\]"),
    ([1, 2], r"weights is \[1, 2\], but must map columns to numbers"),
]


@weighted
@pytest.mark.parametrize("average", ["uniform", None])
@pytest.mark.parametrize(("weights", "message"), BAD_COLUMN_WEIGHTS)
def test_unfit_weights_of_columns(metric, average, weights, message):
    with pytest.raises(ParameterError, match=message):
        measure(metric, weights=weights, average=average)


@every
def test_unfit_weights_of_records(metric):
    with pytest.raises(ColumnError, match=r"sample_weight is -2.0 at row 1"):
        measure(metric, sample_weight=[1, -2, 1, 1])
    with pytest.raises(ColumnError, match="sample_weight is 0 in all 4 rows"):
        measure(metric, sample_weight=[0] * 4)


@every
def test_unknown_averages(metric):
    for average in ("mean", True, "macro", 0):
        with pytest.raises(ParameterError, match=f"average is {average!r}, but must"):
            measure(metric, average=average)


@sensitive
@pytest.mark.parametrize("average", ["uniform", None])
def test_sensitive_values_are_needed(metric, average):
    with pytest.raises(ColumnError, match="Name its column in sensitive, or give one"):
        measure(metric, sensitive=None, average=average)
    with pytest.raises(ColumnError, match="sensitive is missing at row 2"):
        measure(metric, sensitive=["flu", "flu", None, "flu"], average=average)


@pytest.mark.parametrize("loss", ["pmi", PMI() + LM(), LM() + ClassPenalty()])
def test_sensitive_values_are_needed_where_the_loss_looks_at_them(loss):
    with pytest.raises(ColumnError, match="Name its column in sensitive"):
        measure("information_loss", sensitive=None, loss=loss)
    assert measure("information_loss", sensitive=None, loss=LM() + 0 * PMI()) > 0


def test_a_reading_without_sensitive_values_knows_none():
    losses = AdditiveLosses(read_release(TABLE, RELEASE), np.ones(4))
    for ask in (
        lambda: losses.loss(PMI()),
        lambda: losses.loss(LM() + ClassPenalty()),
        lambda: losses.averages(PMI()),
        losses.sensitive_origins,
        losses.sensitive_information,
    ):
        with pytest.raises(ParameterError, match="which was not given"):
            ask()
    assert losses.loss(LM()) == measure("loss_metric")


def test_the_class_penalty_alone_is_the_classification_metric():
    found = measure("information_loss", loss=ClassPenalty())
    assert found == measure("classification_metric") == 1 / 4


def test_other_metrics_ignore_what_y_is():
    for metric in PUBLIC:
        assert measure(metric, sensitive=None) == measure(metric, sensitive=[None] * 4)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("lmm", "There is no loss named 'lmm'. Give one of"),
        (["lm"], r"loss is \['lm'\], but must be a loss's name"),
        (None, "loss is None"),
        (LM, "loss is <class"),
        (LM(weights={"zip": 2}), "'zip', which is not a quasi-identifier"),
        (0 * LM(), "is 0 whatever is released"),
    ],
)
def test_unknown_losses(loss, message):
    for average in ("uniform", None):
        with pytest.raises(ParameterError, match=message):
            measure("information_loss", loss=loss, average=average)


def test_unknown_norms():
    for norm in ("l3", 2, None):
        with pytest.raises(ParameterError, match=f"norm is {norm!r}, but must be one"):
            measure("private_mutual_information_score", norm=norm)


def test_names_of_columns_may_be_tuples():
    names = pd.Index([("a", 1), ("b", 2)], tupleize_cols=False)
    table, release = TABLE.set_axis(names, axis=1), RELEASE.set_axis(names, axis=1)
    each = metrics.loss_metric(table, release, average=None)
    assert type(each.index) is pd.Index
    assert list(each.index) == [("a", 1), ("b", 2)]
    assert each.tolist() == [1 / 3, 1.0]
    found = metrics.loss_metric(table, release, weights={("a", 1): 0})
    assert found == 1.0

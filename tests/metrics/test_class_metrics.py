import math

import naive_metrics
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import ALL_KINDS, drawn_release

from skanon.metrics import (
    ambiguity_metric,
    average_class_size,
    class_entropy_diversity,
    classification_metric,
    discernibility_metric,
)
from skanon.privacy import k_anonymity

AGES = pd.DataFrame({"age": [21, 24, 25, 57, 63, 99]})
RELEASE = pd.DataFrame({"age": ["[21, 25]"] * 3 + ["[57, 63]"] * 2 + ["*"]})
ILLNESS = ["flu", "flu", "cold", "flu", "flu", "flu"]

SEEDS = st.integers(0, 2**31)
KIND_LISTS = st.lists(st.sampled_from(ALL_KINDS), min_size=1, max_size=3)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(SEEDS, KIND_LISTS)
def test_metrics_equal_their_definitions(seed, kinds):
    release = drawn_release(seed, kinds, 1 + seed % 15)
    texts, sensitive, weights = release.texts, release.sensitive, release.weights
    measured = release.measured
    assert measured(ambiguity_metric) == close(
        naive_metrics.ambiguity(release.sets, weights)
    )
    assert measured(discernibility_metric) == close(
        naive_metrics.discernibility(texts, weights)
    )
    assert measured(classification_metric, sensitive=sensitive) == close(
        naive_metrics.classification(texts, sensitive, weights)
    )
    assert measured(average_class_size) == close(
        naive_metrics.class_size(texts, weights)
    )


@given(SEEDS, KIND_LISTS, st.sampled_from(["class", "record"]))
def test_entropy_diversity_equals_its_definition(seed, kinds, average):
    release = drawn_release(seed, kinds, 2 + seed % 15)
    weights = release.weights = release.weights + 0.5  # or all may be suppressed ones
    found = release.measured(
        class_entropy_diversity, sensitive=release.sensitive, average=average
    )
    texts, sensitive = release.texts, release.sensitive
    assert found == close(
        naive_metrics.entropy_diversity(texts, sensitive, weights, average)
    )


def test_worked_examples():
    assert ambiguity_metric(AGES, RELEASE) == (3 * 3 + 2 * 2 + 6) / 6
    assert discernibility_metric(AGES, RELEASE) == 9 + 4 + 6
    assert classification_metric(AGES, RELEASE, sensitive=ILLNESS) == 2 / 6
    assert average_class_size(AGES, RELEASE) == 2.5
    assert average_class_size(AGES, RELEASE, k=2) == 1.25
    entropy = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    assert class_entropy_diversity(AGES, RELEASE, sensitive=ILLNESS) == close(
        entropy / 2
    )
    by_record = class_entropy_diversity(
        AGES, RELEASE, sensitive=ILLNESS, average="record"
    )
    assert by_record == close(entropy * 3 / 5)


def test_the_original_is_as_good_as_can_be():
    assert ambiguity_metric(AGES, AGES) == 1
    assert discernibility_metric(AGES, AGES) == 6
    assert classification_metric(AGES, AGES, sensitive=ILLNESS) == 0
    assert average_class_size(AGES, AGES) == 1
    diversity = class_entropy_diversity(AGES, AGES, sensitive=ILLNESS)
    assert diversity == 0
    assert math.copysign(1, diversity) == 1


def test_full_suppression_is_finite_and_worst():
    hidden = pd.DataFrame({"age": ["*"] * 6})
    assert ambiguity_metric(AGES, hidden) == 6
    assert discernibility_metric(AGES, hidden) == 36
    assert classification_metric(AGES, hidden, sensitive=ILLNESS) == 1
    assert average_class_size(AGES, hidden) == 6
    shares = class_entropy_diversity(AGES, hidden, sensitive=ILLNESS)
    assert shares == close(-(5 / 6 * math.log2(5 / 6) + 1 / 6 * math.log2(1 / 6)))


def test_integer_weights_are_repeated_records():
    weights = [1, 2, 3, 0, 2, 1]
    rows = [row for row, weight in enumerate(weights) for _ in range(weight)]
    frame = AGES.iloc[rows].reset_index(drop=True)
    repeated = RELEASE.iloc[rows].reset_index(drop=True)
    y = [ILLNESS[row] for row in rows]
    whole = {"hierarchies": {"age": "intervals"}}
    for metric in (
        discernibility_metric,
        classification_metric,
        average_class_size,
        class_entropy_diversity,
    ):
        weighted = metric(
            AGES, RELEASE, sensitive=ILLNESS, sample_weight=weights, **whole
        )
        assert weighted == close(metric(frame, repeated, sensitive=y, **whole))


def test_ambiguity_beyond_floats_is_infinite():
    many = pd.DataFrame({str(j): range(10) for j in range(400)})
    hidden = pd.DataFrame("*", index=many.index, columns=many.columns)
    assert ambiguity_metric(many, hidden) == math.inf
    hidden.iloc[1:] = many.iloc[1:].astype(str)
    weights = [0] + [1] * 9
    assert ambiguity_metric(many, hidden, sample_weight=weights) == 1


def test_sensitive_values_may_be_of_any_type():
    truths = [True, True, False, True, True, True]
    for y in (
        truths,
        pd.Series(truths),
        pd.Categorical(ILLNESS),
        pd.Series(ILLNESS).to_numpy(),
        pd.Series([1.5, 1.5, 2, 1.5, 1.5, 1.5]),
    ):
        assert classification_metric(AGES, RELEASE, sensitive=y) == 2 / 6


BAD_Y = [
    (None, "Name its column in sensitive"),
    (ILLNESS[:5], "6 rows, but sensitive has 5"),
    (
        [*ILLNESS[:3], None, "flu", "flu"],
        "sensitive is missing at row 3, and in 1 of 6",
    ),
    ([1.0, 2.0, float("nan"), 1, 1, 1], "sensitive is missing at row 2"),
    (pd.Series(ILLNESS)[::-1], r"at row 0 it is 5 instead of 0. Use sensitive.loc"),
    (pd.DataFrame({"a": ILLNESS, "b": ILLNESS}), r"the shape \(6, 2\)"),
]


@pytest.mark.parametrize(("y", "message"), BAD_Y)
@pytest.mark.parametrize("metric", [classification_metric, class_entropy_diversity])
def test_unfit_sensitive_values(metric, y, message):
    with pytest.raises(ValueError, match=message):
        metric(AGES, RELEASE, sensitive=y)


BAD_WEIGHTS = [
    ([1] * 5, "6 rows, but sample_weight has 5"),
    ([1, 1, -1, 1, 1, 1], r"sample_weight is -1.0 at row 2"),
    ([1, 1, 1, float("nan"), 1, 1], r"sample_weight is nan at row 3"),
    ([1, 1, 1, float("inf"), 1, 1], r"sample_weight is inf at row 3"),
    ([0] * 6, "sample_weight is 0 in all 6 rows"),
    (list("abcdef"), "holds what is no number"),
    ([[1, 1]] * 6, r"has the shape \(6, 2\)"),
    (pd.Series([1] * 6)[::-1], r"at row 0 it is 5 instead of 0. Use sample_weight.loc"),
]


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS)
@pytest.mark.parametrize(
    "metric",
    [ambiguity_metric, discernibility_metric, classification_metric,
     average_class_size, class_entropy_diversity],
)  # fmt: skip
def test_unfit_weights(metric, weights, message):
    with pytest.raises(ValueError, match=message):
        metric(AGES, RELEASE, sensitive=ILLNESS, sample_weight=weights)


def test_unfit_options():
    with pytest.raises(ValueError, match="average is 'mean', but must be one of"):
        class_entropy_diversity(AGES, RELEASE, sensitive=ILLNESS, average="mean")
    for k in (0, -1, "5", True, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"k is .*, but must be a number above 0"):
            average_class_size(AGES, RELEASE, k=k)


def test_the_sensitive_attribute_may_be_a_column_that_is_named():
    """Then it is no quasi-identifier, in metrics that do not look at it, too."""
    table, release = AGES.assign(ill=ILLNESS), RELEASE.assign(ill=ILLNESS)
    for metric in (classification_metric, class_entropy_diversity):
        named = metric(table, release, sensitive="ill")
        assert named == metric(AGES, RELEASE, sensitive=ILLNESS)
    named = discernibility_metric(table, release, sensitive="ill")
    assert named == discernibility_metric(AGES, RELEASE)
    assert named != discernibility_metric(table, release)
    with pytest.raises(ValueError, match="sensitive names 'job', which is not a col"):
        classification_metric(table, release, sensitive="job")
    with pytest.raises(ValueError, match="both quasi_identifiers and sensitive"):
        classification_metric(table, release, ["age", "ill"], sensitive="ill")


@pytest.mark.parametrize("names", [{"age": "intervals"}, RELEASE])
def test_a_table_or_a_dict_is_no_list_of_quasi_identifiers(names):
    with pytest.raises(ValueError, match=r"must be a list|not a list of columns"):
        discernibility_metric(AGES, RELEASE, names)
    with pytest.raises(TypeError, match=r"must be a list|not a list of columns"):
        k_anonymity(RELEASE, names)

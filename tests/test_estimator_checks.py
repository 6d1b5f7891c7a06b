"""scikit-learn's own checks of what an estimator must be able to do."""

import pytest
from algorithms import ALGORITHMS
from consistent import CLASSES as CONSISTENT
from sklearn.utils import estimator_checks as checks

from skanon import KAnonymizer

CLASSES = [KAnonymizer, *ALGORITHMS.values(), *CONSISTENT.values()]

# halves of (k, k)-anonymity warn that they are unsafe by themselves
pytestmark = pytest.mark.filterwarnings("ignore::skanon.exceptions.PrivacyWarning")

SUBTRACTING = [
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
]
SUBTRACTS = dict.fromkeys(SUBTRACTING, "subtracts results, and labels are text")

BY_HAND = [
    checks.check_dataframe_column_names_consistency,
    checks.check_global_output_transform_pandas,
    checks.check_global_set_output_transform_polars,
    checks.check_set_output_transform,
    checks.check_set_output_transform_pandas,
    checks.check_set_output_transform_polars,
    checks.check_transformer_get_feature_names_out,
    checks.check_transformer_get_feature_names_out_pandas,
]


@checks.parametrize_with_checks([a(encode="representative") for a in CLASSES])
def test_numbers_pass_every_check(estimator, check):
    check(estimator)


@checks.parametrize_with_checks(
    [KAnonymizer()],
    expected_failed_checks=lambda estimator: SUBTRACTS,
    xfail_strict=True,
)
def test_labels_pass_every_check_that_does_not_subtract(estimator, check):
    check(estimator)


# the checks compare what an array and a frame with names give
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.parametrize("anonymizer", CLASSES)
@pytest.mark.parametrize("check", BY_HAND, ids=lambda check: check.__name__)
def test_checks_that_must_be_called_by_hand(anonymizer, check):
    check(anonymizer.__name__, anonymizer(encode="representative"))

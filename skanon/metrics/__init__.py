"""How good a release is: functions in the manner of ``sklearn.metrics``."""

from skanon.metrics._accuracy import release_accuracy_score
from skanon.metrics._ambiguity import ambiguity_metric
from skanon.metrics._classes import (
    average_class_size,
    class_entropy_diversity,
    classification_metric,
    discernibility_metric,
)
from skanon.metrics._distributions import (
    correlation_difference,
    distribution_distance,
)
from skanon.metrics._divergence import kl_divergence

__all__ = [
    "ambiguity_metric",
    "average_class_size",
    "class_entropy_diversity",
    "classification_metric",
    "correlation_difference",
    "discernibility_metric",
    "distribution_distance",
    "kl_divergence",
    "release_accuracy_score",
]

"""How good a release is: functions in the manner of ``sklearn.metrics``."""

from skanon.metrics._accuracy import release_accuracy_score
from skanon.metrics._ambiguity import ambiguity_metric
from skanon.metrics._bits import (
    entropy_loss,
    mutual_information_loss,
    private_mutual_information_loss,
    private_mutual_information_score,
)
from skanon.metrics._bounds import loss_lower_bound, optimality_gap
from skanon.metrics._certainty import (
    global_certainty_penalty,
    normalized_certainty_penalty,
)
from skanon.metrics._classes import (
    average_class_size,
    class_entropy_diversity,
    classification_metric,
    discernibility_metric,
)
from skanon.metrics._diameters import intra_cluster_distance
from skanon.metrics._distributions import (
    correlation_difference,
    distribution_distance,
)
from skanon.metrics._divergence import kl_divergence
from skanon.metrics._losses import (
    byun_information_loss,
    information_loss,
    loss_metric,
    tree_measure,
)
from skanon.metrics._scorers import make_release_scorer

__all__ = [
    "ambiguity_metric",
    "average_class_size",
    "byun_information_loss",
    "class_entropy_diversity",
    "classification_metric",
    "correlation_difference",
    "discernibility_metric",
    "distribution_distance",
    "entropy_loss",
    "global_certainty_penalty",
    "information_loss",
    "intra_cluster_distance",
    "kl_divergence",
    "loss_lower_bound",
    "loss_metric",
    "make_release_scorer",
    "mutual_information_loss",
    "normalized_certainty_penalty",
    "optimality_gap",
    "private_mutual_information_loss",
    "private_mutual_information_score",
    "release_accuracy_score",
    "tree_measure",
]

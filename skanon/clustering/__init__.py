"""Who goes with whom: one file, one algorithm, one class."""

from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering.agglomerative import AgglomerativeAnonymizer
from skanon.clustering.bisecting import BisectingAnonymizer
from skanon.clustering.bottom_up import BottomUpAnonymizer
from skanon.clustering.forest import ForestAnonymizer
from skanon.clustering.hilbert import HilbertAnonymizer
from skanon.clustering.k_member import KMemberAnonymizer
from skanon.clustering.mondrian import MondrianAnonymizer
from skanon.clustering.oka import OnePassKMeansAnonymizer
from skanon.clustering.optimal import OptimalAnonymizer
from skanon.clustering.sequential import SequentialAnonymizer
from skanon.clustering.threshold_greedy import ThresholdGreedyAnonymizer
from skanon.clustering.top_down import TopDownAnonymizer
from skanon.clustering.weighted_c_means import WeightedCMeansAnonymizer

ALGORITHMS = {
    "agglomerative": AgglomerativeAnonymizer,
    "bisecting": BisectingAnonymizer,
    "bottom_up": BottomUpAnonymizer,
    "forest": ForestAnonymizer,
    "hilbert": HilbertAnonymizer,
    "k_member": KMemberAnonymizer,
    "mondrian": MondrianAnonymizer,
    "oka": OnePassKMeansAnonymizer,
    "optimal": OptimalAnonymizer,
    "sequential": SequentialAnonymizer,
    "threshold_greedy": ThresholdGreedyAnonymizer,
    "top_down": TopDownAnonymizer,
    "weighted_c_means": WeightedCMeansAnonymizer,
}
"""The algorithms by the names that ``KAnonymizer`` knows them by."""

__all__ = [
    "ALGORITHMS",
    "AgglomerativeAnonymizer",
    "BisectingAnonymizer",
    "BottomUpAnonymizer",
    "ClusteringAnonymizer",
    "ForestAnonymizer",
    "HilbertAnonymizer",
    "KMemberAnonymizer",
    "MondrianAnonymizer",
    "OnePassKMeansAnonymizer",
    "OptimalAnonymizer",
    "SequentialAnonymizer",
    "ThresholdGreedyAnonymizer",
    "TopDownAnonymizer",
    "WeightedCMeansAnonymizer",
]

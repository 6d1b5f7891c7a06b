"""Who goes with whom: one file, one algorithm, one class."""

from skanon._registry import Registry
from skanon.clustering._agglomerative import AgglomerativeAnonymizer
from skanon.clustering._base import ClusteringAnonymizer
from skanon.clustering._bisecting import BisectingAnonymizer
from skanon.clustering._bottom_up import BottomUpAnonymizer
from skanon.clustering._forest import ForestAnonymizer
from skanon.clustering._hilbert import HilbertAnonymizer
from skanon.clustering._k_member import KMemberAnonymizer
from skanon.clustering._mondrian import MondrianAnonymizer
from skanon.clustering._one_pass_k_means import OnePassKMeansAnonymizer
from skanon.clustering._optimal import OptimalAnonymizer
from skanon.clustering._sequential import SequentialAnonymizer
from skanon.clustering._threshold_greedy import ThresholdGreedyAnonymizer
from skanon.clustering._top_down import TopDownAnonymizer
from skanon.clustering._weighted_c_means import WeightedCMeansAnonymizer

ALGORITHMS: Registry[ClusteringAnonymizer] = Registry(ClusteringAnonymizer)
"""The algorithms by the words that ``KAnonymizer`` knows them by."""

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

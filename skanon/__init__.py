"""skanon: publish tables about people, so that nobody can be singled out.

Every algorithm is a scikit-learn transformer: ``fit`` builds equivalence classes of
at least k records, ``transform`` emits their generalized columns.
"""

from skanon._anonymizer import KAnonymizer
from skanon.clustering import (
    AgglomerativeAnonymizer,
    BisectingAnonymizer,
    BottomUpAnonymizer,
    ForestAnonymizer,
    HilbertAnonymizer,
    KMemberAnonymizer,
    MondrianAnonymizer,
    OnePassKMeansAnonymizer,
    OptimalAnonymizer,
    SequentialAnonymizer,
    ThresholdGreedyAnonymizer,
    TopDownAnonymizer,
    WeightedCMeansAnonymizer,
)
from skanon.consistency import (
    GlobalOneKAnonymizer,
    KKAnonymizer,
    KOneAnonymizer,
    NonHomogeneousAnonymizer,
    OneKAnonymizer,
)

__version__ = "0.1.0"

__all__ = [
    "AgglomerativeAnonymizer",
    "BisectingAnonymizer",
    "BottomUpAnonymizer",
    "ForestAnonymizer",
    "GlobalOneKAnonymizer",
    "HilbertAnonymizer",
    "KAnonymizer",
    "KKAnonymizer",
    "KMemberAnonymizer",
    "KOneAnonymizer",
    "MondrianAnonymizer",
    "NonHomogeneousAnonymizer",
    "OneKAnonymizer",
    "OnePassKMeansAnonymizer",
    "OptimalAnonymizer",
    "SequentialAnonymizer",
    "ThresholdGreedyAnonymizer",
    "TopDownAnonymizer",
    "WeightedCMeansAnonymizer",
    "__version__",
]

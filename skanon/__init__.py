"""skanon: publish tables about people, so that nobody can be singled out.

Every algorithm is a scikit-learn transformer: ``fit`` builds equivalence classes of
at least k records, ``transform`` emits their generalized columns.
"""

from skanon._anonymizer import KAnonymizer
from skanon._path import anonymization_path
from skanon._refine import refine
from skanon._shuffle import shuffle_release
from skanon._version import __version__
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
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy
from skanon.metrics import information_loss
from skanon.privacy import (
    check_release,
    equivalence_classes,
    k_anonymity,
    suggest_quasi_identifiers,
    violations,
)
from skanon.report import make_report

__all__ = [
    "AgglomerativeAnonymizer",
    "AlphaKAnonymity",
    "BetaLikeness",
    "BisectingAnonymizer",
    "BottomUpAnonymizer",
    "DeltaDisclosure",
    "ForestAnonymizer",
    "GlobalOneKAnonymizer",
    "HilbertAnonymizer",
    "Intervals",
    "KAnonymizer",
    "KKAnonymizer",
    "KMemberAnonymizer",
    "KOneAnonymizer",
    "LDiversity",
    "MondrianAnonymizer",
    "NonHomogeneousAnonymizer",
    "OneKAnonymizer",
    "OnePassKMeansAnonymizer",
    "OptimalAnonymizer",
    "PSensitivity",
    "SequentialAnonymizer",
    "Subsets",
    "Suppression",
    "TCloseness",
    "Taxonomy",
    "ThresholdGreedyAnonymizer",
    "TopDownAnonymizer",
    "WeightedCMeansAnonymizer",
    "__version__",
    "anonymization_path",
    "check_release",
    "equivalence_classes",
    "information_loss",
    "k_anonymity",
    "make_report",
    "refine",
    "shuffle_release",
    "suggest_quasi_identifiers",
    "violations",
]

"""skanon: publish tables about people, so that nobody can be singled out.

Every algorithm is a scikit-learn transformer: ``fit`` builds equivalence classes of
at least k records, ``transform`` emits their generalized columns.
"""

from skanon.anonymizer import KAnonymizer
from skanon.clustering import (
    HilbertAnonymizer,
    MondrianAnonymizer,
    OptimalAnonymizer,
    SequentialAnonymizer,
)

__version__ = "0.1.0"

__all__ = [
    "HilbertAnonymizer",
    "KAnonymizer",
    "MondrianAnonymizer",
    "OptimalAnonymizer",
    "SequentialAnonymizer",
    "__version__",
]

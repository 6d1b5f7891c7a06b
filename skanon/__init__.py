"""skanon: publish tables about people, so that nobody can be singled out.

Every algorithm is a scikit-learn transformer: ``fit`` builds equivalence classes of
at least k records, ``transform`` emits their generalized columns.
"""

from skanon.anonymizer import KAnonymizer
from skanon.clustering import MondrianAnonymizer, SequentialAnonymizer

__version__ = "0.1.0"

__all__ = ["KAnonymizer", "MondrianAnonymizer", "SequentialAnonymizer", "__version__"]

"""Who goes with whom: one file, one algorithm, one class."""

from skanon.clustering.mondrian import MondrianAnonymizer
from skanon.clustering.sequential import SequentialAnonymizer

ALGORITHMS = {
    "mondrian": MondrianAnonymizer,
    "sequential": SequentialAnonymizer,
}
"""The algorithms by the names that ``KAnonymizer`` knows them by."""

__all__ = ["ALGORITHMS", "MondrianAnonymizer", "SequentialAnonymizer"]

"""Who goes with whom: one file, one algorithm, one class."""

from skanon.clustering.hilbert import HilbertAnonymizer
from skanon.clustering.mondrian import MondrianAnonymizer
from skanon.clustering.optimal import OptimalAnonymizer
from skanon.clustering.sequential import SequentialAnonymizer

ALGORITHMS = {
    "hilbert": HilbertAnonymizer,
    "mondrian": MondrianAnonymizer,
    "optimal": OptimalAnonymizer,
    "sequential": SequentialAnonymizer,
}
"""The algorithms by the names that ``KAnonymizer`` knows them by."""

__all__ = [
    "ALGORITHMS",
    "HilbertAnonymizer",
    "MondrianAnonymizer",
    "OptimalAnonymizer",
    "SequentialAnonymizer",
]

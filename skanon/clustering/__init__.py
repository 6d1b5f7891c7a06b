"""Who goes with whom: one file, one algorithm, one class."""

from skanon.clustering.sequential import SequentialAnonymizer

ALGORITHMS = {
    "sequential": SequentialAnonymizer,
}
"""The algorithms by the names that ``KAnonymizer`` knows them by."""

__all__ = ["ALGORITHMS", "SequentialAnonymizer"]

"""What a value may become: taxonomies, intervals, subsets, suppression."""

from skanon.hierarchies._base import BoundHierarchy, Hierarchy
from skanon.hierarchies._intervals import Intervals
from skanon.hierarchies._subsets import Subsets
from skanon.hierarchies._taxonomy import Suppression, Taxonomy

__all__ = ["BoundHierarchy", "Hierarchy", "Intervals", "Subsets", "Suppression",
           "Taxonomy"]

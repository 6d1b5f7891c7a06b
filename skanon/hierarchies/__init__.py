"""What a value may become: taxonomies, intervals, subsets, suppression."""

from skanon.hierarchies._base import BoundHierarchy, Hierarchy
from skanon.hierarchies._builders import (
    from_frequency,
    from_levels,
    from_nested,
    from_parents,
)
from skanon.hierarchies._calendar import from_calendar
from skanon.hierarchies._files import (
    read_arx,
    read_json,
    write_arx,
    write_json,
)
from skanon.hierarchies._intervals import Intervals
from skanon.hierarchies._masks import from_mask
from skanon.hierarchies._ranges import from_cut_points, from_widths
from skanon.hierarchies._subsets import Subsets
from skanon.hierarchies._taxonomy import Suppression, Taxonomy

__all__ = [
    "BoundHierarchy",
    "Hierarchy",
    "Intervals",
    "Subsets",
    "Suppression",
    "Taxonomy",
    "from_calendar",
    "from_cut_points",
    "from_frequency",
    "from_levels",
    "from_mask",
    "from_nested",
    "from_parents",
    "from_widths",
    "read_arx",
    "read_json",
    "write_arx",
    "write_json",
]

"""What a release promises, checked from the published values alone.

Nothing here shares code with the algorithms: these functions read a table as its
recipient would, so that a fault in an algorithm cannot hide itself.
"""

from skanon.privacy._k_anonymity import (
    check_release,
    equivalence_classes,
    k_anonymity,
    violations,
)

__all__ = ["check_release", "equivalence_classes", "k_anonymity", "violations"]

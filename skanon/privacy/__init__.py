"""What a release promises, checked from the published values alone.

Nothing here shares code with the algorithms: these functions read a table as its
recipient would, so that a fault in an algorithm cannot hide itself.
"""

from skanon.privacy._columns import (
    singled_out,
    small_class_causes,
    suggest_quasi_identifiers,
)
from skanon.privacy._consistency import (
    consistency_violations,
    global_one_k_anonymity,
    k_one_anonymity,
    kk_anonymity,
    one_k_anonymity,
)
from skanon.privacy._feasible import feasible_range
from skanon.privacy._k_anonymity import (
    check_release,
    equivalence_classes,
    k_anonymity,
)
from skanon.privacy._l_diversity import alpha_k_anonymity, l_diversity, p_sensitivity
from skanon.privacy._presence import PresenceRange, delta_presence, k_map
from skanon.privacy._risks import (
    RiskSummary,
    journalist_risk,
    marketer_risk,
    prosecutor_risk,
    record_risks,
)
from skanon.privacy._t_closeness import beta_likeness, delta_disclosure, t_closeness
from skanon.privacy._uniqueness import UniquenessEstimate, population_uniqueness
from skanon.privacy._violations import violations

__all__ = [
    "PresenceRange",
    "RiskSummary",
    "UniquenessEstimate",
    "alpha_k_anonymity",
    "beta_likeness",
    "check_release",
    "consistency_violations",
    "delta_disclosure",
    "delta_presence",
    "equivalence_classes",
    "feasible_range",
    "global_one_k_anonymity",
    "journalist_risk",
    "k_anonymity",
    "k_map",
    "k_one_anonymity",
    "kk_anonymity",
    "l_diversity",
    "marketer_risk",
    "one_k_anonymity",
    "p_sensitivity",
    "population_uniqueness",
    "prosecutor_risk",
    "record_risks",
    "singled_out",
    "small_class_causes",
    "suggest_quasi_identifiers",
    "t_closeness",
    "violations",
]

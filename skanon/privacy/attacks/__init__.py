"""Attacks on a release: what an adversary learns from it, measured and not promised.

As all of :mod:`skanon.privacy`, this reads tables as a recipient does, and shares no
code with the algorithms.
"""

from skanon.privacy.attacks._inference import InferenceResult, inference_attack
from skanon.privacy.attacks._linkage import LinkageResult, linkage_attack
from skanon.privacy.attacks._matchings import MatchingResult, matching_attack

__all__ = [
    "InferenceResult",
    "LinkageResult",
    "MatchingResult",
    "inference_attack",
    "linkage_attack",
    "matching_attack",
]

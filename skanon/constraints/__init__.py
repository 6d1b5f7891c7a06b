"""What a release promises beyond k: about the sensitive values in each class."""

from skanon.constraints._base import Constraint, SensitiveAttribute
from skanon.constraints._closeness import BetaLikeness, DeltaDisclosure, TCloseness
from skanon.constraints._diversity import AlphaKAnonymity, LDiversity, PSensitivity

__all__ = [
    "AlphaKAnonymity",
    "BetaLikeness",
    "Constraint",
    "DeltaDisclosure",
    "LDiversity",
    "PSensitivity",
    "SensitiveAttribute",
    "TCloseness",
]

"""What generalization costs: measures of information loss, as objectives."""

from skanon.losses._base import Loss
from skanon.losses._entropies import MI, PMI, Entropy
from skanon.losses._levels import ByunInformationLoss, TreeMeasure
from skanon.losses._lm import LM
from skanon.losses._ncp import NCP
from skanon.losses._penalty import ClassPenalty

__all__ = [
    "LM",
    "MI",
    "NCP",
    "PMI",
    "ByunInformationLoss",
    "ClassPenalty",
    "Entropy",
    "Loss",
    "TreeMeasure",
]

"""What generalization costs: measures of information loss, as objectives."""

from skanon.exceptions import ParameterError
from skanon.losses._base import Loss, Sum
from skanon.losses._entropies import MI, PMI, Entropy
from skanon.losses._levels import IL, TreeMeasure
from skanon.losses._lm import LM
from skanon.losses._ncp import NCP
from skanon.losses._penalty import ClassPenalty

LOSSES: dict[str, type[Loss]] = {
    loss.name: loss for loss in (LM, TreeMeasure, IL, NCP, Entropy, MI, PMI)
}
"""The losses that have a short name."""


def as_loss(loss: "str | Loss") -> Loss:
    """Turn a short name into the loss that it names.

    Raises
    ------
    ParameterError
        There is no loss of that name.

    Examples
    --------
    >>> as_loss("ncp")
    NCP()
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ParameterError(
            f"There is no loss named {loss!r}. Give one of {sorted(LOSSES)}, or an "
            "object of skanon.losses."
        )
    return LOSSES[loss]()


__all__ = [
    "IL",
    "LM",
    "LOSSES",
    "MI",
    "NCP",
    "PMI",
    "ClassPenalty",
    "Entropy",
    "Loss",
    "Sum",
    "TreeMeasure",
    "as_loss",
]

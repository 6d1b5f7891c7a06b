"""The losses by their short names."""

from __future__ import annotations

from skanon.exceptions import ParameterError
from skanon.losses._base import Loss
from skanon.losses._entropies import MI, PMI, Entropy
from skanon.losses._levels import ByunInformationLoss, TreeMeasure
from skanon.losses._lm import LM
from skanon.losses._ncp import NCP

LOSSES: dict[str, type[Loss]] = {
    loss.name: loss
    for loss in (LM, TreeMeasure, ByunInformationLoss, NCP, Entropy, MI, PMI)
}
"""The losses that have a short name."""


def as_loss(loss: str | Loss) -> Loss:
    """Turn a short name into the loss that it names.

    Raises
    ------
    ParameterError
        There is no loss of that name.

    Examples
    --------
    >>> from skanon.losses._named import as_loss
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

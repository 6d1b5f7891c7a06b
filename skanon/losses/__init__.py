"""What generalization costs: measures of information loss, as objectives."""

from skanon.exceptions import ParameterError
from skanon.losses._base import ColumnCosts, Loss
from skanon.losses._lm import LM
from skanon.losses._ncp import NCP

LOSSES: dict[str, type[Loss]] = {"lm": LM, "ncp": NCP}
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
    if loss not in LOSSES:
        raise ParameterError(
            f"There is no loss named {loss!r}. Give one of {sorted(LOSSES)}, or an "
            "object of skanon.losses."
        )
    return LOSSES[loss]()


__all__ = ["LM", "LOSSES", "NCP", "ColumnCosts", "Loss", "as_loss"]

"""The losses by their words."""

from __future__ import annotations

from skanon._registry import Registry
from skanon.exceptions import ParameterError
from skanon.losses._base import Loss

LOSSES: Registry[Loss] = Registry(Loss)
"""The losses by the words that ``loss=`` knows them by."""


def as_loss(loss: str | Loss) -> Loss:
    """Turn a word into the loss that it names.

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

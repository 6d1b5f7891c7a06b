"""Steps with round ends: 1, 2 or 5 times a power of ten."""

from __future__ import annotations

_LARGEST = 1e308
_SLACK = 0.999999


def round_step(least: float) -> float:
    """Find the least of 1, 2 or 5 times a power of ten that is not below a number.

    Parameters
    ----------
    least : float
        It may be too large by a millionth, as a quotient may that should be round.

    Returns
    -------
    float
        Finite, and at most 1e308; 1 where ``least`` is not positive.

    Examples
    --------
    >>> round_step(0.3), round_step(20.0), round_step(51.0)
    (0.5, 20.0, 100.0)
    """
    if not least > 0:
        return 1.0
    least = min(least, _LARGEST) * _SLACK
    # written and read, as 10.0**power is 0 where the least floats are, and its products
    # are not always the floats nearest to what they stand for
    power = f"{least:.17e}".split("e")[1]
    steps = (float(f"{first}e{power}") for first in (1, 2, 5, 10))
    return next(step for step in steps if step >= least)

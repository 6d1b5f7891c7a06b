"""Parameters that an anonymizer hands on to one that it is given as a part."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from skanon.exceptions import ParameterError


def hand_on(host: Any, inner: Any, shared: Iterable[str]) -> None:
    """Give an inner anonymizer the parameters that it has in common with its host.

    Parameters
    ----------
    host : BaseAnonymizer
    inner : BaseAnonymizer
        Its ``algorithm``; changed in place.
    shared : iterable of str

    Raises
    ------
    ParameterError
        One was set inside, to another value than the host's: it would be dropped.
    """
    wanted = {name: getattr(host, name) for name in shared}
    defaults = inspect.signature(type(inner)).parameters
    for name, value in wanted.items():
        given = getattr(inner, name)
        if _same(given, value) or _same(given, defaults[name].default):
            continue
        outer = type(host).__name__
        raise ParameterError(
            f"algorithm={type(inner).__name__}(...) has {name}={given!r}, but "
            f"parameters that both have are those of {outer}, which has "
            f"{name}={value!r}. Give {name}={given!r} to {outer}, and leave it out of "
            "the inner one."
        )
    inner.set_params(**wanted)


def _same(a: Any, b: Any) -> bool:
    """Tell whether two parameters are the same, also where they hold arrays."""
    if a is b:
        return True
    try:
        equal = a == b
    except (TypeError, ValueError):  # such as the truth of an array
        equal = None
    if isinstance(equal, bool | np.bool_):
        return bool(equal)
    return type(a) is type(b) and repr(a) == repr(b)

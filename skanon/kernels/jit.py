"""The one way in which kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.options import DefaultOptions


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays, for the innermost loops.

    It does without counting references to the arrays that it is given; counting them
    costs several times what a short helper does.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    if hasattr(DefaultOptions, "_nrt"):  # the option is not public, so it may go
        options["_nrt"] = False
    return numba.njit(function, **options)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use and keep the machine code for later processes.

    Where no folder for the machine code can be written to, it is compiled anew in
    each process. Kernels release the interpreter lock, so that threads run them side
    by side.
    """
    try:
        return numba.njit(function, cache=True, nogil=True, error_model="numpy")
    except RuntimeError:  # numba found no folder that it may write to
        return numba.njit(function, nogil=True, error_model="numpy")

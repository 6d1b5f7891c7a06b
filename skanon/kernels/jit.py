"""The one way in which kernels are compiled."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
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

    The machine code counts for as long as no kernel changes, nor numba or the
    processor. Where no folder for it can be written to, it is compiled anew in each
    process. Kernels release the interpreter lock, so that threads run them side by
    side.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled = numba.njit(function, cache=True, **options)
    except RuntimeError:  # numba found no folder that it may write to
        return numba.njit(function, **options)
    file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        # numba looks at the function's own file only, and so misses what it inlines
        file._source_stamp = (file._source_stamp, source_hash())
        return compiled
    # not compiled at all, or by a numba that keeps its stamp elsewhere
    return numba.njit(function, **options)


@functools.cache
def source_hash() -> str:
    """Hash the files of all kernels, so that machine code of older ones is not run."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()

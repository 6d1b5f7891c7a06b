"""The one way in which kernels are compiled."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from contextlib import suppress
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
        compiled: Any = numba.njit(function, cache=True, **options)
    except RuntimeError:  # numba found no folder that it may write to
        return numba.njit(function, **options)
    try:
        _tell_versions_apart(compiled._cache)
    except AttributeError:  # not compiled at all, or by a numba that keeps it elsewhere
        return numba.njit(function, **options)
    return compiled


def _tell_versions_apart(cache: Any) -> None:
    """Keep a kernel's machine code in files that are named after all kernels' hash.

    numba looks at the function's own file only, and so misses what it inlines. A stamp
    in files of the same names would not do: numba writes an index before its data, so
    that a process which ends between the two leaves old data under a new index.
    """
    name = f"{cache._impl.filename_base}.{source_hash()}"
    stamp = cache._impl.locator.get_source_stamp()
    cache._cache_file = type(cache._cache_file)(cache._cache_path, name, stamp)
    _remove_old(cache._cache_path)


@functools.cache
def _remove_old(folder: str) -> None:
    """Remove machine code of other versions; who still runs them compiles again."""
    for path in Path(folder).glob("*.nb[ci]"):
        if source_hash() not in path.name:
            with suppress(OSError):
                path.unlink()


@functools.cache
def source_hash() -> str:
    """Hash the files of all kernels, so that machine code of older ones is not run."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]

"""The one way in which kernels are compiled."""

from __future__ import annotations

import functools
import gc
import hashlib
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.options import DefaultOptions

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
if hasattr(DefaultOptions, "no_cfunc_wrapper"):
    _OPTIONS["no_cfunc_wrapper"] = True  # nobody takes a kernel's address


class _Compiling(event.Listener):
    """Tell once that kernels are compiled, when that has taken a second in all.

    Garbage is not collected meanwhile: there is hardly any, and looking for it among
    all that a compiler holds takes a tenth of its time. numba compiles one function at
    a time, with those that it calls inside of it.
    """

    def __init__(self) -> None:
        self.depth, self.begun, self.before = 0, 0.0, 0.0
        self.told, self.collects = False, False

    def on_start(self, event: Any) -> None:
        if self.depth or _is_ours(event):
            self.depth += 1
            if self.depth == 1:
                self.begun, self.collects = time.perf_counter(), gc.isenabled()
                gc.disable()
            self._tell()

    def on_end(self, event: Any) -> None:
        if self.depth:
            self._tell()
            self.depth -= 1
            if self.depth == 0:
                self.before += time.perf_counter() - self.begun
                if self.collects:
                    gc.enable()

    def _tell(self) -> None:
        took = self.before + time.perf_counter() - self.begun
        if not self.told and took > 1:
            self.told = True
            logging.getLogger("skanon").warning(
                "[skanon] compiling kernels, once for this machine"
            )


def _is_ours(event: Any) -> bool:
    module = event.data["dispatcher"].py_func.__module__ or ""
    return module.startswith(f"{__package__}.")


event.register("numba:compile", _Compiling())


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays, for the innermost loops.

    It does without counting references to the arrays that it is given; counting them
    costs several times what a short helper does.
    """
    options = _OPTIONS
    if hasattr(DefaultOptions, "_nrt"):  # the option is not public, so it may go
        options = options | {"_nrt": False}
    return _one_width(numba.njit(function, **options))


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function as a part of the only one that calls it.

    By itself each function costs the compiler a tenth of a second and more, and its
    code is optimized once more within every caller.
    """
    return numba.njit(function, inline="always", **_OPTIONS)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use and keep the machine code for later processes.

    The machine code counts for as long as no kernel changes, nor numba or the
    processor. Where no folder for it can be written to, it is compiled anew in each
    process. Kernels release the interpreter lock, so that threads run them side by
    side.
    """
    try:
        compiled: Any = numba.njit(function, cache=True, **_OPTIONS)
        _tell_versions_apart(compiled._cache)
    except (RuntimeError, AttributeError):
        # no folder that may be written to; not compiled at all, or by a numba that
        # keeps machine code elsewhere
        compiled = numba.njit(function, **_OPTIONS)
    return _one_width(compiled)


def _one_width(compiled: Any) -> Any:
    """Compile for 64-bit integers what other kernels call with narrower ones.

    An index may come from an array of 32 bits, or be the constant 0; for each kind
    numba would compile the function, and all that it calls, once more.
    """
    if hasattr(compiled, "get_call_template"):  # not where nothing is compiled
        resolve = compiled.get_call_template

        def widened(args: Any, kws: Any) -> Any:
            named = {name: _wide(kind) for name, kind in kws.items()}
            return resolve(tuple(map(_wide, args)), named)

        compiled.get_call_template = widened
    return compiled


def _wide(kind: Any) -> Any:
    if isinstance(kind, types.BooleanLiteral):
        return types.boolean
    is_index = isinstance(kind, types.IntegerLiteral | types.Integer)
    return types.int64 if is_index and kind != types.uint64 else kind


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

"""The one way in which kernels are compiled."""

from __future__ import annotations

import functools
import gc
import glob
import hashlib
import itertools
import logging
import os
import pickle
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.bytecode import FunctionIdentity
from numba.core.options import DefaultOptions
from numba.core.serialize import dumps

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


def _name_apart() -> None:
    """Count what is compiled from a number that no other process begins with.

    numba counts from 1 in every process, and puts the number into the names in machine
    code, where all that tells two functions apart may be just that: sorting has such
    twins. A kernel that was kept by one process would call the twin of another's.
    """
    if hasattr(FunctionIdentity, "_unique_ids"):  # the name is not public
        first = int.from_bytes(os.urandom(7), "big")
        FunctionIdentity._unique_ids = itertools.count(first)


_name_apart()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_name_apart)


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
        cache = compiled._cache
        cache._cache_file = _MachineCode(cache._cache_path, cache._impl.filename_base)
        _remove_old(cache._cache_path)
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


class _MachineCode:
    """Keep a kernel's machine code, in one file for each signature.

    The files are named after the hash of all kernels, since numba itself looks at the
    kernel's own file only and so misses what it inlines. And there is no index: numba's
    own is read, changed and written without a lock, so that two processes which compile
    one kernel for two signatures at once leave the code of one under the other's name,
    and who calls that crashes.

    A file begins with the hash of the rest; one that is empty, cut off or damaged is
    removed and made anew. Where none can be written, as on a full disk, the kernel is
    compiled in each process.
    """

    def __init__(self, folder: str, name: str) -> None:
        self.folder, self.name = Path(folder), f"{name}.{source_hash()}"

    def _path(self, key: Any) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self.folder / f"{self.name}.{digest}.nbc"

    def load(self, key: Any) -> Any:
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, rest = content[:_DIGEST], content[_DIGEST:]
        if hashlib.sha256(rest).digest() != digest:
            with suppress(OSError):
                path.unlink()
            return None
        kept, data = pickle.loads(rest)
        return data if kept == key else None

    def save(self, key: Any, data: Any) -> None:
        path = self._path(key)
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
        content = dumps((key, data))
        try:
            unfinished.write_bytes(hashlib.sha256(content).digest() + content)
            unfinished.replace(path)  # at once, for whoever reads it meanwhile
        except OSError:
            pass
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def flush(self) -> None:
        for path in self.folder.glob(f"{glob.escape(self.name)}.*.nbc"):
            path.unlink(missing_ok=True)


_DIGEST = hashlib.sha256().digest_size


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

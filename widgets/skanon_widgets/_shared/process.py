"""A process of its own, for long work, that can be stopped at once.

Both ends are here: `Worker` is held by the kernel; run as a script, with the name of a
module of this package, this file is the other end. It reads pickled frames from its
standard input: the paths that modules are found on, the job, then one task after the
other; for each it writes an answer to its standard output. It ends when its input does,
also in the midst of a task, and whatever it has started ends with it: no process
outlives the kernel that it works for.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

_HERE = Path(__file__)
_PACKAGE = _HERE.parents[1]
_LENGTH = struct.Struct("<Q")
_LINE = 1 << 16
"""Bytes of a line that are read at once: nothing forbids endless ones."""

_SIGN = "[skanon] "
"""What tells of progress begins so."""

_IS_POSIX = hasattr(os, "killpg")


def in_words(error: BaseException, before: str = "Unexpected: ") -> str:
    """Say what an error says.

    Parameters
    ----------
    error : BaseException
    before : str
        What comes before the words of an error that skanon did not raise on purpose.

    Returns
    -------
    str
        skanon's own need no name.
    """
    ours = any(kind.__name__ == "AnonymizationError" for kind in type(error).__mro__)
    text = str(error) or "no words were given"
    return text if ours else f"{before}{type(error).__name__}: {text}"


class Worker:
    """A process that works off tasks.

    Parameters
    ----------
    name : {"_risk_utility_explorer/fold_worker", "_studio/release_worker"}
        The module that does the work.
    job : callable
        Gives what the process needs before its first task, pickled. It is called in a
        thread of its own, for it may take long.
    environment : mapping from str to str
        Variables that the process gets where they are not set.
    """

    def __init__(
        self, name: str, job: Callable[[], bytes], environment: Mapping[str, str]
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_HERE), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt of this process is not for it
            env=dict(environment) | os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._tasks = cast(BinaryIO, self._process.stdin)
        self._answers = cast(BinaryIO, self._process.stdout)
        self._ending = threading.Lock()
        self._lines: deque[str] = deque(maxlen=5)
        self._heard: Callable[[str], None] | None = None
        self._unsent = ""
        self._sent = threading.Thread(target=self._send, args=(job,), daemon=True)
        self._sent.start()
        self._ears = threading.Thread(target=self._hear, daemon=True)
        self._ears.start()

    def ask(self, task: bytes, heard: Callable[[str], None] | None = None) -> Any:
        """Give a task, and wait for the answer.

        Parameters
        ----------
        task : bytes
            Pickled.
        heard : callable or None
            Called with every text about the progress, in another thread.

        Returns
        -------
        object

        Raises
        ------
        ParameterError
            The job could not be sent.
        EOFError, OSError, ValueError
            The process is gone, or was closed.
        """
        self._heard = heard
        try:
            self._sent.join()
            if self._unsent:
                from skanon.exceptions import ParameterError

                raise ParameterError(self._unsent)
            write_frame(self._tasks, task)
            return pickle.loads(read_frame(self._answers))
        finally:
            self._heard = None  # else the ears would keep alive whom it belongs to

    def last_words(self, remedy: str) -> str:
        """Say why the process is gone; it is closed.

        Parameters
        ----------
        remedy : str
            What needs less memory, for that may be what it lacked.

        Returns
        -------
        str
            The last line that it wrote, or its exit code, in brackets.
        """
        self.close()
        self._ears.join(timeout=5)
        code = self._process.returncode
        was_killed = _IS_POSIX and code == -signal.SIGKILL
        if self._lines and not was_killed:
            return f"({self._lines[-1]})."
        return f"(exit code {code}). Perhaps the memory was too small; {remedy}"

    def kill(self) -> None:
        """Stop the process and all that it started, without waiting for their end."""
        with self._ending:
            if self._process.returncode is not None:  # the number may be another's now
                return
            with suppress(ProcessLookupError, PermissionError):
                if _IS_POSIX:
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()

    def close(self) -> None:
        """Stop the process, and wait until it is gone."""
        self.kill()
        with self._ending:
            self._process.wait()
        for stream in (self._tasks, self._answers):
            with suppress(OSError):  # a frame that nobody reads any more
                stream.close()

    # -------------------------------------------------------------------- threads

    def _send(self, job: Callable[[], bytes]) -> None:
        try:
            content = job()
        except Exception as error:
            self._unsent = (
                "The table cannot be sent to another process: "
                f"{in_words(error, before='')}"
            )
            return
        with suppress(OSError, ValueError):  # closed meanwhile, or dead: `ask` will see
            write_frame(self._tasks, pickle.dumps(sys.path))
            write_frame(self._tasks, content)

    def _hear(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while line := stream.readline(_LINE):
                self._take_in(line.decode(errors="replace").strip())

    def _take_in(self, text: str) -> None:
        heard = self._heard
        if text.startswith(_SIGN):
            if heard is not None:
                heard(text.removeprefix(_SIGN))
        elif text:
            self._lines.append(text)


# ------------------------------------------------------------------------- frames


def write_frame(stream: BinaryIO, content: bytes) -> None:
    """Write bytes so that `read_frame` finds their end."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes:
    """Read what `write_frame` wrote.

    Raises
    ------
    EOFError
        The other end is gone.
    """
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    return _read_exactly(stream, length)


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


# ------------------------------------------------------------------ the other end


def _serve(name: str) -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a fit prints is no answer
    frames: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(frames,), daemon=True).start()
    sys.path[:] = pickle.loads(frames.get())
    # the workers find this module without the widgets' package, which takes long
    sys.modules["skanon_widgets._shared.process"] = sys.modules[__name__]

    def take() -> Any:
        return pickle.loads(frames.get())

    def give(answer: Any) -> None:
        content = pickle.dumps(answer)
        try:
            write_frame(answers, content)
        except OSError:  # nobody reads it any more
            _end()

    _module(name).serve(take, give)


def _listen(frames: queue.Queue[bytes]) -> None:
    try:
        while True:
            frames.put(read_frame(sys.stdin.buffer))
    finally:
        _end()


def _end() -> None:
    if _IS_POSIX and os.getpgrp() == os.getpid():  # all that was started from here
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, _PACKAGE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    try:
        _serve(sys.argv[1])
    except BaseException:  # whatever it is, it is told, and nobody waits for ever
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)

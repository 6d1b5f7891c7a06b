"""Making releases in the background, in a process that can be stopped at once."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from skanon import KAnonymizer
from skanon.exceptions import ParameterError
from skanon_widgets._fold_worker import read_frame, write_frame

_SCRIPT = Path(__file__).with_name("_release_worker.py")
_SIGN = "[skanon] "


class Made(NamedTuple):
    """A release, and how it was made.

    Attributes
    ----------
    anonymizer : KAnonymizer
        Fitted.
    release : DataFrame of shape (n, n_features_out)
    warnings : list of str
    wish : object
        What ``start`` was given with the anonymizer.
    """

    anonymizer: KAnonymizer
    release: Any
    warnings: list[str]
    wish: Any


class Background:
    """Makes one release after the other of a table.

    The kernel stays responsive meanwhile, since a process of its own fits; it gets a
    copy of the table, and ends with this object or the kernel.

    Parameters
    ----------
    table : DataFrame of shape (n, n_columns)
    listen : callable
        Called after every change, in whatever thread; with nothing.

    Attributes
    ----------
    state : {"ready", "running", "done", "failed", "cancelled"}
    said : str
        What the algorithm told last about its progress, or the words of a failure.
    result : Made or None
        The last one that was made.
    """

    def __init__(self, table: Any, listen: Callable[[], None]) -> None:
        self.state = "ready"
        self.said = ""
        self.result: Made | None = None
        self._table, self._listen = table, listen
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._over.set()
        self._worker: _Worker | None = None
        self._started = self._ended = 0.0
        _ALL.add(self)

    def prepare(self) -> None:
        """Start the process already, so that it is ready when it is needed.

        The idle ones of other tables end: a cell that is run again and again makes a
        studio each time, and nobody closes the ones before.
        """
        for other in list(_ALL - {self}):
            other._rest()
        with self._lock:
            self._hire()

    def _hire(self) -> _Worker:
        if self._worker is None:
            self._worker = _Worker(self._table)
            weakref.finalize(self, self._worker.kill)
        return self._worker

    def start(self, anonymizer: KAnonymizer, wish: Any = None) -> None:
        """Begin to fit.

        Parameters
        ----------
        anonymizer : KAnonymizer
            Unfitted; it is copied.
        wish : object
            What the result is to be known by.

        Raises
        ------
        ParameterError
            A fit is running.
        """
        self.prepare()
        with self._lock:
            if self.state == "running":
                raise ParameterError(
                    "A release is being made. Cancel it, or wait for its end."
                )
            worker = self._hire()
            self.state, self.said = "running", ""
            self._started = time.monotonic()
            self._over.clear()
            arguments = (worker, pickle.dumps(anonymizer), wish)
            threading.Thread(target=self._work, args=arguments, daemon=True).start()
        self._listen()

    def cancel(self) -> None:
        """Stop at once; the last release stays."""
        with self._lock:
            if self.state != "running":
                return
            self._end("cancelled", "")
            self._dismiss()
        self._over_and_told()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the fit.

        Returns
        -------
        bool
            Whether nothing is running.
        """
        return self._over.wait(timeout)

    def close(self) -> None:
        """Stop, and end the process."""
        with self._lock:
            if self.state == "running":
                self._end("cancelled", "")
            self._dismiss()
            self._over.set()

    @property
    def seconds(self) -> float:
        """How long the fit has been running, or took."""
        end = time.monotonic() if self.state == "running" else self._ended
        return max(end - self._started, 0.0)

    def _work(self, worker: _Worker, job: bytes, wish: Any) -> None:
        try:
            answer = worker.ask(job, lambda text: self._tell(worker, text))
        except (EOFError, OSError, ValueError):  # ValueError: it was closed
            answer = ("failed", _dead(worker.last_words()))
        except Exception as error:  # whatever it is, nobody may wait for ever
            answer = ("failed", f"Unexpected: {type(error).__name__}: {error}")
        with self._lock:
            if worker is not self._worker:  # it was cancelled
                return
            if answer[0] == "done":
                self.result = Made(answer[1], answer[2], answer[3], wish)
                self._end("done", "")
            else:
                self._end("failed", answer[1])
            if worker.is_dead():
                self._dismiss()
        self._over_and_told()

    def _tell(self, worker: _Worker, text: str) -> None:
        with self._lock:
            if worker is not self._worker or self.state != "running":
                return
            self.said = text
        self._listen()

    def _end(self, state: str, said: str) -> None:
        self.state, self.said = state, said
        self._ended = time.monotonic()

    def _over_and_told(self) -> None:
        try:
            self._listen()
        finally:
            if self.state != "running":
                self._over.set()

    def _rest(self) -> None:
        with self._lock:
            if self.state != "running":
                self._dismiss()

    def _dismiss(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()


_ALL: weakref.WeakSet[Background] = weakref.WeakSet()


class _Worker:
    """The other end of ``_release_worker``."""

    def __init__(self, table: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt of this process is not for it
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._lines: deque[str] = deque(maxlen=5)
        self._heard: Callable[[str], None] | None = None
        self._sent = threading.Thread(target=self._send, args=(table,), daemon=True)
        self._sent.start()
        self._ears = threading.Thread(target=self._hear, daemon=True)
        self._ears.start()

    def _send(self, table: Any) -> None:
        try:
            write_frame(self._process.stdin, pickle.dumps(sys.path))  # type: ignore[arg-type]
            write_frame(self._process.stdin, pickle.dumps(table))  # type: ignore[arg-type]
        except (OSError, ValueError):  # dismissed meanwhile, or dead: `ask` will see
            pass

    def _hear(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                text = line.decode(errors="replace").strip()
                if text.startswith(_SIGN) and self._heard is not None:
                    self._heard(text.removeprefix(_SIGN))
                elif text:
                    self._lines.append(text)

    def ask(self, job: bytes, heard: Callable[[str], None]) -> tuple[Any, ...]:
        self._heard = heard
        self._sent.join()
        write_frame(self._process.stdin, job)  # type: ignore[arg-type]
        return pickle.loads(read_frame(self._process.stdout))  # type: ignore[arg-type]

    def last_words(self) -> str:
        try:
            code = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it did not answer"
        self._ears.join(timeout=5)
        return self._lines[-1] if self._lines else f"exit code {code}"

    def is_dead(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        if threading.current_thread() is not self._ears:
            self._ears.join(timeout=5)
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()  # type: ignore[union-attr]
            except OSError:  # a frame that nobody reads any more
                pass


def _dead(said: str) -> str:
    return (
        f"The process that makes the release ended before it was done ({said}). "
        "Perhaps the memory was too small; a faster algorithm needs less."
    )

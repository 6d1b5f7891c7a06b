"""Making releases in the background, in a process that can be stopped at once."""

from __future__ import annotations

import pickle
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from skanon import KAnonymizer
from skanon.exceptions import ParameterError
from skanon_widgets._shared.process import Worker, in_words

_REMEDY = "a faster algorithm needs less."


class Made(NamedTuple):
    """A release, and how it was made.

    Attributes
    ----------
    anonymizer : KAnonymizer
        Fitted.
    release : DataFrame of shape (n, n_features_out)
    warnings : list of (str, str)
        A level and a text each.
    table : DataFrame of shape (n, n_columns)
        What it was made of.
    wish : object
        What ``start`` was given with the anonymizer.
    """

    anonymizer: KAnonymizer
    release: Any
    warnings: list[tuple[str, str]]
    table: Any
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
        self._worker: Worker | None = None
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

    def _hire(self) -> Worker:
        if self._worker is None:
            job = partial(pickle.dumps, self._table)
            self._worker = Worker("_studio/release_worker", job, {})
            weakref.finalize(self, self._worker.close)
        return self._worker

    def change_table(self, table: Any) -> None:
        """Take another table for what is made from now on.

        Raises
        ------
        ParameterError
            A fit is running.
        """
        with self._lock:
            self.refuse_while_running()
            self._table = table
            worker = self._let_go()
        _close(worker)

    def refuse_while_running(self) -> None:
        """Raise ParameterError where a fit is running."""
        if self.state == "running":
            raise ParameterError(
                "A release is being made. Cancel it, or wait for its end."
            )

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
            A fit is running, or the anonymizer cannot be sent to another process.
        """
        try:
            task = pickle.dumps(anonymizer)
        except Exception as error:
            raise ParameterError(
                "The anonymizer cannot be sent to another process, where it is "
                f"fitted: {in_words(error, before='')}"
            ) from error
        self.prepare()
        with self._lock:
            self.refuse_while_running()
            worker = self._hire()
            self.state, self.said = "running", ""
            self._started = time.monotonic()
            self._over.clear()
            arguments = (worker, task, wish)
            threading.Thread(target=self._work, args=arguments, daemon=True).start()
        self._listen()

    def cancel(self) -> None:
        """Stop at once; the last release stays."""
        with self._lock:
            if self.state != "running":
                return
            self._end("cancelled", "")
            worker = self._let_go()
        _close(worker)
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
            worker = self._let_go()
        _close(worker)
        self._set_over()

    @property
    def seconds(self) -> float:
        """How long the fit has been running, or took."""
        end = time.monotonic() if self.state == "running" else self._ended
        return max(end - self._started, 0.0)

    def _work(self, worker: Worker, task: bytes, wish: Any) -> None:
        broken: Worker | None = worker
        try:
            answer = worker.ask(task, lambda text: self._tell(worker, text))
            broken = None
        except (EOFError, OSError, ValueError) as error:  # it is gone, or was closed
            answer = ("failed", _why(worker, error))
        except Exception as error:  # whatever it is, nobody may wait for ever
            answer = ("failed", in_words(error))
        with self._lock:
            if worker is not self._worker:  # it was cancelled
                return
            if answer[0] == "done":
                _, anonymizer, release, said = answer
                self.result = Made(anonymizer, release, said, self._table, wish)
                self._end("done", "")
            else:
                self._end("failed", answer[1])
            if broken is not None:
                self._let_go()
        _close(broken)
        self._over_and_told()

    def _tell(self, worker: Worker, text: str) -> None:
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
            self._set_over()

    def _set_over(self) -> None:
        with self._lock:
            if self.state != "running":
                self._over.set()

    def _rest(self) -> None:
        with self._lock:
            worker = None if self.state == "running" else self._let_go()
        _close(worker)

    def _let_go(self) -> Worker | None:
        """Take the process out, for `_close`: never with the lock, that may wait."""
        worker, self._worker = self._worker, None
        return worker


_ALL: weakref.WeakSet[Background] = weakref.WeakSet()


def _close(worker: Worker | None) -> None:
    if worker is not None:
        worker.close()


def _why(worker: Worker, error: Exception) -> str:
    if isinstance(error, ParameterError):
        return str(error)
    said = worker.last_words(_REMEDY)
    return f"The process that makes the release ended before it was done {said}"

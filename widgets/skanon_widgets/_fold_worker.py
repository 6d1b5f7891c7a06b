"""A process of its own that fits one fold after the other, for ``_sweep``.

It is run as a script. It reads pickled frames from its standard input: the paths that
modules are found on, the job, then one ``(params, fold)`` after the other; for each it
writes a :class:`FoldResult` to its standard output. It ends when its input does, also
in the midst of a fit: no process outlives the kernel that it works for.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import sys
import threading
import warnings
from typing import Any, BinaryIO, NamedTuple

_LONGEST = 400
"""Letters of a message that are kept."""

_LENGTH = struct.Struct("<Q")

_FOR_DEVELOPERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)


class FoldResult(NamedTuple):
    """What became of one fit.

    Attributes
    ----------
    values : dict from str to float
        By scorer, as the scorers gave them; empty where there is an error.
    seconds : float
        Of the fit; NaN where there is an error.
    complaints : tuple of str
        The warnings, each once.
    error : str or None
        In words.
    """

    values: dict[str, float]
    seconds: float = float("nan")
    complaints: tuple[str, ...] = ()
    error: str | None = None


def evaluate_fold(job: dict[str, Any], params: dict[str, Any], fold: int) -> FoldResult:
    """Fit to the training part of one fold, and score; errors become words.

    Parameters
    ----------
    job : dict
        ``estimator``, ``X``, ``y``, ``scoring``, ``splits`` (pairs of positions) and
        ``config`` (scikit-learn's).
    params : dict
        What to set.
    fold : int
        The position in ``splits``.

    Returns
    -------
    FoldResult
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for kind in _FOR_DEVELOPERS:
            warnings.simplefilter("ignore", kind)
        try:
            found, seconds = _cross_validate(job, params, fold)
        except Exception as error:
            return FoldResult({}, complaints=_texts(caught), error=in_words(error))
    return FoldResult(found, seconds, _texts(caught))


def _cross_validate(
    job: dict[str, Any], params: dict[str, Any], fold: int
) -> tuple[dict[str, float], float]:
    from sklearn import config_context
    from sklearn.base import clone
    from sklearn.model_selection import cross_validate

    with config_context(**job["config"]):
        estimator = clone(job["estimator"])
        estimator.set_params(**clone(params, safe=False))
        found = cross_validate(
            estimator,
            job["X"],
            job["y"],
            cv=[job["splits"][fold]],
            scoring=job["scoring"],
            error_score="raise",
        )
    values = {name: float(found[f"test_{name}"][0]) for name in job["scoring"]}
    return values, float(found["fit_time"][0])


def in_words(error: BaseException) -> str:
    """Say what an error says; skanon's own need no name."""
    text = _shortened(str(error)) or "no words were given"
    ours = any(kind.__name__ == "AnonymizationError" for kind in type(error).__mro__)
    return text if ours else f"{type(error).__name__}: {text}"


def _texts(caught: Any) -> tuple[str, ...]:
    texts = (f"{item.category.__name__}: {_shortened(item.message)}" for item in caught)
    return tuple(dict.fromkeys(texts))


def _shortened(words: Any) -> str:
    text = " ".join(str(words).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


# --------------------------------------------------------------------- the process


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


def _serve() -> None:
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a fit prints is no reply
    frames: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(frames,), daemon=True).start()
    sys.path[:] = pickle.loads(frames.get())
    job = pickle.loads(frames.get())
    while True:
        params, fold = pickle.loads(frames.get())
        result = evaluate_fold(job, params, fold)
        write_frame(replies, pickle.dumps(tuple(result)))


def _listen(frames: queue.Queue[bytes]) -> None:
    try:
        while True:
            frames.put(read_frame(sys.stdin.buffer))
    except EOFError:
        os._exit(0)


if __name__ == "__main__":
    _serve()

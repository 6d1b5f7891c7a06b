"""A process of its own that makes releases, for ``_background``.

It is run as a script. It reads pickled frames from its standard input: the paths that
modules are found on, the table, then one unfitted anonymizer after the other. For each
it writes a pickled tuple to its standard output: ``("done", anonymizer, release,
warnings)`` or ``("failed", words)``. Progress goes to the error stream. It ends when
its input does, also in the midst of a fit.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import queue
import sys
import threading
import warnings
from pathlib import Path
from typing import Any


def make_release(anonymizer: Any, table: Any) -> tuple[Any, ...]:
    """Fit, and tell what came of it.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Unfitted.
    table : DataFrame of shape (n, n_columns)

    Returns
    -------
    tuple
    """
    from skanon.exceptions import AnonymizationError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            anonymizer.set_params(verbose=1)
            release = anonymizer.fit_transform(table)
        except AnonymizationError as error:
            return "failed", str(error)
        except Exception as error:
            return "failed", f"Unexpected: {type(error).__name__}: {error}"
    for fitted in (anonymizer, anonymizer.algorithm_):
        fitted.verbose = 0
    said = [str(x.message) for x in caught if issubclass(x.category, UserWarning)]
    return "done", anonymizer, release, list(dict.fromkeys(said))


def _serve() -> None:
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a fit prints is no reply
    framing = _neighbour("_fold_worker")
    frames: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=framing._listen, args=(frames,), daemon=True).start()
    sys.path[:] = pickle.loads(frames.get())
    _warm_up()  # while the user still thinks
    table = pickle.loads(frames.get())
    while True:
        result = make_release(pickle.loads(frames.get()), table)
        framing.write_frame(replies, pickle.dumps(result))


def _warm_up() -> None:
    """Load what the first fit would have to load."""
    import pandas as pd

    from skanon import KAnonymizer

    few = pd.DataFrame({"number": [1, 2, 3, 4], "text": list("aabb")})
    KAnonymizer(2, algorithm="mondrian", random_state=0).fit_transform(few)


def _neighbour(name: str) -> Any:
    """Load a module of this folder without the widgets' package, which takes long."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _serve()

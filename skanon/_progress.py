"""Telling a waiting user how far things are."""

from __future__ import annotations

import sys


def progress(verbose: int, text: str) -> None:
    """Write a line to the error stream, if the user asked for it.

    Parameters
    ----------
    verbose : int
        0 keeps silent.
    text : str
    """
    if verbose:
        sys.stderr.write(f"[skanon] {text}\n")
        sys.stderr.flush()

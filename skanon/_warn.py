"""Warnings that point to the line of whoever called."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import sklearn

_INSIDE = tuple(f"{Path(x).parent}/" for x in (__file__, str(sklearn.__file__)))


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the innermost line that is neither skanon's nor scikit-learn's."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)

"""The studio's opening page: which file, and with which policy."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skanon.cleaning._reading import ENDINGS
from skanon.exceptions import AnonymizationError, ParameterError
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet
from skanon_widgets._studio.policy_checks import read_policy

MOST_FILES = 200
"""Files that are listed."""

MOST_SENT = 6_000_000
"""Bytes of a file that the page may send: servers take messages of 10 MB at most."""

_LARGEST_POLICY = 5_000_000


class StudioOpener(SkanonWidget):
    """Lists the files of the working directory, and takes one from the computer.

    Parameters
    ----------
    open_file : callable
        Called with a path or a content, the file's name, and a policy or None.
    """

    _esm = front_end("_studio/opener")
    _css = style_sheet("_studio/studio")

    def __init__(self, open_file: Callable[[Any, str, str | None], None]) -> None:
        self._open_file = open_file
        super().__init__()

    def _do_open(self) -> None:
        folder = Path.cwd()
        tables, policies = [], []
        for path in sorted(folder.iterdir(), key=lambda x: x.name.lower()):
            if path.name.startswith(".") or not path.is_file():
                continue
            if path.suffix.lower() in ENDINGS:
                tables.append({"name": path.name, "bytes": path.stat().st_size})
            elif path.suffix.lower() == ".json" and _is_policy(path):
                policies.append(path.name)
        self.send(
            {
                "kind": "files",
                "folder": folder.name,
                "tables": tables[:MOST_FILES],
                "more": max(len(tables) - MOST_FILES, 0),
                "policies": policies[:MOST_FILES],
                "most": MOST_SENT,
            }
        )

    def _do_table(self, name: str, policy: str = "") -> None:
        """Open a file of the working directory."""
        if name != os.path.basename(name):
            raise ParameterError(f"{name!r} is no file of this folder.")
        self._open_file(name, name, policy or None)

    def _do_upload(self, name: str, data: str, policy: str = "") -> None:
        """Open a file that the page sent."""
        content = io.BytesIO(base64.b64decode(data))
        self._open_file(content, name, policy or None)


def _is_policy(path: Path) -> bool:
    if path.stat().st_size > _LARGEST_POLICY:
        return False
    try:
        read_policy(path)
    except AnonymizationError:
        return False
    return True

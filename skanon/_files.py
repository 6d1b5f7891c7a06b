"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, so that at any time there is the old one or the new one.

    It is written beside its place under another name, readable by its owner only, and
    then put there; after any error, also Ctrl+C, the old file is as it was.

    Parameters
    ----------
    path : str or path
        Of a file that may exist; a link is followed.
    content : bytes

    Raises
    ------
    OSError
        It cannot be written; the message names the path.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # such as /dev/stdout
        target.write_bytes(content)
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, _mode(target))
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _mode(target: Path) -> int:
    """Give the permissions of the old file, or those of any new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

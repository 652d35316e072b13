"""Files that are written in one step: either all of the new one is there, or the old one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: str | bytes, mode: int = 0o666) -> None:
    """Write a file in the place of what was there; it is on the disk when this returns.

    Raises:
        OSError: it could not be written; the old one stays as it was.
    """
    beside = path.with_suffix(".new")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise

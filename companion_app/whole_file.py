"""Atomic file replacement: after a crash either the whole new file or the old one is there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: str | bytes, mode: int = 0o666) -> None:
    """Replace a file atomically; its new data is synced to the disk before the replacement.

    A file that root writes belongs to the owner of its folder: the service must be able to read it.

    Raises:
        OSError: the file could not be written; the old one stays unchanged.
    """
    beside = path.with_suffix(".new")
    try:
        # Made anew, whatever lies there: through a link that somebody left, root would write into
        # any file of the machine.
        beside.unlink(missing_ok=True)
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(handle, "wb") as file:
            if os.geteuid() == 0:
                owner = path.parent.stat()
                os.fchown(handle, owner.st_uid, owner.st_gid)
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise

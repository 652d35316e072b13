"""Reserves disk space, so that pictures can be deleted even on a full disk.

SQLite writes before it deletes, so on a full disk nothing could be deleted. A preallocated file
beside the store reserves the space for that, and is removed when the space is needed.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

FILE = "games.spare"
SPARE_BYTES = 1 << 20
"""Size of the reserve; the moves of a thousand games without pictures are rewritten in less."""
PLENTY = 8
"""The reserve is made only if this many times its size is free, so that games never lack space."""


class SpareRoom:
    """The file that reserves the space."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def take(self) -> None:
        """Reserve the space if there is plenty; disk errors are ignored."""
        with suppress(OSError):
            if (
                self.path.exists()
                or shutil.disk_usage(self.path.parent).free < PLENTY * SPARE_BYTES
            ):
                return
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.posix_fallocate(handle, 0, SPARE_BYTES)
            except OSError:
                self.give()
            finally:
                os.close(handle)

    def give(self) -> None:
        """Free the reserved space."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

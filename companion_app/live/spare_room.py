"""Room that is kept free on the disk, so that pictures can be deleted where nothing else fits.

SQLite writes before it deletes. On a disk without a free byte nothing could be deleted, so a file
of zeros beside the store holds the room for it, and is given up when it is needed.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

FILE = "games.spare"
SPARE_BYTES = 1 << 20
"""A wiped store is written anew in less: moves of a thousand games without pictures."""
PLENTY = 8
"""Only where so many times as much is free is it taken: never the last room of a game."""


class SpareRoom:
    """The file that holds the room."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def take(self) -> None:
        """Hold the room, where there is plenty; a disk that fails is passed over."""
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
        """Let others have it."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

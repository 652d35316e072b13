"""The kinds of heavy work, and what each may cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MB = 1 << 20
WORKER_MB = 120
"""Memory in MB of a worker with its libraries and networks, before any work."""
LEAST_MEMORY_MB = 96
"""Lower bound of a memory limit in MB: with less, all photos of phones would fail."""


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of heavy work, and its limits."""

    name: str
    seconds: float = 60.0
    """Time limit from the start in the worker; waiting in the queue does not count."""
    memory_mb: int = 300
    """Memory limit in MB, on top of the worker's own memory."""


PHOTO = Work("photo")
"""Reads and scores a photo, or tries it with a taught box."""
REPLAY = Work("replay")
"""Replays a kept game: to view, list, export or print it."""
LOOK = Work("look")
"""Reads or judges a frame of the camera, or learns from it."""
PRINT = Work("print", seconds=300.0)
"""Draws the tiles of a box for printing."""
FIND = Work("find", seconds=120.0)
"""Finds tiles or a board in a photo of a lesson."""
BACKUP = Work("backup", seconds=900.0)
"""Writes everything that is kept into one file."""
BOX = Work("box", seconds=60.0)
"""Checks boxes that others made: those on the shelf, and one that comes in."""
RESTORE = Work("restore", seconds=900.0)
"""Unpacks a backup and checks every file in it."""
LEARN = Work("learn", seconds=1800.0)
"""Learns a box; the page shows the progress."""


def memory_bytes(work: Work, meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the memory limit of a work in bytes: at most half of what is available now."""
    free_mb = work.memory_mb * 2
    for line in meminfo.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            free_mb = int(line.split()[1]) >> 10
    return max(LEAST_MEMORY_MB, min(work.memory_mb, free_mb // 2)) * MB

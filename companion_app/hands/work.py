"""The kinds of heavy work, and what each may cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MB = 1 << 20
WORKER_MB = 120
"""What a worker weighs with its libraries and networks before any work."""
LEAST_MEMORY_MB = 96
"""Less is no use to any work: it would refuse all photos of phones."""


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of heavy work, and its limits."""

    name: str
    seconds: float = 60.0
    """From its begin in the worker; waiting for one does not count."""
    memory_mb: int = 300
    """Beyond the worker itself."""


PHOTO = Work("photo")
"""A photo is read and scored, or tried with a taught box."""
CARD = Work("card", seconds=30.0)
"""Codes are looked for in the picture of the table."""
REPLAY = Work("replay")
"""A kept game is played through again: to look at, to list, to take away, as a sheet of paper."""
LOOK = Work("look")
"""A frame of the camera is read or judged, or learnt from."""
PRINT = Work("print", seconds=300.0)
"""The tiles of a box are drawn for paper."""
FIND = Work("find", seconds=120.0)
"""Tiles or a board are found in a photo of a lesson."""
BACKUP = Work("backup", seconds=900.0)
"""Everything that is kept is written into one file."""
LEARN = Work("learn", seconds=1800.0, memory_mb=400)
"""A box is learnt; how far it is, the page says."""


def memory_bytes(work: Work, meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return what some work may take on this machine: at most half of what is free right now."""
    free_mb = work.memory_mb * 2
    for line in meminfo.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            free_mb = int(line.split()[1]) >> 10
    return max(LEAST_MEMORY_MB, min(work.memory_mb, free_mb // 2)) * MB

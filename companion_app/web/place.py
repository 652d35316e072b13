"""Where the page finds what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where games and their boxes lie."""

    file: Path
    set_folders: tuple[Path, ...] = ()

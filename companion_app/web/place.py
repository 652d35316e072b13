"""The paths of stored games and tile sets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """The file of the match store, and the folders of the owner's tile sets."""

    file: Path
    set_folders: tuple[Path, ...] = ()

"""The boxes that an owner put on the shelf, for lists on the page.

Others may have made their files, so a worker of its own reads them, within its memory, and what it
found is remembered until a file changes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from companion_app.aside import Turn
from companion_app.hands.errors import HandLost, HandsError
from companion_app.hands.pool import done_apart
from companion_app.hands.work import BOX
from engine.errors import EngineError
from engine.setfile import file_stamp, load_set

log = logging.getLogger(__name__)
T = TypeVar("T")
Named = tuple[str, str, str]
"""Name, title and game of a box."""
Version = tuple[tuple[Path, tuple[int, ...]], ...]


class ReadOnce(Generic[T]):
    """What a function makes of the files of some folders, made anew only when one has changed."""

    def __init__(
        self, kinds: Sequence[str], read: Callable[[tuple[Path, ...]], T], none: T
    ) -> None:
        self._kinds, self._read, self._none = kinds, read, none
        self._lock = Turn()
        self._known: tuple[Version, T] | None = None

    def of(self, folders: tuple[Path, ...]) -> T:
        """Return what the function made of the folders; nothing where that was too much work."""
        with self._lock.within():
            version = self._version(folders)
            if not version:
                return self._none
            if self._known is None or self._known[0] != version:
                try:
                    made = done_apart(BOX, self._read, folders)
                except HandsError as error:
                    log.warning("boxes of the shelf are not listed: %s", type(error).__name__)
                    if isinstance(error, HandLost):
                        return self._none
                    made = self._none
                self._known = version, made
            return self._known[1]

    def _version(self, folders: tuple[Path, ...]) -> Version:
        found = []
        for folder in folders:
            for file in sorted(file for kind in self._kinds for file in folder.glob(kind)):
                try:
                    found.append((file, file_stamp(file)))
                except OSError:
                    continue
        return tuple(found)


def named(folders: tuple[Path, ...]) -> list[Named]:
    """Return the boxes with set files of their own; those with mistakes are left out."""
    found = []
    for folder in folders:
        for file in sorted(folder.glob("*.toml")):
            try:
                box = load_set(file.stem, folders)
            except EngineError:
                continue
            found.append((box.name, box.title or box.name, box.game))
    return found


def refusals(folders: tuple[Path, ...]) -> dict[str, str]:
    """Return the boxes of the first folder that cannot be used, and what is wrong with each."""
    from models.teaching.shelf import refused

    return refused(folders[0])


class OwnBoxes:
    """Both lists of the shelf."""

    def __init__(self) -> None:
        self.named = ReadOnce[list[Named]](["*.toml"], named, [])
        self.refused = ReadOnce[dict[str, str]](["*.toml", "*.json"], refusals, {})

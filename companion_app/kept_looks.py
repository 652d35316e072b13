"""Stores the machine's analyses of games, one file per game."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from companion_app.whole_file import write_whole

FOLDER = "looked-over"
VERSION = 2
"""Version of the analyses; those of other versions are made again."""
MOST_KEPT = 400
"""Most analyses kept; the oldest are deleted, and made again when somebody asks."""


class KeptLooks:
    """The analyses of games; ``mark`` identifies the state of the game that was analysed."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def of(self, key: str, mark: int) -> Any:
        """Return the analysis of a game; ``None`` if there is none of its current state."""
        said = _read(self._file(key))
        return said["found"] if said is not None and said["mark"] == mark else None

    def keep(self, key: str, mark: int, found: Any) -> None:
        """Save an analysis; disk errors are ignored, since it can be made again."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(
                self._file(key), json.dumps({"version": VERSION, "mark": mark, "found": found})
            )
            for old in sorted(self._files(), key=lambda one: one.stat().st_mtime)[:-MOST_KEPT]:
                old.unlink()

    def all(self) -> dict[str, Any]:
        """Return all analyses, by game."""
        read = {unquote(file.stem): _read(file) for file in self._files()}
        return {key: said["found"] for key, said in read.items() if said is not None}

    def forget(self, key: str) -> None:
        """Delete the analysis of a game."""
        self._file(key).unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(self._folder.glob("*.json"))

    def _file(self, key: str) -> Path:
        return self._folder / f"{quote(key, safe='')}.json"


def _read(file: Path) -> Any:
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(said, dict) or said.get("version") != VERSION:
        return None
    return said if isinstance(said.get("found"), dict) and "mark" in said else None

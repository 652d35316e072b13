"""Labelled pictures of people's corrections, as the page lists and shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from engine.errors import EngineError, RecordError
from engine.given import a_list, an_object, read_json, shown

Doc = dict[str, Any]
MOST_LABELS = 500
PICTURE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}-[0-9]{6,12}\.jpg")


class LabelledPictures:
    """A folder of labelled pictures: per box one file of labels in the format of ``teach``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> list[Doc]:
        """Return the kept pictures by box, newest first."""
        return [
            {"set": box, "file": name, "tile": str(labels[0].get("tile", ""))}
            for box in self._boxes()
            for name, labels in sorted(self._photos(box).items(), reverse=True)
        ]

    def picture(self, name: str) -> bytes | None:
        """Return a kept picture; only names that are listed are opened."""
        if not any(name in self._photos(box) for box in self._boxes()):
            return None
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def _boxes(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def _photos(self, box: str) -> dict[str, list[Doc]]:
        try:
            return read_photos(self._folder / f"{box}.json")
        except (OSError, EngineError):
            return {}


def read_photos(path: Path) -> dict[str, list[Doc]]:
    """Return the labels in a file of corrections, by the name of a picture in the same folder.

    Raises:
        EngineError: the file has another format, or names pictures in other folders.
        OSError: the file cannot be read.
    """
    photos = an_object(an_object(read_json(path), path.name).get("photos"), "photos")
    for name, labels in photos.items():
        if not PICTURE.fullmatch(name):
            raise RecordError("photos", f"{shown(name)} is no picture of a correction")
        for label in a_list(labels, name, MOST_LABELS):
            an_object(label, name)
    return {name: labels for name, labels in photos.items() if labels}

"""Labelled pictures of what people put right, as the page lists and shows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Doc = dict[str, Any]


class LabelledPictures:
    """A folder of them: one file of labels a box, in the format of ``teach``, pictures beside."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> list[Doc]:
        """Return what is kept, by box, the newest first."""
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
            kept = json.loads((self._folder / f"{box}.json").read_text(encoding="utf-8"))
            return {str(name): list(labels) for name, labels in kept["photos"].items() if labels}
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return {}

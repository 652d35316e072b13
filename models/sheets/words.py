"""The text on sheets, in English or in the language of the person who prints, and its fonts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.latin import latin

ENGLISH: Mapping[str, str] = json.loads(Path(__file__).with_name("english.json").read_text("utf-8"))
FONTS = tuple(
    Path(folder)
    for folder in (
        "/usr/share/fonts/truetype/dejavu",
        "/usr/share/fonts/dejavu",
        "/usr/share/fonts/TTF",
    )
)
"""Folders in which a font with Czech and Cyrillic letters lies on the systems that have it."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts that are written on sheets."""

    sentences: Mapping[str, str] = field(default_factory=lambda: ENGLISH)
    tile: Callable[[str], str] = str
    """Returns the shown name of a tile."""

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its values filled in."""
        return self.sentences[key].format(**values)

    @property
    def is_western(self) -> bool:
        """Whether the standard fonts of every PDF reader have all the letters."""
        return all(map(_is_western, self.sentences.values()))

    def fonts(self) -> tuple[Path, Path] | None:
        """Return a plain and a bold font file; ``None`` where none is needed or found."""
        if not self.is_western:
            for folder in FONTS:
                both = folder / "DejaVuSans.ttf", folder / "DejaVuSans-Bold.ttf"
                if all(font.is_file() for font in both):
                    return both
        return None


def western(text: str) -> str:
    """Return a text in letters that the standard fonts of every PDF reader have."""
    near = text if _is_western(text) else latin(text)
    return near.encode("cp1252", "replace").decode("cp1252")


def _is_western(text: str) -> bool:
    return text == text.encode("cp1252", "replace").decode("cp1252")

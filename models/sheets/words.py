"""The text on sheets, in English or in the language of the person who prints, and its fonts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.latin import latin

ENGLISH: Mapping[str, str] = {
    "bar": "this line is 50 mm",
    "front": "{title}: tiles {n} of {of}, front",
    "back": "{title}: tiles {n} of {of}, back (turn the paper along its long edge)",
    "board": "{title}: board {n} of {of}",
    "board-part": "{title}: board {n} of {of}, part {part} of {parts}",
    "die": "{title}: the die, with a spare",
    "die-how": "Cut along the outer lines, fold the dashed ones, put glue on the white tabs.",
    "calibration": "Calibration sheet: print at 100 %, glue it flat on card",
    "how": "{title}: how to make your tiles",
    "hold": "What you should hold in the end ({n} pieces)",
    "step-print": 'Print tiles.pdf at 100 % (no "fit to page", no scaling), in colour, on both '
    "sides, turned along the long edge. Paper of 160 g or heavier holds best. Print the other "
    "files on one side.",
    "step-ruler": "Lay a ruler on the bar at the top of a sheet. It must be 50 mm long. If it is "
    "not, the printer has scaled the page: switch that off and print again.",
    "step-cut": "One card is {mm} mm wide. The fine marks in the gaps point along the lines to "
    "cut; the colour runs on a little beyond them, so that a cut beside the line shows no white.",
    "step-cut-hex": "One cell of a hex tile is {mm} mm wide. The fine marks in the gaps point "
    "along the lines to cut; the colour runs on a little beyond them, so that a cut beside the "
    "line shows no white.",
    "step-glue": "Better tiles: glue the sheets on grey board of 2 mm before cutting, with the "
    "fronts on one side and the backs on the other. A matt surface is easier on the camera than a "
    "glossy one.",
    "step-flip": "Tiles may be flipped: both sides show the same snake, one in a mirror. The dark "
    "notches show where a tile ends; you may cut them out. Boards that are split are glued "
    "together on the red lines.",
    "step-die": "The die has two sides each of 1, 2 and 3: cut it out, fold it, glue its tabs.",
    "step-calibrate": "Glue calibration.pdf flat on card. Show it to the camera when it is set "
    "up: snake-eye calibrate.",
}
FONTS = tuple(
    Path(folder) for folder in ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
                                "/usr/share/fonts/TTF")
)  # fmt: skip
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

"""The coats of the snakes: colours and a pattern for every colour name, known or not."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from engine.draw.art import ART, WHITE
from engine.draw.display import mix

PATTERNS = tuple(ART["patterns"])


@dataclass(frozen=True, slots=True)
class Coat:
    """How a snake of one colour looks."""

    base: str
    outline: str
    mark: str
    """The colour of the pattern."""
    pattern: str
    """One of ``PATTERNS``, or ``plain``."""

    @property
    def shade(self) -> str:
        """The colour of the flanks, a little darker than the base."""
        return mix(self.base, self.outline, 0.2)

    @property
    def net(self) -> str:
        """The colour of the lines between scales."""
        return mix(self.base, self.outline, 0.4)

    @property
    def pale(self) -> str:
        """The ground colour of a hex tile."""
        return mix(self.base, WHITE, 0.52)


KNOWN = {name: Coat(*colours.split()) for name, colours in ART["coats"].items()}
JADE = Coat("#35b58a", "#0e4f40", "#c9f5d6", "triangles")
"""The coat of snakes in a box without colours; grey would look neutral."""


def coat(colour: str, colours: Sequence[str] = ()) -> Coat:
    """Return the coat of a colour, deterministically.

    Args:
        colour: the name of the colour; an unknown name gets a hue from its hash.
        colours: all colours of the box, so that two unknown names differ in hue and pattern.
    """
    if colour in KNOWN:
        return KNOWN[colour]
    strangers = [name for name in colours if name not in KNOWN]
    taken = [KNOWN[name].pattern for name in colours if name in KNOWN]
    free = [pattern for pattern in PATTERNS if pattern not in taken] or list(PATTERNS)
    number = strangers.index(colour) if colour in strangers else 0
    first = zlib.crc32((strangers[0] if strangers else colour).encode())
    # The golden angle keeps any number of hues apart.
    hue = (first % 360 / 360 + 0.618034 * number) % 1
    return Coat(
        _hex(hue, 0.47, 0.62),
        _hex(hue, 0.18, 0.6),
        _hex(hue, 0.9, 0.7),
        free[(first + number) % len(free)],
    )


def _hex(hue: float, lightness: float, saturation: float) -> str:
    parts = colorsys.hls_to_rgb(hue, lightness, saturation)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)

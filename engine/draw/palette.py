"""The coats of the snakes: colours and a pattern for every colour name, known or not."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from engine.draw.display import mix
from engine.tiles import GREY

WHITE = "#ffffff"
INK = "#2a2622"
"""The darkest colour of the art: pupils, outlines, letters."""
PATTERNS = (
    "bands",
    "diamonds",
    "zigzag",
    "dots",
    "stripes",
    "chevrons",
    "rings",
    "triangles",
)


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


KNOWN = {
    GREY: Coat("#c3c6ca", "#767b82", "#c3c6ca", "plain"),
    "blue": Coat("#2d74da", "#12305f", "#bfe0ff", "bands"),
    "red": Coat("#dd3b32", "#6b1512", "#ffe9c9", "diamonds"),
    "yellow": Coat("#fbcd2b", "#7a5200", "#a8580a", "zigzag"),
    "green": Coat("#2fa84f", "#0f4a22", "#e4f79a", "dots"),
    "violet": Coat("#9552cf", "#3d1c63", "#f3d9ff", "stripes"),
    "black": Coat("#3a3a44", "#101014", "#f2f0ea", "chevrons"),
    "orange": Coat("#f0802a", "#6d3006", "#fff1d6", "rings"),
    "white": Coat("#f4f2ee", "#5b5750", "#a9a49a", "triangles"),
    "pink": Coat("#ee7fb0", "#7a2450", "#fff0f7", "dots"),
    "brown": Coat("#9a6238", "#432610", "#f2d6b3", "diamonds"),
    "turquoise": Coat("#1fb0b0", "#0a4b4d", "#d9fff5", "rings"),
}
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

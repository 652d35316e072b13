"""Builds an SVG drawing: a cache of shared fragments, layers and panels."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from engine.draw.display import Item
from engine.draw.ground import CARD
from engine.draw.hexes import HEX
from engine.draw.svg import svg
from engine.tiles import TileSet

MARGIN = 6.0
GAP = 16.0
"""The gap between two fields, in millimetres."""
MOST_FRAGMENTS = 2000
"""The size of the fragment cache; a fragment has about 5 KB."""
FELT, LINES = "#e6e9dc", "#d0d6c4"
"""The table's colours in the page's light theme, for a saved drawing without a style sheet."""
NAME = 'class="name" fill="#2b2620" font-family="system-ui, sans-serif" font-weight="650"'
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in millimetres."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One field or board of the drawing, with the centre of its cell (0, 0) in millimetres."""

    number: int
    x: float
    y: float


class Drawn:
    """A drawing under construction: shared fragments, layers, and the bounding box."""

    def __init__(self, tile_set: TileSet) -> None:
        self.tile_set = tile_set
        self.shared: dict[str, str] = {}
        self.layers: list[str] = []
        self.panels: list[Panel] = []
        self.box: Box = (0.0, 0.0, 0.0, 0.0)

    def use(self, fragment: Fragment, transform: str, fresh: bool = False) -> None:
        """Add an instance of a fragment; the page animates those that are ``fresh``."""
        self.shared[fragment.id] = fragment.text
        kind = ' class="fresh"' if fresh else ""
        self.layers.append(f'<use{kind} href="#{fragment.id}" transform="{transform}"/>')

    def reach(self, box: Box) -> None:
        """Extend the bounding box to contain another box."""
        if not self.panels:
            self.box = box
            return
        left, top, right, bottom = self.box
        self.box = (min(left, box[0]), min(top, box[1]), max(right, box[2]), max(bottom, box[3]))

    def text(self, title: str, taps: Iterable[str]) -> str:
        """Return the drawing as SVG text, with tap targets above it."""
        left, top, right, bottom = self.box
        view = f"{left - MARGIN:.2f} {top - MARGIN:.2f} " + (
            f"{right - left + 2 * MARGIN:.2f} {bottom - top + 2 * MARGIN:.2f}"
        )
        defs = "".join(f'<g id="{name}">{text}</g>' for name, text in self.shared.items())
        hooks = "".join(
            f'<g class="panel" data-f="{p.number}" transform="translate({p.x:.2f} {p.y:.2f})"></g>'
            for p in self.panels
        )
        pitch = HEX if self.tile_set.lattice == "hex" else CARD
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="group" '
            f'data-lattice="{self.tile_set.lattice}" data-pitch="{pitch:g}" '
            'stroke-linecap="round" stroke-linejoin="round" fill-rule="evenodd">'
            f"<title>{escape(title)}</title><defs>{defs}</defs>{''.join(self.layers)}"
            f'{hooks}<g class="taps" fill="none" pointer-events="all">{"".join(taps)}</g></svg>'
        )


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a drawing that is defined once and used many times."""

    id: str
    text: str


_fragments: dict[str, Fragment] = {}


def fragment(key: str, draw: Callable[[], Iterable[Item]]) -> Fragment:
    """Return a fragment from the cache, or draw it; a card takes some 20 ms, a game has 16."""
    if key not in _fragments:
        if len(_fragments) >= MOST_FRAGMENTS:
            _fragments.clear()
        _fragments[key] = Fragment(f"p{zlib.crc32(key.encode()):08x}", inner(draw()))
    return _fragments[key]


def inner(items: Iterable[Item]) -> str:
    """Return shapes as SVG text without the frame of a whole document."""
    whole = svg(items, (0, 0, 1, 1))
    return whole[whole.index("<defs>") : whole.rindex("</svg>")].replace("<defs></defs>", "")

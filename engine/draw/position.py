"""Drawings of whole positions: the layout, with ends, last move and violations marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.draw.display import Item, Text, filled, moved, placed, rounded
from engine.draw.ends import open_ends
from engine.draw.field import Marks, draw_field
from engine.draw.palette import coat
from engine.draw.ring import draw_boards
from engine.draw.snake import HALF, body
from engine.draw.spine import spine
from engine.draw.svg import svg
from engine.game import Place
from engine.games import several_boards, several_fields
from engine.lattice import Cell
from engine.placement import Layout
from engine.tiles import TileSet

PAPER = "#ffffff"
GAP = 14.0
"""The gap between two fields, and the margin of the drawing, in millimetres."""
LINE = 9.0
"""Height of a line of text, in millimetres."""
Panel = tuple[list[Item], tuple[float, float, float, float]]
"""Shapes, and their bounding box: left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position as shapes, before it is written as SVG or rendered."""

    items: tuple[Item, ...]
    box: tuple[float, float, float, float]
    """The visible part: left, top, width and height, in millimetres."""
    title: str

    def svg(self) -> str:
        """Return the drawing as SVG text."""
        return svg(self.items, self.box, self.title)


def layout_drawing(
    tile_set: TileSet,
    layout: Layout,
    *,
    marked: Iterable[Place] = (),
    last: Iterable[Place] = (),
    ends: Iterable[tuple[Place, int]] | None = None,
    players: Sequence[str] = (),
    title: str = "",
    drills: Iterable[tuple[Place, Place]] | None = None,
    eyes: Iterable[Cell] | None = None,
) -> Drawing:
    """Return a position as shapes.

    Args:
        tile_set: the box that the tiles come from.
        layout: what lies on the table.
        marked: cells to point at because a rule is broken there. With several fields or boards
            a cell begins with their number: ``(1, x, y)``.
        last: cells of the last move.
        ends: open ends of snakes, as a cell and the side they leave by; ``None`` finds them on
            square cards.
        players: names in turn order, shown above their fields if each has one, else as a legend.
        title: a heading.
        drills: 5G, pairs of cells joined between boards; ``None`` infers them from the clay.
        eyes: 5G, the cells that are holes; ``None`` takes those of the box.
    """
    if ends is None:
        ends = open_ends(tile_set, layout) if tile_set.lattice == "square" else ()
    marks = Marks(frozenset(marked), frozenset(last), tuple(ends))
    if tile_set.lattice == "hex":
        count = len(players) if several_boards(tile_set.game) else 1
        panel = draw_boards(tile_set, layout, marks, count, drills, eyes)
    else:
        panel = _side_by_side(tile_set, layout, marks, players)
    items, (left, top, right, bottom) = panel
    legend = _legend(tile_set, players)
    above: list[Item] = []
    y = top - GAP / 2
    if legend:
        above.append(placed(legend, moved(left, y - LINE)))
        y -= LINE * 1.4
    if title:
        above.append(Text((left, y - 2), title, LINE * 0.75, "#3b342b"))
        y -= LINE * 1.3
    box = (left - GAP, y - GAP / 2, right - left + 2 * GAP, bottom - y + 1.5 * GAP)
    sheet = filled(PAPER, rounded(*box, 4))
    return Drawing((sheet, *above, *items), box, title or f"A position of {tile_set.name}")


def _side_by_side(tile_set: TileSet, layout: Layout, marks: Marks, players: Sequence[str]) -> Panel:
    """Return the only field, or one field for each player with the name above."""
    numbers = sorted({card.field for card in layout.cards if card.field is not None})
    if several_fields(tile_set.game):
        numbers = sorted({*numbers, *range(len(players))})
    if not numbers:
        return draw_field(tile_set, layout.cards, marks)
    items: list[Item] = []
    x, bottom = 0.0, 0.0
    for number in numbers:
        cards = frozenset(card for card in layout.cards if (card.field or 0) == number)
        art, (left, top, right, low) = draw_field(tile_set, cards, marks.of_field(number))
        name = players[number] if number < len(players) else f"field {number + 1}"
        items.append(Text((x, LINE * 0.7), name, LINE * 0.8, "#3b342b"))
        items.append(placed(art, moved(x - left, LINE * 1.3 - top)))
        x += right - left + GAP
        bottom = max(bottom, LINE * 1.3 + low - top)
    return items, (0.0, 0.0, x - GAP, bottom)


def _legend(tile_set: TileSet, players: Sequence[str]) -> list[Item]:
    """Return the players' colours with their names."""
    if not players or not all(name in tile_set.colours for name in players):
        return []
    items: list[Item] = []
    x = 0.0
    for name in players:
        line = spine([(0.0, 0.0), (22.5, 0.0)])
        swatch = body(line, coat(name, tile_set.colours), 0.0, 22.5, HALF)
        items.append(placed(swatch, moved(x, LINE * 0.4), (0.5, 0.0, 0.0, 0.5, 0.0, 0.0)))
        items.append(Text((x + 13.5, LINE * 0.65), name, LINE * 0.7, "#3b342b"))
        x += 21 + len(name) * LINE * 0.42
    return items

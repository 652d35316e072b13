"""Draws one field of square cards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from engine.draw.art import INK, WHITE, words
from engine.draw.cards import card_face
from engine.draw.display import (
    Contour,
    Group,
    Item,
    Path,
    Point,
    after,
    drawn,
    ellipse,
    filled,
    moved,
    placed,
    polygon,
    polyline,
    rectangle,
    rounded,
    stroked,
    turned,
)
from engine.draw.ends import covered
from engine.draw.ground import CARD, MIDDLE
from engine.draw.strands import side_middle
from engine.game import Place
from engine.lattice import Cell, bounding_box
from engine.placement import Placement
from engine.tiles import TileSet

TABLE, TABLE_LINE = "#e9e4d8", "#d6cfbf"
WRONG, LAST = "#d3122a", "#ff9d00"
MOST_CELLS_WITH_LINES = 4000
"""The maximum number of cells drawn with grid lines, for cards that lie very far apart."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The cells and ends that a drawing points at."""

    marked: frozenset[Place] = frozenset()
    last: frozenset[Place] = frozenset()
    ends: tuple[tuple[Place, int], ...] = ()

    def of_field(self, number: int) -> Marks:
        """Return the marks on one field or board, with its number removed."""

        def own(places: Iterable[Place]) -> Iterator[Place]:
            for place in places:
                if len(place) == 3 and place[0] == number:
                    yield place[1:]
                elif len(place) == 2 and number == 0:
                    yield place

        ends = tuple((mine, side) for place, side in self.ends for mine in own([place]))
        return Marks(frozenset(own(self.marked)), frozenset(own(self.last)), ends)


def draw_field(
    tile_set: TileSet, cards: Collection[Placement], marks: Marks
) -> tuple[list[Item], tuple[float, float, float, float]]:
    """Return the cards of one field and their bounding box: left, top, right, bottom."""
    left, top, right, bottom = field_cells(tile_set, cards, marks)
    box = (left - 1, top - 1, right + 1, bottom + 1)
    items: list[Item] = list(_table(box))
    items += [_lying(tile_set, card) for card in sorted(cards, key=lambda c: (c.at, c.tile))]
    items += pointers(marks)
    edges = (
        box[0] * CARD - MIDDLE,
        box[1] * CARD - MIDDLE,
        box[2] * CARD + MIDDLE,
        box[3] * CARD + MIDDLE,
    )
    return items, edges


def field_cells(
    tile_set: TileSet, cards: Collection[Placement], marks: Marks
) -> tuple[int, int, int, int]:
    """Return the cells that a drawing of a field shows: left, top, right, bottom."""
    cells = [cell for card in cards for cell in covered(tile_set, card)]
    pointed = [_cell(p) for p in (*marks.marked, *marks.last, *(end for end, _ in marks.ends))]
    return bounding_box([*cells, *pointed]) or (-1, -1, 1, 1)


def wrong_mark(shape: Contour, corner: Point) -> Iterator[Item]:
    """Yield a red outline with a sign at one corner."""
    yield Path((shape,), stroke=WHITE, width=4.2)
    yield Path((shape,), stroke=WRONG, width=2.6)
    yield drawn(WRONG, WHITE, 1.0, ellipse(corner, 5.2))
    x, y = corner
    yield stroked(WHITE, 1.7, polyline(((x, y - 2.8), (x, y + 0.5))))
    yield filled(WHITE, ellipse((x, y + 2.8), 1.0))


def last_mark(shape: Contour) -> Iterator[Item]:
    """Yield the outline of what was laid last."""
    yield Path((shape,), stroke=WHITE, width=3.4)
    yield Path((shape,), stroke=LAST, width=2.2)


def end_mark(at: Point, degrees: float) -> Item:
    """Return a small arrow at an open end, in the direction in which the snake may grow."""
    arrow = polygon(((1.2, -4.2), (6.4, 0), (1.2, 4.2)))
    return placed([drawn("#2f2a25", WHITE, 0.9, arrow)], moved(*at), turned(degrees))


def _table(box: tuple[int, int, int, int]) -> Iterator[Item]:
    left, top, right, bottom = box
    columns, rows = right - left + 1, bottom - top + 1
    x, y = left * CARD - MIDDLE, top * CARD - MIDDLE
    yield filled(TABLE, rounded(x, y, columns * CARD, rows * CARD, 8))
    if columns * rows <= MOST_CELLS_WITH_LINES:
        down = [
            polyline(((x + i * CARD, y + 4), (x + i * CARD, y + rows * CARD - 4)))
            for i in range(1, columns)
        ]
        across = [
            polyline(((x + 4, y + i * CARD), (x + columns * CARD - 4, y + i * CARD)))
            for i in range(1, rows)
        ]
        yield stroked(TABLE_LINE, 0.5, *down, *across)


def _lying(tile_set: TileSet, card: Placement) -> Item:
    where = after(moved(card.at[0] * CARD, card.at[1] * CARD), turned(90 * card.turns))
    if card.tile not in tile_set:
        return placed(_unknown(card.tile), where)
    face = card_face(tile_set, tile_set[card.tile], CARD)
    art = face.centred()
    return Group(art.items, where, key=art.key)


def _unknown(name: str) -> list[Item]:
    """Return the art of a card that is not in the box."""
    return [
        drawn("#dddddd", INK, 0.8, rectangle(-MIDDLE, -MIDDLE, CARD, CARD)),
        words("?", (0, 0), 18, INK),
    ]


def pointers(marks: Marks) -> Iterator[Item]:
    """Yield the marks on a field: what was laid last, open ends, broken rules."""
    for place in sorted(marks.last):
        x, y = _cell(place)
        yield from last_mark(rounded(x * CARD - 21, y * CARD - 21, 42, 42, 3))
    for place, edge in sorted(marks.ends):
        yield end_mark(side_middle(_cell(place), edge % 4), (edge % 4 - 1) * 90)
    for place in sorted(marks.marked):
        x, y = _cell(place)
        shape = rounded(x * CARD - 20.5, y * CARD - 20.5, 41, 41, 3)
        yield from wrong_mark(shape, (x * CARD + 17.5, y * CARD - 17.5))


def _cell(place: Place) -> Cell:
    return (place[-2], place[-1])

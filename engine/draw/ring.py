"""Draws hex boards: one, or up to five in a ring with the drills between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.draw.art import INK, WHITE, shape
from engine.draw.boards import CLAY_WIDTH, board_art, board_size
from engine.draw.display import (
    Contour,
    Group,
    Item,
    Path,
    Point,
    Text,
    after,
    ellipse,
    mix,
    moved,
    placed,
    polygon,
    stroked,
    turned,
)
from engine.draw.field import Marks, end_mark, last_mark, wrong_mark
from engine.draw.hexes import (
    HEX,
    centre,
    grown,
    hexagon,
    outline,
    side_point,
    tile_art,
)
from engine.draw.palette import coat
from engine.game import Place
from engine.lattice import HEX_SIDE_NAMES, Cell, hex_neighbours
from engine.placement import Clay, Layout, Piece
from engine.tiles import TileSet

GAP = 16.0
"""The gap between neighbouring boards, in millimetres."""
DRILL = "#3b2a1a"
Spot = tuple[int, Cell]
"""A cell of one board."""


def draw_boards(
    tile_set: TileSet,
    layout: Layout,
    marks: Marks,
    count: int,
    drills: Iterable[tuple[Place, Place]] | None,
    eyes: Iterable[Cell] | None,
) -> tuple[list[Item], tuple[float, float, float, float]]:
    """Return all boards and their bounding box: left, top, right, bottom."""
    board = tile_set.extras.get("board", {})
    side = board.get("side", 6)
    holes = tuple((q, r) for q, r in (board.get("eyes", ()) if eyes is None else eyes))
    used = [p.board or 0 for p in layout.pieces] + [c.board for c in layout.clay]
    count = max([count, 1, *(number + 1 for number in used)])
    size = board_size(side, HEX)
    middles = ring_places(count, size)
    items: list[Item] = []
    art = tuple(board_art(side, holes, HEX))
    for number, at in enumerate(middles):
        items.append(Group(art, moved(*at), key="board"))
        if count > 1:
            corner = (at[0] - size[0] * 0.46, at[1] - size[1] * 0.42)
            items.append(Text(corner, f"board {number + 1}", 8.0, "#3b342b"))
        items.append(placed(_board_items(tile_set, layout, marks, number), moved(*at)))
    pairs = (
        _read_drills(layout, count) if drills is None else [(_spot(a), _spot(b)) for a, b in drills]
    )
    items += _drill_lines(pairs, middles)
    left, top = (min(p[i] for p in middles) - size[i] / 2 for i in (0, 1))
    right, bottom = (max(p[i] for p in middles) + size[i] / 2 for i in (0, 1))
    return items, (left, top, right, bottom)


def ring_places(count: int, size: tuple[float, float]) -> list[Point]:
    """Return the centres of boards in a ring, clockwise from the top or top left."""
    if count == 1:
        return [(0.0, 0.0)]
    if count == 2:
        return [(0.0, 0.0), (size[0] + GAP, 0.0)]
    radius = (size[0] + GAP) / (2 * math.sin(math.pi / count))
    start = -90 - 180 / count if count % 2 == 0 else -90
    angles = [math.radians(start + 360 * i / count) for i in range(count)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def walk(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells of a tile from one end to the other, the smaller end first."""
    ends = [c for c in cells if sum(n in cells for n in hex_neighbours(c)) <= 1]
    here: Cell | None = min(ends or cells)
    path: list[Cell] = []
    while here is not None:
        path.append(here)
        here = next((n for n in hex_neighbours(here) if n in cells and n not in path), None)
    return tuple(path)


def _board_items(tile_set: TileSet, layout: Layout, marks: Marks, number: int) -> Iterator[Item]:
    pieces = sorted(p for p in layout.pieces if (p.board or 0) == number)
    for piece in pieces:
        yield _lying(tile_set, piece)
    colours = {cell: piece.tile for piece in pieces for cell in piece.cells}
    for clay in sorted(c for c in layout.clay if c.board == number):
        yield _clay(clay, colours)
    mine = marks.of_field(number)
    for group in _groups(_cell(place) for place in mine.last):
        yield from last_mark(polygon(grown(outline(group), -1.2)))
    for place, side in sorted(mine.ends):
        yield end_mark(side_point(_cell(place), side % 6), side % 6 * 60)
    for place in sorted(mine.marked):
        x, y = centre(_cell(place))
        yield placed(
            wrong_mark(hexagon((0, 0), HEX * 1.6, 0.86), (10.5, -11.5)),
            moved(x, y),
            (0.62, 0.0, 0.0, 0.62, 0.0, 0.0),
        )


def _lying(tile_set: TileSet, piece: Piece) -> Item:
    """Return a piece in its place; equal shapes share one group and differ in the shift."""
    cells = walk(piece.cells)
    q0, r0 = cells[0]
    shifted = tuple((q - q0, r - r0) for q, r in cells)
    colour = piece.tile.split("/")[0]
    if len(shifted) != len(piece.cells):
        # Cells that are not connected form no tile: draw them one by one.
        skin = coat(colour, tile_set.colours)
        return Group(
            tuple(placed(tile_art(((0, 0),), skin), moved(*centre(c))) for c in piece.cells)
        )
    art = tile_art(shifted, coat(colour, tile_set.colours))
    cut = Group(tuple(art), clip=(polygon(outline(shifted)),))
    return Group((cut,), moved(*centre(cells[0])), key=f"{colour} {shifted}")


def _clay(clay: Clay, colours: Mapping[Cell, str]) -> Item:
    radius = HEX * CLAY_WIDTH / 2
    disc = Group(tuple(shape(f"clay {clay.kind}")), clip=(ellipse((0, 0), radius),))
    side = HEX_SIDE_NAMES.index(clay.opens) if clay.opens in HEX_SIDE_NAMES else None
    if side is None:
        own = colours.get(clay.cell, "").split("/")[0]
        around = enumerate(hex_neighbours(clay.cell))
        side = next((i for i, n in around if own and colours.get(n, "").split("/")[0] == own), 0)
    where = after(moved(*centre(clay.cell)), turned(60 * side))
    return Group((disc,), where, key=f"clay {clay.kind}")


def _read_drills(layout: Layout, count: int) -> list[tuple[Spot, Spot]]:
    """Return the drills that clay marks: the same cell and colour on adjacent boards."""
    colours = {
        (p.board or 0, cell): p.tile.split("/")[0] for p in layout.pieces for cell in p.cells
    }
    clay = {(c.board, c.cell) for c in layout.clay}
    found: list[tuple[Spot, Spot]] = []
    for number, cell in sorted(clay):
        below = {(number + 1) % count, (number - 1) % count} - {number}
        partners = [
            (other, cell)
            for other in sorted(below)
            if colours.get((other, cell)) == colours.get((number, cell)) is not None
        ]
        # Prefer a partner with clay: one without may lie on the same cell by chance.
        for partner in [p for p in partners if p in clay] or partners:
            pair = (min((number, cell), partner), max((number, cell), partner))
            if pair not in found:
                found.append(pair)
    return found


def _drill_lines(pairs: Iterable[tuple[Spot, Spot]], middles: Sequence[Point]) -> Iterator[Item]:
    hub = (sum(x for x, _ in middles) / len(middles), sum(y for _, y in middles) / len(middles))
    for (one, a), (two, b) in pairs:
        start, stop = (
            (middles[n][0] + centre(c)[0], middles[n][1] + centre(c)[1])
            for n, c in ((one, a), (two, b))
        )
        middle = ((start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2)
        away = (middle[0] - hub[0], middle[1] - hub[1])
        size = math.hypot(*away) or 1.0
        lift = 0.16 * math.dist(start, stop)
        top = (middle[0] + away[0] / size * lift, middle[1] + (away[1] / size * lift or -lift))
        arc = Contour(start, ((*_third(start, top), *_third(stop, top), *stop),), closed=False)
        yield Path((arc,), stroke=WHITE, width=3.4)
        yield Path((arc,), stroke=DRILL, width=1.9)
        yield Path((arc,), stroke=mix("#f5b93a", WHITE, 0.2), width=0.8)
        yield stroked(INK, 1.0, ellipse(start, 2.2), ellipse(stop, 2.2))


def _third(end: Point, control: Point) -> Point:
    return (end[0] + (control[0] - end[0]) * 2 / 3, end[1] + (control[1] - end[1]) * 2 / 3)


def _spot(place: Place) -> Spot:
    return (place[0], (place[-2], place[-1]))


def _groups(cells: Iterable[Cell]) -> Iterator[tuple[Cell, ...]]:
    """Yield the connected groups of cells."""
    left = sorted(set(cells))
    while left:
        group = [left.pop(0)]
        for cell in group:
            near = [c for c in left if c in hex_neighbours(cell)]
            left = [c for c in left if c not in near]
            group += near
        yield tuple(group)


def _cell(place: Place) -> Cell:
    return (place[-2], place[-1])

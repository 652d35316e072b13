"""Draws hex boards for the page: tiles, clay, drills and marks."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

from companion_app.web.drawing.canvas import NAME, Drawn, Fragment, Panel, fragment, inner
from engine.draw.boards import board_size
from engine.draw.display import Group, Item, Text, polygon
from engine.draw.field import Marks
from engine.draw.hexes import HEX, centre, outline, tile_art
from engine.draw.palette import coat
from engine.draw.ring import draw_boards as board_items
from engine.draw.ring import ring_places, walk
from engine.games import several_boards
from engine.lattice import Cell
from engine.placement import Layout, Piece
from engine.tiles import TileSet


def draw_boards(drawn: Drawn, layout: Layout, marks: Marks, players: int, board_word: str) -> None:
    """Draw the boards, the tiles on them, then clay, drills and marks."""
    box_of_tiles = drawn.tile_set
    count = players if several_boards(box_of_tiles.game) else 1
    used = [p.board or 0 for p in layout.pieces] + [c.board for c in layout.clay]
    count = max([count, 1, *(number + 1 for number in used)])
    items, drawn.box = board_items(box_of_tiles, layout, marks, count, None, None)
    size = board_size(box_of_tiles.extras.get("board", {}).get("side", 6), HEX)
    drawn.panels = [Panel(n, x, y) for n, (x, y) in enumerate(ring_places(count, size))]
    bare = next(item for item in items if isinstance(item, Group) and item.key == "board")
    eyes = box_of_tiles.extras.get("board", {}).get("eyes")
    board = fragment(f"board {box_of_tiles.name} {size} {eyes}", lambda: [Group(bare.items)])
    for panel in drawn.panels:
        drawn.use(board, f"translate({panel.x:.2f} {panel.y:.2f})")
        if count > 1:
            drawn.layers.append(_board_name(panel, size, f"{board_word} {panel.number + 1}"))
    last = {place if len(place) == 3 else (0, *place) for place in marks.last}
    for piece in sorted(layout.pieces):
        _draw_piece(drawn, piece, any((piece.board or 0, *cell) in last for cell in piece.cells))
    drawn.layers.append(inner(_without_tiles(items)))


def _board_name(panel: Panel, size: tuple[float, float], name: str) -> str:
    """Return the label of a board, at its upper corner away from the other boards."""
    side, anchor = (1, "end") if panel.x > 1.0 else (-1, "start")
    x, y = panel.x + side * size[0] * 0.48, panel.y - size[1] * 0.42
    return (
        f'<text {NAME} x="{x:.1f}" y="{y:.1f}" font-size="10" '
        f'text-anchor="{anchor}">{escape(name)}</text>'
    )


def _draw_piece(drawn: Drawn, piece: Piece, fresh: bool) -> None:
    cells = walk(piece.cells)
    colour = piece.tile.split("/")[0]
    panel = drawn.panels[piece.board or 0]
    # Disconnected cells form no tile: draw them one by one.
    parts = [cells] if len(cells) == len(piece.cells) else [(cell,) for cell in piece.cells]
    for part in parts:
        q0, r0 = part[0]
        shape = tuple((q - q0, r - r0) for q, r in part)
        x, y = centre(part[0])
        drawn.use(
            _piece_fragment(drawn.tile_set, colour, shape),
            f"translate({panel.x + x:.2f} {panel.y + y:.2f})",
            fresh,
        )


def _piece_fragment(tile_set: TileSet, colour: str, shape: tuple[Cell, ...]) -> Fragment:
    skin = coat(colour, tile_set.colours)
    return fragment(
        f"piece {tile_set.name} {skin} {shape}",
        lambda: [Group(tuple(tile_art(shape, skin)), clip=(polygon(outline(shape)),))],
    )


def _without_tiles(items: Iterable[Item]) -> Iterable[Item]:
    """Yield the items drawn above the tiles: clay, drills and marks."""
    for item in items:
        if isinstance(item, Text) or (isinstance(item, Group) and item.key == "board"):
            continue
        if isinstance(item, Group) and not item.key:
            kept = [i for i in item.items if not _is_tile(i)]
            yield Group(tuple(kept), item.transform, item.clip)
        else:
            yield item


def _is_tile(item: Item) -> bool:
    return isinstance(item, Group) and bool(item.key) and not item.key.startswith("clay")

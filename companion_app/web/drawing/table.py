"""Draws the table for the page as SVG, with a tap target for every tile.

Places are named ``field:x:y`` (or ``board:q:r``; 0 where there is only one), in the drawing and in
all documents that refer to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from companion_app.web.drawing.boards import draw_boards
from companion_app.web.drawing.canvas import Drawn, Panel
from companion_app.web.drawing.cards import card_fragment, draw_field, draw_fields
from companion_app.web.speech import Speech
from engine.draw.ends import covered, open_ends, open_hex_ends
from engine.draw.field import Marks
from engine.draw.ground import CARD
from engine.draw.hexes import HEX, centre
from engine.game import Place
from engine.games import several_boards, several_fields
from engine.lattice import hex_board
from engine.placement import Layout, Piece, Placement
from engine.tiles import TileSet

Label = Callable[[Placement | Piece], str]


def spot(place: Sequence[int], field: int | None = None) -> str:
    """Return the name of a place on the drawing."""
    number = field if field is not None else place[0] if len(place) == 3 else 0
    return f"{number}:{place[-2]}:{place[-1]}"


def spots_of(placed_tile: Placement | Piece, tile_set: TileSet) -> list[str]:
    """Return the places that a tile covers."""
    if isinstance(placed_tile, Piece):
        return [spot(cell, placed_tile.board or 0) for cell in placed_tile.cells]
    return [spot(cell, placed_tile.field or 0) for cell in covered(tile_set, placed_tile)]


def draw_table(
    tile_set: TileSet,
    layout: Layout,
    players: Sequence[str],
    *,
    label: Label,
    names: Sequence[str],
    marked: Iterable[Place] = (),
    last: Iterable[Place] = (),
    board_word: str,
    title: str,
    stacked: bool = False,
) -> str:
    """Return the table as SVG text.

    Args:
        tile_set: the box.
        layout: the tiles on the table.
        players: ids in turn order.
        label: returns the description of a tile for screen readers.
        names: the labels over the players' own fields.
        marked: cells where a rule is broken.
        last: cells of the last move.
        board_word: the word for a board.
        title: the title of the drawing.
        stacked: whether the players' own fields are stacked, for a narrow screen.
    """
    marks = Marks(_flat(marked, tile_set), _flat(last, tile_set), _ends(tile_set, layout))
    drawn = Drawn(tile_set)
    if tile_set.lattice == "hex":
        draw_boards(drawn, layout, marks, len(players), board_word)
    elif several_fields(tile_set.game):
        draw_fields(drawn, layout, marks, names, stacked)
    else:
        draw_field(drawn, layout.cards, marks, Panel(0, 0.0, 0.0))
    taps = [_tap(tile_set, one, drawn.panels, label) for one in _tiles(layout)]
    return drawn.text(title, taps)


def table_in_words(
    tile_set: TileSet,
    layout: Layout,
    players: Sequence[str],
    words: Speech,
    title: str,
    **more: Any,
) -> str:
    """Return the table as SVG text, with tiles, boards and players in a guest's language."""
    return draw_table(
        tile_set,
        layout,
        players,
        label=words.labels(layout, tile_set),
        title=title,
        names=[words.player(player) for player in players],
        board_word=words.page("board"),
        **more,
    )


def _flat(places: Iterable[Place], tile_set: TileSet) -> frozenset[Place]:
    """Return places as they are marked: without a number where there is only one field."""
    several = several_fields(tile_set.game) or several_boards(tile_set.game)
    return frozenset(places) if several else frozenset(place[-2:] for place in places)


def _ends(tile_set: TileSet, layout: Layout) -> tuple[tuple[Place, int], ...]:
    if tile_set.lattice == "square":
        return open_ends(tile_set, layout)
    board = tile_set.extras.get("board", {})
    eyes = {tuple(eye) for eye in board.get("eyes", ())}
    return open_hex_ends(layout, set(hex_board(int(board.get("side", 6)))) - eyes)


def warm_up(tile_set: TileSet, players: int) -> None:
    """Fill the fragment cache with a box's cards or its boards, so that first drawings are fast."""
    if tile_set.lattice == "hex":
        draw_boards(Drawn(tile_set), Layout(), Marks(), players, "")
        return
    for tile in tile_set.counts:
        card_fragment(tile_set, tile)


# --- taps ----------------------------------------------------------------------------------------


def _tiles(layout: Layout) -> list[Placement | Piece]:
    return [
        *sorted(layout.cards, key=lambda c: (c.field or 0, c.at[1], c.at[0], c.tile)),
        *sorted(layout.pieces, key=lambda p: (p.board or 0, p.cells, p.tile)),
    ]


def _tap(tile_set: TileSet, one: Placement | Piece, panels: Sequence[Panel], label: Label) -> str:
    number = (one.board if isinstance(one, Piece) else one.field) or 0
    panel = next((p for p in panels if p.number == number), None)
    if panel is None:
        return ""
    if isinstance(one, Piece):
        shapes = "".join(_hexagon(panel, cell) for cell in one.cells)
    else:
        shapes = "".join(_square(panel, cell) for cell in covered(tile_set, one))
    return tap_target(one.tile, label(one), spots_of(one, tile_set), shapes)


def tap_target(
    tile: str, label: str, places: Iterable[str], shapes: str, kind: str = "tap", more: str = ""
) -> str:
    """Return shapes as the tap target of a tile, as the page's scripts expect it."""
    return (
        f'<g class="{kind}" tabindex="-1" role="button" aria-label={quoteattr(label)} '
        f'data-tile={quoteattr(tile)} data-spots="{" ".join(places)}"{more}>{shapes}</g>'
    )


def _square(panel: Panel, cell: tuple[int, int]) -> str:
    x, y = panel.x + (cell[0] - 0.5) * CARD, panel.y + (cell[1] - 0.5) * CARD
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{CARD:g}" height="{CARD:g}" rx="3"/>'


def _hexagon(panel: Panel, cell: tuple[int, int]) -> str:
    x, y = centre(cell)
    return f'<circle cx="{panel.x + x:.1f}" cy="{panel.y + y:.1f}" r="{HEX / 2:.1f}"/>'

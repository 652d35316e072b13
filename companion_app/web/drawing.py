"""Draws the table for the page: crisp, without paper, every tile one that can be tapped.

Places are named ``field:x:y`` (or ``board:q:r``; 0 where there is only one), on the drawing and
in everything that points at it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from engine.draw.boards import board_size
from engine.draw.cards import card_face
from engine.draw.display import Group, Item, Text, moved, placed, polygon, rounded
from engine.draw.ends import covered, open_ends, open_hex_ends
from engine.draw.field import Marks, draw_field, end_mark, last_mark, wrong_mark
from engine.draw.ground import CARD
from engine.draw.hexes import HEX, centre, outline, tile_art
from engine.draw.palette import coat
from engine.draw.ring import draw_boards, ring_places, walk
from engine.draw.strands import side_middle
from engine.draw.svg import svg
from engine.game import Place
from engine.lattice import Cell, bounding_box, hex_board
from engine.placement import Layout, Piece, Placement
from engine.tiles import TileSet

MARGIN = 6.0
GAP = 16.0
LINE = 22.0
"""Room for a name over a field, in millimetres."""
MOST_FRAGMENTS = 2000
"""Drawn parts kept in memory, about 5 KB each."""
MOST_CELLS_WITH_LINES = 4000
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in millimetres."""
Label = Callable[[Placement | Piece], str]


@dataclass(frozen=True, slots=True)
class Panel:
    """One field or board of the drawing, and where its cell (0, 0) lies."""

    number: int
    x: float
    y: float


def spot(place: Place, field: int | None = None) -> str:
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
    names: Sequence[str] = (),
    marked: Iterable[Place] = (),
    last: Iterable[Place] = (),
    board_word: str = "board",
    title: str = "",
) -> str:
    """Return the table as SVG text.

    Args:
        tile_set: the box.
        layout: what lies there.
        players: ids in turn order.
        label: what a tile is called, for those who listen to the page.
        names: what to write over the players' own fields.
        marked: cells where a rule is broken.
        last: cells of the last move.
        board_word: what a board is called.
        title: what the drawing is.
    """
    marks = Marks(frozenset(marked), frozenset(last), _ends(tile_set, layout))
    drawn = Drawn(tile_set)
    if tile_set.lattice == "hex":
        _draw_boards(drawn, layout, marks, len(players), board_word)
    elif tile_set.game == "sssnake":
        _draw_fields(drawn, layout, marks, players, names)
    else:
        _draw_field(drawn, layout.cards, marks, Panel(0, 0.0, 0.0))
    drawn.hooks += [
        f'<g class="panel" data-f="{p.number}" transform="translate({p.x:.2f} {p.y:.2f})"></g>'
        for p in drawn.panels
    ]
    drawn.taps += [_tap(tile_set, one, drawn.panels, label) for one in _tiles(layout)]
    return drawn.text(title)


def _ends(tile_set: TileSet, layout: Layout) -> tuple[tuple[Place, int], ...]:
    if tile_set.lattice == "square":
        return open_ends(tile_set, layout)
    board = tile_set.extras.get("board", {})
    eyes = {tuple(eye) for eye in board.get("eyes", ())}
    return open_hex_ends(layout, set(hex_board(int(board.get("side", 6)))) - eyes)


def warm_up(tile_set: TileSet, players: int) -> None:
    """Draw every tile of a box once, so that the first drawings come as fast as the later."""
    if tile_set.lattice == "hex":
        _draw_boards(Drawn(tile_set), Layout(), Marks(), players, "")
        return
    for tile in tile_set.counts:
        _card_fragment(tile_set, tile)


class Drawn:
    """A drawing as it comes into being: shared tiles, layers, and the box around it all."""

    def __init__(self, tile_set: TileSet) -> None:
        self.tile_set = tile_set
        self.shared: dict[str, str] = {}
        self.layers: list[str] = []
        self.hooks: list[str] = []
        self.taps: list[str] = []
        self.panels: list[Panel] = []
        self.box: Box = (0.0, 0.0, 0.0, 0.0)

    def use(self, fragment: Fragment, transform: str) -> None:
        """Show a shared drawing somewhere."""
        self.shared[fragment.id] = fragment.text
        self.layers.append(f'<use href="#{fragment.id}" transform="{transform}"/>')

    def reach(self, box: Box) -> None:
        """Make the whole large enough for a part."""
        if not self.panels:
            self.box = box
            return
        left, top, right, bottom = self.box
        self.box = (min(left, box[0]), min(top, box[1]), max(right, box[2]), max(bottom, box[3]))

    def text(self, title: str) -> str:
        """Return the whole drawing."""
        left, top, right, bottom = self.box
        view = f"{left - MARGIN:.2f} {top - MARGIN:.2f} " + (
            f"{right - left + 2 * MARGIN:.2f} {bottom - top + 2 * MARGIN:.2f}"
        )
        defs = "".join(f'<g id="{name}">{text}</g>' for name, text in self.shared.items())
        pitch = HEX if self.tile_set.lattice == "hex" else CARD
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="group" '
            f'data-lattice="{self.tile_set.lattice}" data-pitch="{pitch:g}" '
            'stroke-linecap="round" stroke-linejoin="round" fill-rule="evenodd">'
            f"<title>{escape(title)}</title><defs>{defs}</defs>{''.join(self.layers)}"
            f'{"".join(self.hooks)}<g class="taps">{"".join(self.taps)}</g></svg>'
        )


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part that is drawn once and shown often."""

    id: str
    text: str


_fragments: dict[str, Fragment] = {}


def _fragment(key: str, draw: Callable[[], Iterable[Item]]) -> Fragment:
    """Return a part from memory, or draw it: a card takes some 20 ms, a game has 16."""
    if key not in _fragments:
        if len(_fragments) >= MOST_FRAGMENTS:
            _fragments.clear()
        _fragments[key] = Fragment(f"p{zlib.crc32(key.encode()):08x}", _inner(draw()))
    return _fragments[key]


def _inner(items: Iterable[Item]) -> str:
    """Return shapes as SVG text without the frame of a whole document."""
    whole = svg(items, (0, 0, 1, 1))
    return whole[whole.index("<defs>") : whole.rindex("</svg>")].replace("<defs></defs>", "")


# --- square cards --------------------------------------------------------------------------------


def _card_fragment(tile_set: TileSet, tile: str) -> Fragment:
    kind = tile_set[tile]
    key = f"card {tile_set.name} {tile_set.colours} {kind}"
    return _fragment(key, lambda: [card_face(tile_set, kind, CARD).centred()])


def _draw_field(
    drawn: Drawn, cards: Iterable[Placement], marks: Marks, panel: Panel, box: Box | None = None
) -> None:
    """Draw one field: its ground, the cards, and what is pointed at."""
    cards = sorted(cards, key=lambda c: (c.at, c.tile))
    left, top, right, bottom = box or field_box(drawn.tile_set, cards, marks)
    drawn.reach((left + panel.x, top + panel.y, right + panel.x, bottom + panel.y))
    drawn.panels.append(panel)
    where = f'transform="translate({panel.x:.2f} {panel.y:.2f})"'
    drawn.layers.append(f"<g {where}>{_ground(left, top, right, bottom)}</g>")
    for card in cards:
        if card.tile in drawn.tile_set:
            x, y = panel.x + card.at[0] * CARD, panel.y + card.at[1] * CARD
            turned = f" rotate({90 * card.turns})" if card.turns else ""
            place = f"translate({x:.2f} {y:.2f}){turned}"
            drawn.use(_card_fragment(drawn.tile_set, card.tile), place)
    drawn.layers.append(f"<g {where}>{_inner(_pointers(marks))}</g>")


def field_box(tile_set: TileSet, cards: Iterable[Placement], marks: Marks) -> Box:
    """Return the box around a field with one free cell on every side."""
    cells = [cell for card in cards for cell in covered(tile_set, card)]
    places = (*marks.marked, *marks.last, *(end for end, _ in marks.ends))
    pointed = [(place[-2], place[-1]) for place in places]
    left, top, right, bottom = bounding_box([*cells, *pointed]) or (-1, -1, 1, 1)
    return ((left - 1.5) * CARD, (top - 1.5) * CARD, (right + 1.5) * CARD, (bottom + 1.5) * CARD)


def _ground(left: float, top: float, right: float, bottom: float) -> str:
    """Return the table under a field; the page colours it by day and by night."""
    columns, rows = round((right - left) / CARD), round((bottom - top) / CARD)
    lines = ""
    if columns * rows <= MOST_CELLS_WITH_LINES:
        down = "".join(f"M{left + i * CARD:.1f} {top + 4:.1f}V{bottom - 4:.1f}"
                       for i in range(1, columns))  # fmt: skip
        across = "".join(f"M{left + 4:.1f} {top + i * CARD:.1f}H{right - 4:.1f}"
                         for i in range(1, rows))  # fmt: skip
        lines = f'<path class="grid" d="{down}{across}" fill="none" stroke="#d6cfbf"/>'
    return (
        f'<rect class="ground" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
        f'height="{bottom - top:.1f}" rx="8" fill="#e9e4d8"/>{lines}'
    )


def _pointers(marks: Marks) -> Iterable[Item]:
    for place in sorted(marks.last):
        x, y = place[-2] * CARD, place[-1] * CARD
        yield from last_mark(rounded(x - 21, y - 21, 42, 42, 3))
    for place, edge in sorted(marks.ends):
        yield end_mark(side_middle((place[-2], place[-1]), edge % 4), (edge % 4 - 1) * 90)
    for place in sorted(marks.marked):
        x, y = place[-2] * CARD, place[-1] * CARD
        yield from wrong_mark(rounded(x - 20.5, y - 20.5, 41, 41, 3), (x + 17.5, y - 17.5))


def _draw_fields(
    drawn: Drawn, layout: Layout, marks: Marks, players: Sequence[str], names: Sequence[str]
) -> None:
    """Draw a field a player, two in a row, with the names above."""
    x, y, low = 0.0, 0.0, 0.0
    for number in range(max(len(players), 1)):
        cards = [card for card in layout.cards if (card.field or 0) == number]
        own = marks.of_field(number)
        left, top, right, bottom = field_box(drawn.tile_set, cards, own)
        if number == 2:
            x, y = 0.0, low + GAP
        panel = Panel(number, x - left, y + LINE - top)
        _draw_field(drawn, cards, own, panel, (left, top, right, bottom))
        drawn.reach((x, y, x, y))
        name = names[number] if number < len(names) else ""
        drawn.layers.append(
            f'<text class="name" x="{x + 2:.1f}" y="{y + LINE * 0.7:.1f}" '
            f'font-size="{LINE * 0.75:g}">{escape(name)}</text>'
        )
        x += right - left + GAP
        low = max(low, y + LINE + bottom - top)


# --- hex boards ----------------------------------------------------------------------------------


def _draw_boards(drawn: Drawn, layout: Layout, marks: Marks, players: int, board_word: str) -> None:
    """Draw the boards, the tiles on them, then clay, drills and what is pointed at."""
    box_of_tiles = drawn.tile_set
    count = players if box_of_tiles.game == "snekagon5g" else 1
    used = [p.board or 0 for p in layout.pieces] + [c.board for c in layout.clay]
    count = max([count, 1, *(number + 1 for number in used)])
    items, drawn.box = draw_boards(box_of_tiles, layout, marks, count, None, None)
    size = board_size(box_of_tiles.extras.get("board", {}).get("side", 6), HEX)
    drawn.panels = [Panel(n, x, y) for n, (x, y) in enumerate(ring_places(count, size))]
    bare = next(item for item in items if isinstance(item, Group) and item.key == "board")
    board = _fragment(f"board {box_of_tiles.name} {size}", lambda: [Group(bare.items)])
    for panel in drawn.panels:
        drawn.use(board, f"translate({panel.x:.2f} {panel.y:.2f})")
        if count > 1:
            x, y = panel.x - size[0] * 0.46, panel.y - size[1] * 0.42
            drawn.layers.append(f'<text class="name" x="{x:.1f}" y="{y:.1f}" font-size="8">'
                                f"{escape(board_word)} {panel.number + 1}</text>")  # fmt: skip
    for piece in sorted(layout.pieces):
        _draw_piece(drawn, piece)
    drawn.layers.append(_inner(_without_tiles(items)))


def _draw_piece(drawn: Drawn, piece: Piece) -> None:
    cells = walk(piece.cells)
    colour = piece.tile.split("/")[0]
    panel = drawn.panels[piece.board or 0]
    # Cells that do not hang together are no tile: show them one by one.
    parts = [cells] if len(cells) == len(piece.cells) else [(cell,) for cell in piece.cells]
    for part in parts:
        q0, r0 = part[0]
        shape = tuple((q - q0, r - r0) for q, r in part)
        x, y = centre(part[0])
        drawn.use(_piece_fragment(drawn.tile_set, colour, shape),
                  f"translate({panel.x + x:.2f} {panel.y + y:.2f})")  # fmt: skip


def _piece_fragment(tile_set: TileSet, colour: str, shape: tuple[Cell, ...]) -> Fragment:
    skin = coat(colour, tile_set.colours)
    return _fragment(
        f"piece {tile_set.name} {skin} {shape}",
        lambda: [Group(tuple(tile_art(shape, skin)), clip=(polygon(outline(shape)),))],
    )


def _without_tiles(items: Iterable[Item]) -> Iterable[Item]:
    """Return what is drawn above the tiles: clay, drills and marks."""
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


# --- paper ---------------------------------------------------------------------------------------


def table_items(
    tile_set: TileSet, layout: Layout, players: Sequence[str]
) -> tuple[list[Item], Box]:
    """Return the table as shapes with the box around them."""
    if tile_set.lattice == "hex":
        count = len(players) if tile_set.game == "snekagon5g" else 1
        items, box = draw_boards(tile_set, layout, Marks(), count, None, None)
        return [item for item in items if not isinstance(item, Text)], box
    if tile_set.game != "sssnake":
        return draw_field(tile_set, layout.cards, Marks())
    items, x, low = [], 0.0, 0.0
    for number in range(len(players)):
        cards = frozenset(card for card in layout.cards if (card.field or 0) == number)
        art, (left, top, right, bottom) = draw_field(tile_set, cards, Marks())
        items.append(placed(art, moved(x - left, -top)))
        x, low = x + right - left + GAP, max(low, bottom - top)
    return items, (0.0, 0.0, x - GAP, low)


# --- taps ----------------------------------------------------------------------------------------


def _tiles(layout: Layout) -> list[Placement | Piece]:
    return [*sorted(layout.cards, key=lambda c: (c.field or 0, c.at[1], c.at[0], c.tile)),
            *sorted(layout.pieces, key=lambda p: (p.board or 0, p.cells, p.tile))]  # fmt: skip


def _tap(tile_set: TileSet, one: Placement | Piece, panels: Sequence[Panel], label: Label) -> str:
    number = (one.board if isinstance(one, Piece) else one.field) or 0
    panel = next((p for p in panels if p.number == number), None)
    if panel is None:
        return ""
    places = spots_of(one, tile_set)
    if isinstance(one, Piece):
        shapes = "".join(_hexagon(panel, cell) for cell in one.cells)
    else:
        cells = covered(tile_set, one)
        shapes = "".join(_square(panel, cell) for cell in cells)
    words = quoteattr(label(one))
    return (
        f'<g class="tap" tabindex="-1" role="button" aria-label={words} '
        f'data-tile={quoteattr(one.tile)} data-spots="{" ".join(places)}">{shapes}</g>'
    )


def _square(panel: Panel, cell: tuple[int, int]) -> str:
    x, y = panel.x + (cell[0] - 0.5) * CARD, panel.y + (cell[1] - 0.5) * CARD
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{CARD:g}" height="{CARD:g}" rx="3"/>'


def _hexagon(panel: Panel, cell: tuple[int, int]) -> str:
    x, y = centre(cell)
    return f'<circle cx="{panel.x + x:.1f}" cy="{panel.y + y:.1f}" r="{HEX / 2:.1f}"/>'

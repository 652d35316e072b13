"""Every table that is one change away: each tile in each place near the others, turned or swapped.

Chance finds the common fouls; those that need one card in one place are found only by going through
all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from engine.hexpath import path_cells
from engine.lattice import HEX_STEPS, SQUARE_STEPS, Cell, hex_board
from engine.placement import Clay, Layout, Piece, Placement
from engine.tiles import TileSet
from models.lab.scenes.games.positions import card_cells, left_in_box

FIXED_ROLES = ("big", "house")
"""Cards that nobody lays or lifts in a game."""
NEAR = 1
"""Cards are laid at most so many cells off the others: further off they lie beside the game."""
APART = 2
"""A card with one place free between, straight across, is still seen to belong to the game."""
DRILLED_OFF = 1
"""Tiles that should be drilled, and are not, lie at most so many cells off the right field."""


def one_change_away(
    box: TileSet, position: Any, before: Layout, apart: bool = False
) -> Iterator[Layout]:
    """Yield every table on which one tile more lies, or one lies turned or swapped.

    With ``apart`` only those on which a card lies that touches no other.
    """
    if box.lattice == "hex":
        yield from _with_piece(box, position, before)
        return
    kinds = [name for name in left_in_box(box, before) if box[name].role not in FIXED_ROLES]
    for field in sorted({card.field for card in before.cards}, key=lambda f: f or 0) or [None]:
        lying = sorted(card for card in before.cards if card.field == field)
        laid = _laid(box, lying, kinds, field, apart)
        yield from (replaced(before, None, card) for card in laid)
        for old in () if apart else lying:
            if box[old.tile].role not in FIXED_ROLES:
                yield from (replaced(before, old, new) for new in _swapped(box, old, kinds))


def replaced(before: Layout, old: Placement | None, new: Placement) -> Layout:
    """Return a layout with one card more, or one in place of another."""
    return Layout(before.cards - {old} | {new}, before.pieces, before.clay)


def _laid(
    box: TileSet, lying: list[Placement], kinds: list[str], field: int | None, apart: bool
) -> Iterator[Placement]:
    taken = {cell for card in lying for cell in card_cells(box, card)}
    reach = range(-NEAR, NEAR + 1)
    near = {(x + dx, y + dy) for (x, y), dx, dy in product(taken, reach, reach)} - taken or {(0, 0)}
    if apart:
        across = {(x + APART * dx, y + APART * dy) for x, y in taken for dx, dy in SQUARE_STEPS}
        near = across - near - taken
    for tile, at in product(kinds, sorted(near)):
        for turns in range(box[tile].period):
            card = Placement(tile, at, turns, field)
            if taken.isdisjoint(card_cells(box, card)):
                yield card


def _swapped(box: TileSet, old: Placement, kinds: list[str]) -> Iterator[Placement]:
    for tile in sorted({*kinds, old.tile}):
        for turns in range(box[tile].period):
            new = Placement(tile, old.at, turns, old.field)
            if new != old and len(box[tile].cells) == len(box[old.tile].cells):
                yield new


# --- hex tiles -----------------------------------------------------------------------------


def _with_piece(box: TileSet, position: Any, before: Layout) -> Iterator[Layout]:
    laid = Counter(piece.tile for piece in before.pieces)
    boards = sorted({piece.board for piece in before.pieces}, key=lambda b: b or 0)
    boards = boards or [0 if position.agreed.boards > 1 else None]
    cells = set(hex_board(int(box.extras.get("board", {}).get("side", 6))))
    for board in boards:
        free = cells - {c for piece in before.pieces if piece.board == board for c in piece.cells}
        for tile, kind in box.kinds.items():
            # Everybody has the same tiles; whose turn it is others find out.
            own = tile.startswith(f"{position.to_move}/")
            if own and kind.path is not None and laid[tile] < kind.count:
                for lying in _lying(kind.path, free):
                    piece = Piece(tile, lying, board)
                    yield Layout(before.cards, before.pieces | {piece}, before.clay)
                    if board is not None:
                        yield from _drilled(position, before, piece)


def _lying(path: str, free: set[Cell]) -> list[tuple[Cell, ...]]:
    """Return the ways in which a tile can lie on free cells."""
    ways = set()
    for flipped in (False, True):
        cells = [(q + r, -r) if flipped else (q, r) for q, r in path_cells(path)]
        for _ in HEX_STEPS:
            cells = [(-r, q + r) for q, r in cells]
            for start in free:
                lying = {(q + start[0], r + start[1]) for q, r in cells}
                if lying <= free:
                    ways.add(tuple(sorted(lying)))
    return sorted(ways)


def _drilled(position: Any, before: Layout, piece: Piece) -> Iterator[Layout]:
    """Yield a tile with clay on it and on an own hex of another board that is not below it."""
    player = piece.tile.partition("/")[0]
    for board, *own in sorted(position.own.get(player, ())):
        near = [
            c for c in piece.cells if max(abs(c[0] - own[0]), abs(c[1] - own[1])) <= DRILLED_OFF
        ]
        if board != piece.board and near:
            marks = {Clay(board, (own[0], own[1]), "open"), Clay(piece.board or 0, near[0], "open")}
            yield Layout(before.cards, before.pieces | {piece}, before.clay | marks)

"""The place of a tile as people count it: rows from the top, columns from the left, from 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.placement import Piece, Placement
from engine.tiles import TileSet


@dataclass(frozen=True, slots=True)
class Where:
    """A place on the table, in one-based numbers for people."""

    row: int
    column: int
    board: int | None = None
    """The number of the board, from 1; ``None`` where there is only one."""


def board_side(box: TileSet) -> int | None:
    """Return how many cells a side of a hex board has; ``None`` for cards."""
    return int(box.extras.get("board", {}).get("side", 6)) if box.lattice == "hex" else None


def where(one: Placement | Piece, lying: Iterable[Placement | Piece], side: int | None) -> Where:
    """Return the place of a tile.

    Args:
        one: the tile; a piece of several cells is placed by its first one.
        lying: all tiles, since rows and columns of cards count from the outermost ones.
        side: how many hexes a side of the board has, where there is one.
    """
    if isinstance(one, Piece):
        q, r = one.cells[0]
        half = side or 1
        board = None if one.board is None else one.board + 1
        return Where(r + half, q + half + min(r, 0), board)
    cards = [card for card in lying if isinstance(card, Placement) and card.field == one.field]
    x, y = one.at
    left, top = min(card.at[0] for card in cards), min(card.at[1] for card in cards)
    return Where(y - top + 1, x - left + 1)

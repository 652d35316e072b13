"""Finds the open ends of snakes on square cards, for a drawing to mark."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine.game import Place
from engine.lattice import Cell, hex_neighbours, opposite, quarter_turned, square_neighbour
from engine.placement import Layout, Placement
from engine.snakes import Card, card, trace
from engine.tiles import TileSet


def open_ends(tile_set: TileSet, layout: Layout) -> tuple[tuple[Place, int], ...]:
    """Return cell and side of every end of a snake that faces an empty cell.

    Grey chains belong to nobody, so their ends are left out. With several fields, a cell begins
    with the number of its field.
    """
    fields = sorted({placed.field for placed in layout.cards}, key=lambda field: field or 0)
    return tuple(
        ((cell if field is None else (field, *cell)), edge)
        for field in fields
        for cell, edge in sorted(_ends(tile_set, [c for c in layout.cards if c.field == field]))
    )


def open_hex_ends(layout: Layout, board: Collection[Cell]) -> tuple[tuple[Place, int], ...]:
    """Return cell and side of the ends of hex snakes: away from the body, onto a free cell.

    A snake of one hex has no direction, and a cell with clay continues on another board; both are
    left out. With several boards, a cell begins with the number of its board.
    """
    ends: list[tuple[Place, int]] = []
    colours = {(p.board, cell): p.tile.split("/")[0] for p in layout.pieces for cell in p.cells}
    clay = {(c.board, c.cell) for c in layout.clay}
    for (number, cell), colour in sorted(colours.items(), key=str):
        around = [(number, near) for near in hex_neighbours(cell)]
        own = [side for side, near in enumerate(around) if colours.get(near) == colour]
        if len(own) != 1 or (number or 0, cell) in clay:
            continue
        ahead = (own[0] + 3) % 6
        ways = [(ahead + turn) % 6 for turn in (0, 1, -1)]
        free = [side for side in ways if around[side] not in colours and around[side][1] in board]
        if free:
            ends.append((cell if number is None else (number, *cell), free[0]))
    return tuple(ends)


def covered(tile_set: TileSet, placed: Placement) -> Iterator[Cell]:
    """Yield the cells that a card covers; a card that is not in the box covers one cell."""
    kind = tile_set.kinds.get(placed.tile)
    for cell in kind.cells if kind else ((0, 0),):
        x, y = quarter_turned(cell, placed.turns)
        yield (placed.at[0] + x, placed.at[1] + y)


def _ends(tile_set: TileSet, cards: list[Placement]) -> set[tuple[Cell, int]]:
    taken = {cell for placed in cards for cell in covered(tile_set, placed)}
    laid: dict[Cell, Card] = {
        placed.at: card(tile_set[placed.tile], placed.turns)
        for placed in sorted(cards)
        if placed.tile in tile_set and tile_set[placed.tile].strands
    }
    web = trace(laid)
    snakes = web.coloured
    ends: set[tuple[Cell, int]] = set()
    for cell, edge in _exits(tile_set, cards):
        ends.add((cell, edge))
        beyond = square_neighbour(cell, edge)
        strand = laid[beyond].strand_at[opposite(edge)] if beyond in laid else -1
        snakes += [chain for chain in web.open.values() if (beyond, strand) in chain.strands]
    ends |= {(square_neighbour(*end), end[1] ^ 2) for chain in snakes for end in chain.ends}
    return {(cell, edge) for cell, edge in ends if square_neighbour(cell, edge) not in taken}


def _exits(tile_set: TileSet, cards: list[Placement]) -> Iterator[tuple[Cell, int]]:
    """Yield cell and edge of the exits of houses and big cards."""
    for placed in cards:
        kind = tile_set.kinds.get(placed.tile)
        for way_out in kind.exits if kind else ():
            x, y = quarter_turned(way_out.cell, placed.turns)
            yield (placed.at[0] + x, placed.at[1] + y), (way_out.edge + placed.turns) % 4

"""The self-test: people lay ten tiles as shown, and the camera's reading is compared with them.

The orientation and origin of the read lattice are arbitrary: the reading is turned and shifted to
the best match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from companion_app.live.places import hex_turned, tiles_of, turned
from engine.games import several_boards
from engine.hexpath import path_cells
from engine.lattice import Cell, hex_board, hex_neighbours
from engine.placement import Layout, Piece, Placement
from engine.tiles import TileKind, TileSet

TILES = 10
COLUMNS = 5
Lying = tuple[str, tuple[Cell, ...], int]
"""A tile, its cells and its turns; pieces of hex boards have turns 0."""


@dataclass(frozen=True)
class TestResult:
    """The result of a self-test."""

    right: tuple[Placement | Piece, ...]
    wrong: tuple[tuple[Placement | Piece, str | None], ...]
    """The tiles that were misread, each with the tile read in its place; ``None`` for none."""


def tiles_to_lay(box: TileSet) -> Layout:
    """Return a layout of ten tiles of a box, of as many different kinds as possible."""
    return _pieces(box) if box.lattice == "hex" else _block(box)


def compared(wanted: Layout, seen: Iterable[Mapping[str, Any]], box: TileSet) -> TestResult:
    """Compare the tiles of a table state with those that should lie there."""
    sure = [_lying(tile, box) for tile in seen]
    asked = {one: _wanted(one, box) for one in tiles_of(wanted)}
    tiles = frozenset(asked.values())
    best = max(_ways(sure, tiles, box), key=lambda way: len(tiles.intersection(way)))
    places = {cell: tile for tile, cells, _ in best for cell in cells}
    lying = set(best)
    right = tuple(one for one, tile in asked.items() if tile in lying)
    wrong = tuple((one, places.get(tile[1][0])) for one, tile in asked.items() if tile not in lying)
    return TestResult(right, wrong)


# --- what to lay ---------------------------------------------------------------------------------


def _chosen(kinds: Sequence[TileKind]) -> list[TileKind]:
    """Return ten kinds, spread over the box, none more often than the box has it."""
    spread = [kinds[number * len(kinds) // TILES] for number in range(TILES)]
    first = spread if len(kinds) > TILES else kinds
    left = {kind.name: kind.count for kind in kinds}
    chosen: list[TileKind] = []
    for kind in islice(cycle(first), 4 * TILES):
        if left[kind.name] > 0 and len(chosen) < TILES:
            left[kind.name] -= 1
            chosen.append(kind)
    return chosen


def _block(box: TileSet) -> Layout:
    """Lay square cards side by side in two rows, with different turns.

    Where a box has a big card, it begins the first row, since it marks a player's own field.
    """
    big = next((kind for kind in box.kinds.values() if kind.role == "big"), None)
    single = [kind for kind in box.kinds.values() if len(kind.cells) == 1 and not kind.exits]
    places = [(column, row) for row in range(2) for column in range(COLUMNS + 1)]
    if big is None:
        places = [place for place in places if place[0] < COLUMNS]
    laid = [] if big is None else [Placement(big.name, (0, 0), 0, 0)]
    free = [place for place in places if big is None or place not in big.cells]
    laid += [
        Placement(kind.name, place, (number * 3 // 2) % kind.period, None if big is None else 0)
        for number, (kind, place) in enumerate(zip(_chosen(single), free, strict=False))
    ]
    return Layout(frozenset(laid[:TILES]))


def _pieces(box: TileSet) -> Layout:
    """Lay pieces on one board; pieces of the same colour do not touch."""
    board = box.extras.get("board", {})
    eyes = {tuple(eye) for eye in board.get("eyes", ())}
    free = [cell for cell in hex_board(int(board.get("side", 6))) if cell not in eyes]
    number = 0 if several_boards(box.game) else None
    colours: dict[Cell, str] = {}
    laid: list[Piece] = []
    kinds = [kind for kind in box.kinds.values() if kind.path is not None]
    for turn, kind in enumerate(_chosen(kinds)):
        cells = next(_places(kind, turn, free, colours), None)
        if cells is not None:
            colours |= dict.fromkeys(cells, kind.colour or "")
            laid.append(Piece(kind.name, cells, number))
    return Layout(pieces=frozenset(laid))


def _places(
    kind: TileKind, turn: int, free: Sequence[Cell], colours: Mapping[Cell, str]
) -> Iterator[tuple[Cell, ...]]:
    shape = [hex_turned(cell, turn) for cell in path_cells(kind.path or "1")]
    inside = set(free)
    for q, r in free:
        cells = tuple(sorted((q + a, r + b) for a, b in shape))
        if not inside.issuperset(cells) or any(cell in colours for cell in cells):
            continue
        around = {near for cell in cells for near in hex_neighbours(cell)}
        if all(colours.get(near) != kind.colour for near in around):
            yield cells


# --- what was seen -------------------------------------------------------------------------------


def _lying(tile: Mapping[str, Any], box: TileSet) -> Lying:
    name = str(tile.get("tile"))
    if "cells" in tile:
        return name, tuple(sorted((int(q), int(r)) for q, r in tile["cells"])), 0
    x, y = tile["at"]
    period = box[name].period if name in box else 4
    return name, ((int(x), int(y)),), int(tile.get("turns", 0)) % period


def _wanted(one: Placement | Piece, box: TileSet) -> Lying:
    if isinstance(one, Piece):
        return one.tile, tuple(sorted(one.cells)), 0
    return one.tile, (one.at,), one.turns % box[one.tile].period


def _ways(
    seen: Sequence[Lying], wanted: frozenset[Lying], box: TileSet
) -> Iterator[tuple[Lying, ...]]:
    """Yield the seen tiles as they are, and under every turn and shift that makes one of them fit.

    Tiles on a hex board are only turned, since the board fixes the origin.
    """
    yield tuple(seen)
    if box.lattice == "hex":
        for turns in range(1, 6):
            yield tuple(
                (tile, tuple(sorted(hex_turned(cell, turns) for cell in cells)), 0)
                for tile, cells, _ in seen
            )
        return
    for turns in range(4):
        laid = [_card_turned(one, turns, box) for one in seen]
        shifts = {
            (there[0] - here[0], there[1] - here[1])
            for tile, (here, *_), way in laid
            for other, (there, *_), facing in wanted
            if (tile, way) == (other, facing)
        }
        for dx, dy in sorted(shifts):
            yield tuple((tile, ((x + dx, y + dy),), way) for tile, ((x, y), *_), way in laid)


def _card_turned(one: Lying, turns: int, box: TileSet) -> Lying:
    tile, ((x, y), *_), way = one
    period = box[tile].period if tile in box else 4
    return tile, (turned((x, y), turns),), (way + turns) % period

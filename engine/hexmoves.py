"""Lists the legal moves of the hex games with bit sets of placements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.drills import SIDES, WIDEST_TURN, drill, heading_into, turns_back
from engine.game import Move
from engine.hexground import Choice
from engine.hexplacements import Placements, PlacementTable, placement_table
from engine.hexposition import HexPosition, spots_of
from engine.hexsnakes import touching
from engine.lattice import Cell


def legal_moves(position: HexPosition, player: str) -> list[Move]:
    """Return every placement that a player would have if it were their turn, in a stable order."""
    table = _table(position, player)
    moves: list[Move] = []
    for choice in _choices(position, player):
        if choice.drilled:
            moves += _drilled_moves(table, player, choice)
        else:
            board = choice.board if position.agreed.numbered else None
            moves += table.chosen(choice.placements, _flat_moves(table, player, board))
    return moves


def can_move(position: HexPosition, player: str) -> bool:
    """Say whether a player could lay a tile if it were their turn."""
    return any(choice.placements for choice in _choices(position, player))


def _drilled_moves(table: PlacementTable, player: str, choice: Choice) -> list[Move]:
    origin, to = ((end[0], end[1:]) if end else None for end in (choice.origin, choice.to))
    board = choice.board
    return [
        Move(player, "place", placed.shape, cells=placed.cells, board=board, origin=origin, to=to)
        for placed in table.chosen(choice.placements, table.placements)
    ]


@cache
def _flat_moves(table: PlacementTable, player: str, board: int | None) -> tuple[Move, ...]:
    return tuple(
        Move(player, "place", placed.shape, cells=placed.cells, board=board)
        for placed in table.placements
    )


def _table(position: HexPosition, player: str) -> PlacementTable:
    return placement_table(position.agreed.paths[player], position.agreed.side)


def _choices(position: HexPosition, player: str) -> Iterator[Choice]:
    agreed, table = position.agreed, _table(position, player)
    has = 0
    for shape in position.left[player]:
        if position.pieces or shape == "1" or not agreed.begins_with_1:
            has |= table.of_shape[shape]
    seat = position.players.index(player)
    for choice in position.ground.choices(seat, has, far_drill=agreed.far_drill):
        yield _going_on(position, player, table, choice) if agreed.advanced else choice


# --- the advanced game (ruling 5 of 5G) ----------------------------------------------------------


def _going_on(position: HexPosition, player: str, table: PlacementTable, choice: Choice) -> Choice:
    """Return the part of a choice in which no snake turns back at a drill."""
    own, drilled = position.own[player], position.drilled[player]
    ends = choice.drilled
    kept = choice.placements
    for end in ends:
        for heading in heading_into(end, own, drilled):
            kept &= table.singles | _leaving_towards(table, end[1:], heading)
    # Single hexes, and tiles beside a drilled hex without a body, are checked one by one.
    doubtful = _beside_bodiless(position, player, choice.board, table)
    if len(ends) > 1:
        doubtful |= table.singles
    elif ends:
        fit = position.ground.fit(position.players.index(player), choice.board)
        doubtful |= table.singles & fit.first_once
    turning_back = 0
    for number in table.chosen(kept & doubtful, range(len(table.placements))):
        tile = spots_of(choice.board, table.placements[number].cells)
        made = [drill((choice.board, *end[1:]), end) for end in ends]
        if turns_back(own.union(tile), position.drills[player].union(made), tile):
            turning_back |= table.only(number)
    return choice._replace(placements=kept & ~turning_back)


def _leaving_towards(table: PlacementTable, field: Cell, heading: int) -> Placements:
    """Return the longer tiles that leave a cell within 60 degrees of a heading."""
    found = 0
    for turn in range(-WIDEST_TURN, WIDEST_TURN + 1):
        found |= table.leaving[(heading + turn) % SIDES][field]
    return found


def _beside_bodiless(
    position: HexPosition, player: str, board: int, table: PlacementTable
) -> Placements:
    """Return the placements beside drilled hexes that have no neighbour on their own board."""
    own, found = position.own[player], 0
    for spot in position.drilled[player]:
        if spot[0] == board and not touching(spot, own):
            found |= table.touching[spot[1:]]
    return found

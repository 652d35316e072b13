"""Lists the legal moves of the hex games with bit sets of placements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from engine.drills import SIDES, WIDEST_TURN, boards_beside, drill, heading_into, turns_back
from engine.game import Move
from engine.hexplacements import Placements, PlacementTable, placement_table
from engine.hexposition import HexPosition, spots_of
from engine.hexsnakes import MOST_NEIGHBOURS, Spot, neighbours, touching
from engine.lattice import Cell, hex_neighbours


@dataclass(frozen=True, slots=True)
class Choice:
    """Placements on one board that are legal with the same drills."""

    board: int
    placements: Placements
    origin: Spot | None = None
    to: Spot | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """The placements of a player's remaining tiles on one board, by what they touch."""

    legal: Placements
    """Placements that are legal without a drill."""
    sound: Placements
    """Placements that leave every own snake sound, whether or not they touch other players."""
    first_once: Placements
    """Placements whose first end touches an own snake's end, at least once."""
    first_twice: Placements
    """Placements whose first end touches own snakes' ends at least twice."""
    last_once: Placements
    """Placements whose last end touches an own snake's end, at least once."""


def legal_moves(position: HexPosition, player: str) -> list[Move]:
    """Return every placement that a player would have if it were their turn, in a stable order."""
    table = _table(position, player)
    moves: list[Move] = []
    for choice in _choices(position, player):
        board = choice.board if position.agreed.numbered else None
        if choice.origin is None and choice.to is None:
            moves += table.chosen(choice.placements, _flat_moves(table, player, board))
        else:
            moves += _drilled_moves(table, player, choice)
    return moves


def can_move(position: HexPosition, player: str) -> bool:
    """Say whether a player could lay a tile if it were their turn."""
    return any(choice.placements for choice in _choices(position, player))


def _drilled_moves(table: PlacementTable, player: str, choice: Choice) -> list[Move]:
    origin, to = (
        None if spot is None else (spot[0], (spot[1], spot[2]))
        for spot in (choice.origin, choice.to)
    )
    return [
        Move(
            player,
            "place",
            placed.shape,
            cells=placed.cells,
            board=choice.board,
            origin=origin,
            to=to,
        )
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
    table = _table(position, player)
    has = 0
    for shape in position.left[player]:
        if position.pieces or shape == "1" or not position.agreed.begins_with_1:
            has |= table.of_shape[shape]
    if not has:
        return
    for board in range(position.agreed.boards):
        fit = _fit(position, player, board, table, has)
        for choice in _choices_on(position, player, board, table, fit):
            if position.agreed.advanced:
                yield _going_on(position, player, table, fit, choice)
            else:
                yield choice


def _fit(
    position: HexPosition, player: str, board: int, table: PlacementTable, has: Placements
) -> Fit:
    """Classify the placements on a board by what they touch (rulings 1 and 2 of Snekagon)."""
    own_spots, drilled = position.own[player], position.drilled[player]
    wrong = touches_others = 0
    for cell in position.agreed.eyes:
        wrong |= table.covering[cell]
    for spot in position.foreign(player):
        if spot[0] == board:
            cell = spot[1:]
            wrong |= table.covering[cell]
            touches_others |= table.touching[cell]
    ends: dict[Cell, bool] = {}
    for spot in own_spots:
        if spot[0] == board:
            joints = len(touching(spot, own_spots)) + len(drilled.get(spot, ()))
            if joints < MOST_NEIGHBOURS:
                ends[spot[1:]] = joints == 0
            else:
                wrong |= table.near[spot[1:]]
    first_once = first_twice = first_thrice = last_once = last_twice = 0
    for cell, is_lone in ends.items():
        first, last = table.first_touching[cell], table.last_touching[cell]
        first_thrice |= first_twice & first
        first_twice |= first_once & first
        first_once |= first
        last_twice |= last_once & last
        last_once |= last
        wrong |= table.covering[cell] | table.inner_touching[cell]
        # Both ends of a tile on one hex close a ring, but only a lone hex has room for both.
        wrong |= first & last & table.pairs if is_lone else first & last
        for beside in hex_neighbours(cell):
            if beside in ends:
                # A single hex that touches two neighbours makes a sharp turn.
                wrong |= first & table.first_touching[beside]
    wrong |= first_thrice | (first_twice & ~table.singles) | last_twice
    sound = has & ~wrong
    legal = sound & (first_once | last_once | ~touches_others)
    return Fit(legal, sound, first_once, first_twice, last_once)


# --- drills (rulings 2 and 3 of 5G) --------------------------------------------------------------


def _choices_on(
    position: HexPosition, player: str, board: int, table: PlacementTable, fit: Fit
) -> Iterator[Choice]:
    yield Choice(board, fit.legal)
    ends = _ends_beside(position, player, board)
    for end in ends:
        yield Choice(board, _onto(table, fit, end[1:]), origin=end)
    if not position.agreed.far_drill:
        return
    for end in ends:
        yield Choice(board, _onto(table, fit, end[1:]), to=end)
    for origin in ends:
        for to in ends:
            if origin != to:
                yield Choice(board, _onto_both(table, fit, origin[1:], to[1:]), origin, to)


def _ends_beside(position: HexPosition, player: str, board: int) -> list[Spot]:
    """Return the ends of a player's snakes on the boards adjacent to ``board``."""
    beside = boards_beside(board, position.agreed.boards)
    own, drilled = position.own[player], position.drilled[player]
    return sorted(
        spot
        for spot in own
        if spot[0] in beside and len(neighbours(spot, own, drilled)) < MOST_NEIGHBOURS
    )


def _onto(table: PlacementTable, fit: Fit, field: Cell) -> Placements:
    """Return the placements with an end on a drilled cell; the drill counts as a neighbour."""
    first, last = table.first_on[field], table.last_on[field]
    single = first & table.singles & ~fit.first_twice
    return fit.sound & (single | (first & ~fit.first_once) | (last & ~fit.last_once))


def _onto_both(table: PlacementTable, fit: Fit, field: Cell, far_field: Cell) -> Placements:
    """Return the placements that are drilled twice, from both ends or through a single hex."""
    if field == far_field:
        return fit.sound & table.first_on[field] & table.singles & ~fit.first_once
    either_way = (table.first_on[field] & table.last_on[far_field]) | (
        table.last_on[field] & table.first_on[far_field]
    )
    return fit.sound & either_way & ~fit.first_once & ~fit.last_once


# --- the advanced game (ruling 5 of 5G) ----------------------------------------------------------


def _going_on(
    position: HexPosition, player: str, table: PlacementTable, fit: Fit, choice: Choice
) -> Choice:
    """Return the part of a choice in which no snake turns back at a drill."""
    own, drilled = position.own[player], position.drilled[player]
    ends = [end for end in (choice.origin, choice.to) if end is not None]
    kept = choice.placements
    for end in ends:
        for heading in heading_into(end, own, drilled):
            kept &= table.singles | _leaving_towards(table, end[1:], heading)
    # Single hexes, and tiles beside a drilled hex without a body, are checked one by one.
    doubtful = _beside_bodiless(position, player, choice.board, table)
    if len(ends) > 1:
        doubtful |= table.singles
    elif ends:
        doubtful |= table.singles & fit.first_once
    turning_back = 0
    for placed in table.chosen(kept & doubtful, table.placements):
        tile = spots_of(choice.board, placed.cells)
        made = [drill((choice.board, *end[1:]), end) for end in ends]
        if turns_back(own.union(tile), position.drills[player].union(made), tile):
            turning_back |= table.alone(placed)
    return Choice(choice.board, kept & ~turning_back, choice.origin, choice.to)


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

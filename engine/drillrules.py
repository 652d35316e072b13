"""The rules that only Snekagon 5G has: eyes, drills, directions and clay, one function each.

Rulings are numbered as on the rulings page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.drills import boards_beside, turns_back
from engine.game import Move, Violation
from engine.hexposition import HexPosition, drilled_to, layout, spots_of
from engine.hexrules import at, tile_of
from engine.hexsnakes import Drill, Spot, is_end, tile_ends


def on_eye(position: HexPosition, tile: Iterable[Spot]) -> Iterator[Violation]:
    """No tile may lie on an eye."""
    eyes = [spot for spot in tile if spot[1:] in position.agreed.eyes]
    if eyes:
        yield at(position, "on-eye", eyes)


def bad_drills(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A snake drills from an end to the same cell of an adjacent board (ruling 3)."""
    if move.to is not None and not position.agreed.far_drill:
        yield at(position, "no-far-drill", [(move.to[0], *move.to[1])])
    if move.to is not None and move.to == move.origin:
        yield at(position, "drilled-twice", [(move.to[0], *move.to[1])])
    for end in dict.fromkeys(drilled_to(move)):
        yield from _bad_drill(position, move, end)


def _bad_drill(position: HexPosition, move: Move, end: Spot) -> Iterator[Violation]:
    player, board = move.player, move.board or 0
    own, drilled = position.own[player], position.drilled[player]
    tile = tile_ends(tile_of(move))
    if end not in own or not is_end(end, own, drilled):
        case = "middle" if end in own else ""
        yield at(position, "not-an-end", [end], case=case, colour=player)
    if board not in boards_beside(end[0], position.agreed.boards):
        here = [spot for spot in tile if spot[1:] == end[1:]] or tile
        case = "same" if end[0] == board else ""
        yield at(position, "boards-apart", [end, *here], case=case, **_boards(end[0], board))
    if end[1:] not in [spot[1:] for spot in tile]:
        inside = [spot for spot in tile_of(move) if spot[1:] == end[1:]]
        case = "middle" if inside else ""
        yield at(position, "other-field", [end, *(inside or tile)], case=case, colour=player)


def _boards(one: int, other: int) -> dict[str, str]:
    """Return the numbers of two boards for a sentence, counted from 1."""
    return {"one": str(one + 1), "other": str(other + 1)}


def against_direction(
    position: HexPosition, move: Move, made: Iterable[Drill]
) -> Iterator[Violation]:
    """In the advanced game a snake turns by at most 60 degrees over a drill (ruling 5)."""
    if not position.agreed.advanced:
        return
    tile = tile_of(move)
    own = position.own[move.player].union(tile)
    for row in turns_back(own, position.drills[move.player].union(made), tile):
        yield at(position, "against-direction", row, colour=move.player)


# --- a table as it lies --------------------------------------------------------------------------


def table_on_eyes(position: HexPosition) -> Iterator[Violation]:
    """Yield the tiles that lie on eyes."""
    for piece in position.pieces:
        yield from on_eye(position, spots_of(piece.board, piece.cells))


def table_drills(position: HexPosition) -> Iterator[Violation]:
    """Yield the impossible drills on the table, which a person allowed against the referee."""
    for player in position.players:
        for one, other in sorted(position.drills[player]):
            if one[1:] != other[1:]:
                yield at(position, "other-field", [one, other], colour=player)
            if other[0] not in boards_beside(one[0], position.agreed.boards):
                boards, case = _boards(one[0], other[0]), "same" if one[0] == other[0] else ""
                yield at(position, "boards-apart", [one, other], case=case, **boards)


def table_directions(position: HexPosition) -> Iterator[Violation]:
    """Yield where a snake turns back at a drill, in the advanced game."""
    for player in position.players if position.agreed.advanced else ():
        for row in turns_back(position.own[player], position.drills[player]):
            yield at(position, "against-direction", row, colour=player)


def table_clay(position: HexPosition) -> Iterator[Violation]:
    """Yield where clay is missing, wrong or marks nothing (ruling 4)."""
    wanted = {(piece.board, *piece.cell): piece.kind for piece in layout(position).clay}
    for spot in position.clay_amiss:
        # Where several sets of drills explain the clay, the wrong piece is not known.
        doubtful = position.taken.get(spot) in position.doubts
        yield at(position, "clay-amiss", [spot], case="" if doubtful else wanted.get(spot, "extra"))

"""The rules that both hex games share, one function each, which yields the violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from engine.game import Move, Rule, Violation
from engine.hexmoves import legal_moves
from engine.hexposition import HexPosition, spots_of
from engine.hexsnakes import BadContact, Drill, Spot, around, bad_contacts, drilled_from
from engine.sentences import rules_of

ON_ONE_BOARD = {rule.id: rule for rule in rules_of("snekagon")}
ON_SEVERAL_BOARDS = {rule.id: rule for rule in rules_of("snekagon5g")}


def rule(position: HexPosition, name: str) -> Rule:
    """Return a rule in the words of the game that is played."""
    return (ON_SEVERAL_BOARDS if position.agreed.numbered else ON_ONE_BOARD)[name]


def tile_of(move: Move) -> tuple[Spot, ...]:
    """Return the hexes of the tile that a move lays."""
    return spots_of(move.board, move.cells or ())


def none_left(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A player may lay only the tiles that are left in the own stock."""
    if move.tile not in position.left[move.player]:
        yield at(position, "none-left", tile_of(move), player=move.player)


def first_is_1(position: HexPosition, move: Move) -> Iterator[Violation]:
    """The first tile of the game is the single hex, if that was agreed."""
    if position.agreed.begins_with_1 and not position.pieces and move.tile != "1":
        tile = tile_of(move)
        yield at(position, "first-is-1", tile, n=str(len(tile)))


def off_board(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A tile lies on the board with all of its hexes."""
    out = [spot for spot in tile_of(move) if not position.agreed.is_on_board(spot[1:])]
    if out:
        yield at(position, "off-board", out)


def cell_taken(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A tile goes on empty hexes."""
    taken = [spot for spot in tile_of(move) if spot in position.taken]
    if taken:
        under = {position.taken[spot] for spot in taken}
        others = " and ".join(player for player in position.players if player in under)
        yield at(position, "cell-taken", taken, others=others)


def unsound_snakes(
    position: HexPosition, move: Move, made: Sequence[Drill] = ()
) -> Iterator[Violation]:
    """A snake may not touch itself, turn sharply, branch, or touch another of its player."""
    own, drilled = position.own[move.player], position.drilled[move.player]
    for bad in bad_contacts(own, drilled, tile_of(move), made):
        yield _bad_contact(position, bad, move.player)


def _bad_contact(position: HexPosition, bad: BadContact, colour: str) -> Violation:
    return at(position, bad.kind, bad.spots, case=bad.case, colour=colour)


def touches_only_opponent(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A tile may touch other players' tiles only if it touches an own tile too."""
    taken, player = position.taken, move.player
    met = [(new, old) for new in tile_of(move) for old in around(new) if old in taken]
    if not met or any(taken[old] == player for _, old in met):
        return
    others = [other for other in position.players if any(taken[old] == other for _, old in met)]
    spots = sorted({spot for contact in met for spot in contact})
    names = " and ".join(others)
    yield at(position, "touches-only-opponent", spots, colour=player, others=names)


def must_move(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A player who can lay a tile must; the violation points at one legal placement."""
    for way in legal_moves(position, move.player)[:1]:
        yield at(position, "must-move", tile_of(way), player=move.player)


# --- a table as it lies --------------------------------------------------------------------------


def unsound_table(position: HexPosition) -> Iterator[Violation]:
    """Yield the bad contacts of the snakes on the table, as if laid piece by piece."""
    for player in position.players:
        lying: set[Spot] = set()
        drills: set[Drill] = set()
        for piece in position.pieces:
            if piece.tile.partition("/")[0] != player:
                continue
            tile = spots_of(piece.board, piece.cells)
            made = [d for d in position.drills[player] if _joins(d, tile, lying)]
            for bad in bad_contacts(lying, drilled_from(drills), tile, made):
                yield _bad_contact(position, bad, player)
            lying.update(tile)
            drills.update(made)


def _joins(drill: Drill, tile: Iterable[Spot], lying: set[Spot]) -> bool:
    one, other = drill
    return (one in tile and other in lying) or (other in tile and one in lying)


def too_many(position: HexPosition) -> Iterator[Violation]:
    """Yield the tiles of which more lie on the table than the box has."""
    laid = Counter(piece.tile for piece in position.pieces)
    for tile, count in sorted(laid.items()):
        player = tile.partition("/")[0]
        if count > position.agreed.count(tile):
            spots = [
                spot
                for piece in position.pieces
                if piece.tile == tile
                for spot in spots_of(piece.board, piece.cells)
            ]
            yield at(position, "too-many", sorted(spots), player=player)


def at(
    position: HexPosition, name: str, spots: Iterable[Spot], *, case: str = "", **params: str
) -> Violation:
    """Return the violation of a rule, with its cells in the game's notation."""
    cells = tuple(position.agreed.point(spot) for spot in spots)
    return Violation(rule(position, name), cells, params, case=case)

"""The rules that both hex games share, one function each; a function yields what a move breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from engine.game import Move, Rule, Violation
from engine.hexposition import HexPosition, spots_of
from engine.hexsnakes import Drill, Spot, around, bad_contacts, drilled_from
from engine.sentences import snekagon as say

CONTACT_RULES = {
    rule.id: rule
    for rule in (say.TOUCHES_ITSELF, say.SHARP_TURN, say.BRANCHES, say.OWN_SNAKES_TOUCH)
}


def tile_of(move: Move) -> tuple[Spot, ...]:
    """Return the hexes of the tile that a move lays."""
    return spots_of(move.board, move.cells or ())


def not_your_turn(position: HexPosition, move: Move) -> Iterator[Violation]:
    """Players move in turn."""
    if move.player != position.to_move:
        yield Violation(say.NOT_YOUR_TURN, (), {"turn": position.to_move, "player": move.player})


def none_left(position: HexPosition, move: Move) -> Iterator[Violation]:
    """Each player has the tiles of his box, and no more."""
    if move.tile not in position.left[move.player]:
        yield at(position, say.NONE_LEFT, tile_of(move), player=move.player, tile=move.tile or "")


def first_is_1(position: HexPosition, move: Move) -> Iterator[Violation]:
    """The first tile of the game is the single hex, where that is played."""
    if position.agreed.begins_with_1 and not position.pieces and move.tile != "1":
        yield at(position, say.FIRST_IS_1, tile_of(move), tile=move.tile or "")


def off_board(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A tile lies on the board with all of its hexes."""
    out = [spot for spot in tile_of(move) if not position.agreed.is_on_board(spot[1:])]
    if out:
        yield at(position, say.OFF_BOARD, out)


def cell_taken(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A tile goes on empty hexes."""
    taken = [spot for spot in tile_of(move) if spot in position.taken]
    if taken:
        yield at(position, say.CELL_TAKEN, taken)


def unsound_snakes(
    position: HexPosition, move: Move, made: Sequence[Drill] = ()
) -> Iterator[Violation]:
    """A snake may not touch itself, turn sharply, branch, or touch another of its player."""
    own, drilled = position.own[move.player], position.drilled[move.player]
    for bad in bad_contacts(own, drilled, tile_of(move), made):
        yield at(position, CONTACT_RULES[bad.kind], bad.spots, player=move.player)


def touches_only_opponent(position: HexPosition, move: Move) -> Iterator[Violation]:
    """A new snake touches nothing; a tile that touches others' touches an own one too."""
    taken, player = position.taken, move.player
    met = [(new, old) for new in tile_of(move) for old in around(new) if old in taken]
    if not met or any(taken[old] == player for _, old in met):
        return
    others = [other for other in position.players if any(taken[old] == other for _, old in met)]
    spots = sorted({spot for contact in met for spot in contact})
    yield at(position, say.TOUCHES_ONLY_OPPONENT, spots, player=player, others=" and ".join(others))


# --- a table as it lies --------------------------------------------------------------------------


def unsound_table(position: HexPosition) -> Iterator[Violation]:
    """Yield what is wrong with the snakes that lie there, as if laid piece by piece."""
    for player in position.players:
        lying: set[Spot] = set()
        drills: set[Drill] = set()
        for piece in position.pieces:
            if piece.tile.partition("/")[0] != player:
                continue
            tile = spots_of(piece.board, piece.cells)
            made = [d for d in position.drills[player] if _joins(d, tile, lying)]
            for bad in bad_contacts(lying, drilled_from(drills), tile, made):
                yield at(position, CONTACT_RULES[bad.kind], bad.spots, player=player)
            lying.update(tile)
            drills.update(made)


def _joins(drill: Drill, tile: Iterable[Spot], lying: set[Spot]) -> bool:
    one, other = drill
    return (one in tile and other in lying) or (other in tile and one in lying)


def too_many(position: HexPosition) -> Iterator[Violation]:
    """Yield the tiles of which more lie there than a player has."""
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
            yield at(position, say.TOO_MANY, sorted(spots), player=player, tile=tile)


def at(position: HexPosition, rule: Rule, spots: Iterable[Spot], **params: str) -> Violation:
    """Return a broken rule with the cells to point at, as the game writes them."""
    return Violation(rule, tuple(position.agreed.point(spot) for spot in spots), params)

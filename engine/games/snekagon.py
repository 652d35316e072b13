"""Rule book of Snekagon, A. Španěl: the English rules, and rulings on what they leave open.

Two players build snakes from tiles on one board of hexes; the longest snake wins. Comments name
the rulings by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine import hexposition, hexrules, options
from engine.errors import RecordError
from engine.game import Change, Facts, Move, Start, Violation, not_your_turn
from engine.hexgame import HexGame
from engine.hexposition import Agreed, HexPosition
from engine.placement import Layout
from engine.sentences import options_of, rules_of, summary_of, why
from engine.tiles import TileSet

say = rules_of("snekagon")
TEXT = options_of("snekagon")

COLOURS = ("red", "green")


class Snekagon(HexGame):
    """The rule book."""

    facts = Facts(
        name="snekagon",
        title="Snekagon",
        lattice="hex",
        fewest_players=2,
        most_players=2,
        player_names=COLOURS,
        options=(options.flag("second_without_1", TEXT["second_without_1"]),),
        summary=summary_of("snekagon"),
        rules=tuple(say),
        actions=("place", "pass"),
        coloured_moves=False,
    )
    longest = why.LONGEST_SNAKE

    # --- opening ---------------------------------------------------------------------------

    def opening(self, start: Start, tile_set: TileSet) -> HexPosition:
        """Return the first position: an empty board, or the layout of a game in progress."""
        if any(piece.board for piece in start.layout.pieces):
            raise RecordError("setup", "Snekagon has only one board, so leave out the board")
        layout = Layout(
            pieces=frozenset(replace(piece, board=None) for piece in start.layout.pieces)
        )
        agreed = Agreed(tile_set, begins_with_1=True, without=_without(start))
        return hexposition.open_game(replace(start, layout=layout), agreed)

    # --- judge -----------------------------------------------------------------------------

    def broken_by_tile(self, position: HexPosition, move: Move) -> Iterator[Violation]:
        """Yield every rule that a laid tile breaks."""
        yield from not_your_turn(say.NOT_YOUR_TURN, position, move)
        yield from hexrules.none_left(position, move)
        yield from hexrules.first_is_1(position, move)
        yield from hexrules.off_board(position, move)
        on_a_tile = list(hexrules.cell_taken(position, move))
        yield from on_a_tile
        if not on_a_tile:
            # Contacts of an overlapping tile are not judged: the tile must be lifted anyway.
            yield from hexrules.unsound_snakes(position, move)
            yield from hexrules.touches_only_opponent(position, move)

    # --- the table -------------------------------------------------------------------------

    def inspect(self, position: HexPosition) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks."""
        return (*hexrules.unsound_table(position), *hexrules.too_many(position))

    def readings(self, position: HexPosition, change: Change) -> list[Move]:
        """Return the move that laid one tile."""
        return hexposition.laid_tile(position, change)


def _without(start: Start) -> frozenset[str]:
    """Return the single hex that the second player does not get (ruling 3)."""
    if not start.options.get("second_without_1", False):
        return frozenset()
    first, second = start.players
    if not start.layout.pieces and start.next == second:
        second = first
    return frozenset({f"{second}/1"})

"""Rule book of Snekagon 5G, A. Španěl and M. Veselý: the English rules, and rulings.

Two to five players build snakes on as many boards, which are floors of one space: a snake drills
from one board to the next. Comments cite the rulings of this game by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from engine import drillrules, hexposition, hexrules, options
from engine.drills import unlike
from engine.errors import RecordError
from engine.game import (
    Answer,
    Change,
    Facts,
    Json,
    Move,
    OpenQuestion,
    Option,
    Start,
    Violation,
    not_your_turn,
)
from engine.hexgame import HexGame
from engine.hexposition import Agreed, HexPosition
from engine.hexsnakes import Drill, tile_ends
from engine.lattice import Cell
from engine.placement import Clay
from engine.sentences import options_of, rules_of, summary_of, why
from engine.tiles import TileSet

say = rules_of("snekagon5g")
TEXT = options_of("snekagon5g")

COLOURS = ("blue", "red", "yellow", "green", "violet")
EYES = [[-1, -2], [3, -2]]
"""The default cells of the eyes (R), if neither the players nor the box define them."""
EYES_PER_BOARD = 2


def _parse_eyes(value: Json) -> Json:
    """Accept two different cells."""
    if (
        isinstance(value, list)
        and len(value) == EYES_PER_BOARD
        and all(isinstance(cell, list) and len(cell) == 2 for cell in value)
        and all(type(number) is int for cell in value for number in cell)
        and value[0] != value[1]
    ):
        return [list(cell) for cell in value]
    raise ValueError(f"must be two different cells, such as {EYES}")


class Snekagon5G(HexGame):
    """The rule book."""

    facts = Facts(
        name="snekagon5g",
        several_boards=True,
        title="Snekagon 5G",
        lattice="hex",
        fewest_players=2,
        most_players=5,
        player_names=COLOURS,
        options=(
            options.flag("advanced", TEXT["advanced"]),
            options.flag("far_drill", TEXT["far_drill"]),
            options.flag("single_opening", "The first tile of the game is the single hex."),
            Option("eyes", TEXT["eyes"], (EYES,), _parse_eyes, "cells"),
        ),
        summary=summary_of("snekagon5g"),
        rules=tuple(say),
        actions=("place", "pass"),
        coloured_moves=False,
        move_keys=("board", "from", "to"),
    )
    longest = why.LONGEST_SNAKE

    # --- opening ---------------------------------------------------------------------------

    def opening(self, start: Start, tile_set: TileSet) -> HexPosition:
        """Return the first position: empty boards, or a game in progress with drills from clay."""
        chosen = start.options
        eyes = chosen.get("eyes") or tile_set.extras.get("board", {}).get("eyes", EYES)
        agreed = Agreed(
            tile_set,
            len(start.players),
            True,
            frozenset((q, r) for q, r in eyes),
            begins_with_1=chosen.get("single_opening", False),
            advanced=chosen.get("advanced", False),
            far_drill=chosen.get("far_drill", False),
        )
        for q, r in agreed.eyes:
            if not agreed.is_on_board((q, r)):
                raise RecordError("options.eyes", f"the board has no cell [{q}, {r}]")
        return hexposition.open_game(start, agreed)

    # --- judge -----------------------------------------------------------------------------

    def broken_by_tile(self, position: HexPosition, move: Move) -> Iterator[Violation]:
        """Yield every rule that a laid tile breaks, and every rule that its drills break."""
        yield from not_your_turn(say.NOT_YOUR_TURN, position, move)
        yield from hexrules.none_left(position, move)
        yield from hexrules.first_is_1(position, move)
        yield from hexrules.off_board(position, move)
        yield from drillrules.on_eye(position, hexrules.tile_of(move))
        on_a_tile = list(hexrules.cell_taken(position, move))
        bad_drills = list(drillrules.bad_drills(position, move))
        yield from (*on_a_tile, *bad_drills)
        if on_a_tile:
            # Contacts of an overlapping tile are not judged: the tile must be lifted anyway.
            return
        if not hexposition.drilled_to(move):
            yield from hexrules.touches_only_opponent(position, move)
        # An impossible drill joins nothing; only its own violation is reported.
        made = [] if bad_drills else hexposition.drills_made(move)
        yield from hexrules.unsound_snakes(position, move, made)
        yield from drillrules.against_direction(position, move, made)

    # --- the table -------------------------------------------------------------------------

    def inspect(self, position: HexPosition) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks."""
        return (
            *hexrules.unsound_table(position),
            *hexrules.too_many(position),
            *drillrules.table_on_eyes(position),
            *drillrules.table_drills(position),
            *drillrules.table_directions(position),
            *drillrules.table_clay(position),
        )

    def questions(self, position: HexPosition) -> tuple[OpenQuestion, ...]:
        """Ask which boards a snake goes between, where the clay is ambiguous."""
        return tuple(self._questions(position))

    def _questions(self, position: HexPosition) -> Iterator[OpenQuestion]:
        for player, ways in position.doubts.items():
            answers = []
            for way in ways:
                drilled = replace(position, drills={**position.drills, player: way}, grown=None)
                scores = hexposition.outcome(drilled, why.LONGEST_SNAKE, over=False).scores
                answers.append(Answer(_in_words(way), scores))
            question = f"Between which boards do the {player} snakes escape, from left to right?"
            cells = tuple(sorted({spot for way in ways for drill in way for spot in drill}))
            yield OpenQuestion(question, tuple(answers), cells)

    def readings(self, position: HexPosition, change: Change) -> list[Move]:
        """Return the moves that laid one tile and fit the clay best, legal moves first."""
        moves = [
            drilled
            for flat in hexposition.laid_tile(position, change)
            for drilled in _with_drills(position, flat, change.laid.clay)
        ]
        fits = {move: self._clay_unlike(position, move, change) for move in moves}
        if change.laid.clay:
            best = min(fits.values(), default=0)
            moves = [move for move in moves if fits[move] == best]
        return sorted(moves, key=lambda m: (not self.judge(position, m).legal, fits[m]))

    def _clay_unlike(self, position: HexPosition, move: Move, change: Change) -> int:
        """Return in how many cells the clay on the table differs from the clay after a move."""
        before, after = self.layout(position).clay, self.layout(self.apply(position, move)).clay
        return len(unlike(after, (before - change.lifted.clay) | change.laid.clay))


def _in_words(way: Iterable[Drill]) -> str:
    """Return drills as an answer: their boards, counted from 1, by cell from left to right."""
    ordered = sorted(way, key=lambda drill: (2 * drill[0][1] + drill[0][2], drill))
    return ", ".join(f"boards {one[0] + 1} and {other[0] + 1}" for one, other in ordered) or "none"


# --- readings ------------------------------------------------------------------------------------


def _with_drills(position: HexPosition, flat: Move, clay: Iterable[Clay]) -> Iterator[Move]:
    """Yield a move without a drill, and with every drill that the table may show."""
    tile = set(hexrules.tile_of(flat))
    own = position.own[flat.player]
    fields = {end[1:] for end in tile_ends(tile)}
    marked = {(piece.board, *piece.cell) for piece in clay}
    ends: list[tuple[int, Cell]] = [
        (spot[0], spot[1:])
        for spot in sorted(own)
        if spot[0] != flat.board and (spot[1:] in fields or spot in marked)
    ]
    yield flat
    for origin in ends:
        yield replace(flat, origin=origin)
    if position.agreed.far_drill:
        # The two drills of a tile are interchangeable on the table, so one order is enough.
        for origin, to in product(ends, ends):
            if origin < to:
                yield replace(flat, origin=origin, to=to)

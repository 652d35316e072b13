"""How a table stands, built from the lines of its log, incrementally.

The table's referee has judged the moves, so they are replayed here and not judged again. Tables are
not trusted: callers treat lines that cannot be replayed (``BROKEN``) as a broken game.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from companion_app.boxes import box_on_the_table
from companion_app.hall.line.message import shown_name
from companion_app.live.log_line import Line
from companion_app.web.drawing.table import draw_table
from companion_app.web.snapshot import GAME_COLOURS
from companion_app.web.speech import Speech
from engine.draw.palette import coat
from engine.errors import EngineError
from engine.game import AnyGame, Move, Place, Start
from engine.placement import Layout
from engine.record import parse_move, parse_record
from engine.tiles import TileSet

BROKEN = (
    EngineError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RuntimeError,
)
"""Exceptions that replaying lines may raise when they do not make a game."""
MOST_LINES = 5000
"""Lines of one game at most; the longest that people play has some 300."""
Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Foul:
    """An announced foul that still lies on the table."""

    number: int
    n: int
    player: str
    rules: tuple[str, ...]


class GameSoFar:
    """One game of one table, replayed as far as its lines are known."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Replay a game from its first line.

        Raises:
            One of ``BROKEN``, where the lines make no game.
        """
        self.number = 0
        """Number of the last line that was replayed."""
        self.names: dict[str, str] = {}
        self.foul: Foul | None = None
        self.hand = 0
        """Number of the line that raised a hand which is still up; 0 for none."""
        self.ended = False
        self.moves: list[Move] = []
        begun = next((line for line in lines if line.kind == "started"), None)
        if begun is None:
            raise ValueError("the game has no beginning")
        self._begin(begun.body["record"])
        self._changes: list[tuple[int, Callable[[], None]]] = []
        self._lines = 0
        self.add(lines)

    def add(self, lines: Iterable[Line]) -> None:
        """Replay the next lines."""
        for line in lines:
            self._lines += 1
            if self._lines > MOST_LINES:
                raise ValueError("no game of people is that long")
            self._take(line)
            self.number = line.seq

    # --- lines -----------------------------------------------------------------------------

    def _take(self, line: Line) -> None:
        body = line.body
        if line.kind == "moves":
            self.foul = None
            self._play([self._move(entry) for entry in body["moves"]], line.seq)
        elif line.kind == "taken-back":
            self.foul = None
            self._change(line.seq, self.moves[: len(self.moves) - int(body["count"])])
        elif line.kind == "corrected":
            moves = list(self.moves)
            moves[int(body["n"]) - 1] = self._move(body["move"])
            self._change(line.seq, moves)
        elif line.kind == "restarted":
            self._remember(line.seq)
            self._begin(body["record"])
            self.moves = []
        elif line.kind == "undone":
            self.foul = None
            self._undo(int(body["after"]))
        else:
            self._note(line)

    def _note(self, line: Line) -> None:
        body = line.body
        if line.kind == "foul":
            rules = tuple(str(one["rule"]) for one in body["violations"])
            self.foul = Foul(line.seq, int(body["n"]), str(body["move"]["player"]), rules)
        elif line.kind == "foul-taken-back":
            self.foul = None
        elif line.kind == "names":
            self.names = {str(who): shown_name(str(name)) for who, name in body["names"].items()}
        elif line.kind == "hand":
            self.hand = line.seq if body.get("raised") is True else 0
        elif line.kind in ("ended", "reopened"):
            self.ended = line.kind == "ended"
            self.foul = None

    def _begin(self, record: Any) -> None:
        parsed = parse_record(record)
        self.game: AnyGame = parsed.game
        self.start: Start = parsed.start
        self.box: TileSet = box_on_the_table(parsed)
        self.position = self.game.opening(self.start, self.box)

    def _move(self, entry: Any) -> Move:
        return parse_move(self.game, self.box, self.start.players, entry, "moves")

    def _play(self, moves: list[Move], seq: int) -> None:
        before = len(self.moves)

        def back() -> None:
            del self.moves[before:]

        self._changes.append((seq, back))
        for move in moves:
            self.position = self.game.apply(self.position, move)
        self.moves += moves

    def _change(self, seq: int, moves: list[Move]) -> None:
        self._remember(seq)
        self.moves = moves
        self._replay()

    def _replay(self) -> None:
        self.position = self.position_after(len(self.moves))

    def position_after(self, count: int) -> Any:
        """Return the position after the first ``count`` moves."""
        position = self.game.opening(self.start, self.box)
        for move in self.moves[:count]:
            position = self.game.apply(position, move)
        return position

    # --- undoing ---------------------------------------------------------------------------

    def _remember(self, seq: int) -> None:
        """Save the state before a line that does more than append moves, for ``_undo``."""
        start, box, moves = self.start, self.box, self.moves

        def back() -> None:
            self.start, self.box, self.moves = start, box, moves

        self._changes.append((seq, back))

    def _undo(self, after: int) -> None:
        while self._changes and self._changes[-1][0] > after:
            self._changes.pop()[1]()
        self._replay()

    # --- saying it -------------------------------------------------------------------------

    def document(self) -> Doc:
        """Return the standing as JSON, independent of the reader's language."""
        facts, players = self.game.facts, self.start.players
        outcome = self.game.outcome(self.position)
        over = outcome.over or self.ended
        turn = None if over else self.position.to_move
        known = [score for score in outcome.scores.values() if score is not None]
        best = max(known, default=None)
        winners = outcome.winners or [
            player for player in players if over and known and outcome.scores[player] == best
        ]
        return {
            "game": facts.name,
            "title": facts.title,
            "players": [
                {
                    "id": player,
                    "name": self.names.get(player, ""),
                    "coloured": player in self.box.colours,
                    "colour": colour_of(self.box, players, player),
                    "score": outcome.scores.get(player),
                    "turn": player == turn,
                    "winner": player in winners,
                }
                for player in players
            ],
            "moves": len(self.moves),
            "over": over,
            "foul": None
            if self.foul is None
            else {
                "number": self.foul.number,
                "n": self.foul.n,
                "player": self.foul.player,
                "rules": list(self.foul.rules),
            },
            "hand": self.hand,
            "drawing": self.drawing_mark(),
        }

    def drawing_mark(self) -> str:
        """Return a checksum of what the drawing shows; it changes when a new drawing is needed."""
        layout = self.game.layout(self.position)
        seen = (repr(layout.placements()), repr(self.moves[-1:]))
        return f"{zlib.crc32(repr(seen).encode()):08x}"

    def drawing(self, speech: Speech, count: int | None = None, instead: Move | None = None) -> str:
        """Return the table as SVG after ``count`` moves (all), the last replaced by ``instead``."""
        upto = len(self.moves) if count is None else max(0, min(count, len(self.moves)))
        moves = self.moves[:upto]
        position = self.position if upto == len(self.moves) else self.position_after(upto)
        if instead is not None:
            moves[-1:] = [instead]
            position = self.game.apply(self.position_after(upto - 1), instead)
        layout: Layout = self.game.layout(position)
        return draw_table(
            self.box,
            layout,
            self.start.players,
            label=speech.labels(layout, self.box),
            names=[speech.player(player) for player in self.start.players],
            last=self._last(moves),
            board_word=speech.page("board"),
            title=self.game.facts.title,
        )

    def _last(self, moves: Sequence[Move]) -> list[Place]:
        """Return the places of the last move that left something on the table."""
        several = self.game.facts.several_fields or self.game.facts.several_boards
        for move in reversed(moves):
            if move.cells is not None:
                return [(move.board or 0, *cell) if several else cell for cell in move.cells]
            if move.at is not None:
                field = list(self.start.players).index(move.snake or move.player)
                return [(field, *move.at) if several else move.at]
        return []


def colour_of(box: TileSet, players: Sequence[str], player: str) -> str:
    """Return a player's colour as a CSS value."""
    if player in box.colours:
        return coat(player, box.colours).base
    return GAME_COLOURS[list(players).index(player) % len(GAME_COLOURS)]

"""Answers to the questions that the machine's process gets: JSON in, JSON out.

A question carries everything it needs (a record, a hand that lies open, a level), so that the
process has no state to lose. Records come from the table, where people may let a foul stand: moves
are replayed as they were made, and are not judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion_app.boxes import box_on_the_table
from companion_app.seat.reasons import reasons
from engine.errors import RecordError
from engine.game import Json, Move
from engine.play import HIGHEST, Budget, Seat, Thought, think
from engine.play.analysis import analyse
from engine.record import Record, move_to_json, parse_record

Doc = Mapping[str, Any]
Answer = dict[str, Json]
SECONDS = 1.0
"""Seconds to think about a move at most; lower levels look less far."""
SHOWN_MOVES = 8
HINTS = 3
ANALYSIS_LOOKS = 16
"""Looks for each question about a position; a game of 40 moves then takes some ten seconds."""
MOST_MOVES = 400
"""Longest game that is analysed, in moves; games that people play are shorter."""


@dataclass(frozen=True, slots=True)
class Table:
    """A game as it stands, and the hands that the machine may know."""

    record: Record
    position: Any
    hands: Mapping[str, tuple[str, ...]]

    def thought(self, level: int, stop: Callable[[], bool]) -> Thought:
        """Return the result of thinking at a level."""
        budget = Budget(seconds=SECONDS, stop=stop)
        seed = len(self.record.moves)
        return think(self.record.game, self.position, Seat(self.hands), budget, level, seed)


def table_of(body: Doc, folders: Iterable[Path]) -> Table:
    """Return the table that a question describes.

    Raises:
        RecordError: its record is not a game.
    """
    record = parse_record(body["record"], folders)
    record = replace(record, tile_set=box_on_the_table(record))
    position = record.game.opening(record.start, record.tile_set)
    for move in record.moves:
        position = record.game.apply(position, move)
    hands = {str(who): tuple(map(str, held)) for who, held in (body.get("hands") or {}).items()}
    return Table(record, position, hands)


def move_wanted(body: Doc, folders: Iterable[Path], stop: Callable[[], bool]) -> Answer:
    """Return the moves that the machine would make, best first, or what it must know first."""
    table = table_of(body, folders)
    try:
        thought = table.thought(_level(body), stop)
    except RecordError as error:
        if error.place != "hand":
            raise
        return {"moves": [], "needs": "hand"}
    return _thought_to_json(thought)


def hints(body: Doc, folders: Iterable[Path], stop: Callable[[], bool]) -> Answer:
    """Return up to three moves worth trying, each with its reasons.

    Raises:
        RecordError: nobody can hold the hand that was told.
    """
    table = table_of(body, folders)
    try:
        thought = table.thought(HIGHEST, stop)
    except RecordError as error:
        if error.place != "hand" or table.hands:
            raise
        return {"moves": [], "needs": "hand"}
    answer = _thought_to_json(thought)
    game, box = table.record.game, table.record.tile_set
    answer["moves"] = [
        {**said, "why": reasons(game, box, table.position, idea.move)}
        for said, idea in zip(answer["moves"], thought.ideas, strict=False)
    ][:HINTS]
    return answer


def replies(table: Table, most: int) -> list[Move]:
    """Return the likeliest moves of the player whose turn it is, by a short search at level 3."""
    budget = Budget(seconds=SECONDS / 2)
    try:
        thought = think(table.record.game, table.position, Seat(table.hands), budget, level=3)
    except RecordError:
        # The hand is hidden, so no move can be predicted.
        return []
    return [idea.move for idea in thought.ideas[:most]]


def looked_over(body: Doc, folders: Iterable[Path], step: Callable[[], None]) -> Answer:
    """Return the analysis of a game: the value of every move, turning points, luck and skill."""
    table = table_of(body, folders)
    record = table.record
    if len(record.moves) > MOST_MOVES:
        raise RecordError("moves", f"are more than {MOST_MOVES}")
    seen = analyse(record, ANALYSIS_LOOKS, told=lambda _: step())
    return {
        "players": {
            who: {"luck": round(seen.luck(who), 4), "skill": round(seen.skill(who), 4)}
            for who in record.start.players
        },
        "moves": [
            {
                "n": number,
                "player": one.move.player,
                "before": _rounded(one.before),
                "after": _rounded(one.after),
                "luck": round(one.luck, 4),
                "skill": round(one.skill, 4),
                "best": move_to_json(one.best[0]) if one.best else None,
                "turning": number - 1 in seen.turning,
            }
            for number, one in enumerate(seen.steps, start=1)
        ],
    }


def _level(body: Doc) -> int:
    return max(1, min(HIGHEST, int(body.get("level", HIGHEST))))


def _thought_to_json(thought: Thought) -> Answer:
    return {
        "moves": [
            {"move": move_to_json(one.move), "value": round(one.value, 4)}
            for one in thought.ideas[:SHOWN_MOVES]
        ],
        "expected": _rounded(thought.expected),
        "needs": thought.needs,
    }


def _rounded(expected: Mapping[str, float]) -> dict[str, float]:
    return {who: round(value, 4) for who, value in expected.items()}

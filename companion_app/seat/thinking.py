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
from engine.play.analysis import Analysis, Figure, Step, analyse
from engine.record import Record, move_to_json, parse_record

Doc = Mapping[str, Any]
Answer = dict[str, Json]
SECONDS = 1.0
"""Seconds to think about a move at most; lower levels look less far."""
SHOWN_MOVES = 8
HINTS = 3
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
    seen = analyse(record, told=lambda _: step())
    return {
        "players": {who: figures_of(seen, who) for who in record.start.players},
        "moves": [
            {
                "n": number,
                "player": one.move.player,
                **step_to_json(one),
                "best": move_to_json(one.best) if one.best else None,
                "turning": number - 1 in seen.turning,
            }
            for number, one in enumerate(seen.steps, start=1)
        ],
    }


def figures_of(seen: Analysis, player: str) -> dict[str, Json]:
    """Return a player's luck and skill; 0 where the draws cannot make them sure."""
    return figure_to_json("luck", seen.luck(player)) | figure_to_json("skill", seen.skill(player))


def step_to_json(step: Step) -> dict[str, Json]:
    """Return the figures of one move, each with its interval."""
    who = step.move.player
    values = {"before": step.before, "after": step.after}
    around = zip(values.items(), step.margins, strict=True)
    return (
        {name: _rounded(expected) for name, expected in values.items()}
        | {
            f"{name}_interval": [max(0.0, round(at[who] - m, 4)), min(1.0, round(at[who] + m, 4))]
            for (name, at), m in around
        }
        | figure_to_json("luck", step.luck)
        | figure_to_json("skill", step.skill)
    )


def figure_to_json(name: str, figure: Figure) -> dict[str, Json]:
    """Return a figure and its interval; the figure is 0 where it is not sure."""
    interval = [round(end, 4) for end in figure.interval]
    return {name: round(figure.told, 4), f"{name}_interval": interval}


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

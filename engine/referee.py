"""Referee for written games: replays a record, lists moves, counts sequences, scores a table.

The answers are plain JSON values in the form that the command line prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import RecordError
from engine.game import (
    AnyGame,
    Facts,
    Json,
    Move,
    Outcome,
    Position,
    ScoreLine,
    Start,
    Violation,
)
from engine.record import Record, move_to_json
from engine.tiles import TileSet


@dataclass(frozen=True, slots=True)
class Replay:
    """A record replayed to its end or to its first illegal move."""

    position: Any
    verdicts: tuple[tuple[Violation, ...] | None, ...]
    """For each move the rules it breaks; ``None`` for moves after an illegal one."""

    @property
    def illegal(self) -> int | None:
        """Return the number of the first illegal move, if there is one."""
        return next((i for i, broken in enumerate(self.verdicts) if broken), None)


def replay(record: Record) -> Replay:
    """Judge a record move by move."""
    game = record.game
    position = game.opening(record.start, record.tile_set)
    verdicts: list[tuple[Violation, ...] | None] = []
    for move in record.moves:
        if verdicts and (verdicts[-1] is None or verdicts[-1]):
            verdicts.append(None)
            continue
        broken = game.judge(position, move).violations
        verdicts.append(broken)
        if not broken:
            position = game.apply(position, move)
    return Replay(position, tuple(verdicts))


def referee_record(record: Record) -> dict[str, Json]:
    """Return the verdict on every move of a record, and its outcome."""
    played = replay(record)
    moves = [_verdict_to_json(broken) for broken in played.verdicts]
    return {"moves": moves} | outcome_to_json(record.game.outcome(played.position))


def series_of(games: list[dict[str, Json]]) -> dict[str, Json]:
    """Return the referee's answers to several games, and the players' totals."""
    totals: dict[str, Json] = {}
    for game in games:
        for player, score in game["scores"].items():
            known = totals.get(player, 0)
            totals[player] = None if score is None or known is None else known + score
    return {"games": games, "totals": totals}


def moves_at_end(record: Record) -> list[Move]:
    """Return the legal moves at the end of a record.

    Raises:
        RecordError: the record holds an illegal move.
    """
    return record.game.legal_moves(position_at_end(record))


def position_at_end(record: Record) -> Any:
    """Return the position at the end of a legal record.

    Raises:
        RecordError: the record holds an illegal move.
    """
    played = replay(record)
    if played.illegal is not None:
        broken = played.verdicts[played.illegal] or ()
        text = " ".join(violation.text for violation in broken)
        raise RecordError(f"moves[{played.illegal}]", f"is illegal: {text}")
    return played.position


def perft(game: AnyGame, position: Position, depth: int) -> int:
    """Count the sequences of ``depth`` legal moves; a game that ends earlier is one sequence."""
    if depth == 0:
        return 1
    moves = game.legal_moves(position)
    if not moves:
        return 1
    if depth == 1:
        return len(moves)
    return sum(perft(game, game.apply(position, move), depth - 1) for move in moves)


def score_table(game: AnyGame, tile_set: TileSet, start: Start) -> dict[str, Json]:
    """Return the scores of a table, the rules it breaks, and the open questions."""
    position = game.opening(start, tile_set)
    return outcome_to_json(game.outcome(position)) | {
        "violations": [violation_to_json(broken) for broken in game.inspect(position)],
        "open": [
            {
                "question": question.question,
                "answers": [
                    {"answer": answer.answer, "scores": dict(answer.scores)}
                    for answer in question.answers
                ],
                "cells": [list(cell) for cell in question.cells],
            }
            for question in game.questions(position)
        ],
    }


def outcome_to_json(outcome: Outcome) -> dict[str, Json]:
    """Return an outcome as JSON: scores, their lines, and the winners once the game is over."""
    return {
        "scores": dict(outcome.scores),
        "lines": {
            player: [_line_to_json(line) for line in lines]
            for player, lines in outcome.lines.items()
        },
        "over": outcome.over,
        "winners": list(outcome.winners),
    }


def violation_to_json(violation: Violation) -> dict[str, Json]:
    """Return a violation as JSON: the rule, its sentence and the cells."""
    entry: dict[str, Json] = {
        "rule": violation.rule.id,
        "text": violation.text,
        "cells": [list(cell) for cell in violation.cells],
    }
    return entry if violation.snake is None else entry | {"snake": violation.snake}


def rules_to_json(facts: Facts) -> dict[str, Json]:
    """Return the summary of a game, its rules with ids and sources, and its options."""
    rules = [
        {
            "id": rule.id,
            "text": rule.text,
            "source": rule.source,
            "rulings": list(rule.rulings),
        }
        for rule in facts.rules
    ]
    options = [
        {"name": o.name, "default": o.default, "values": list(o.values), "text": o.text}
        for o in facts.options
    ]
    return {"summary": asdict(facts.summary), "rules": rules, "options": options}


def moves_to_json(moves: Iterable[Move]) -> dict[str, Json]:
    """Return a list of moves in the record's form."""
    return {"moves": [move_to_json(move) for move in moves]}


def _verdict_to_json(broken: tuple[Violation, ...] | None) -> Mapping[str, Json]:
    if broken is None:
        return {"legal": None, "violations": []}
    return {"legal": not broken, "violations": [violation_to_json(v) for v in broken]}


def _line_to_json(line: ScoreLine) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "points": line.points,
        "why": line.why,
        "cells": [list(cell) for cell in line.cells],
    }
    return entry if line.snake is None else entry | {"snake": line.snake}

"""What the page shows right now, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from companion_app.live.hindrance import Hindrance
from companion_app.live.match import Match
from companion_app.live.places import Spot
from companion_app.live.questions import question_to_json
from companion_app.live.referee import Referee
from engine.game import Json
from engine.record import layout_to_json, move_to_json
from engine.referee import outcome_to_json, violation_to_json


@dataclass(frozen=True)
class Snapshot:
    """One moment of a match; every field is a JSON value."""

    t: float
    state: str
    match: str
    game: str
    set: str
    players: list[str]
    options: Mapping[str, Json]
    turn: str | None
    """Who is to move; ``None`` once it is over."""
    moves: int
    last: Mapping[str, Json] | None
    """The last accepted move with its number and the log line that has its picture."""
    foul: Mapping[str, Json] | None
    """An announced foul that still lies there."""
    questions: list[Mapping[str, Json]]
    table: Mapping[str, Json]
    covered: list[list[int]]
    """Spots of known tiles that are covered: field or board, then the cell."""
    unsure: list[list[int]]
    scores: Mapping[str, int | None]
    lines: Mapping[str, Any]
    over: bool
    winners: list[str]
    why: Mapping[str, Json] | None = None
    """What has kept the referee from a verdict for a while: ``what`` and its ``spots``."""

    def to_json(self) -> dict[str, Json]:
        """Return it as one JSON object."""
        return asdict(self)


def take_snapshot(
    referee: Referee, state: str, t: float, covered: frozenset[Spot] = frozenset(),
    unsure: frozenset[Spot] = frozenset(), why: Hindrance | None = None,
) -> Snapshot:  # fmt: skip
    """Return how a match stands."""
    match = referee.match
    outcome = outcome_to_json(match.game.outcome(match.position))
    return Snapshot(
        round(t, 3), state, match.key, match.game.facts.name, match.box.name,
        list(match.start.players), dict(match.start.options),
        None if outcome["over"] else match.position.to_move, len(match.accepted),
        _last(match), _foul(referee),
        [question_to_json(question, match) for question in referee.questions.values()],
        layout_to_json(match.layout), sorted(map(list, covered)), sorted(map(list, unsure)),
        outcome["scores"], outcome["lines"], outcome["over"], outcome["winners"],
        None if why is None else why.to_json(),
    )  # fmt: skip


def _last(match: Match) -> Mapping[str, Json] | None:
    if not match.accepted:
        return None
    last = match.accepted[-1]
    return {"n": len(match.accepted), "move": move_to_json(last.move), "seq": last.seq}


def _foul(referee: Referee) -> Mapping[str, Json] | None:
    pending = referee.pending
    if pending is None:
        return None
    return {
        "n": pending.n, "move": move_to_json(pending.move), "seq": pending.seq,
        "violations": [violation_to_json(broken) for broken in pending.violations],
    }  # fmt: skip

"""Where a move leaves something on the table."""

from __future__ import annotations

from collections.abc import Sequence

from companion_app.live.match import Match
from engine.game import Move, Place


def last_cells(move: Move, match: Match) -> list[Place]:
    """Return the places of a move, with the number of the field or board in front."""
    if move.cells is not None:
        return [(move.board or 0, *cell) for cell in move.cells]
    if move.at is None:
        return []
    players: Sequence[str] = match.start.players
    fields = match.game.facts.several_fields
    return [(players.index(move.snake or move.player) if fields else 0, *move.at)]

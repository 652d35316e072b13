"""A game of one phone against the machine: dealt, rolled and drawn here, stored by the client.

A question carries the whole game: its start, the seed of everything hidden, and all moves. So the
process may restart between two questions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion_app.boxes import box_on_the_table
from companion_app.refusal import Refusal
from companion_app.spread import spread
from engine.game import Json, Move
from engine.play import HIGHEST, Budget, think
from engine.play.dealing import Dealer
from engine.record import Record, move_to_json, parse_move, parse_record

SECONDS = 0.5
MOST_MOVES = 600


def played_on(
    body: Mapping[str, Any], folders: Iterable[Path], step: Callable[[], None]
) -> dict[str, Json]:
    """Return a game after a person's move and all that the machine does until it is his turn again.

    Raises:
        Refusal: the move breaks a rule, or cannot be made with what he holds.
        RecordError: it is no game, or no move.
    """
    record = parse_record(body["record"], folders)
    record = replace(record, tile_set=box_on_the_table(record), moves=())
    table = Dealer(record.game, record.start, record.tile_set, random.Random(int(body["seed"])))
    for written in body["moves"][:MOST_MOVES]:
        table.make(_move(record, written))
    seat = str(body["seat"])
    if body.get("move") is not None:
        table.make(_chosen(table, record, seat, body["move"]))
    level = max(1, min(HIGHEST, int(body["level"])))
    while not table.is_over and len(table.moves_made) < MOST_MOVES:
        step()
        if table.turn_up() is not None:
            continue
        move = _only_one(table) if table.position.to_move == seat else _machines(table, level)
        if move is None:
            break
        table.make(move)
    return {
        "moves": [move_to_json(move) for move in table.moves_made],
        "hand": list(table.hand(seat)),
        "legal": []
        if table.is_over
        else [move_to_json(move) for move in spread(table.legal_moves())],
        "over": table.is_over,
    }


def _move(record: Record, written: Any) -> Move:
    return parse_move(record.game, record.tile_set, record.start.players, written, "moves")


def _chosen(table: Dealer, record: Record, seat: str, written: Any) -> Move:
    """Return the person's move, judged by the rule book and by what he holds."""
    move = _move(record, {**written, "player": seat} if isinstance(written, dict) else written)
    if move in table.legal_moves():
        return move
    raise Refusal(code="against-rules", status=409)


def _only_one(table: Dealer) -> Move | None:
    """Return the person's only move where it needs no decision, so that nobody taps on a pass."""
    legal = table.legal_moves()
    return legal[0] if len(legal) == 1 and legal[0].do in ("pass", "finale", "discard") else None


def _machines(table: Dealer, level: int) -> Move | None:
    budget = Budget(seconds=SECONDS)
    seed = len(table.moves_made)
    return think(table.game, table.position, table.seat(), budget, level, seed).best

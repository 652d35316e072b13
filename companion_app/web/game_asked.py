"""The game that a request names: game, set, players and options, checked by its rule book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion_app.boxes import some_players
from companion_app.web.context import companion
from companion_app.web.serving.errors import BadRequest
from engine.asked import check_start
from engine.errors import RecordError
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set, parse_options, parse_players


def record_begun(sent: Mapping[str, Any]) -> Record:
    """Return the record of a game that begins now, with an empty table."""
    record = _record(sent, sent.get("set"), sent.get("players"))
    record.game.opening(record.start, record.tile_set)
    return record


def record_asked(sent: Mapping[str, Any]) -> Record:
    """Return the record of a game to come; players and set that were not sent get defaults."""
    some = list(some_players(game_named(sent.get("game"))))
    players = some if sent.get("players") is None else sent["players"]
    record = _record(sent, sent.get("set") or None, players)
    try:
        record.game.opening(record.start, record.tile_set)
    except RecordError as error:
        # Ignore a missing setup: the tiles of the border may lie on the table that is read next.
        if error.place != "setup":
            raise
    return record


def _record(sent: Mapping[str, Any], set_name: Any, listed: Any) -> Record:
    game = game_named(sent.get("game"))
    box = find_set(game, set_name, companion().place.set_folders)
    players, options = parse_players(game, listed, "players"), sent.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options is an object")
    start = Start(players, parse_options(game, options, "options"))
    check_start(game, box, start)
    return Record(game, box, start)

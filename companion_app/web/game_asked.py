"""The game that a request names: game, set, players and options, checked by its rule book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion_app.web.context import companion
from companion_app.web.serving.errors import BadRequest
from engine.errors import RecordError
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set, parse_options, parse_players


def record_begun(sent: Mapping[str, Any]) -> Record:
    """Return the game that begins now, with nothing laid."""
    game = game_named(sent.get("game"))
    box = find_set(game, sent.get("set"), companion().place.set_folders)
    players = parse_players(game, sent.get("players"), "players")
    options = sent.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options is an object")
    start = Start(players, parse_options(game, options, "options"))
    game.opening(start, box)
    return Record(game, box, start)


def record_asked(sent: Mapping[str, Any]) -> Record:
    """Return the game to come that a request names: game, set, players, options."""
    game = game_named(sent.get("game"))
    box = find_set(game, sent.get("set") or None, companion().place.set_folders)
    listed = sent.get("players")
    if listed is None:
        facts = game.facts
        listed = list((facts.player_names or ("Anna", "Ben"))[: facts.fewest_players])
    players = parse_players(game, listed, "players")
    options = sent.get("options", {})
    if not isinstance(options, dict):
        raise BadRequest("options is an object")
    record = Record(game, box, Start(players, parse_options(game, options, "options")))
    try:
        game.opening(record.start, box)
    except RecordError as error:
        # What the border is laid with may lie on the table that is read next.
        if error.place != "setup":
            raise
    return record

"""A game of one phone against the machine: begun, played and shown; in no statistics."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.live.machine import LEVELS, NAME
from companion_app.live.match import Match
from companion_app.live.moved import last_cells
from companion_app.web import snapshot
from companion_app.web.alone import AloneGame
from companion_app.web.context import companion, svg_answer
from companion_app.web.drawing import match as match_drawing
from companion_app.web.drawing.table import spot
from companion_app.web.game_asked import record_asked
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.exchange import asked, language
from companion_app.web.speech import Speech
from engine.record import parse_move

blueprint = Blueprint("alone", __name__)


@blueprint.post("/api/alone")
@access.part_of("alone")
def begin() -> Response:
    """Begin a game of this phone: ``game``, ``level``, and as for a new game players and set."""
    sent = asked()
    level = sent.get("level", 1)
    if type(level) is not int or level not in LEVELS:
        raise BadRequest("level is a number from 1 to 5")
    companion().allow_help()
    record = record_asked(sent)
    name = companion().alone.begin(record, record.start.players[0], level)
    return _shown(name)


@blueprint.get("/api/alone/<name>")
@access.part_of("alone")
def show(name: str) -> Response:
    """Return a game of one phone as it stands, with what may be done."""
    return _shown(name)


@blueprint.post("/api/alone/<name>")
@access.part_of("alone")
def play(name: str) -> Response:
    """Make a move (``move``), or leave the game (``leave``)."""
    sent = asked()
    if sent.get("leave") is True:
        companion().alone.leave(name)
        return jsonify({"left": True})
    if not isinstance(sent.get("move"), dict):
        raise BadRequest("move is a move")
    companion().allow_help()
    companion().alone.play(name, sent["move"])
    return _shown(name)


@blueprint.get("/api/alone/<name>/table.svg")
@access.part_of("alone")
def table(name: str) -> Response:
    """Return its table drawn."""
    game = companion().alone.game(name)
    return svg_answer(match_drawing.drawing(_match(game), _words(game)))


def _match(game: AloneGame) -> Match:
    return game.match(companion().place.set_folders)


def _words(game: AloneGame) -> Speech:
    others = [who for who in game.record.start.players if who != game.seat]
    return Speech(language(), dict.fromkeys(others, NAME))


def _shown(name: str) -> Response:
    game = companion().alone.game(name)
    match, words = _match(game), _words(game)
    document: dict[str, Any] = snapshot.match_to_json(match, words)
    document["drawing"] = match_drawing.mark_of(match, None)
    document["language"] = words.language
    document["alone"] = {
        "id": name, "seat": game.seat, "level": game.level, "over": game.over,
        "hand": [{"tile": tile, "label": words.tile(tile)} for tile in game.hand],
    }  # fmt: skip
    document["over"] = game.over
    listed = []
    for written in game.legal:
        move = parse_move(match.game, match.box, match.start.players, written, "legal")
        listed.append({"move": written, "spots": [spot(p) for p in last_cells(move, match)],
                       "text": words.move(move, match.game.facts.coloured_moves)})  # fmt: skip
    document["legal"] = listed
    return jsonify(document)

"""Views for a game of one phone against the machine, which counts in no statistics."""

from __future__ import annotations

from flask import Response

from companion_app.live.machine import LEVELS, NAME
from companion_app.live.match import Match
from companion_app.web import snapshot
from companion_app.web.alone import AloneGame
from companion_app.web.context import companion, svg_answer
from companion_app.web.drawing import match as match_drawing
from companion_app.web.game_asked import record_asked
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.exchange import Doc, Views, asked, language, told
from companion_app.web.speech import Speech

views = Views("alone", __name__)


@views.changes("/api/alone", "alone")
def begin() -> Doc:
    """Begin a game of this phone: ``game``, ``level``, and optionally players, set and options."""
    level = asked().get("level", 1)
    if type(level) is not int or level not in LEVELS:
        raise BadRequest("level is a number from 1 to 5")
    companion().allow_help()
    record = record_asked(asked())
    return show(companion().alone.begin(record, record.start.players[0], level))


@views.changes("/api/alone/<name>", "alone")
def play(name: str) -> Doc:
    """Make a move (``move``), or leave the game (``leave``)."""
    if asked().get("leave") is True:
        companion().alone.leave(name)
        return {"left": True}
    move = told("move", dict, "move is a move")
    companion().allow_help()
    companion().alone.play(name, move)
    return show(name)


@views.reads("/api/alone/<name>/table.svg", "alone")
def table(name: str) -> Response:
    """Return the table of a game of one phone as SVG."""
    game = companion().alone.game(name)
    return svg_answer(match_drawing.drawing(_match(game), _words(game)))


@views.reads("/api/alone/<name>", "alone")
def show(name: str) -> Doc:
    """Return a game of one phone as it stands, with the legal moves."""
    game = companion().alone.game(name)
    match, words = _match(game), _words(game)
    legal = (match.parsed(one, "legal")
             for one in game.legal)  # fmt: skip
    return snapshot.match_to_json(match, words) | {
        "drawing": match_drawing.mark_of(match, None),
        "language": words.language,
        "alone": {
            "id": name, "seat": game.seat, "level": game.level, "over": game.over,
            "hand": [{"tile": tile, "label": words.tile(tile)} for tile in game.hand],
        },
        "over": game.over,
        "legal": [snapshot.listed_move(move, match, words) for move in legal],
    }  # fmt: skip


def _match(game: AloneGame) -> Match:
    return game.match(companion().place.set_folders)


def _words(game: AloneGame) -> Speech:
    others = [who for who in game.record.start.players if who != game.seat]
    return Speech(language(), dict.fromkeys(others, NAME))

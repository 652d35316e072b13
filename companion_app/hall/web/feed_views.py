"""The public feed: how all tables stand, one table with its replay, and what changes."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion_app.games.play import BROKEN, Game
from companion_app.hall.keeper import how_it_stands, names_in
from companion_app.hall.line.message import is_word
from companion_app.hall.web.board import Board, Shown
from companion_app.hall.web.hall import hall
from companion_app.hall.web.hidden import hidden_names, is_hidden, without_hidden
from companion_app.web.drawing import match as match_drawing
from companion_app.web.serving import guard
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import language
from companion_app.web.serving.streams import stream
from companion_app.web.speech import Speech

blueprint = Blueprint("feed", __name__)
KEPT_S = 3600
"""Seconds for which browsers may cache a drawing whose URL names its version (``v``)."""


@blueprint.get("/api/hall")
def tables() -> Response:
    """Return how all tables stand."""
    return Response(board().whole(), mimetype="application/json")


@blueprint.get("/api/hall/events")
def events() -> Response:
    """Stream the changes of all tables, merged, at most once a second."""
    known, seen = request.headers.get("Last-Event-ID") or request.args.get("since") or "", board()
    serial = int(known) if _is_serial(known) else 0
    return stream(lambda bell: seen.changes(serial, bell))


@blueprint.get("/api/hall/tables/<id_>/events")
def table_events(id_: str) -> Response:
    """Stream one table whenever it changes, at once; a name as long as a table has it."""
    _table(id_)
    seen = board()
    return stream(lambda bell: seen.follow(id_, bell))


@blueprint.get("/api/hall/tables/<id_>")
def table(id_: str) -> Response:
    """Return one table as it stands, with the requested game after ``n`` moves."""
    shown = _table(id_)
    guard.limit(*guard.LOOKS)
    key, game = _game(shown)
    id_ = str(shown.document["id"])
    answer: dict[str, Any] = {**shown.document, "games": hall().store.games(id_)}
    if game is not None:
        count = _count(game)
        past = _past(game, count)
        answer |= {"key": key, "n": count, "length": len(game.accepted), **past}
    return jsonify(answer)


@blueprint.get("/api/hall/tables/<id_>/table.svg")
def drawing(id_: str) -> Response:
    """Return the table as SVG, now or after ``n`` moves."""
    shown = _table(id_)
    guard.limit(*guard.LOOKS)
    _, game = _game(shown)
    if game is None:
        raise NotFound(code="no-game")
    words = Speech(language(), _names(game))
    try:
        drawn = match_drawing.drawing(game, words, match_drawing.shown(game, _count(game)))
    except BROKEN as error:
        raise NotFound(code="no-game") from error
    answer = Response(drawn, mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = f"max-age={KEPT_S}" if "v" in request.args else "no-cache"
    return answer


def board() -> Board:
    """Return the board of all tables."""
    return hall().overview.board


def _table(id_: str) -> Shown:
    found = board().table(id_)
    if found is None:
        raise NotFound
    return found


def _game(shown: Shown) -> tuple[str, Game | None]:
    """Return the requested game, or the table's last one where none is named."""
    key = request.args.get("game") or str(shown.document["key"])
    if not key:
        return "", None
    if not is_word(key):
        raise NotFound(code="no-game")
    id_ = str(shown.document["id"])
    game = hall().games.game(id_, key)
    if game is None and "game" in request.args:
        raise NotFound(code="no-game")
    return key, game


def _count(game: Game) -> int:
    asked = request.args.get("n", "")
    count = int(asked) if asked.isdecimal() and len(asked) < 6 else len(game.accepted)
    return min(count, len(game.accepted))


def _past(game: Game, count: int) -> dict[str, Any]:
    """Return scores and last move of a game after ``count`` moves."""
    words = Speech(language(), _names(game))
    try:
        outcome = game.game.outcome(game.position_after(count))
        coloured = bool(game.box.colours)
        now = without_hidden(how_it_stands(game), hidden_names(hall().store))
    except BROKEN:
        return {"broken": True}
    return {
        **now,
        "scores": dict(outcome.scores),
        "last": words.move(game.accepted[count - 1].move, coloured) if count else "",
        "shown_names": {player: words.player(player) for player in game.start.players},
    }


def _names(game: Game) -> dict[str, str]:
    hidden = hidden_names(hall().store)
    return {who: name for who, name in names_in(game).items() if not is_hidden(name, hidden)}


def _is_serial(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16

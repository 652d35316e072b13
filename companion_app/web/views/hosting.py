"""What the host does around a game: a pause, a player's name, and games that should not be kept."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from companion_app.web import snapshot
from companion_app.web.context import companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.exchange import asked
from engine.given import LONGEST_NAME, hides

blueprint = Blueprint("hosting", __name__)


@blueprint.post("/api/pause")
@access.must_be_host
def pause() -> Response:
    """Let the camera look away (``on``), or go on where the game was left."""
    companion().eye.ask("pause", {"on": asked().get("on") is not False})
    return jsonify(snapshot.state(companion().now(), speech()))


@blueprint.post("/api/games/rename")
@access.must_be_host
def rename() -> Response:
    """Call a player of a game otherwise: ``key``, ``player``, ``name``."""
    sent = asked()
    name = sent.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= LONGEST_NAME or hides(name):
        raise BadRequest(code="bad-name")
    told = {"key": _text(sent.get("key")), "player": _text(sent.get("player"))}
    names = companion().eye.ask("rename", {**told, "name": name.strip()}).body
    return jsonify({"names": names})


@blueprint.post("/api/games/delete")
@access.must_be_host
def delete() -> Response:
    """Delete a game with its pictures; not the one that is on."""
    key = _text(asked().get("key"))
    companion().eye.ask("delete-game", {"key": key})
    return jsonify({"deleted": key})


def _text(sent: object) -> str:
    if not isinstance(sent, str):
        raise BadRequest(code="no-game")
    return sent

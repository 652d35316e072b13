"""What the host does around a game: a pause, a player's name, and games that should not be kept."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from companion_app.web import snapshot
from companion_app.web.context import asked, companion, speech
from companion_app.web.desk import names_in
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest
from engine.given import LONGEST_NAME, hides

blueprint = Blueprint("hosting", __name__)


@blueprint.post("/api/pause")
@access.must_be_host
def pause() -> Response:
    """Let the camera look away (``on``), or go on where the game was left."""
    desk = companion().desk
    if asked().get("on") is not False:
        desk.pause()
    elif desk.match is not None and not desk.match.ended:
        desk.feed(companion().make_feeder(desk.match.record()))
        desk.emit({"event": "told", "t": desk.now()})
    return jsonify(snapshot.state(desk, speech()))


@blueprint.post("/api/games/rename")
@access.must_be_host
def rename() -> Response:
    """Call a player of a game otherwise: ``key``, ``player``, ``name``."""
    sent = asked()
    key, player = _known(sent.get("key")), sent.get("player")
    name = sent.get("name")
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= LONGEST_NAME or hides(name):
        raise BadRequest(code="bad-name")
    desk = companion().desk
    with desk.lock:
        if not isinstance(player, str) or player not in _players(key):
            raise BadRequest("player is a player of the game")
        names = {**names_in(desk.store, key), player: name.strip()}
        if desk.match is not None and desk.match.key == key:
            desk.match.note("names", {"names": names})
            desk.names = names
        else:
            desk.store.append(key, "names", {"names": names})
        desk.emit({"event": "told", "t": desk.now()})
    return jsonify({"names": names})


@blueprint.post("/api/games/delete")
@access.must_be_host
def delete() -> Response:
    """Delete a game with its pictures; not the one that is on."""
    key = _known(asked().get("key"))
    desk = companion().desk
    with desk.lock:
        if desk.match is not None and desk.match.key == key:
            raise BadRequest(code="game-is-on")
        desk.store.forget(key)
    return jsonify({"deleted": key})


def _known(key: object) -> str:
    desk = companion().desk
    with desk.lock:
        if not isinstance(key, str) or key not in desk.store.games():
            raise BadRequest(code="no-game")
    return key


def _players(key: str) -> list[str]:
    lines = companion().desk.store.lines(key)
    begun = next((line.body["record"] for line in lines if line.kind == "started"), {})
    return list(begun.get("players", ()))

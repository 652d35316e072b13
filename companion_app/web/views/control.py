"""What changes a game: answering, overruling, correcting, undo, pass, end, new game, settings.

Everything is a POST. What only the host may do is marked; answers, rolls and passes are given by
whoever has the seat they concern, unless the host says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.live.machine import LEVELS, NAME
from companion_app.web import snapshot
from companion_app.web.context import companion, speech
from companion_app.web.game_asked import record_begun
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotHost
from companion_app.web.serving.exchange import asked
from companion_app.web.serving.page_file import Settings, SettingsFile
from companion_app.web.serving.roles import PARTS, ROLES
from engine.given import LONGEST_NAME, hides
from engine.record import parse_record, record_to_json

blueprint = Blueprint("control", __name__)
FROM_SEATS = ("answer", "roll", "pass", "discard", "finale", "stand")
"""What players may tell for themselves, where the host lets them."""
FROM_HOST = ("overrule", "correct", "move")
HOST_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")
MOST_NAMES = 8
MOST_IDEAS = 99


def done(what: str, told: Mapping[str, Any] | None = None) -> Response:
    """Have something done; return the state after it, so that who asked sees it at once."""
    companion().eye.ask(what, told)
    return jsonify(snapshot.state(companion().now(), speech()))


# --- the host ------------------------------------------------------------------------------------


@blueprint.post("/api/login")
@access.part_of("page")
def login() -> Response:
    """Become the host by the PIN, or by the code that a phone read from the host card."""
    sent = asked()
    if isinstance(card := sent.get("card"), str):
        access.try_card(card, companion().settings, companion().limiter)
        return jsonify({"host": True})
    pin = sent.get("pin")
    if not isinstance(pin, str):
        raise BadRequest("send the PIN as text")
    access.try_pin(pin, companion().settings, companion().limiter)
    return jsonify({"host": True})


@blueprint.post("/api/logout")
@access.part_of("page")
def logout() -> Response:
    """Be a guest again; the session ends on the server too."""
    access.log_out()
    return jsonify({"host": False})


@blueprint.post("/api/settings")
@access.must_be_host
def settings() -> Response:
    """Change the PIN, the join code, who may do what, own names, or the room for pictures."""
    sent, kept = asked(), companion().settings
    # All of it or nothing: what one cannot be kept for leaves the others as they were.
    kept.change(**_changes(sent, kept))
    if "pin" in sent:
        access.stay_host()
    if "pictures_mb" in sent:
        companion().eye.ask("limit-pictures", {"mb": kept.now.pictures_mb})
    companion().hub.publish({"event": "settings"})
    now = kept.now
    return jsonify({"players_answer": now.players_answer, "pictures_mb": now.pictures_mb,
                    "open_to": _open_now(now), "names": list(now.names),
                    "ideas": now.ideas})  # fmt: skip


def _changes(sent: Mapping[str, Any], kept: SettingsFile) -> dict[str, object]:
    """Return the settings that were sent, each checked."""
    changes: dict[str, object] = {}
    if "pin" in sent:
        if not isinstance(sent["pin"], str):
            raise BadRequest(code="bad-pin")
        changes |= kept.with_pin(sent["pin"])
    if "players_answer" in sent:
        changes["players_answer"] = bool(sent["players_answer"])
    if "open_to" in sent:
        changes["open_to"] = {**kept.now.open_to, **_open_to(sent["open_to"])}
    if "names" in sent:
        changes["names"] = _own_names(sent["names"])
    if "ideas" in sent:
        count = sent["ideas"]
        if type(count) is not int or not 0 <= count <= MOST_IDEAS:
            raise BadRequest(f"ideas is a whole number up to {MOST_IDEAS}")
        changes["ideas"] = count
    if sent.get("new_code") is True:
        changes |= kept.with_code()
    if "pictures_mb" in sent:
        room = sent["pictures_mb"]
        if not isinstance(room, int) or isinstance(room, bool) or not 0 <= room <= 100_000:
            raise BadRequest("pictures_mb is a whole number of megabytes")
        changes["pictures_mb"] = room
    return changes


def _open_now(now: Settings) -> dict[str, str]:
    """Return the parts of the page that the host opens and closes, and from whom on they are."""
    return {name: now.least(name) for name, part in PARTS.items() if part.settable}


def _open_to(sent: Any) -> dict[str, str]:
    good = isinstance(sent, dict) and all(
        name in PARTS and PARTS[name].settable and least in ROLES for name, least in sent.items()
    )
    if not good:
        raise BadRequest("open_to names parts of the page, each with " + ", ".join(ROLES))
    return dict(sent)


def _own_names(sent: Any) -> tuple[str, ...]:
    good = isinstance(sent, list) and len(sent) <= MOST_NAMES and all(
        isinstance(name, str) and HOST_NAME.fullmatch(name) for name in sent)  # fmt: skip
    if not good:
        raise BadRequest("names are names of this machine, such as snake-eye.fritz.box")
    return tuple(name.lower() for name in sent)


# --- the game that is on -------------------------------------------------------------------------


@blueprint.post("/api/tell")
@access.part_of("telling")
def tell() -> Response:
    """Tell the referee something: an answer, a roll, a pass, an overruling, a correction.

    An answer that drops accepted moves has to be confirmed, and only the host may do that.
    """
    sent = asked()
    kinds = [kind for kind in (*FROM_SEATS, *FROM_HOST) if kind in sent]
    if not kinds:
        raise BadRequest("say one of " + ", ".join((*FROM_SEATS, *FROM_HOST)))
    if "confirm" in sent or any(kind in FROM_HOST for kind in kinds):
        _only_host()
    return done("tell", {"sent": sent, "host": access.is_host(), "seats": list(access.seats())})


def _only_host() -> None:
    if not access.is_host():
        raise NotHost


@blueprint.post("/api/foul/take-back")
@access.must_be_host
def take_foul_back() -> Response:
    """Say that the tile of the foul was lifted."""
    return done("take-foul-back")


@blueprint.post("/api/undo")
@access.must_be_host
def undo() -> Response:
    """Take back what was done last, a move or an answer; or so many moves."""
    count = asked().get("count")
    if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        raise BadRequest("count is a whole number")
    return done("undo", {"count": count})


@blueprint.post("/api/redo")
@access.must_be_host
def redo() -> Response:
    """Do the move again that was taken back."""
    return done("redo")


@blueprint.post("/api/end")
@access.must_be_host
def end() -> Response:
    """End the game as it stands."""
    return done("end")


@blueprint.post("/api/resume")
@access.must_be_host
def resume() -> Response:
    """Take up a game where it was left."""
    key = asked().get("key")
    if key is not None and not isinstance(key, str):
        raise BadRequest(code="no-game")
    return done("resume", {"key": key})


@blueprint.post("/api/new")
@access.must_be_host
def new() -> Response:
    """Begin a new game: game, set, players with names, options; or a whole record."""
    sent = asked()
    whole, folders = sent.get("record"), companion().place.set_folders
    record = record_begun(sent) if whole is None else parse_record(whole, folders)
    machine = _machine(sent.get("machine", {}), record.start.players)
    if machine:
        companion().allow_help()
    named = dict.fromkeys(machine, NAME) | _names(sent.get("names", {}), record.start.players)
    return done("begin", {"record": record_to_json(record), "names": named, "machine": machine})


def _machine(sent: Any, players: tuple[str, ...]) -> dict[str, int]:
    """Return the machine's seats, each with its level."""
    good = isinstance(sent, dict) and all(
        who in players and type(level) is int and level in LEVELS for who, level in sent.items()
    )
    if not good:
        raise BadRequest("machine is an object: player to level, 1 to 5")
    return dict(sent)


def _names(sent: Any, players: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(sent, dict):
        raise BadRequest("names is an object: player to name")
    named = {}
    for player in players:
        name = sent.get(player, "")
        if not isinstance(name, str) or len(name.strip()) > LONGEST_NAME or hides(name.strip()):
            raise BadRequest(code="bad-name")
        if name.strip():
            named[player] = name.strip()
    return named

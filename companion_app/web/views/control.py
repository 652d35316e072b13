"""Views that change a game or the settings: answers, corrections, undo, end, new game, login.

Every view is a POST, for the host unless it names another part. A seat may answer, roll and pass
for its own player, unless the host forbids that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Blueprint

from companion_app.line.commands import EyeCommands
from companion_app.live.machine import LEVELS, NAME
from companion_app.web.context import companion, done, speech
from companion_app.web.game_asked import record_begun
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotHost
from companion_app.web.serving.exchange import Doc, asked, told, told_or_none
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.routes import PARTS, ROLES
from engine.asked import parse_given
from engine.given import LONGEST_NAME, hides
from engine.record import record_to_json

views = Blueprint("control", __name__)
FROM_SEATS = ("answer", "roll", "pass", "discard", "finale", "stand")
"""What seats may tell for their own player, where the host allows it."""
FROM_HOST = ("overrule", "correct", "move")
HOST_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")
MOST_NAMES = 8
MOST_IDEAS = 99
MOST_PICTURES_MB = 100_000


# --- the host ------------------------------------------------------------------------------------


@views.post("/api/login")
def login() -> Doc:
    """Become the host by the PIN, or by the code that a phone read from the host card."""
    if isinstance(card := asked().get("card"), str):
        access.try_card(card)
    else:
        pin = told("pin", str, "send the PIN as text")
        access.try_pin(pin)
    return {"host": True}


@views.post("/api/logout")
def logout() -> Doc:
    """End this guest's session, on the server too."""
    access.log_out()
    return {"host": False}


@views.post("/api/settings")
def settings() -> Doc:
    """Change the PIN, join code, access rules, host names, hints, or disk space for pictures."""
    sent, kept = asked(), companion().settings
    # One atomic change: if any setting is refused or cannot be stored, none changes.
    kept.change(**_changes(sent, kept))
    if "pin" in sent:
        access.stay_host()
    if "pictures_mb" in sent:
        companion().eye.ask(EyeCommands.limit_pictures, kept.now.pictures_mb)
    companion().hub.publish({"event": "settings"})
    now = kept.now
    return {
        "players_answer": now.players_answer,
        "pictures_mb": now.pictures_mb,
        "open_to": now.open_now(),
        "names": list(now.names),
        "ideas": now.ideas,
    }


def _changes(sent: Mapping[str, Any], kept: SettingsFile) -> dict[str, object]:
    """Return the sent settings, each validated."""
    changes: dict[str, object] = {}
    if "pin" in sent:
        changes |= kept.with_pin(told("pin", str, code="bad-pin"))
    if "players_answer" in sent:
        changes["players_answer"] = bool(sent["players_answer"])
    if "open_to" in sent:
        changes["open_to"] = {**kept.now.open_to, **_open_to(sent["open_to"])}
    if "names" in sent:
        changes["names"] = _own_names(sent["names"])
    if "ideas" in sent:
        problem = f"ideas is a whole number up to {MOST_IDEAS}"
        changes["ideas"] = _number("ideas", MOST_IDEAS, problem)
    if sent.get("new_code") is True:
        changes |= kept.with_code()
    if "pictures_mb" in sent:
        problem = "pictures_mb is a whole number of megabytes"
        changes["pictures_mb"] = _number("pictures_mb", MOST_PICTURES_MB, problem)
    return changes


def _number(name: str, most: int, problem: str) -> int:
    if not 0 <= (number := told(name, int, problem)) <= most:
        raise BadRequest(problem)
    return number


def _open_to(sent: Any) -> dict[str, str]:
    good = isinstance(sent, dict) and all(
        name in PARTS and PARTS[name].settable and least in ROLES for name, least in sent.items()
    )
    if not good:
        raise BadRequest("open_to names parts of the page, each with " + ", ".join(ROLES))
    return dict(sent)


def _own_names(sent: Any) -> tuple[str, ...]:
    good = (
        isinstance(sent, list)
        and len(sent) <= MOST_NAMES
        and all(isinstance(name, str) and HOST_NAME.fullmatch(name) for name in sent)
    )
    if not good:
        raise BadRequest("names are names of this machine, such as snake-eye.fritz.box")
    return tuple(name.lower() for name in sent)


# --- the running game ----------------------------------------------------------------------------


@views.post("/api/tell")
def tell() -> Doc:
    """Tell the referee something: an answer, a roll, a pass, an overruling, a correction.

    An answer that drops accepted moves has to be confirmed, and only the host may do that.
    """
    sent = asked()
    kinds = [kind for kind in (*FROM_SEATS, *FROM_HOST) if kind in sent]
    if not kinds:
        raise BadRequest("say one of " + ", ".join((*FROM_SEATS, *FROM_HOST)))
    if ("confirm" in sent or set(kinds).intersection(FROM_HOST)) and not access.is_host():
        raise NotHost
    return done(EyeCommands.tell, sent, access.is_host(), access.seats())


@views.post("/api/foul/take-back")
def take_foul_back() -> Doc:
    """Tell the referee that the tile of the foul was taken back."""
    return done(EyeCommands.take_foul_back)


@views.post("/api/undo")
def undo() -> Doc:
    """Undo the last action, a move or an answer; or ``count`` moves."""
    return done(EyeCommands.undo, told_or_none("count", int, "count is a whole number"))


@views.post("/api/redo")
def redo() -> Doc:
    """Redo the move that was undone last."""
    return done(EyeCommands.redo)


@views.post("/api/end")
def end() -> Doc:
    """End the game as it stands."""
    return done(EyeCommands.end)


@views.post("/api/resume")
def resume() -> Doc:
    """Resume a kept game."""
    return done(EyeCommands.resume, told_or_none("key", str, code="no-game"))


@views.post("/api/pause")
def pause() -> Doc:
    """Pause watching the table (``on``), or continue the game."""
    return done(EyeCommands.pause, asked().get("on") is not False)


@views.post("/api/new")
def new() -> Doc:
    """Begin a new game: game, set, players with names, options; or a whole record."""
    sent = asked()
    whole, folders = sent.get("record"), companion().place.set_folders
    # A game that is taken up from its table has no moves yet, and the page sends none.
    whole = {"moves": []} | whole if isinstance(whole, dict) else whole
    record = record_begun(sent) if whole is None else parse_given(whole, folders)
    machine = _machine(sent.get("machine", {}), record.start.players)
    if machine:
        companion().allow_help()
    named = dict.fromkeys(machine, NAME) | _names(sent.get("names", {}), record.start.players)
    return done(EyeCommands.begin, record_to_json(record), named, machine)


def _machine(sent: Any, players: tuple[str, ...]) -> dict[str, int]:
    """Return the machine's seats with their levels, validated."""
    good = isinstance(sent, dict) and all(
        who in players and type(level) is int and level in LEVELS for who, level in sent.items()
    )
    if not good:
        raise BadRequest("machine is an object: player to level, 1 to 5")
    return dict(sent)


def _names(sent: Any, players: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(sent, dict):
        raise BadRequest("names is an object: player to name")
    named = {player: _name(sent[player]) for player in players if player in sent}
    return {player: name for player, name in named.items() if name}


def _name(sent: Any) -> str:
    if not isinstance(sent, str) or len(sent.strip()) > LONGEST_NAME or hides(sent.strip()):
        raise BadRequest(code="bad-name")
    return sent.strip()


# --- kept games ----------------------------------------------------------------------------------


@views.post("/api/games/rename")
def rename() -> Doc:
    """Rename a player of a kept game: ``key``, ``player``, ``name``."""
    name = _name(asked().get("name"))
    if not name:
        raise BadRequest(code="bad-name")
    key, player = (told(one, str, code="no-game") for one in ("key", "player"))
    names = companion().eye.ask(EyeCommands.rename, key, player, name)
    companion().sessions.call_player(key, player, name)
    return {"names": names}


@views.post("/api/people")
def call_otherwise() -> Doc:
    """Rename a person (``name``) in every kept game (``to``), or forget the person."""
    name, to = told("name", str, code="bad-name"), _name(asked().get("to", ""))
    nobody = speech({}).page("player-n", n="{n}")
    games = companion().eye.ask(EyeCommands.call_otherwise, name, to, nobody)
    companion().sessions.call(name, to)
    return {"games": games}


@views.post("/api/games/delete")
def delete() -> Doc:
    """Delete a game with its pictures; the running one is refused."""
    key = told("key", str, code="no-game")
    companion().eye.ask(EyeCommands.delete_game, key)
    return {"deleted": key}

"""A player's phone: signed in by the check-in code, it sees its own table and confirms results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, session

from companion_app.hall.store.tournament_store import Kept, Step
from companion_app.hall.tournament.codes import code_of, player_with
from companion_app.hall.tournament.events import PLAYER, WHO_MAY
from companion_app.hall.tournament.model import Round, Tournament
from companion_app.hall.tournament.people import full_name
from companion_app.hall.tournaments import in_short
from companion_app.hall.web.hall import hall, secret_of
from companion_app.hall.web.hidden import hide_in_hall
from companion_app.hall.web.tournament_views import known
from companion_app.web.serving.errors import BadRequest, NotHost
from companion_app.web.serving.exchange import asked, language
from companion_app.web.serving.guard import guess
from companion_app.web.serving.streams import stream

blueprint = Blueprint("player", __name__)
MINE = tuple(what for what, may in WHO_MAY.items() if PLAYER in may)
ABOUT_ME = ("check-in", "leave", "sit-out", "hide-player", "erase-player")
"""Events about a player; a phone may cause them only for its own player."""
RESULT = ("round", "table", "scores", "winners")
DATA: Mapping[str, tuple[str, ...]] = {
    "sit-out": ("round",),
    "hide-player": ("hidden",),
    "result": RESULT,
    "confirm": RESULT,
    "object": RESULT,
}
"""What an event by a player says. Nothing else is kept: everybody can read the log."""
MOST_REMEMBERED = 20
"""Tournaments that a phone stays signed in to; the oldest is dropped."""


def code_for(id_: str, player: str) -> str:
    """Return a player's code for one tournament."""
    return code_of(_secret(id_), player)


@blueprint.post("/api/tournaments/<id_>/me")
def sign_in(id_: str) -> Response:
    """Sign this phone in by a player's ``code``; before his first round this checks him in."""
    found = known(id_)
    secret, code = _secret(id_), str(asked().get("code", ""))[:40]
    # A right code never resets the count, or a player could use his own to guess others'.
    player = guess(
        "player code",
        lambda: player_with(secret, code, found.now.players),
        NotHost(code="wrong-code"),
        frees=False,
    )
    assert player is not None
    session["plays"] = dict([*_plays().items(), (id_, player)][-MOST_REMEMBERED:])
    session.permanent = True
    one = found.now.players[player]
    if not one.here and not one.from_round and not found.now.over:
        hall().tournaments.change(
            id_, lambda _: [Step("check-in", {"player": player}, f"{PLAYER}:{player}")]
        )
    return _mine(known(id_), player)


@blueprint.get("/api/tournaments/<id_>/me")
def mine(id_: str) -> Response:
    """Return what concerns this phone's player: his table, his result, his place."""
    found = known(id_)
    return _mine(found, _player(found))


@blueprint.get("/api/tournaments/<id_>/me/events")
def my_events(id_: str) -> Response:
    """Stream the number of the last event, to a player's phone."""
    _player(known(id_))
    tournaments = hall().tournaments
    return stream(lambda bell: tournaments.follow(id_, bell))


@blueprint.post("/api/tournaments/<id_>/my")
def my(id_: str) -> Response:
    """Add an event by the player (``do``): check in, leave, confirm, object, enter a result."""
    found, sent = known(id_), asked()
    player, what, data = _player(found), sent.get("do"), sent.get("data", {})
    if what not in MINE or not isinstance(data, dict):
        raise BadRequest(f"do is one of {', '.join(MINE)}")
    told = {key: data[key] for key in (*DATA.get(str(what), ()), "player") if key in data}
    if what in ABOUT_ME:
        told["player"] = player
    if "hidden" in told:
        told["hidden"] = bool(told["hidden"])
    step = Step(str(what), told, f"{PLAYER}:{player}", str(sent.get("why", ""))[:300])
    hide_in_hall(hall().store, found.now, step.do, told)
    done = hall().tournaments.change(id_, lambda _: [step])
    assert done is not None
    return _mine(done, player)


def _mine(found: Kept, player: str) -> Response:
    one = hall().tournaments.seen(found.id)
    assert one is not None
    shown = hall().tournaments.document(one, language())
    me = found.now.players[player]
    places = shown["overall"]
    return jsonify(
        {
            "tournament": in_short(found.id, found.now),
            "events": found.now.events,
            "player": player,
            "name": full_name(me, language()),
            "here": me.here,
            "hidden": me.hidden,
            "standing": next((row for row in places if row["player"] == player), None),
            "places": len(places),
            "tie_breaks": shown["tie_breaks"],
            "round": _my_round(found.now, shown, player),
        }
    )


def _my_round(now: Tournament, shown: dict[str, Any], player: str) -> dict[str, Any] | None:
    """Return the newest round as it concerns one player."""
    round_: Round | None = now.round
    if round_ is None:
        return None
    written = shown["rounds"][-1]
    table = round_.table_of(player)
    tables = [one for one in written["tables"] if table and one["table"] == table.number]
    return {
        **{key: written[key] for key in ("round", "stage", "rated", "left_s", "paused")},
        "bye": player in round_.byes,
        "table": tables[0] if tables else None,
    }


def _player(found: Kept) -> str:
    player = _plays().get(found.id, "")
    if player not in found.now.players:
        raise NotHost(code="no-player")
    return player


def _plays() -> dict[str, str]:
    kept = session.get("plays")
    return dict(kept) if isinstance(kept, dict) else {}


def _secret(id_: str) -> bytes:
    return f"{secret_of(hall().store)} {id_}".encode()

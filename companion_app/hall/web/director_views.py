"""Views for the staff of tournaments; every change is recorded with who made it."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion_app.hall.store.hall_store import AWAY_S, Member
from companion_app.hall.store.tournament_store import Kept, Step, new_tournament
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import ARBITER as AN_ARBITER
from companion_app.hall.tournament.events import DIRECTOR, WHO_MAY
from companion_app.hall.tournament.model import Round, Tournament
from companion_app.hall.tournament.pairing import paired
from companion_app.hall.tournament.people import next_id
from companion_app.hall.tournament.players_csv import read_players
from companion_app.hall.tournament.printing import pairings_page, slips_page, standings_page
from companion_app.hall.tournament.words import say
from companion_app.hall.web import arbiters
from companion_app.hall.web.board import in_order
from companion_app.hall.web.hall import hall
from companion_app.hall.web.hidden import hide_in_hall
from companion_app.hall.web.player_views import code_for
from companion_app.hall.web.tournament_views import known, seen
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import asked, language
from companion_app.web.serving.streams import stream

blueprint = Blueprint("director", __name__)
MOST_LOGGED = 100
LONGEST_WHY = 300


@blueprint.post("/api/tournaments")
def create() -> Response:
    """Set a tournament up (``settings``) and return its id."""
    settings = asked().get("settings", {})
    if not isinstance(settings, dict):
        raise BadRequest("settings is an object")
    return jsonify({"id": new_tournament(hall().store, by("set-up"), settings)})


@blueprint.get("/api/tournaments/<id_>")
def whole(id_: str) -> Response:
    """Return everything about a tournament: full names, codes, boxes, the log."""
    return _whole(known(id_))


@blueprint.get("/api/tournaments/<id_>/events")
def events(id_: str) -> Response:
    """Stream the number of the last event at once."""
    known(id_)
    tournaments = hall().tournaments
    return stream(lambda bell: tournaments.follow(id_, bell))


@blueprint.post("/api/tournaments/<id_>/do")
def do(id_: str) -> Response:
    """Add one event (``do``, ``data``, ``why``), as `tournament/events.py` names them."""
    sent = asked()
    what, data, why = str(sent.get("do", "")), sent.get("data", {}), str(sent.get("why", ""))
    if not isinstance(data, dict):
        raise BadRequest("data is an object")
    who = by(what)

    def steps(now: Tournament) -> list[Step]:
        entering = {"player": next_id(now)} if what == "add-player" else {}
        return [Step(what, {**data, **entering}, who, why[:LONGEST_WHY])]

    hide_in_hall(hall().store, known(id_).now, what, data)
    return _changed(id_, steps)


@blueprint.post("/api/tournaments/<id_>/players")
def enter_list(id_: str) -> Response:
    """Enter the players of a list (``csv``: the file in base64), and say what was left out."""
    try:
        given = base64.b64decode(str(asked().get("csv", "")), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest("csv is a file in base64") from error
    names = [one.name for one in known(id_).now.players.values()]
    read = read_players(given, names, language())

    def steps(now: Tournament) -> list[Step]:
        there = {one.name.casefold() for one in now.players.values()}
        fresh = [one for one in read.players if one["name"].casefold() not in there]
        first = len(now.players) + 1
        return [
            Step("add-player", {"player": f"p{first + n}", **one}, by("add-player"))
            for n, one in enumerate(fresh)
        ]

    done = hall().tournaments.change(id_, steps)
    assert done is not None
    notes = [say(language(), one.key, line=one.line, name=one.name) for one in read.notes]
    return jsonify({"players": len(done.now.players), "notes": notes})


@blueprint.post("/api/tournaments/<id_>/pair")
def pair(id_: str) -> Response:
    """Pair the next round; ``boxes`` in the order of the tables, else all free ones by name."""
    known(id_)
    sent = asked().get("boxes")
    boxes = [str(box) for box in sent] if isinstance(sent, list) else _free_boxes(id_)
    seed = secrets.randbelow(1 << 31)
    return _changed(
        id_, lambda now: [Step("pair-round", paired(now, seed, boxes), by("pair-round"))]
    )


@blueprint.get("/print/<id_>/<what>")
def on_paper(id_: str, what: str) -> Response:
    """Return pairings, slips or standings as a page to print, of the newest round or ``round``."""
    now = seen(id_).tournament
    if what == "standings":
        page = standings_page(now, language())
    elif what == "pairings":
        page = pairings_page(now, _round(now), language())
    elif what == "slips":
        page = slips_page(now, _round(now), language())
    else:
        raise NotFound
    return Response(page, mimetype="text/html")


def by(what: str) -> str:
    """Return the role and name under which the signed-in arbiter causes an event."""
    may = WHO_MAY.get(what, ())
    role = next((role for role in (DIRECTOR, AN_ARBITER) if role in may), "")
    if not role:
        raise TournamentError("not-allowed" if may else "bad-event")
    return f"{role}:{arbiters.arbiter()}"


def _changed(id_: str, steps: Any) -> Response:
    known(id_)
    done = hall().tournaments.change(id_, steps)
    assert done is not None
    return _whole(done)


def _whole(found: Kept) -> Response:
    tournaments = hall().tournaments
    one = tournaments.seen(found.id)
    assert one is not None
    return jsonify(
        {
            **tournaments.document(one, language(), staff=True),
            "codes": {player: code_for(found.id, player) for player in found.now.players},
            "boxes": [{"id": one.id, "name": one.name} for one in _boxes()],
            "log": [event.to_json() for event in found.events[-MOST_LOGGED:]][::-1],
            "forbidden": [sorted(pair) for pair in found.now.forbidden],
        }
    )


def _boxes() -> list[Member]:
    return sorted(hall().store.members(), key=lambda one: in_order(one.name))


def in_place(boxes: Sequence[Member]) -> list[Member]:
    """Return the boxes without those whose place another one of the same name has taken."""
    last_s: dict[str, float] = {}
    for one in boxes:
        last_s[one.name] = max(last_s.get(one.name, 0.0), one.heard_s or 0.0)
    return [one for one in boxes if last_s[one.name] - (one.heard_s or 0.0) <= AWAY_S]


def _free_boxes(id_: str) -> list[str]:
    """Return the boxes in place by name, without those in an open round of another tournament."""
    taken: set[str] = set()
    for other in hall().tournaments.ids():
        found = hall().tournaments.now(other) if other != id_ else None
        round_ = found.now.round if found is not None else None
        if round_ is not None and round_.stage != "closed":
            taken |= {table.box for table in round_.tables}
    return [one.id for one in in_place(_boxes()) if one.id not in taken]


def _round(now: Tournament) -> Round:
    asked_ = request.args.get("round", "")
    is_number = asked_.isascii() and asked_.isdecimal()
    number = int(asked_[:6]) if is_number else len(now.rounds)
    found: Mapping[int, Round] = {round_.number: round_ for round_ in now.rounds}
    if number not in found:
        raise NotFound
    return found[number]

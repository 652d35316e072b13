"""Views for arbiters: open calls with their pictures, and rulings, which are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.hall.line.joining import NAMELESS, code_of, new_code
from companion_app.hall.line.message import TABLE_ID, shown_name, whole_number
from companion_app.hall.receiver import PICTURE_NAMES
from companion_app.hall.store import arbiter_store
from companion_app.hall.store.hall_store import Standing
from companion_app.hall.tournament.model import Round
from companion_app.hall.tournaments import Seen
from companion_app.hall.web import arbiters
from companion_app.hall.web.arbiter_moves import correction
from companion_app.hall.web.hall import hall
from companion_app.hall.web.hidden import hide_names
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import asked, language
from companion_app.web.speech import Speech
from engine.errors import EngineError
from engine.games import game_named

blueprint = Blueprint("arbiter", __name__)
MOST_ROUNDS = 20
OF_A_FOUL = ("overrule", "lift")
RULINGS = (*OF_A_FOUL, "take-back", "correct", "end", "lower-hand")
"""In this order: a foul counts as a move; its tile was lifted; the last move is taken back; a move
is replaced by another; the game ends as it stands; the raised hand is lowered."""


@blueprint.get("/api/me")
def me() -> Response:
    """Return what this guest may do, and the token for changes."""
    return jsonify({"token": guard.own_token(), "arbiter": arbiters.arbiter()})


@blueprint.post("/api/login")
def log_in() -> Response:
    """Sign in as an arbiter by the PIN, under a name that the record shows."""
    sent = asked()
    arbiters.log_in(str(sent.get("pin", "")), str(sent.get("who", "")))
    return jsonify({"arbiter": arbiters.arbiter()})


@blueprint.post("/api/logout")
def log_out() -> Response:
    """Sign out."""
    arbiters.log_out()
    return jsonify({})


@blueprint.get("/api/arbiter")
def arbiter() -> Response:
    """Return calls and objections, decisions, the health of tables, running rounds, the code."""
    store = hall().store
    return jsonify(
        {
            "alerts": [_alert(one) for one in arbiter_store.open_alerts(store)],
            "decisions": [
                {
                    "id": one.id,
                    "table": one.table,
                    "at_s": one.at_s,
                    "who": one.who,
                    "what": one.what,
                    "done": one.done,
                    "answer": one.answer,
                }
                for one in arbiter_store.decisions_of(store, most=100)
            ],
            "tables": [
                {
                    "id": one.id,
                    "name": one.name,
                    "heard_s": one.heard_s,
                    "acked": one.acked,
                    "health": dict(one.health),
                    "game": _game_shown(one.id),
                }
                for one in store.members()
            ],
            "code": code_of(store),
            "rounds": _rounds(),
            "objections": _objections(),
            "now_s": store.clock(),
        }
    )


@blueprint.get("/api/arbiter/pictures/<table>/<int:number>/<name>.jpg")
def picture(table: str, number: int, name: str) -> Response:
    """Return the picture of a foul, before or after."""
    known = TABLE_ID.fullmatch(table) and name in PICTURE_NAMES and whole_number(number)
    found = hall().store.picture(table, number, name) if known else None
    if found is None:
        raise NotFound(code="no-picture")
    return Response(found, mimetype="image/jpeg")


@blueprint.post("/api/arbiter/claim")
def claim() -> Response:
    """Claim a call; the first arbiter gets it."""
    number = asked().get("alert")
    if not isinstance(number, int) or not 0 <= number < 1 << 53:
        raise BadRequest("which call?")
    return jsonify({"yours": arbiter_store.claim(hall().store, number, _who())})


@blueprint.post("/api/arbiter/decide")
def decide() -> Response:
    """Store a ruling for a table, which hears of it at once, and again until it answers."""
    sent = asked()
    what, table = sent.get("what"), str(sent.get("table", ""))
    if what not in RULINGS:
        raise BadRequest(f"what is one of {', '.join(RULINGS)}")
    shown = hall().overview.board.table(table)
    if shown is None:
        raise NotFound
    foul = sent.get("foul", (shown.document.get("foul") or {}).get("number", 0))
    if not whole_number(foul):
        raise BadRequest("foul is the number of its line")
    key, number = shown.document["key"], shown.document["number"]
    newest = _newest(table) if what in OF_A_FOUL else None
    if newest is not None:
        key, number = newest.game, newest.number
    if whole_number(sent.get("number")) and isinstance(sent.get("key"), str):
        key, number = sent["key"][:100], sent["number"]  # as it stood when the arbiter was asked
    # It says what it is about, so that the table does not carry it out on anything later.
    do = {"what": what, "key": key, "number": number, "foul": foul}
    if what == "correct":
        do |= correction(table, str(do["key"]), sent.get("n"), sent.get("move"))
    decision = arbiter_store.decide(hall().store, table, _who(), str(what), do)
    if decision is None:
        raise NotFound
    return jsonify({"decision": decision.id})


@blueprint.post("/api/arbiter/table")
def change_table() -> Response:
    """Rename a table, or revoke it."""
    sent = asked()
    table, name = str(sent.get("table", "")), sent.get("name")
    store = hall().store
    if not TABLE_ID.fullmatch(table):
        raise NotFound
    if isinstance(name, str):
        done = store.rename(table, shown_name(name) or NAMELESS)
    elif sent.get("away") is True:
        done = store.revoke(table)
    else:
        raise BadRequest("send a name, or away")
    if not done:
        raise NotFound
    return jsonify({})


@blueprint.post("/api/arbiter/code")
def change_code() -> Response:
    """Replace the code by which tables join."""
    return jsonify({"code": hall().store.keep_fact("code", new_code())})


@blueprint.post("/api/arbiter/hide")
def hide() -> Response:
    """Show a player by his colour, or by his name again."""
    sent = asked()
    name = sent.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadRequest("which name?")
    hide_names(hall().store, [name.strip()[:100]], sent.get("hidden") is not False)
    return jsonify({})


def _rounds() -> list[dict[str, Any]]:
    """Return the rounds whose clock runs or is paused."""
    return [
        {
            "tournament": one.id,
            "name": one.tournament.settings.name,
            "round": round_.number,
            "left_s": round(round_.clock.left_s(one.now_s), 1),
            "paused": round_.clock.paused_at_s is not None,
            "stage": round_.stage,
        }
        for one, round_ in _running()
        if round_.clock
    ]


def _objections() -> list[dict[str, Any]]:
    """Return the tables with a result to which a player objects, until an arbiter decides."""
    return [
        {
            "tournament": one.id,
            "name": one.tournament.settings.name,
            "round": round_.number,
            "table": table.number,
        }
        for one, round_ in _running()
        for table in round_.tables
        if table.result is not None and table.result.objected and not table.done
    ]


def _running() -> Iterator[tuple[Seen, Round]]:
    """Yield the running rounds of the newest tournaments."""
    tournaments = hall().tournaments
    for id_ in tournaments.ids()[:MOST_ROUNDS]:
        one = tournaments.seen(id_)
        round_ = None if one is None else one.tournament.round
        if one is not None and round_ is not None and round_.stage == "running":
            yield one, round_


def _who() -> str:
    return arbiters.arbiter() or ""


def _alert(one: arbiter_store.Alert) -> Mapping[str, Any]:
    return {
        "id": one.id,
        "table": one.table,
        "kind": one.kind,
        "number": one.number,
        "opened_s": one.opened_s,
        "claimed_by": one.claimed_by,
        "text": _broken(one),
        "pictures": [
            f"/api/arbiter/pictures/{one.table}/{one.number}/{name}.jpg"
            for name in ("before", "after")
            if one.kind == "foul" and hall().store.picture(one.table, one.number, name)
        ],
    }


def _game_shown(table: str) -> dict[str, Any]:
    """Return which game is shown of a table, and the number of its last line."""
    shown = hall().overview.board.table(table)
    document = {} if shown is None else shown.document
    return {name: document[name] for name in ("key", "number") if name in document}


def _newest(table: str) -> Standing | None:
    """Return how a table with a foul stands.

    The store had the foul before the alert; the overview may not have read it yet.
    """
    return hall().store.standings([table]).get(table)


def _broken(one: arbiter_store.Alert) -> list[str]:
    """Return the rules that a foul breaks, in the arbiter's language."""
    if one.kind != "foul":
        return []
    standing = _newest(one.table)
    foul = standing.document.get("foul") if standing is not None else None
    if standing is None or not foul or foul["number"] != one.number:
        return []
    try:
        game = game_named(standing.document["game"])
    except EngineError:
        return []
    words = Speech(language())
    rules = {rule.id: rule for rule in game.facts.rules}
    return [words.rule(game.facts.name, rules[id_]) for id_ in foul["rules"] if id_ in rules]

"""Who sits at the table: joining by the code, seats, and the phones that may do anything."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, session

from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, NotSeated
from companion_app.web.serving.exchange import asked
from companion_app.web.serving.sessions import Session, handle_of

blueprint = Blueprint("at_table", __name__)


@blueprint.post("/api/join")
@access.part_of("page")
def join() -> Response:
    """Join by the code (``code``), and take the seats that this phone speaks for (``seats``).

    No seats are a watcher's place; other phones that hold the same seat keep it.
    """
    sent = asked()
    code, held = sent.get("code"), sent.get("seats")
    if code is not None and not isinstance(code, str):
        raise BadRequest("code is text")
    if held is not None:
        _check_seats(held)
    if code is not None:
        access.try_code(code, companion().settings, companion().limiter)
    if not access.has_joined():
        raise NotSeated
    if held is not None:
        access.sit(tuple(dict.fromkeys(held)))
        companion().hub.publish({"event": "settings"})
    return jsonify({"role": access.role(), "seats": list(access.seats())})


def _check_seats(held: Any) -> None:
    match = companion().now().match
    players = match.start.players if match is not None else ()
    if not isinstance(held, list) or not all(one in players for one in held):
        raise BadRequest("seats are players of the game that is on")


@blueprint.post("/api/seats/free")
@access.must_be_host
def free() -> Response:
    """Take a seat from every phone that holds it."""
    seat = asked().get("seat")
    if not isinstance(seat, str):
        raise BadRequest("seat is a player")
    companion().sessions.free(seat)
    companion().hub.publish({"event": "settings"})
    return jsonify({"taken": companion().sessions.taken(companion().settings.now.join_number)})


@blueprint.get("/api/sessions")
@access.must_be_host
def sessions() -> Response:
    """Return the phones that may do more than watch, the latest first."""
    return jsonify({"sessions": _listed()})


@blueprint.post("/api/sessions/end")
@access.must_be_host
def end() -> Response:
    """End a session (``session``), or all but this one (``others``)."""
    sent = asked()
    if sent.get("others") is True:
        access.end_others()
    elif not companion().sessions.end_by_handle(str(sent.get("session"))):
        raise NotFound
    companion().hub.publish({"event": "settings"})
    return jsonify({"sessions": _listed()})


def _listed() -> list[dict[str, Any]]:
    now, here = companion().settings.now, handle_of(str(session.get("id", "")))
    return [
        _session_to_json(one, one.host == now.pin_number, one.code == now.join_number)
        | {"session": handle, "here": handle == here}
        for handle, one in companion().sessions.listed().items()
        if one.host == now.pin_number or one.code == now.join_number
    ]


def _session_to_json(one: Session, host: bool, joined: bool) -> dict[str, Any]:
    return {"device": one.device, "host": host, "seats": list(one.seats) if joined else [],
            "since_s": one.made_s, "seen_s": one.seen_s}  # fmt: skip

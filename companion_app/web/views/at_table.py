"""Views about guests: joining by the code, seats, sessions of phones, the host card."""

from __future__ import annotations

from flask import Blueprint, session

from companion_app.web.card import drawn_card, some_code
from companion_app.web.context import companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, NotSeated
from companion_app.web.serving.exchange import Doc, asked, told, told_or_none
from companion_app.web.serving.sessions import handle_of

views = Blueprint("at_table", __name__)


@views.post("/api/join")
def join() -> Doc:
    """Join by the code (``code``), and take the seats that this phone acts for (``seats``).

    Without seats a guest only watches; other phones that hold the same seat keep it.
    """
    code, held = told_or_none("code", str, "code is text"), asked().get("seats")
    if held is not None:
        match = companion().now().match
        players = match.start.players if match is not None else ()
        if not isinstance(held, list) or not all(one in players for one in held):
            raise BadRequest("seats are players of the game that is on")
    if code is not None:
        access.try_code(code)
    if not access.has_joined():
        raise NotSeated
    if held is not None:
        access.sit(tuple(dict.fromkeys(held)))
        companion().hub.publish({"event": "settings"})
    return {"role": access.role(), "seats": list(access.seats())}


@views.post("/api/seats/free")
def free() -> Doc:
    """Take a seat from every phone that holds it."""
    companion().sessions.free(told("seat", str, "seat is a player"), access.sitting())
    companion().hub.publish({"event": "settings"})
    number = companion().settings.now.join_number
    return {"taken": companion().sessions.taken(number, access.sitting())}


@views.get("/api/sessions")
def sessions() -> Doc:
    """Return the phones that may do more than watch, the most recently seen first."""
    now, here = companion().settings.now, handle_of(str(session.get("id", "")))
    listed = [
        {
            "device": one.device,
            "host": one.host == now.pin_number,
            "seats": list(one.at(access.sitting()).seats) if one.code == now.join_number else [],
            "since_s": one.made_s,
            "seen_s": one.seen_s,
            "session": handle,
            "here": handle == here,
        }
        for handle, one in companion().sessions.listed().items()
        if one.host == now.pin_number or one.code == now.join_number
    ]
    return {"sessions": listed}


@views.post("/api/sessions/end")
def end() -> Doc:
    """End a session (``session``), or all but this one (``others``)."""
    if asked().get("others") is True:
        access.end_others()
    elif not companion().sessions.end_by_handle(str(asked().get("session"))):
        raise NotFound
    companion().hub.publish({"event": "settings"})
    return sessions()


# --- the host card -------------------------------------------------------------------------------


@views.post("/api/card")
def card() -> Doc:
    """Make a new card (``make``), which is shown only once, or revoke the card (``forget``)."""
    kept, words = companion().settings, speech()
    if asked().get("make") is True:
        code = some_code()
        kept.keep_card(code)
        about = words.page("card-title"), words.page("card-about")
        return {"card": True, "svg": drawn_card(code, companion().address, *about)}
    if asked().get("forget") is not True:
        raise BadRequest("say make or forget")
    kept.keep_card("")
    return {"card": False}

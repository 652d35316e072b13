"""Views about guests: joining by the code, seats, sessions of phones, the host card."""

from __future__ import annotations

from flask import Response, current_app, session

from companion_app.hands.work import CARD
from companion_app.web.card import codes_in, drawn_card, drawn_code, some_code
from companion_app.web.context import companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, NotHost, NotSeated, WebError
from companion_app.web.serving.exchange import Doc, Views, asked, told, told_or_none
from companion_app.web.serving.sessions import handle_of
from companion_app.web.serving.shared import Lately

views = Views("at_table", __name__)
LOOKS, LOOKS_WINDOW_S = 40, 60.0
"""Rate limit for card logins: a phone asks every two seconds while its owner lays the card down."""
SAME_S = 1.5
"""How long one look at the table answers all phones, in seconds, so that many cost no more than
one."""
SEEN = "snake-eye-card"


@views.changes("/api/join", "page")
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
        access.try_code(code, companion().settings, companion().limiter)
    if not access.has_joined():
        raise NotSeated
    if held is not None:
        access.sit(tuple(dict.fromkeys(held)))
        companion().hub.publish({"event": "settings"})
    return {"role": access.role(), "seats": list(access.seats())}


@views.changes("/api/seats/free")
def free() -> Doc:
    """Take a seat from every phone that holds it."""
    companion().sessions.free(told("seat", str, "seat is a player"))
    companion().hub.publish({"event": "settings"})
    return {"taken": companion().sessions.taken(companion().settings.now.join_number)}


@views.reads("/api/sessions", "hosting")
def sessions() -> Doc:
    """Return the phones that may do more than watch, the most recently seen first."""
    now, here = companion().settings.now, handle_of(str(session.get("id", "")))
    listed = [
        {
            "device": one.device,
            "host": one.host == now.pin_number,
            "seats": list(one.seats) if one.code == now.join_number else [],
            "since_s": one.made_s,
            "seen_s": one.seen_s,
            "session": handle,
            "here": handle == here,
        }
        for handle, one in companion().sessions.listed().items()
        if one.host == now.pin_number or one.code == now.join_number
    ]
    return {"sessions": listed}


@views.changes("/api/sessions/end")
def end() -> Doc:
    """End a session (``session``), or all but this one (``others``)."""
    if asked().get("others") is True:
        access.end_others()
    elif not companion().sessions.end_by_handle(str(asked().get("session"))):
        raise NotFound
    companion().hub.publish({"event": "settings"})
    return sessions()


# --- the host card -------------------------------------------------------------------------------


@views.changes("/api/card")
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


@views.reads("/api/card.svg", "page")
def phone_code() -> Response:
    """Return the QR code that this phone shows beside the card."""
    return Response(drawn_code(access.phone_code(some_code)), mimetype="image/svg+xml")


@views.changes("/api/login/card", "page")
def login() -> Doc:
    """Become the host if the camera sees the card, and this phone's code beside it."""
    access.limit(companion().limiter, "card", LOOKS, LOOKS_WINDOW_S)
    if not companion().settings.now.card_hash:
        raise WebError(code="no-card")
    seen: Lately[tuple[str, ...]] = current_app.extensions.setdefault(SEEN, Lately())
    texts = seen.answer(SAME_S, _codes_seen)
    if access.phone_code(some_code) not in texts:
        raise NotHost(code="card-not-seen")
    access.try_cards_seen(texts, companion().settings)
    access.forget_phone_code()
    return {"host": True}


def _codes_seen() -> tuple[str, ...]:
    """Return the QR codes in the camera's picture, decoded by the hands, not to delay the game."""
    picture = companion().eye.ask("picture").data
    if not picture:
        raise WebError(code="no-camera")
    return companion().hands.do(CARD, codes_in, picture)

"""The host card: made and made invalid by the host, read by the camera over the table."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from flask import Blueprint, Response, current_app, jsonify

from companion_app.hands.work import CARD
from companion_app.web.card import codes_in, drawn_card, drawn_code, some_code
from companion_app.web.context import companion, speech
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotHost, WebError
from companion_app.web.serving.exchange import asked

blueprint = Blueprint("card", __name__)
LOOKS, LOOKS_WINDOW_S = 40, 60.0
"""A phone asks every two seconds while its owner lays the card down."""
SAME_S = 1.5
"""Whoever asks within that time is answered by the same look: many phones cost no more than one."""
SEEN = "snake-eye-card"


@dataclass
class Codes:
    """The codes that were last seen on the table."""

    texts: tuple[str, ...] = ()
    at_s: float = -SAME_S
    lock: threading.Lock = field(default_factory=threading.Lock)


@blueprint.post("/api/card")
@access.must_be_host
def card() -> Response:
    """Make a new card (``make``), which is shown this once, or make the old one invalid."""
    sent, kept, words = asked(), companion().settings, speech()
    if sent.get("make") is True:
        code = some_code()
        kept.keep_card(code)
        drawn = drawn_card(code, companion().address, words.page("card-title"),
                           words.page("card-about"))  # fmt: skip
        return jsonify({"card": True, "svg": drawn})
    if sent.get("forget") is not True:
        raise BadRequest("say make or forget")
    kept.keep_card("")
    return jsonify({"card": False})


@blueprint.get("/api/card.svg")
@access.part_of("page")
def phone_code() -> Response:
    """Return the code that this phone shows beside the card."""
    return Response(drawn_code(access.phone_code(some_code)), mimetype="image/svg+xml")


@blueprint.post("/api/login/card")
@access.part_of("page")
def login() -> Response:
    """Become the host where the camera sees the card, and this phone's code beside it."""
    access.limit(companion().limiter, "card", LOOKS, LOOKS_WINDOW_S)
    if not companion().settings.now.card_hash:
        raise WebError(code="no-card")
    texts = _seen()
    if access.phone_code(some_code) not in texts:
        raise NotHost(code="card-not-seen")
    access.try_cards_seen(texts, companion().settings)
    access.forget_phone_code()
    return jsonify({"host": True})


def _seen() -> tuple[str, ...]:
    """Return the codes on the table, looked for by a hand: the game waits for nobody."""
    known: Codes = current_app.extensions.setdefault(SEEN, Codes())
    with known.lock:
        if time.monotonic() - known.at_s >= SAME_S:
            picture = companion().eye.ask("picture").data
            if not picture:
                raise WebError(code="no-camera")
            known.texts = companion().hands.do(CARD, codes_in, picture)
            known.at_s = time.monotonic()
        return known.texts

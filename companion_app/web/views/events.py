"""The event stream: server-sent events that take up where a phone left off."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flask import Response, request

from companion_app.line.hub import Event, FullHouse, Hub, Listener
from companion_app.web.context import companion, speech
from companion_app.web.serving.exchange import Views, refused

HEARTBEAT_S = 10.0
"""Tells a phone that the line is alive, and us that the phone is."""
RETRY_MS = 1500
RETRY_AFTER_FULL_S = 15
views = Views("events", __name__)


@views.reads("/api/events")
def events() -> Response:
    """Stream what happens; ``Last-Event-ID`` (or ``since``) says what the phone knows."""
    hub = companion().hub
    known = request.headers.get("Last-Event-ID") or request.args.get("since") or ""
    try:
        listener = hub.listen(int(known) if known.isdigit() else None)
    except FullHouse:
        text = speech().page("error-full-house")
        return refused(503, "full-house", text, "", RETRY_AFTER_FULL_S)
    answer = Response(stream(hub, listener), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    return answer


def stream(hub: Hub, listener: Listener) -> Iterator[str]:
    """Yield the lines of a stream until the phone or the server goes."""
    try:
        yield f"retry: {RETRY_MS}\n: hello\n\n"
        while not listener.closed:
            waiting = listener.take(HEARTBEAT_S)
            yield "".join(line(event) for event in waiting) or ": still here\n\n"
    finally:
        hub.leave(listener)


def line(event: Event) -> str:
    """Return an event as the stream writes it."""
    number = f"id: {event.id}\n" if event.id else ""
    name = str(event.body.get("event", "message"))
    return f"{number}event: {name}\ndata: {json.dumps(event.body, ensure_ascii=False)}\n\n"

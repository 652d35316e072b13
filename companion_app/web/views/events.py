"""The event stream: server-sent events that resume where a phone left off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from flask import Response, request

from companion_app.line.hub import Event, FullHouse, Listener
from companion_app.web.context import companion, speech
from companion_app.web.serving.exchange import Views, refused

HEARTBEAT_S = 10.0
"""Seconds between heartbeats, by which phone and server notice a lost connection."""
BEAT = Event(0, {"event": "beat"})
"""The heartbeat. It is an event, because browsers do not show comments of a stream to the page."""
LINES_KEPT = 16
RETRY_MS = 1500
NUMBER = re.compile(r"[0-9]{1,18}")
RETRY_AFTER_FULL_S = 15
views = Views("events", __name__)


@views.reads("/api/events")
def events() -> Response:
    """Stream events after ``Last-Event-ID`` (or ``since``), the last one that the phone saw."""
    hub = companion().hub
    known = request.headers.get("Last-Event-ID") or request.args.get("since") or ""
    try:
        listener = hub.listen(int(known) if NUMBER.fullmatch(known) else None)
    except FullHouse:
        text = speech().page("error-full-house")
        return refused(503, "full-house", text, "", RETRY_AFTER_FULL_S)
    answer = Response(stream(listener), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    # Not in the stream itself: for a HEAD request it never starts, so nothing in it would run.
    answer.call_on_close(lambda: hub.leave(listener))
    return answer


def stream(listener: Listener) -> Iterator[bytes]:
    """Yield the text of a stream until the phone disconnects or the server shuts down."""
    yield f"retry: {RETRY_MS}\n: hello\n\n".encode()
    while not listener.closed:
        yield b"".join(line(event) for event in listener.take(HEARTBEAT_S) or [BEAT])


@lru_cache(maxsize=LINES_KEPT)
def line(event: Event) -> bytes:
    """Return an event in the format of server-sent events, made once for all phones."""
    number = f"id: {event.id}\n" if event.id else ""
    name = str(event.body.get("event", "message"))
    data = json.dumps(event.body, ensure_ascii=False)
    return f"{number}event: {name}\ndata: {data}\n\n".encode(errors="replace")

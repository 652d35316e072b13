"""The event stream: server-sent events that resume where a phone left off."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from functools import lru_cache

from flask import Blueprint, Response, request

from companion_app.line.hub import Event, Hub
from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.streams import Bell, stream

HEARTBEAT_S = 10.0
"""Seconds between heartbeats, by which phone and server notice a lost connection."""
BEAT = Event(0, {"event": "beat"})
"""The heartbeat. It is an event, because browsers do not show comments of a stream to the page."""
LINES_KEPT = 16
RETRY_MS = 1500
NUMBER = re.compile(r"[0-9]{1,18}")
views = Blueprint("events", __name__)


@views.get("/api/events")
def events() -> Response:
    """Stream events after ``Last-Event-ID`` (or ``since``), the last one that the phone saw."""
    last = request.headers.get("Last-Event-ID") or request.args.get("since") or ""
    hub, after = companion().hub, int(last) if NUMBER.fullmatch(last) else None
    return stream(lambda bell: lines(hub, after, bell), access.is_host())


async def lines(hub: Hub, after: int | None, bell: Bell) -> AsyncGenerator[bytes, None]:
    """Yield the text of a stream until it is closed or the server shuts down."""
    listener = hub.listen(after, bell=bell.ring)
    try:
        yield f"retry: {RETRY_MS}\n: hello\n\n".encode()
        while not listener.closed:
            due = listener.take(0)
            if due or not await bell.wait(HEARTBEAT_S):
                yield b"".join(line(event) for event in due or [BEAT])
    finally:
        hub.leave(listener)


@lru_cache(maxsize=LINES_KEPT)
def line(event: Event) -> bytes:
    """Return an event in the format of server-sent events, made once for all phones."""
    number = f"id: {event.id}\n" if event.id else ""
    name = str(event.body.get("event", "message"))
    data = json.dumps(event.body, ensure_ascii=False)
    return f"{number}event: {name}\ndata: {data}\n\n".encode(errors="replace")

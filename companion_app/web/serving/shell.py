"""Flask behind uvicorn: bodies are received before a view runs, and answers sent after it has.

A view runs in a thread of a small pool, and never waits for a phone there: what comes slowly and
what is read slowly is waited for in the loop. Few views compute at once (see ``aside``).
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from flask import Flask

from companion_app.aside import placed
from companion_app.web.serving.gate import Line, Receive, chunks
from companion_app.web.serving.guard import LARGEST_PICTURE_BYTES
from companion_app.web.serving.streams import (
    LISTENERS,
    RETRY_AFTER_S,
    STREAM,
    Begin,
    Bell,
    Bells,
    Listeners,
)

log = logging.getLogger(__name__)

LARGEST_BODY = LARGEST_PICTURE_BYTES + (64 << 10)
"""The largest body, in bytes: a picture and the form around it."""
MOST_BODIES, BODIES_OF_ONE = 64 << 20, 32 << 20
"""The most that all bodies together may take, and those of one address."""
CHUNK_S, BODY_S = 30.0, 300.0
"""Seconds in which more of a body has to come, and the whole of it."""
STUCK_S = 30.0
"""A phone that reads nothing of its answer for so long is dropped."""
PIECE = 256 << 10
"""Bytes of a long answer that are made at a time."""
THREADS = 64
"""The most views that run or wait for another process."""
BUSY = 503
AT_ONCE = 2
"""Requests computed at once: while one waits for the disk, another computes."""

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Answer:
    """What a view answered: its head, and its body in pieces."""

    status: int
    headers: list[tuple[str, str]]
    parts: Iterator[bytes]
    begin: Begin | None = None
    """Begins the stream that is the body."""
    piece: bytes = b""
    is_last: bool = False
    """Whether nothing follows this piece."""

    def go_on(self) -> None:
        """Make the next piece; it may take a while."""
        made, self.is_last = bytearray(), True
        for part in self.parts:
            made += part
            if len(made) >= PIECE:
                self.is_last = False
                break
        self.piece = bytes(made)


class Refused(Exception):  # noqa: N818 - an answer, in its own words
    """A request that no view sees; its language is unread, so the words are English."""

    def __init__(self, status: int, code: str, text: str) -> None:
        body = f'{{"error": {{"code": "{code}", "text": "{text}"}}}}'.encode()
        headers = [("Content-Type", "application/json")]
        if status == BUSY:
            headers.append(("Retry-After", str(RETRY_AFTER_S)))
        self.answer = Answer(status, headers, iter(()), piece=body, is_last=True)


def _full() -> Refused:
    return Refused(BUSY, "full-house", "Too many phones. Try again in a moment.")


class Shell:
    """An ASGI application that answers by a Flask application."""

    def __init__(
        self, app: Flask, loop: asyncio.AbstractEventLoop, at_once: int, most_listeners: int
    ) -> None:
        self._app, self._loop = app, loop
        self._places = asyncio.Semaphore(at_once)
        self._threads = ThreadPoolExecutor(THREADS, "view")
        self._bodies: Counter[str] = Counter()
        """Bytes of the bodies that are here, by address."""
        self._listeners, self._bells = Listeners(most_listeners), Bells(loop)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        line: Line = scope["state"]["line"]
        try:
            answer = await self._answered(scope, receive, line)
            if answer.begin is not None and scope["method"] != "HEAD":
                await self._stream(answer.begin, answer, line, send)
            else:
                await self._send(answer, send)
        except TimeoutError:
            log.warning("%s neither sends nor reads; dropped", line.address)
            line.drop()
        except (ConnectionError, asyncio.CancelledError):
            line.drop()

    def close(self) -> None:
        """Leave the requests that still run to themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    # --- bodies ------------------------------------------------------------------------------

    async def _answered(self, scope: Scope, receive: Receive, line: Line) -> Answer:
        try:
            if line.is_turned_away:
                raise _full()
            if not scope["raw_path"].startswith(b"/"):
                raise Refused(400, "bad-request", "That is no address of this page.")
            async with self._received(scope, receive, line.address) as body:
                environ = environ_of(scope, body)
                return await self._viewed({**environ, LISTENERS: self._listeners})
        except Refused as refusal:
            if line.is_turned_away:
                refusal.answer.headers.append(("Connection", "close"))
            return refusal.answer

    @asynccontextmanager
    async def _received(
        self, scope: Scope, receive: Receive, address: str
    ) -> AsyncIterator[BytesIO]:
        """Receive a body, which takes its part of the budget until the block ends."""
        headers, body, taken = dict(scope["headers"]), BytesIO(), 0
        try:
            taken = self._take(address, int(headers.get(b"content-length", 0)), 0)
            if taken or b"transfer-encoding" in headers:
                async with asyncio.timeout(BODY_S):
                    async for chunk in chunks(receive, CHUNK_S):
                        body.write(chunk)
                        taken += self._take(address, max(0, body.tell() - taken), taken)
                body.seek(0)
            yield body
        finally:
            self._bodies[address] -= taken
            self._bodies += Counter()  # forgets addresses without a body

    def _take(self, address: str, count: int, before: int) -> int:
        if before + count > LARGEST_BODY:
            raise Refused(413, "too-large", "That is too large.")
        of_one, of_all = self._bodies[address] + count, self._bodies.total() + count
        if of_one > BODIES_OF_ONE or of_all > MOST_BODIES:
            raise _full()
        self._bodies[address] += count
        return count

    # --- views -------------------------------------------------------------------------------

    async def _viewed(self, environ: dict[str, Any]) -> Answer:
        """Have a request answered in a thread, once it may compute."""
        await self._places.acquire()
        has_place = True

        def leave() -> None:
            nonlocal has_place
            if has_place:
                has_place = False
                self._places.release()

        try:
            return await self._loop.run_in_executor(self._threads, self._view, environ, leave)
        finally:
            leave()

    def _view(self, environ: dict[str, Any], leave: Callable[[], None]) -> Answer:
        answer = Answer(500, [], iter(()))

        def stand_aside() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(leave)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            answer.status, answer.headers = int(status.split(maxsplit=1)[0]), headers

        try:
            with placed(stand_aside):
                answer.parts = _closed_after(self._app(environ, start))
                answer.begin = environ.get(STREAM)
                answer.go_on()
                return answer
        except Exception:
            # The errors of views are answered by Flask; this is an answer that breaks off.
            log.exception("an answer failed: %s", environ["PATH_INFO"])
            return Refused(500, "broken", "Something broke.").answer

    # --- answers -----------------------------------------------------------------------------

    async def _send(self, answer: Answer, send: Send) -> None:
        """Send an answer as fast as the phone reads it."""
        await send(_head(answer))
        while not answer.is_last:
            await _send_piece(send, answer.piece, more=True)
            await self._loop.run_in_executor(self._threads, answer.go_on)
        await _send_piece(send, answer.piece, more=False)

    async def _stream(self, begin: Begin, answer: Answer, line: Line, send: Send) -> None:
        """Send a stream until it ends, the phone hangs up or the server is closed."""
        line.streaming = asyncio.current_task()
        answer.headers = [pair for pair in answer.headers if pair[0] != "Content-Length"]
        answer.headers.append(("Connection", "close"))
        await send(_head(answer))
        with suppress(asyncio.CancelledError), self._listeners.counted(line.address):
            async with aclosing(begin(Bell(self._bells))) as pieces:
                async for piece in pieces:
                    await _send_piece(send, piece, more=True)
        line.streaming = None
        await _send_piece(send, b"", more=False)


def environ_of(scope: Scope, body: BytesIO) -> dict[str, Any]:
    """Return a request as WSGI has it."""
    (server, port), (client, _) = scope["server"], scope["client"]
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server,
        "SERVER_PORT": str(port),
        "REMOTE_ADDR": client,
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        if key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            environ[key] = value.decode("latin-1")
        # A name with "_" could pass for another one with "-".
        elif b"_" not in name and key != "TRANSFER_ENCODING":
            before = environ.get(f"HTTP_{key}")
            joint = "; " if key == "COOKIE" else ","
            environ[f"HTTP_{key}"] = joint.join(filter(None, (before, value.decode("latin-1"))))
    if "CONTENT_LENGTH" not in environ:
        environ["CONTENT_LENGTH"] = str(body.getbuffer().nbytes)
    return environ


def _head(answer: Answer) -> dict[str, Any]:
    headers = [(name.encode("latin-1"), text.encode("latin-1")) for name, text in answer.headers]
    return {"type": "http.response.start", "status": answer.status, "headers": headers}


async def _send_piece(send: Send, piece: bytes, *, more: bool) -> None:
    """Send a piece of an answer.

    Raises:
        TimeoutError: the phone reads nothing.
    """
    async with asyncio.timeout(STUCK_S):
        await send({"type": "http.response.body", "body": piece, "more_body": more})


def _closed_after(parts: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from parts
    finally:
        getattr(parts, "close", lambda: None)()

"""The port to which tables send: https with the hall's certificate, and nothing else behind it.

``POST /table/<id>/<kind>`` takes a signed message and answers with one. A question that the
receiver holds costs no thread, only its place here.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion_app.hall.line.keys import HallKeys, key_to_pem
from companion_app.hall.line.message import KINDS, MOST_BYTES, TABLE_ID
from companion_app.hall.receiver import NO_ROOM, OK, NotTakenError, Receiver
from companion_app.web.serving.gate import Line, Receive, chunks
from companion_app.web.serving.web_server import LoopServer

PORT = 8883
MOST_CONNECTIONS = 4000
"""Each table has one line to send and one that waits; after a fault one process has them all."""
MOST_SILENT = 600
"""Connections of one address that have not sent anything yet: all tables of a club may have one."""
MOST_TOGETHER_BYTES = 64 << 20
"""Of all messages that are coming in; one of them may have ``MOST_BYTES``."""
CHUNK_S, STUCK_S = 10.0, 10.0
"""Seconds in which more of a message has to come, and in which an answer has to be read."""
NOT_FOUND, TOO_LARGE = 404, 413
Event = MutableMapping[str, Any]
Send = Callable[[Event], Awaitable[None]]


class TablesApp:
    """The application (ASGI) behind the port."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._bytes = 0
        """Of all messages that are coming in."""

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """Answer one request."""
        line: Line = scope["state"]["line"]
        try:
            status, body = await self._answered(scope, receive, line)
            length = (b"content-length", str(len(body)).encode())
            kind = (b"content-type", b"application/octet-stream")
            async with asyncio.timeout(STUCK_S):
                headers = [kind, length]
                await send({"type": "http.response.start", "status": status, "headers": headers})
                await send({"type": "http.response.body", "body": body})
        except (TimeoutError, ConnectionError, asyncio.CancelledError):
            line.drop()

    def close(self) -> None:
        """Do nothing: the receiver ends what waits."""

    async def _answered(self, scope: Event, receive: Receive, line: Line) -> tuple[int, bytes]:
        beginning, _, rest = str(scope["path"]).partition("/table/")
        table, _, kind = rest.partition("/")
        if line.is_turned_away:
            return NO_ROOM, b""
        if scope["method"] != "POST" or beginning or not TABLE_ID.fullmatch(table):
            return NOT_FOUND, b""
        if kind not in KINDS:
            return NOT_FOUND, b""
        message = bytearray()
        try:
            status = await self._receive(message, receive)
        finally:
            self._bytes -= len(message)
        return await self._take(table, kind, bytes(message)) if status == OK else (status, b"")

    async def _receive(self, message: bytearray, receive: Receive) -> int:
        """Receive a message; return the status of the answer where it is not ``OK``.

        Raises:
            TimeoutError: nothing more of it has come.
            ConnectionError: the table has hung up.
        """
        async for chunk in chunks(receive, CHUNK_S):
            message += chunk
            self._bytes += len(chunk)
            if len(message) > MOST_BYTES:
                return TOO_LARGE
            if self._bytes > MOST_TOGETHER_BYTES:
                return NO_ROOM
        return OK

    async def _take(self, table: str, kind: str, message: bytes) -> tuple[int, bytes]:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[tuple[int, bytes]] = loop.create_future()

        def settle(status: int, body: bytes) -> None:
            if not outcome.done():
                outcome.set_result((status, body))

        def answer(status: int, body: bytes) -> None:
            # The loop may have ended when the receiver answers what it had left.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, status, body)

        try:
            if self._receiver.knows(table):
                self._receiver.take(table, kind, message, answer)
            else:
                await asyncio.to_thread(self._receiver.take, table, kind, message, answer)
        except NotTakenError as error:
            return error.status, b""
        return await outcome


class TablesPort(LoopServer):
    """The server of that application."""

    def __init__(self, receiver: Receiver, keys: HallKeys, sock: socket.socket) -> None:
        loop = asyncio.new_event_loop()
        app, context = TablesApp(receiver), _context(keys)
        super().__init__(app, loop, sock, MOST_CONNECTIONS, MOST_SILENT, context)


def _context(keys: HallKeys) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.TemporaryDirectory() as folder:
        # Python reads a certificate with its key only from a file.
        file = Path(folder) / "hall.pem"
        file.touch(0o600)
        file.write_text(key_to_pem(keys.serving) + keys.certificate_pem, encoding="ascii")
        context.load_cert_chain(file)
    return context

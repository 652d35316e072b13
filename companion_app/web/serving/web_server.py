"""The HTTP server of a page: one loop in a thread of its own, over http and https alike."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
import time
from email.utils import formatdate
from typing import Any

from flask import Flask
from uvicorn.config import Config

from companion_app.listening import listening
from companion_app.web.serving.gate import MOST_CONNECTIONS, MOST_SILENT, Gate
from companion_app.web.serving.shell import AT_ONCE, Shell
from companion_app.web.serving.streams import MOST_LISTENERS

LARGEST_HEAD = 32 * 1024
END_S = 1.0
"""Seconds in which running requests may be answered when the server is closed."""
GLANCE_S = 0.02


class LoopServer:
    """An application behind its gate, in a loop and a thread of its own."""

    def __init__(
        self,
        app: Any,
        loop: asyncio.AbstractEventLoop,
        sock: socket.socket,
        most_connections: int,
        most_silent: int = MOST_SILENT,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """Serve an application (ASGI, with ``close``) on a socket that listens.

        It is over https where a context is given; ``most_silent`` limits the connections of one
        address that have not made a request yet.
        """
        self._app, self._loop, self._sock, self._context = app, loop, sock, context
        self.port = int(sock.getsockname()[1])
        # What guests send wrong is no fault of ours: only errors are logged.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        config = Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=3600,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        config.load()
        self._gate = Gate(loop, config, most_connections, most_silent)
        self._thread = threading.Thread(target=self._serve, name="server", daemon=True)

    def start(self) -> None:
        """Serve in the background."""
        self._thread.start()

    def open_https(self, sock: socket.socket, context: ssl.SSLContext) -> None:
        """Serve over https as well, on a socket that listens already."""
        self._loop.call_soon_threadsafe(self._gate.open, sock, context)

    def wait(self) -> None:
        """Wait until the server ends; Ctrl-C gets through."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Stop serving: running requests are answered, but for those that take longer."""
        if not self._thread.is_alive():
            self._sock.close()
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        self._thread.join(5)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._gate.open(self._sock, self._context)
            self._note_date()
            self._loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _end(self) -> None:
        self._gate.close()
        until_s = self._loop.time() + END_S
        while self._gate.lines() and self._loop.time() < until_s:
            await asyncio.sleep(GLANCE_S)
        for line in self._gate.lines():
            line.drop()
        self._app.close()
        self._loop.call_soon(self._loop.stop)

    def _note_date(self) -> None:
        """Make the header that tells the time; uvicorn sends it with every answer."""
        self._gate.state.default_headers = [
            (b"Date", formatdate(time.time(), usegmt=True).encode())
        ]
        self._loop.call_later(1.0, self._note_date)


class Server(LoopServer):
    """The server of a Flask application."""

    def __init__(
        self,
        app: Flask,
        host: str = "",
        port: int = 0,
        sock: socket.socket | None = None,
        most_connections: int = MOST_CONNECTIONS,
        most_listeners: int = MOST_LISTENERS,
        at_once: int = AT_ONCE,
    ) -> None:
        """Serve on a port of an address, or on a socket that listens already.

        ``at_once`` limits how many requests are computed at once.

        Raises:
            OSError: the port is in use.
        """
        loop = asyncio.new_event_loop()
        shell = Shell(app, loop, at_once, most_listeners)
        own = listening(host, port) if sock is None else sock
        super().__init__(shell, loop, own, most_connections)

"""The HTTP server of a page: one loop in a thread of its own, over http and https alike."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
import time
from email.utils import formatdate
from typing import Any, cast

from flask import Flask
from uvicorn.config import Config

from companion_app.listening import listening
from companion_app.web.serving.gate import MOST_CONNECTIONS, Gate
from companion_app.web.serving.shell import AT_ONCE, Shell
from companion_app.web.serving.streams import MOST_LISTENERS

LARGEST_HEAD = 32 * 1024
END_S = 1.0
"""Seconds in which running requests may be answered when the server is closed."""
GLANCE_S = 0.02


class Server:
    """A running server."""

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
        self._sock = listening(host, port) if sock is None else sock
        self.port = int(self._sock.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._shell = Shell(app, self._loop, at_once, most_listeners)
        # What guests send wrong is no fault of ours: only errors are logged.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        config = Config(
            cast(Any, self._shell),
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
        self._gate = Gate(self._loop, config, most_connections)
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)

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
            self._gate.open(self._sock)
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
        self._shell.close()
        self._loop.call_soon(self._loop.stop)

    def _note_date(self) -> None:
        """Make the header that tells the time; uvicorn sends it with every answer."""
        self._gate.state.default_headers = [
            (b"Date", formatdate(time.time(), usegmt=True).encode())
        ]
        self._loop.call_later(1.0, self._note_date)

"""Serves the page: parked threads for listening phones, an address that phones can reach."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from typing import Any, cast

from flask import Flask
from waitress.server import create_server

from companion_app.web.serving.access import LARGEST_PICTURE_BYTES
from companion_app.web.serving.admission import MOST_CONNECTIONS, Door
from companion_app.web.serving.pool import Pool

MOST_THREADS, SPARE_THREADS = 240, 8
"""Every listening phone parks one; a parked thread costs about 0.03 MB."""
CHANNEL_TIMEOUT_S = 60
PORT = 8080
NEXT_PORTS = 20


class Server:
    """A running server."""

    def __init__(
        self, app: Flask, host: str, port: int, most_threads: int = MOST_THREADS,
        most_connections: int = MOST_CONNECTIONS,
    ) -> None:  # fmt: skip
        # Fifty phones that ask at once wait a moment for a thread, as they should.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        made = create_server(
            app, host=host, port=port, channel_timeout=CHANNEL_TIMEOUT_S,
            _dispatcher=Pool(most_threads, SPARE_THREADS),
            # Notices phones that went away while their stream is silent.
            channel_request_lookahead=5, connection_limit=2 * most_connections,
            asyncore_use_poll=True, max_request_header_size=32 * 1024, ident=None,
            cleanup_interval=10, outbuf_high_watermark=512 * 1024,
            max_request_body_size=LARGEST_PICTURE_BYTES + 64 * 1024,
        )  # fmt: skip
        self._server = cast(Any, made)
        self._door = Door(self._server, most_connections)
        self.port = int(self._server.effective_port)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        """Serve in the background."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until the server ends; Ctrl-C gets through."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Stop serving."""
        self._server.close()
        self._door.close()
        with contextlib.suppress(Exception):
            self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=1)
        self._thread.join(3)
        for channel in list(self._server.active_channels.values()):
            with contextlib.suppress(OSError):
                channel.handle_close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            self._server.run()


def serve(app: Flask, host: str, port: int | None) -> Server:
    """Return a server on a port; without one, on ours or one of the next.

    Raises:
        OSError: the port is taken.
    """
    wanted = [port] if port is not None else [PORT + n for n in range(NEXT_PORTS)]
    for number in wanted[:-1]:
        with contextlib.suppress(OSError):
            return Server(app, host, number)
    return Server(app, host, wanted[-1])


def reachable_host(host: str) -> str:
    """Return the address by which phones in the same network find this machine."""
    if host not in ("", "0.0.0.0", "::"):
        return host
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # No packet is sent: the system only says which of its addresses would be used.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "127.0.0.1"

"""The HTTP server of the page: waitress with a thread pool that grows with listening phones."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any, cast

from flask import Flask
from waitress.server import create_server
from waitress.task import ThreadedTaskDispatcher

from companion_app.slots import AT_ONCE, Slots
from companion_app.web.serving.access import LARGEST_PICTURE_BYTES
from companion_app.web.serving.admission import MOST_CONNECTIONS, Door

MOST_THREADS, SPARE_THREADS = 270, 8
"""The largest thread pool, and the idle threads kept ready. Every phone that listens to events
blocks one thread; a blocked thread costs about 0.03 MB."""
CHANNEL_TIMEOUT_S = 60


class Server:
    """A running server."""

    def __init__(
        self,
        app: Flask,
        host: str = "",
        port: int = 0,
        sock: socket.socket | None = None,
        most_threads: int = MOST_THREADS,
        most_connections: int = MOST_CONNECTIONS,
        at_once: int = AT_ONCE,
    ) -> None:
        """Serve on a port of an address, or on a socket that listens already.

        ``at_once`` limits how many requests are computed at once.
        """
        where: dict[str, Any] = {"host": host, "port": port}
        if sock is not None:
            where = {"sockets": [sock]}
        # Waiting a moment for a thread is normal when fifty phones ask at once: do not warn.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        made = create_server(
            Slots(app, at_once),
            **where,
            channel_timeout=CHANNEL_TIMEOUT_S,
            _dispatcher=Pool(most_threads, SPARE_THREADS),
            # Lookahead reads detect phones that disconnect while their event stream is silent.
            channel_request_lookahead=5,
            connection_limit=2 * most_connections,
            asyncore_use_poll=True,
            max_request_header_size=32 * 1024,
            ident=None,
            cleanup_interval=10,
            outbuf_high_watermark=512 * 1024,
            max_request_body_size=LARGEST_PICTURE_BYTES + 64 * 1024,
        )
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
        # Finish running requests first: they need the sockets that closing the server destroys.
        # Those that take longer have nobody left to answer, which is no fault to tell of.
        pool = self._server.task_dispatcher
        pool.closing = True
        pool.logger.setLevel(logging.ERROR)
        with contextlib.suppress(Exception):
            pool.shutdown(cancel_pending=True, timeout=1)
        self._server.close()
        self._door.close()
        self._thread.join(3)
        for channel in list(self._server.active_channels.values()):
            with contextlib.suppress(OSError):
                channel.handle_close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            self._server.run()


class Pool(ThreadedTaskDispatcher):
    """A thread pool with as many threads as phones need right now, and a few idle ones.

    Every phone that listens to events blocks a thread. The pool of waitress has a fixed size; this
    one grows when a request would have to wait, and shrinks when phones have disconnected.
    """

    def __init__(self, most: int, spare: int) -> None:
        super().__init__()
        self._most, self._spare = most, spare
        self._counting = threading.Lock()
        self._asked = 0
        """The number of requests that are queued or running."""
        self.closing = False
        """Whether the server is being closed."""
        self.set_thread_count(spare)

    def add_task(self, task: Any) -> None:
        """Queue a request, and add threads where all are busy."""
        asked = self._count(1)
        running = len(self.threads) - self.stop_count
        # Hysteresis: up to twice the spare threads stay idle, since short requests are frequent.
        if asked > running or running > asked + 2 * self._spare:
            self.set_thread_count(min(self._most, asked + self._spare))
        super().add_task(cast(Any, _Counted(task, self._count, lambda: self.closing)))

    def _count(self, by: int) -> int:
        with self._counting:
            self._asked += by
            return self._asked


class _Counted:
    """A task that decrements the pool's request count when it ends."""

    def __init__(self, task: Any, count: Callable[[int], int], closing: Callable[[], bool]) -> None:
        self._task, self._count, self._closing = task, count, closing

    def service(self) -> None:
        """Answer the request."""
        try:
            self._task.service()
        except OSError:
            # The sockets are gone when the server has been closed meanwhile.
            if not self._closing():
                raise
        finally:
            self._count(-1)

    def cancel(self) -> None:
        """Drop the request, since the server shuts down."""
        self._count(-1)
        self._task.cancel()

"""A TLS-terminating proxy: decrypts https and forwards the bytes to the page's http port.

Waitress has no TLS, and simple TLS servers block on one silent client. Here handshakes run
asynchronously with a timeout, so that a silent client delays nobody.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from companion_app.web.serving.admission import TURNED_AWAY

MAKE_CERTIFICATE = Path(__file__).parents[3] / "deploy/make-certificate.sh"
CERTIFICATE_WITHIN_S = 60.0
PORT, NEXT_PORTS = 8443, 5
HANDSHAKE_S = 10.0
CHUNK = 64 << 10
MOST_PHONES = 300


class HttpsOffer:
    """The page over https, started on demand: browsers allow a phone's live camera only there."""

    def __init__(
        self,
        folder: Path,
        host: str,
        page_port: int,
        port: int | None = None,
        names: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._folder, self._host, self._page_port = folder, host, page_port
        self._names = names
        self._ports = [port] if port is not None else [PORT + n for n in range(NEXT_PORTS)]
        self._lock = threading.Lock()
        self.port: int | None = None
        """The https port; ``None`` until ``start`` has succeeded."""
        self._front: HttpsFront | None = None

    def peer(self, address: str, port: int) -> str | None:
        """Return the address of the phone behind a connection; ``None`` if it is not https."""
        return self._front.lines.get((address, port)) if self._front is not None else None

    @property
    def authority(self) -> Path:
        """The file of the CA certificate, which owners can install on their phones."""
        return self._folder / "authority.pem"

    def start(self) -> int:
        """Serve over https and return the port; further calls only return the port.

        Raises:
            OSError: no certificate could be made, or every port is taken.
        """
        with self._lock:
            if self.port is None:
                self._make_certificate()
                self.port = self._served()
        return self.port

    def _make_certificate(self) -> None:
        command = [str(MAKE_CERTIFICATE), str(self._folder), *self._names()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=CERTIFICATE_WITHIN_S)
        except subprocess.SubprocessError as error:
            raise OSError(f"no certificate could be made: {error}") from error

    def _served(self) -> int:
        front = HttpsFront(
            self._folder / "server.pem", self._folder / "server.key", self._page_port
        )
        self._front = front
        for port in self._ports[:-1]:
            with suppress(OSError):
                front.start(self._host, port)
                return front.port
        front.start(self._host, self._ports[-1])
        return front.port


class HttpsFront:
    """The TLS listener in front of the page's http port."""

    def __init__(
        self, certificate: Path, key: Path, page_port: int, most: int = MOST_PHONES
    ) -> None:
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._context.load_cert_chain(certificate, key)
        self._page_port = page_port
        self._phones, self._most = 0, most
        self.port = 0
        """The listening port; 0 before ``start``."""
        self.lines: dict[tuple[str, int], str] = {}
        """The phone's address for each connection to the page, by its local address and port."""
        self._ready = threading.Event()
        self._trouble: OSError | None = None

    def start(self, host: str, port: int) -> None:
        """Serve in the background.

        Raises:
            OSError: the port is taken.
        """
        self._ready.clear()
        self._trouble = None
        work = threading.Thread(
            target=lambda: asyncio.run(self._serve(host, port)), name="https", daemon=True
        )
        work.start()
        self._ready.wait(10)
        if self._trouble is not None:
            raise self._trouble

    async def _serve(self, host: str, port: int) -> None:
        try:
            server = await asyncio.start_server(
                self._pass_on,
                host,
                port,
                ssl=self._context,
                limit=CHUNK,
                ssl_handshake_timeout=HANDSHAKE_S,
            )
        except OSError as error:
            self._trouble = error
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        async with server:
            await server.serve_forever()

    async def _pass_on(self, phone: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        if self._phones >= self._most:
            with suppress(OSError, ssl.SSLError):
                # Read the request first: closing with unread data resets the connection, and the
                # phone would lose the answer.
                await asyncio.wait_for(phone.read(CHUNK), HANDSHAKE_S)
                back.write(TURNED_AWAY)
                await back.drain()
            back.close()
            return
        self._phones += 1
        try:
            peer = back.get_extra_info("peername")
            page, to_page = await asyncio.open_connection(
                "127.0.0.1", self._page_port, limit=CHUNK, local_addr=(loopback_of(peer[0]), 0)
            )
            line = to_page.get_extra_info("sockname")[:2]
            self.lines[line] = peer[0]
            try:
                await asyncio.gather(_copied(phone, to_page), _copied(page, back))
            finally:
                del self.lines[line]
        except OSError:
            back.close()
        finally:
            self._phones -= 1


def loopback_of(address: str) -> str:
    """Return a loopback address that stands for a phone's address.

    The page limits PIN guesses by client address. From one loopback address all phones would look
    like one, and a forwarding header is not trusted, since a phone could forge it.
    """
    parts = address.rpartition(":")[2].split(".")
    if len(parts) != 4:
        return "127.0.0.2"
    return ".".join(["127", *parts[1:]]) if parts[0] != "127" else "127.0.0.1"


async def _copied(read: asyncio.StreamReader, write: asyncio.StreamWriter) -> None:
    with suppress(OSError, ssl.SSLError):
        while data := await read.read(CHUNK):
            write.write(data)
            await write.drain()
    with suppress(OSError, ssl.SSLError):
        write.close()

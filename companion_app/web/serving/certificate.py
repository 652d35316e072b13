"""The page over https, started on demand: browsers allow a phone's live camera only there."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from companion_app.listening import listening
from companion_app.web.serving.web_server import Server

MAKE_CERTIFICATE = Path(__file__).parents[3] / "deploy/make-certificate.sh"
CERTIFICATE_WITHIN_S = 60.0
PORT = 8443


class HttpsOffer:
    """The certificate that this machine makes for itself, and the port that uses it."""

    def __init__(
        self,
        folder: Path,
        host: str,
        server: Server,
        port: int | None = None,
        names: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._folder, self._host, self._server = folder, host, server
        self._wanted, self._names = port, names
        self._lock = threading.Lock()
        self.port: int | None = None
        """The https port; ``None`` until ``start`` has succeeded."""

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
                sock = listening(self._host, self._wanted, PORT)
                self._server.open_https(sock, server_context(self._folder))
                self.port = int(sock.getsockname()[1])
        return self.port

    def _make_certificate(self) -> None:
        command = [str(MAKE_CERTIFICATE), str(self._folder), *self._names()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=CERTIFICATE_WITHIN_S)
        except subprocess.SubprocessError as error:
            raise OSError(f"no certificate could be made: {error}") from error


def server_context(folder: Path) -> ssl.SSLContext:
    """Return how connections are encrypted by the certificate in a folder."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return context

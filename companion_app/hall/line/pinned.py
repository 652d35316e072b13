"""One https line to a hall whose certificate is known by its fingerprint, used again and again."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from companion_app.hall.errors import NoAnswerError
from companion_app.hall.line.keys import fingerprint_of
from companion_app.hall.line.message import MOST_BYTES

KIND = {"Content-Type": "application/octet-stream"}


class PinnedLine:
    """A line to one address; nothing is sent before the certificate was compared."""

    def __init__(self, address: str, fingerprint: str, timeout_s: float) -> None:
        """Prepare a line to ``HOST:PORT``; it is opened when something is sent."""
        parts = urlsplit(f"//{address}")
        self._fingerprint = fingerprint
        self._is_over = False
        self._line = HTTPSConnection(
            str(parts.hostname), parts.port, timeout=timeout_s, context=_context()
        )

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Send a message; return status and body of the answer.

        Raises:
            NoAnswerError: nobody answers in time, or it is not the hall.
        """
        try:
            if self._line.sock is None:
                return self._asked(path, body)
            try:
                return self._asked(path, body)
            except TimeoutError:
                raise
            except (OSError, HTTPException):
                if self._is_over:
                    raise
                # The hall may have closed a line that rested, just when it was needed.
                self.close()
                return self._asked(path, body)
        except (OSError, HTTPException) as error:
            self.close()
            raise NoAnswerError(f"the hall does not answer: {error}") from error
        except NoAnswerError:
            self.close()
            raise

    def _asked(self, path: str, body: bytes) -> tuple[int, bytes]:
        if self._line.sock is None:
            self._line.connect()
            self._check()
        self._line.request("POST", path, body, KIND)
        answer: HTTPResponse = self._line.getresponse()
        return answer.status, answer.read(MOST_BYTES)

    def _check(self) -> None:
        sock = self._line.sock
        assert isinstance(sock, ssl.SSLSocket)
        certificate = sock.getpeercert(binary_form=True)
        if certificate is None or fingerprint_of(certificate) != self._fingerprint:
            raise NoAnswerError("whoever answers there is not this table's hall")

    def close(self) -> None:
        """Close the line; the next message opens it again."""
        self._line.close()

    def hang_up(self) -> None:
        """End, from another thread, what waits for an answer, for good."""
        self._is_over = True
        sock = self._line.sock
        if sock is not None:
            with suppress(OSError):
                # Below TLS, whose own state belongs to the thread that waits.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # The fingerprint says who answers: neither a name nor an authority does.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

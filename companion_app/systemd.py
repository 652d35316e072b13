"""What systemd is told: that the companion is ready, and again and again that it lives."""

from __future__ import annotations

import socket
from collections.abc import Mapping

NAMES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
"""What systemd says to the process that it starts, and to no other."""


class Systemd:
    """Whoever started the service; nobody where it was not systemd."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        patience_s = int(environment.get("WATCHDOG_USEC", "0") or 0) / 1e6
        self.every_s = patience_s / 3 if patience_s else 0.0
        """How often it wants to hear that the eye lives; 0 for never."""

    def tell(self, what: str) -> None:
        """Send one message, where somebody listens."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.connect(address)
            out.send(what.encode())

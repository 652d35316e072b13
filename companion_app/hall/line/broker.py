"""The broker that the hall starts itself: Debian's Mosquitto, with a configuration written here.

The broker accepts only TLS with the hall's own certificates, limits a table to its own topics, and
stores no messages on disk. It survives a killed hall process; the next one finds it running.
"""

from __future__ import annotations

import contextlib
import getpass
import logging
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion_app.hall.errors import HallError
from companion_app.hall.line.keys import BROKER, HALL, HallKeys, key_to_pem
from companion_app.hall.line.message import MOST_BYTES
from companion_app.whole_file import write_whole

log = logging.getLogger(__name__)
PORT = 8883
PLACES = ("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto")
ANSWER_S = 1.0


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker listens."""

    host: str
    port: int


def parse_broker(text: str) -> BrokerAddress:
    """Return the address of a broker that runs already.

    Raises:
        HallError: the text is not an ``mqtts://`` address.
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or PORT
    except ValueError:
        host, port = None, PORT
    if not text.startswith("mqtts://") or not host:
        raise HallError("a broker is reached by TLS: write --broker mqtts://HOST:8883")
    return BrokerAddress(host, port)


def find_mosquitto() -> str | None:
    """Return the path of Mosquitto's program; ``None`` where it is not installed."""
    return shutil.which("mosquitto") or next((p for p in PLACES if Path(p).exists()), None)


class OwnBroker:
    """A Mosquitto process that the hall runs."""

    def __init__(self, folder: Path, keys: HallKeys, port: int = PORT, host: str = "") -> None:
        program = find_mosquitto()
        if program is None:
            raise HallError(
                "the hall needs Mosquitto: install Debian's package mosquitto, or name a broker "
                "that runs with --broker mqtts://HOST:8883"
            )
        self.address = BrokerAddress("127.0.0.1", port)
        self._program, self._folder, self._keys, self._host = program, folder, keys, host
        self._process: subprocess.Popen[bytes] | None = None
        self._revoked: frozenset[str] = frozenset()

    def keep_running(self, revoked: Iterable[str] = ()) -> None:
        """Start the broker if nothing answers; reload it if the list of revoked tables changed."""
        gone = frozenset(revoked)
        changed, self._revoked = gone != self._revoked, gone
        if not answers(self.address):
            self._start()
        elif changed:
            self._write()
            with contextlib.suppress(OSError, ValueError):
                # SIGHUP makes Mosquitto reload its certificates and lists.
                os.kill(int(self._pid_file.read_text()), signal.SIGHUP)

    def close(self) -> None:
        """Stop the broker if this process started it."""
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._pid_file.unlink(missing_ok=True)

    @property
    def _pid_file(self) -> Path:
        return self._folder / "mosquitto.pid"

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._write()
        log.info("Mosquitto is started at port %d", self.address.port)
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._folder / "mosquitto.conf")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._pid_file.write_text(str(self._process.pid))

    def _write(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        key_file = self._folder / "broker.key"
        if not key_file.exists():
            write_private(key_file, key_to_pem(Ed25519PrivateKey.generate()))
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        key = load_pem_private_key(key_file.read_bytes(), None)
        assert isinstance(key, Ed25519PrivateKey)
        files = {
            "authority.pem": self._keys.authority_pem,
            "broker.pem": self._keys.certificate_pem(BROKER, key.public_key(), server=True),
            "revoked.pem": self._keys.revoked_pem(sorted(self._revoked)),
            "rules.acl": rules(self._keys.id),
            "mosquitto.conf": configuration(self._folder, self.address.port, self._host),
        }
        for name, text in files.items():
            write_private(self._folder / name, text)


def rules(hall: str) -> str:
    """Return the broker's access control list: who may read and write which topics."""
    return (
        f"user {HALL}\ntopic readwrite snake-eye-hall/{hall}/#\n\n"
        f"pattern write snake-eye-hall/{hall}/from/%u/+\n"
        f"pattern read snake-eye-hall/{hall}/to/%u\n"
    )


def configuration(folder: Path, port: int, host: str) -> str:
    """Return Mosquitto's configuration."""
    lines = [
        f"listener {port} {host}".strip(),
        f"cafile {folder}/authority.pem",
        f"certfile {folder}/broker.pem",
        f"keyfile {folder}/broker.key",
        f"crlfile {folder}/revoked.pem",
        "tls_version tlsv1.3",
        "require_certificate true",
        "use_identity_as_username true",
        "allow_anonymous false",
        f"acl_file {folder}/rules.acl",
        f"message_size_limit {MOST_BYTES}",
        "max_queued_messages 2000",
        "persistence false",
        "log_type error",
        "log_dest stderr",
        # Started by root, Mosquitto would switch to a user that cannot read these files.
        f"user {getpass.getuser()}",
    ]
    return "\n".join(lines) + "\n"


def answers(address: BrokerAddress) -> bool:
    """Say whether something listens at an address."""
    try:
        socket.create_connection((address.host, address.port), ANSWER_S).close()
    except OSError:
        return False
    return True


def write_private(file: Path, text: str) -> None:
    """Write a file atomically, readable only by its owner."""
    write_whole(file, text, 0o600)

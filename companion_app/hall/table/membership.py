"""What a table keeps of the hall it joined: keys, address, and how far the hall has its log."""

from __future__ import annotations

import json
import secrets
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion_app.hall.errors import BadMessageError, JoinError
from companion_app.hall.line.broker import write_private
from companion_app.hall.line.joining import Request, hall_proof, plain_code, table_proof
from companion_app.hall.line.keys import id_of, key_from_text, key_to_text, public_to_text
from companion_app.hall.line.message import MOST_BYTES

FOLDER, FILE = "hall-table", "hall.json"
ANSWER_S = 20.0


@dataclass(frozen=True, slots=True)
class Membership:
    """The hall that a table joined."""

    address: str
    hall: str
    hall_key: str
    table: str
    name: str
    key: str
    """The table's private key."""
    authority: str
    certificate: str
    broker_host: str
    broker_port: int
    since: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """The sender's progress, stored across restarts; the hall knows ``acked`` if it is lost."""

    acked: int = 0
    pictured: int = 0
    """Line number of the last foul whose pictures the hall has."""
    life: int = 0
    """Number of starts of the sender; the high part of its message numbers."""
    ruled: int = 0
    """Number of the hall's last ruling that was obeyed."""


class MembershipFiles:
    """The files of a membership, in a folder of their own."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._file, self._cursor = self._folder / FILE, self._folder / "cursor.json"
        self._mark = 0

    def membership(self) -> Membership | None:
        """Return the hall that this table joined; ``None`` where it joined none."""
        try:
            return Membership(**json.loads(self._file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise JoinError("what this table keeps of its hall is damaged; join again") from error

    def join(self, membership: Membership) -> None:
        """Store a new membership, and reset the cursor to its first line."""
        self._folder.mkdir(parents=True, exist_ok=True)
        cursor = self.cursor()
        write_private(self._file, json.dumps(asdict(membership)))
        self.keep(Cursor(membership.since, membership.since, cursor.life, 0))

    def is_member(self, membership: Membership) -> bool:
        """Say whether this membership is still the stored one; cheap enough for polling."""
        try:
            mark = self._file.stat().st_mtime_ns
        except OSError:
            return False
        if mark != self._mark:
            self._mark = mark
            return self.membership() == membership
        return True

    def leave(self) -> bool:
        """Delete the membership with its key; say whether there was one."""
        was = self._file.exists()
        self._file.unlink(missing_ok=True)
        return was

    def cursor(self) -> Cursor:
        """Return the stored cursor; a new one where it is missing or damaged."""
        try:
            return Cursor(**json.loads(self._cursor.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return Cursor()

    def keep(self, cursor: Cursor) -> None:
        """Store the cursor."""
        write_private(self._cursor, json.dumps(asdict(cursor)))


def ask_to_join(address: str, code: str, name: str, since: int) -> Membership:
    """Join a hall by its code.

    Raises:
        JoinError: the hall does not answer, refuses, or does not know the code itself.
    """
    page = _page(address)
    if not plain_code(code):
        raise JoinError("the hall's code is missing; the hall's screen shows it")
    offered = _ask(f"{page}/api/hall/join", None)
    hall_key = str(offered.get("public_key", ""))
    key = Ed25519PrivateKey.generate()
    asked = Request(public_to_text(key.public_key()), name, since, secrets.token_hex(16))
    sent = {**asdict(asked), "proof": table_proof(code, hall_key, asked)}
    answer = _ask(f"{page}/api/hall/join", sent)
    proof = answer.pop("proof", "")
    if proof != hall_proof(code, hall_key, asked, answer):
        raise JoinError("whoever answered does not know the hall's code; ask who runs the hall")
    try:
        broker = answer["broker"]
        host = broker["host"] or urlsplit(page).hostname
        if answer["table"] != id_of(key.public_key()):
            raise BadMessageError("another table's certificate")
        return Membership(
            page,
            str(answer["hall"]),
            hall_key,
            str(answer["table"]),
            str(answer["name"]),
            key_to_text(key),
            str(answer["authority"]),
            str(answer["certificate"]),
            str(host),
            int(broker["port"]),
            since,
        )
    except (KeyError, TypeError, ValueError, BadMessageError) as error:
        raise JoinError("the hall's answer is not to be understood; update both") from error


def key_of(membership: Membership) -> Ed25519PrivateKey:
    """Return the table's private key."""
    return key_from_text(membership.key)


def _page(address: str) -> str:
    page = address if "://" in address else f"http://{address}"
    parts = urlsplit(page)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise JoinError("write the hall's address as its screen shows it: http://HOST:8090")
    return f"{parts.scheme}://{parts.netloc}"


def _ask(url: str, sent: dict[str, Any] | None) -> dict[str, Any]:
    data = None if sent is None else json.dumps(sent).encode()
    asked = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=ANSWER_S) as answer:
            said = json.loads(answer.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise JoinError(_refusal(error)) from error
    except (OSError, ValueError) as error:
        raise JoinError(f"no hall answers at {url}: {error}") from error
    if not isinstance(said, dict):
        raise JoinError(f"no hall answers at {url}")
    return said


def _refusal(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(MOST_BYTES))["error"]["text"])
    except (OSError, ValueError, KeyError, TypeError):
        return f"the hall refused with status {error.code}"

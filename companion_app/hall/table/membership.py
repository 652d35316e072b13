"""What a table keeps of the hall it joined: keys, address, and how far the hall has its log.

A table that joined under 1.0.0 does not know the hall's certificate yet: ``with_door`` asks for it.
"""

from __future__ import annotations

import json
import secrets
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion_app.hall.errors import BadMessageError, JoinError
from companion_app.hall.line.joining import (
    HTTPS,
    SPEAKS,
    Request,
    door_in,
    door_of,
    hall_proof,
    plain_code,
    table_proof,
)
from companion_app.hall.line.keys import id_of, key_from_text, key_to_text, public_to_text
from companion_app.hall.line.message import MOST_BYTES
from companion_app.listening import written
from companion_app.whole_file import write_whole

FOLDER, FILE = "hall-table", "hall.json"
ANSWER_S = 20.0


@dataclass(frozen=True, slots=True)
class Membership:
    """The hall that a table joined."""

    address: str
    """Of the hall's page."""
    hall: str
    hall_key: str
    table: str
    name: str
    key: str
    """The table's private key."""
    since: int
    port: int = 0
    """Where the hall takes messages, at the host of its page."""
    fingerprint: str = ""
    """Of the hall's certificate; empty where the table joined under 1.0.0."""

    @property
    def door(self) -> str:
        """Where the hall took this table in, as ``HOST:PORT``."""
        return written(str(urlsplit(self.address).hostname), self.port)


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
    doors: tuple[str, ...] = ()
    """Where the processes of the hall took messages when it last said so."""


NAMES = [field.name for field in fields(Membership)]


class MembershipFiles:
    """The files of a membership, in a folder of their own."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._file, self._cursor = self._folder / FILE, self._folder / "cursor.json"
        self._mark = 0

    def membership(self) -> Membership | None:
        """Return the hall that this table joined; ``None`` where it joined none."""
        try:
            values = json.loads(self._file.read_text(encoding="utf-8"))
            # One of 1.0.0 also has the certificates by which its broker was reached.
            return Membership(**{name: values[name] for name in NAMES if name in values})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise JoinError("what this table keeps of its hall is damaged; join again") from error

    def join(self, membership: Membership) -> None:
        """Store a new membership, and reset the cursor to its first line."""
        cursor = self.cursor()
        self.renew(membership)
        self.keep(Cursor(membership.since, membership.since, cursor.life, 0))

    def renew(self, membership: Membership) -> None:
        """Store what is known anew of the same hall; the cursor stays."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._file, json.dumps(asdict(membership)), 0o600)

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
            values = json.loads(self._cursor.read_text(encoding="utf-8"))
            return Cursor(**{**values, "doors": tuple(values.get("doors", ()))})
        except (OSError, ValueError, TypeError):
            return Cursor()

    def keep(self, cursor: Cursor) -> None:
        """Store the cursor."""
        write_whole(self._cursor, json.dumps(asdict(cursor)), 0o600)


def ask_to_join(address: str, code: str, name: str, since: int) -> Membership:
    """Join a hall by its code.

    Raises:
        JoinError: the hall does not answer, refuses, or does not know the code itself.
    """
    page = _page(address)
    if not plain_code(code):
        raise JoinError("the hall's code is missing; the hall's screen shows it")
    hall_key = str(_ask(f"{page}/api/hall/join", None).get("public_key", ""))
    key = Ed25519PrivateKey.generate()
    asked = Request(public_to_text(key.public_key()), name, since, secrets.token_hex(16))
    sent = {**asdict(asked), SPEAKS: HTTPS, "proof": table_proof(code, hall_key, asked)}
    answer = _ask(f"{page}/api/hall/join", sent)
    proof = answer.pop("proof", "")
    if proof != hall_proof(code, hall_key, asked, answer):
        raise JoinError("whoever answered does not know the hall's code; ask who runs the hall")
    try:
        if answer["table"] != id_of(key.public_key()):
            raise BadMessageError("another table's id")
        return Membership(
            page,
            str(answer["hall"]),
            hall_key,
            str(answer["table"]),
            str(answer["name"]),
            key_to_text(key),
            since,
            *door_of(answer),
        )
    except (KeyError, BadMessageError) as error:
        raise JoinError("the hall's answer is not to be understood; update both") from error


def with_door(membership: Membership) -> Membership:
    """Return a membership with port and certificate as the hall's page says, signed by its key.

    Raises:
        JoinError: the hall does not answer, or was not updated yet.
    """
    offer = _ask(f"{membership.address}/api/hall/join", None)
    try:
        port, fingerprint = door_in(offer, membership.hall, membership.hall_key)
    except BadMessageError as error:
        raise JoinError(
            "the hall does not say by its own key where tables send to; it may need an update"
        ) from error
    return replace(membership, port=port, fingerprint=fingerprint)


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

"""How a table joins: both sides prove that they know the hall's code, and exchange public keys.

The code is short, so scrypt stretches it: an eavesdropper cannot try codes quickly, and the hall
delays whoever guesses. Both proofs cover both keys, and the hall's covers the fingerprint of its
certificate: a man in the middle would have to know the code to insert his own. Nothing that is sent
is secret.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from companion_app.hall.errors import BadMessageError
from companion_app.hall.line.keys import HallKeys, id_of, public_from_text, public_to_text
from companion_app.hall.line.message import (
    from_bytes,
    opened,
    shown_name,
    signed,
    to_all,
    to_bytes,
    whole_number,
)

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Characters of codes: no I, O, 0 or 1, which are easily confused."""
CODE_LETTERS = 8
NAMELESS = "?"
LONGEST_NONCE = 64
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
SPEAKS, HTTPS = "speaks", "https"
"""What a table says when it asks to join; one of 1.0.0, which knows MQTT alone, says nothing."""


@dataclass(frozen=True, slots=True)
class Request:
    """A table's request to join."""

    public_key: str
    name: str
    since: int
    """Number of the last line of the table's log that stays private: games before it joined."""
    nonce: str


def new_code() -> str:
    """Return a random code by which tables join."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))


def code_of(store: HallStore) -> str:
    """Return the hall's code; the first process that asks creates it."""
    return store.fact("code") or store.keep_fact("code", new_code(), once=True)


def plain_code(told: str) -> str:
    """Return a typed code in upper case, without spaces and signs."""
    return "".join(letter for letter in told.upper() if letter in LETTERS)


def table_proof(code: str, hall_key: str, asked: Request) -> str:
    """Return the HMAC that proves that a table knows the code."""
    said = ["table", hall_key, asked.public_key, asked.name, asked.since, asked.nonce]
    return _proof(code, hall_key, said)


def hall_proof(code: str, hall_key: str, asked: Request, answer: Mapping[str, Any]) -> str:
    """Return the HMAC that proves that the hall knows the code and gave this answer."""
    said = ["hall", hall_key, asked.public_key, asked.nonce, json.dumps(answer, sort_keys=True)]
    return _proof(code, hall_key, said)


def parse_request(sent: Mapping[str, Any]) -> Request:
    """Return a table's request to join.

    Raises:
        BadMessageError: a value is missing or malformed.
    """
    name, since, nonce = sent.get("name"), sent.get("since"), sent.get("nonce")
    if not isinstance(name, str) or not isinstance(nonce, str) or not whole_number(since):
        raise BadMessageError("a table says its name, its key and where its log begins")
    if not 16 <= len(nonce) <= LONGEST_NONCE:
        raise BadMessageError("not a nonce")
    assert isinstance(since, int)
    key = public_to_text(public_from_text(sent.get("public_key")))
    return Request(key, name, since, nonce)


def offered(keys: HallKeys, port: int) -> dict[str, Any]:
    """Return what the hall tells everybody: its key, and, signed by it, where tables post.

    By the signature a table that joined under 1.0.0 knows the certificate at its first contact.
    """
    door = to_bytes({"port": port, "fingerprint": keys.fingerprint})
    message = signed(keys.signing, to_all(keys.id), door)
    return {
        "hall": keys.id,
        "public_key": keys.public_text,
        "door": base64.b64encode(message).decode(),
    }


def door_in(offer: Mapping[str, Any], hall: str, hall_key: str) -> tuple[int, str]:
    """Return port and fingerprint from what a hall tells everybody.

    Raises:
        BadMessageError: it is not signed by this hall, or is malformed.
    """
    try:
        message = base64.b64decode(str(offer.get("door", "")), validate=True)
    except ValueError as error:
        raise BadMessageError("not a message") from error
    return door_of(from_bytes(opened(public_from_text(hall_key), to_all(hall), message)))


def door_of(answer: Mapping[str, Any]) -> tuple[int, str]:
    """Return port and fingerprint from an answer of the hall.

    Raises:
        BadMessageError: one of them is missing or malformed.
    """
    port, fingerprint = answer.get("port"), answer.get("fingerprint")
    if not isinstance(port, int) or not 0 < port < 1 << 16:
        raise BadMessageError("not a port")
    if not isinstance(fingerprint, str) or not FINGERPRINT.fullmatch(fingerprint):
        raise BadMessageError("not a fingerprint")
    return port, fingerprint


def admitted(store: HallStore, keys: HallKeys, asked: Request, port: int) -> dict[str, Any]:
    """Admit a table; return the answer, which carries the hall's own proof."""
    key = public_from_text(asked.public_key)
    member = store.add_table(
        id_of(key), asked.public_key, shown_name(asked.name) or NAMELESS, asked.since
    )
    answer = {
        "hall": keys.id,
        "table": member.id,
        "name": member.name,
        "acked": member.acked,
        "port": port,
        "fingerprint": keys.fingerprint,
    }
    return {**answer, "proof": hall_proof(code_of(store), keys.public_text, asked, answer)}


def is_right(store: HallStore, keys: HallKeys, asked: Request, proof: object) -> bool:
    """Say whether a request's proof shows that its table knows the code."""
    due = table_proof(code_of(store), keys.public_text, asked)
    return hmac.compare_digest(due.encode(), str(proof).encode(errors="replace"))


def _proof(code: str, hall_key: str, said: list[Any]) -> str:
    key = _stretched(plain_code(code), hall_key)
    return hmac.new(key, json.dumps(said).encode(), "sha256").hexdigest()


@lru_cache(maxsize=4)
def _stretched(code: str, hall_key: str) -> bytes:
    salt = b"snake-eye hall " + hall_key.encode()
    return hashlib.scrypt(code.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)

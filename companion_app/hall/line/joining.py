"""How a table joins: both prove that they know the hall's code, and learn each other's key.

The code is short, so it is stretched by scrypt; nobody who only listens can try codes quickly, and
the hall slows whoever guesses. Both proofs cover both keys: whoever stands in between would have
to know the code to put his own key there. Nothing that is sent is secret.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from companion_app.hall.errors import BadMessageError
from companion_app.hall.line.keys import HallKeys, id_of, public_from_text, public_to_text
from companion_app.hall.line.message import whole_number

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""None that is taken for another one."""
CODE_LETTERS = 8
LONGEST_NAME = 40
LONGEST_NONCE = 64


@dataclass(frozen=True, slots=True)
class Request:
    """What a table asks for."""

    public_key: str
    name: str
    since: int
    """The last line of its log that the hall is not to have: games before it joined."""
    nonce: str


def new_code() -> str:
    """Return a code to read out in a hall."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))


def code_of(store: HallStore) -> str:
    """Return the hall's code; made by the first process that asks."""
    return store.fact("code") or store.keep_fact("code", new_code(), once=True)


def plain_code(told: str) -> str:
    """Return a code as people type it without what they add: spaces, signs, small letters."""
    return "".join(letter for letter in told.upper() if letter in LETTERS)


def table_proof(code: str, hall_key: str, asked: Request) -> str:
    """Return what proves that a table knows the code."""
    said = ["table", hall_key, asked.public_key, asked.name, asked.since, asked.nonce]
    return _proof(code, hall_key, said)


def hall_proof(code: str, hall_key: str, asked: Request, answer: Mapping[str, Any]) -> str:
    """Return what proves that the hall knows it too, and that the answer is the hall's."""
    said = ["hall", hall_key, asked.public_key, asked.nonce, json.dumps(answer, sort_keys=True)]
    return _proof(code, hall_key, said)


def parse_request(sent: Mapping[str, Any]) -> Request:
    """Return what a table asks for.

    Raises:
        BadMessageError: something is missing or not as it should be.
    """
    name, since, nonce = sent.get("name"), sent.get("since"), sent.get("nonce")
    if not isinstance(name, str) or not isinstance(nonce, str) or not whole_number(since):
        raise BadMessageError("a table says its name, its key and where its log begins")
    if not 16 <= len(nonce) <= LONGEST_NONCE:
        raise BadMessageError("not a nonce")
    assert isinstance(since, int)
    key = public_to_text(public_from_text(sent.get("public_key")))
    return Request(key, name, since, nonce)


def admitted(store: HallStore, keys: HallKeys, asked: Request, broker: Mapping[str, Any]) -> Any:
    """Let a table in; return the answer, which carries the hall's own proof."""
    key = public_from_text(asked.public_key)
    member = store.add_table(id_of(key), asked.public_key, shown_name(asked.name), asked.since)
    answer = {
        "hall": keys.id,
        "table": member.id,
        "name": member.name,
        "acked": member.acked,
        "authority": keys.authority_pem,
        "certificate": keys.certificate_pem(member.id, key),
        "broker": dict(broker),
    }
    hall_key = public_to_text(keys.signing.public_key())
    return {**answer, "proof": hall_proof(code_of(store), hall_key, asked, answer)}


def is_right(store: HallStore, keys: HallKeys, asked: Request, proof: object) -> bool:
    """Say whether a table knows the code."""
    due = table_proof(code_of(store), public_to_text(keys.signing.public_key()), asked)
    return hmac.compare_digest(due.encode(), str(proof).encode(errors="replace"))


def shown_name(name: str) -> str:
    """Return a table's name as it is shown: one line of letters that can be seen."""
    seen = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(seen.split())[:LONGEST_NAME] or "?"


def _proof(code: str, hall_key: str, said: list[Any]) -> str:
    key = _stretched(plain_code(code), hall_key)
    return hmac.new(key, json.dumps(said).encode(), "sha256").hexdigest()


@lru_cache(maxsize=4)
def _stretched(code: str, hall_key: str) -> bytes:
    salt = b"snake-eye hall " + hall_key.encode()
    return hashlib.scrypt(code.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)

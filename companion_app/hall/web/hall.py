"""The objects that all views of the hall's page share, and the arbiters' PIN."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field

from flask import current_app

from companion_app.hall.keeper import TableGames
from companion_app.hall.line.keys import HallKeys
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.tournaments import Tournaments
from companion_app.hall.web.overview import Overview
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.shared import Packer

PIN_COST = 1 << 14


@dataclass
class Hall:
    """The parts of a hall process."""

    store: HallStore
    keys: HallKeys
    games: TableGames
    overview: Overview
    tournaments: Tournaments
    tables_port: int
    """Where tables send to, at the host of the page."""
    address: str = ""
    limiter: Limiter = field(default_factory=Limiter)
    packer: Packer = field(default_factory=Packer)


def hall() -> Hall:
    """Return the hall of the current application."""
    found: Hall = current_app.extensions["snake-eye-hall"]
    return found


# --- the arbiters' PIN ---------------------------------------------------------------------------


def secret_of(store: HallStore) -> str:
    """Return the key that signs cookies, shared by all processes of a hall."""
    return store.fact("secret") or store.keep_fact("secret", secrets.token_hex(32), once=True)


def new_pin(store: HallStore) -> str:
    """Replace the arbiters' PIN and return it; only its hash is stored, and all are signed out."""
    pin = f"{secrets.randbelow(1_000_000):06d}"
    store.keep_fact("pin", _hashed(pin, secrets.token_bytes(16)))
    return pin


def first_pin(store: HallStore) -> str | None:
    """Create and return the PIN of a new hall; ``None`` where the hall has one."""
    return new_pin(store) if store.fact("pin") is None else None


def pin_mark(store: HallStore) -> str:
    """Return a hash that changes with the PIN."""
    return hashlib.sha256((store.fact("pin") or "").encode()).hexdigest()[:16]


def is_pin(store: HallStore, told: str) -> bool:
    """Say whether a typed PIN is right."""
    kept = store.fact("pin") or ""
    salt = base64.b64decode(json.loads(kept)[0]) if kept else b""
    return bool(kept) and hmac.compare_digest(kept, _hashed(told[:20], salt))


def _hashed(pin: str, salt: bytes) -> str:
    made = hashlib.scrypt(pin.encode(errors="replace"), salt=salt, n=PIN_COST, r=8, p=1, dklen=32)
    return json.dumps([base64.b64encode(salt).decode(), made.hex()])

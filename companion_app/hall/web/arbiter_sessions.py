"""Sessions of arbiters, kept in the hall's database: a cookie that was copied ends with its own.

The cookie holds a random number; the database its hash, the arbiter's name and when it ends, so
that reading a backup of the hall makes nobody an arbiter.
"""

from __future__ import annotations

import hashlib
import json
import secrets

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.web.hall import pin_mark

KEPT_AS = "session:"
LASTS_S = 86_400.0
"""Lifetime of a session and of its cookie, in seconds."""


def begin(store: HallStore, who: str) -> str:
    """Store a session and return the number for its cookie; sessions that have ended go."""
    number = secrets.token_urlsafe(24)
    until_s = store.clock() + LASTS_S
    store.forget_facts(
        [name for name, value in store.facts_like(KEPT_AS).items() if not _holds(store, value)]
    )
    store.keep_fact(_name(number), json.dumps([who, pin_mark(store), until_s]))
    return number


def who_has(store: HallStore, number: str) -> str | None:
    """Return the arbiter's name; ``None`` where the session ended, or the PIN is another one."""
    value = store.fact(_name(number))
    return str(json.loads(value)[0]) if value is not None and _holds(store, value) else None


def end(store: HallStore, number: str) -> None:
    """End a session, whoever has its number."""
    store.forget_facts([_name(number)])


def _holds(store: HallStore, value: str) -> bool:
    _, mark, until_s = json.loads(value)
    return bool(mark == pin_mark(store) and until_s > store.clock())


def _name(number: str) -> str:
    return KEPT_AS + hashlib.sha256(number.encode(errors="replace")).hexdigest()
